# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""The words of the documentation: what lore says of fields and parameters, and what its other tables know of them."""

from __future__ import annotations

from fnmatch import fnmatchcase
from typing import Any

from ...know.model import Lore


def _named(entry: dict[str, Any], c_type: str) -> str:
    """The enum that an integer is of."""
    name = entry.get("enum") or entry.get("flags")
    return f"of enum {name}" if name and not c_type.startswith("enum ") else ""


def of_field(lore: Lore, struct: str, name: str, c_type: str, since: int) -> str:
    """Of a field of an init structure; since is 0 where all releases have it."""
    path = f"{struct}.{name}"
    default = lore.default.get(struct, {}).get(name)
    said = [lore.says.get(path, ""), _named(lore.field.get(path, {}), c_type),
            f"0 is {default}" if default else "", f"since rdma-core {since}" if since else ""]
    return "; ".join(s for s in said if s)


def of_parameter(lore: Lore, call: str, name: str, c_type: str) -> str:
    """Of a parameter of a function."""
    path = f"{call}.{name}"
    said = [lore.says.get(path, "") or _alike(lore, path), _named(lore.parameter.get(path, {}), c_type)]
    return "; ".join(s for s in said if s)


def _alike(lore: Lore, path: str) -> str:
    """What is said of all calls whose names begin and end as this one."""
    return next((says for pattern, says in lore.says_of_several if fnmatchcase(path, pattern)), "")


def of_mask(lore: Lore, struct: str, name: str) -> str:
    """Of the mask of an init structure."""
    enum = lore.field.get(f"{struct}.{name}", {}).get("flags", "")
    if not enum:
        return "no bits yet, so 0"
    if not any(lore.guard.get(f"{struct}.{name}", {}).values()):
        return f"bits of enum {enum}, none of which a field sets"
    return (f"extra bits of enum {enum}: for a field whose value 0 is meant, and for bits that have no field; bits of "
            "non-zero fields are set for you")
