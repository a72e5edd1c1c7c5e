# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""Planned fields, structures and rules as the C initializers that templates print."""

from __future__ import annotations

from collections.abc import Iterator

from ..when.guards import guard, lives
from ..when.rules import Rule
from .structs import FieldPlan, StructPlan, StructTables


def _field_row(s: StructPlan, f: FieldPlan) -> str:
    if f.beyond:
        return f"ABSENT({f.name})"
    extra = [("form", f"VX_FORM_{f.form.upper()}" if f.form else ""), ("ref", f.ref or f.handle or f.most), ("rule", f.rule),
             ("flags", " | ".join(f"VX_FIELD_{flag}" for flag in f.flags)), ("length", f.length)]
    parts = [f.name, f.kind, *(f".{name} = {value}" for name, value in extra if value)]
    if s.at:
        return f"INNER_{f.shape}({s.c_type}, {s.at}, {', '.join(parts)})"
    return f"{f.shape}({s.c_type}, {', '.join(parts)})"


def _rule_row(r: Rule) -> str:
    c = r.condition
    place = f"{r.first}, {len(c.values)}, {r.next or 'RULE_NONE'}"
    if not c.selector:
        return f"PLAIN_RULE({c.op}, {place})"
    if not r.c_type:
        return f"ARGUMENT_RULE({c.selector}, {c.op}, {place})"
    if r.at:
        return f"INNER_RULE({r.c_type}, {r.at}, {c.selector}, {c.op}, {place})"
    return f"RULE({r.c_type}, {c.selector}, {c.op}, {place})"


def _reached(r: Rule, at: StructPlan | None, of: dict[str, StructPlan]) -> Iterator[tuple[int, int]]:
    """The lives of the structure that a rule looks into, and of each field on the way to the selector."""
    if at:
        yield at.since, at.until
    for name in r.condition.selector.split("."):
        found = next((f for f in at.fields if f.name == name), None) if at else None
        if found:
            yield found.since, found.until
        at = of.get(found.ref.removeprefix("STRUCT_")) if found else None


def write_rows(tables: StructTables, oldest: int, newest: int) -> None:
    """Fill `row` and `guard` of everything."""
    for s in tables.structs:
        s.guard = guard(s.since, s.until, oldest, newest)
        for f in s.fields:
            f.guard = "" if f.beyond else guard(*lives((f.since, f.until), (s.since, s.until)), oldest, newest)
            f.row = _field_row(s, f)
    of = {s.id: s for s in tables.structs}
    at = {(s.c_type, s.at): s for s in reversed(tables.structs)}
    for r in tables.rules:
        r.guard = guard(*lives((r.condition.since, r.condition.until), *_reached(r, at.get((r.c_type, r.at)), of)), oldest, newest)
        r.row = _rule_row(r)
