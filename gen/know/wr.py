# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""The part of lore that the data path needs: work requests, and the calls that become inline functions of a handle."""

from __future__ import annotations

from typing import Any

from ..api.facts import Call, Enum
from ..files import tomlfile
from .checks import Checks
from .model import Lore, begins, close, find_field
from .values import Place

DATA = ("any", "sge", "8 bytes", "none")
GIVES = ("data", "address", "mkey")
LONGEST_LIST, LONGEST_SUM, MOST_SUMMED = 7, 31, 2  # of struct vx_guard_entries, runtime/src/guard/guard.h
OF_OPCODE = ("data", "types", "wc", "into")  # what lore says of an opcode that has no builder


def step_of(call: Call, lore: Lore) -> tuple[str, str]:
    """The structure that a builder or a setter is a pointer in, and what that is called; nothing of other calls."""
    struct = call.params[0].what.name if call.params else ""
    ending = next((end for end in lore.names("steps") if struct.endswith(f"_{end}")), "")
    name = call.name.removeprefix(struct.removesuffix(ending))
    is_step = ending and call.kind == "inline" and name.startswith(lore.names("builder")) and name not in lore.names("around")
    return (struct, name) if is_step else ("", "")


def is_setter(pointer: str, lore: Lore) -> bool:
    return pointer.startswith(lore.names("setter"))


def called_alike(enums: dict[str, Enum], one: str, word: str) -> str:
    """The enumerator that ends in a word, of the enum that has one; "" where none does."""
    values = next((e.values for e in enums.values() if any(v.name == one for v in e.values)), [])
    return next((v.name for v in values if v.name.lower().endswith(f"_{word}")), "")


def goes_into(structs: Any, entry: dict[str, Any], name: str) -> str:
    """The field of a request that a parameter of a builder goes into; "" where there is none."""
    struct, _, part = entry["into"].partition(".")
    named = entry.get("as", {}).get(name, name)
    return next((path for path in (f"{part}.{named}", named) if not path.startswith(".") and find_field(structs, struct, path)), "")


def entry_of(call: Call, name: str) -> str:
    """The structure of an entry of a list that is a parameter."""
    return next(p.what.name for p in call.params if p.name == name)


