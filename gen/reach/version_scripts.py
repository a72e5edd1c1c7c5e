# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""Which functions a library exports, and at which version, as the linker is told: rdma-core's .map files."""

from __future__ import annotations

import re
from pathlib import Path

from ..errors import GenError

SUFFIX = ".map"
COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*|#[^\n]*", re.S)
NODE = re.compile(r"\s*([\w.]+)\s*\{([^{}]*)\}[^;{}]*;")
SECTION = re.compile(r"\b(global|local)\s*:")


def parse(text: str, file: Path | None = None) -> list[tuple[str, str]]:
    """Each exported function with the version that it is exported at, in the order of the file."""
    found: list[tuple[str, str]] = []
    text = rest = COMMENT.sub(lambda m: "\n" * m[0].count("\n"), text)
    while rest.strip():
        match = NODE.match(rest)
        if match is None:
            line = text.count("\n", 0, len(text) - len(rest.lstrip())) + 1
            raise GenError(f"not a version script: {rest.split()[0]}", file, line, hint="expected: VERSION { global: NAME; ... };")
        found += [(name, match[1]) for name in _exported(match[2])]
        rest = rest[match.end():]
    return found


def _exported(body: str) -> list[str]:
    """Names are global until something says otherwise; patterns name what is hidden."""
    _, *parts = SECTION.split(f"global:{body}")
    sections = zip(parts[::2], parts[1::2], strict=True)
    return [name for kind, names in sections if kind == "global" for name in names.replace(";", " ").split() if "*" not in name]
