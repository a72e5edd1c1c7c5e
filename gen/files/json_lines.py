# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""Where the parts of a JSON text stand, and what it says twice; looked for only when something is wrong, or may be."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence

from ..fast.typed import Any

TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\],]|[^\s{}\[\],:"]+')
Path = tuple[Any, ...]


class Twice(Exception):
    """A key that an object has twice."""


def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object of JSON, for json.loads(); a key that stands in it twice is refused."""
    found = dict(pairs)
    if len(found) != len(pairs):
        raise Twice(next(name for place, (name, _) in enumerate(pairs) if any(name == other for other, _ in pairs[:place])))
    return found


def places(text: str) -> Iterator[tuple[Path, int]]:
    """Each key and each item of a list, by the path that leads there, and its line."""
    stack: list[list[Any]] = []  # of each level: what is next, and whether that is a key
    line, counted = 1, 0  # up to where in the text: from its start each time takes seconds
    for match in TOKEN.finditer(text):
        token, top, at = match[0], stack[-1] if stack else None, match.start()
        line, counted = line + text.count("\n", counted, at), at
        if token in "}]":
            stack.pop()
            continue
        if token == ",":
            if top is not None:
                top[0], top[1] = (top[0] + 1, False) if isinstance(top[0], int) else ("", True)
            continue
        if top is not None and top[1]:
            top[0], top[1] = json.loads(token), False
            yield tuple(level[0] for level in stack), line
            continue
        if top is not None and isinstance(top[0], int):
            yield tuple(level[0] for level in stack), line
        if token in "{[":
            stack.append(["", True] if token == "{" else [0, False])


def line_of(text: str, path: Sequence[Any]) -> int:
    """Of what a path leads to, or as far as it does."""
    best, line = 0, 1
    for found, number in places(text):
        alike = next((n for n, (a, b) in enumerate(zip(found, path)) if a != b), min(len(found), len(path)))
        if alike == len(found) > best:
            best, line = alike, number
    return line


def line_of_second(text: str) -> int | None:
    """Of the first key that an object has twice."""
    seen: set[Path] = set()
    for path, number in places(text):
        if path in seen:
            return number
        seen.add(path)
    return None
