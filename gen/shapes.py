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
    from .plan.object_model import Kind

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
GOES_IN = ("_init", "_change", "_spec")  # what programs fill
SCALARS = {"bool": 1, "_Bool": 1, "int8_t": 1, "int16_t": 2, "int32_t": 4, "ssize_t": 8, "off_t": 8, "unsigned long": 8,
           "char": 1, "int": 4, "unsigned int": 4, "long": 8, "size_t": 8, "uintptr_t": 8, "uint8_t": 1,
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
        if c_type not in SCALARS:
            raise GenError(f"{c_type}: of no size that is known", hint="add it to SCALARS of gen/shapes.py")
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


def _type(member: str) -> str:
    match = DECLARATION.fullmatch(member)
    return match["type"] if match and not FUNCTION.fullmatch(member) else "void *"


def _whole(members: list[str], union: bool, sizes: Sizes) -> tuple[int, int]:
    """Size and alignment of a structure or union."""
    each = [sizes.of(_type(m)) for m in members]
    alignment = max(a for _, a in each)
    if union:
        return _up(max(s for s, _ in each), alignment), alignment
    last = list(shape(members, sizes).values())[-1]
    return _up(int(last[1]) + int(last[2]), alignment), alignment


def gap(members: list[str], sizes: Sizes) -> int:
    """The bytes behind the last member that only align the structure in an array, where a pointer has 8."""
    last = list(shape(members, sizes).values())[-1]
    return _whole(members, False, sizes)[0] - int(last[1]) - int(last[2])


def placeholder(name: str, c_type: str, size: int) -> str:
    """A member in the place of one whose type may be of newer headers."""
    if c_type.endswith("*") or c_type == "function":
        return f"void *{name}"
    return f"{c_type} {name}" if c_type in SCALARS else f"uint8_t {name}[{size}]"


def shapes(kinds: list[Kind], facts: dict[str, Struct], written: list[own.OwnStruct]) -> Shapes:
    """Of all init structures, and of all structures of the hand-written headers."""
    sizes = Sizes(facts)
    out: Shapes = {}
    for s in written:
        sizes.own[s.name] = _whole(s.members, s.union, sizes)
        if s.union:
            continue
        out[s.name] = shape(s.members, sizes)
        if s.name.endswith(GOES_IN) and gap(s.members, sizes):
            raise GenError(f"struct {s.name}: its last {gap(s.members, sizes)} bytes have no name",
                           hint="name them reserved: what a later version puts there is anything in programs of today")
    out |= {f"vx_{k.name}_init": _named(shape(k.members, sizes), k) for k in kinds if not k.by_hand}
    return dict(sorted(out.items()))


def _named(found: Shape, kind: Kind) -> Shape:
    """Less the places that are kept for what is no more."""
    names = {kind.selector or "comp_mask", *(f.name for f in kind.fields)}
    return {name: row for name, row in found.items() if name in names or name.startswith("reserved")}


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
