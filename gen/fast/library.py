# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""The shared library of a package of Python's, which the system loads while Python goes on: a large one takes a tenth of a run, in which
ctypes lets nothing else run.
"""

from __future__ import annotations

import _thread
import os
from collections.abc import Callable
from ctypes import CDLL, c_char_p, c_int, c_void_p

from . import kept, sources

_begun: dict[str, _thread.LockType] = {}  # by package; the lock is free when it is loaded, or cannot be


def _begin(package: str, name: str) -> None:
    """Whoever loads it then finds it loaded, or waits until it is; where it cannot be, that is told there."""
    dlopen = getattr(CDLL(None), "dlopen", None)
    if not dlopen:
        return
    dlopen.restype, dlopen.argtypes = c_void_p, (c_char_p, c_int)
    done = _begun[package] = _thread.allocate_lock()
    done.acquire()

    def load() -> None:
        dlopen(os.fsencode(name), os.RTLD_NOW | os.RTLD_LOCAL)
        done.release()

    _thread.start_new_thread(load, ())


def wait() -> None:
    """Until nothing is being loaded: a process that is made meanwhile could never load anything."""
    for done in _begun.values():
        with done:
            pass


# ---- by the name that an earlier run was told ----


def _key(package: str) -> bytes:
    return kept.digest([*kept.of_code(["fast/library"]), *(code for folder in sources.package(package) for code in sources.code_of(folder).values())])


def begin_that_of(package: str) -> None:
    """Before the package is loaded, which takes a while itself."""
    if data := kept.read(f"library-{package}", _key(package)):
        _begin(package, bytes(data).decode())


def tell(package: str, name_of: Callable[[], str]) -> None:
    """What the package itself says, where no earlier run was told."""
    if package not in _begun:
        name = name_of()
        kept.write(f"library-{package}", _key(package), name.encode())
        _begin(package, name)
