# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""What headers do not say: lore/*.toml, checked against the API.

An entry that names nothing, or the wrong kind of thing, stops the generator with file and line. So lore cannot rot:
when a name goes, its lore must go too.
"""

from __future__ import annotations

import errno
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from . import tomlfile
from .errors import GenError
from .facts import Enum
from .groups import CONVENTIONS
from .lore_lines import LineTables
from .lore_model import FORMS, IDENTIFIER, WIDTHS, Lore, close, find_field, first_of, is_of_c
from .lore_objects import ObjectTables
from .lore_parameters import ParameterTables
from .lore_reasons import ReasonTables
from .lore_words import WordTables
from .merge import Api, walk
from .sources import LORE

VALUE_BITS = 6  # of what a path record has below its selector


def _selected(values: dict[str, str], best: str) -> dict[int | str, str]:
    """All codes of a path record: a value of 6 bits, below two that say how it is meant."""
    ways = ("more than {}", "less than {}", "{}", best)
    return {way << VALUE_BITS | int(number): words.format(text) for way, words in enumerate(ways) for number, text in values.items()}


def _came_with(item: Any, dated: set[int]) -> Iterator[Any]:
    """An item and its fields or enumerators of the same age, but for those that have a line of their own."""
    yield item
    for part in [*getattr(item, "fields", []), *getattr(item, "values", [])]:
        if part.since == item.since and id(part) not in dated:
            yield from _came_with(part, dated)


class _Checker(ObjectTables, ReasonTables, ParameterTables, WordTables, LineTables):
    """Checks one document after the other and gathers what they say."""

    def read(self, path: Path) -> None:
        doc = tomlfile.load(path)
        for table, entries in doc.data.items():
            check = getattr(self, f"_table_{table}", None)
            if check is None:
                raise doc.error(table, None, f"[{table}]: lore has no such table",
                                close(table, vars(self.lore)))
            if not isinstance(entries, dict):
                raise doc.error("", table, f"{table}: must be a table: [{table}]")
            for key, value in entries.items():
                check(doc, key, value)

    def finish(self) -> Lore:
        """The checks that need all documents, such as a code that another file defines."""
        for check in self.late:
            check()
        for enum in self.enums.values():
            if not enum.named:
                enum.since = min(v.since for v in enum.values)
        return self.lore

    # ---- the tables ----

    def _table_unnamed(self, doc: tomlfile.Document, key: str, value: Any) -> None:
        if key not in self.firsts:
            raise doc.error("unnamed", key, f"{key}: not the first enumerator of an unnamed enum",
                            close(key, self.firsts))
        name = self._text(doc, "unnamed", key, value)
        if not IDENTIFIER.fullmatch(name):
            raise doc.error("unnamed", key, f"{key}: {name!r} is no name of C")
        if name in self.enums or name in self.lore.unnamed.values():
            raise doc.error("unnamed", key, f"{name}: an enum of this name exists")
        self.lore.unnamed[key] = name

    def _table_enum(self, doc: tomlfile.Document, key: str, value: Any) -> None:
        known = {"kind": str, "sentinels": list, "composites": list, "bits": list, "macros": list, "note": str}
        entry = self._typed(doc, "enum", key, value, known)
        self._new(doc, "enum", key, self.lore.enum)
        self.lore.enum[key] = entry
        if entry.get("kind", "flags") not in ("values", "flags", "mixed"):
            raise doc.error("enum", key, f"{key}: kind must be values, flags or mixed")
        for part in ("sentinels", "composites", "bits"):
            for name in self._names(doc, "enum", key, entry.get(part, []), "enumerators"):
                self._enumerator(doc, "enum", key, name)
        for name in self._names(doc, "enum", key, entry.get("macros", []), "macros"):
            if name not in self.macros or self.macros[name].kind != "value":
                raise doc.error("enum", key, f"{name}: no such macro with an integer value", close(name, self.macros))
        if not entry.get("macros"):
            self.late.append(lambda: self._known_enum(doc, key))
        elif not IDENTIFIER.fullmatch(key):
            raise doc.error("enum", key, f"{key!r} is no name of C")
        self.late.append(lambda: self._own_enumerators(doc, key, entry))

    def _known_enum(self, doc: tomlfile.Document, key: str) -> None:
        known = set(self.enums) | set(self.lore.unnamed.values())
        if key not in known:
            raise doc.error("enum", key, f"{key}: no such enum", close(key, known))

    def _own_enumerators(self, doc: tomlfile.Document, key: str, entry: dict[str, Any]) -> None:
        """Sentinels and the like must be of the enum that the entry is about."""
        first = next((f for f, name in self.lore.unnamed.items() if name == key), "")
        enum = self.enums.get(key) or self.enums.get(f"({first})")
        own = {v.name for v in enum.values} if enum else set()
        own |= {m.name for m in self.macros.values() if m.text in own} | set(entry.get("macros", []))
        for part in ("sentinels", "composites", "bits"):
            for name in entry.get(part, []):
                if name not in own:
                    raise doc.error("enum", key, f"{key}: {name} is not one of its enumerators", close(name, own))

    def _table_struct(self, doc: tomlfile.Document, key: str, value: Any) -> None:
        known = {"grows": str, "hidden": bool, "one_value": bool, "handle": bool, "note": str}
        entry = self._typed(doc, "struct", key, value, known)
        self._struct(doc, "struct", key, key)
        if entry.get("grows", "front") != "front":
            raise doc.error("struct", key, f"{key}: grows must be front")
        self._new(doc, "struct", key, self.lore.struct)
        self.lore.struct[key] = entry

    def _table_name(self, doc: tomlfile.Document, key: str, value: Any) -> None:
        entry = self._typed(doc, "name", key, value, {"form": str, "zero": bool, "bool": bool})
        if entry.get("form", "plain") not in FORMS or entry.get("form") in WIDTHS:
            raise doc.error("name", key, f"{key}: {entry['form']}: no such form of a number",
                            close(entry["form"], FORMS))
        if key not in self.field_names:
            raise doc.error("name", key, f"{key}: no structure has a field of this name", close(key, self.field_names))
        self._new(doc, "name", key, self.lore.name)
        self.lore.name[key] = entry

    def _table_field(self, doc: tomlfile.Document, key: str, value: Any) -> None:
        known = {"enum": str, "flags": str, "set": bool, "bitmap": str, "code": str, "form": str, "bool": bool, "zero": bool,
                 "be": bool, "count": str, "power": bool, "text": bool, "bytes": bool, "points": str, "never": bool,
                 "secret": bool, "handle": bool, "note": str}
        entry = self._typed(doc, "field", key, value, known)
        self._new(doc, "field", key, self.lore.field)
        self.lore.field[key] = entry
        means = [k for k in ("enum", "flags", "set", "bitmap", "code", "form", "bool", "text", "bytes") if k in entry]
        if len(means) > 1 and (means[0], entry.get("form")) not in (("code", "hex"), ("enum", "default"), ("flags", "default")):
            raise doc.error("field", key, f"{key}: says both {means[0]} and {means[1]}")
        for kind in ("enum", "flags", "bitmap"):
            if kind in entry:
                self.late.append(lambda name=entry[kind]: self._enum(doc, "field", key, name))
        if "code" in entry:
            self.late.append(lambda: self._known_code(doc, key, entry["code"]))
        if key.startswith("vx_"):
            return  # libverbsx's own: plan/own_structs.py looks whether there is such a field
        found = self._field(doc, "field", key, key)
        if "form" in entry:
            self._form(doc, key, found, entry)
        if "count" in entry:
            self._count(doc, key, found, entry["count"])
        self._suits(doc, key, found, entry)

    def _table_guard(self, doc: tomlfile.Document, key: str, value: Any) -> None:
        table = f"guard.{key}"
        self._table(doc, "guard", key, value)
        struct, _, rest = key.partition(".")
        if struct.endswith("()"):
            struct = struct[:-2]
            self._struct(doc, table, None, struct)
        else:
            self._integer(doc, key, self._field(doc, table, None, f"{struct}.{rest}"), table)
        for bit, fields in value.items():
            self._enumerator(doc, table, bit, bit)
            for name in self._names(doc, table, bit, fields, "fields"):
                self._field(doc, table, bit, f"{struct}.{name}")
        self._new(doc, table, None, self.lore.guard, key)
        self.lore.guard[key] = value

    def _table_choice(self, doc: tomlfile.Document, key: str, value: Any) -> None:
        table = f"choice.{key}"
        self._table(doc, "choice", key, value)
        struct = key.partition(".")[0].removesuffix("()")
        if key.endswith("()"):
            self._struct(doc, table, None, struct)
        else:
            self._integer(doc, key, self._field(doc, table, None, key), table)
        for name, values in value.items():
            self._field(doc, table, name, f"{struct}.{name}")
            if values == "else":
                continue
            for item in self._names(doc, table, name, values, 'values, or "else"'):
                for part in item.lstrip("!&").split("|"):
                    if not part.isdigit():
                        self._enumerator(doc, table, name, part)
            if len({item[:1] if item[:1] in "!&" else "" for item in values}) > 1:
                raise doc.error(table, name, f'{name}: "!" and "&" go for all values or for none')
        self._new(doc, table, None, self.lore.choice, key)
        self.lore.choice[key] = value

    def _table_code(self, doc: tomlfile.Document, key: str, value: Any) -> None:
        if not IDENTIFIER.fullmatch(key):
            raise doc.error(f"code.{key}", None, f"{key!r} is no name of C")
        self._new(doc, f"code.{key}", None, self.lore.code, key)
        numbers = dict(self._table(doc, "code", key, value))
        macros = self._names(doc, f"code.{key}", "macros", numbers.pop("macros", []), "macros of C")
        wrong = next((name for name in macros if not IDENTIFIER.fullmatch(name)), None)
        if wrong is not None:
            raise doc.error(f"code.{key}", "macros", f"{wrong!r} is no name of C")
        rows: dict[int | str, str] = {name: name for name in macros}
        best = self._text(doc, f"code.{key}", "selected", numbers.pop("selected", ""))
        for number, text in numbers.items():
            if not number.isdecimal() or int(number) >= 2**16:
                raise doc.error(f"code.{key}", number, f"{number}: must be a number of 16 bits", hint="or widen vx_code_row of runtime/src/text/table.h")
            rows[int(number)] = self._text(doc, f"code.{key}", number, text)
        if best and max(int(number) for number in numbers) >= 1 << VALUE_BITS:
            raise doc.error(f"code.{key}", "selected", f"a value of more than {VALUE_BITS} bits, above which its selector stands")
        self.lore.code[key] = _selected(numbers, best) if best else rows

    def _table_since(self, doc: tomlfile.Document, key: str, value: Any) -> None:
        if not isinstance(value, int) or isinstance(value, bool):
            raise doc.error("since", key, f"{key}: must be a release of rdma-core")
        self._new(doc, "since", key, self.lore.since)
        item = self._item(key)
        if item is None:
            raise doc.error("since", key, f"{key}: no such item", close(key, self._all_names()))
        before = max((r for r in self.api.releases if r < item.since), default=0)
        after = min(r for r in self.api.releases if r >= item.since)
        if not before < value <= after:
            raise doc.error("since", key, f"{key}: release {after} has it and {before} has not; {value} cannot be")
        self.dated.add(id(item))
        for part in list(_came_with(item, self.dated)):
            part.since = value
        self.lore.since[key] = value

    def _all_names(self) -> set[str]:
        return {*self.enumerators, *self.enums, *self.structs, *self.calls, *self.macros}

    def _item(self, key: str) -> Any:
        """Any named thing of the API: enumerator, enum, structure, field, function or macro."""
        if "." in key:
            struct, _, path = key.partition(".")
            return find_field(self.structs, struct, path)
        if key in self.enumerators:
            return next(v for v in self.enumerators[key].values if v.name == key)
        for items in (self.enums, self.structs, self.calls, self.macros):
            if key in items:
                return items[key]
        return None

    def _table_default(self, doc: tomlfile.Document, key: str, value: Any) -> None:
        table = f"default.{key}"
        self._table(doc, "default", key, value)
        self._struct(doc, table, None, key)
        self._new(doc, table, None, self.lore.default, key)
        for name, part in value.items():
            self._field(doc, table, name, f"{key}.{name}")
            if not isinstance(part, (int, str, bool)):
                raise doc.error(table, name, f"{name}: must be a number, a truth value or a name")
            for word in part.split("|") if isinstance(part, str) else []:
                if not is_of_c(word.strip()):
                    self._enumerator(doc, table, name, word.strip())
        self.lore.default[key] = value

    def _table_call(self, doc: tomlfile.Document, key: str, value: Any) -> None:
        known = {"error": str, "note": str}
        entry = self._typed(doc, "call", key, value, known)
        self._new(doc, "call", key, self.lore.call)
        if key not in self.calls:
            raise doc.error("call", key, f"{key}: no such function", close(key, self.calls))
        if entry.get("error", "null") not in CONVENTIONS:
            raise doc.error("call", key, f"{key}: {entry['error']}: no such convention",
                            "known: " + ", ".join(CONVENTIONS))
        self.lore.call[key] = entry

    def _table_meaning(self, doc: tomlfile.Document, key: str, value: Any) -> None:
        self._enumerator(doc, "meaning", key, key)
        self._new(doc, "meaning", key, self.lore.meaning)
        self.lore.meaning[key] = self._typed(doc, "meaning", key, value, {"says": str, "causes": str, "remedy": str})

    def _table_errno(self, doc: tomlfile.Document, key: str, value: Any) -> None:
        if not hasattr(errno, key):
            raise doc.error("errno", key, f"{key}: no such errno", close(key, errno.errorcode.values()))
        self._new(doc, "errno", key, self.lore.errno)
        self.lore.errno[key] = self._typed(doc, "errno", key, value, {"says": str, "causes": str, "remedy": str})

    def _table_man(self, doc: tomlfile.Document, key: str, value: Any) -> None:
        self._new(doc, "man", key, self.lore.man)
        self.lore.man[key] = self._text(doc, "man", key, value)
        self.late.append(lambda: self._documented(doc, key))

    def _documented(self, doc: tomlfile.Document, key: str) -> None:
        known = {*self.enums, *self.structs, *self.calls, *self.lore.unnamed.values(), *self.lore.enum}
        if key not in known:
            raise doc.error("man", key, f"{key}: no such enum, structure or function", close(key, known))

    def _table_skip(self, doc: tomlfile.Document, key: str, value: Any) -> None:
        if self._item(key) is None:
            raise doc.error("skip", key, f"{key}: no such item", close(key, self._all_names()))
        self._new(doc, "skip", key, self.lore.skip)
        self.lore.skip[key] = self._text(doc, "skip", key, value)


def load(api: Api, folder: Path = LORE) -> Lore:
    """Read all lore; the API gets its exact releases from it."""
    checker = _Checker(api)
    paths = sorted(folder.glob("*.toml"))
    if not paths:
        raise GenError("no lore here", file=folder)
    for path in paths:
        checker.read(path)
    return checker.finish()
