# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""The checks that entries of lore have in common: of types, of names, and of what suits a field."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from . import own, tomlfile
from .facts import Field, Struct
from .lore_model import FORMS, INTEGERS, WIDTHS, Lore, close, find_field, first_of
from .merge import Api, walk


def _type_name(kind: Any) -> str:
    return " or ".join(k.__name__ for k in kind) if isinstance(kind, tuple) else kind.__name__


class Checks:
    """What there is in the API, what lore has said so far, and what is left to check when all is read."""

    def __init__(self, api: Api) -> None:
        self.api = api
        self.enums = api.enums()
        self.structs = api.structs()
        self.calls = api.calls()
        self.macros = api.macros()
        self.enumerators = {v.name: e for e in self.enums.values() for v in e.values}
        self.firsts = {first_of(e) for e in self.enums.values() if not e.named}
        self.lore = Lore()
        self.field_names = {f.name for s in self.structs.values() for f in walk(s.fields)}
        self.late: list[Callable[[], None]] = []
        self.dated: set[int] = set()

    # ---- of types ----

    def _typed(self, doc: tomlfile.Document, table: str, key: str, value: Any,
               known: dict[str, Any]) -> dict[str, Any]:
        if not isinstance(value, dict):
            raise doc.error(table, key, f"{key}: must be a table such as {{ {next(iter(known))} = ... }}")
        if not value:
            raise doc.error(table, key, f"{key}: says nothing", "known: " + ", ".join(known))
        for name, part in value.items():
            if name not in known:
                raise doc.error(table, key, f"{key}: {name}: no such key", "known: " + ", ".join(known))
            if not isinstance(part, known[name]) or (known[name] is int and isinstance(part, bool)):
                raise doc.error(table, key, f"{key}: {name} must be of type {_type_name(known[name])}")
        return value

    def _table(self, doc: tomlfile.Document, table: str, key: str, value: Any) -> dict[str, Any]:
        if not isinstance(value, dict):
            raise doc.error(table, key, f"{key}: must be a table of its own: [{table}.{key}]")
        return value

    def _names(self, doc: tomlfile.Document, table: str, key: str, value: Any, what: str) -> list[str]:
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            raise doc.error(table, key, f"{key}: must be a list of {what}")
        return value

    def _text(self, doc: tomlfile.Document, table: str, key: str, value: Any) -> str:
        if not isinstance(value, str):
            raise doc.error(table, key, f"{key}: must be a string")
        return value

    def _new(self, doc: tomlfile.Document, table: str, key: str | None, store: dict[str, Any], name: str = "") -> None:
        if (name or key) in store:
            raise doc.error(table, key, f"{name or key}: lore says this twice")

    # ---- of names ----

    def _enum(self, doc: tomlfile.Document, table: str, key: str, name: str) -> None:
        known = {*self.enums, *self.lore.unnamed.values(), *self.lore.enum, *(e.name for e in own.headers().enums)}
        if name not in known:
            raise doc.error(table, key, f"{name}: no such enum", close(name, known))

    def _enumerator(self, doc: tomlfile.Document, table: str, key: str, name: str) -> None:
        if name not in self.enumerators and name not in self.macros:
            raise doc.error(table, key, f"{name}: no such enumerator",
                            close(name, [*self.enumerators, *self.macros]))

    def _struct(self, doc: tomlfile.Document, table: str, key: str, name: str) -> Struct:
        if name not in self.structs:
            raise doc.error(table, key, f"{name}: no such structure", close(name, self.structs))
        return self.structs[name]

    def _field(self, doc: tomlfile.Document, table: str, key: str, path: str) -> Field:
        struct, _, rest = path.partition(".")
        self._struct(doc, table, key, struct)
        found = find_field(self.structs, struct, rest)
        if found is None:
            names = [f.name for f in self.structs[struct].fields]
            raise doc.error(table, key, f"{path}: no such field", close(rest, names))
        return found

    # ---- of what suits a field ----

    def _suits(self, doc: tomlfile.Document, key: str, found: Field, entry: dict[str, Any]) -> None:
        """Whether what is said can be true of a field of this kind."""
        if not {"enum", "flags", "set", "bitmap", "code", "bool"}.isdisjoint(entry):
            self._integer(doc, key, found)
        if "be" in entry and found.kind != "pointer":
            self._integer(doc, key, found)
        single = found.kind in ("char", "uint", "int") and found.count == found.size
        if "text" in entry and not single and (found.kind, found.target) != ("pointer", "char"):
            raise doc.error("field", key, f"{key}: is no text but {found.type}")
        if "bytes" in entry and found.count is None:
            raise doc.error("field", key, f"{key}: is no array but {found.type}")
        if "power" in entry and "count" not in entry:
            raise doc.error("field", key, f"{key}: power is about a count, and there is none")
        if "points" in entry:
            self._points(doc, key, found, entry["points"])
        if "secret" in entry and "count" not in entry and found.count is None and found.kind not in INTEGERS:
            raise doc.error("field", key, f"{key}: is no bytes that could be secret but {found.type}")

    def _points(self, doc: tomlfile.Document, key: str, found: Field, points: str) -> None:
        if points not in ("one", "list"):
            raise doc.error("field", key, f"{key}: points must be one or list")
        known = self.structs.get(found.ref)
        if found.kind != "pointer" or known is None or known.opaque:
            raise doc.error("field", key, f"{key}: points to no structure that the headers define: {found.type}")
        if points == "list" and known is not self.structs.get(key.partition(".")[0]):
            raise doc.error("field", key, f"{key}: a list is of one kind of structure: {found.type} is another")

    def _form(self, doc: tomlfile.Document, key: str, found: Field, entry: dict[str, Any]) -> None:
        form = entry["form"]
        if form not in FORMS:
            raise doc.error("field", key, f"{key}: {form}: no such form", close(form, FORMS))
        if found.size != WIDTHS.get(form, found.size):
            raise doc.error("field", key,
                            f"{key}: {form} takes {WIDTHS[form]} bytes, and {found.type} has {found.size}")
        if form == "sockaddr" and found.kind not in ("record", "pointer"):
            raise doc.error("field", key, f"{key}: is no address but {found.type}")
        if form not in (*WIDTHS, "sockaddr") and "count" not in entry:
            self._integer(doc, key, found)

    def _integer(self, doc: tomlfile.Document, key: str, found: Field, table: str = "field") -> None:
        if found.kind not in INTEGERS:
            name = key if table in ("field", "object") else None
            raise doc.error(table, name, f"{key}: is no integer but a {found.kind}: {found.type}")

    def _known_code(self, doc: tomlfile.Document, key: str, name: str) -> None:
        if name not in self.lore.code:
            raise doc.error("field", key, f"{name}: no such code", close(name, self.lore.code))

    def _count(self, doc: tomlfile.Document, key: str, found: Field, count: str) -> None:
        parent = key.rpartition(".")[0]
        self._integer(doc, key, self._field(doc, "field", key, f"{parent}.{count}"))
        if found.kind != "pointer" and found.count is None:
            raise doc.error("field", key, f"{key}: is neither a pointer nor an array, so nothing counts it")
