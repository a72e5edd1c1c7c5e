# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""Symbols: .symbols files read as Debian writes them, and held against the libraries' own dynamic symbols."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

from gen.api.facts import Facts, load, to_json
from gen.errors import GenError
from gen.know.groups import HeaderGroup
from gen.reach import headers, symbols
from tests.gen.project import NEWEST, NEXT, InFolder, gen, header_tree

INSTALLED = sorted(path for package in ("libibverbs1", "librdmacm1", "librdmacm1t64", "ibverbs-providers")
                   for path in Path("/var/lib/dpkg/info").glob(f"{package}:*.symbols"))
LIBRARIES = sorted(path for name in ("ibverbs", "rdmacm", "mlx5", "mlx4", "efa", "mana", "hns", "ionic")
                   for path in Path("/usr/lib").glob(f"*/lib{name}.so.1"))
TEXT = """\
libibverbs.so.1 libibverbs1 #MINVER#
* Build-Depends-Package: libibverbs-dev
 IBVERBS_1.0@IBVERBS_1.0 1.1.6
 IBVERBS_1.16@IBVERBS_1.16 62
 IBVERBS_PRIVATE_65@IBVERBS_PRIVATE_65 65
 ibv_query_port_speed@IBVERBS_1.16 62
 ibv_reg_mr@IBVERBS_1.0 1.1.6
 ibv_reg_mr@IBVERBS_1.1 20
 ibv_wr_opcode_str@IBVERBS_PRIVATE_65 65
libmlx5.so.1 ibverbs-providers #MINVER#
| libmlx5-alternative #MINVER#
 mlx5dv_init_obj@MLX5_1.10 24.0-1~
 mlx5dv_init_obj@MLX5_1.2 15
"""


def from_text(text: str) -> dict[str, symbols.Symbol]:
    return symbols.merge(entry for entry in symbols.parse(text) if not symbols.is_node(entry))


class SymbolsFile(unittest.TestCase):
    def test_one_without_symbols_is_refused(self) -> None:
        with tempfile.NamedTemporaryFile(suffix=".symbols") as file, self.assertRaises(GenError) as caught:
            symbols.read([Path(file.name)])
        self.assertIn(f"{file.name}:1: has no symbol in it", str(caught.exception))

    def test_one_with_patterns_alone_is_told_what_it_lacks(self) -> None:
        for text, words in (("A_1 { global: acme_*; local: *; };", "patterns tell no names: write those of the functions"), ("A_1 { local: *; };", "is it whole")):
            with tempfile.NamedTemporaryFile("w", prefix="libacme", suffix=".so.1.map") as file, self.assertRaises(GenError) as caught:
                file.write(text)
                file.flush()
                symbols.read([Path(file.name)])
            self.assertIn(f"has no symbol in it\n  {words}", str(caught.exception))

    def test_a_function_has_its_library_version_and_release(self) -> None:
        self.assertEqual(from_text(TEXT)["ibv_query_port_speed"],
                         symbols.Symbol("ibv_query_port_speed", "libibverbs.so.1", "IBVERBS_1.16", 62))

    def test_of_two_versions_the_newest_counts_and_the_oldest_release(self) -> None:
        mr = from_text(TEXT)["ibv_reg_mr"]
        self.assertEqual((mr.version, mr.since), ("IBVERBS_1.1", symbols.BEFORE_RDMA_CORE))

    def test_versions_are_compared_as_numbers(self) -> None:
        init = from_text(TEXT)["mlx5dv_init_obj"]
        self.assertEqual((init.library, init.version, init.since), ("libmlx5.so.1", "MLX5_1.10", 15))
        self.assertGreater(symbols.version_key("MLX5_1.25.1"), symbols.version_key("MLX5_1.25"))

    def test_a_private_symbol_is_known_as_such_and_has_no_release(self) -> None:
        text = from_text(TEXT)["ibv_wr_opcode_str"]
        self.assertTrue(text.private)
        self.assertIsNone(text.since)

    def test_a_public_version_hides_a_private_one(self) -> None:
        both = "libx.so.1 x #MINVER#\n f@IBVERBS_1.1 40\n f@IBVERBS_PRIVATE_65 65\n"
        self.assertEqual(from_text(both)["f"], symbols.Symbol("f", "libx.so.1", "IBVERBS_1.1", 40))

    def test_version_nodes_are_no_functions(self) -> None:
        self.assertEqual(set(from_text(TEXT)),
                         {"ibv_query_port_speed", "ibv_reg_mr", "ibv_wr_opcode_str", "mlx5dv_init_obj"})

    def test_a_line_that_makes_no_sense_is_named(self) -> None:
        with self.assertRaises(GenError) as caught:
            symbols.parse(TEXT + "what is this\n", Path("x.symbols"))
        self.assertEqual((str(caught.exception.file), caught.exception.line), ("x.symbols", 14))


