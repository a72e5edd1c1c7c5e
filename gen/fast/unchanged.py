# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""Whether there is nothing to do: all that a run reads, and all in the folder that it writes to, is what an earlier run left there.

What is compared is what files say, and every file. Whoever changes, adds or removes one of them makes the generator run.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Mapping
from functools import cache

from ..errors import GenError
from . import kept, sources

TYPE_CHECKING = False  # typing takes a while to load
if TYPE_CHECKING:
    from pathlib import Path

SAID = "0 files written, 0 removed"


def _digest(files: Mapping[str, bytes]) -> bytes:
    return kept.digest(part for name in sorted(files) for part in (name.encode(), files[name]))


@cache
def _digest_at_start() -> bytes:
    return _digest(sources.at_start())


def _names(names: Iterable[str]) -> bytes:
    """Files that are missing or new are told from these alone."""
    return kept.digest(name.encode() for name in sorted(names))


def _name(output: str | Path) -> str:
    return f"left-{hashlib.sha256(os.fsencode(os.path.realpath(output))).hexdigest()[:16]}"


def is_left(output: str | Path) -> bool:
    """Whether a run would write what is in this folder."""
    data = kept.read(_name(output), _digest_at_start())
    try:
        return (data is not None and data[:kept.DIGEST] == _names(sources.names(output))
                and data[kept.DIGEST:] == _digest(sources.contents(output)))
    except (GenError, OSError):
        return False


def leave(output: Path, files: Mapping[str, str]) -> None:
    """These are the files that a run wrote, or would have; nothing is said of a run while which its sources changed."""
    if sources.at_start() == sources.read():
        data = _names(files) + kept.digest(part.encode() for name in sorted(files) for part in (name, files[name]))
        kept.write(_name(output), _digest_at_start(), data)


def output_of(arguments: list[str]) -> str | None:
    """The folder that `emit` is to write all to; None where it is told more than that, for those who read arguments with care."""
    if arguments[:1] != ["emit"]:
        return None
    match [word for word in arguments[1:] if word != "--quiet"]:
        case []:
            return f"{sources.ROOT}/generated"
        case ["--output", folder] if folder and not folder.startswith("-"):
            return folder
    return None


def is_nothing_to_do(arguments: list[str]) -> bool:
    """Whether that is so, before all is loaded that does it: this takes longer than to find that out."""
    output = output_of(arguments)
    try:
        return output is not None and is_left(output)
    except GenError:  # of what cannot be read tells who needs it
        return False
