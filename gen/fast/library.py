# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""A shared library that the system loads while Python goes on: a large one takes a tenth of a run, in which ctypes lets nothing else run."""

from __future__ import annotations

import _thread
import os
from ctypes import CDLL, c_char_p, c_int, c_void_p


def begin(name: str) -> None:
    """Whoever loads it then finds it loaded, or waits until it is; where it cannot be, that is told there."""
    load = getattr(CDLL(None), "dlopen", None)
    if load:
        load.restype, load.argtypes = c_void_p, (c_char_p, c_int)
        _thread.start_new_thread(load, (os.fsencode(name), os.RTLD_NOW | os.RTLD_LOCAL))
