# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""Flags of ours that stand beside flags of rdma-core share no bits with them, in any release: one in the wrong field is noticed."""

from __future__ import annotations

import re
import unittest

from gen.api import own
from gen.reach import headers

FLAG = re.compile(r"\b(VX_MR_\w+) = 1 << (\d+)")


class Flags(unittest.TestCase):
    def test_those_of_a_region_are_no_rights(self) -> None:
        flags = {name: 1 << int(bit) for name, bit in FLAG.findall((own.HEADERS / "mr.h").read_text())}
        self.assertGreater(len(flags), 5)
        self.assertEqual(len(set(flags.values())), len(flags))
        for facts in headers.committed():
            rights = facts.groups["verbs"].enums["ibv_access_flags"].values
            self.assertGreater(len(rights), 5)
            self.assertEqual([(f, r.name) for f, bit in flags.items() for r in rights if bit & r.value], [])


if __name__ == "__main__":
    unittest.main()
