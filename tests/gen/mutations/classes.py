# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""The register of classes of changes: a function that makes one, under the sentence that says what it is."""

from __future__ import annotations

from collections.abc import Callable, Collection
from random import Random

from .tree import Expected, Tree

Change = Callable[[Tree, Random], Expected]

CLASSES: dict[str, Change] = {}
ALONE: set[str] = set()  # classes that cannot be had beside others, as generation stops; and those that came when the trials of others had their numbers


def mutation(sentence: str, alone: bool = False) -> Callable[[Change], Change]:
    """Register a class of changes."""

    def register(change: Change) -> Change:
        if sentence in CLASSES:
            raise ValueError(f"two classes are: {sentence}")
        CLASSES[sentence] = change
        if alone:
            ALONE.add(sentence)
        return change

    return register


def each(values: list[str], sentence: str, alone: Collection[str] = ()) -> Callable[[Callable[[Tree, str], Expected]], None]:
    """Register a class for each value, which the sentence has as {}."""

    def register(change: Callable[[Tree, str], Expected]) -> None:
        for value in values:
            mutation(sentence.format(value), value in alone)(lambda tree, _, value=value: change(tree, value))

    return register


def apply(tree: Tree, sentences: list[str], random: Random) -> Expected:
    """Make changes one after the other; what is expected of all together. A later one may find nothing left to change."""
    expected = Expected()
    for n, sentence in enumerate(sentences):
        try:
            expected.add(CLASSES[sentence](tree, random))
        except LookupError:
            if n == 0:
                raise
    return expected
