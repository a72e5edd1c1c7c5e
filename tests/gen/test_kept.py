# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""What is kept from one run of the generator to the next never changes what comes of it."""

from __future__ import annotations

import ast
import os
import shutil
import subprocess
import sys
import time
from argparse import Namespace
from collections.abc import Iterable
from pathlib import Path
from unittest import mock

from gen.api import own
from gen.command import planning
from gen.fast import kept
from gen.know import groups
from gen.reach import known
from gen.scan import comments
from gen.write import templating
from tests.gen.project import NEWEST, ROOT, InFolder, OwnCache, gen, header_tree


class Kept(OwnCache):
    def setUp(self) -> None:
        super().setUp()
        self.made = 0

    def ask(self, content: bytes, name: str = "thing") -> object:
        def make() -> list[bytes]:
            self.made += 1
            return [content]

        return kept.kept(name, [content], make)

    def test_is_made_once(self) -> None:
        self.assertEqual([self.ask(b"a"), self.ask(b"a"), self.made], [[b"a"], [b"a"], 1])

    def test_is_made_anew_of_other_bytes(self) -> None:
        self.assertEqual([self.ask(b"a"), self.ask(b"b"), self.ask(b"a")], [[b"a"], [b"b"], [b"a"]])

    def test_is_made_anew_by_another_interpreter(self) -> None:
        self.ask(b"a")
        with mock.patch.object(sys, "version", "4.0"):
            self.ask(b"a")
        self.assertEqual(self.made, 2)

    def test_is_made_anew_by_other_code(self) -> None:
        for text in ("x = 1\n", "x = 2\n", "x = 2\n"):
            self.put("maker.py", text)
            with mock.patch.object(kept, "GEN", self.folder):
                kept.kept("thing", [], lambda: self.ask(text.encode(), "other"), ["maker"])
        self.assertEqual(self.made, 2)

    def test_what_is_damaged_is_made_anew(self) -> None:
        self.ask(b"a")
        file = Path(kept.folder()) / "thing"
        whole = file.read_bytes()
        damaged = [whole[:-1], whole[:40], b"", b"foreign", whole[:-3] + b"\0" + whole[-2:], bytes(len(whole))]
        for count, data in enumerate(damaged, 2):
            with self.subTest(count):
                file.write_bytes(data)
                self.assertEqual([self.ask(b"a"), self.made], [[b"a"], count])
                self.assertEqual(file.read_bytes(), whole)

    def test_a_folder_in_the_way_does_no_harm(self) -> None:
        (Path(kept.folder()) / "thing").mkdir()
        self.assertEqual([self.ask(b"a"), self.ask(b"a"), self.made], [[b"a"], [b"a"], 2])

    def test_parts_are_not_taken_for_others_of_the_same_bytes(self) -> None:
        first = kept.kept("thing", [b"ab", b"c"], lambda: 1)
        second = kept.kept("thing", [b"a", b"bc"], lambda: 2)
        self.assertEqual([first, second], [1, 2])

    def test_a_file_is_there_as_a_whole_or_not_at_all(self) -> None:
        """Who reads while another writes sees what was there before."""
        self.ask(b"a")
        seen = []
        replace = os.replace

        def look(source: object, target: object) -> None:
            seen.append(self.ask_nobody(b"a"))
            replace(source, target)

        with mock.patch("os.replace", look):
            self.ask(b"b")
        self.assertEqual(seen, [[b"a"]])
        self.assertEqual(sorted(os.listdir(kept.folder())), ["of", "thing"])

    def test_what_is_lent_to_a_copy_stays_as_it_is(self) -> None:
        """By a hard link (tests/gen/lent.py): neither end writes into what the other has."""
        for writer, other in (("thing", "lent"), ("lent", "thing")):
            with self.subTest(writer):
                self.ask(b"a", writer)
                place = Path(kept.folder())
                (place / other).unlink(missing_ok=True)
                os.link(place / writer, place / other)
                whole = (place / other).read_bytes()
                self.ask(b"b", writer)
                self.assertEqual((place / other).read_bytes(), whole)
                self.assertNotEqual((place / writer).read_bytes(), whole)

    def ask_nobody(self, content: bytes) -> object:
        """What is kept, or a failure."""
        return kept.kept("thing", [content], lambda: self.fail("is not kept"))

    def test_a_folder_that_others_may_write_to_is_not_trusted(self) -> None:
        self.ask(b"a")
        mine = Path(kept.folder())
        for place in (mine, mine.parent, mine.parent.parent):
            with self.subTest(place):
                place.chmod(0o777)
                kept.folder.cache_clear()
                self.assertIsNone(kept.folder())
                place.chmod(0o700)
        self.assertEqual([self.ask(b"a"), self.made], [[b"a"], 2])

    def test_without_a_folder_all_is_made(self) -> None:
        (self.folder / "cache").write_text("in the way")
        self.assertIsNone(kept.folder())
        self.assertEqual([self.ask(b"a"), self.ask(b"a"), self.made], [[b"a"], [b"a"], 2])


