# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""The part of JSON Schema that ours are written in, so that reading needs no package for it; tests compare with one that knows all of it."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache

from ..fast.typed import Any

Schema = dict[str, Any]
TYPES: dict[str, tuple[type, str]] = {"object": (dict, "an object"), "array": (list, "a list"), "string": (str, "a text"),
                                      "integer": (int, "a whole number"), "boolean": (bool, "true or false")}
DEFINED = "#/$defs/"


class Mismatch(Exception):
    """What does not suit, and the keys and places that lead to it."""

    def __init__(self, message: str, *path: str | int) -> None:
        super().__init__(message)
        self.message = message
        self.path = list(path)


def check(value: Any, schema: Schema, root: Schema | None = None) -> None:
    """Raise a Mismatch where a value from JSON is not as the schema says."""
    root = root or schema
    if "$ref" in schema:
        schema = root["$defs"][schema["$ref"].removeprefix(DEFINED)]
    wanted, must = TYPES[schema["type"]]
    if type(value) is not wanted:
        raise Mismatch(f"{_short(value)}: must be {must}")
    OF_TYPE[wanted](value, schema, root)


def _object(value: dict[str, Any], schema: Schema, root: Schema) -> None:
    known, others = schema.get("properties", {}), schema.get("additionalProperties", False)
    if len(value) < schema.get("minProperties", 0):
        raise Mismatch("is empty")
    for name, part in value.items():
        if name not in known and others is False:
            raise Mismatch(f"no such key; known: {', '.join(known)}", name)
        try:
            if "propertyNames" in schema:
                check(name, schema["propertyNames"], root)
            check(part, known.get(name, others), root)
        except Mismatch as e:
            e.path.insert(0, name)
            raise
    for name in schema.get("required", ()):
        if name not in value:
            raise Mismatch(f"lacks {name}")


def _array(value: list[Any], schema: Schema, root: Schema) -> None:
    if not schema.get("minItems", 0) <= len(value) <= schema.get("maxItems", len(value)):
        raise Mismatch(f"has {len(value)} items")
    if schema.get("uniqueItems") and len(set(map(str, value))) != len(value):
        raise Mismatch("has one item twice")
    for place, item in enumerate(value):
        try:
            check(item, schema["items"], root)
        except Mismatch as e:
            e.path.insert(0, place)
            raise


def _string(value: str, schema: Schema, _root: Schema) -> None:
    if "enum" in schema and value not in schema["enum"]:
        raise Mismatch(f"{_short(value)}: must be one of {', '.join(schema['enum'])}")
    if "pattern" in schema and not _pattern(schema["pattern"]).search(value):
        raise Mismatch(f"{_short(value)}: must be {schema.get('description', 'like ' + schema['pattern'])}")
    if len(value) < schema.get("minLength", 0):
        raise Mismatch("is empty")


def _integer(value: int, schema: Schema, _root: Schema) -> None:
    if "const" in schema and value != schema["const"]:
        raise Mismatch(f"{value}: must be {schema['const']}")
    if not schema.get("minimum", value) <= value <= schema.get("maximum", value):
        raise Mismatch(f"{value}: must be from {schema.get('minimum', 'any')} to {schema.get('maximum', 'any')}")


def _boolean(_value: bool, _schema: Schema, _root: Schema) -> None:
    """Either will do."""


OF_TYPE: dict[type, Callable[[Any, Schema, Schema], None]] = {dict: _object, list: _array, str: _string, int: _integer, bool: _boolean}


@cache
def _pattern(text: str) -> re.Pattern[str]:
    return re.compile(text)


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) < 60 else f"{text[:56]}..."
