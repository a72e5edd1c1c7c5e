# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""One tree of headers, beside the facts that are committed of its release."""

from __future__ import annotations

from pathlib import Path

from ..api import merge
from ..api.facts import Facts
from ..api.facts_schema import KINDS
from ..errors import GenError
from ..fast.kept import kept
from ..fast.record import changed, value
from ..files import textfile
from ..know import places
from ..know.groups import HeaderGroup
from . import headers
from .symbols import Symbol

CODE = headers.CODE  # what makes names of facts files


@value
class Tree:
    release: int
    names: merge.Names  # of what it has
    facts: Facts | None  # of it; None where they say what the committed ones say, or less
    told_of: frozenset[str] = frozenset()  # libraries of which it is known what they export, where there are facts


def groups_of(found: list[HeaderGroup], root: Path | None, release: int) -> list[HeaderGroup]:
    """The groups that are to be in a tree: those that all releases have, and of the others those that it has."""
    return [_as_there(group, root, release) for group in found
            if (not group.first and not group.until) or any(places.find(root, header) for header in group.headers)]


def _as_there(group: HeaderGroup, root: Path | None, release: int) -> HeaderGroup:
    """Without the newer and older headers that a tree lacks; what it has is no newer than it is, and no older."""
    there = [h for h in group.headers if h not in (*group.newer, *group.older) or places.find(root, h)]
    newer = {h: min(since, release) for h, since in group.newer.items() if h in there}
    return changed(group, headers=there, newer=newer, older={}, first=min(group.first, release), until=max(group.until, release) if group.until else 0)


def _release(root: Path | None, told: int | None) -> int:
    """Of a tree: what is older than all that is known says nothing of what it lacks, and lore nothing of how that was done before."""
    release, oldest = told or headers.release_of(root), min(headers.committed_paths())
    if release < oldest:
        raise GenError(f"rdma-core {release}: libverbsx needs headers of release {oldest} or newer", root,
                       hint="install a newer rdma-core, or name a folder of its headers: --headers DIR" if told is None else
                            f"no facts are of an older one; if the headers are of another release than {release}, say which: --release NN")
    return release


def read(root: Path | None, release: int | None, found: list[HeaderGroup], symbol_files: list[Path] | None = None) -> Tree:
    headers.begin(root)
    release = _release(root, release)
    same: list[Facts] = []

    def known() -> dict[str, Symbol]:
        same.extend(filter(None, [headers.committed_of(release)]))
        return headers.known_symbols()

    facts = headers.read(root, release, groups_of(found, root, release), symbol_files, known, found)
    if same and _no_more(facts, same[0]):
        return Tree(release, merge.Names.of(facts), None)
    return Tree(release, merge.Names.of(facts), facts, headers.libraries_told_of(root, found, symbol_files or []))


def _no_more(facts: Facts, same: Facts) -> bool:
    """Whether all that a tree has is as the committed facts of its release have it."""
    return all(getattr(group, kind).items() <= getattr(same.groups.get(name), kind, {}).items()
               for name, group in facts.groups.items() for kind in KINDS)


def expected(root: Path | None, release: int | None) -> Tree | None:
    """What a tree most likely is, before it is read: what the committed facts of its release say, if there are some."""
    release = _release(root, release)
    path = headers.committed_paths().get(release)
    return Tree(release, kept(f"names-{release}", [textfile.read_bytes(path)], lambda: _names(release), CODE), None) if path else None


def _names(release: int) -> merge.Names:
    same = headers.committed_of(release)
    return merge.Names.of(same) if same else merge.Names(set())
