# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""Which functions a library exports, and at which version, as the linker is told: rdma-core's .map files."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from ..errors import GenError

SUFFIX = ".map"
COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*|#[^\n]*", re.S)
NODE = re.compile(r"\s*([\w.]+)\s*\{([^{}]*)\}([^;{}]*);")
SECTION = re.compile(r"\b(global|local)\s*:")
WORD = re.compile(r"[^\s;]+")
NAME = re.compile(r"[A-Za-z_]\w*", re.A)
PATTERN = re.compile(r"[*?\[]")


def parse(text: str, file: Path | None = None) -> list[tuple[str, str]]:
    """Each exported function with the version that it is exported at, in the order of the file."""
    found: list[tuple[str, str]] = []
    nodes: dict[str, int] = {}  # and the line of each
    text = COMMENT.sub(lambda m: "\n" * m[0].count("\n"), text)

    def wrong(at: int, message: str, hint: str = "expected: VERSION { global: NAME; ... };") -> GenError:
        return GenError(f"not a version script: {message}", file, text.count("\n", 0, at) + 1, hint=hint)

    if "/*" in text:
        raise wrong(text.index("/*"), "a comment that does not end", "close it: */")
    at = 0
    while rest := text[at:].lstrip():
        at = len(text) - len(rest)
        match = NODE.match(text, at)
        if match is None:
            raise wrong(at, rest.split()[0])
        version, line = match[1], text.count("\n", 0, at) + 1
        for name in WORD.finditer(text, *match.span(3)):
            if name[0] not in nodes:
                raise wrong(name.start(), f"{version} is made of {name[0]}, which is no version before it", "as the linker has it, a version comes behind those that it is made of")
        if version in nodes:
            raise wrong(at, f"{version} stands here twice", f"put both into one: the first is in line {nodes[version]}")
        nodes[version] = line
        for name in _exported(text, *match.span(2)):
            if not NAME.fullmatch(name[0]):
                raise wrong(name.start(), f"{name[0]}: no name of a function")
            found.append((name[0], version))
        at = match.end()
    return found


def has_patterns(text: str) -> bool:
    """Where names of what is exported could stand."""
    text = COMMENT.sub("", text)
    return any(PATTERN.search(word[0]) for node in NODE.finditer(text) for word in _global(text, *node.span(2)))


def _exported(text: str, start: int, end: int) -> Iterator[re.Match[str]]:
    """Patterns name what is hidden."""
    return (name for name in _global(text, start, end) if not PATTERN.search(name[0]))


def _global(text: str, start: int, end: int) -> Iterator[re.Match[str]]:
    """Names are global until something says otherwise."""
    sections = [*SECTION.finditer(text, start, end)]
    for head, after in zip([None, *sections], [*sections, None]):
        if head is None or head[1] == "global":
            yield from WORD.finditer(text, head.end() if head else start, after.start() if after else end)
