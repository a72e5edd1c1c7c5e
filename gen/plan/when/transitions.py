# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""The transitions of a QP and a WQ, each for the headers that have its type and its states, with the bits that these have."""

from __future__ import annotations

from ...api.merge import Api
from ...fast.record import field, record, value
from ...know.model import Lore
from ...know.reasons import TRANSITION
from .guards import any_lives, guard, lives

MOST_BITS = (1 << 32) - 1  # of a mask


@value
class Term:
    """A type or a bit of a mask; `guard`: where fewer headers have it than the row that it is of."""

    text: str
    guard: str = ""


@record
class Transition:
    types: list[Term]
    source: str
    target: str
    required: list[Term] = field(default_factory=list)
    optional: list[Term] = field(default_factory=list)
    guard: str = ""


@record
class Ignored:
    """Bits that kernels take out of the masks of a type of QP."""

    type: str
    bits: list[Term]
    guard: str = ""


class _Planner:
    def __init__(self, api: Api, lore: Lore) -> None:
        prefix, self.nameless = lore.reasons.prefix, lore.reasons.nameless
        self.bit, self.state, self.type = (prefix.get(what, "") for what in ("bit", "state", "type"))
        self.lives = {m.name: (m.since, m.until) for m in api.macros().values()}
        self.lives |= api.lives()
        self.oldest, self.newest = api.oldest, api.newest
        self.found: list[Transition] = []
        self.out: list[Ignored] = []
        self.unsaid = [name for name in bits_without_row(api, lore) if self.lives[name][0] > api.oldest]  # of those that all releases have it is known

    def guard(self, life: tuple[int, int]) -> str:
        return guard(*life, self.oldest, self.newest)

    def terms(self, names: list[str], row: tuple[int, int], text: str = "{}") -> list[Term]:
        """Those of the names that there are."""
        found = ((name, self.guard(lives(row, self.lives[name]))) for name in names if name in self.lives)
        return [Term(text.format(name), "" if own == self.guard(row) else own) for name, own in found]

    def transition(self, key: str, types: str, masks: list[list[str]]) -> None:
        match = TRANSITION.fullmatch(key)
        assert match
        others = [n for n in types.split() if n in self.nameless]
        names = [self.type + n for n in types.split() if n not in others]
        there = [self.lives[n] for n in names if n in self.lives]
        vendor = [Term(f"TYPE(VX_QPT_{n})") for n in others]
        if not there and not vendor:
            return
        of_types = (0, 0) if vendor else any_lives(*there)
        for state in match[1].split():
            ends = self.state + state, self.state + match[2]
            if all(end in self.lives for end in ends):
                row = lives(of_types, *(self.lives[end] for end in ends))
                required, optional = (self.terms([self.bit + n for n in bits], row) for bits in masks)
                optional += self.terms(self.unsaid, row)
                members = [*self.terms(names, row, "TYPE({})"), *vendor]
                self.found.append(Transition(members, *ends, required, optional, self.guard(row)))

    def ignored(self, name: str, bits: list[str]) -> None:
        if name in self.lives:
            row = self.lives[name]
            self.out.append(Ignored(name, self.terms([self.bit + n for n in bits], row), self.guard(row)))

    def wq_transition(self, source: str, target: str) -> None:
        if source in self.lives and target in self.lives:
            row = lives(self.lives[source], self.lives[target])
            self.found.append(Transition([Term("TYPE(VX_QPT_WQ)")], source, target, guard=self.guard(row)))


def bits_without_row(api: Api, lore: Lore) -> list[str]:
    """Bits of the mask of which no transition says whether it needs or allows them; the mask has 32 bits, so no change can have one beyond."""
    prefix, rows = lore.reasons.prefix.get("bit", ""), [masks for of in lore.reasons.transition.values() for masks in of.values()]
    said = {prefix + name for masks in [*rows, lore.reasons.ignored.values()] for bits in masks for name in bits}
    enum = next((e for e in api.enums().values() if said & {v.name for v in e.values}), None)
    return [v.name for v in enum.values if 0 <= v.value <= MOST_BITS and v.name not in {*said, *lore.enum.get(enum.name, {}).get("sentinels", [])}] if enum else []


def plan_transitions(api: Api, lore: Lore) -> tuple[list[Transition], list[Ignored]]:
    """The transitions, and what kernels take out of masks before."""
    planner, reasons, prefix = _Planner(api, lore), lore.reasons, lore.reasons.prefix
    for key, rows in reasons.transition.items():
        for types, masks in rows.items():
            planner.transition(key, types, masks)
    for name, bits in reasons.ignored.items():
        planner.ignored(prefix["type"] + name, bits)
    for state, ways in reasons.wq_transition.items():
        for way in ways:
            planner.wq_transition(prefix["wq_state"] + state, prefix["wq_state"] + way)
    return planner.found, planner.out
