# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""What lore says a transition needs, beside the tables of ibv_modify_qp(3) as each release of rdma-core prints them."""

from __future__ import annotations

import gzip
import re
import unittest

from gen.api import facts, merge
from gen.know import groups, lore
from gen.reach import headers, releases
from tests.gen.project import header_tree

TYPE, BIT = "IBV_QPT_", "IBV_QP_"
Table = dict[tuple[str, str], set[str]]  # (type, next state) -> what is needed

PAGE = "share/man/man3/ibv_modify_qp.3.gz"
BEFORE = {"INIT": "RESET", "RTR": "INIT", "RTS": "RTR"}  # the tables have the way from RESET to RTS
HEADING = re.compile(rf"For QP Transport Service Type \s*{TYPE}(\w+)")
ROW = re.compile(rf"^(Init|RTR|RTS)\s+(?={BIT})", re.MULTILINE)


def tables(page: str) -> Table:
    """The tables of a page: after each heading its rows, each with names up to the next one."""
    found: Table = {}
    _, *parts = HEADING.split(re.sub(r"\\f.", "", page))
    for name, part in zip(parts[::2], parts[1::2]):
        _, *rows = ROW.split(part)
        for state, row in zip(rows[::2], rows[1::2]):
            found[name, state.upper()] = set(re.findall(rf"{BIT}(\w+)", row)) - {"STATE"}
    return found


class Transitions(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        api = merge.merge([facts.load(path) for path in headers.committed_paths().values()], [g.name for g in groups.load()])
        cls.lore = lore.load(api).reasons.transition

    def needed(self, name: str, state: str) -> set[str]:
        rows = self.lore[f"{BEFORE[state]} -> {state}"]
        return next(set(masks[0]) for types, masks in rows.items() if name in types.split())

    def check(self, found: Table) -> None:
        for (name, state), needed in found.items():
            with self.subTest(type=name, state=state):
                self.assertEqual(self.needed(name, state), needed)

    def test_what_the_man_page_of_each_release_needs_is_needed(self) -> None:
        for release in releases.RELEASES:  # a release that was taken in by its headers brings no pages
            found = tables(gzip.decompress((header_tree(release).parent / PAGE).read_bytes()).decode())
            self.assertEqual({name for name, _ in found}, {"UD", "UC", "RC", "RAW_PACKET"}, release)
            self.assertEqual(len(found), 4 * len(BEFORE), release)
            self.check(found)


if __name__ == "__main__":
    unittest.main()
