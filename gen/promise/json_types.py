# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""The type of each field in JSON: gen/abi/json.toml, which is only appended to."""

from __future__ import annotations

import json
import re
from collections.abc import Container, Iterator, Mapping
from pathlib import Path
from typing import Any

from ..files import tomlfile
from ..paths import GEN
from . import entire

PATH = GEN / "abi/json.toml"
HEAD = """\
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#
# What VX_JSON prints of each field, by the types of generated/docs/print.schema.json: [] of an array, ? of what may be null,
# "to" is what a pointer leads to. Programs that read it go by this. ./dev regen appends what is new. No line is ever changed or
# taken away. Reserved fields are not promised.
"""
HINT = "programs that read the JSON go by it: leave it as it is. What was never released may be taken out of the file"
CHANGED = "Where {} of a newer release of rdma-core declares the field otherwise, nobody can: then this line has to be {}, and a release note has to say so"
REF = "#/$defs/"
RESERVED = re.compile(r"reserved|rsvd")  # what becomes of these is for releases to come

NONE: dict[str, str] = {}
Types = dict[str, str]  # "struct.field" -> type


def _name(schema: dict[str, Any]) -> str:
    """A type in a word."""
    if "$ref" in schema:
        return schema["$ref"].removeprefix(REF)
    if "anyOf" in schema:
        names = [_name(part) for part in schema["anyOf"]]
        return " or ".join(n for n in names if n != "null") + ("?" if "null" in names else "")
    if "enum" in schema or "const" in schema:
        return json.dumps(schema.get("enum", schema.get("const")))
    kind = schema["type"]
    if kind == "array":
        return _name(schema["items"]) + "[]"
    if isinstance(kind, list):
        return f"{kind[0]}?"
    return f"{kind} {schema['pattern']}" if "pattern" in schema else kind


def _members(schema: dict[str, Any]) -> dict[str, Any]:
    """Those of an object, and of each that something else may be."""
    found = dict(schema.get("properties", {}))
    for part in schema.get("anyOf", []):
        found |= _members(part)
    return found


def _rows(name: str, schema: dict[str, Any]) -> Iterator[tuple[str, str]]:
    members = _members(schema)
    if not members or "anyOf" in schema:
        yield name, _name(schema)
    for member, part in members.items():
        if not RESERVED.match(member):
            yield from _rows(f"{name}.{member}", part)


def types(definitions: dict[str, dict[str, Any]]) -> Types:
    """Of all fields, by $defs of the schema."""
    return dict(row for name, schema in definitions.items() for row in _rows(name, schema))


def load(path: Path = PATH) -> Types:
    """What is committed."""
    doc = entire.load(path)
    for name, kind in doc.data.items():
        if type(kind) is not str:
            raise doc.error("", name, f"{name}: must be a type, as a text", HINT)
    return dict(doc.data)


def text(record: Types) -> str:
    """The file."""
    return HEAD + "\n" + "".join(f"{json.dumps(field)} = {json.dumps(kind)}\n" for field, kind in record.items()) + entire.END


def complete(found: Types, record: Types, undecided: Container[str] = (), headers: Mapping[str, str] = NONE) -> None:
    """New fields are appended, but for those that lore has yet to say something about; stops where one that was recorded is gone
    or of another type; `headers` are those of structures."""
    for name, was in record.items():
        now = found.get(name)
        if now is None:
            raise tomlfile.load(PATH).error("", name, f"{name}: is no more in JSON, and was {was}", HINT)
        if now != was:
            raise tomlfile.load(PATH).error("", name, f"{name}: is {now} in JSON, and was {was}", HINT + ". " + CHANGED.format(headers.get(name.partition(".")[0], "the header"), f"{json.dumps(name)} = {json.dumps(now)}"))
    for name, kind in found.items():
        if _field(name) not in undecided:
            record.setdefault(name, kind)


def _field(name: str) -> str:
    """The field that a name is of, or of a part of: what an array or a structure in it has."""
    return ".".join(name.split(".")[:2])
