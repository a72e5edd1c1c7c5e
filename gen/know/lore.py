# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""What headers do not say: lore/*.toml, checked against the API.

An entry that names nothing, or the wrong kind of thing, stops the generator with file and line. So lore cannot rot:
when a name goes, its lore must go too.
"""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Iterator
from functools import reduce
from operator import or_
from pathlib import Path
from typing import Any

from ..api.facts import Field
from ..api.merge import VARYING, Api, only_move
from ..errors import GenError
from ..files import tomlfile
from ..paths import LORE
from .lines import LineTables
from .mad import MadTables
from .model import INTEGERS, NO_BITS, Lore, close, find_field, is_of_c, range_of
from .objects import ObjectTables
from .parameters import ParameterTables
from .prm import PrmTables
from .reasons import ReasonTables
from .tables import TABLES
from .values import Place
from .words import WordTables
from .wr import WrTables

WORD = re.compile(r"\w+")
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


HEX = re.compile(r"0x[0-9a-f]+")


def _number(text: str) -> int | None:
    """Of a code, as whose key it stands."""
    if HEX.fullmatch(text):
        return int(text, 16)
    return int(text) if text.isascii() and text.isdecimal() else None


def _has_got_bits(one: dict[str, Any], other: dict[str, Any]) -> bool:
    """Whether one says of a mask that it has no bits, and the other which they are: those that newer headers have, of which the other is not to be written anew."""
    return NO_BITS in (one, other) and ("flags" in one or "flags" in other)


class Checker(ObjectTables, ReasonTables, ParameterTables, WordTables, LineTables, WrTables, MadTables, PrmTables):
    """Checks one document after the other and gathers what they say."""

    def read(self, path: Path) -> None:
        doc = tomlfile.load(path)
        for table, entries in doc.data.items():
            if table not in TABLES:
                raise doc.error(table, None, f"[{table}]: lore has no such table", close(table, TABLES))
            if not isinstance(entries, dict):
                raise doc.error("", table, f"{table}: must be a table: [{table}]")
            self.entries(doc, table, entries)

    def entries(self, doc: tomlfile.Document, table: str, entries: dict[str, Any]) -> None:
        """Whether each is as its table is described, and is said once."""
        described, store, rule = TABLES[table], self.lore.of(table), getattr(self, f"_table_{table}", None)
        for key, value in entries.items():
            place = Place(doc, table, key, value)
            self.of_either(lambda: described.key.check(self, place, key))
            self.of_either(lambda: described.value.check(self, place, value))
            if table == "field" and key in store and _has_got_bits(store[key], value):
                value = store.pop(key) if value == NO_BITS else value
                store.pop(key, None)
            for part in value if described.parts else ("",):
                self._say_once(place, part, not {part, _number(part)}.isdisjoint(store.get(key, {})) if part else key in store)
            store[key] = {**store.get(key, {}), **value} if described.parts else value
            if rule:
                self.of_either(lambda: rule(doc, key, value))

    def _say_once(self, place: Place, part: str, is_said: bool) -> None:
        at = place.below(part) if part else place
        key = place.table, place.key, part if _number(part) is None else str(_number(part))
        before = self.said.get(key, at)
        self.said[key] = at
        if is_said:
            raise at.wrong("lore says this twice", f"one of the two is enough: the other is {before.doc.path}:{before.doc.line(*before.line()[1:])}")

    def finish(self) -> Lore:
        """The checks that need all documents, such as a code that another file defines."""
        for check in self.late:
            self.of_either(check)
        for name, enum in self.lore.macro.items():
            entry = self.lore.enum.get(enum, {})
            self.lore.enum[enum] = {**entry, "macros": list(dict.fromkeys([*entry.get("macros", []), name]))}
        self.lore.gone = [g for g in self.lore.gone if g.name not in self.lore.until]
        only_move(self.api, {name for entry in self.lore.enum.values() for name in entry.get("sentinels", [])})
        for enum in self.enums.values():
            if not enum.named:
                enum.since = min(v.since for v in enum.values)
        return self.lore

    # ---- the rules of tables, beside what TABLES says of them ----

    def _first(self, doc: tomlfile.Document, table: str, key: str, name: str) -> None:
        if name not in self.firsts:
            raise doc.error(table, key, f"{name}: not the first enumerator of an unnamed enum", close(name, self.firsts))

    def _table_unnamed(self, doc: tomlfile.Document, key: str, name: str) -> None:
        if name in self.enums or list(self.lore.unnamed.values()).count(name) > 1:
            raise doc.error("unnamed", key, f"{name}: an enum of this name exists", "give it another")

    def _table_enum(self, doc: tomlfile.Document, key: str, entry: dict[str, Any]) -> None:
        if not entry.get("macros"):
            self.late.append(lambda: self._known_enum(doc, key))
        self.late.append(lambda: self._own_enumerators(doc, key, entry))

    def _value_macro(self, doc: tomlfile.Document, table: str, key: str, name: str) -> None:
        if name not in self.macros or self.macros[name].kind not in ("value", VARYING):
            raise doc.error(table, key, f"{name}: no such macro with an integer value", close(name, self.macros))

    def _known_enum(self, doc: tomlfile.Document, key: str) -> None:
        known = set(self.enums) | set(self.lore.unnamed.values())
        if key not in known:
            raise doc.error("enum", key, f"{key}: no such enum", close(key, known))

    def _own_enumerators(self, doc: tomlfile.Document, key: str, entry: dict[str, Any]) -> None:
        """Sentinels and the like must be of the enum that the entry is about."""
        own = self.values_of(key) | set(entry.get("macros", []))
        for part in ("sentinels", "composites", "bits"):
            for name in entry.get(part, []):
                if name not in own:
                    raise doc.error("enum", key, f"{key}: {name} is not one of its enumerators", close(name, own))
        for name, value in entry.get("others", {}).items():
            if value & ~entry.get("number", 0):
                raise doc.error("enum", key, f"{key}: {name} has bits that are not of its number")

    def _field_name(self, doc: tomlfile.Document, table: str, key: str, name: str) -> None:
        if name not in self.field_names:
            raise doc.error(table, key, f"{name}: no structure has a field of this name", close(name, self.field_names))

    def _fields_called(self, doc: tomlfile.Document, table: str, key: str, pattern: str) -> None:
        if not fnmatch.filter(self.field_names, pattern):
            raise doc.error(table, key, f"{pattern}: no structure has a field of this name", close(pattern, self.field_names))

    def _table_field(self, doc: tomlfile.Document, key: str, entry: dict[str, Any]) -> None:
        means = [k for k in ("enum", "flags", "set", "bitmap", "code", "form", "bool", "text", "bytes") if k in entry]
        if len(means) > 1 and (means[0], entry.get("form")) not in (("code", "hex"), ("enum", "default"), ("flags", "default")):
            raise doc.error("field", key, f"{key}: says both {means[0]} and {means[1]}")
        if key.startswith("vx_"):
            return  # libverbsx's own: plan/structs/own_structs.py looks whether there is such a field
        found = self._field(doc, "field", key, key)
        if "form" in entry:
            self._form(doc, key, found, entry)
        if "count" in entry:
            self._count(doc, key, found, entry["count"])
        self._suits(doc, key, found, entry)

    def _selector(self, doc: tomlfile.Document, table: str, key: str) -> str:
        """The structure that a selector is of; "STRUCTURE()" where a call of the same name is asked instead of a field."""
        struct = key.partition(".")[0].removesuffix("()")
        if key.endswith("()"):
            self._struct(doc, table, key, struct)
        else:
            self._integer(doc, key, self._field(doc, table, key, key), table)
        return struct

    def _table_guard(self, doc: tomlfile.Document, key: str, value: dict[str, list[str]]) -> None:
        struct, table = self._selector(doc, "guard", key), f"guard.{key}"
        self.late.append(lambda: self._is_mask(doc, key))
        for bit, fields in value.items():
            self._of_field(doc, table, bit, key, bit)
            number = getattr(self._item(bit), "value", None)
            if number is not None and number.bit_count() != 1:
                raise doc.error(table, bit, f"{bit}: is no bit but {number}", "a guard says what each bit of a mask makes count")
            for name in fields:
                self._field(doc, table, bit, f"{struct}.{name}")

    def _is_mask(self, doc: tomlfile.Document, key: str) -> None:
        """Whether lore or the headers say that a field holds one value at a time, and no bits."""
        struct, _, path = key.partition(".")
        found, said = find_field(self.structs, struct, path), self.lore.field.get(key, {})
        one = said.get("enum") or (found.ref if found and found.kind == "enum" and "flags" not in said else "")
        if one and path not in self.lore.names("mask"):
            raise doc.error("guard", key, f"{key}: is no mask, and has one value of enum {one} at a time")

    def _table_choice(self, doc: tomlfile.Document, key: str, value: dict[str, Any]) -> None:
        struct, table = self._selector(doc, "choice", key), f"choice.{key}"
        self.late.append(lambda: self._tells_apart(doc, key, next(iter(value))))
        for name, values in value.items():
            self._field(doc, table, name, f"{struct}.{name}")
            if f"{struct}.{name}" == key:
                raise doc.error(table, name, f"{name}: is what tells when others are valid, and so is valid itself")
            if values == "else":
                continue
            for part in [p for item in values for p in item.lstrip("!&").split("|") if not p.isdigit()]:
                self._enumerator(doc, table, name, part)
                self._of_field(doc, table, name, key, part)
            if len({item[:1] if item[:1] in "!&" else "" for item in values}) > 1:
                raise doc.error(table, name, f'{name}: "!" and "&" go for all values or for none')

    def _tells_apart(self, doc: tomlfile.Document, key: str, name: str) -> None:
        """Whether any member has values, beside which others are what is left."""
        if all(values == "else" for values in self.lore.choice[key].values()):
            raise doc.error(f"choice.{key}", name, f'{name}: "else" is of what has members with values as well, and this has none', 'give the values of one: MEMBER = ["VALUE"]')

    def _table_code(self, doc: tomlfile.Document, key: str, value: dict[str, Any]) -> None:
        table, numbers = f"code.{key}", dict(value)
        macros, best = numbers.pop("macros", []), numbers.pop("selected", "")
        written: dict[str, str] = {}
        for name in numbers:
            plain = name if _number(name) is None else str(_number(name))
            if written.setdefault(plain, name) != name:
                raise doc.error(table, name, f"{name}: is there as {written[plain]} as well")
        numbers = {plain: numbers[name] for plain, name in written.items()}
        for name, part in {"macros": macros, **numbers}.items():
            if isinstance(part, list) != (name == "macros"):
                raise doc.error(table, name, f"{name}: must be {'a list of macros of C' if name == 'macros' else 'a text'}")
        for number in numbers:
            if not (number.isascii() and number.isdecimal() and int(number) < 2**16):
                raise doc.error(table, number, f"{number}: must be a number of 16 bits", hint="or widen vx_code_row of runtime/src/text/table.h")
        if not isinstance(best, str) or best and max(map(int, numbers), default=0) >= 1 << VALUE_BITS:
            raise doc.error(table, "selected", f"a value of more than {VALUE_BITS} bits, above which its selector stands")
        made = _selected(numbers, best) if best else {**{name: name for name in macros}, **{int(n): text for n, text in numbers.items()}}
        of_others = {number: text for number, text in self.lore.code[key].items() if number not in value}  # of files before
        self.lore.code[key] = of_others | made

    def _table_since(self, doc: tomlfile.Document, key: str, value: int) -> None:
        item = self._item(key)
        if item.before and value <= item.before:
            return  # of what is not used any more
        before = max((r for r in self.api.releases if r < item.since), default=0)
        after = min(r for r in self.api.releases if r >= item.since)
        if not (before or after - 1) < value <= after:
            lacks = f"{before} has not" if before else "no facts are of older ones"
            raise doc.error("since", key, f"{key}: release {after} has it and {lacks}; {value} cannot be", "" if before else "leave it out")
        self.dated.add(id(item))
        for part in list(_came_with(item, self.dated)):
            part.since = value

    def _table_until(self, doc: tomlfile.Document, key: str, value: int) -> None:
        item = self._item(key)
        until = item.until or item.before
        lacks = min((r for r in self.api.releases if until and r > until), default=0)
        if not lacks:
            raise doc.error("until", key, f"{key}: release {self.api.newest} still has it")
        if not until <= value < lacks:
            raise doc.error("until", key, f"{key}: release {until} has it and {lacks} has not; {value} cannot be")
        if item.until:
            item.until = value

    def _all_names(self) -> set[str]:
        return {*self.enumerators, *self.enums, *self.structs, *self.calls, *self.macros}

    def _any_item(self, doc: tomlfile.Document, table: str, key: str, name: str) -> None:
        if self._item(name) is None:
            raise doc.error(table, key, f"{name}: no such item", close(name, self._all_names()))

    def _skipped(self, doc: tomlfile.Document, table: str, key: str, name: str) -> None:
        """What the headers declare, a variable among it, or a word of the type of one."""
        known = [word for g in self.api.groups.values() for v in g.variables.values() for word in (v.name, *WORD.findall(v.type))]
        if name not in known and self._item(name) is None:
            raise doc.error(table, key, f"{name}: no such item", close(name, {*known, *self._all_names()}))

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

    def _table_default(self, doc: tomlfile.Document, key: str, value: dict[str, Any]) -> None:
        table = f"default.{key}"
        for name, part in value.items():
            found = self._field(doc, table, name, f"{key}.{name}")
            words = list(map(str.strip, part.split("|"))) if isinstance(part, str) else []
            for word in words:
                if not is_of_c(word):
                    self._enumerator(doc, table, name, word)
                    self._of_field(doc, table, name, f"{key}.{name}", word)
            self._default_fits(doc, table, name, found, part, words)

    def _default_fits(self, doc: tomlfile.Document, table: str, name: str, found: Field, part: str | int, words: list[str]) -> None:
        """Whether a field is a number that can be this, or a pointer; values of the C library, which headers do not tell, are let through."""
        if found.kind not in (*INTEGERS, "pointer") or found.count is not None:
            raise doc.error(table, name, f"{name}: is no number but {found.type}")
        if (found.kind == "pointer" or words == ["NULL"]) and (found.kind, part) not in (("pointer", "NULL"), ("pointer", 0)):
            raise doc.error(table, name, f"{name}: {part}: is no value of {found.type}", "NULL is that of pointers alone, and the only one of them")
        items = [self._item(word) for word in words]
        number, most = part if isinstance(part, int) else reduce(or_, (getattr(item, "value", None) or 0 for item in items)), range_of(found)
        if found.kind != "pointer" and number not in most:
            bits = f" of {found.bits} bits" if found.bits else ""
            raise doc.error(table, name, f"{name}: {part}: must be from {most[0]} to {most[-1]}, as {found.type}{bits} has it")

    def _documented(self, doc: tomlfile.Document, table: str, key: str, name: str) -> None:
        tables = (self.calls, self.structs, self.enums, self.lore.enum, self.lore.unnamed.values())
        if not any(name in names for names in tables):
            known = [n for names in tables for n in names]
            raise doc.error(table, key, f"{name}: no such enum, structure or function", close(name, known))


def load(api: Api, folder: Path = LORE, others: Api | None = None) -> Lore:
    """Read all lore, that of the groups in their order and behind what is shared; the API gets its exact releases from it.

    Where one tree of headers has something else than all `others`, either is spoken of.
    """
    checker, groups = Checker(api, others), list(api.groups)
    if within := min((path for path in folder.glob("*/**/*.toml") if path.is_file()), default=None):
        raise GenError("lore is read of one folder, not of those in it", file=within, hint=f"move it to {folder}")
    paths = sorted((path for path in folder.glob("*.toml") if path.is_file()), key=lambda path: (groups.index(path.stem) + 1 if path.stem in groups else 0, path.name))
    if not paths:
        raise GenError("no lore here", file=folder)
    for path in paths:
        checker.read(path)
    return checker.finish()
