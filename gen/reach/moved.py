# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""Enumerators that have another value in a tree than in the last committed release, whose facts could not be committed beside those of that."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from ..api.facts import Enum, Enumerator, Facts
from ..api.merge import ends
from ..know.model import Lore
from ..know.remarks import LORE, Remarks
from . import headers, tree

WHAT = "is {} in release {} and {} here, and tables have one value of it for all releases"
AS_END = ": if it only ends enum {}, and is no value of it, lore may say so"
MISTAKE = ", so its facts cannot be committed: of what programs are compiled with, that is a mistake of the header; tell rdma-core"


def add(there: tree.Tree, lore: Callable[[], Lore], remarks: Remarks) -> None:
    """Of a tree that is newer than all that is committed: no other would be."""
    newest = max(headers.committed_paths(), default=0)
    if not there.facts or there.release <= newest or not (before := headers.committed_of(newest)):
        return
    values = {v.name: v.value for _, _, v in _all(before)}
    for group, enum, v in _all(there.facts):
        if values.get(v.name, v.value) == v.value:
            continue
        entry, what = lore().enum.get(enum.name, {}), WHAT.format(values[v.name], newest, v.value)
        if v.name in entry.get("sentinels", []):
            continue
        if not ends(enum, v, values[v.name]) or not enum.named:
            remarks.add(enum.header, v.name, what + MISTAKE)
        elif entry:
            path, line = lore().places.get(enum.name, (LORE.format(group), 0))
            remarks.add(enum.header, v.name, f'{what}{AS_END.format(enum.name)}: "{v.name}" in sentinels of {enum.name}, {path}:{line}')
        else:
            remarks.lore(group, enum.header, v.name, what + AS_END.format(enum.name), "enum", f'{enum.name} = {{ sentinels = ["{v.name}"] }}')


def _all(facts: Facts) -> Iterator[tuple[str, Enum, Enumerator]]:
    for name, group in facts.groups.items():
        for enum in group.enums.values():
            for v in enum.values:
                yield name, enum, v
