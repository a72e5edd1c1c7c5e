# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""What a C library does for long while this process does something else: ctypes lets Python go on meanwhile."""

from __future__ import annotations

import _thread
from collections.abc import Callable

from .typed import TypeVar

T = TypeVar("T")


def beside(work: Callable[[], T], meanwhile: Callable[[], object]) -> T:
    """What comes of the work; nothing of it goes on when this is over, whichever of the two fails."""
    made: list[T] = []
    failed: list[BaseException] = []
    done = _thread.allocate_lock()
    done.acquire()

    def run() -> None:
        try:
            made.append(work())
        except BaseException as e:  # is for who waits for it
            failed.append(e)
        finally:
            done.release()

    _thread.start_new_thread(run, ())
    try:
        meanwhile()
    finally:
        done.acquire()
    for error in failed:
        raise error
    return made[0]
