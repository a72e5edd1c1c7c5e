# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""Planned fields, structures and rules as the C initializers that templates print."""

from __future__ import annotations

from .guards import guard
from .rules import Rule
from .structs import FieldPlan, StructTables


def _field_row(s: StructPlan, f: FieldPlan) -> str:
    if f.beyond:
        return f"ABSENT({f.name})"
    extra = [("form", f"VX_FORM_{f.form.upper()}" if f.form else ""), ("ref", f.ref or f.handle), ("rule", f.rule),
             ("flags", " | ".join(f"{flag}_" for flag in f.flags)), ("length", f.length)]
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


def write_rows(tables: StructTables, oldest: int, newest: int) -> None:
    """Fill `row` and `guard` of everything."""
    since_of = {(s.c_type, s.at): s.since for s in reversed(tables.structs)}
    for s in tables.structs:
        s.guard = guard(s.since, s.until, oldest, newest)
        for f in s.fields:
            f.guard = "" if f.beyond else guard(f.since, f.until, oldest, newest)
            f.row = _field_row(s, f)
    for r in tables.rules:
        since = max(r.condition.since, since_of.get((r.c_type, r.at), 0))
        r.guard = guard(since, 0, oldest, newest)
        r.row = _rule_row(r)
