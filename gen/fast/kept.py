# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""What was read or compiled in an earlier run, kept in a folder of the user's by the bytes that it was made from.

Whether something is kept never changes what comes of it: who has no such folder, or one that others may write to, makes it anew,
and so does who finds there what is not whole.
"""

from __future__ import annotations

import hashlib
import os
import sys
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import cache

from .sources import GEN, code_of, read_file

TYPE_CHECKING = False  # typing takes a while to load
if TYPE_CHECKING:
    from typing import Any, TypeVar

    T = TypeVar("T")

OTHERS_WRITE = 0o022
DIGEST = hashlib.sha256().digest_size
LONG_AGO = 30 * 24 * 3600


@cache
def folder() -> str | None:
    """Where this checkout's things are kept; only its owner may write to it, for what is read from there is trusted."""
    home = os.path.expanduser("~")
    found = f"{os.environ.get('XDG_CACHE_HOME') or f'{home}/.cache'}/verbsx/gen"
    mine = f"{found}/{hashlib.sha256(os.fsencode(GEN)).hexdigest()[:16]}"
    if not os.path.isabs(mine):  # who has no home does without
        return None
    try:
        if not os.path.isdir(mine):
            _found(mine)
        safe = all(_is_safe(place) for place in (os.path.dirname(found), found, mine))
    except OSError:
        return None
    return mine if safe and os.access(mine, os.W_OK) else None


def _is_safe(place: str) -> bool:
    status = os.stat(place)
    return status.st_uid == os.geteuid() and not status.st_mode & OTHERS_WRITE


def _found(mine: str) -> None:
    """A folder for this checkout. It knows where that is, so that what is kept of one that is gone goes, too."""
    all_of_them = os.path.dirname(mine)
    for place in (os.path.dirname(all_of_them), all_of_them, mine):
        os.makedirs(os.path.dirname(place), exist_ok=True)
        with suppress(FileExistsError):
            os.mkdir(place, 0o700)
    with suppress(FileExistsError):
        os.symlink(GEN, f"{mine}/of")
    import shutil  # takes a while to load, and this is done once

    for other in os.listdir(all_of_them):
        link = f"{all_of_them}/{other}/of"
        if os.path.islink(link) and not os.path.exists(link):
            shutil.rmtree(f"{all_of_them}/{other}", ignore_errors=True)


def _sweep(place: str) -> None:
    """Remove what no run has written for long: of a generator that gave things other names, or of a run that was killed."""
    for entry in os.scandir(place):
        if entry.stat(follow_symlinks=False).st_mtime < time.time() - LONG_AGO and not entry.is_symlink():
            os.unlink(entry)


def digest(parts: Iterable[bytes]) -> bytes:
    """Of these bytes, one after the other, and of the interpreter."""
    whole = hashlib.sha256(f"{sys.version} {sys.flags.optimize}".encode())
    for part in parts:
        whole.update(len(part).to_bytes(8, "little"))
        whole.update(part)
    return whole.digest()


def read(name: str, key: bytes) -> memoryview | None:
    """What was written under this name and key, if all of it is there."""
    place = folder()
    try:
        data = memoryview(read_file(f"{place}/{name}")) if place else memoryview(b"")
    except OSError:
        return None
    whole = data[:DIGEST] == key and data[DIGEST:2 * DIGEST] == hashlib.sha256(data[2 * DIGEST:]).digest()
    return data[2 * DIGEST:] if whole else None


def write(name: str, key: bytes, data: bytes) -> None:
    """All of it or nothing; that it cannot be kept is no failure."""
    place = folder()
    if place is None:
        return
    temporary = f"{place}/{name}.{os.getpid()}"
    try:
        with open(temporary, "wb") as file:
            file.writelines((key, hashlib.sha256(data).digest(), data))
        os.replace(temporary, f"{place}/{name}")
        _sweep(place)
    except OSError:
        with suppress(OSError):
            os.unlink(temporary)


def of_code(names: Iterable[str]) -> list[bytes]:
    """The source of the generator's rooms, and of single modules by their paths."""
    found = []
    for name in names:
        place = f"{GEN}/{name}"
        found += code_of(place).values() if os.path.isdir(place) else [read_file(f"{place}.py")]
    return found


def kept(name: str, parts: Iterable[bytes], make: Callable[[], T], code: Iterable[str] = ()) -> T:
    """What `make` makes of these bytes, by rooms or modules that `code` names; from the last time, if they are the same."""
    key = digest([*of_code(code), *parts])
    found = found_objects(name, key)
    if found:
        return found[0]
    made = make()
    keep(name, key, made)
    return made


def found_objects(name: str, key: bytes) -> list[Any]:
    """What an earlier run kept, if it did; a list, as that may be anything."""
    import pickle  # takes a while to load, and a run that has nothing to do does without

    with suppress(Exception):  # a class that is no more, say: pickle fails in many ways
        if (data := read(name, key)) is not None:
            return [pickle.loads(data)]
    return []


def keep(name: str, key: bytes, made: object) -> None:
    import pickle

    write(name, key, pickle.dumps(made, pickle.HIGHEST_PROTOCOL))
