# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""What explains a failed call, or refuses it: limits, faults, suspects, and the transitions of a QP and a WQ."""

from __future__ import annotations

import errno
from dataclasses import dataclass, field

from ..lore import find_field
from ..lore_model import Lore
from ..lore_reasons import BEYOND, BIT, OPEN_FLAGS, OR, SIGNS, SOURCES, STATE, TIMES, TRANSITION, TYPE, VENDOR_TYPES, \
    WQ_STATE, Words, words
from ..merge import Api
from .describe import TextPool
from .rules import Condition, all_bits
from .structs import StructTables

BESIDE = "()"  # what a guard calls the mask that stands beside a structure


@dataclass
class Limit:
    owner: str  # the structure
    field: str  # ids in the pool
    source: str = "NUMBER"  # of enum vx_source
    limit: str = ""
    number: int = 0
    index: bool = False  # less than the limit, not up to it


@dataclass
class Count:
    kind: str
    source: str
    limit: str


@dataclass
class Fault:
    owner: str
    text: str
    rules: list[str]  # C initializers: by source the first of a chain
    codes: list[int] = field(default_factory=list)


@dataclass
class Suspect:
    owner: str
    field: str
    usual: int  # flags of it that are none; of an enum the values, each a bit


@dataclass
class Product:
    owner: str
    factors: list[tuple[str, int]]  # fields, each with its default


@dataclass
class Transition:
    types: str
    source: str
    target: str
    required: str
    optional: str


@dataclass
class WqWays:
    """Where a WQ can go from a state."""

    source: str
    targets: str


@dataclass
class ReasonsPlan:
    pool: TextPool = field(default_factory=TextPool)
    limits: list[Limit] = field(default_factory=list)
    counts: list[Count] = field(default_factory=list)
    faults: list[Fault] = field(default_factory=list)
    refusals: list[Fault] = field(default_factory=list)
    suspects: list[Suspect] = field(default_factory=list)
    products: list[Product] = field(default_factory=list)
    transitions: list[Transition] = field(default_factory=list)
    wq_ways: list[WqWays] = field(default_factory=list)


class _Planner:
    def __init__(self, api: Api, lore: Lore, tables: StructTables) -> None:
        self.reasons = lore.reasons
        self.defaults = lore.default
        self.tables = tables
        self.structs = api.structs()
        self.values = OPEN_FLAGS | {v.name: v.value for e in api.enums().values() for v in e.values}
        self.values |= {m.name: m.value or 0 for m in api.macros().values() if m.kind == "value"}
        self.plan = ReasonsPlan()

    def has(self, path: str) -> bool:
        """Whether the headers have a field at all."""
        struct, _, rest = path.partition(".")
        return find_field(self.structs, struct, rest) is not None

    def limit(self, path: str, value: str | int, index: bool) -> None:
        owner, _, name = path.partition(".")
        row = Limit(owner, self.plan.pool.add(name), index=index)
        if isinstance(value, int):
            row.number = value
        else:
            row.source, row.limit = self.source(value)
        if self.has(path) and (isinstance(value, int) or self.has(value)):
            self.plan.limits.append(row)

    def source(self, path: str) -> tuple[str, str]:
        struct, _, name = path.partition(".")
        return SOURCES[struct], self.plan.pool.add(name)

    def faults(self, kind: str, sentences: dict[str, dict[str, list[str]]]) -> list[Fault]:
        return [self.fault(kind, owner, text, conditions) for owner, faults in sentences.items()
                for text, conditions in faults.items()
                if owner in self.structs and all(self.known(c, owner) for c in conditions)]

    def fault(self, kind: str, owner: str, text: str, conditions: list[str]) -> Fault:
        found = [w for w in map(words, conditions) if w]
        codes = [getattr(errno, v) for w in found if w.subject == "errno" for v in w.values]
        rules = []
        for source in ("", *SOURCES):
            own = [w for w in found if w.subject != "errno" and w.source == source]
            struct = source or owner
            rule = self.tables.book.add(f"{kind}_{struct}", f"struct {struct}", "",
                                        [self.condition(struct, w) for w in own])
            if rule:
                rules.append(f"[VX_SOURCE_{SOURCES.get(source, 'NUMBER')}] = {rule}")
        return Fault(owner, self.plan.pool.add(text), rules, codes)

    def condition(self, struct: str, w: Words) -> Condition:
        values = [self.values[v] if v in self.values else int(v, 0) for v in w.values]
        op, selector = SIGNS[w.sign], w.subject.removeprefix(f"{w.source}.")
        if w.subject == "mask":
            op, selector = "MASK", ""
        if op in ("ANY_BIT", "NO_BIT", "MASK"):
            values = [all_bits(values)]
        at = find_field(self.structs, struct, selector) if selector else None
        text = f"{w.subject} {w.sign} {' or '.join(w.values)}"
        return Condition(op, selector, values, text, at.since if at else 0)

    def known(self, text: str, owner: str) -> bool:
        """Whether the headers at hand can ask this."""
        w = words(text)
        if not w or w.subject == "errno":
            return True
        path = w.subject if w.source else f"{owner}.{w.subject}"
        if w.subject != "mask" and not self.has(path):
            return False
        return all(v in self.values or v[0].isdigit() for v in w.values)

    def suspect(self, owner: str, name: str, usual: str) -> None:
        found = find_field(self.structs, owner, name) if owner in self.structs else None
        if found is None:
            return
        known = [self.values[v] for v in usual.split(OR) if v in self.values]
        bits = [1 << v for v in known] if found.kind == "enum" else known
        self.plan.suspects.append(Suspect(owner, self.plan.pool.add(name), all_bits(bits)))

    def product(self, owner: str, names: list[str]) -> None:
        usual = self.defaults.get(owner, {})
        if all(self.has(f"{owner}.{name}") for name in names):
            factors = [(self.plan.pool.add(name), usual.get(name, 0)) for name in names]
            self.plan.products.append(Product(owner, factors))

    def transition(self, key: str, types: str, masks: list[list[str]]) -> None:
        match = TRANSITION.fullmatch(key)
        assert match
        required, optional = (" | ".join(BIT + n for n in names) or "0" for names in masks)
        members = " | ".join(f"TYPE({'VX_QPT_' if n in VENDOR_TYPES else TYPE}{n})" for n in types.split())
        row = Transition(members, STATE + match[1], STATE + match[2], required, optional)
        self.plan.transitions.append(row)

    def run(self) -> ReasonsPlan:
        for path, value in self.reasons.limit.items():
            self.limit(path, value, False)
        for path, value in self.reasons.index.items():
            self.limit(path, value, True)
        for kind, path in self.reasons.count.items():
            self.plan.counts.append(Count(kind, *self.source(path)))
        self.plan.faults = self.faults("fault", self.reasons.fault)
        self.plan.refusals = self.faults("refuse", self.reasons.refuse)
        for owner, names in self.reasons.suspect.items():
            for text in names:
                self.suspect(owner, *text.partition(BEYOND)[::2])
        for owner, products in self.reasons.product.items():
            for text in products:
                self.product(owner, text.split(TIMES))
        for key, rows in self.reasons.transition.items():
            for types, masks in rows.items():
                self.transition(key, types, masks)
        for state, ways in self.reasons.wq_transition.items():
            self.plan.wq_ways.append(WqWays(WQ_STATE + state, " | ".join(f"1u << {WQ_STATE}{w}" for w in ways)))
        return self.plan


def plan_reasons(api: Api, lore: Lore, tables: StructTables) -> ReasonsPlan:
    """Plan it all; the conditions of faults become rules among those of the structures."""
    return _Planner(api, lore, tables).run()
