# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""What is to be said of what releases have again that others before them have not."""

from __future__ import annotations

from collections.abc import Iterator

from ...api.merge import Api, Item
from ...know.remarks import Remarks


def add_again(api: Api, remarks: Remarks) -> None:
    for g in api.groups.values():
        for whole in [item for items in (g.enums, g.structs, g.calls, g.macros) for item in items.values()]:
            for name, item in _again(whole.name, whole):
                remarks.add(whole.header, name, f"is there again: releases until {item.before} have it, and from {item.since} on; of the older ones nothing is used, "
                            "and lines of [since] and [until] about them do nothing", note=True)


def _again(name: str, item: Item) -> Iterator[tuple[str, Item]]:
    """By the names that lore has; what came with one is not told beside it."""
    if item.before:
        yield name, item
        return
    for v in getattr(item, "values", []):
        yield from _again(v.name, v)
    for f in getattr(item, "fields", []):
        yield from _again(f"{name}.{f.name}", f)
