# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""The text of headers of rdma-core: UTF-8, but for their comments, which compilers do not look at and people write in any encoding."""

from __future__ import annotations

import re
from pathlib import Path

from ..errors import GenError
from ..files import textfile

COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.S)
PART = re.compile(rf"""'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|{COMMENT.pattern}""", re.S)  # a text may hold what else begins a comment
STRAY = re.compile("[\udc80-\udcff]")  # bytes that are no UTF-8, as surrogateescape has them


def read(path: Path) -> str:
    return decoded(textfile.read_bytes(path), path)


def decoded(data: bytes, path: Path) -> str:
    try:
        return textfile.text(data, path, marked=True)
    except GenError:
        if b"\0" in data:  # UTF-16 as well, which has no comments before it is one
            raise
        found = data.decode(errors="surrogateescape")
        plain = PART.sub(lambda m: STRAY.sub("?", m[0]) if m[0][0] == "/" else m[0], found)
        return textfile.text(plain.encode(errors="surrogateescape"), path, marked=True)
