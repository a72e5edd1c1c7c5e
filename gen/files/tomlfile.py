# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""TOML with line numbers: the standard reader, and where each entry stands."""

from __future__ import annotations

import re
from functools import cached_property
from pathlib import Path

from ..errors import GenError
from ..fast.kept import kept
from ..fast.record import value
from ..fast.typed import Any
from . import textfile

TABLE = re.compile(r"^\s*\[\[?\s*([^\[\]]+?)\s*\]")
KEY = r"""(?:"(?:[^"\\]|\\.)*"|'[^']*'|[A-Za-z0-9_-]+)"""
ENTRY = re.compile(rf"^\s*({KEY})((?:\s*\.\s*{KEY})*)\s*=")
SYNTAX_LINE = re.compile(r"\(at line (\d+)")
DIGITS = re.compile(r"[0-9_]{4000,}")  # which Python takes for no number


def _plain(key: str) -> str:
    return re.sub(r"""["'\s]""", "", key)


@value
class Document:
    """A TOML file: its data, and the line of each table and of each entry in it."""

    path: Path
    data: dict[str, Any]
    text: str

    @cached_property
    def lines(self) -> dict[tuple[str, str | None], int]:
        """Wanted only when something is wrong."""
        return _lines(self.text)

    def line(self, table: str, key: str | None) -> int | None:
        table, key = _plain(table), key and _plain(key)
        # An entry may be a table of its own, and one in braces is on one line.
        within = f"{table}.{key}" if table else key or ""
        found = self.lines.get((table, key)) or self.lines.get((within, None)) or self.lines.get((table, None))
        return found or next((line for (name, _), line in self.lines.items() if name.startswith(f"{table or key}.")), None)

    def others(self, pattern: re.Pattern[str], line: int | None) -> str:
        """Which other lines of entries have the like of what is wrong in one: who mends it would see them one by one."""
        texts = self.text.splitlines()
        found = [str(n) for n in sorted(set(self.lines.values())) if n != line and pattern.search(texts[n - 1])]
        return f"; so is what stands in line{'s' * (len(found) > 1)} {', '.join(found)}" if found else ""

    def error(self, table: str, key: str | None, message: str, hint: str | None = None) -> GenError:
        return GenError(message, file=self.path, line=self.line(table, key), hint=hint)


def _lines(text: str) -> dict[tuple[str, str | None], int]:
    """Where things stand; entries take one line each by our own rule, so a look at line starts is enough."""
    lines: dict[tuple[str, str | None], int] = {}
    table = ""
    for number, line in enumerate(text.splitlines(), 1):
        if match := TABLE.match(line):
            table = _plain(match[1])
            lines[table, None] = number
        elif match := ENTRY.match(line):
            key, inner = _plain(match[1]), _plain(match[2])[1:]
            within = f"{table}.{key}" if table else key
            lines[table, key] = number
            lines.setdefault((within, None), number)
            if inner:
                lines[within, inner] = number
    return lines


def load(path: Path) -> Document:
    """Read a file; a GenError names the line that TOML itself does not like."""
    text = textfile.read(path)
    try:
        return Document(path, kept(f"toml-{path.stem}", [text.encode()], lambda: _parsed(text, path)), text)
    except RecursionError as e:  # of who parses it, or of who keeps it
        depths = [sum(map(line.count, "[{.")) for line in text.splitlines()]
        raise GenError("not TOML: nested too deep", file=path, line=depths.index(max(depths)) + 1) from e


def _parsed(text: str, path: Path) -> dict[str, Any]:
    import tomllib  # takes a while to load, and what was parsed is kept

    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as e:
        at = SYNTAX_LINE.search(str(e))
        line = int(at[1]) if at else len(text.splitlines())
        twice = ENTRY.match(text.splitlines()[line - 1]) if "overwrite a value" in str(e) else None
        raise GenError(f"not TOML: {f'{_plain(twice[1])}: stands here twice' if twice else e}", file=path, line=line) from e
    except ValueError as e:
        digits = DIGITS.search(text)
        raise GenError("not TOML: a number of thousands of digits", file=path, line=text.count("\n", 0, digits.start()) + 1 if digits else None) from e
