# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""Functions that a tree of headers lacks, and that the last committed release up to its own has."""

from __future__ import annotations

from collections.abc import Iterator

from ..api.facts import Call
from ..know.groups import HeaderGroup
from ..know.model import Lore
from ..know.remarks import LORE, Remarks, entry
from . import headers, tree


def add(there: tree.Tree, has: list[HeaderGroup], lore: Lore, remarks: Remarks) -> None:
    """Of a tree that is newer than all that is committed a person decides; an older one lacks them, and that is all."""
    before, newest = _before(there.release), there.release > max(headers.committed_paths())
    told = {r.name for r in remarks.said if r.table == "until"}
    for call in _lacking(there, has, before):
        if call.name in lore.until or call.name in told:
            continue
        if newest:
            remarks.add(call.header, call.name, f"is no more: release {before} has it, and nothing stands for it with these headers", LORE.format("since"), "until",
                        entry(call.name, before))
        else:
            remarks.add(call.header, call.name, f"is not in these headers, and in those of release {before}: nothing stands for it", note=True)


def lacks(there: tree.Tree) -> bool:
    """Whether it lacks anything that the last committed release up to its own has, which takes less time than to know what."""
    expected = tree.expected(None, _before(there.release)) if _before(there.release) else None
    return expected is not None and not expected.names.names <= there.names.names


def _before(release: int) -> int:
    return max((r for r in headers.committed_paths() if r <= release), default=0)


def _lacking(there: tree.Tree, has: list[HeaderGroup], before: int) -> Iterator[Call]:
    facts = headers.committed_of(before)
    for group in has if facts else ():
        for call in facts.groups[group.name].calls.values() if group.name in facts.groups else ():
            if call.header in group.headers and call.name not in there.names.names:
                yield call