class Growing(OwnCache):
    def of_checkout(self, name: str) -> None:
        """A checkout keeps something."""
        (self.folder / name).mkdir(exist_ok=True)
        with mock.patch.object(kept, "GEN", self.folder / name):
            kept.folder.cache_clear()
            kept.write("thing", bytes(kept.DIGEST), b"")

    def checkouts(self) -> list[str]:
        """Those that things are kept of."""
        return sorted(os.path.basename(link.readlink()) for link in (self.folder / "cache/verbsx/gen").glob("*/of"))

    def test_each_checkout_has_its_own(self) -> None:
        self.of_checkout("one")
        self.of_checkout("two")
        self.assertEqual(self.checkouts(), ["one", "two"])

    def test_what_is_kept_of_a_checkout_that_is_gone_goes_with_the_next(self) -> None:
        self.of_checkout("one")
        (self.folder / "one").rmdir()
        self.of_checkout("two")
        self.assertEqual(self.checkouts(), ["two"])

    def test_what_no_run_writes_any_more_goes(self) -> None:
        kept.write("older", bytes(kept.DIGEST), b"")
        kept.write("newer", bytes(kept.DIGEST), b"")
        os.utime(Path(kept.folder()) / "older", (0, time.time() - kept.LONG_AGO - 1))
        kept.write("thing", bytes(kept.DIGEST), b"")
        self.assertEqual(sorted(os.listdir(kept.folder())), ["newer", "of", "thing"])


def needed(module: str) -> set[str]:
    """A module of the generator, by its path, and all that it imports, directly or not."""
    seen, left = set[str](), {module}
    while left:
        seen |= left
        left = {name for path in left for name in imports(path)} - seen
    return seen


def imports(path: str) -> set[str]:
    """The modules that one imports, for the sake of types, too."""
    found = set[str]()
    for node in ast.walk(ast.parse(Path(kept.GEN, f"{path}.py").read_bytes())):
        if isinstance(node, ast.ImportFrom) and node.level:
            folder = "/".join([*path.split("/")[:-node.level], *(node.module or "").split(".")]).strip("/")
            is_module = Path(kept.GEN, f"{folder}.py").exists()
            found |= {folder} if is_module else {f"{folder}/{name.name}".strip("/") for name in node.names}
    return found


def uncovered(code: Iterable[str], module: str) -> set[str]:
    """What a module needs that is neither of these modules nor in one of these rooms."""
    return {path for path in needed(module) if path not in code and path.split("/")[0] not in code}


class Code(InFolder):
    def test_what_is_read_is_kept_by_all_modules_that_read_it(self) -> None:
        for code, module in ((comments.CODE, "scan/comments"), (known.CODE, "reach/known"), (own.CODE, "api/own")):
            with self.subTest(module):
                self.assertEqual(uncovered(code, module), set())
                self.assertEqual(set(code) - {part for path in needed(module) for part in (path, path.split("/")[0])}, set())

    def test_templates_are_kept_by_all_modules_that_compile_them(self) -> None:
        store = {"fast/compiled", "fast/kept", "fast/sources", "errors"}
        self.assertEqual(sorted(templating.CODE), sorted(needed("write/templating") - store))

    def test_of_a_room_is_all_that_it_has(self) -> None:
        """Also what came to be there later."""
        for text in ("x = 1\n", "x = 2\n"):
            self.put("room/one.py", "")
            self.put("room/two.py", text)
            with mock.patch.object(kept, "GEN", self.folder):
                self.assertEqual(kept.of_code(["room", "room/two"]), [b"", text.encode(), text.encode()])


