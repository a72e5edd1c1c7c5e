# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""Structures of rdma-core as members of init structures: programs go by what was published, whatever headers they have.

One that has grown, or lost a member, since then is there with the members that were published, and what is new follows the
init structure's other fields. One without a tag is defined where it is used.
"""

from __future__ import annotations

from ...api.facts import Field, Struct
from ...api.sizes import Shapes, base
from ...promise import shapes
from .calls import declared


def is_frozen(s: Struct, recorded: Shapes, oldest: int) -> bool:
    """Whether it has other members than those that were published, or has had in some release; or is aligned as no members are,
    or not in all headers."""
    shape = recorded.get(s.name)
    if shape is None or s.align or s.since > oldest:
        return shape is not None
    now = {f.name: (f.offset, f.size) for f in s.fields if not f.until}
    return len(now) < len(s.fields) or now != {name: (row[1], row[2]) for name, row in shape.items()}


def published(name: str, recorded: Shapes) -> str:
    """The structure with the members that were published, as a type."""
    return "struct { " + " ".join(f"{declared(_type(str(row[0]), recorded), n)};" for n, row in recorded[name].items()) + " }"


def _type(c_type: str, recorded: Shapes) -> str:
    name = c_type.removeprefix("struct ")
    return published(name, recorded) if name in recorded else c_type


def is_plain(fields: list[Field]) -> bool:
    """Whether the members of a structure without a tag are declared by their types alone: no bit-fields, nor what lies in something else without a name."""
    return not any(f.bits is not None or f.union or not shapes.is_plain(f) or not is_plain(f.fields) for f in fields)


def unnamed(f: Field) -> str:
    """A structure or union without a tag, as a type."""
    array = f.type.removeprefix(base(f.type)) or (f"[{f.count}]" if f.count else "")
    return f"{f.type.split()[0].partition('[')[0]} {{ {' '.join(f'{member(part)};' for part in f.fields)} }}{array}"


def member(f: Field) -> str:
    """A field, as C declares it."""
    return declared(unnamed(f) if f.fields else shapes.uint(f) if f.kind == "enum" else f.type, f.name)
