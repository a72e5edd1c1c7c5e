# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""What a release of rdma-core could add, change or take away, forty changes at once: a sample of what gen.mutations_long tries."""

from __future__ import annotations

import tempfile
import unittest
from pathlib import Path
from random import Random

from tests.gen.mutations.classes import ALONE, CLASSES
from tests.gen.mutations.trial import Trial

AT_ONCE = 40


class Mutations(unittest.TestCase):
    def test_forty_at_once(self) -> None:
        several = [s for s in CLASSES if s not in ALONE]
        self.assertGreater(len(several), 370)
        sentences = Random(1).sample(several, AT_ONCE)
        with self.subTest(sentences), tempfile.TemporaryDirectory() as folder:
            self.assertEqual(Trial(sentences, 1, Path(folder), all_sources=False).run(), [])


if __name__ == "__main__":
    unittest.main()
