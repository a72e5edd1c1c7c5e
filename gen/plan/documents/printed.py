# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""docs/print.schema.json: what VX_JSON prints of each structure and each kind of object. A field has one type, whatever its value."""

from __future__ import annotations

import json
from functools import cache
from typing import TYPE_CHECKING, Any

from ...know.model import WIDTHS
from ..model.object import ROOT
from ..structs.kinds import KindRow
from ..structs.structs import OWN_HANDLE, FieldPlan, StructPlan

if TYPE_CHECKING:
    from .. import Plan

Schema = dict[str, Any]

TEXT_FORMS = {*WIDTHS, "sockaddr"} - {"timespec"}  # addresses: a text, without a number beside it
NUMBER_FORMS = {"", "hex"}
INTEGER = {"type": "integer"}
WIDE = {"type": "string", "pattern": "^-?[0-9]+$", "description": "64 bits, in decimal digits"}
TEXT = {"type": "string"}
NAME = {"type": ["string", "null"]}
ADDRESS = {"type": "string", "pattern": "^0x[0-9a-f]+$"}
NULL = {"type": "null"}
ABOUT = {
    "bool": "of an int that is a truth value: true for all but 0, as rdma-core takes it",
    "pointer": "null, or where it leads to; with VX_FOLLOW also what is there",
    "object": "a pointer to an object or a handle: null, or its address and its name; name is null where libverbsx has no handle of it",
    "set": "flags: the names of those that have one, and the bits that have none",
    "enumerator": "name is null where the value has none, be it only a part of it, and where 0 stands for what libverbsx chooses",
    "meaning": "a number that is more than a number; text is the number itself where it means nothing else",
}


def _object(**members: Schema) -> Schema:
    return {"type": "object", "properties": members, "required": list(members)}


def _or_null(schema: Schema) -> Schema:
    return {"anyOf": [NULL, schema]}


def _many(item: Schema) -> Schema:
    return {"type": "array", "items": item}


def _values() -> dict[str, Schema]:
    """The types of values; those of 64 bits have names of their own."""
    out: dict[str, Schema] = {
        "bool": {"type": "boolean"}, "text": TEXT, "function": {"enum": ["set", None]},
        "pointer": _or_null(_object(address=ADDRESS)),
        "object": _or_null(_object(address=ADDRESS, name=NAME)),
        "timespec": _object(tv_sec=WIDE, tv_nsec=WIDE),
    }
    for wide, number in (("", INTEGER), ("wide_", WIDE)):
        out |= {f"{wide}number": number, f"{wide}meaning": _object(value=number, text=TEXT),
                f"{wide}enumerator": _object(value=number, name=NAME),
                f"{wide}enumerator_meaning": _object(value=number, name=NAME, text=TEXT),
                f"{wide}set": _object(value=number, names=_many(TEXT), unknown=number)}
    return {name: schema | ({"description": ABOUT[name]} if name in ABOUT else {}) for name, schema in out.items()}


def _ref(name: str) -> Schema:
    return {"$ref": f"#/$defs/{name}"}


