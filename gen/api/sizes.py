# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""Size and alignment of types of C, on the machines that libverbsx runs on."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator
from functools import cache, cached_property
from math import prod

from ..errors import GenError
from ..fast.record import constant, field, record
from .facts import Field, Struct

DECLARATION = re.compile(r"(?P<type>.+?[ *])(?P<name>\w+)(?P<array>(?:\[\d+\])*)", re.S)
ARRAY = re.compile(r"(?P<type>.*[^ ]) ?\[(?P<count>\d+)\]")
FUNCTION = re.compile(r".+\(\*(?P<name>\w+)\)\(.*\)")
TO_MORE = re.compile(r"[^()]*\(\*+[\w ]*(?P<arrays>(?:\[\d+\])*)\) ?[\[(].*", re.S)  # a pointer to an array or a function; an array of such
QUALIFIED = re.compile(r"(?:\s*\b(?:const|volatile|(?:__)?restrict))+\Z")  # a pointer: what is said of itself
INLINE = re.compile(r"(?P<word>struct|union) \{ (?P<members>.*;) \}")  # one that is defined where it is used
SCALARS = {"bool": 1, "_Bool": 1, "int8_t": 1, "int16_t": 2, "int32_t": 4, "char": 1, "int": 4, "unsigned int": 4, "uint8_t": 1,
           "uint16_t": 2, "uint32_t": 4, "uint64_t": 8, "int64_t": 8, "__be16": 2, "__be32": 4, "__be64": 8,
           "float": 4, "double": 8}
AS_A_POINTER = {"function", "size_t", "ssize_t", "uintptr_t", "long", "unsigned long"}  # all that have its size
WIDEST = {"long double", "__int128", "unsigned __int128", "__int128_t", "__uint128_t"}  # and aligned to it


@constant
class Machine:
    """What differs between machines."""

    pointer: int
    aligned: int  # the most that a number is aligned to


MACHINES = LP64, ILP32, I386 = Machine(8, 8), Machine(4, 8), Machine(4, 4)

Shape = dict[str, list[str | int]]  # field -> type, offset, size
Shapes = dict[str, Shape]
_lately: deque[tuple[dict[str, Struct], dict[str, int]]] = deque(maxlen=4)  # what fields of these facts have: many sizes are of the same


