# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""What a release of rdma-core could add, change or take away, many changes at once: a sample of what gen.mutations_long tries."""

from __future__ import annotations

import tempfile
import unittest
from pathlib import Path
from random import Random

from tests.gen.mutations.classes import ALONE, CLASSES
from tests.gen.mutations.tree import NEWEST
from tests.gen.mutations.trial import Trial
from tests.gen.project import RELEASES

TRIALS, AT_ONCE = 2, 20


class Mutations(unittest.TestCase):
    def test_twenty_at_once(self) -> None:
        several = [s for s in CLASSES if s not in ALONE]
        self.assertGreater(len(several), 370)
        order = Random(1).sample(several, TRIALS * AT_ONCE)
        for n in range(TRIALS):
            sentences = order[n * AT_ONCE:(n + 1) * AT_ONCE]
            with self.subTest(sentences), tempfile.TemporaryDirectory() as folder:
                self.assertEqual(Trial(sentences, n, Path(folder), (RELEASES[0] if n % 2 else NEWEST,)).run(), [])


if __name__ == "__main__":
    unittest.main()
