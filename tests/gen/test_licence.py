# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""Every file begins with the licence, and the licences are there."""

from __future__ import annotations

import os
import re
import unittest
from collections.abc import Iterator
from pathlib import Path

from tests.gen.project import ROOT

EXPRESSION = "GPL-2.0-only OR Linux-OpenIB"
LINE = f"SPDX-License-Identifier: {EXPRESSION}"
# Data, in which there is no room for it.
WITHOUT = re.compile(r".*\.json|LICENSES/.*|.*/golden/.*\.txt|tests/consumers/names\.txt|tests/fuzz/seeds/.*|.*\.pyc")


def files() -> Iterator[Path]:
    """What is kept in the project: neither hidden nor built."""
    for folder, folders, names in os.walk(ROOT):
        folders[:] = [f for f in folders if f not in (".git", ".cache", "__pycache__") and not
                      (Path(folder) == ROOT and f.startswith("build"))]
        yield from (Path(folder, name) for name in names if name != ".git")


def has_licence(path: Path) -> bool:
    with path.open(encoding="utf-8", errors="replace") as file:
        return any(LINE in line for line, _ in zip(file, range(4)))


class Licence(unittest.TestCase):
    def test_is_in_the_first_lines_of_each_file(self) -> None:
        found = {path.relative_to(ROOT).as_posix(): path for path in files()}
        wanted = [name for name in found if not WITHOUT.fullmatch(name)]
        self.assertGreater(len(wanted), 500)
        self.assertEqual([name for name in wanted if not has_licence(found[name])], [])

    def test_both_are_there_in_full(self) -> None:
        names = {path.stem for path in (ROOT / "LICENSES").iterdir()}
        self.assertEqual(names, set(EXPRESSION.split(" OR ")))
        for name in names:
            self.assertIn(f"LICENSES/{name}.txt", (ROOT / "LICENSE").read_text())


if __name__ == "__main__":
    unittest.main()
