# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""The part of lore that tracing needs: what the parameters of functions are."""

from __future__ import annotations

from typing import Any

from . import tomlfile
from .facts import Param
from .lore_checks import Checks
from .lore_model import FORMS, close, find_field

KEYS: dict[str, type] = {"out": bool, "mask": str, "count": str, "type": str, "enum": str, "flags": str, "bool": bool,
                         "form": str, "optional": bool, "tail": dict, "asks": bool, "empty": bool}
TAIL_KEYS = ("name", "struct", "count", "size")
RESULT = "result"  # what a call returns may tell how many elements there are


class ParameterTables(Checks):
    """What the checker of lore does with this table."""

    def _table_parameter(self, doc: tomlfile.Document, key: str, value: Any) -> None:
        entry = self._typed(doc, "parameter", key, value, KEYS)
        found, beside = self._parameter(doc, key, "parameter")
        means = [k for k in ("enum", "flags", "bool", "form") if k in entry]
        if len(means) > 1:
            raise doc.error("parameter", key, f"{key}: says both {means[0]} and {means[1]}")
        for name in ("enum", "flags"):
            if name in entry:
                self.late.append(lambda enum=entry[name]: self._enum(doc, "parameter", key, enum))
        if entry.get("form", "plain") not in FORMS:
            raise doc.error("parameter", key, f"{key}: {entry['form']}: no such form", close(entry["form"], FORMS))
        for name, also in (("mask", []), ("count", [RESULT])):
            if name in entry and entry[name] not in [*beside, *also]:
                raise doc.error("parameter", key, f"{key}: {entry[name]}: no such parameter", close(entry[name], beside))
        if not {"out", "mask", "count"}.isdisjoint(entry) and "*" not in found.type:
            raise doc.error("parameter", key, f"{key}: is no pointer but {found.type}")
        if "tail" in entry:
            self._tail(doc, key, found, entry["tail"])
        self._new(doc, "parameter", key, self.lore.parameter)
        self.lore.parameter[key] = entry

    def _tail(self, doc: tomlfile.Document, key: str, found: Param, tail: dict[str, Any]) -> None:
        """Structures behind the one that is pointed to, which counts them; each has its size in it."""
        if sorted(tail) != sorted(TAIL_KEYS) or not all(isinstance(value, str) for value in tail.values()):
            raise doc.error("parameter", key, f"{key}: a tail has {', '.join(TAIL_KEYS)}, each a text")
        before = found.type.removeprefix("const ").removeprefix("struct ").removesuffix(" *")
        for struct, path in ((before, tail["count"]), (tail["struct"], tail["size"])):
            self._struct(doc, "parameter", key, struct)
            field = find_field(self.structs, struct, path)
            if field is None or field.kind != "uint":
                raise doc.error("parameter", key, f"{key}: {struct}.{path}: no such number")

    def _parameter(self, doc: tomlfile.Document, key: str, table: str) -> tuple[Param, list[str]]:
        """A parameter by "function.name", and the names of all of that function."""
        name, _, parameter = key.partition(".")
        if name not in self.calls:
            raise doc.error(table, key, f"{name}: no such function", close(name, self.calls))
        params = self.calls[name].params
        found = next((p for p in params if p.name == parameter), None)
        if found is None:
            raise doc.error(table, key, f"{key}: no such parameter", close(parameter, [p.name for p in params]))
        return found, [p.name for p in params]
