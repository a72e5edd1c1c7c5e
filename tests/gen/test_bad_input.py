# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""Bad input, by the tables of bad_input/: a message with file and line, status 2, nothing written, never a traceback."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
import unittest
from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path
from unittest import mock

from gen.api import facts, own
from gen.errors import GenError
from gen.fast import sources
from gen.files import folder, tomlfile
from gen.know import groups
from gen.know.groups import HeaderGroup
from gen.promise import exports, ids, json_types, shapes
from gen.reach import headers, releases
from gen.scan.scan import Tree, scan
from gen.write.templating import environment
from tests.gen.bad_input import abi, files, options
from tests.gen.bad_input import facts as bad_facts
from tests.gen.bad_input import groups as bad_groups
from tests.gen.bad_input import headers as bad_headers
from tests.gen.project import ALL, ROOT, InFolder, OfProject, contents, failing, gen


class Facts(InFolder):
    def test_what_is_wrong_is_told_with_its_line(self) -> None:
        found = list(bad_facts.wrong())
        self.assertGreater(len(found), 150)
        for damage in found:
            with self.subTest(damage.name):
                text = bad_facts.text(damage.data)
                path = self.put("facts.json", text)
                with self.assertRaises(GenError) as caught:
                    facts.load(path)
                said = str(caught.exception)
                self.assertTrue(said.startswith(f"{path}:{bad_facts.line(text, damage.path)}: "), said)
                self.assertIn(damage.words, said)
                self.assertIn("make it anew with", said)

    def test_what_python_takes_for_no_json(self) -> None:
        for value, words in (("[" * 99999, "nested too deep"), ("4" * 5000, "limit"), ("4.5", "facts are whole numbers"), ("1e9", "facts are whole numbers"),
                             ("NaN", "facts are whole numbers"), ("-Infinity", "facts are whole numbers")):
            with self.subTest(value[:9]):
                path = self.put("facts.json", f'{{\n "format": 1,\n "release": {value}\n}}\n')
                said = self.fails(lambda: facts.load(path))
                self.assertTrue(said.startswith(f"{path}:3: not a facts file: "), said)
                self.assertIn(words, said)

    def test_a_key_that_stands_twice(self) -> None:
        whole = bad_facts.text(bad_facts.WHOLE).split("\n")
        for number, line in enumerate(whole):
            if line.endswith(",") and '": ' in line and not line.endswith(("{,", "[,")):
                path = self.put("facts.json", "\n".join([*whole[:number + 1], *whole[number:]]))
                with self.subTest(line):
                    self.assertIn(f"{path}:{number + 2}: ", self.fails(lambda: facts.load(path)))


class Headers(InFolder):
    """Beside a header that is whole."""

    def scan(self, data: bytes) -> facts.Facts:
        (self.folder / "acme.h").write_bytes(data)
        self.put("other.h", "struct acme_other { int n; };\n")
        return scan([HeaderGroup("acme", ["other.h", "acme.h"], "libacme.so.1", wants=["acme_attr"])], Tree(self.folder), 44)

    def all_refused(self, damages: Iterable[bad_headers.Damage], at_least: int) -> None:
        number = 0
        for number, damage in enumerate(damages, 1):
            with self.subTest(damage.name), self.assertRaises(GenError) as caught:
                self.scan(damage.data)
            said, error = str(caught.exception), caught.exception
            self.assertIn(damage.words, said)
            self.assertTrue(error.hint, said)
            if "is not in these headers" not in said:  # which may be in any of a group
                self.assertIn("acme.h", str(error.file), said)
                self.assertEqual(error.line, damage.line or error.line, said)
                self.assertGreater(error.line or 0, 0, said)
        self.assertGreaterEqual(number, at_least)

    def test_the_whole_is_fine(self) -> None:
        whole = facts.to_json(self.scan(bad_headers.WHOLE.encode()))
        for data in bad_headers.FINE:
            self.assertEqual(facts.to_json(self.scan(data)), whole)

    def test_one_that_is_cut(self) -> None:
        self.all_refused(bad_headers.cut(), 50)

    def test_bytes_that_are_no_text(self) -> None:
        self.all_refused(bad_headers.no_text(), 100)

    def test_what_does_not_parse(self) -> None:
        self.all_refused(bad_headers.no_c(), 60)

    def test_one_that_includes_itself(self) -> None:
        """Where what came of it was told before, it is told soon."""
        self.put("mutual.h", '#include "acme.h"\n')
        began = time.process_time()
        self.all_refused(bad_headers.endless(), 2)
        self.assertLess(time.process_time() - began, 6)

    def test_what_never_ends_is_not_included(self) -> None:
        """Nor by what a header includes, or by another name."""
        os.mkfifo(self.folder / "pipe.h")
        (self.folder / "link.h").symlink_to("/dev/zero")
        self.put("more/deep.h", '\n#include "../pipe.h"\n')
        for name, place in (("/dev/zero", "acme.h:1"), ("pipe.h", "acme.h:1"), ("link.h", "acme.h:1"), ("more/deep.h", "more/deep.h:2")):
            with self.subTest(name):
                said = self.fails(lambda: self.scan(f'#include "{name}"\nstruct acme_attr {{ int n; }};\n'.encode()))
                self.assertRegex(said, rf"{place}: includes [\w./]+, which is no regular file\n  take that out")

    def test_nothing(self) -> None:
        self.all_refused(bad_headers.nothing(), 6)


