# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""Where the fields of a structure lie."""

from __future__ import annotations

import re
from collections.abc import Iterator

from .facts import Field, Struct

RESERVED = re.compile(r"(?i)(.*[._])?(reserved|rsvd|placeholder|pad)\d*")


def flat(fields: list[Field], prefix: str = "", base: int = 0) -> Iterator[tuple[str, Field, int]]:
    """Fields and those nested in them: path, field, offset in the outermost structure."""
    for f in fields:
        path = prefix + f.name
        yield path, f, base + f.offset
        yield from flat(f.fields, path + ".", base + f.offset)


def moves(old: Struct, new: Struct) -> set[int]:
    """How far the members that both have lie from where they were."""
    before = {f.name: f.offset for f in old.fields if not RESERVED.fullmatch(f.name)}
    return {f.offset - before[f.name] for f in new.fields if f.name in before}


def is_padding(struct: Struct, offset: int, size: int) -> bool:
    """Whether no member of a structure, but the structure itself, has these bytes."""
    return offset + size <= struct.size and not any(f.offset < offset + size and offset < f.offset + f.size for f in struct.fields)
