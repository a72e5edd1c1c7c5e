# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""All that generated/ is made from: files of the project, and the Jinja2 at hand.

Who has nothing to do needs this, kept.py and unchanged.py: they load nothing that takes long to load, such as pathlib or typing.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from importlib.machinery import PathFinder

from ..errors import GenError

TYPE_CHECKING = False  # typing takes a while to load
if TYPE_CHECKING:
    from pathlib import Path

GEN = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
ROOT = os.path.dirname(GEN)
PRIVATE = f"{ROOT}/runtime/src"  # its headers declare functions that lore may name, and have names that nothing else may have; who has only what is public does without
FOLDERS = (GEN, f"{ROOT}/templates", f"{ROOT}/runtime/include", PRIVATE)
COMPILED = "__pycache__"  # by Python, from what is read here
MUCH = 1 << 20
NO_FILE = "is no regular file"


def names(root: str | Path, below: str = "") -> Iterator[str]:
    """The files below a folder, but for hidden ones: an editor's, or the file manager's."""
    with os.scandir(f"{root}/{below}") as entries:
        for entry in entries:
            if entry.is_dir():
                if not entry.is_symlink():
                    yield from names(root, f"{below}{entry.name}/")
            elif not entry.name.startswith("."):
                yield below + entry.name


def read_file(path: str) -> bytes:
    """All bytes of a file: of one that is whole and no longer than it says, by one call of the system. A pipe or a device, which may never end, is none."""
    file = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    try:
        found = os.fstat(file)
        if not stat.S_ISREG(found.st_mode):
            raise OSError(errno.EISDIR if stat.S_ISDIR(found.st_mode) else errno.ENOTSUP, NO_FILE, path)
        size = found.st_size
        data = os.read(file, size + 1)
        while len(data) != size and (more := os.read(file, MUCH)):
            data += more
            size = -1  # is not to be relied on
        return data
    finally:
        os.close(file)


def contents(root: str | Path, wanted: Callable[[str], bool] = lambda _: True) -> dict[str, bytes]:
    """Of the files below a folder, by their sorted names."""
    found = {}
    try:
        for name in sorted(filter(wanted, names(root))):
            found[name] = read_file(f"{root}/{name}")
    except OSError as e:
        raise GenError(f"cannot read: {e.strerror}", file=e.filename or root) from e
    return found


def package(name: str) -> list[str]:
    """The folders of a package of Python's, which is found without loading it."""
    spec = PathFinder.find_spec(name)
    return list(spec.submodule_search_locations or ()) if spec else []


def private() -> dict[str, bytes]:
    """The headers that the runtime has for itself, if its sources are at hand."""
    return contents(PRIVATE, lambda name: name.endswith(".h")) if os.path.isdir(PRIVATE) else {}


def _jinja2() -> list[str]:
    return package("jinja2")


def code_of(folder: str | Path) -> dict[str, bytes]:
    """The modules below a folder by their paths."""
    return {f"{folder}/{name}": content for name, content in contents(folder, lambda name: name.endswith(".py")).items()}


def read(loaded: Mapping[str, bytes] | None = None) -> dict[str, bytes]:
    """Everything by its path, as it is now, and as it was what was loaded before."""
    found = dict(loaded or {})
    for folder in map(str, (*(f for f in FOLDERS if f != PRIVATE or os.path.isdir(f)), *_jinja2())):
        now = contents(folder, lambda name: COMPILED not in name and not name.endswith(".c") and f"{folder}/{name}" not in found)
        found |= {f"{folder}/{name}": content for name, content in now.items()}
    return found


@cache
def modules() -> dict[str, bytes]:
    """The generator's modules as they were before they were loaded."""
    return code_of(GEN)


@cache
def at_start() -> dict[str, bytes]:
    """Everything as it was when the run began; to be called before any of it but modules is read."""
    return read(modules())