class _Types:
    def __init__(self, plan: Plan) -> None:
        self.structs = {f"STRUCT_{s.id}": s for s in plan.tables.structs}
        self.of_enum = {f"CODE_{c.name}" for c in plan.codes if c.enum}

    def _number(self, f: FieldPlan) -> str:
        if f.form == "timespec":
            return f.form
        if "SECRET" in f.flags or f.form in TEXT_FORMS:
            return "text"
        if f.kind == "BOOL":
            return "bool"
        what = {"ENUM": "enumerator", "FLAGS": "set", "BITMAP": "set"}.get(f.kind, "meaning")
        if f.kind == "CODE" and f.ref in self.of_enum:
            what = "enumerator_meaning"
        elif f.kind in ("UINT", "INT") and f.form in NUMBER_FORMS:
            what = "number"
        return ("wide_" if f.unit == 8 else "") + what

    def _behind(self, f: FieldPlan) -> Schema | None:
        """What is printed of what a pointer leads to, where that is known."""
        one = {"STRUCT_POINTER": lambda: _ref(self.structs[f.ref].id), "POINTER_POINTER": lambda: self._pointer(f),
               "UINT_POINTER": lambda: _ref("wide_number" if f.ref == "8" else "number"),
               "TEXT_POINTER": lambda: _ref("text"), "BYTES_POINTER": lambda: _ref("text")}.get(f.kind)
        if not one:
            return None
        single = f.kind in ("TEXT_POINTER", "BYTES_POINTER") or not (f.length or "LIST" in f.flags)
        return one() if single else _many(one())

    @staticmethod
    def _pointer(f: FieldPlan) -> Schema:
        return _ref("object" if f.ref == OWN_HANDLE or f.handle else "pointer")

    def _followed(self, f: FieldPlan, filled: bool) -> Schema:
        """In structures that libverbsx fills, what is there stands in the place of the pointer."""
        behind = self._behind(f)
        if behind is None:
            return self._pointer(f)
        if filled:
            return _or_null(behind)
        whole = _object(address=ADDRESS)
        whole["properties"] |= {"to": behind, "cut": {"const": True, "description": "there is more than is printed"}}
        return _or_null(whole)

    def _element(self, f: FieldPlan, filled: bool) -> Schema:
        if f.kind == "STRUCT":
            return _ref(self.structs[f.ref].like or self.structs[f.ref].id)
        if f.kind == "FUNCTION":
            return _ref("function")
        if f.kind == "POINTER" or f.kind.endswith("_POINTER"):
            return self._followed(f, filled)
        if f.kind in ("STRING", "BYTES"):
            return _ref("timespec" if f.form == "timespec" else "text")
        return _ref(self._number(f))

    def field(self, f: FieldPlan, filled: bool = False) -> Schema:
        element = self._element(f, filled)
        plain = f.shape == "FIELD" or f.kind in ("STRING", "BYTES") and f.unit == 1 or "SECRET" in f.flags
        return element if plain else _many(element)

    def struct(self, s: StructPlan) -> Schema:
        """One value prints in place of the structure that it is all of."""
        if "ONE_VALUE" in s.flags:
            return self.field(s.fields[0])
        return {"type": "object", "properties": {f.name: self.field(f, "FILLED" in s.flags) for f in s.fields if not f.beyond}}


def _kinds(plan: Plan, types: _Types) -> dict[str, Schema]:
    """Handles: their name, what they depend on, what is known of them, and what the device answers. By structure."""
    structs = {s.id: s for s in plan.tables.structs}
    out: dict[str, Schema] = {}

    def add(kind: str, members: Schema) -> None:
        whole = out.setdefault(f"vx_{kind}", _object(object=TEXT))
        whole["properties"] |= {"uses": _many(TEXT), **members}

    def shown(row: KindRow) -> Schema:
        fields = [f for first, count in (row.shown, row.kept) for f in plan.kinds.fields[first:first + count]]
        return {f.label or f.name: types.field(structs[f.owner].fields[f.index]) for f in fields}

    for row in plan.kinds.rows:
        add(row.kind.type, shown(row))
    for t in plan.taken:
        whole = types.struct(structs[t.struct])
        if t.behind:
            whole["properties"] |= {t.behind.name: _many(_ref(t.behind.struct))}
        add(t.kind, {t.name: whole if t.behind else _ref(t.struct)})
    for q in plan.queries:
        answers = {a.name: {"anyOf": [_ref(a.struct), _object(error=_ref("vx_error_info"))]} for a in q.answers}
        for kind in q.kinds:
            add(kind if kind == ROOT else next(k.type for k in plan.objects.kinds if k.name == kind), answers)
    return out


@cache
def definitions(plan: Plan) -> dict[str, Schema]:
    """A type for each structure and kind."""
    types = _Types(plan)
    return _values() | {s.id: types.struct(s) for s in plan.tables.structs if not s.like} | _kinds(plan, types)


def print_schema(plan: Plan) -> str:
    """They are $defs; a line each."""
    lines = [f'"{name}": {json.dumps(schema)}' for name, schema in definitions(plan).items()]
    head = {"$schema": "https://json-schema.org/draft/2020-12/schema",
            "$id": "urn:libverbsx:print:1",
            "$comment": "SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB. Generated by gen from gen/facts; do not edit.",
            "title": "Structures and objects as VX_JSON prints them",
            "description": "A field has one type, whatever its value and whichever release prints it; fields that are not valid are absent, "
                           "and later releases may have more of them. Integers of 64 bits, on some machine, are strings of decimal "
                           "digits, so that readers that know 53 bits keep all of them; narrower ones are numbers. Enumerators, flags, "
                           "encoded numbers and pointers are objects; GIDs, GUIDs and other addresses on a network are texts."}
    return json.dumps(head, indent=1)[:-2] + ',\n "$defs": {\n  ' + ",\n  ".join(lines) + "\n }\n}\n"
