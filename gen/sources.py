# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""All that generated/ is made from: files of the project, and the Jinja2 at hand."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from importlib.machinery import PathFinder
from pathlib import Path

from .errors import GenError

ROOT = Path(__file__).parent.parent
GEN = ROOT / "gen"
HOOKS = (ROOT / "runtime/src/cm", ROOT / "runtime/src/post", ROOT / "runtime/src/verbs")  # declare functions that lore may name; who has only what is public does without
FOLDERS = (GEN, ROOT / "templates", ROOT / "runtime/include", *HOOKS)
GENERATED = ROOT / "generated"
GROUPS = GEN / "groups.toml"
LORE = GEN / "lore"
COMPILED = "__pycache__"  # by Python, from what is read here


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
    with open(path, "rb", buffering=0) as file:
        return file.read()


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


def hooks() -> dict[str, bytes]:
    """The headers that declare functions which lore may name, if the sources of the runtime are at hand."""
    return {f"{folder.name}/{name}": text for folder in HOOKS if folder.is_dir()
            for name, text in contents(folder, lambda name: name.endswith(".h")).items()}


def _jinja2() -> list[str]:
    return package("jinja2")


def code_of(folder: str | Path) -> dict[str, bytes]:
    """The modules below a folder by their paths."""
    return {f"{folder}/{name}": content for name, content in contents(folder, lambda name: name.endswith(".py")).items()}


def read(loaded: Mapping[str, bytes] | None = None) -> dict[str, bytes]:
    """Everything by its path, as it is now, and as it was what was loaded before."""
    found = dict(loaded or {})
    for folder in map(str, (*(f for f in FOLDERS if f not in HOOKS or f.is_dir()), *_jinja2())):
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
