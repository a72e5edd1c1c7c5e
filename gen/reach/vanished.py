# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""What a tree of headers lacks, and the last committed release up to its own has."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

from ..api.facts import Call
from ..api.merge import Names
from ..errors import GenError
from ..know import places
from ..know.groups import HeaderGroup
from ..know.model import Lore
from ..know.remarks import LORE, Remarks, entry
from . import headers, tree, unread

DEFINED = re.compile(r"\b(?:struct|union|enum)\s+(\w+)\s*\{")


def refuse_moved(root: Path | None, release: int, names: Names, groups: list[HeaderGroup]) -> None:
    """A type that went into a header of no group is not read there, and lore and init structures speak of it."""
    before = headers.committed_of(_before(release))
    items = [(name, item) for g in before.groups.values() for of_kind in (g.enums, g.structs) for name, item in of_kind.items()] if before else []
    lacking = {name: item.header for name, item in items if name not in names.names}
    known = {h for g in groups for h in g.headers}
    for group in groups if lacking else ():
        for header in dict.fromkeys(h for own in group.headers for h in unread.includes_of(root, own) if h not in known):
            path = places.find(root, header)
            text = places.source(path) if path else ""
            for found in DEFINED.finditer(text):
                if found[1] in lacking:
                    raise GenError(f"{found[1]} is here now, and was in {lacking[found[1]]}: this header is of no group, so that nothing of it is read", path,
                                   text.count("\n", 0, found.start()) + 1, hint=f"gen/groups.toml: [group.{group.name}] headers = {json.dumps([*group.headers, header])}, "
                                   f"and in newer {json.dumps(header)} = {release}")


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
    before = _before(there.release)
    expected = tree.expected(None, before) if before else None
    return expected is not None and not expected.names.names <= there.names.names


def _before(release: int) -> int:
    return max((r for r in headers.committed_paths() if r <= release), default=0)


def _lacking(there: tree.Tree, has: list[HeaderGroup], before: int) -> Iterator[Call]:
    facts = headers.committed_of(before)
    for group in has if facts else ():
        for call in facts.groups[group.name].calls.values() if group.name in facts.groups else ():
            if call.header in group.headers and call.name not in there.names.names:
                yield call
