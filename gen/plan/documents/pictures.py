# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""Pictures of what an object goes through: states, and the functions and events that lead from one to another."""

from __future__ import annotations

from ...api.facts import Enum
from ...api.merge import Api
from ...fast.record import value
from ...know.model import Lore



@value
class Step:
    """An arrow, as Mermaid draws it."""

    start: str
    end: str
    label: str


def _short(name: str, enums: list[Enum]) -> str:
    """An enumerator without what all of its enum begin with."""
    for enum in enums:
        names = [e.name for e in enum.values]
        if name in names:
            words = [n.split("_") for n in names]
            same = next((i for i, parts in enumerate(zip(*words)) if len(set(parts)) > 1), 0)
            return "_".join(name.split("_")[same:])
    return name


def plan_pictures(api: Api, lore: Lore, standing: dict[str, str]) -> dict[str, list[Step]]:
    """Name -> its arrows, in the order of lore."""
    enums = list(api.enums().values())

    def label(word: str) -> str:
        return f"{word}()" if word.startswith("vx_") else standing.get(word) or _short(word, enums)

    def step(edge: str, words: list[str]) -> Step:
        start, _, end = edge.partition(" -> ")
        return Step(start, end, ", ".join(label(w) for w in words))

    return {name: [step(*entry) for entry in edges.items()] for name, edges in lore.picture.items()}