@record
class Sizes:
    """Size and alignment of a type."""

    facts: dict[str, Struct]
    machine: Machine = LP64
    own: dict[str, tuple[int, int]] = field(default_factory=dict)  # of what is written by hand
    recorded: Shapes = field(default_factory=dict)  # structures that are for ever what they were
    known: dict[str, tuple[int, int]] = field(default_factory=dict)  # what was asked for before

    def of(self, c_type: str) -> tuple[int, int]:
        if c_type not in self.known:
            self.known[c_type] = self._of(c_type)
        return self.known[c_type]

    def _of(self, c_type: str) -> tuple[int, int]:
        if c_type in SCALARS:  # as most are
            return self._number(SCALARS[c_type], c_type)
        c_type = c_type.removeprefix("const ").strip()
        if "(*" in c_type and (pointers := TO_MORE.fullmatch(c_type)):
            return self.machine.pointer * prod(map(int, re.findall(r"\d+", pointers["arrays"]))), self.machine.pointer
        if c_type.endswith("]") and (array := ARRAY.fullmatch(c_type)):
            size, alignment = self.of(array["type"])
            return size * int(array["count"]), alignment
        if QUALIFIED.sub("", c_type).endswith("*") or c_type in AS_A_POINTER:
            return self.machine.pointer, self.machine.pointer
        if c_type.endswith("}") and (inline := INLINE.fullmatch(c_type)):
            return extent([self.of(t) for _, t in map(member, split(inline["members"]))], inline["word"] == "union")
        word, _, name = c_type.partition(" ")
        if word in ("struct", "union"):
            return self._of_record(name, c_type)
        if c_type in self.facts and self.facts[c_type].typedef:
            return self._of_record(c_type, c_type)
        if word != "enum" and c_type not in SCALARS and c_type not in self._met:
            raise GenError(f"{c_type}: of no size that is known", hint="add it to SCALARS of gen/api/sizes.py")
        return self._number(SCALARS.get(c_type) or self._met.get(c_type, 4), c_type)

    @cached_property
    def _met(self) -> dict[str, int]:
        """The sizes of what else fields have, such as types of the C library: on a machine with long pointers."""
        for facts, met in _lately:
            if facts is self.facts:
                return met
        met = {base(f.type): f.size // max(elements(f.type), 1) for s in self.facts.values() for f in _walk(s.fields)
               if f.type not in SCALARS and f.ref not in self.facts and not f.fields and f.kind not in ("pointer", "function") and f.size}
        _lately.append((self.facts, met))
        return met

    def _number(self, size: int, c_type: str = "") -> tuple[int, int]:
        """Aligned to as much as its size can be divided by, and no more than the machine wants."""
        return size, size if c_type in WIDEST else min(size & -size or 1, self.machine.aligned)

    def _of_record(self, name: str, c_type: str) -> tuple[int, int]:
        if name in self.own:
            return self.own[name]
        if name in self.recorded:
            return extent([self.of(str(row[0])) for row in self.recorded[name].values()], False)
        if name not in self.facts and c_type in self._met:
            return self._number(self._met[c_type])
        return self._of_facts(self.facts[name])

    def _of_facts(self, s: Struct) -> tuple[int, int]:
        there = [f for f in s.fields if not f.until]
        size, alignment = self._of_fields(there, s.union)
        if s.align:  # packed, or aligned to more
            size, alignment = sum(self._of_field(f)[0] for f in there) if s.align == 1 and not s.union else up(size, s.align), s.align
        known = all(f.bits is None and not f.union for f in there) and not s.align
        if self.machine == LP64 and size != s.size:
            if known:
                raise GenError(f"{'union' if s.union else 'struct'} {s.name}: would have {size} bytes, and has {s.size}",
                               hint="gen/api/sizes.py does not know how one of its fields lies")
            size = s.size
        return size, alignment

    def _of_fields(self, fields: list[Field], union: bool) -> tuple[int, int]:
        return extent([self._of_field(f) for f in fields], union)

    def _of_field(self, f: Field) -> tuple[int, int]:
        if f.kind in ("pointer", "function") or base(f.type) in AS_A_POINTER:
            size, alignment = self.machine.pointer, self.machine.pointer
            return size * elements(f.type), alignment
        count = 1 if f.count is None else f.count
        if f.fields or f.ref in self.facts and f.kind == "record":
            size, alignment = (self._of_fields(f.fields, f.type.startswith("union")) if f.fields
                               else self._of_facts(self.facts[f.ref]))
            return size * count, alignment
        c_type = base(f.type)
        return f.size, self._number(SCALARS.get(c_type) or f.size // max(count, 1) or 1, c_type)[1]


def _walk(fields: list[Field]) -> Iterator[Field]:
    for f in fields:
        yield f
        yield from _walk(f.fields)


def is_number(c_type: str) -> bool:
    """Whether C makes another number of it without a word."""
    return c_type in SCALARS or c_type in AS_A_POINTER - {"function"} or c_type.startswith("enum ")


def base(c_type: str) -> str:
    """The type of the elements of an array, of however many dimensions."""
    return c_type.partition("[")[0].strip()


def elements(c_type: str) -> int:
    """How many an array has; 1 of what is none."""
    total = 1
    while "[" in c_type and (array := ARRAY.fullmatch(c_type)):
        total, c_type = total * int(array["count"]), array["type"]
    return 0 if c_type.endswith("[]") else total


def up(offset: int, alignment: int) -> int:
    return -(-offset // alignment) * alignment


def extent(members: list[tuple[int, int]], union: bool) -> tuple[int, int]:
    """Size and alignment of a structure or union, of those of its members."""
    last = 0
    for size, alignment in members:
        last = max(last, size) if union else up(last, alignment) + size
    most = max((alignment for _, alignment in members), default=1)
    return up(last, most), most


def split(members: str) -> list[str]:
    """The declarations of the members of a structure that is defined where it is used; those of inner ones stay together."""
    out, depth, start = [], 0, 0
    for at, c in enumerate(members):
        depth += {"{": 1, "}": -1}.get(c, 0)
        if c == ";" and depth == 0:
            out.append(members[start:at].strip())
            start = at + 1
    return out


@cache
def member(declaration: str) -> tuple[str, str]:
    """Name and type."""
    if "(*" in declaration and (function := FUNCTION.fullmatch(declaration)):
        return function["name"], "function"
    match = DECLARATION.fullmatch(declaration)
    if not match:
        raise GenError(f"{declaration}: no member that could be recorded")
    return match["name"], match["type"].strip() + match["array"]
