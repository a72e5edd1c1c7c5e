# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""The structures that programs and the library hand each other: gen/abi/structs.toml, which is only appended to.

A program passes its size of a structure, and both sides believe that what both have lies in the same place, for ever and
whatever headers of rdma-core either was compiled with.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from . import own, tomlfile
from .errors import GenError
from .facts import Field, Struct
from .own import UNNAMED
from .record import constant, field, value

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
ARRAY = re.compile(r"(?P<type>.*[^ ]) ?\[(?P<count>\d+)\]")
FUNCTION = re.compile(r".+\(\*(?P<name>\w+)\)\(.*\)")
GOES_IN = ("_init", "_change", "_spec")  # what programs fill
SCALARS = {"bool": 1, "_Bool": 1, "int8_t": 1, "int16_t": 2, "int32_t": 4, "char": 1, "int": 4, "unsigned int": 4, "uint8_t": 1,
           "uint16_t": 2, "uint32_t": 4, "uint64_t": 8, "int64_t": 8, "__be16": 2, "__be32": 4, "__be64": 8}
AS_A_POINTER = {"function", "size_t", "ssize_t", "uintptr_t", "long", "unsigned long"}  # all that have its size


@constant
class Machine:
    """What differs between machines."""

    pointer: int
    aligned: int  # the most that a number is aligned to


MACHINES = LP64, ILP32, I386 = Machine(8, 8), Machine(4, 8), Machine(4, 4)

Shape = dict[str, list[str | int]]  # field -> type, offset, size
Shapes = dict[str, Shape]


