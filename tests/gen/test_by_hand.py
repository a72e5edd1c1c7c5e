# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""What documents and builds say by hand of releases and vendors is of all that there are."""

from __future__ import annotations

import unittest

from gen.reach import headers
from tests.gen import by_hand
from tests.gen.project import ROOT, InFolder


class ByHand(InFolder):
    def test_is_of_all_that_there_are(self) -> None:
        self.assertEqual([*by_hand.stale(ROOT, by_hand.vendors(), [*headers.committed_paths()])], [])

    def test_a_new_vendor_is_lacking_where_most_others_are_named(self) -> None:
        lacking = [line.partition(":")[0] for line in by_hand.stale(ROOT, [*by_hand.vendors(), "acme"], [*headers.committed_paths()])]
        self.assertEqual(sorted({*lacking}), ["CONTRIBUTING.md", "README.md", "cmake/VerbsxRdmaCore.cmake", "docs/guide.md", "examples/vx/verbsx.1", "tests/unit/CMakeLists.txt"])

    def test_a_place_is_a_paragraph_or_a_row(self) -> None:
        self.put("README.md", "One, two and\nTHREE_LIB.\n\n`one.h`, libtwo: stone three\n| one two |\n| two |\nNone.\n")
        self.assertEqual([*by_hand.stale(self.folder, ["one", "two", "three"], [33, 66])], ["README.md:5: lacks three, and names other vendors"])

    def test_the_releases_are_the_oldest_and_the_newest(self) -> None:
        self.put("docs/guide.md", "\nFor rdma-core 33 to 65, or rdma-core 33 to 66.\n")
        self.assertEqual([*by_hand.stale(self.folder, [], [66, 33, 65])], ["docs/guide.md:2: rdma-core 33 to 65 is rdma-core 33 to 66 now"])


if __name__ == "__main__":
    unittest.main()