# Prints the files that are opened by who plans all, and for one tree, without anything that is kept.
OPENED = """
import sys
from argparse import Namespace
from gen.api import merge
from gen.api.facts import Named
from gen.command import planning
from gen.know import groups
from gen.reach import headers, tree
opened = set()
found = groups.load(groups.GROUPS)
sys.addaudithook(lambda event, given: opened.add(str(given[0])) if event == "open" else None)
planning._plan_whole(Namespace(headers=None, installed=False, release=None, groups=groups.GROUPS), found)
release = max(headers.committed_paths())
planning._plan_known_tree(tree.expected(None, release), found, tree.groups_of(found, None, release))
facts = headers.committed_of(release)
facts.groups["verbs"].variables["ibv_new"] = Named("ibv_new", "infiniband/verbs.h", "int")
other = tree.Tree(release, merge.Names.of(facts), facts)
whole = []
planning._say_of_unknown(planning._plan_tree(other, found, tree.groups_of(found, None, release), False, whole), other, whole)
print(*opened, sep="\\n")
"""


class Plans(OwnCache):
    def test_are_kept_by_all_files_that_they_are_made_of(self) -> None:
        out = subprocess.run([sys.executable, "-c", OPENED], cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True).stdout
        opened = {Path(line) for line in out.splitlines() if line.startswith(f"{ROOT}/") and "__pycache__" not in line}
        self.assertGreater(len(opened), 20)
        parts = set(planning.plan_parts(groups.load(groups.GROUPS)))
        opened.remove(groups.GROUPS)  # of which they know what it says
        self.assertEqual([], sorted(str(path) for path in opened if path.read_bytes() not in parts))

    def test_are_kept_of_a_tree_that_no_facts_are_of(self) -> None:
        """With what is said of it: planned anew is what has something else, or is known to export something else."""
        headers, symbols = Path(shutil.copytree(header_tree(NEWEST), self.folder / "include")), self.put("libibverbs.map", "A { global: ibv_new; };\n")
        verbs = headers / "infiniband/verbs.h"
        text = verbs.read_text().replace("int ibv_fork_init(void);", "int ibv_fork_init(void);\nint ibv_new(struct ibv_context *context, int level);")

        def said(*more: object) -> str:
            status, out, of_run = gen("report", "--headers", headers, "--release", NEWEST, *more)
            self.assertEqual(status, 0, of_run)
            return out

        verbs.write_text(text)
        with mock.patch.object(planning, "_plan_tree", wraps=planning._plan_tree) as plan:
            first = said()
            self.assertIn("ibv_new", first)
            plan.reset_mock()
            self.assertEqual(said(), first)
            self.assertEqual(plan.call_count, 0)
            of_other = said("--symbols", symbols)
            self.assertNotEqual(of_other, first)
            self.assertGreater(plan.call_count, 0)
            plan.reset_mock()
            verbs.write_text(f"\n{text}")  # is said of other lines
            self.assertNotIn(said("--symbols", symbols), (first, of_other))
            self.assertEqual(plan.call_count, 0)
            verbs.write_text(text.replace("int level", "long level"))
            said("--symbols", symbols)
            self.assertGreater(plan.call_count, 0)

    def test_are_kept_by_the_groups_and_by_what_a_tree_has(self) -> None:
        made = []

        def ask(what: str, found: list[groups.HeaderGroup]) -> None:
            def make() -> Namespace:
                made.append(what)
                return Namespace(asserted={}, describe=Namespace(packed=[]), objects=Namespace(vendors=[]), remarks=[])

            planning._kept("some", what, found, make).finish()

        two = [groups.HeaderGroup("a", ["a.h"], "liba.so.1"), groups.HeaderGroup("b", ["b.h"], "libb.so.1")]
        for what, found in (("x", two), ("x", two), ("y", two), ("y", two[:1]), ("y", two[:1])):
            ask(what, found)
        self.assertEqual(made, ["x", "y", "y"])


if __name__ == "__main__":
    import unittest

    unittest.main()
