# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""The structures that programs and the library hand each other: gen/abi/structs.toml, which is only appended to.

A program passes its size of a structure, and both sides believe that what both have lies in the same place, for ever and
whatever headers of rdma-core either was compiled with.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from . import own, tomlfile
from .errors import GenError
from .facts import Field, Struct

if TYPE_CHECKING:
    from .plan.objects import Kind

PATH = Path(__file__).parent / "abi/structs.toml"
HEAD = """\
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#
# The structures that programs and libverbsx hand each other, part of the ABI: field = [type, offset, size], in bytes where a
# pointer has 8. ./dev regen appends what is new. No line is ever changed, moved or taken away: a program that was compiled
# years ago goes by it.
"""
HINT = ("a program that was compiled goes by it: leave it, and add a new one at the end. What was never released may be taken "
        "out of the file")
DECLARATION = re.compile(r"(?P<type>.+?[ *])(?P<name>\w+)(?:\[(?P<count>\d+)\])?")
FUNCTION = re.compile(r".+\(\*(?P<name>\w+)\)\(.*\)")
POINTER = 8
SCALARS = {"bool": 1, "char": 1, "int": 4, "unsigned int": 4, "long": 8, "size_t": 8, "uintptr_t": 8, "uint8_t": 1,
           "uint16_t": 2, "uint32_t": 4, "uint64_t": 8, "int64_t": 8, "__be16": 2, "__be32": 4, "__be64": 8}

Shape = dict[str, list[str | int]]  # field -> type, offset, size
Shapes = dict[str, Shape]


@dataclass
class Sizes:
    """Size and alignment of a type."""

    facts: dict[str, Struct]
    own: dict[str, tuple[int, int]] = field(default_factory=dict)  # of what is written by hand

    def of(self, c_type: str) -> tuple[int, int]:
        c_type = c_type.removeprefix("const ").strip()
        if c_type.endswith("*"):
            return POINTER, POINTER
        word, _, name = c_type.partition(" ")
        if word == "enum":
            return 4, 4
        if word in ("struct", "union"):
            return self.own[name] if name in self.own else self._of_facts(self.facts[name])
        return SCALARS[c_type], SCALARS[c_type]

    def _of_facts(self, s: Struct) -> tuple[int, int]:
        return s.size, max(self._alignment(f) for f in s.fields)

    def _alignment(self, f: Field) -> int:
        if f.kind in ("pointer", "function"):
            return POINTER
        if f.fields:
            return max(self._alignment(inner) for inner in f.fields)
        if f.kind == "record":
            return self._of_facts(self.facts[f.ref])[1]
        return f.size // (f.count or 1)


def _up(offset: int, alignment: int) -> int:
    return -(-offset // alignment) * alignment


def shape(declarations: list[str], sizes: Sizes) -> Shape:
    """Where the members of a structure lie."""
    out: Shape = {}
    end = 0
    for declaration in declarations:
        if function := FUNCTION.fullmatch(declaration):
            name, c_type, size, alignment = function["name"], "function", POINTER, POINTER
        else:
            match = DECLARATION.fullmatch(declaration)
            if not match:
                raise GenError(f"{declaration}: no member that could be recorded", file=PATH)
            name, count, c_type = match["name"], int(match["count"] or 1), match["type"].strip()
            size, alignment = sizes.of(c_type)
            size, c_type = size * count, c_type + (f"[{count}]" if match["count"] else "")
        offset = _up(end, alignment)
        out[name] = [c_type, offset, size]
        end = offset + size
    return out


def _whole(members: list[str], union: bool, sizes: Sizes) -> tuple[int, int]:
    """Size and alignment of a structure or union."""
    each = [sizes.of(DECLARATION.fullmatch(m)["type"]) for m in members]  # type: ignore[index]
    alignment = max(a for _, a in each)
    if union:
        return _up(max(s for s, _ in each), alignment), alignment
    last = list(shape(members, sizes).values())[-1]
    return _up(int(last[1]) + int(last[2]), alignment), alignment


def shapes(kinds: list[Kind], facts: dict[str, Struct], written: list[own.OwnStruct]) -> Shapes:
    """Of all init structures, and of all structures of the hand-written headers."""
    sizes = Sizes(facts)
    out: Shapes = {}
    for s in written:
        sizes.own[s.name] = _whole(s.members, s.union, sizes)
        if not s.union:
            out[s.name] = shape(s.members, sizes)
    out |= {f"vx_{k.name}_init": shape(k.members, sizes) for k in kinds if not k.by_hand}
    return dict(sorted(out.items()))


def load(path: Path = PATH) -> Shapes:
    """What is committed."""
    return tomlfile.load(path).data if path.exists() else {}


def text(record: Shapes) -> str:
    """The file."""
    def line(name: str, row: list[str | int]) -> str:
        return f'{name} = ["{row[0]}", {row[1]}, {row[2]}]\n'

    return HEAD + "".join(f"\n[{name}]\n" + "".join(line(f, row) for f, row in fields.items())
                          for name, fields in record.items())


def in_order(names: list[str], recorded: Shape) -> list[str]:
    """Fields in the order that was published, then those that are new."""
    return [*(n for n in recorded if n in names), *(n for n in names if n not in recorded)]


def complete(found: Shapes, record: Shapes) -> None:
    """New structures and fields are appended; stops where one that was recorded is gone or is not what it was."""
    for name, fields in record.items():
        if name not in found:
            raise GenError(f"struct {name} is no more", file=PATH, hint=HINT)
        for place, (was, row) in enumerate(fields.items()):
            _compare(name, was, row, list(found[name])[place : place + 1], found[name].get(was))
    for name, fields in found.items():
        record.setdefault(name, {}).update(fields)


def _compare(struct: str, name: str, was: list[str | int], there: list[str], now: list[str | int] | None) -> None:
    what = ""
    if now is None:
        what = "is no more"
    elif there != [name]:
        what = f"was before {there[0]}"
    elif now != was:
        what = f"is {now[0]} of {now[2]} bytes at {now[1]}, and was {was[0]} of {was[2]} bytes at {was[1]}"
    if what:
        raise GenError(f"struct {struct}: {name} {what}", file=PATH, hint=HINT)
