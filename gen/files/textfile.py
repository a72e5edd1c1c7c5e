# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""Text from files, which is UTF-8 or no text to us; the line is told of what is not."""

from __future__ import annotations

import os
from pathlib import Path
from stat import S_ISDIR, S_ISFIFO, S_ISREG

from ..errors import GenError
from ..fast.sources import NO_FILE

MARK = b"\xef\xbb\xbf"  # of UTF-8, which compilers take
MARKS = {b"\xff\xfe": "UTF-16", b"\xfe\xff": "UTF-16", MARK: "UTF-8 with a mark at its start"}
SAVE = "save it as UTF-8, without a mark; iconv(1) converts"


def read(path: Path, marked: bool = False) -> str:
    """The text of a file, with the line ends of this system; `marked`: it may begin with a mark."""
    return text(read_bytes(path), path, marked)


def read_bytes(path: Path) -> bytes:
    """All bytes of a file, or of what a shell hands over by a pipe without a name; what may never end is refused."""
    try:
        mode = path.stat().st_mode
        if not (S_ISREG(mode) or S_ISDIR(mode) or S_ISFIFO(mode) and not os.path.exists(os.path.realpath(path))):
            raise GenError(f"cannot read: {NO_FILE}", file=path)
        return path.read_bytes()
    except OSError as e:
        raise GenError(f"cannot read: {e.strerror}", file=path) from e


def text(data: bytes, path: Path, marked: bool = False) -> str:
    """The text in bytes of a file."""
    data = data.removeprefix(MARK) if marked else data
    mark = next((says for start, says in MARKS.items() if data.startswith(start)), None)
    if mark:
        raise GenError(f"not plain UTF-8 text but {mark}", file=path, line=1, hint=SAVE)
    try:
        found = data.decode()
    except UnicodeDecodeError as e:
        raise GenError(f"not UTF-8 text: the byte {data[e.start]:#04x}", file=path, line=_line(data, e.start), hint=SAVE) from e
    if "\0" in found:
        raise GenError("not text: a byte 0", file=path, line=_line(data, data.index(b"\0")), hint=SAVE)
    return found.replace("\r\n", "\n").replace("\r", "\n")


def _line(data: bytes, at: int) -> int:
    return data.count(b"\n", 0, at) + 1
