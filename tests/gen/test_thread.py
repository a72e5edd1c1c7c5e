# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""Work of C libraries that goes on while Python does: what comes of it, and that it is over when it is said to be."""

from __future__ import annotations

import os
import time
import unittest
from unittest import mock

from gen.errors import GenError
from gen.fast import aside, kept, library, thread
from tests.gen.project import InFolder, OwnCache


class Beside(InFolder):
    def test_both_are_done_and_the_work_tells_its_result(self) -> None:
        done: list[str] = []
        self.assertEqual(thread.beside(lambda: 7, lambda: done.append("meanwhile")), 7)
        self.assertEqual(done, ["meanwhile"])

    def test_they_go_on_at_the_same_time(self) -> None:
        """Each waits for the other."""
        ours, theirs = os.pipe()
        back, forth = os.pipe()
        for file in (ours, theirs, back, forth):
            self.addCleanup(os.close, file)

        def work() -> bytes:
            os.write(forth, b"x")
            return os.read(ours, 1)

        def meanwhile() -> None:
            os.read(back, 1)
            os.write(theirs, b"y")

        self.assertEqual(thread.beside(work, meanwhile), b"y")

    def test_what_stops_the_work_stops_who_waits_for_it(self) -> None:
        def work() -> None:
            raise GenError("wrong", file="a.h", line=3)

        self.assertEqual(self.fails(lambda: thread.beside(work, lambda: None)), "a.h:3: wrong")

    def test_nothing_goes_on_behind_what_fails_meanwhile(self) -> None:
        done: list[int] = []

        def meanwhile() -> None:
            raise GenError("wrong")

        self.assertEqual(self.fails(lambda: thread.beside(lambda: (time.sleep(0.05), done.append(1)), meanwhile)), "wrong")
        self.assertEqual(done, [1])


class Library(OwnCache):
    """With a library that is loaded anyway, as that of a package."""

    PACKAGE, NAME = "clang", "libc.so.6"

    def setUp(self) -> None:
        super().setUp()
        self.enterContext(mock.patch.dict(library._begun, clear=True))

    def test_its_name_is_asked_for_once(self) -> None:
        library.begin_that_of(self.PACKAGE)
        self.assertEqual(library._begun, {})
        library.tell(self.PACKAGE, lambda: self.NAME)
        library.wait()
        library._begun.clear()
        library.begin_that_of(self.PACKAGE)
        library.tell(self.PACKAGE, lambda: self.fail("who was told asks again"))
        library.wait()

    def test_one_that_is_not_there_is_waited_for_as_others_are(self) -> None:
        library.tell(self.PACKAGE, lambda: "libnowhere.so.9")
        library.wait()

    def test_another_package_is_asked(self) -> None:
        library.tell(self.PACKAGE, lambda: self.NAME)
        library.wait()
        library._begun.clear()
        with mock.patch.object(library, "_key", lambda _: kept.digest([b"as another version of the package has it"])):
            library.begin_that_of(self.PACKAGE)
        self.assertEqual(library._begun, {})

    def test_no_process_is_made_while_it_is_being_loaded(self) -> None:
        waited: list[int] = []
        with (mock.patch.object(aside, "_cores", lambda: 2), mock.patch.object(library, "wait", lambda: waited.append(1)),
              aside.Aside(lambda: 7) as other):
            self.assertEqual((other.result(), waited), (7, [1]))


if __name__ == "__main__":
    unittest.main()
