# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""What a facts file looks like, as a JSON Schema; ./dev regen writes it to docs/facts.schema.json for other programs."""

from __future__ import annotations

import json

from ..fast.typed import Any
from ..paths import ROOT
from .schema import Schema

PATH = ROOT / "docs/facts.schema.json"
FORMAT = 1
REQUIRED = ("enums", "structs", "calls", "macros")  # also where there are none
KINDS = (*REQUIRED, "typedefs", "variables")  # of what a group has, by name
NAME = r"[A-Za-z_][A-Za-z0-9_]*"
END = r"$(?!\n)"  # of the text, for regular expressions of Python as well
C_TYPE = r"[ !$-:<-\[\]-z|~]+"  # ASCII, without what ends a declaration or a string
SONAME = r"[A-Za-z0-9_+.-]+\.so[A-Za-z0-9_+.-]*"
MOST = 2**31 - 1  # bytes, elements


def _text(says: str, pattern: str = "", empty: bool = False) -> Schema:
    return {"type": "string", "description": says, **({"pattern": f"^(?:{pattern}){END}"} if pattern else {}),
            **({} if pattern or empty else {"minLength": 1})}


def _of(kinds: str, says: str) -> Schema:
    return {"type": "string", "description": says, "enum": kinds.split()}


def _number(says: str, least: int = 0, most: int = MOST) -> Schema:
    return {"type": "integer", "description": says, "minimum": least, "maximum": most}


def _true(says: str) -> Schema:
    return {"type": "boolean", "description": says}


def _ref(name: str) -> Schema:
    return {"$ref": f"#/$defs/{name}"}


def _object(says: str, required: str, **properties: Schema) -> Schema:
    return {"type": "object", "description": says, "required": required.split(), "additionalProperties": False, "properties": properties}


def _map(names: str, item: Schema, **more: Any) -> Schema:
    return {"type": "object", "propertyNames": _ref(names), "additionalProperties": item, **more}


DEFS: dict[str, Schema] = {
    "name": _text("a name of C", NAME),
    "tag": _text("the tag of an enum, or (FIRST_ENUMERATOR) of one without", rf"{NAME}|\({NAME}\)"),
    "header": _text("a header as #include names it", r"[A-Za-z0-9_][A-Za-z0-9_.-]*(?:/[A-Za-z0-9_][A-Za-z0-9_.-]*)*"),
    "value": _number("of an enumerator or a macro", -2**63, 2**64 - 1),
    "kind": _of("uint int bool char enum record pointer function other", "of a type"),
    "group": _object(
        "what the headers of one group declare", "headers enums structs calls macros",
        headers={"type": "array", "items": _ref("header"), "minItems": 1, "uniqueItems": True},
        enums=_map("tag", _ref("enum")), structs=_map("name", _ref("struct")), calls=_map("name", _ref("call")), macros=_map("name", _ref("macro")),
        typedefs=_map("name", _ref("named")), variables=_map("name", _ref("named"))),
    "enum": _object("an enum", "header values", header=_ref("header"), deprecated={"type": "array", "items": _ref("name"), "minItems": 1},
                    shifts=_true("its bits are written as 1, shifted, which values do not tell; others of it have none or several of these"),
                    values=_map("name", _ref("value"), minProperties=1)),
    "struct": _object("a structure, or a union", "header size", header=_ref("header"), size=_number("bytes"), union=_true("a union"),
                      opaque=_true("declared, not defined"), typedef=_true("of no tag: the name is a typedef's"),
                      align=_number("bytes that it is aligned to, where its members do not tell", 1, 2**28), deprecated=_true("it is"), fields={"type": "array", "items": _ref("field")}),
    "field": _object(
        "a member; those of unnamed unions stand in their place", "name type kind offset size", name=_ref("name"), type=_text("a C type, as it is written", C_TYPE),
        kind=_ref("kind"), offset=_number("bytes from the start of what it is in"), size=_number("bytes, of all elements"),
        count=_number("elements of an array; 0 of a flexible one"), bits=_number("of a bit-field", 1, 64),
        ref=_text("tag of the enum or record; behind a pointer of its target", rf"{NAME}|\({NAME}\)"), target=_of("uint int bool char enum record pointer function void other", "kind of what a pointer points to"),
        width=_number("bytes of what a pointer points to", 1, 16), union=_number("members with the same number share an unnamed union", 1),
        hint=_text("the enum that its comment names", rf"{NAME}|\({NAME}\)"),
        bitmap=_true("the comment says that each bit of it stands for a value of that enum"), deprecated=_true("it is"), fields={"type": "array", "items": _ref("field")}),
    "call": _object(
        "a function", "header kind result", header=_ref("header"), kind=_of("extern inline macro", "how it is declared"), result=_text("a C type", C_TYPE),
        params={"type": "array", "items": {"type": "array", "items": _text("a C type, or a name", rf"(?:{C_TYPE})?"), "minItems": 2, "maxItems": 2, "description": "[C type, name]"}},
        library=_text("soname of the library that exports it", SONAME), version=_text("of the symbol", r"[A-Za-z0-9_.]+"),
        shadow=_true("a macro of the same name stands before it"),
        variadic=_true("more arguments may come behind the parameters"), deprecated=_true("it is"),
        unused=_true("who does not look at the result is warned"),
        apart=_of("unavailable noreturn vla nameless macro", "nobody may call it, it does not return, it takes an array as long as another parameter says, or a pointer to a structure that has no name, or a macro "
                                                    "of its name takes other arguments"), introduced=_number("release", 0, 999)),
    "macro": _object("a macro", "header kind", header=_ref("header"), kind=_of("value alias function other", "what stands behind it"),
                     value=_ref("value"), text=_text("what an alias stands for", NAME),
                     digest=_text("of what one without a value is replaced by", "[0-9a-f]{8}")),
    "named": _object("a typedef, or a variable", "header type", header=_ref("header"), type=_text("a C type", C_TYPE)),
}
SCHEMA: Schema = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "$comment": "SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB. Generated from gen/api/facts_schema.py. Do not edit: run ./dev regen.",
    "title": "What the headers of one release of rdma-core declare: gen/facts/rdma-core-NN.json",
    "type": "object", "additionalProperties": False, "required": ["format", "release", "groups"],
    "properties": {
        "format": {"type": "integer", "const": FORMAT},
        "release": _number("of rdma-core", 1, 999),
        "told": {"type": "array", "items": _text("soname", SONAME), "minItems": 1,
                 "description": "libraries of which it is known what they export: of others, a function without one may be exported"},
        "groups": _map("name", _ref("group")),
    },
    "$defs": DEFS,
}


def text() -> str:
    """The file."""
    return json.dumps(SCHEMA, indent=1, ensure_ascii=False) + "\n"


def is_written() -> bool:
    """Whether what other programs read is this."""
    return PATH.is_file() and PATH.read_text(encoding="utf-8") == text()
