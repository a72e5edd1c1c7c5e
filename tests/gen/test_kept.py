# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""What is kept from one run of the generator to the next never changes what comes of it."""

from __future__ import annotations

import os
from unittest import mock

from gen import kept
from tests.gen.project import InFolder


class Kept(InFolder):
    def setUp(self) -> None:
        super().setUp()
        self.made = 0
        patched = mock.patch.dict(os.environ, {"XDG_CACHE_HOME": str(self.folder / "cache")})
        patched.start()
        self.addCleanup(patched.stop)
        kept.folder.cache_clear()
        self.addCleanup(kept.folder.cache_clear)

    def ask(self, content: bytes, name: str = "thing") -> object:
        def make() -> list[bytes]:
            self.made += 1
            return [content]

        return kept.kept(name, [content], make)

    def test_is_made_once(self) -> None:
        self.assertEqual([self.ask(b"a"), self.ask(b"a"), self.made], [[b"a"], [b"a"], 1])

    def test_is_made_anew_of_other_bytes(self) -> None:
        self.assertEqual([self.ask(b"a"), self.ask(b"b"), self.ask(b"a")], [[b"a"], [b"b"], [b"a"]])

    def test_what_is_damaged_is_made_anew(self) -> None:
        self.ask(b"a")
        for file in kept.folder().iterdir():
            file.write_bytes(file.read_bytes()[:-1])
        self.assertEqual([self.ask(b"a"), self.made], [[b"a"], 2])

    def test_parts_are_not_taken_for_others_of_the_same_bytes(self) -> None:
        first = kept.kept("thing", [b"ab", b"c"], lambda: 1)
        second = kept.kept("thing", [b"a", b"bc"], lambda: 2)
        self.assertEqual([first, second], [1, 2])

    def test_a_folder_that_others_may_write_to_is_not_trusted(self) -> None:
        self.ask(b"a")
        kept.folder().chmod(0o777)
        kept.folder.cache_clear()
        self.assertIsNone(kept.folder())
        self.assertEqual([self.ask(b"a"), self.made], [[b"a"], 2])

    def test_without_a_folder_all_is_made(self) -> None:
        (self.folder / "cache").write_text("in the way")
        self.assertIsNone(kept.folder())
        self.assertEqual([self.ask(b"a"), self.ask(b"a"), self.made], [[b"a"], [b"a"], 2])


if __name__ == "__main__":
    import unittest

    unittest.main()
