# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""Changes of all classes, at random: what differs is told, and nothing else is."""

from __future__ import annotations

import tempfile
import unittest
from pathlib import Path
from random import Random

from gen.diff import diff, expected
from gen.diff.changes import Change
from gen.know import groups
from gen.reach import headers
from tests.gen.mutations.classes import CLASSES, apply
from tests.gen.mutations.tree import Tree
from tests.gen.mutations.trial import ANYTHING_ELSE
from tests.gen.project import ALL, NEWEST, NEXT

TRIALS = len(CLASSES) if ALL else 6
# What it means to callers, of changes that are not by themselves new or gone.
VERDICTS = {
    "two fields change places": "unsafe", "the sign of a field changes": "unsafe", "a function of the library becomes inline": "recompile",
    "what a macro is replaced by changes": "recompile", "an inline call becomes one of the library": "safe",
    "a prototype changes: const added": "safe", "a prototype changes: a parameter wider": "unsafe", "a macro's value changes: RAI_PASSIVE": "unsafe",
    "a structure is packed": "recompile", "a structure is aligned to 16": "recompile", "deprecated by its header: a call": "recompile",
    "deprecated by its header: an enumerator": "recompile", "a result that must be looked at": "recompile",
    "an enum that lore has the age of moves to the kernel's header, and macros keep its names": "safe", "a structure is renamed, and a macro keeps its name": "safe",
    "an enum is renamed, and a macro keeps its name": "safe", "a field is renamed, and a macro keeps its name": "safe",
}


class Exactly(unittest.TestCase):
    def differs(self, sentence: str, folder: Path) -> tuple[set[str], list[Change]]:
        """What is to be told of a change, and what is."""
        tree = Tree(folder / "headers")
        wanted = apply(tree, [sentence], Random(1)).changes
        committed = {f.release: f for f in headers.committed()}
        found = diff.diff(committed[NEWEST], headers.read(tree.root, NEXT, groups.load(), known=headers.known_symbols))
        return set(wanted), found.changes

    def check(self, sentence: str) -> list[Change]:
        with self.subTest(sentence), tempfile.TemporaryDirectory() as folder:
            wanted, found = self.differs(sentence, Path(folder))
            told = {expected.line(change) for change in found}
            self.assertLessEqual(wanted - {ANYTHING_ELSE}, told)
            if ANYTHING_ELSE not in wanted:
                self.assertEqual(told, wanted)
            return found
        return []

    def test_what_changed_and_nothing_else(self) -> None:
        for sentence in Random(NEWEST).sample(sorted(CLASSES), TRIALS):
            self.check(sentence)

    def test_what_it_means_to_callers(self) -> None:
        for sentence, verdict in VERDICTS.items():
            for change in self.check(sentence):
                with self.subTest(sentence):
                    self.assertEqual(change.verdict, verdict, change)


if __name__ == "__main__":
    unittest.main()
