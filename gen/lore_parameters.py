# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""The part of lore that tracing needs: what the parameters of functions are."""

from __future__ import annotations

from typing import Any

from . import tomlfile
from .facts import Param
from .lore_checks import Checks
from .lore_model import close, find_field

RESULT = "result"  # what a call returns may tell how many elements there are


class ParameterTables(Checks):
    """What the checker of lore does with this table."""

    def _table_parameter(self, doc: tomlfile.Document, key: str, entry: dict[str, Any]) -> None:
        found, beside = self._parameter(doc, "parameter", key, key)
        means = [k for k in ("enum", "flags", "bool", "form") if k in entry]
        if len(means) > 1:
            raise doc.error("parameter", key, f"{key}: says both {means[0]} and {means[1]}")
        for name, also in (("mask", []), ("count", [RESULT])):
            if name in entry and entry[name] not in [*beside, *also]:
                raise doc.error("parameter", key, f"{key}: {entry[name]}: no such parameter", close(entry[name], beside))
        if not {"out", "mask", "count"}.isdisjoint(entry) and "*" not in found.type:
            raise doc.error("parameter", key, f"{key}: is no pointer but {found.type}")
        for length in entry.get("clear", {}):
            if length not in beside:
                raise doc.error("parameter", key, f"{key}: {length}: no such parameter", close(length, beside))
        if "tail" in entry:
            self._tail(doc, key, found, entry["tail"])

    def _tail(self, doc: tomlfile.Document, key: str, found: Param, tail: dict[str, str]) -> None:
        """Structures behind the one that is pointed to, which counts them; each has its size in it."""
        before = found.what.name
        for struct, path in ((before, tail["count"]), (tail["struct"], tail["size"])):
            self._struct(doc, "parameter", key, struct)
            field = find_field(self.structs, struct, path)
            if field is None or field.kind != "uint":
                raise doc.error("parameter", key, f"{key}: {struct}.{path}: no such number")

    def _parameter(self, doc: tomlfile.Document, table: str, key: str, path: str) -> tuple[Param, list[str]]:
        """A parameter by "function.name", and the names of all of that function."""
        name, _, parameter = path.partition(".")
        self._call(doc, table, key, name)
        params = self.calls[name].params
        found = next((p for p in params if p.name == parameter), None)
        if found is None:
            raise doc.error(table, key, f"{path}: no such parameter", close(parameter, [p.name for p in params]))
        return found, [p.name for p in params]