class SharedObject(unittest.TestCase):
    SAYS = """\
 0x000000000000000e (SONAME)             Library soname: [libmlx5.so.1]
     7: 0000000000000000     0 FUNC    GLOBAL DEFAULT  UND ibv_open_device@IBVERBS_1.1 (4)
   253: 0000000000000000     0 OBJECT  GLOBAL DEFAULT  ABS MLX5_1.2
   254: 000000000004d840    59 FUNC    GLOBAL DEFAULT   13 mlx5dv_init_obj@MLX5_1.0
   255: 000000000004d710   300 FUNC    GLOBAL DEFAULT   13 mlx5dv_init_obj@@MLX5_1.2
   256: 000000000004d710   300 FUNC    GLOBAL DEFAULT   13 mlx5dv_new@@MLX5_1.99
"""

    def exported(self) -> dict[str, symbols.Symbol]:
        return symbols.merge(symbols.exports(self.SAYS, Path("x"), {"MLX5_1.0": 13, "MLX5_1.2": 15}))

    def test_only_what_it_defines_is_taken(self) -> None:
        self.assertEqual(set(self.exported()), {"mlx5dv_init_obj", "mlx5dv_new"})

    def test_the_release_is_that_of_the_oldest_version_node(self) -> None:
        self.assertEqual(self.exported()["mlx5dv_init_obj"],
                         symbols.Symbol("mlx5dv_init_obj", "libmlx5.so.1", "MLX5_1.2", 13))

    def test_an_unknown_version_node_has_no_release(self) -> None:
        self.assertIsNone(self.exported()["mlx5dv_new"].since)

    def test_what_is_no_name_is_refused(self) -> None:
        with self.assertRaisesRegex(GenError, r"x.symbols:2: acme-x\$: no name of a function, nor of a version"):
            symbols.parse("libacme.so.1 libacme1 #MINVER#\n acme-x$@ACME_1.0 66\n", Path("x.symbols"))

    def test_an_entry_before_any_library_is_refused(self) -> None:
        with self.assertRaisesRegex(GenError, "x.symbols:2: acme_go: stands before any library\n  expected before: LIBRARY"):
            symbols.parse("# one\n acme_go@ACME_1 66\n", Path("x.symbols"))

    def test_what_is_no_library_is_refused(self) -> None:
        with self.assertRaises(GenError):
            symbols.from_libraries([Path(__file__)])


@unittest.skipUnless(INSTALLED and LIBRARIES, "rdma-core's library packages are not installed")
class InstalledLibraries(unittest.TestCase):
    """Two independent witnesses: dpkg's symbols files and the installed libraries."""

    @classmethod
    def setUpClass(cls) -> None:
        cls.said = symbols.read(INSTALLED)
        cls.seen = symbols.from_libraries(LIBRARIES, symbols.nodes(INSTALLED))

    def test_every_public_function_is_the_same_in_both(self) -> None:
        said = {name: entry for name, entry in self.said.items() if not entry.private}
        seen = {name: entry for name, entry in self.seen.items() if not entry.private}
        self.assertGreater(len(seen), 200)
        self.assertEqual(said, seen)

    def test_the_default_version_is_the_linkers(self) -> None:
        for path in LIBRARIES:
            for name, version in default_versions(path):
                self.assertEqual(self.said[name].version, version, name)


def default_versions(path: Path) -> list[tuple[str, str]]:
    """Functions and their default version from the ELF tables, not from anybody's text."""
    try:
        from elftools.elf.elffile import ELFFile
    except ImportError:
        raise unittest.SkipTest("pyelftools is not installed") from None
    with path.open("rb") as stream:
        elf = ELFFile(stream)
        table, index = elf.get_section_by_name(".dynsym"), elf.get_section_by_name(".gnu.version")
        names = {definition["vd_ndx"]: next(aux).name
                 for definition, aux in elf.get_section_by_name(".gnu.version_d").iter_versions()}
        return [(entry.name, names[at]) for number, entry in enumerate(table.iter_symbols())
                if entry["st_shndx"] != "SHN_UNDEF" and entry["st_info"]["type"] == "STT_FUNC"
                and (at := index.get_symbol(number)["ndx"]) in names]


