# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""The part of lore that makes objects: their kinds, what events are about, and the calls that are no methods."""

from __future__ import annotations

import re
from typing import Any

from . import tomlfile
from .lore_checks import Checks
from .lore_model import close
from .lore_reasons import RECORD

NAME = re.compile(r"[A-Za-z_][\w.]*")
KEYS: dict[str, Any] = {
    "title": str, "raw": str, "parent": str, "create": (str, list), "args": list, "attr": str, "also": str, "into": str, "made": str,
    "result": str, "list": dict, "gather": str, "destroy": str, "destroy_of": (str, list), "type": str, "page": str, "number": str,
    "import": str, "unimport": str, "by_hand": str, "provider": str, "crashes": dict, "default": dict,
    "where": dict, "needs": (list, dict), "unset": dict, "shows": list, "busy": str, "keeps": list, "tells": list,
    "adopts": list, "note": str, "lends": dict, "moves": dict, "marks": dict, "bare": dict, "uses": str, "begin": str, "end": str, "stride": str,
    "names": str, "often": bool, "once": bool, "told": dict, "other": dict, "knows": dict, "refuses": dict, "only": dict,
}
WAY_KEYS: dict[str, Any] = {"call": str, "when": str, "args": list, "made": str, "result": str, "given": dict, "since": int,
                           "like": str, "like_args": list}
BY_HAND = "init"
ROOT = "ctx"  # the kind that lore does not make

LONGEST = 24  # letters of a kind; VX_LONGEST_KIND of runtime/src/object/kind.h