class Files(InFolder):
    """Each file that the generator reads as text, and what reads it."""

    def readers(self) -> dict[str, Callable[[Path], object]]:
        gen_folder = ROOT / "gen"
        toml = {path.relative_to(gen_folder).as_posix(): tomlfile.load for path in sorted(gen_folder.rglob("*.toml"))}
        return {**toml, "groups.toml": groups.load, "facts/rdma-core-44.json": facts.load}

    def test_what_may_be_wrong_with_any(self) -> None:
        for name, read in self.readers().items():
            for damage in files.DAMAGES:
                with self.subTest(name, damage=damage.name):
                    path = self.folder / "damaged"
                    files.remove(path)
                    shutil.copy(ROOT / "gen" / name, path)
                    damage.make(path)
                    place = f"{path}:{damage.line}: " if damage.line else f"{path}: "
                    said = self.fails(lambda: read(path))
                    self.assertTrue(said.startswith(f"{place}{damage.words}"), said)

    def test_what_may_not_be_read(self) -> None:
        for name, read in self.readers().items():
            with self.subTest(name), mock.patch.object(Path, "read_bytes", side_effect=PermissionError(13, "Permission denied")):
                self.assertIn(f"{name}: cannot read: Permission denied", self.fails(lambda: read(ROOT / "gen" / name)))

    def test_what_is_no_toml(self) -> None:
        """All of it in a file that has a reader of its own and in one of the others, which all have the same; there by turns."""
        for number, (name, read) in enumerate(self.readers().items()):
            if name.endswith(".toml"):
                whole = (ROOT / "gen" / name).read_text(encoding="utf-8")
                damages = list(files.no_toml(whole))
                if not ALL and name not in ("groups.toml", "lore/calls.toml"):
                    damages = [damages[number % len(damages)]]
                for damage, text, line in damages:
                    with self.subTest(name, damage=damage):
                        path = self.put("damaged.toml", text)
                        said = self.fails(lambda: read(path))
                        self.assertTrue(said.startswith(f"{path}:{line}: not TOML: "), said)

    def test_what_never_ends_in_a_folder_that_all_is_read_of(self) -> None:
        os.mkfifo(self.folder / "zz.toml")
        self.assertIn("zz.toml: cannot read: is no regular file", self.fails(lambda: sources.contents(self.folder)))

    def test_own_headers(self) -> None:
        for damage in files.DAMAGES:
            if damage.line:
                with self.subTest(damage.name):
                    path = self.folder / "mr.h"
                    shutil.copy(ROOT / "runtime/include/verbsx/mr.h", path)
                    damage.make(path)
                    said = self.fails(lambda: own.read(self.folder))
                    self.assertTrue(said.startswith(f"{path}:{damage.line}: {damage.words}"), said)


class Templates(InFolder):
    def test_bytes_that_are_no_text(self) -> None:
        for damage in files.DAMAGES:
            if damage.line:
                with self.subTest(damage.name):
                    path = self.put("src/one.c.j2", "/* {{ one }} */\n\nint one;\n")
                    damage.make(path)
                    said = self.fails(lambda: environment(self.folder))
                    self.assertTrue(said.startswith(f"{path}:{damage.line}: {damage.words}"), said)


class Groups(InFolder):
    def test_what_is_wrong_is_told_with_its_line(self) -> None:
        for text, line, words in bad_groups.WRONG:
            with self.subTest(text):
                path = self.put("groups.toml", text)
                said = self.fails(lambda: groups.load(path))
                self.assertTrue(said.startswith(f"{path}:{line}: " if line else f"{path}: "), said)
                self.assertIn(words, said)


