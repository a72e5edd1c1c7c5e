# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""The part of lore that reads lines of logs: patterns of text, and what they stand for."""

from __future__ import annotations

from typing import Any

from ..files import tomlfile
from .checks import Checks
from .model import close

ARROW = " -> "
OTHERWISE = "otherwise "  # only where none before it is
HEX = "hex "  # a number that is read so, whatever stands before it
LIKELY = "likely "  # only in a line that has a pattern of [likely]
NO_ENUM = ("errno", "vendor_err", "firmware_syndrome", "reject", "count")  # what a number may be beside a value of an enum


class LineTables(Checks):
    """What the checker of lore does with these tables."""

    def _table_message(self, doc: tomlfile.Document, key: str, entry: dict[str, str]) -> None:
        for pattern in key.split("|"):
            self._pattern(doc, "message", pattern)

    def _table_beside(self, doc: tomlfile.Document, key: str, entry: dict[str, str]) -> None:
        self._pattern(doc, "beside", key)

    def _table_counter(self, doc: tomlfile.Document, key: str, entry: dict[str, str]) -> None:
        for name in key.split("|"):
            if not name.isidentifier():
                raise doc.error("counter", key, f'{name}: no name of a counter, which has letters, digits and "_"')
            if any(name in other.split("|") for other in self.lore.lines.counter if other != key):
                raise doc.error("counter", key, f"{name}: is there twice")

    def _table_change(self, doc: tomlfile.Document, key: str, entry: dict[str, str]) -> None:
        self.late.append(lambda: self._transition(doc, "change", key, key))

    def _table_phrase(self, doc: tomlfile.Document, key: str, names: list[str]) -> None:
        self._pattern(doc, "phrase", key)
        for name in names:
            if ARROW in name:
                self.late.append(lambda name=name: self._transition(doc, "phrase", key, name))
            elif name not in self.calls:
                self._enumerator(doc, "phrase", key, name)

    def _transition(self, doc: tomlfile.Document, table: str, key: str, name: str) -> None:
        source, _, target = name.partition(ARROW)
        known = [t.partition(ARROW) for t in self.lore.reasons.transition]
        if not any(source in sources.split() and target == t for sources, _, t in known):
            raise doc.error(table, key, f"{name}: no such transition")

    def _table_spelled(self, doc: tomlfile.Document, key: str, ours: str) -> None:
        self._pattern(doc, "spelled", key)
        if not ours.endswith("_") or not any(name.startswith(ours) for name in self.enumerators):
            raise doc.error("spelled", key, f"{ours}: no enumerator begins so")

    def _table_number(self, doc: tomlfile.Document, key: str, names: list[str]) -> None:
        self._readings(doc, "number", key, [self._less_likely(doc, key, name.removeprefix(HEX)) for name in names])

    def _less_likely(self, doc: tomlfile.Document, key: str, name: str) -> str:
        reading = name.removeprefix(LIKELY)
        if reading not in (name, "errno"):
            raise doc.error("number", key, f"{name}: only of an errno a line may say that it is likely")
        return reading

    def _table_likely(self, doc: tomlfile.Document, key: str, names: list[str]) -> None:
        self._pattern(doc, "likely", key)
        if names != ["errno"]:
            raise doc.error("likely", key, f'{", ".join(names)}: only of an errno a line may say that it is likely')

    def _table_alone(self, doc: tomlfile.Document, key: str, names: list[str]) -> None:
        self._readings(doc, "alone", key, [name.removeprefix(OTHERWISE) for name in names])

    def _readings(self, doc: tomlfile.Document, table: str, key: str, names: list[str]) -> None:
        self._pattern(doc, table, key)
        for name in names:
            if "." in name:
                self._field(doc, table, key, name)
            elif name not in NO_ENUM:
                self.late.append(lambda name=name: self._enum(doc, table, key, name))

    def _table_vendor_err(self, doc: tomlfile.Document, key: str, entry: dict[str, Any]) -> None:
        name = entry["status"]
        others = next((self.enumerators[e["status"]] for e in self.lore.lines.vendor_err.values() if e["status"] in self.enumerators), None)
        if self.enumerators.get(name) is not others:
            known = [v.name for v in others.values] if others else []
            raise doc.error("vendor_err", key, f"{name}: is of another enum than the rest", close(name, known))
        try:
            number = int(key, 0)
        except ValueError:
            raise doc.error("vendor_err", key, f"{key}: no number") from None
        del self.lore.lines.vendor_err[key]
        self.lore.lines.vendor_err[number] = entry

    def _pattern(self, doc: tomlfile.Document, table: str, key: str) -> None:
        """A text with "*" in it, each part of which says something, "#" where a number is, and "$" where the line ends."""
        parts = key.removesuffix("$").replace("#", "*").split("*")
        if not all(part.strip() for part in parts):
            raise doc.error(table, key, f'{key}: "*" and "#" stand between words')
        if "$" in "".join(parts) or (key.endswith("$") and table not in ("message", "phrase")):
            raise doc.error(table, key, f'{key}: "$" ends a message or a phrase')
        _, _, behind = key.partition("#")
        if "#" in key and (table != "number" or "#" in behind or "*" in behind):
            raise doc.error(table, key, f'{key}: "#" is where a number stands, once, and no "*" comes behind it')
