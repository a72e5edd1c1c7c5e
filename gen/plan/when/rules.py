# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""When a field is valid: lore's guards and choices, as the rules that the runtime evaluates."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from functools import reduce
from operator import or_

from ...api.facts import Struct
from ...fast.record import constant, field, record
from ...know.model import Lore, find_field


@constant
class Condition:
    op: str  # of enum vx_rule_op
    selector: str  # path of the field that decides, of a call the number of the argument; "" for a mask beside the structure
    values: list[int]
    text: str  # in words, for people
    since: int = 0
    until: int = 0

    def key(self) -> tuple[str, str, tuple[int, ...]]:
        return self.op, self.selector, tuple(self.values)


@record
class Rule:
    id: str
    c_type: str  # "" for the arguments of a call
    at: str  # path of the nested structure that the offset is relative to
    condition: Condition
    next: str = ""
    first: int = 0  # of the values
    guard: str = ""
    row: str = ""  # C initializer


def all_bits(values: Iterable[int]) -> int:
    return reduce(or_, values, 0)


class Conditions:
    """Lore by field: which conditions hold for "struct" and "path.in.it"."""

    def __init__(self, lore: Lore, structs: dict[str, Struct], values: dict[str, int]) -> None:
        self.structs = structs
        self.values = values
        self.by_field: dict[tuple[str, str], list[Condition]] = {}
        for key, bits in lore.guard.items():
            self._guard(key, bits)
        for key, fields in lore.choice.items():
            self._choice(key, fields)

    def of(self, struct: str, path: str) -> list[Condition]:
        return self.by_field.get((struct, path), [])

    def _add(self, struct: str, path: str, condition: Condition) -> None:
        asked = find_field(self.structs, struct, condition.selector) if condition.selector else None
        if asked and asked.bits is not None:  # which tables cannot read: what it would tell stays untold, rather than be told wrongly
            condition = Condition("NEVER", "", [], f"{condition.text}, a bit-field, of which C tells no offset")
        self.by_field.setdefault((struct, path), []).append(condition)

    def _life(self, struct: str, selector: str) -> tuple[int, int]:
        found = find_field(self.structs, struct, selector)
        return (found.since, found.until) if found else (0, 0)

    def _guard(self, key: str, bits: dict[str, list[str]]) -> None:
        struct, _, selector = key.partition(".")
        beside = struct.endswith("()")
        struct = struct.removesuffix("()")
        if not beside and find_field(self.structs, struct, selector) is None:
            return
        wanted: dict[str, list[str]] = {}
        for bit, fields in bits.items():
            for path in fields:
                wanted.setdefault(path, []).append(bit)
        for path, names in wanted.items():
            known = [n for n in names if n in self.values]
            if known:
                mask = all_bits(self.values[n] for n in known)
                text = f"{selector or 'mask'} & {' | '.join(known)}"
                op = "MASK" if beside else "ANY_BIT"
                self._add(struct, path, Condition(op, selector, [mask], text, *self._life(struct, selector)))

    def _choice(self, key: str, fields: dict[str, list[str | int] | str]) -> None:
        struct, _, selector = key.partition(".")
        if struct.endswith("()"):
            for path, names in fields.items():
                self._add(struct.removesuffix("()"), path, self._among(names))
            return
        if find_field(self.structs, struct, selector) is None:
            return
        others = [v for items in fields.values() if isinstance(items, list) for v in items]
        for path, items in fields.items():
            negate = items == "else"
            condition = self._condition(struct, selector, others if isinstance(items, str) else items, negate)
            if condition:
                self._add(struct, path, condition)

    def _among(self, names: list[str]) -> Condition:
        """Of values that a set beside the structure has as its bits."""
        known = [n for n in names if n in self.values]
        return Condition("MASK", "", [all_bits(1 << self.values[n] for n in known)],
                         " or ".join(f"mask & 1 << {n}" for n in known))

    def _condition(self, struct: str, selector: str, items: list[str | int], negate: bool) -> Condition | None:
        signs = {str(i)[0] if str(i)[0] in "!&" else "" for i in items}
        op = "NONE_OF" if negate or "!" in signs else "ANY_BIT" if "&" in signs else "ONE_OF"
        words = [str(i).lstrip("!&") for i in items]
        known = [w for w in words if all(part.isdigit() or part in self.values for part in w.split("|"))]
        if not known:
            return None
        values = [all_bits(int(part) if part.isdigit() else self.values[part] for part in w.split("|")) for w in known]
        sign = {"NONE_OF": "is none of" if len(known) > 1 else "is not", "ANY_BIT": "&", "ONE_OF": "is"}[op]
        text = f"{selector} {sign} {(' | ' if op == 'ANY_BIT' else ' or ').join(known)}"
        if op == "ANY_BIT":
            values = [all_bits(values)]
        return Condition(op, selector, values, text, *self._life(struct, selector))


@record
class RuleBook:
    """The rules so far; equal ones of one structure are one, and so are equal values of all."""

    rules: list[Rule] = field(default_factory=list)
    known: dict[tuple[object, ...], str] = field(default_factory=dict)
    of_owner: Counter[str] = field(default_factory=Counter)
    values: dict[tuple[int, ...], int] = field(default_factory=dict)  # -> where the first of them stands
    count: int = 0  # of all values

    def _place(self, values: tuple[int, ...]) -> int:
        if values not in self.values:
            self.values[values] = self.count
            self.count += len(values)
        return self.values[values]

    def add(self, owner: str, c_type: str, at: str, conditions: list[Condition]) -> str:
        """The id of the first of a chain of rules, made as needed; "" where nothing restricts."""
        following = ""
        for condition in reversed(conditions):
            key = (owner, condition.key(), following)
            if key not in self.known:
                self.of_owner[owner] += 1
                rule = Rule(f"RULE_{owner}_{self.of_owner[owner]}", c_type, at, condition, following, self._place(tuple(condition.values)))
                self.rules.append(rule)
                self.known[key] = rule.id
            following = self.known[key]
        return following
