# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""On which line of a header a name is declared. Facts do without lines, which change with every release; a report wants a few."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from .remarks import Remarks

INCLUDED = (Path("/usr/local/include"), Path("/usr/include"))  # the compiler's own folders, in its order
COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.S)


def find(root: Path | None, header: str) -> Path | None:
    """A header of a tree, or an installed one."""
    return next((f / header for f in ([root] if root else INCLUDED) if (f / header).is_file()), None)


def source(path: Path) -> str:
    """The text of a header without its comments, line by line as it was."""
    text = path.read_text(encoding="utf-8", errors="replace")
    return COMMENT.sub(lambda m: " " + "\n" * m[0].count("\n"), text)


def line_of(text: str, name: str) -> int:
    """Where a name is declared, or a field behind the structure that has it; 0 for neither."""
    at = found = 0
    for n, word in enumerate(name.split(".")):
        word = re.escape(word)
        body = re.compile(rf"\b(?:struct|union|enum)\s+{word}\s*\{{") if n == 0 else None
        match = body.search(text) if body else None
        match = match or re.compile(rf"\b{word}\b").search(text, at)
        if match is None:
            break
        found, at = match.end(), _inside(text, at, match.start()) or match.end()
    return text.count("\n", 0, found) + 1 if found else 0


def _inside(text: str, first: int, at: int) -> int:
    """Where the body begins of a structure that is defined before the name here, which has it; 0 if none is."""
    end = max(text.rfind(mark, first, at) for mark in "{};")
    if end < 0 or text[end] != "}":
        return 0
    depth = 1
    while depth and end > first:
        end -= 1
        depth += {"}": 1, "{": -1}.get(text[end], 0)
    return end


def place(remarks: Remarks, root: Path | None, headers: Iterable[str]) -> None:
    """Give remarks the lines that a tree of headers has them at, and their order."""
    texts: dict[str, str] = {}
    for header in {r.header for r in remarks.said}:
        if path := find(root, header):
            texts[header] = source(path)
    remarks.placed({(r.header, r.name): line_of(texts[r.header], r.name) for r in remarks.said if r.header in texts})
    remarks.in_order(headers)
