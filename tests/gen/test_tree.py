# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""What is expected of a tree, and planned before it is read, changes nothing of what comes of it."""

from __future__ import annotations

import re
import shutil
import unittest
from argparse import Namespace
from pathlib import Path
from unittest import mock

from gen.api.facts import Facts
from gen.command import planning
from gen.fast import aside
from gen.know import groups
from gen.paths import GROUPS
from gen.plan.documents.api import to_json
from gen.reach import headers, tree
from gen.write.render import render
from tests.gen.project import NEWEST, NEXT, RELEASES, ROOT, InFolder, copy_project, gen, header_tree, run_gen


def arguments(folder: Path, release: int) -> Namespace:
    return Namespace(headers=folder, installed=False, release=release, groups=GROUPS, symbols=[])


class Known(unittest.TestCase):
    def test_trees_of_committed_releases_are_what_is_expected(self) -> None:
        for release in RELEASES:
            with self.subTest(release):
                self.assertEqual(tree.read(header_tree(release), release, groups.load()), tree.expected(None, release))

    def test_nothing_is_expected_of_others(self) -> None:
        self.assertIsNone(tree.expected(None, 50))

    def test_what_follows_from_the_tree_itself_is_the_same(self) -> None:
        args, read = arguments(header_tree(44), 44), tree.read

        def told(*given: object) -> tree.Tree:
            there = read(*given)
            there.facts = headers.committed_of(44)
            return there

        by_facts = render(planning.build(args))
        with mock.patch.object(tree, "read", told):
            by_tree = render(planning.build(args))
        self.assertEqual(by_tree, by_facts)


class Changed(InFolder):
    """A tree that does not say what the facts of its release say."""

    def setUp(self) -> None:
        super().setUp()
        self.headers = Path(shutil.copytree(header_tree(44), self.folder / "include"))

    def edit(self, old: str, new: str) -> None:
        path = self.headers / "infiniband/verbs.h"
        text = path.read_text()
        self.assertIn(old, text)
        path.write_text(text.replace(old, new, 1))

    def api(self) -> str:
        return to_json(planning.build(arguments(self.headers, 44)))

    def read(self) -> Facts | None:
        return tree.read(self.headers, 44, groups.load()).facts

    def test_what_was_made_of_the_expected_tree_does_not_count(self) -> None:
        for cores, expected in ((1, [True]), (2, [False, True])):
            with self.subTest(cores=cores), mock.patch.object(aside, "_cores", lambda: cores):
                begun: list[bool] = []

                def use(planned: planning.Planned, _say: object) -> str:
                    begun.append("IBV_MTU_TINY" in planned.plan().enum_names)
                    return to_json(planned.plan())

                self.edit("enum ibv_mtu {", "enum ibv_mtu { IBV_MTU_TINY = 9,")
                self.assertIn("IBV_MTU_TINY", planning.begin(arguments(self.headers, 44), use))
                self.assertEqual(begun, expected)
                self.edit("IBV_MTU_TINY = 9,", "")

    def test_each_way_is_seen_and_all_are_in_what_comes_of_it(self) -> None:
        more, value, less = (("enum ibv_mtu {", "enum ibv_mtu { IBV_MTU_TINY = 9,"), ("IBV_MTU_256  = 1", "IBV_MTU_256  = 17"), ("int ibv_fork_init(void);", ""))
        path = self.headers / "infiniband/verbs.h"
        whole = path.read_text()
        for old, new in (more, value):
            with self.subTest(new):
                self.edit(old, new)
                self.assertIsNotNone(self.read())
                path.write_text(whole)
        self.edit(*less)
        self.assertNotEqual(tree.read(self.headers, 44, groups.load()), tree.expected(None, 44))
        self.assertNotIn('"ibv_fork_init"', self.api())
        for old, new in (more, value):
            self.edit(old, new)
        api = self.api()
        for words in ('"IBV_MTU_TINY", "value": 9', '"IBV_MTU_256", "value": 17', '"ibv_get_device_list"'):
            self.assertIn(words, api)
        self.assertNotIn('"ibv_fork_init"', api)


class Example(InFolder):
    """The vendor's tree of CONTRIBUTING.md: what it brings, what the report says of it, and the lore that settles all of that.

    Also where another release is newer, and lore tells of things which that has no more.
    """

    def blocks(self) -> dict[str, str]:
        """The blocks below the heading, each by its language."""
        text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
        chapter = text[text.index("### A vendor's tree"):].partition("\n## ")[0]
        return dict(re.findall(r"^```(\w+)\n(.*?)^```$", chapter, re.M | re.S))

    def patch(self, header: Path, changes: str) -> None:
        """Lines that a patch adds, each behind the ones before."""
        text, at = header.read_text(), 0
        for line in changes.splitlines(keepends=True):
            if line.startswith("+"):
                text, at = text[:at] + line[1:] + text[at:], at + len(line) - 1
            elif line.startswith(" "):
                self.assertEqual(text.count(line[1:]), 1, line)
                at = text.index(line[1:]) + len(line) - 1
        header.write_text(text)

    def test_it_goes_as_it_is_written(self) -> None:
        blocks, folder = self.blocks(), Path(shutil.copytree(header_tree(44), self.folder / "acme/include"))
        self.patch(folder / "infiniband/verbs.h", blocks["diff"])
        symbols = self.put("acme/libibverbs.map", blocks["text"])
        project, output = copy_project(self.folder / "project"), self.folder / "said"
        report = ("report", "--headers", folder, "--release", "44", "--symbols", symbols, "--output", output)
        run_gen(project, *report)
        self.assertEqual(output.read_text(), blocks["console"].partition("\n")[2])
        run_gen(project, *report, "--lore")
        written = [line for line in output.read_text().splitlines() if not re.search(r'^#|"(\.\.\.|\?)"', line)]
        self.assertEqual([line for line in written if line not in blocks["toml"].splitlines()], [])
        (project / "gen/lore/acme.toml").write_text(blocks["toml"])
        self.assertRegex(run_gen(project, *report), r"^0 to decide, ")
        self.assertEqual(output.read_text(), "")


class Moved(InFolder):
    def test_a_type_that_went_into_a_header_of_no_group_is_told_with_the_line_that_has_it_read(self) -> None:
        shutil.copytree(header_tree(NEWEST), self.folder, dirs_exist_ok=True)
        verbs = self.folder / "infiniband/verbs.h"
        text = verbs.read_text()
        ece = re.search(r"struct ibv_ece \{.*?\n\};\n", text, re.DOTALL)
        assert ece
        self.put("infiniband/ece.h", f"#include <stdint.h>\n/* struct ibv_ece {{ */\n{ece[0]}")
        verbs.write_text(text.replace(ece[0], "").replace("#include <infiniband/verbs_api.h>", "#include <infiniband/verbs_api.h>\n#include <infiniband/ece.h>"))
        for command in ("report", "scan"):
            for release in (NEWEST, NEXT):
                status, _, said = gen(command, "--headers", self.folder, "--release", release)
                self.assertEqual(status, 2)
                self.assertIn(f"{self.folder}/infiniband/ece.h:3: ibv_ece is here now, and was in infiniband/verbs.h: this header is of no group", said)
                self.assertIn(f'infiniband/tm_types.h", "infiniband/ece.h"], and in newer "infiniband/ece.h" = {release}\n', said)


if __name__ == "__main__":
    unittest.main()
