# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""What symbols tell of functions, and what is said and done where they do not tell."""

from __future__ import annotations

import re
import tempfile
import unittest
from pathlib import Path

from tests.gen.project import RELEASES, copy_project, header_tree, run_gen

NEWEST = RELEASES[-1]
INTRODUCED = re.compile(r'"introduced": \d+, ')


class Ages(unittest.TestCase):
    """Releases that lie in git have version scripts, which do not tell since when a function is there."""

    def setUp(self) -> None:
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.project = copy_project(self.folder / "project")
        self.facts = self.project / f"gen/facts/rdma-core-{NEWEST}.json"

    def test_a_release_whose_symbols_do_not_tell_is_taken_in(self) -> None:
        text = INTRODUCED.sub("", self.facts.read_text()).replace(f'"release": {NEWEST}', f'"release": {NEWEST + 1}')
        self.facts.with_name(f"rdma-core-{NEWEST + 1}.json").write_text(text)
        run_gen(self.project, "emit", "--code", "--output", self.folder / "out")

    def test_lore_may_know_a_release_between_those_of_facts(self) -> None:
        self.facts.unlink()
        run_gen(self.project, "emit", "--code", "--headers", header_tree(NEWEST), "--release", NEWEST, "--output", self.folder / "out")


if __name__ == "__main__":
    unittest.main()