class ObjectTables(Checks):
    """What the checker of lore does with these tables."""

    def _table_object(self, doc: tomlfile.Document, key: str, value: Any) -> None:
        entry = self._typed(doc, "object", key, value, KEYS)
        if len(key) > LONGEST:
            raise doc.error("object", key, f"{key}: longer than {LONGEST} letters, which is what a row has for the word")
        self._whole(doc, key, entry)
        self._ways(doc, key, entry)
        for call in [*(entry.get(name, "vx_") for name in ("destroy", "import", "unimport")), *entry.get("other", {}).values()]:
            self._call_or_own(doc, key, call)
        self._shape_of(doc, key, entry)
        self.late.append(lambda: self._of_kinds(doc, key, entry))
        if key in self.lore.object:
            raise doc.error("object", key, f"{key}: lore says this twice")
        self.lore.object[key] = entry
        self.lore.places[key] = (doc.path, doc.line("object", key))

    def _of_kinds(self, doc: tomlfile.Document, key: str, entry: dict[str, Any]) -> None:
        """What must be a kind, of whatever file."""
        known = [ROOT, *self.lore.object]
        for word, name in [(word, entry.get(word, ROOT)) for word in ("parent", "type")] + [("lends", n) for n in entry.get("lends", {}).values()]:
            if name not in known:
                raise doc.error("object", key, f"{key}: {word}: {name}: no such kind", close(name, known))

    def _whole(self, doc: tomlfile.Document, key: str, entry: dict[str, Any]) -> None:
        if "destroy" not in entry:
            raise doc.error("object", key, f"{key}: lacks destroy")
        for name in ("number", "shows"):
            if name in entry and "raw" not in entry:
                raise doc.error("object", key, f"{key}: {name} is of raw, which it lacks")
        if ("import" in entry) != ("unimport" in entry):
            raise doc.error("object", key, f"{key}: import and unimport go together")
        for where in (*entry.get("crashes", {}), *entry.get("bare", {})):
            if where.count(".") != 1:
                raise doc.error("object", key, f"{key}: {where}: must be LIBRARY.FUNCTION, of struct verbs_context")
        if entry.get("by_hand", BY_HAND) != BY_HAND:
            raise doc.error("object", key, f"{key}: by_hand must be {BY_HAND}")

    def _ways(self, doc: tomlfile.Document, key: str, entry: dict[str, Any]) -> None:
        create = entry.get("create", [])
        ways = [{"call": create}] if isinstance(create, str) else create
        for way in ways:
            self._typed(doc, "object", key, way, WAY_KEYS)
            if "call" not in way:
                raise doc.error("object", key, f"{key}: a way of making one lacks call")
            for name in ("call", "like"):
                self._call_or_own(doc, key, way.get(name, "vx_"))
        if ways and ("when" in ways[-1] or any("when" not in way for way in ways[:-1])):
            raise doc.error("object", key, f"{key}: all ways of making one but the last have when")

    def _call_or_own(self, doc: tomlfile.Document, key: str, call: str, table: str = "object") -> None:
        if call not in self.calls and not call.startswith("vx_"):
            raise doc.error(table, key, f"{call}: no such function", close(call, self.calls))

    def _shape_of(self, doc: tomlfile.Document, key: str, entry: dict[str, Any]) -> None:
        if "raw" in entry:
            self._struct(doc, "object", key, entry["raw"])
        if "attr" in entry:
            self._struct(doc, "object", key, entry["attr"])
        if "into" in entry:
            self._field(doc, "object", key, f"{entry.get('attr', '')}.{entry['into']}")
        for name in (*entry.get("moves", {}), *entry.get("marks", {})):
            self._call_or_own(doc, key, name)
        if "also" in entry:
            self._struct(doc, "object", key, entry["also"])
        for name in entry.get("keeps", []):
            if ":" in name:
                self._field(doc, "object", key, name.partition(":")[2])
        if "number" in entry:
            self._integer(doc, key, self._field(doc, "object", key, f"{entry['raw']}.{entry['number']}"), "object")
        for name in entry.get("shows", []):
            self._field(doc, "object", key, f"{entry['raw']}.{name.rpartition(':')[2]}")
        for value in entry.get("default", {}).values():
            self._enumerator(doc, "object", key, value)
        self._told(doc, key, entry)

    def _told(self, doc: tomlfile.Document, key: str, entry: dict[str, Any]) -> None:
        """By what a raw object is one of this kind: a value of an enum, which a row has room for."""
        if len(entry.get("told", {})) > 1:
            raise doc.error("object", key, f"{key}: told: one field, which a row has room for")
        for name, value in entry.get("told", {}).items():
            if self._field(doc, "object", key, f"{entry['raw']}.{name}").kind != "enum":
                raise doc.error("object", key, f"{key}: told: {name}: is of no enum")
            self._enumerator(doc, "object", key, value)

    def _table_event(self, doc: tomlfile.Document, key: str, value: Any) -> None:
        self._enumerator(doc, "event", key, key)
        about = self._text(doc, "event", key, value)
        self.lore.event[key] = about
        self.late.append(lambda: self._about(doc, key, about))

    def _about(self, doc: tomlfile.Document, key: str, about: str) -> None:
        known = [*self.lore.object, "port", "device", "ctx"]
        if about not in known:
            raise doc.error("event", key, f"{key}: {about}: no kind of object, nor port or device", close(about, known))

    def _table_query(self, doc: tomlfile.Document, key: str, value: Any) -> None:
        """What a kind is asked for when it is printed."""
        entry = self._typed(doc, "query", key, value, {"call": str, "mask": str, "by": str, "known": dict, "taken": str, "name": str})
        self._new(doc, "query", key, self.lore.query)
        self.lore.query[key] = entry
        taken = entry.get("taken", "").partition(".")[0]
        if entry.get("call", taken) not in self.calls:
            raise doc.error("query", key, f"{key}: {entry.get('call', taken)}: no such function", close(str(entry.get("call")), self.calls))
        if ("known" in entry) != ("by" in entry):
            raise doc.error("query", key, f"{key}: by and known go together")
        for state, bits in entry.get("known", {}).items():
            for name in [state, *self._names(doc, "query", key, bits, "enumerators")]:
                self._enumerator(doc, "query", key, name)
        self.late.append(lambda: self._about(doc, key, key))

    def _table_none(self, doc: tomlfile.Document, key: str, value: Any) -> None:
        """A field whose default is not 0, and whose 0 means something: what that is."""
        self._integer(doc, key, self._field(doc, "none", key, key), "none")
        self.lore.none[key] = self._text(doc, "none", key, value)
        self.late.append(lambda: self._defaulted(doc, key))

    def _defaulted(self, doc: tomlfile.Document, key: str) -> None:
        struct, _, path = key.partition(".")
        if not self.lore.default.get(struct, {}).get(path):
            raise doc.error("none", key, f"{key}: its default is 0, which needs no other name")

    def _table_method(self, doc: tomlfile.Document, key: str, value: Any) -> None:
        if key not in self.calls:
            raise doc.error("method", key, f"{key}: no such function", close(key, self.calls))
        self.lore.method[key] = self._text(doc, "method", key, value)

    def _table_owner(self, doc: tomlfile.Document, key: str, value: Any) -> None:
        if key not in self.calls:
            raise doc.error("owner", key, f"{key}: no such function", close(key, self.calls))
        if value not in [p.name for p in self.calls[key].params]:
            raise doc.error("owner", key, f"{key}: {value}: no such parameter")
        self.lore.owner[key] = value

    def _table_named(self, doc: tomlfile.Document, key: str, value: Any) -> None:
        self._call_or_own(doc, key, key, "named")
        self.lore.named[key] = self._text(doc, "named", key, value)

    def _table_given(self, doc: tomlfile.Document, key: str, value: Any) -> None:
        self._parameter(doc, key, "given")
        self.lore.given[key] = self._text(doc, "given", key, value)

    def _table_unit(self, doc: tomlfile.Document, key: str, value: Any) -> None:
        found, _ = self._parameter(doc, key, "unit")
        if not found.type.endswith("int64_t *") or not isinstance(value, int):
            raise doc.error("unit", key, f"{key}: must be a number of 64 bits that the call gives, and how many units it is")
        self.lore.unit[key] = value

    def _table_counting(self, doc: tomlfile.Document, key: str, value: Any) -> None:
        found, _ = self._parameter(doc, key, "counting")
        if found.type != "int":
            raise doc.error("counting", key, f"{key}: is no int but {found.type}")
        self.lore.counting[key] = self._text(doc, "counting", key, value)

    def _table_unasked(self, doc: tomlfile.Document, key: str, value: Any) -> None:
        self._parameter(doc, key, "unasked")
        self.lore.unasked[key] = self._text(doc, "unasked", key, value)

    def _table_before(self, doc: tomlfile.Document, key: str, value: Any) -> None:
        if key not in self.calls:
            raise doc.error("before", key, f"{key}: no such function", close(key, self.calls))
        for why, condition in self._table(doc, "before", key, value).items():
            for name, _, path in (m[0].partition(".") for m in NAME.finditer(self._text(doc, f"before.{key}", why, condition))):
                self._asks(doc, key, why, name, path)
        self.lore.before[key] = value

    def _asks(self, doc: tomlfile.Document, call: str, why: str, name: str, path: str) -> None:
        """A name in a condition: a parameter, a field of what that points to, or an enumerator."""
        types = {p.name: p.type for p in self.calls[call].params}
        record = RECORD.fullmatch(types.get(name, ""))
        if path and record:
            self._field(doc, f"before.{call}", why, f"{record[1]}.{path}")
        elif path or (name not in types and name not in self.enumerators and name not in self.macros):
            raise doc.error(f"before.{call}", why, f"{why}: {name}{path and '.' + path}: neither a parameter of {call}, a field of "
                                                   "what one points to, nor an enumerator", f"its parameters: {', '.join(types)}")

    def _table_flow(self, doc: tomlfile.Document, key: str, value: Any) -> None:
        """A type of a flow's specs: a header, or an action."""
        entry = self._typed(doc, "flow", key, value, {"of": str, "as": str, "bits": dict, "inner": bool, "takes": list})
        self._enumerator(doc, "flow", key, f"IBV_FLOW_SPEC_{key}")
        self._struct(doc, "flow", key, f"ibv_flow_spec_{entry.get('of', '')}")
        for name in entry.get("bits", {}):
            self._field(doc, "flow", key, f"ibv_flow_spec_{entry['of']}.val.{name}")
        for name in entry.get("takes", []):
            self._field(doc, "flow", key, f"ibv_flow_spec_{entry['of']}.{name}")
        self.lore.flow[key] = entry
