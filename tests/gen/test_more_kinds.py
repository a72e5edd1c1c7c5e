# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""Kinds of vendors' headers, each a line of lore, beside those that the library has: they are generated, and compile against the headers of every
release."""

from __future__ import annotations

import re
import shutil
import subprocess
import tempfile
import unittest
from copy import copy
from functools import cache
from pathlib import Path

from gen.api import merge, own
from gen.errors import GenError
from gen.know import groups, lore
from gen.paths import LORE
from gen.plan import Plan, build
from gen.plan.model import making_rows
from gen.plan.model.object import Kind
from gen.promise import shapes
from gen.reach import headers
from gen.write import render
from tests.gen import words_of_kinds
from tests.gen.project import NEWEST, RELEASES, ROOT, InFolder, header_tree

MORE = Path(__file__).parent / "lore/more_kinds.toml"
SOURCES = ("src/objects.c", "src/rare.c", "src/kinds.c", "src/methods.c")
STRICT = ("-std=gnu11", "-fsyntax-only", "-Wall", "-Wextra", "-Wshadow", "-Wstrict-prototypes", "-Wmissing-prototypes",
          "-Wwrite-strings", "-Werror")
CONFIG = '#define VERBSX_VERSION "0"\n#define VERBSX_LOADER 1\n#define VERBSX_TRACING 0\n#define VERBSX_CHECKS 0\n'


class MoreKinds(InFolder):
    plan: Plan
    maxDiff = None

    @classmethod
    def setUpClass(cls) -> None:
        order = groups.load()
        api = merge.merge(headers.committed(), [g.name for g in order])
        folder = Path(cls.enterClassContext(tempfile.TemporaryDirectory()))
        for path in (*LORE.glob("*.toml"), MORE):
            shutil.copy(path, folder)
        cls.plan = build(api, lore.load(api, folder), order)
        cls.texts = render.render(cls.plan)
        cls.kinds = {k.name: k for k in cls.plan.objects.kinds}

    def test_every_one_is_there(self) -> None:
        named = {line.split(" = ")[0] for line in MORE.read_text().splitlines() if " = { title" in line}
        self.assertGreater(len(named), 0)
        self.assertLessEqual(named, set(self.kinds))

    def test_each_function_of_a_vendors_header_asks_whose_the_device_is(self) -> None:
        """Before anything of the vendor is called: that casts without looking."""
        gates = {g.prefix: g.provider for g in self.plan.groups if g.provider}
        rows = self.plan.objects.made_by_rows
        made = [(f"create_{k.name}", k.call) for k in self.plan.objects.kinds if k.provider and k.name not in rows.kinds]
        asked = [(m.name, m.call) for k in self.plan.objects.types for m in k.methods if m.provider]
        by_rows = [k for k in self.plan.objects.kinds if k.provider and k.name in rows.kinds]
        self.assertGreater(len(made) + len(by_rows), 20)
        for kind in by_rows:
            with self.subTest(kind=kind.name):
                self.assert_row_asks(kind, next(p for p in gates if kind.call.startswith(p)), gates)
        for function, call in [*made, *asked]:
            with self.subTest(function=function):
                text = self.source_of(function)
                prefix = next(p for p in gates if call.startswith(p))
                before, gate, after = re.split(r"(vx_needs_provider\(|vx_wrong_or_foreign\()", text, maxsplit=1)
                self.assertRegex(after, rf'"{gates[prefix]}"\)( < 0\)|;(?s:.*?)if \(foreign < 0\)\n\t\treturn foreign;)')
                self.assertNotRegex(before, rf"\b{prefix}\w+\(")

    def assert_row_asks(self, kind: Kind, prefix: str, gates: dict[str, str]) -> None:
        """Its row has the library, for which the runtime asks between what the kind's own code looks at and the call."""
        rows = self.plan.objects.made_by_rows
        self.assertEqual(rows.kinds[kind.name].head[2], rows.text(gates[prefix]))
        looked, why, _ = self.source_of(f"ask_{kind.name}").partition("VX_ASK_WHY")
        self.assertTrue(why)
        self.assertNotRegex(looked, rf"\b{prefix}\w+\(")

    def test_what_depends_on_more_than_there_is_room_for_is_named(self) -> None:
        kind = copy(self.kinds["mlx4_qp"])
        self.assertIn("mlx4_qp", making_rows.rows([kind], set()).kinds)
        kind.fields = kind.fields * 2
        self.assertGreater(len(kind.uses), making_rows.MOST_USED)
        with self.assertRaisesRegex(GenError, r"^mlx4_qp: depends on \d+ handles, and what makes it has room for"):
            making_rows.rows([kind], set())

    def test_what_is_larger_than_there_is_room_for_has_code_of_its_own(self) -> None:
        """With a structure of as many bytes as it takes; what the runtime has room for is what the plan goes by."""
        room = re.search(r"#define VX_MOST_ATTR (\d+)", (ROOT / "runtime/src/verbs/make_by_row.h").read_text())
        kind = copy(self.kinds["mlx5_dm"])
        self.assertEqual([room and int(room[1]), kind.attr_size], [making_rows.MOST_ATTR, 16])
        for kind.attr_size, is_row in ((making_rows.MOST_ATTR, True), (making_rows.MOST_ATTR + 1, False)):
            with self.subTest(kind.attr_size):
                self.assertEqual(kind.name in making_rows.rows([kind], set()).kinds, is_row)

    def test_all_compile_against_the_headers_of_the_oldest_and_the_newest_release(self) -> None:
        for name, text in self.texts.items():
            if name.startswith(("include/", "src/")):
                self.put(f"generated/{name}", text)
        self.put("generated/include/verbsx/config.h", f"#pragma once\n{CONFIG}")
        for release in (RELEASES[0], NEWEST):  # what lies between differs from them only where both do
            include = header_tree(release)
            for source in SOURCES:
                with self.subTest(release=release, source=source):
                    self.compiles(self.folder / "generated" / source, include, release)

    def compiles(self, source: Path, include: Path, release: int) -> None:
        own = (self.folder / "generated/include", self.folder / "generated/src", ROOT / "runtime/include", ROOT / "runtime/src")
        done = subprocess.run(["gcc", *STRICT, f"-DVX_RDMA_CORE={release}", *(f"-I{f}" for f in own), "-isystem", include,
                               source], capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_the_table_of_what_they_need_is_up_to_date(self) -> None:
        self.assertEqual(words_of_kinds.TABLE.read_text(), words_of_kinds.table(), "python3 -m tests.gen.words_of_kinds")

    def source_of(self, function: str) -> str:
        """The text of a generated function, which may take a size as well."""
        text = self.texts["src/objects.c"] + self.texts["src/rare.c"] + self.texts["src/methods.c"]
        found = re.search(rf"^(?!\t).*\b{function}(_sized)?\((?s:.*?)\n}}\n", text, re.MULTILINE)
        self.assertIsNotNone(found, function)
        return found[0]


def entries() -> dict[str, str]:
    """The line of each kind."""
    found = (re.match(r"(\w+) = \{.*", line) for line in MORE.read_text().splitlines())
    return {match[1]: match[0] for match in found if match}


FILES = {"efa": "efadv.toml", "mlx4": "mlx4dv.toml", "mlx5": "mlx5dv.toml"}


def add_to_groups(folder: Path, wanted: list[str]) -> None:
    """All lore, and the lines of some kinds in the files of their groups, as a contributor would add them."""
    for path in LORE.glob("*.toml"):
        shutil.copy(path, folder)
    lines = entries()
    for kind in wanted:
        path = folder / FILES[kind.partition("_")[0]]
        text = path.read_text()
        head, table, rest = text.partition("\n[object]\n")
        path.write_text(f"{head}\n[object]\n{lines[kind]}\n{rest if table else ''}")


def built(folder: Path) -> tuple[merge.Api, Plan]:
    order = groups.load()
    api = merge.merge(headers.committed(), [g.name for g in order])
    return api, build(api, lore.load(api, folder), order)


def planned(folder: Path) -> Plan:
    """What ./dev regen would write, with all that it checks before."""
    api, made = built(folder)
    shapes.complete(shapes.shapes(made.objects.kinds, api.structs(), own.headers().structs), made.shapes)
    return made


@cache
def with_kinds(*kinds: str) -> Plan:
    """With the lines of these in the files of their groups; all of it can be rendered."""
    with tempfile.TemporaryDirectory() as folder:
        add_to_groups(Path(folder), list(kinds))
        made = planned(Path(folder))
    render.render(made)
    return made


def methods(*kinds: str) -> set[str]:
    made = with_kinds(*kinds)
    return {m.name for k in made.objects.types for m in k.methods} | {m.name for m in made.objects.ctx}


class InTheLoreOfItsGroup(InFolder):
    """A kind costs a line in the file of its group, and nothing else."""

    def test_alone(self) -> None:
        for kind in entries():
            with self.subTest(kind=kind):
                made = methods(kind)
                for match in (re.match(rf"vx_{kind}_.*(destroy|free|unimport)", name) for name in made):
                    self.assertIsNone(match)

    def test_what_takes_a_structure_that_is_no_kind_yet_is_no_method(self) -> None:
        self.assertIn("vx_mlx5_qp_modify_sched_elem", methods())
        add_to_groups(self.folder, [])
        path = self.folder / "mlx5dv.toml"
        path.write_text(re.sub(r"^mlx5_sched_leaf = .*\n", "", path.read_text(), flags=re.MULTILINE))
        self.assertNotIn("vx_mlx5_qp_modify_sched_elem", {m.name for k in built(self.folder)[1].objects.types for m in k.methods})

    def test_a_constant_structure_is_a_handle_where_no_program_could_fill_it(self) -> None:
        made = {m.name: m.declaration for k in with_kinds().objects.types for m in k.methods}
        self.assertIn("struct vx_mlx5_sched_leaf *requestor", made["vx_mlx5_qp_modify_sched_elem"])
        self.assertIn("const struct rdma_addrinfo *hints", made["vx_cm_id_resolve_addrinfo"])

    def test_what_makes_or_ends_something_behind_a_handles_back_is_no_method(self) -> None:
        made = methods()
        self.assertIn("vx_cm_id_listen", made)
        self.assertEqual(sorted(name for name in made if re.search("create|destroy|request", name) and "_cm_" in name), [])

    def test_all_at_once(self) -> None:
        made = methods(*entries())
        self.assertGreater(len(made), 100)

    def test_a_parent_that_is_no_kind_is_told(self) -> None:
        said = self.broken("mlx5_plain_flow", 'parent = "mlx5_flow_matcher"', 'parent = "mlx5_flow_match"')
        self.assertRegex(said, r"mlx5dv\.toml:\d+: mlx5_plain_flow: parent: mlx5_flow_match: no such kind")

    def test_its_name_begins_with_the_word_of_its_group(self) -> None:
        said = self.broken("mlx5_plain_flow", "mlx5_plain_flow = {", "other_flow = {")
        self.assertRegex(said, r"mlx5dv\.toml:\d+: other_flow: mlx5dv_create_flow is of mlx5dv, whose kinds begin with mlx5_\n  mlx5_other_flow")

    def broken(self, kind: str, old: str, new: str) -> str:
        """What is said of a line with a mistake."""
        add_to_groups(self.folder, [kind])
        path = self.folder / FILES[kind.partition("_")[0]]
        self.assertIn(old, path.read_text())
        path.write_text(path.read_text().replace(old, new))
        return self.fails(lambda: planned(self.folder))


if __name__ == "__main__":
    unittest.main()