@value
class Sizes:
    """Size and alignment of a type."""

    facts: dict[str, Struct]
    machine: Machine = LP64
    own: dict[str, tuple[int, int]] = field(default_factory=dict)  # of what is written by hand

    def of(self, c_type: str) -> tuple[int, int]:
        c_type = c_type.removeprefix("const ").strip()
        if array := ARRAY.fullmatch(c_type):
            size, alignment = self.of(array["type"])
            return size * int(array["count"]), alignment
        word, _, name = c_type.partition(" ")
        if c_type.endswith("*") or c_type in AS_A_POINTER:
            return self.machine.pointer, self.machine.pointer
        if word in ("struct", "union"):
            return self.own[name] if name in self.own else self._of_facts(self.facts[name])
        if word != "enum" and c_type not in SCALARS:
            raise GenError(f"{c_type}: of no size that is known", hint="add it to SCALARS of gen/shapes.py")
        return self._number(SCALARS.get(c_type, 4))

    def _number(self, size: int) -> tuple[int, int]:
        return size, min(size, self.machine.aligned)

    def _of_facts(self, s: Struct) -> tuple[int, int]:
        size, alignment = self._of_fields(s.fields, s.union)
        if self.machine == LP64 and size != s.size:
            raise GenError(f"{'union' if s.union else 'struct'} {s.name}: would have {size} bytes, and has {s.size}",
                           hint="gen/shapes.py does not know how one of its fields lies")
        return size, alignment

    def _of_fields(self, fields: list[Field], union: bool) -> tuple[int, int]:
        return _end([self._of_field(f) for f in fields], union)

    def _of_field(self, f: Field) -> tuple[int, int]:
        count = 1 if f.count is None else f.count
        if f.kind in ("pointer", "function") or f.type.partition("[")[0].strip() in AS_A_POINTER:
            size, alignment = self.machine.pointer, self.machine.pointer
        elif f.kind == "record":
            size, alignment = (self._of_fields(f.fields, f.type.startswith("union")) if f.fields
                               else self._of_facts(self.facts[f.ref]))
        else:
            size, alignment = self._number(f.size // count)
        return size * count, alignment


def _up(offset: int, alignment: int) -> int:
    return -(-offset // alignment) * alignment


def _end(members: list[tuple[int, int]], union: bool) -> tuple[int, int]:
    """Size and alignment of a structure or union, of those of its members."""
    end = 0
    for size, alignment in members:
        end = max(end, size) if union else _up(end, alignment) + size
    most = max(alignment for _, alignment in members)
    return _up(end, most), most


def _member(declaration: str) -> tuple[str, str]:
    """Name and type."""
    if function := FUNCTION.fullmatch(declaration):
        return function["name"], "function"
    match = DECLARATION.fullmatch(declaration)
    if not match:
        raise GenError(f"{declaration}: no member that could be recorded", file=PATH)
    return match["name"], match["type"].strip() + (f"[{match['count']}]" if match["count"] else "")


def _lay(members: list[tuple[str, str]], sizes: Sizes) -> Shape:
    out: Shape = {}
    end = 0
    for name, c_type in members:
        size, alignment = sizes.of(c_type)
        offset = _up(end, alignment)
        out[name] = [c_type, offset, size]
        end = offset + size
    return out


def shape(declarations: list[str], sizes: Sizes) -> Shape:
    """Where the members of a structure lie."""
    return _lay([_member(d) for d in declarations], sizes)


def whole(declarations: list[str], union: bool, sizes: Sizes) -> tuple[int, int]:
    """Size and alignment of a structure or union."""
    return _end([sizes.of(_member(d)[1]) for d in declarations], union)


def _gap(members: list[tuple[str, str]], sizes: Sizes) -> int:
    last = list(_lay(members, sizes).values())[-1]
    return _end([sizes.of(c_type) for _, c_type in members], False)[0] - int(last[1]) - int(last[2])


def filler(declarations: list[str], facts: dict[str, Struct]) -> list[str]:
    """Types of members that leave no bytes without a name at the end of a structure, on no machine.

    Bytes do where all machines lack as many; a number as long as a pointer where those with shorter pointers lack others.
    """
    members = [_member(d) for d in declarations]
    for end in ([], ["uintptr_t"]):
        for count in range(LP64.aligned):
            types = [*([f"uint8_t[{count}]"] if count else []), *end]
            whole_now = [*members, *((str(i), t) for i, t in enumerate(types))]
            if not any(_gap(whole_now, sizes) or _holes(whole_now, len(types), sizes)
                       for sizes in (Sizes(facts, machine) for machine in MACHINES)):
                return types
    raise GenError(f"{declarations[-1]}: no members behind it leave no bytes without a name on all machines",
                   hint="gen/shapes.py tries bytes, and a number as long as a pointer")


def _holes(members: list[tuple[str, str]], count: int, sizes: Sizes) -> int:
    """The bytes before the last members that only align these."""
    rows = [(int(offset), int(size)) for _, offset, size in _lay(members, sizes).values()]
    return sum(offset - sum(before) for before, (offset, _) in list(zip(rows, rows[1:]))[len(rows) - 1 - count:])


def placeholder(name: str, c_type: str, size: int) -> str:
    """A member in the place of one whose type may be of newer headers."""
    if c_type.endswith("*") or c_type == "function":
        return f"void *{name}"
    return f"{c_type} {name}" if c_type in SCALARS or c_type in AS_A_POINTER else f"uint8_t {name}[{size}]"


def shapes(kinds: list[Kind], facts: dict[str, Struct], written: list[own.OwnStruct]) -> Shapes:
    """Of all init structures, and of all structures of the hand-written headers."""
    sizes = _sizes(facts, written, LP64)
    out = {s.name: shape(s.members, sizes) for s in written if not s.union}
    out |= {f"vx_{k.name}_init": _named(shape(k.members, sizes), k) for k in kinds if not k.by_hand}
    for machine in MACHINES:
        _refuse_gaps(out, _sizes(facts, written, machine))
    return dict(sorted(out.items()))


def _refuse_gaps(found: Shapes, sizes: Sizes) -> None:
    """What a later version puts into bytes that have no name is anything in what programs, or the library, of today fill.

    A structure within another has no end of its own: nothing can be appended to it.
    """
    held = {str(row[0]).partition("[")[0].removeprefix("struct ") for fields in found.values() for row in fields.values()}
    for name, fields in found.items():
        bytes_left = 0 if name in held else _gap(_types(fields), sizes)
        if bytes_left:
            raise GenError(f"struct {name}: its last {bytes_left} bytes have no name where a pointer has {sizes.machine.pointer}",
                           hint="name them reserved_: what a later version puts there is anything in what is filled by today's")


def _sizes(facts: dict[str, Struct], written: list[own.OwnStruct], machine: Machine) -> Sizes:
    sizes = Sizes(facts, machine)
    for s in written:
        sizes.own[s.name] = whole(s.members, s.union, sizes)
    return sizes


def _types(fields: Shape) -> list[tuple[str, str]]:
    return [(name, str(row[0])) for name, row in fields.items()]


def on(record: Shapes, facts: dict[str, Struct], written: list[own.OwnStruct], machine: Machine) -> Shapes:
    """Where the same fields lie on another machine."""
    sizes = _sizes(facts, written, machine)
    return {name: _lay(_types(fields), sizes) for name, fields in record.items()}


def _named(found: Shape, kind: Kind) -> Shape:
    """Less the places that are kept for what is no more."""
    names = {kind.mask, *(f.name for f in kind.fields)}
    return {name: row for name, row in found.items() if name in names or name.startswith(UNNAMED)}


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
