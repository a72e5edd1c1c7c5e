# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""Enums and structures that one of two releases has by a macro of the name by which the other one declares them."""

from __future__ import annotations

from copy import copy, deepcopy

from ..api import same
from ..api.facts import Enum, Facts
from .changes import SAFE, Judgement

WHY = "programs go on to write what they wrote"


def alike(a: Facts, b: Facts) -> tuple[Facts, Facts, dict[str, Judgement]]:
    """The facts with both declaring such a thing by the name that programs write, and what is to be said of each."""
    of_a, of_b = same.tags_of(a), same.tags_of(b)
    in_a, in_b = same.stand_ins(a, of_b), same.stand_ins(b, of_a)
    said: dict[str, Judgement] = {name: (SAFE, WHY, f"#define of {tag} -> declared") for tag, name in in_a.items()}
    said |= {name: (SAFE, WHY, f"declared -> #define of {tag}") for tag, name in in_b.items()}
    return _declaring(a, in_a, of_b), _declaring(b, in_b, of_a), said


def _declaring(facts: Facts, names: dict[str, str], others: set[str]) -> Facts:
    """With such things by the names of macros as well, and called so where they are spoken of, unless the other side has both."""
    if not names:
        return facts
    facts = deepcopy(facts)
    same.rename(facts.groups.values(), {tag: name for tag, name in names.items() if tag not in others})
    for tag, name in names.items():
        for group in facts.groups.values():
            for items in (group.enums, group.structs):
                if found := items.get(tag, items.get(name)):
                    items[tag], items[name] = copy(found), copy(found)
                    items[tag].name, items[name].name = tag, name
                    if isinstance(items[name], Enum):
                        items[name].values = []  # which are those of the other
    return facts
