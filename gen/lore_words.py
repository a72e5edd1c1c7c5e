# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""The part of lore that documents: what functions do, and what their parameters and the fields of structures mean."""

from __future__ import annotations

from typing import Any

from . import tomlfile
from .lore_checks import Checks
from .lore_model import FORMS, close

OUT = "out"  # the last parameter of a function that stands for a call which returns its result


class WordTables(Checks):
    """What the checker of lore does with these tables."""

    def _table_does(self, doc: tomlfile.Document, key: str, value: Any) -> None:
        if key not in self.calls:
            raise doc.error("does", key, f"{key}: no such function", close(key, self.calls))
        text = self._text(doc, "does", key, value)
        if not text.endswith("."):
            raise doc.error("does", key, f"{key}: must be whole sentences")
        self._new(doc, "does", key, self.lore.does)
        self.lore.does[key] = text

    def _table_says(self, doc: tomlfile.Document, key: str, value: Any) -> None:
        owner, _, name = key.partition(".")
        if owner in self.calls:
            known = [OUT, *(p.name for p in self.calls[owner].params)]
            if name not in known:
                raise doc.error("says", key, f"{key}: no such parameter", close(name, known))
        elif owner.startswith("vx_"):  # what only the library has: its init structures, what its handles tell
            self.late.append(lambda: self._of_kind(doc, key, owner.removeprefix("vx_").removesuffix("_init")))
        else:
            self._field(doc, "says", key, key)
        text = self._text(doc, "says", key, value)
        if text.endswith("."):
            raise doc.error("says", key, f"{key}: must be without a full stop: more may be added")
        self._new(doc, "says", key, self.lore.says)
        self.lore.says[key] = text

    def _of_kind(self, doc: tomlfile.Document, key: str, kind: str) -> None:
        if kind not in self.lore.object:
            raise doc.error("says", key, f"{key}: no such kind of object", close(kind, self.lore.object))

    def _table_variable(self, doc: tomlfile.Document, key: str, value: Any) -> None:
        self._explained(doc, "variable", key, value, self.lore.variable)

    def _table_term(self, doc: tomlfile.Document, key: str, value: Any) -> None:
        self._explained(doc, "term", key, value, self.lore.term)

    def _explained(self, doc: tomlfile.Document, table: str, key: str, value: Any, store: dict[str, str]) -> None:
        text = self._text(doc, table, key, value)
        if not text.endswith("."):
            raise doc.error(table, key, f"{key}: must be whole sentences")
        self._new(doc, table, key, store)
        store[key] = text

    def _table_form(self, doc: tomlfile.Document, key: str, value: Any) -> None:
        if key not in FORMS or key == "plain":
            raise doc.error("form", key, f"{key}: no such form", close(key, FORMS))
        self._new(doc, "form", key, self.lore.form)
        self.lore.form[key] = self._text(doc, "form", key, value)
