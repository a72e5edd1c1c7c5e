# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""How templates write a value: their filters, by name. Compiled templates are kept by this file, so it needs no other."""

from __future__ import annotations

import itertools
import operator
import re
import textwrap
from collections.abc import Iterable
from typing import Any

WIDTH = 118
OF_ATTR = re.compile(r"&?\battr\b(\.?)")
RELEASES = re.compile(r"VX_RDMA_CORE (>=|<=) (\d+)")
ESCAPES = str.maketrans({'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t"})


def c_int(value: int) -> str:
    """A number that C reads as this value of int64_t."""
    if value == -2**63:
        return "INT64_MIN"
    return str(value)


def c_string(text: str) -> str:
    """A C string literal; what is not ASCII stays as UTF-8."""
    if text.isascii() and text.isprintable() and '"' not in text and "\\" not in text:  # as most are
        return f'"{text}"'
    escaped = text.translate(ESCAPES)
    if not escaped.isprintable():
        escaped = "".join(c if c.isprintable() else _octal(c) for c in escaped)
    return f'"{escaped}"'


def _octal(character: str) -> str:
    return "".join(f"\\{byte:03o}" for byte in character.encode())


def runs(items: Iterable[Any], by: str = "guard") -> list[tuple[str, list[Any]]]:
    """Neighbours that the same preprocessor condition guards, together."""
    return [(guard, list(run)) for guard, run in itertools.groupby(items, operator.attrgetter(by))]


def join(items: Iterable[Any], between: str) -> str:
    """Jinja2's own, less what that can do beside."""
    return between.join(map(str, items))


def cell(text: str) -> str:
    """A text inside a table of Markdown."""
    return text.replace("|", "\\|")


def wrap(text: str, indent: str) -> str:
    """Text in lines of a header; all but the first begin with the indent."""
    room = WIDTH - len(indent.expandtabs())
    if len(text) <= room and text.isprintable() and not text.endswith(" "):  # as most are
        return text
    return f"\n{indent}".join(textwrap.wrap(text, room, break_on_hyphens=False))


def prototype(text: str) -> str:
    """A declaration in lines that end between parameters."""
    lines = [""]
    for part in text.split(", "):
        if lines[-1] and len(lines[-1]) + len(part) > WIDTH:
            lines.append("")
        lines[-1] += f"{part}, "
    return "\n\t".join(line.rstrip() for line in lines).removesuffix(",")


def through(code: str) -> str:
    """C that reads the structure attr, where that is a pointer to it."""
    return OF_ATTR.sub(lambda m: "attr->" if m[1] else "attr", code)


def unsupported(guard: str) -> str:
    """Which releases lack what is there under a guard, behind what else a function returns."""
    words = " and ".join(f"{'before' if sign == '>=' else 'after'} {'' if n else 'rdma-core '}{release}"
                         for n, (sign, release) in enumerate(RELEASES.findall(guard)))
    return words and f"; -EOPNOTSUPP {words}"


FILTERS = {"hex": hex, "list": list, "c_int": c_int, "c_string": c_string, "runs": runs, "join": join, "cell": cell, "wrap": wrap,
           "prototype": prototype, "through": through, "unsupported": unsupported}
