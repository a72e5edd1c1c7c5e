# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""The structures that programs and the library hand each other: gen/abi/structs.toml, which is only appended to.

A program passes its size of a structure, and both sides believe that what both have lies in the same place, for ever and
whatever headers of rdma-core either was compiled with.
"""

from __future__ import annotations

import re
from collections.abc import Container
from pathlib import Path
from typing import TYPE_CHECKING

from ..api import own
from ..api.facts import Field, Struct
from ..api.own import UNNAMED
from ..api.sizes import AS_A_POINTER, LP64, MACHINES, SCALARS, Machine, Shape, Shapes, Sizes, base, elements, extent, member, up
from ..errors import GenError
from ..files import tomlfile
from ..paths import GEN
from . import entire

if TYPE_CHECKING:
    from ..plan.model.object import Kind

PATH = GEN / "abi/structs.toml"
HEAD = """\
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#
# The structures that programs and libverbsx hand each other, part of the ABI: field = [type, offset, size], in bytes where a
# pointer has 8. ./dev regen appends what is new. No line is ever changed, moved or taken away: a program that was compiled
# years ago goes by it.
"""
HINT = ("a program that was compiled goes by it: leave it, and add a new one at the end. What was never released may be taken "
        "out of the file")
CONST = re.compile(r"^const (?=[^*(]*$)|(?<=\*)const(?=$|[\[)])")  # of what is declared, not of what that points to
GOES_IN = ("_init", "_change", "_spec")  # what programs fill


def _lay(members: list[tuple[str, str]], sizes: Sizes) -> Shape:
    out: Shape = {}
    end = 0
    for name, c_type in members:
        size, alignment = sizes.of(c_type)
        offset = up(end, alignment)
        out[name] = [c_type, offset, size]
        end = offset + size
    return out


def shape(declarations: list[str], sizes: Sizes) -> Shape:
    """Where the members of a structure lie."""
    return _lay([member(d) for d in declarations], sizes)


def whole(declarations: list[str], union: bool, sizes: Sizes) -> tuple[int, int]:
    """Size and alignment of a structure or union."""
    return extent([sizes.of(member(d)[1]) for d in declarations], union)


def _gap(members: list[tuple[str, str]], sizes: Sizes) -> int:
    last = list(_lay(members, sizes).values())[-1]
    return extent([sizes.of(c_type) for _, c_type in members], False)[0] - int(last[1]) - int(last[2])


def on_machines(facts: dict[str, Struct], recorded: Shapes) -> list[Sizes]:
    """Of all machines, where these structures are for ever what they were."""
    return [Sizes(facts, machine, recorded=recorded) for machine in MACHINES]


def filler(declarations: list[str], machines: list[Sizes]) -> list[str]:
    """Types of members that leave no bytes without a name at the end of a structure, on no machine.

    Bytes do where all machines lack as many; a number as long as a pointer where those with shorter pointers lack others.
    """
    members = [member(d)[1] for d in declarations]
    laid = [([sizes.of(c_type) for c_type in members], sizes) for sizes in machines]
    ends = [(_end(there), extent(there, False)[1], sizes) for there, sizes in laid]
    for end in ([], ["uintptr_t"]):
        for count in range(LP64.aligned):
            types = [*([f"uint8_t[{count}]"] if count else []), *end]
            if all(_fills(types, *place) for place in ends):
                return types
    raise GenError(f"{declarations[-1]}: no members behind it leave no bytes without a name on all machines",
                   hint="gen/promise/shapes.py tries bytes, and a number as long as a pointer")


def _end(members: list[tuple[int, int]]) -> int:
    """Where the last of these ends, by their sizes and alignments."""
    end = 0
    for size, alignment in members:
        end = up(end, alignment) + size
    return end


def _fills(types: list[str], end: int, alignment: int, sizes: Sizes) -> bool:
    """Whether members of these types leave no bytes behind what ends there, and neither before themselves."""
    for size, own_alignment in map(sizes.of, types):
        if end % own_alignment:
            return False
        end, alignment = end + size, max(alignment, own_alignment)
    return end % alignment == 0


def placeholder(name: str, c_type: str, size: int) -> str:
    """A member in the place of one whose type may be of newer headers."""
    if c_type.endswith("*") or c_type == "function":
        return f"void *{name}"
    return f"{c_type} {name}" if c_type in SCALARS or c_type in AS_A_POINTER else f"uint8_t {name}[{size}]"


def shapes(kinds: list[Kind], facts: dict[str, Struct], written: list[own.OwnStruct], record: Shapes | None = None) -> Shapes:
    """Of all init structures, of what rdma-core has that these hold, and of all structures of the hand-written headers."""
    record = record or {}
    known = of_rdma_core(record, facts)
    sizes = _sizes(facts, written, LP64, known)
    out = {s.name: shape(s.members, sizes) for s in written if not s.union}
    inits = {f"vx_{k.name}_init": _named(shape(k.members, sizes), k) for k in kinds if not k.by_hand and k.ways}
    out |= inits | _held(inits, facts, known)
    for machine in MACHINES:
        _refuse_gaps(out, _sizes(facts, written, machine, known))
    return dict(sorted(out.items()))


def of_rdma_core(record: Shapes, facts: dict[str, Struct]) -> Shapes:
    """Its structures, as they were when they were published as members of others, or will be: one that is packed, or that older headers
    lack, as its members are."""
    out = {name: fields for name, fields in record.items() if not name.startswith("vx_")}
    sizes = Sizes(facts, recorded=out)
    oldest = min((s.since for s in facts.values()), default=0)
    for s in facts.values():
        if s.name not in out and (s.align or s.since > oldest) and not s.union and s.fields and all(_has_type(f, facts, oldest) for f in s.fields):
            out[s.name] = _lay([(f.name, _type(f) if s.since > oldest else f.type) for f in s.fields if not f.until], sizes)
    return out


def _has_type(f: Field, facts: dict[str, Struct], oldest: int) -> bool:
    """Whether its type and its name declare a field, with any headers."""
    inner = facts.get(f.ref) if f.kind == "record" else None
    newer = inner is not None and (inner.union or inner.typedef or f.count is not None or not all(_has_type(part, facts, oldest) for part in inner.fields))
    return (f.kind != "function" and not f.fields and f.bits is None and not f.union and f.size > 0 and is_plain(f)
            and not (inner and inner.since > oldest and newer))


def is_plain(f: Field) -> bool:
    """Whether the type of a field is one of C11 that C++ has as well."""
    return not any(word in f.type for word in ("_Atomic", "_Complex", "__attribute__"))


def changeable(c_type: str) -> str:
    """A type whose objects may be written to."""
    return CONST.sub("", c_type)


def _type(f: Field) -> str:
    """A type that does without a new enum."""
    return uint(f) if f.kind == "enum" else f.type


def uint(f: Field) -> str:
    """The number that has as many bits as each element of a field."""
    return f"uint{8 * f.size // (elements(f.type) or 1)}_t{f.type.removeprefix(base(f.type))}"


def _held(found: Shapes, facts: dict[str, Struct], record: Shapes) -> Shapes:
    """The structures of rdma-core that some hold, with what those hold."""
    names = {str(row[0]).removeprefix("struct ") for fields in found.values() for row in fields.values()}
    out = {name: record.get(name) or _of_facts(facts[name]) for name in sorted(names & facts.keys()) if not facts[name].union}
    return out | (_held(out, facts, record) if out else {})


def _of_facts(s: Struct) -> Shape:
    return {f.name: [f.type, f.offset, f.size] for f in s.fields if not f.until}


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


def _sizes(facts: dict[str, Struct], written: list[own.OwnStruct], machine: Machine, known: Shapes) -> Sizes:
    sizes = Sizes(facts, machine, recorded=known)
    for s in written:
        sizes.own[s.name] = whole(s.members, s.union, sizes)
    return sizes


def _types(fields: Shape) -> list[tuple[str, str]]:
    return [(name, str(row[0])) for name, row in fields.items()]


def on_each(record: Shapes, facts: dict[str, Struct], written: list[own.OwnStruct]) -> list[Shapes]:
    """Where the same fields lie on each machine."""
    known = of_rdma_core(record, facts)
    machines = [_sizes(facts, written, machine, known) for machine in MACHINES]
    return [{name: _lay(_types(fields), sizes) for name, fields in record.items()} for sizes in machines]


def _named(found: Shape, kind: Kind) -> Shape:
    """Less the places that are kept for what is no more."""
    names = {kind.mask, kind.also, *(f.name for f in kind.fields)}
    return {name: row for name, row in found.items() if name in names or name.startswith(UNNAMED)}


def load(path: Path = PATH) -> Shapes:
    """What is committed."""
    doc = entire.load(path)
    for name, fields in doc.data.items():
        if type(fields) is not dict:
            raise doc.error("", name, f"{name}: must be a table of fields", HINT)
        for field_name, row in fields.items():
            if type(row) is not list or [type(part) for part in row] != [str, int, int]:
                raise doc.error(name, field_name, f"{name}: {field_name}: must be [type, offset, size]", HINT)
    return doc.data


def text(record: Shapes) -> str:
    """The file."""
    def line(name: str, row: list[str | int]) -> str:
        return f'{name} = ["{row[0]}", {row[1]}, {row[2]}]\n'

    return HEAD + "".join(f"\n[{name}]\n" + "".join(line(f, row) for f, row in fields.items())
                          for name, fields in record.items()) + entire.END


def in_order(names: list[str], recorded: Shape) -> list[str]:
    """Fields in the order that was published, then those that are new."""
    return [*(n for n in recorded if n in names), *(n for n in names if n not in recorded)]


def complete(found: Shapes, record: Shapes, undecided: Container[str] = ()) -> None:
    """New structures and fields are appended, up to what lore has yet to say something about, which may make another type of it; stops where
    one that was recorded is gone or is not what it was."""
    for name, fields in record.items():
        if name not in found:
            raise tomlfile.load(PATH).error(name, None, f"struct {name} is no more", HINT)
        for place, (was, row) in enumerate(fields.items()):
            _compare(name, was, row, list(found[name])[place : place + 1], found[name].get(was))
    for name, fields in found.items():
        if settled := _settled(name, fields, record.get(name, {}), undecided):
            record.setdefault(name, {}).update(settled)


def _settled(name: str, fields: Shape, known: Shape, undecided: Container[str]) -> Shape:
    """Those before the first that is not; a structure of rdma-core is published whole."""
    there = list(fields)
    end = next((place for place, f in enumerate(there) if f not in known and f"{name}.{f}" in undecided), len(there))
    return {f: fields[f] for f in there[:end]} if end == len(there) or name.startswith("vx_") else {}


def _compare(struct: str, name: str, was: list[str | int], there: list[str], now: list[str | int] | None) -> None:
    what = ""
    if now is None:
        what = "is no more"
    elif there != [name]:
        what = f"was before {there[0]}"
    elif now != was:
        what = f"is {now[0]} of {now[2]} bytes at {now[1]}, and was {was[0]} of {was[2]} bytes at {was[1]}"
    if what:
        raise tomlfile.load(PATH).error(struct, name, f"struct {struct}: {name} {what}", HINT)