class Abi(InFolder):
    """What programs go by."""

    READERS: dict[str, Callable[[Path], object]] = {"structs": shapes.load, "json": json_types.load, "functions": exports.load, "ids": ids.load}

    def test_what_is_wrong_is_told_with_its_line(self) -> None:
        for name, text, instead, words in abi.WRONG:
            with self.subTest(name, instead=instead):
                whole = (ROOT / "gen" / name).read_text(encoding="utf-8")
                self.assertIn(text, whole)
                path = self.put(name, whole.replace(text, instead, 1))
                said = self.fails(lambda: self.READERS[path.stem](path))
                self.assertRegex(said, rf"^{path}:\d+: ")
                self.assertIn(words, said)


    def test_one_that_is_cut(self) -> None:
        for name, read in self.READERS.items():
            whole = (ROOT / f"gen/abi/{name}.toml").read_text(encoding="utf-8").splitlines(keepends=True)
            for lines in (len(whole) * 2 // 3, len(whole) - 1, 6):
                with self.subTest(name, lines=lines):
                    path = self.put(f"{name}.toml", "".join(whole[:lines]))
                    self.assertIn(f"{path}:{lines}: is cut", self.fails(lambda: read(path)))
            path.unlink()
            self.assertIn(f"{path}: cannot read: No such file", self.fails(lambda: read(path)))


class Options(InFolder):
    """As a user gives them: status 2, one message, nothing written."""

    def test_nonsense_is_refused(self) -> None:
        self.put("empty/rdma/nothing.h", "")
        self.put("file", "")
        self.put("changes", "\n\n[zz]\na = 1\n")
        self.put("old/usr/include/infiniband/nothing.h", "")
        self.put("old/usr/lib/pkgconfig/libibverbs.pc", "Version: 1.8.25.0\n")
        before = contents(self.folder)
        for line, words in options.NONSENSE:
            with self.subTest(line):
                arguments = [word.replace("HERE", str(self.folder)) for word in line.split()]
                with mock.patch("gen.files.folder.write") as written:
                    status, out, said = gen(*arguments)
                self.assertEqual((status, out), (2, ""), said)
                self.assertIn(words, said)
                self.assertNotIn("Traceback", said)
                written.assert_not_called()
                self.assertEqual(contents(self.folder), before)


    def test_refreshing_writes_nothing_where_one_release_is_not_to_be_had(self) -> None:
        oldest = min(releases.RELEASES)

        def fetched(release: int, _: Path | None) -> Path:
            if release > oldest:
                raise GenError(f"{release} is not to be had")
            return self.folder

        of_oldest = headers.committed_of(oldest)
        with mock.patch.object(headers, "FACTS", self.folder), mock.patch.object(releases, "header_tree", fetched), \
                mock.patch.object(releases, "symbols", lambda *_: {}), mock.patch.object(headers, "read", lambda *_: of_oldest):
            status, _, said = gen("scan", "--refresh")
        self.assertEqual((status, list(self.folder.iterdir())), (2, []), said)

    def test_an_output_is_told_by_the_name_that_was_given(self) -> None:
        with failing("os.replace", 1, OSError(13, "Permission denied", f"{self.folder}/.out.s7k1x/1")):
            said = self.fails(lambda: folder.write({"a": "text"}, self.folder / "out"))
        self.assertTrue(said.startswith(f"{self.folder}/out: cannot write: Permission denied"), said)

    def test_a_machine_that_lacks_room(self) -> None:
        for error, words in ((OSError(24, "Too many open files", "/dev/null"), "/dev/null: Too many open files\n"),
                             (MemoryError(), "there is not enough memory\n")):
            with self.subTest(words), mock.patch.object(groups, "load", side_effect=error):
                self.assertEqual(gen("emit", "--headers", ROOT, "--output", self.folder / "out"), (2, "", words))


class CommandLine(OfProject):
    """As a user meets it, in a process of its own: in a copy of the project, of which one file is damaged."""

    # The file, what stands there instead of a text that it has, and what is said behind the file's name.
    DAMAGES = (
        ("gen/lore/verbs.toml", 'create = "ibv_alloc_pd"', 'create = "ibv_aloc_pd"', "pd: create: ibv_aloc_pd: no such function\n  did you mean ibv_alloc_pd?"),
        ("gen/lore/verbs.toml", '["parent", "length", "out"]', '["length", "parent", "out"]', "buf: ibv_alloc_buf: size is size_t, and the parent struct ibv_pd *\n  args has the words in the order"),
        ("gen/lore/verbs.toml", '["parent", "length", "out"]', '["parnt", "length", "out"]', "buf: ibv_alloc_buf: parnt: the call takes what the parent is here\n  did you mean parent?"),
        ("gen/lore/verbs.toml", "[object]", "[objects]", "[objects]: lore has no such table\n  did you mean object?"),
        ("gen/lore/verbs.toml", 'ibv_query_gid_ex = "query_gid"', 'ibv_query_gid_ex = "query_port"', "ibv_query_gid_ex: vx_ctx_query_port would be its method, and ibv_query_port has one of this name\n  [named] of lore"),
        ("gen/lore/verbs.toml", 'ibv_query_gid_ex = "query_gid"', 'ibv_query_gid_ex = "raw"', "ibv_query_gid_ex: vx_ctx_raw would be its method, and verbsx/"),
        ("gen/facts/rdma-core-44.json", '"release": 44', '"release": -44', "release: -44: must be from 1 to 999"),
        ("gen/facts/rdma-core-44.json", '"release": 44', '"release": 56', "release: 56: the name of the file says 44"),
        ("gen/groups.toml", "first = 61", "first = 66", "ionic_dv: first: facts of release 65 are of infiniband/ionic_dv.h\n  say in this group since when it is there: 65 or before"),
        ("gen/groups.toml", "libibverbs.so.1", "libibverbs", "verbs: library: 'libibverbs': must be the soname of a library"),
        ("gen/groups.toml", '"infiniband/mlx4dv.h"', '"infiniband/mlx4dvv.h"', "mlx4dv: infiniband/mlx4dvv.h: no facts are of this header\n  did you mean infiniband/mlx4dv.h?"),
        ("gen/groups.toml", '"infiniband/verbs_api.h", ', "", "verbs: lacks infiniband/verbs_api.h, which facts are of\n  make facts with: python3 -m gen scan --refresh"),
        ("gen/abi/ids.toml", "[enum]", "[enum", "not TOML"),
        ("gen/abi/functions.toml", "[since]", "since", "not TOML"),
        ("templates/src/enums.c.j2", "{% for", "{% fro", "Encountered unknown tag 'fro'"),
        ("runtime/include/verbsx/mr.h", "#include", "\xff#include", "not UTF-8 text: the byte 0xff"),
    )

    def test_one_damaged_file(self) -> None:
        of_name: Counter[str] = Counter()
        for name, text, instead, words in self.DAMAGES:
            of_name[name] += 1
            if not ALL and of_name[name] > 2:  # the messages themselves are what tests of lore, facts and groups try
                continue
            path = self.project / name
            whole = path.read_bytes()
            self.assertIn(text.encode(), whole)
            path.write_bytes(whole.replace(text.encode(), instead.encode("latin-1"), 1))
            with self.subTest(name, instead=instead):
                done = subprocess.run([sys.executable, "-m", "gen", "emit"], cwd=self.project, capture_output=True, text=True)
                self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
                line = whole[:whole.index(text.encode())].count(b"\n") + 1
                self.assertTrue(done.stderr.startswith(f"{path}:{line}: "), done.stderr)
                self.assertIn(words, done.stderr)
                self.assertNotIn("Traceback", done.stderr)
                self.assertFalse((self.project / "generated").exists())
            path.write_bytes(whole)

    def test_nobody_hears(self) -> None:
        """Standard output or that of errors is closed."""
        for closed, command, status in ((">&-", "diff 44 65", 12), ("2>&-", "diff 44 65", 12), (">&- 2>&-", "diff 45", 2),
                                        ("2>&-", "diff 44 999", 2), (">&-", "--help", 0)):
            with self.subTest(command, closed=closed):
                done = subprocess.run(["sh", "-c", f'"$0" -m gen {command} {closed}', sys.executable], cwd=ROOT, capture_output=True, text=True)
                self.assertEqual(done.returncode, status, done.stderr)
                self.assertEqual(done.stderr, "")

    def test_a_python_that_lacks_what_is_debians(self) -> None:
        """As one that is first in PATH may; whether another process reads the headers or this one does."""
        (self.project / "infiniband").mkdir()
        tree = ("--headers", ".", "--release", "65")
        for lacks, package, *command in (
            ("clang", "python3-clang", "scan", *tree), ("clang", "python3-clang", "emit", *tree, "--output", "out"), ("jinja2", "python3-jinja2", "check"),
            ("clang", "python3-clang", "report", "--headers", "gone"),
            *(([("clang", "python3-clang", "report", *tree), ("jinja2", "python3-jinja2", "emit"), ("clang", "python3-clang", "diff", "44", ".", "--release", "65")])
              if ALL else ()),
        ):
            with self.subTest(" ".join(command), lacks=lacks):
                start = f"import sys, runpy; sys.modules[{lacks!r}] = None; sys.argv[0] = 'gen'; runpy.run_module('gen', run_name='__main__')"
                done = subprocess.run([sys.executable, "-c", start, *command], cwd=self.project, capture_output=True, text=True)
                self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
                words = "gone: no such folder\n" if "gone" in command else f"{sys.executable}: no module {lacks} here; Debian's {package} has it"
                self.assertTrue(done.stderr.startswith(words), done.stderr)
                self.assertNotIn("Traceback", done.stderr)


if __name__ == "__main__":
    unittest.main()
