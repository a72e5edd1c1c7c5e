# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""Command lines of which nothing has to be asked: those of builds and of ./dev regen. Who reads all others, and tells of mistakes,
takes longer to load than it takes to read the headers.
"""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

from ..paths import GENERATED, GROUPS
from .arguments import is_release

FLAGS = ("--quiet", "--code", "--linked", "--installed")
FOLDERS = ("--output", "--headers")
RELEASE = "--release"


def told(argv: list[str]) -> SimpleNamespace | None:
    """What `emit` is asked for, as its parser would tell; None where that has to look with care."""
    if argv[:1] != ["emit"]:
        return None
    found: dict[str, object] = {"command": "emit", "headers": None, "release": None, "symbols": [], "groups": GROUPS, "output": GENERATED,
                                **{flag[2:]: False for flag in FLAGS}}
    words = iter(argv[1:])
    for word in words:
        value = next(words, "-") if word in (*FOLDERS, RELEASE) else ""
        if word in FLAGS:
            found[word[2:]] = True
        elif word in FOLDERS and value and not value.startswith("-"):
            found[word[2:]] = Path(value)
        elif word == RELEASE and is_release(value):
            found["release"] = int(value)
        else:
            return None
    return None if found["headers"] and found["installed"] else SimpleNamespace(**found)
