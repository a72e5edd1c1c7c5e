# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""What differs between the structures of two releases, and between their fields."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from ..api.facts import Facts, Field, Struct, items
from ..api.layout import RESERVED, flat, is_padding, moves
from ..know.model import MASK
from .changes import ADDED, CHANGED, RECOMPILE, REMOVED, SAFE, UNSAFE, Change, Judgement
from .compare import compare
from .growth import is_found_from_its_end, judge_alignment, judge_growth
from .marks import judge_marks
from .tags import WHY

NUMBERS = {"uint", "int", "enum"}
SIGNED = {"int"}


def structs(a: Facts, b: Facts, stood_for: Mapping[str, Judgement]) -> Iterator[Change]:
    old, new = items(a, "structs"), items(b, "structs")
    yield from compare("struct", old, new, _describe_struct,
                       lambda o, n: judge_growth(o, n, a, b) or judge_alignment(o, n) or judge_marks(o, n) or stood_for.get(n.name))
    macros = {m.text: m.name for m in items(b, "macros").values() if m.kind == "alias"}
    for name in old.keys() & new.keys():
        if not old[name].opaque and not new[name].opaque:
            yield from _fields(old[name], new[name], macros)


def _describe_struct(struct: Struct) -> str:
    return "opaque" if struct.opaque else f"{struct.size} bytes"


@dataclass(frozen=True)
class _Place:
    """A field as part of the whole structure."""

    header: str
    field: Field
    offset: int


def _places(struct: Struct) -> dict[str, _Place]:
    return {f"{struct.name}.{path}": _Place(struct.header, f, offset)
            for path, f, offset in flat(struct.fields)}


def _as_written(path: str, macros: Mapping[str, str]) -> str:
    """A field by what programs may write, as macros stand for its name, or for one on the way to it."""
    return ".".join(macros.get(word, word) for word in path.split("."))


def _fields(old: Struct, new: Struct, macros: Mapping[str, str]) -> Iterator[Change]:
    grown = new.size - old.size
    shift = grown if moves(old, new) == {grown} and is_found_from_its_end(old) else 0
    before, now = _places(old), _places(new)
    renamed = {path: known for path in now if path not in before and (known := _as_written(path, macros)) in before and known not in now}
    after = {renamed.get(path, path): place for path, place in now.items()}
    for path, known in renamed.items():
        yield Change(now[path].header, "field", known, CHANGED, SAFE, WHY, f"declared -> #define of {path.rpartition('.')[2]}")

    for change in compare("field", before, after, _describe_field, lambda o, n: _judge_field(o, n, shift)):
        whole = change.name.rpartition(".")[0]
        if change.change in (ADDED, REMOVED) and whole != new.name and not (whole in before and whole in after):
            continue  # it came or went with what it is a part of
        if change.change == REMOVED and RESERVED.fullmatch(change.name):
            yield replace(change, verdict=SAFE, why="was reserved")
        elif change.change == ADDED:
            yield _added(change, after[change.name], old, shift)
        else:
            yield change


def _added(change: Change, place: _Place, old: Struct, shift: int) -> Change:
    """One that lies where nothing had a name has what callers of before happened to leave there."""
    if not (shift or _is_asked_for(old)) and place.field.size and is_padding(old, place.offset, place.field.size):
        return replace(change, verdict=RECOMPILE, why="new, where there was padding, in which callers leave anything")
    return change


def _is_asked_for(struct: Struct) -> bool:
    """Whether new fields count only for who says so, or lie over old ones."""
    return struct.union or any(f.name == MASK for f in struct.fields)


def _describe_field(place: _Place) -> str:
    return f"{place.field.type} at {place.offset}"


def _judge_field(old: _Place, new: _Place, shift: int) -> Judgement | None:
    a, b = old.field, new.field
    if RESERVED.fullmatch(a.name):
        return None
    if new.offset - old.offset != shift:
        return UNSAFE, "moved", f"offset {old.offset} -> {new.offset}"
    if a.kind == b.kind == "record" and (a.ref, a.count) == (b.ref, b.count) and a.type == b.type:
        return judge_marks(a, b)  # what changed of it is told of the structure that it is
    if (a.size, a.count, a.bits) != (b.size, b.count, b.bits):
        return UNSAFE, "another size", f"{_sized(a)} -> {_sized(b)}"
    if a.type == b.type and a.ref == b.ref:
        return judge_marks(a, b)
    why = _other_type(a, b)
    return (UNSAFE, why, f"{a.type} -> {b.type}") if why else (SAFE, "same representation", f"{a.type} -> {b.type}")


def _sized(f: Field) -> str:
    return f"{f.type} of {f.bits} bits" if f.bits is not None else f"{f.type} of {f.size} bytes"


def _other_type(a: Field, b: Field) -> str:
    """Why what is there means something else now, or may no longer be written; "" where neither is."""
    if _is_big_endian(a) != _is_big_endian(b):
        return "another byte order"
    if "function" in (a.kind, b.kind):
        return "another prototype"
    for word, count in _qualifiers(b).items():
        if count > _qualifiers(a)[word]:
            return f"{word} now: who assigns it, or takes it without, does not compile"
    if {a.kind, b.kind} <= NUMBERS:
        if a.kind == b.kind == "enum":
            return "another enum" if a.ref != b.ref else ""
        return "another sign" if (a.kind in SIGNED) != (b.kind in SIGNED) and "enum" not in (a.kind, b.kind) else ""
    return "" if (a.kind, a.ref, a.target, a.width) == (b.kind, b.ref, b.target, b.width) else "another type"


def _qualifiers(f: Field) -> Counter[str]:
    """Of the field and of what it points to."""
    return Counter(re.findall(r"\b(?:const|volatile)\b", f.type))


def _is_big_endian(f: Field) -> bool:
    return "__be" in f.type and f.kind != "function"
