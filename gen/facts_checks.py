# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""What no schema can say of facts: how their parts fit together."""

from __future__ import annotations

import re
from typing import Any

from .facts_schema import KINDS
from .schema import Mismatch

TAG = re.compile(r"\b(?:struct|union|enum) (\w+)")


def check(facts: dict[str, Any]) -> None:
    """Raise a Mismatch where facts, which are as their schema says, contradict themselves."""
    groups = facts["groups"]
    tags = {tag for g in groups.values() for kind in ("enums", "structs") for tag in g[kind]}
    enums = {tag for g in groups.values() for tag in g["enums"]}
    group_of: dict[str, str] = {}
    for name, group in groups.items():
        for header in group["headers"]:
            if group_of.setdefault(header, name) != name:
                raise Mismatch(f"{header}: is of group {group_of[header]} as well", "groups", name, "headers")
        for kind in KINDS:
            for item, said in group.get(kind, {}).items():
                path = ("groups", name, kind, item)
                if said["header"] not in group["headers"]:
                    raise Mismatch(f"{said['header']}: is no header of group {name}", *path, "header")
                if kind == "structs":
                    _fields(said.get("fields", []), said.get("size", 0), tags, enums, path)
                elif kind == "macros" and ("value" in said) != (said["kind"] == "value"):
                    raise Mismatch("a value goes with the kind value, and with no other", *path, "kind")


def _fields(fields: list[dict[str, Any]], size: int, tags: set[str], enums: set[str], path: tuple[Any, ...]) -> None:
    seen: set[str] = set()
    for place, field in enumerate(fields):
        here = (*path, "fields", place)
        if field["name"] in seen:
            raise Mismatch(f"{field['name']}: a field of this name is there before", *here, "name")
        seen.add(field["name"])
        if field["offset"] + field["size"] > size:
            raise Mismatch(f"{field['name']}: ends at byte {field['offset'] + field['size']} of {size}", *here, "offset")
        if field.get("ref", "") and field["ref"] not in tags and field["ref"] not in TAG.findall(field["type"]):
            raise Mismatch(f"{field['name']}: refers to {field['ref']}, which nothing declares", *here, "ref")
        if field.get("hint", "") and field["hint"] not in enums:
            raise Mismatch(f"{field['name']}: {field['hint']} is no enum", *here, "hint")
        if "fields" in field:
            _fields(field["fields"], field["size"], tags, enums, here)
