# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""What it means to callers that a structure has grown.

Whether growth is safe depends on who allocates the structure, and on what tells the library how much of it is
there. Both are read off the functions and structures of the old release, which an existing caller uses.
"""

from __future__ import annotations

import re

from ..api.facts import Call, Facts, Struct, items
from ..api.layout import flat, moves
from ..know.model import MASK
from .changes import RECOMPILE, SAFE, UNSAFE, Judgement

SIZE_PARAMETER = re.compile(r"(\w+_)?(size|len|sz)")
OF_STRUCTURE = re.compile(r"(in|out)len")  # of any type


def judge_growth(old: Struct, new: Struct, a: Facts, b: Facts) -> Judgement | None:
    """What a new size means, going by how the old release used the structure."""
    if old.opaque != new.opaque:
        return (SAFE, "now defined", "") if old.opaque else (UNSAFE, "no longer defined", "")
    if old.union != new.union:
        return UNSAFE, "another sort of record", " -> ".join("union" if s.union else "struct" for s in (old, new))
    if old.size == new.size:
        return None
    sizes = f"{old.size} -> {new.size} bytes"
    if new.size < old.size:
        return UNSAFE, "shrank", sizes
    at_end, at_front = moves(old, new) <= {0}, moves(old, new) == {new.size - old.size}
    if not at_end and not at_front:
        return UNSAFE, "grew in the middle", sizes
    if at_front and not is_found_from_its_end(old):
        return UNSAFE, "grew at the front, so that all members moved", sizes
    if holder := _holder(new.name, a):
        return RECOMPILE, f"grew, and is held by value in {holder}", sizes
    if call := _takes_array(new.name, a):
        return RECOMPILE, f"grew, and {call} takes an array of them", sizes
    if at_front:
        return SAFE, "grew at the front; members keep their distance from its end", sizes
    return *_grew_at_end(old, new, a, b), sizes


def judge_alignment(old: Struct, new: Struct) -> Judgement | None:
    """What it means that members stay where they are, and the whole may lie elsewhere."""
    if old.align == new.align:
        return None
    sizes = " -> ".join(f"to {s.align} bytes" if s.align else "as its members are" for s in (old, new))
    return RECOMPILE, "callers may have it where the library does not expect it, and in theirs it may lie elsewhere", sizes


def is_found_from_its_end(struct: Struct) -> bool:
    """Whether callers have its last member, and reach the others backwards from there: with its size it can grow at the front."""
    last = struct.fields[-1] if struct.fields else None
    return bool(last and last.kind == "record" and any(SIZE_PARAMETER.fullmatch(f.name) for f in struct.fields))


def _grew_at_end(old: Struct, new: Struct, a: Facts, b: Facts) -> tuple[str, str]:
    """The library must know how much of the structure the caller has."""
    if call := _returns(old.name, a):
        return SAFE, f"grew at the end; the library allocates it ({call})"
    if any(f.name == MASK for f in old.fields) and (enum := _has_got_bits(old, new, a, b)):
        return SAFE, f"grew at the end; {MASK} asks for the new part, by new bits of {enum}"
    if call := _told_size(old.name, a):
        return SAFE, f"grew at the end; {call} is told its size"
    if enum := _selector(old, new, b):
        return SAFE, f"grew at the end; {enum} selects the new part"
    return RECOMPILE, "grew at the end; nothing tells the library how much a caller has"


def _has_got_bits(old: Struct, new: Struct, a: Facts, b: Facts) -> str:
    """The enum with bits of the mask that are new: the one that the header's comment names, or that is called as the structure, give or take its last word."""
    known = {v.name for enum in items(a, "enums").values() for v in enum.values}
    called = {f"{stem}_{end}" for stem in (old.name, old.name.rpartition("_")[0]) for end in ("mask", MASK)} | {f.hint for f in new.fields if f.name == MASK}
    return next((enum.name for enum in items(b, "enums").values() if enum.name in called and any(v.name not in known for v in enum.values)), "")


def _holder(name: str, facts: Facts) -> str:
    """A structure that has this one as a member, not behind a pointer."""
    for struct in items(facts, "structs").values():
        for path, f, _ in flat(struct.fields):
            if f.kind == "record" and f.ref == name:
                return f"{struct.name}.{path}"
    return ""


def _takes_array(name: str, facts: Facts) -> str:
    """A function with a parameter that is an array of this structure."""
    array = re.compile(rf"struct {name} ?\[.*")
    taking = (c.name for c in _exported_first(facts) if any(array.fullmatch(p.type) for p in c.params))
    return next(taking, "")


def _told_size(name: str, facts: Facts) -> str:
    """A function, or a member that points to one, that takes this structure together with its size."""
    pointer = f"struct {name} *"
    for call in _exported_first(facts):
        size = any(p.type == "size_t" and SIZE_PARAMETER.fullmatch(p.name) or OF_STRUCTURE.fullmatch(p.name) for p in call.params)
        if size and any(p.type.endswith(pointer) for p in call.params):
            return call.name
    for struct in items(facts, "structs").values():
        for path, f, _ in flat(struct.fields):
            if f.kind == "function" and f"{pointer}, size_t" in f.type:
                return f"{struct.name}.{path}"
    return ""


def _selector(old: Struct, new: Struct, b: Facts) -> str:
    """An enum with an enumerator for each new member: mlx5dv_obj_type has one for mlx5dv_obj.devx."""
    enum = items(b, "enums").get(f"{new.name}_type")
    added = {f.name for f in new.fields} - {f.name for f in old.fields}
    if enum and all(any(v.name.endswith(f"_{name.upper()}") for v in enum.values) for name in added):
        return enum.name
    return ""


def _returns(name: str, facts: Facts) -> str:
    return next((c.name for c in _exported_first(facts) if c.result == f"struct {name} *"), "")


def _exported_first(facts: Facts) -> list[Call]:
    """All functions; those a reader knows before inline ones and those named with underscores."""
    calls = items(facts, "calls").values()
    return sorted(calls, key=lambda c: (c.name.startswith("_"), c.kind != "extern", c.name))
