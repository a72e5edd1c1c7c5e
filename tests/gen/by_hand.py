# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""What is said by hand of releases and vendors, and is not so any more: python3 -m tests.gen.by_hand, a line a place."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from gen.know import groups
from gen.reach import headers
from tests.gen.project import ROOT

FILES = ("*.md", "docs/*.md", "cmake/*", "examples/*.md", "examples/vx/*.1", "tests/unit/CMakeLists.txt")
PART = re.compile(r"(?:(?!^\||\n\n).)+|^\|.*?$", re.M | re.S)  # a paragraph, or a row of a table
SPAN = re.compile(r"rdma-core (\d+) to (\d+)")


def vendors() -> list[str]:
    """Those that are named together; the first is what most is said of by itself."""
    return [g.word for g in groups.load() if g.provider and g.word][1:]


def stale(root: Path, words: list[str], releases: list[int]) -> Iterator[str]:
    """A part that names most of the vendors is about all of them."""
    for path in sorted(path for pattern in FILES for path in root.glob(pattern)):
        text = path.read_text(encoding="utf-8")
        for part in PART.finditer(text):
            lacks = [word for word in words if not re.search(rf"(?<![a-z])(lib)?{word}(?![a-z])", part[0], re.I)]
            if lacks and 2 * len(lacks) < len(words):
                yield f"{path.relative_to(root)}:{_line(text, part)}: lacks {', '.join(lacks)}, and names other vendors"
        for span in SPAN.finditer(text):
            if (now := f"rdma-core {min(releases)} to {max(releases)}") != span[0]:
                yield f"{path.relative_to(root)}:{_line(text, span)}: {span[0]} is {now} now"


def _line(text: str, found: re.Match[str]) -> int:
    return text.count("\n", 0, found.start()) + 1


if __name__ == "__main__":
    print(*stale(ROOT, vendors(), [*headers.committed_paths()]), sep="\n")
