# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""One tree of headers, beside the facts that are committed of its release."""

from __future__ import annotations

from pathlib import Path

from . import headers, merge
from .facts import Facts
from .groups import HeaderGroup
from .kept import kept
from .record import value

CODE = ("facts", "headers", "merge", "record", "symbols", "tree")  # what makes names of facts files


@value
class Tree:
    release: int
    names: merge.Names  # of what it has
    facts: Facts | None  # of it, with what the committed ones have beside; None where they are just these


def read(root: Path | None, release: int | None, groups: list[HeaderGroup]) -> Tree:
    facts = headers.read(root, release, groups, known=headers.known_symbols())
    names = merge.Names.of(facts)
    same = headers.committed_of(facts.release)
    if same:
        merge.add_missing(facts, same)
    return Tree(facts.release, names, None if facts == same else facts)


def expected(root: Path | None, release: int | None) -> Tree | None:
    """What a tree most likely is, before it is read: what the committed facts of its release say, if there are some."""
    release = release or headers.release_of(root)
    path = headers.committed_paths().get(release)
    return Tree(release, kept(f"names-{release}", [path.read_bytes()], lambda: _names(release), CODE), None) if path else None


def _names(release: int) -> merge.Names:
    same = headers.committed_of(release)
    return merge.Names.of(same) if same else merge.Names(set())
