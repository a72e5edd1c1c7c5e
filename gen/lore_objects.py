# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""The part of lore that makes objects: their kinds, what events are about, and the calls that are no methods."""

from __future__ import annotations

from typing import Any

from . import tomlfile
from .lore_checks import Checks
from .lore_model import close

KEYS: dict[str, type] = {
    "title": str, "raw": str, "parent": str, "create": str, "attr": str, "into": str, "destroy": str, "type": str, "page": str,
    "number": str, "import": str, "unimport": str, "by_hand": bool, "prepare": str, "default": dict,
    "shows": list, "busy": str, "keeps": str,
}

LONGEST = 24  # letters of a kind; VX_LONGEST_KIND of runtime/src/object/kind.h


class ObjectTables(Checks):
    """What the checker of lore does with these tables."""

    def _table_object(self, doc: tomlfile.Document, key: str, value: Any) -> None:
        entry = self._typed(doc, "object", key, value, KEYS)
        if len(key) > LONGEST:
            raise doc.error("object", key, f"{key}: longer than {LONGEST} letters, which is what a row has for the word")
        for name in ("raw", "parent", "create", "destroy"):
            if name not in entry and not (name == "raw" and entry.get("by_hand")):
                raise doc.error("object", key, f"{key}: lacks {name}")
        for name in ("number", "shows"):
            if name in entry and "raw" not in entry:
                raise doc.error("object", key, f"{key}: {name} is of raw, which it lacks")
        if ("import" in entry) != ("unimport" in entry):
            raise doc.error("object", key, f"{key}: import and unimport go together")
        for name in ("create", "destroy", "import", "unimport"):
            self._call_or_own(doc, key, entry.get(name, "vx_"))
        self._shape_of(doc, key, entry)
        self.lore.object[key] = entry

    def _call_or_own(self, doc: tomlfile.Document, key: str, call: str) -> None:
        if call not in self.calls and not call.startswith("vx_"):
            raise doc.error("object", key, f"{call}: no such function", close(call, self.calls))

    def _shape_of(self, doc: tomlfile.Document, key: str, entry: dict[str, Any]) -> None:
        if "raw" in entry:
            self._struct(doc, "object", key, entry["raw"])
        if "attr" in entry:
            self._struct(doc, "object", key, entry["attr"])
        if "into" in entry:
            self._field(doc, "object", key, f"{entry.get('attr', '')}.{entry['into']}")
        if "keeps" in entry:
            self._field(doc, "object", key, f"{entry.get('attr', '')}.{entry['keeps']}")
        if "number" in entry:
            self._integer(doc, key, self._field(doc, "object", key, f"{entry['raw']}.{entry['number']}"), "object")
        for name in entry.get("shows", []):
            self._field(doc, "object", key, f"{entry['raw']}.{name}")
        for value in entry.get("default", {}).values():
            self._enumerator(doc, "object", key, value)

    def _table_event(self, doc: tomlfile.Document, key: str, value: Any) -> None:
        self._enumerator(doc, "event", key, key)
        about = self._text(doc, "event", key, value)
        self.lore.event[key] = about
        self.late.append(lambda: self._about(doc, key, about))

    def _about(self, doc: tomlfile.Document, key: str, about: str) -> None:
        known = [*self.lore.object, "port", "device"]
        if about not in known:
            raise doc.error("event", key, f"{key}: {about}: no kind of object, nor port or device", close(about, known))

    def _table_method(self, doc: tomlfile.Document, key: str, value: Any) -> None:
        if key not in self.calls:
            raise doc.error("method", key, f"{key}: no such function", close(key, self.calls))
        self.lore.method[key] = self._text(doc, "method", key, value)
