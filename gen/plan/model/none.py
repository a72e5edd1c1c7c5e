# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""Fields of init structures in which VX_NONE stands for a 0 that is meant, and those in which it has no meaning."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...api.facts import Struct
from ...fast.record import record
from ...know.model import Lore, find_field

if TYPE_CHECKING:
    from .init import InitField
    from .object import Kind

WIDTH = 4  # bytes of VX_NONE: into less it does not go, as compilers tell, and of more it may be a value


@record
class NoneField:
    path: str
    c_type: str
    says: str  # what 0 means there; "": nothing, or it is the default
    guard: str = ""
    seldom: bool = False  # few programs set the field that it is of


def plan_none(kind: Kind, structs: dict[str, Struct], lore: Lore) -> list[NoneField]:
    """The plain numbers of a kind's init structure, those that a mask makes count aside: their 0 is said by that.

    A truth value is true for all bits as well, which is what a signed field of one bit has.
    """
    out = []
    for f, path in [(f, p) for f in kind.filled if not f.bit and not f.array and not f.path and f.name != "flags" for p in _paths(f)]:
        found = find_field(structs, kind.attr, path)
        said = lore.none.get(f"{kind.attr}.{path}", "")
        known = lore.field.get(f"{kind.attr}.{path}", {})
        number = found is not None and found.size == WIDTH and found.count is None and found.kind == "uint"
        if said or number and not {"flags", "enum", "bool"} & known.keys():
            guard = next((p.guard for p in f.parts if p.path == path and p.guard), f.guard)
            out.append(NoneField(path, found.type, said, guard, f.is_seldom))  # type: ignore[union-attr]
    return out


def _paths(f: InitField) -> list[str]:
    return [p.path for p in f.parts if not p.union] or [f.name]
