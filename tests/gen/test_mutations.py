# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""Functions that a release of rdma-core could add, change or take away, ten at once."""

from __future__ import annotations

import tempfile
import unittest
from pathlib import Path
from random import Random

from tests.gen.mutations.classes import CLASSES
from tests.gen.mutations.trial import Trial

# All of these hold; what else tests/gen/mutations has, python3 -m tests.gen.mutations tries.
BEGINNINGS = ("a parameter", "parameters", "one parameter", "a method", "a call", "a prototype", "an inline call")
TOLD_NOWHERE = ("a call that no library has", "a call that creates what nothing destroys")
TRIALS, AT_ONCE = 4, 10


class Functions(unittest.TestCase):
    def test_ten_at_once(self) -> None:
        held = [s for s in CLASSES if s.startswith(BEGINNINGS) and not s.startswith(TOLD_NOWHERE)]
        self.assertGreater(len(held), 100)
        order = Random(1).sample(held, TRIALS * AT_ONCE)
        for n in range(TRIALS):
            sentences = order[n * AT_ONCE:(n + 1) * AT_ONCE]
            with self.subTest(sentences), tempfile.TemporaryDirectory() as folder:
                self.assertEqual(Trial(sentences, n, Path(folder)).run(), [])


if __name__ == "__main__":
    unittest.main()