class WrTables(Checks):
    """What the checker of lore does with these tables."""

    def _step(self, doc: tomlfile.Document, table: str, key: str, sets: bool) -> Call:
        """A builder or a setter."""
        struct, name = step_of(self.calls[key], self.lore)
        if not struct or is_setter(name, self.lore) != sets:
            raise doc.error(table, key, f"{key}: {'sets nothing of' if sets else 'begins no'} work request")
        return self.calls[key]

    def _sends(self, doc: tomlfile.Document, table: str, key: str, name: str) -> None:
        known = self.lore.names("sends")
        if name not in known:
            raise doc.error(table, key, f"{name}: no type of QPs that send", close(name, known) or f"known: {', '.join(known)}")

    def _table_role(self, doc: tomlfile.Document, key: str, names: list[str]) -> None:
        fields = ("mask", "port", "context", "around", "begun", "posted", "data")
        for name in names:
            if key in fields:
                self._field_name(doc, "role", key, name)
            elif key == "sends":
                self.late.append(lambda name=name: self._type_of_qps(doc, "role", key, name))
            elif not any(name in known for known in {"steps": self.structs, "mask_bits": self.enums}.get(key, self.calls)):
                raise doc.error("role", key, f"{key}: nothing is called like {name}")

    def _builder(self, doc: tomlfile.Document, table: str, key: str, name: str) -> None:
        (self._enumerator if name in self.enumerators else self._call)(doc, table, key, name)

    def _table_wr(self, doc: tomlfile.Document, key: str, entry: dict[str, Any]) -> None:
        place = Place(doc, "wr", key, entry)
        if key in self.enumerators:
            self._opcode(place)
            return
        call = self._step(doc, "wr", key, False)
        if "op" not in entry:
            raise place.wrong("lacks op")
        names = [p.name for p in call.params[1:]]
        for name in [*entry.get("as", {}), *entry.get("at", []), *(entry[k] for k in ("setters", "aligned") if k in entry)]:
            if name not in names:
                raise place.wrong(f"{name}: no such parameter", close(name, names))
        self._entries(place, call)
        if "into" not in entry:
            lone = next((k for k in ("as", "post") if k in entry), None)
            if lone:
                raise place.wrong(f"{lone} goes with into")
            return
        if "wr" not in entry:
            raise place.wrong("into goes with wr, the opcode that is posted")
        self._into(place, names)

    def _opcode(self, place: Place) -> None:
        """One that has no builder: what such a request needs, and the part of its structure that is its own."""
        if other := next((k for k in place.entry if k not in OF_OPCODE), None):
            raise place.wrong(f"{other} is of builders, and this is an opcode", f"known: {', '.join(OF_OPCODE)}")
        if "into" in place.entry:
            struct, dot, _ = place.entry["into"].partition(".")
            (self._field if dot else self._struct)(place.doc, place.table, place.key, place.entry["into"])

    def _entries(self, place: Place, call: Call) -> None:
        """What is looked at of a list is there: its parameters, and fields of 32 bits of its structure."""
        entries = place.entry.get("entries", {})
        for what, text, most in (("list", entries.get("list", ""), LONGEST_LIST), ("fields", " + ".join(entries.get("fields", [])), LONGEST_SUM)):
            if len(text) > most:
                raise place.wrong(f"{what}: {text}: longer than {most} letters, which is what struct vx_guard_entries has for it")
        if len(entries.get("fields", [])) > MOST_SUMMED:
            raise place.wrong(f"fields: {len(entries['fields'])} of them: struct vx_guard_entries has room for {MOST_SUMMED}")
        for key in ("list", "count"):
            if key in entries and entries[key] not in (names := [p.name for p in call.params[1:]]):
                raise place.wrong(f"{entries[key]}: no such parameter", close(entries[key], names))
        for name in entries.get("fields", []):
            struct = entry_of(call, entries["list"])
            found = find_field(self.structs, struct, name)
            if not found or found.type != "uint32_t":
                raise place.wrong(f"struct {struct} has no {name} of 32 bits")

    def _into(self, place: Place, names: list[str]) -> None:
        """Each parameter has a place in the structure of a request."""
        struct, dot, _ = place.entry["into"].partition(".")
        self._struct(place.doc, place.table, place.key, struct)
        if dot:
            self._field(place.doc, place.table, place.key, place.entry["into"])
        for name in names:
            if not goes_into(self.structs, place.entry, name):
                raise place.wrong(f"into: struct {struct} has no place for {name}", "as says what it is called there")

    def _table_wr_set(self, doc: tomlfile.Document, key: str, entry: dict[str, Any]) -> None:
        call = self._step(doc, "wr_set", key, True)
        names = [p.name for p in call.params[1:]]
        place = Place(doc, "wr_set", key, entry)
        self._entries(place, call)
        if "into" in entry:
            self._into(place, names)
        for name in entry.get("at", []):
            if name not in names:
                raise place.wrong(f"{name}: no such parameter", close(name, names))

    def _reading(self, doc: tomlfile.Document, key: str) -> None:
        if not begins(self.lore, "reading", key):
            raise doc.error("inline", key, f"{key}: reads nothing of a completion, by [begins]")

    def _table_inline(self, doc: tomlfile.Document, key: str, entry: dict[str, Any]) -> None:
        if "flag" in entry or "always" in entry:
            if len(entry) > 1:
                raise doc.error("inline", key, f"{key}: says {' and '.join(entry)}, and what is read of a completion has either flag or always")
            self.late.append(lambda: self._reading(doc, key))
        elif ("fail" in entry) == ("stands" in entry):
            raise doc.error("inline", key, f"{key}: says either fail or stands")
        if self.calls[key].kind != "inline" or "fail" in entry and self.calls[key].result != "int":
            raise doc.error("inline", key, f"{key}: is no inline function that returns a code or a count")
