# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""What was read in an earlier run, kept in a folder of the user's by the bytes that it was read from.

Whether something is kept never changes what comes of it: who has no such folder, or one that others may write to, reads anew.
"""

from __future__ import annotations

import hashlib
import os
import pickle
import sys
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path
from typing import TypeVar

T = TypeVar("T")
GEN = Path(__file__).parent
OTHERS_WRITE = 0o022


@cache
def folder() -> Path | None:
    """Where things are kept; only its owner may write to it, for what is read from there is trusted."""
    try:
        found = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "verbsx"
        found.mkdir(mode=0o700, parents=True, exist_ok=True)
        status = found.stat()
    except (OSError, RuntimeError):  # who has no home does without
        return None
    mine = status.st_uid == os.geteuid() and not status.st_mode & OTHERS_WRITE
    return found if mine and os.access(found, os.W_OK) else None


def _digest(parts: Iterable[bytes]) -> bytes:
    whole = hashlib.sha256(sys.version.encode())
    for part in parts:
        whole.update(hashlib.sha256(part).digest())
    return whole.digest()


def kept(name: str, parts: Iterable[bytes], make: Callable[[], T], code: Iterable[str] = ()) -> T:
    """What `make` makes of these bytes, by modules that `code` names; from the last time, if they are the same."""
    place = folder()
    if place is None:
        return make()
    key = _digest([*((GEN / f"{module}.py").read_bytes() for module in code), *parts])
    file = place / f"{name}-{hashlib.sha256(bytes(GEN)).hexdigest()[:8]}"
    try:
        data = file.read_bytes()
        if data.startswith(key):
            return pickle.loads(memoryview(data)[len(key):])
    except Exception:  # not there, or of a run that was killed: pickle fails in many ways
        pass
    made = make()
    _write(file, key + pickle.dumps(made, pickle.HIGHEST_PROTOCOL))
    return made


def _write(file: Path, data: bytes) -> None:
    """All of it or nothing; that it cannot be kept is no failure."""
    temporary = file.with_name(f"{file.name}.{os.getpid()}")
    try:
        temporary.write_bytes(data)
        os.replace(temporary, file)
    except OSError:
        temporary.unlink(missing_ok=True)
