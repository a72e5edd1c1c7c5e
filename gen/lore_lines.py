# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""The part of lore that reads lines of logs: patterns of text, and what they stand for."""

from __future__ import annotations

from typing import Any

from . import tomlfile
from .lore_checks import Checks
from .lore_model import close

ARROW = " -> "
NO_ENUM = ("errno", "vendor_err", "count")  # what a number may be beside a value of an enum


class LineTables(Checks):
    """What the checker of lore does with these tables."""

    def _table_message(self, doc: tomlfile.Document, key: str, value: Any) -> None:
        entry = self._typed(doc, "message", key, value, {"says": str, "causes": str, "remedy": str})
        self._pattern(doc, "message", key, self.lore.lines.message)
        if "says" not in entry or not all(text.endswith(".") for text in entry.values()):
            raise doc.error("message", key, f"{key}: needs says, and whole sentences")
        self.lore.lines.message[key] = entry

    def _table_phrase(self, doc: tomlfile.Document, key: str, value: Any) -> None:
        self._pattern(doc, "phrase", key, self.lore.lines.phrase)
        self.lore.lines.phrase[key] = names = self._names(doc, "phrase", key, value, "names")
        if not names:
            raise doc.error("phrase", key, f"{key}: stands for nothing")
        for name in names:
            if ARROW in name:
                self.late.append(lambda name=name: self._transition(doc, key, name))
            elif name not in self.calls:
                self._enumerator(doc, "phrase", key, name)

    def _transition(self, doc: tomlfile.Document, key: str, name: str) -> None:
        source, _, target = name.partition(ARROW)
        known = [t.partition(ARROW) for t in self.lore.reasons.transition]
        if not any(source in sources.split() and target == t for sources, _, t in known):
            raise doc.error("phrase", key, f"{name}: no such transition")

    def _table_number(self, doc: tomlfile.Document, key: str, value: Any) -> None:
        self._readings(doc, "number", key, value, self.lore.lines.number)

    def _table_alone(self, doc: tomlfile.Document, key: str, value: Any) -> None:
        self._readings(doc, "alone", key, value, self.lore.lines.alone)

    def _table_word(self, doc: tomlfile.Document, key: str, value: Any) -> None:
        self._new(doc, "word", key, self.lore.lines.word)
        self.lore.lines.word[key] = names = self._names(doc, "word", key, value, "enums")
        for name in names:
            self.late.append(lambda name=name: self._enum(doc, "word", key, name))

    def _readings(self, doc: tomlfile.Document, table: str, key: str, value: Any, store: dict[str, list[str]]) -> None:
        self._pattern(doc, table, key, store)
        store[key] = names = self._names(doc, table, key, value, "enums, or errno, vendor_err or count")
        for name in names:
            if "." in name and table == "number":
                self._field(doc, table, key, name)
            elif name not in NO_ENUM:
                self.late.append(lambda name=name: self._enum(doc, table, key, name))

    def _table_vendor_err(self, doc: tomlfile.Document, key: str, value: Any) -> None:
        name = self._text(doc, "vendor_err", key, value)
        self._enumerator(doc, "vendor_err", key, name)
        if not name.startswith("IBV_WC_"):
            raise doc.error("vendor_err", key, f"{name}: no status of a completion", close(name, self.enumerators))
        try:
            self.lore.lines.vendor_err[int(key, 0)] = name
        except ValueError:
            raise doc.error("vendor_err", key, f"{key}: no number") from None

    def _pattern(self, doc: tomlfile.Document, table: str, key: str, store: dict[str, Any]) -> None:
        """A text with "*" in it, each part of which says something, "#" where a number is, and "$" where the line ends."""
        self._new(doc, table, key, store)
        parts = key.removesuffix("$").replace("#", "*").split("*")
        if not all(part.strip() for part in parts):
            raise doc.error(table, key, f'{key}: "*" and "#" stand between words')
        if "$" in "".join(parts) or (key.endswith("$") and table not in ("message", "phrase")):
            raise doc.error(table, key, f'{key}: "$" ends a message or a phrase')
        _, _, behind = key.partition("#")
        if "#" in key and (table != "number" or "#" in behind or "*" in behind):
            raise doc.error(table, key, f'{key}: "#" is where a number stands, once, and no "*" comes behind it')
