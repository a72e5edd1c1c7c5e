# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""All that generated/ is made from: files of the project, and the Jinja2 at hand."""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import cache
from importlib.machinery import PathFinder
from pathlib import Path

from .errors import GenError

ROOT = Path(__file__).parent.parent
GEN = ROOT / "gen"
FOLDERS = (GEN, ROOT / "templates", ROOT / "runtime/include")
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


def contents(root: str | Path) -> dict[str, bytes]:
    """Of all files below a folder, by their sorted names."""
    found = {}
    try:
        for name in sorted(names(root)):
            with open(f"{root}/{name}", "rb", buffering=0) as file:
                found[name] = file.read()
    except OSError as e:
        raise GenError(f"cannot read: {e.strerror}", file=e.filename or root) from e
    return found


def _jinja2() -> list[str]:
    """The folders of Jinja2, which is found without loading it."""
    spec = PathFinder.find_spec("jinja2")
    return list(spec.submodule_search_locations or ()) if spec else []


def read() -> dict[str, bytes]:
    """Everything by its path, as it is now."""
    return {f"{folder}/{name}": content for folder in (*FOLDERS, *_jinja2())
            for name, content in contents(folder).items() if COMPILED not in name}


@cache
def at_start() -> dict[str, bytes]:
    """Everything as it was when the run began, before the generator's modules were loaded."""
    return read()
