# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""api.json: the API with types, since and lore, for other generators. docs/api.schema.json describes it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from ...api.facts import Call, Macro
from ..calls.calls import convention
from ..enums.enums import EnumPlan, Row
from ..structs.structs import FieldPlan, StructPlan

if TYPE_CHECKING:
    from .. import Plan

FORMAT = 1
EXACT = 2**53  # many readers know greater integers only nearly
ENCODER = json.JSONEncoder(ensure_ascii=False, check_circular=False)
BETWEEN = "\0"  # which no text of C has, and which is escaped within others
ENCODED_BETWEEN = f", {ENCODER.encode(BETWEEN)}, "


def _exact(value: Any) -> Any:
    """An integer that such a reader would change as decimal digits."""
    return str(value) if isinstance(value, int) and abs(value) > EXACT else value


def _lean(**parts: Any) -> dict[str, Any]:
    """Only what there is to say."""
    return {key: value for key, value in parts.items() if value or key == "value"}


def _row(row: Row, meanings: dict[str, dict[str, str]]) -> dict[str, Any]:
    return _lean(name=row.name, value=_exact(row.value), since=row.since, is_=[f.lower() for f in row.flags],
                 meaning=meanings.get(row.name, {}))


def _enum(e: EnumPlan, plan: Plan) -> dict[str, Any]:
    return _lean(group=e.group, header=e.header, kind=e.kind, tag=e.tag, since=e.since, bits=_exact(e.bits), note=e.note,
                 man=plan.lore.man.get(e.name, ""))


def _field(f: FieldPlan, children: dict[str, StructPlan], counts: list[str]) -> dict[str, Any]:
    kind, _, name = f.ref.partition("_")
    nested = children.get(name) if kind == "STRUCT" else None
    return _lean(name=f.name, type=f.c_type, kind=f.kind.lower(), form=f.form,
                 **({kind.lower(): name} if f.ref and not nested else {}), array=f.shape.lower() if f.shape != "FIELD" else "",
                 counted_by=counts[f.length - 1] if f.length else "", is_=[flag.lower() for flag in f.flags],
                 valid=f.valid, says=f.says, since=f.since, until=f.until, note=f.note, not_printed=f.beyond,
                 fields=_fields(nested, children) if nested else [])


def _fields(s: StructPlan, children: dict[str, StructPlan]) -> list[dict[str, Any]]:
    names = [f.name for f in s.fields]
    return [_field(f, children, names) for f in s.fields]


def _struct(s: StructPlan, plan: Plan) -> dict[str, Any]:
    return _lean(group=s.group, header=s.header, union=s.union, since=s.since, size=s.size,
                 is_=[f.lower() for f in s.flags], note=s.note, man=plan.lore.man.get(s.name, ""),
                 default={k: _exact(v) for k, v in plan.lore.default.get(s.name, {}).items()})


def _call(c: Call, group: str, plan: Plan) -> dict[str, Any]:
    of = next(g for g in plan.groups if g.name == group)
    return _lean(group=group, header=c.header, kind=c.kind, result=c.result,
                 params=[{"type": p.type, "name": p.name} for p in c.params], library=c.library, version=c.version,
                 shadowed=c.shadow, since=c.since, errors=convention(c, of, plan.lore),
                 note=plan.lore.call.get(c.name, {}).get("note", ""))


def _macro(m: Macro, group: str) -> dict[str, Any]:
    return _lean(group=group, header=m.header, kind=m.kind, stands_for=m.text, since=m.since,
                 **({"value": _exact(m.value)} if m.value is not None else {}))


def _line(value: Any) -> str:
    return ENCODER.encode(value).replace('"is_"', '"is"')


def _lines(values: list[Any]) -> list[str]:
    """The line of each; an encoder takes longer to begin than for a line."""
    between = [part for value in values for part in (value, BETWEEN)][:-1]
    return ENCODER.encode(between).replace('"is_"', '"is"')[1:-1].split(ENCODED_BETWEEN)


def _block(name: str, lines: list[str]) -> str:
    return f'"{name}": {{\n  ' + ",\n  ".join(lines) + "\n }"


def _with_list(head: dict[str, Any], key: str, items: list[dict[str, Any]]) -> str:
    """An item with one line for each of its parts."""
    if not items:
        return _line(head)
    first, *parts = _lines([head, *items])
    inside = ",\n   ".join(parts)
    return f'{first[:-1]}, "{key}": [\n   {inside}]}}'


def to_json(plan: Plan) -> str:
    """All of the API; a line an item, enumerator or field."""
    children = {s.id: s for s in plan.tables.structs if s.nested}
    groups = [f'"{g.name}": {_line(_lean(headers=g.headers, library=g.library))}' for g in plan.groups
              if g.name in plan.api.groups]
    enums = [f'"{e.name}": ' + _with_list(_enum(e, plan), "values", [_row(r, plan.lore.meaning) for r in e.rows])
             for e in plan.rdma_enums]
    structs = [f'"{s.name}": ' + _with_list(_struct(s, plan), "fields", _fields(s, children)) for s in plan.structs]
    codes = [f'"{c.name}": {_line({str(v): text for v, text in c.rows})}' for c in plan.codes]
    owned = [(g.name, g) for g in plan.api.groups.values()]
    calls = [f'"{n}": {_line(_call(c, name, plan))}' for name, g in owned for n, c in g.calls.items()]
    macros = [f'"{n}": {_line(_macro(m, name))}' for name, g in owned for n, m in g.macros.items()]
    blocks = [f'"format": {FORMAT}', f'"releases": {_line(plan.api.releases)}', _block("groups", groups),
              _block("enums", enums), _block("structs", structs), _block("codes", codes),
              _block("calls", sorted(calls)), _block("macros", sorted(macros))]
    return "{\n " + ",\n ".join(blocks) + "\n}\n"
