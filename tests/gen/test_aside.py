# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""What another process does aside comes out as if this one had done it."""

from __future__ import annotations

import os
import signal
import time
import unittest
from unittest import mock

from gen.errors import GenError
from gen.fast import aside, growing
from gen.fast.aside import Aside
from tests.gen.project import InFolder


class Other(InFolder):
    cores = 2

    def setUp(self) -> None:
        super().setUp()
        patched = mock.patch.object(aside, "_cores", lambda: self.cores)
        patched.start()
        self.addCleanup(patched.stop)
        self.addCleanup(self.has_no_children)
        self.here = os.getpid()

    def has_no_children(self) -> None:
        self.assertRaises(ChildProcessError, os.waitpid, -1, os.WNOHANG)

    def test_does_the_work(self) -> None:
        with Aside(os.getpid) as other:
            self.assertNotEqual(other.result(), self.here)

    def test_gives_what_does_not_fit_a_pipe(self) -> None:
        with Aside(lambda: ["x" * 10**6, {"a": {1, 2}}]) as other:
            self.assertEqual(other.result(), ["x" * 10**6, {"a": {1, 2}}])

    def test_fails_as_this_one_would(self) -> None:
        def work() -> None:
            raise GenError("wrong", file="a.h", line=3)

        with Aside(work) as other:
            self.assertEqual(self.fails(other.result), "a.h:3: wrong")

    def test_is_stood_in_for_when_it_dies(self) -> None:
        def work() -> int:
            if os.getpid() != self.here:
                os.kill(os.getpid(), signal.SIGKILL)
            return 7

        with Aside(work) as other:
            self.assertEqual(other.result(), 7)

    def test_is_stood_in_for_when_what_it_made_cannot_be_told(self) -> None:
        with Aside(lambda: lambda: 7) as other:
            self.assertEqual(other.result()(), 7)

    def test_ends_when_nobody_waits_for_it(self) -> None:
        with self.assertRaises(KeyError), Aside(lambda: "x" * 10**6):
            raise KeyError

    def test_is_ended_when_this_one_fails(self) -> None:
        start = time.monotonic()
        with self.assertRaises(KeyError), Aside(lambda: time.sleep(60)):
            raise KeyError
        self.assertLess(time.monotonic() - start, 30)

    def test_is_not_made_for_what_is_not_worth_it(self) -> None:
        with Aside(os.getpid, worth=False) as other:
            self.assertEqual(other.result(), self.here)

    def test_is_asked_once(self) -> None:
        with Aside(object) as other:
            self.assertIs(other.result(), other.result())

    def test_says_when_it_is_done(self) -> None:
        with Aside(lambda: 7) as other:
            while not other.is_done():
                time.sleep(0.01)
            self.assertEqual(other.result(), 7)
            self.assertTrue(other.is_done())

    def test_tells_what_it_compiled(self) -> None:
        """Else each run would compile it."""
        table = growing.Growing("things")

        def work() -> None:
            table.new["a"] = os.getpid()

        with mock.patch.object(growing, "ALL", (table,)), Aside(work) as other:
            other.result()
            self.assertEqual(table.get("a"), other.process or self.here)

    def test_writes_nothing_that_this_one_had_not_written_yet(self) -> None:
        path = self.folder / "out"
        with path.open("w") as file:
            file.write("once")
            with Aside(os.getpid) as other:
                other.result()
        self.assertEqual(path.read_text(), "once")


class TwoCores(Other):
    def test_says_that_it_is_not_done_yet(self) -> None:
        ours, theirs = os.pipe()
        self.addCleanup(os.close, ours)
        self.addCleanup(os.close, theirs)
        with Aside(lambda: os.read(ours, 1)) as other:
            self.assertFalse(other.is_done())
            os.write(theirs, b"x")
            self.assertEqual(other.result(), b"x")


class OneCore(Other):
    cores = 1

    def test_does_the_work(self) -> None:
        with Aside(os.getpid) as other:
            self.assertEqual(other.result(), self.here)

    def test_does_not_do_it_before_it_is_wanted(self) -> None:
        done: list[int] = []
        with Aside(lambda: done.append(1)) as other:
            self.assertEqual(done, [])
            other.result()
        self.assertEqual(done, [1])


if __name__ == "__main__":
    unittest.main()
