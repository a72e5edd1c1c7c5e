# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""Work that another process does while this one goes on: of two halves of a run, each on a core of its own."""

from __future__ import annotations

import os
import pickle
import select
import signal
from collections.abc import Callable

from . import growing, library
from .typed import Any, BinaryIO, Generic, TypeVar

T = TypeVar("T")


def _cores() -> int:
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:
        return os.cpu_count() or 1


class Aside(Generic[T]):
    """Within `with`, another process does this work; where there is but one core, it is done when its result is wanted.

    Whatever stops the other process, this one then does the work itself: it fails here as it did there, or it does not. Work that
    takes no longer than to make a process is not `worth` one.
    """

    def __init__(self, work: Callable[[], T], worth: bool = True) -> None:
        self.work, self.worth = work, worth
        self.process = 0
        self.pipe: BinaryIO | None = None
        self.made: list[T] = []  # the result, once it is there

    def __enter__(self) -> Aside[T]:
        if self.worth and _cores() > 1 and hasattr(os, "fork"):
            library.wait()
            ours, theirs = os.pipe()
            self.process = os.fork()
            if not self.process:
                os.close(ours)
                self._be_the_other(theirs)
            os.close(theirs)
            self.pipe = open(ours, "rb")
        return self

    def __exit__(self, failed: type[BaseException] | None, *_: object) -> None:
        if self.pipe:
            self.pipe.close()
            if failed:  # nobody will ask
                os.kill(self.process, signal.SIGKILL)
            os.waitpid(self.process, 0)

    def _be_the_other(self, pipe: int) -> None:
        """Never returns, and leaves what this process has open, or would do at its end, to the first."""
        try:
            made = self.work()
            data = pickle.dumps((made, growing.told()), pickle.HIGHEST_PROTOCOL)
            with open(pipe, "wb") as file:
                file.write(b"+" + data)
        finally:
            os._exit(0)

    def is_done(self) -> bool:
        """Whether it makes no sense to wait for it: it is done, or there is no other process that it could be done by."""
        return not self.pipe or bool(self.made) or bool(select.select([self.pipe], [], [], 0)[0])

    def result(self) -> T:
        """What came of it, when it has."""
        if not self.made:
            self.made.append(self._result())
        return self.made[0]

    def _result(self) -> T:
        data: Any = self.pipe.read() if self.pipe else b""
        try:
            made, told = pickle.loads(memoryview(data)[1:])
        except (pickle.UnpicklingError, EOFError):  # it is not there, or not whole
            return self.work()
        growing.hear(told)
        return made
