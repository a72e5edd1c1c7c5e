# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""What is expected of a tree, and planned before it is read, changes nothing of what comes of it."""

from __future__ import annotations

import json
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
from tests.gen.project import RELEASES, InFolder, copy_project, header_tree, run_gen


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

    def test_lore_of_the_report_settles_what_a_tree_alone_has(self) -> None:
        """Also where another release is newer, and lore tells of things which that has no more."""
        self.edit("\tIBV_WC_TM_RNDV_INCOMPLETE,", "\tIBV_WC_TM_RNDV_INCOMPLETE,\n\tIBV_WC_FROB_ERR,")
        self.edit("int ibv_fork_init(void);", """int ibv_fork_init(void);
            struct ibv_paced { struct ibv_context *context; uint32_t frob_flags; };
            struct ibv_paced *ibv_create_paced(struct ibv_context *context, uint32_t rate);
            int ibv_destroy_paced(struct ibv_paced *paced);""")
        project, said = copy_project(self.folder / "project"), self.folder / "report.json"
        lore, tree = project / "gen/lore/new.toml", ("--headers", self.headers, "--release", "44")
        run_gen(project, "report", *tree, "--lore", "--output", lore)
        text = lore.read_text()
        for word in ('IBV_WC_FROB_ERR = ', 'paced = {', '"ibv_paced.frob_flags" = '):
            self.assertIn(word, text)
        lore.write_text(text.replace('"..."', '"What a person says."').replace('"?"', '"what a person says"'))
        run_gen(project, "report", *tree, "--json", "--output", said)
        self.assertEqual([r["what"] for r in json.loads(said.read_text()) if "give --symbols FILE" not in r["what"]], [])


if __name__ == "__main__":
    unittest.main()