class Added(InFolder):
    """Files of a few functions that are new, beside what is known of the others: they add to it."""

    def map(self, *names: str, node: str = "NEXT_1") -> Path:
        return self.put("libibverbs.so.1.map", f"{node} {{ global: {' '.join(f'{n};' for n in names)} }};")

    def test_to_libraries_that_lie_beside_the_headers(self) -> None:
        self.put("usr/include/infiniband/acme.h", "int acme_old(int a);\nint acme_new(int a);\nint acme_hidden(int a);\n")
        library = self.folder / "usr/lib/libibverbs.so.1"
        library.parent.mkdir()
        subprocess.run(["gcc", "-shared", "-nostdlib", "-fPIC", "-x", "c", "-", "-o", library, "-Wl,-soname,libibverbs.so.1",
                        f"-Wl,--version-script,{self.map('acme_old', node='OLD_1')}"], input="int acme_old(int a) { return a; }\n", text=True, check=True)
        facts = headers.read(self.folder / "usr/include", 66, [HeaderGroup("acme", ["infiniband/acme.h"], "libibverbs.so.1")], [self.map("acme_new")])
        self.assertEqual({c.name: c.version for c in facts.groups["acme"].calls.values()}, {"acme_old": "OLD_1", "acme_new": "NEXT_1", "acme_hidden": ""})

    def acme(self, script: str, text: str = "NEXT_1 { global: acme_new; };") -> Facts:
        """The facts of a header of a group that is libibverbs', with a file of symbols beside it."""
        self.put("include/infiniband/acme.h", "int acme_new(int a);\nint acme_other(int a);\n")
        return headers.read(self.folder / "include", 66, [HeaderGroup("acme", ["infiniband/acme.h"], "libibverbs.so.1")], [self.put(script, text)])

    def test_by_version_scripts_that_are_called_as_rdma_cores_own(self) -> None:
        facts = self.acme("libibverbs.map")
        call = facts.groups["acme"].calls["acme_new"]
        self.assertEqual((call.library, call.version, facts.told), ("libibverbs.so.1", "NEXT_1", ["libibverbs.so.1"]))
        self.assertEqual(load(self.put("facts.json", to_json(facts))), facts)

    def test_not_by_files_that_are_called_by_no_library(self) -> None:
        for name, meant in (("libacme.map", "libacme.so.1.map"), ("new.map", "libnew.so.1.map")):
            said = self.fails(lambda name=name: self.acme(name))
            self.assertIn(f"{name}:1: is called by no library, so that nothing says which one exports these functions\n  call it by the soname, such as {meant};", said)

    def test_not_by_libraries_of_no_group_where_a_group_declares_it(self) -> None:
        for name, text in (("libacme.so.2.map", "NEXT_1 {\n\tglobal: acme_new;\n};"), ("acme.symbols", "libacme.so.2 acme #MINVER#\n acme_new@NEXT_1 66\n")):
            said = self.fails(lambda name=name, text=text: self.acme(name, text))
            self.assertIn(f"{name}:2: acme_new: is exported by libacme.so.2, which is the library of no group\n", said)
        self.assertEqual(self.acme("libacme.so.2.map", "NEXT_1 { global: foreign; };").told, [])  # of what is not declared it may

    def test_to_what_older_releases_export(self) -> None:
        """As the first step of ./dev release reads them."""
        facts = self.folder / "facts.json"
        tree = Path(shutil.copytree(header_tree(NEWEST), self.folder / "include"))
        verbs = tree / "infiniband/verbs.h"
        verbs.write_text(verbs.read_text().replace("int ibv_fork_init(void);", "int ibv_fork_init(void);\nint ibv_brand_new(int a);"))
        self.assertEqual(gen("scan", "--headers", tree, "--release", NEXT, "--symbols", self.map("ibv_brand_new"), "--output", facts)[0], 0)
        calls = load(facts).groups["verbs"].calls
        self.assertEqual([calls[name].version for name in ("ibv_brand_new", "ibv_create_ah", "ibv_query_port_speed", "ibv_wr_opcode_str")],
                         ["NEXT_1", "IBVERBS_1.1", "IBVERBS_1.16", ""])
        self.assertEqual(gen("scan", "--headers", tree, "--release", 60, "--symbols", self.map("ibv_brand_new"), "--output", facts)[0], 0)
        self.assertEqual(load(facts).groups["verbs"].calls["ibv_query_port_speed"].version, "")  # 62 was the first to have it

    def test_and_do_not_make_old_functions_new_by_another_release(self) -> None:
        said = "libibverbs.so.1 x #MINVER#\n" + "".join(f" {name}@{s.version} 33\n" for name, s in headers.known_symbols().items() if s.library == "libibverbs.so.1")
        tree = shutil.copytree(header_tree(NEWEST), self.folder / "include")
        _, out, err = gen("report", "--headers", tree, "--release", NEXT, "--symbols", self.put("other.symbols", said))
        self.assertEqual(out, "", err)


if __name__ == "__main__":
    unittest.main()
