# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""Whether there is nothing to do: all that a run reads, and all in the folder that it writes to, is what an earlier run left there.

What is compared is what files say, and every file. Whoever changes, adds or removes one of them makes the generator run.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from pathlib import Path

from . import kept, sources
from .errors import GenError


def _digest(files: Mapping[str, bytes]) -> bytes:
    return kept.digest(part for name in sorted(files) for part in (name.encode(), files[name]))


def _names(names: Iterable[str]) -> bytes:
    """Files that are missing or new are told from these alone."""
    return kept.digest(name.encode() for name in sorted(names))


def _name(output: Path) -> str:
    return f"left-{hashlib.sha256(bytes(output.resolve())).hexdigest()[:16]}"


def is_left(output: Path) -> bool:
    """Whether a run would write what is in this folder."""
    data = kept.read(_name(output), _digest(sources.at_start()))
    try:
        return (data is not None and data[:kept.DIGEST] == _names(sources.names(output))
                and data[kept.DIGEST:] == _digest(sources.contents(output)))
    except (GenError, OSError):
        return False


def leave(output: Path, files: Mapping[str, str]) -> None:
    """These are the files that a run wrote, or would have; nothing is said of a run while which its sources changed."""
    if sources.at_start() == sources.read():
        data = _names(files) + kept.digest(part.encode() for name in sorted(files) for part in (name, files[name]))
        kept.write(_name(output), _digest(sources.at_start()), data)
