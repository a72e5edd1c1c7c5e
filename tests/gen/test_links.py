# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""Links that lead nowhere, as arguments of commands."""

from __future__ import annotations

import unittest

from tests.gen.project import ROOT, InFolder, gen


class Loops(InFolder):
    """A link that leads to itself, where a folder is meant: told as one that is not there, or cannot be written."""

    def test_each_command_tells_of_it(self) -> None:
        loop = self.folder / "loop"
        loop.symlink_to(loop.name)
        for arguments in (("emit", "--code", "--output", loop), ("emit", "--output", loop), ("emit", "--code", "--output", loop / "below"), ("emit", "--headers", loop, "--output", self.folder / "out"),
                          ("emit", "--groups", loop), ("scan", "--headers", loop, "--release", "66"), ("report", "--headers", loop, "--release", "66"), ("diff", loop, "65")):
            with self.subTest(arguments):
                status, _, err = gen(*arguments)
                self.assertEqual(status, 2)
                self.assertIn(f"{loop}", err)

    def test_nothing_else_follows_links(self) -> None:
        """Path.resolve() raises there what nobody expects."""
        for path in (ROOT / "gen").rglob("*.py"):
            with self.subTest(path):
                self.assertNotRegex(path.read_text(), r"\.resolve\((?!\) has)")


if __name__ == "__main__":
    unittest.main()
