# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""What headers do not say: lore/*.toml, checked against the API.

An entry that names nothing, or the wrong kind of thing, stops the generator with file and line. So lore cannot rot: when
a name goes, its lore must go too.
"""

from __future__ import annotations

import dataclasses
import difflib
import errno
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from . import tomlfile
from .errors import GenError
from .facts import Enum, Field, Struct
from .groups import CONVENTIONS
from .merge import Api, walk

FOLDER = Path(__file__).parent / "lore"

# The ways to write a number or a blob; enum vx_form of runtime/src/table.h has the same names.
FORMS = (
    "plain", "hex", "page_sizes", "log2", "ack_timeout", "delay", "retry", "rate_kbps", "clock_khz", "bytes", "ns",
    "guid", "gid", "mac", "ipv4", "ipv6", "sockaddr", "errno", "fd", "mode", "family", "ethertype", "ipproto",
    "version",
)
# What the forms of addresses take, in bytes.
WIDTHS = {"guid": 8, "gid": 16, "mac": 6, "ipv4": 4, "ipv6": 16}
INTEGERS = ("uint", "int", "enum", "bool", "char")


IDENTIFIER = re.compile(r"[A-Za-z_]\w*", re.A)

# Words of an enumerator that end the name of its enum: EFADV_QP_FLAGS_INLINE_WRITE is of efadv_qp_flags.
STEM_WORDS = ("flags", "caps", "mask", "type", "opcode")


@dataclass
class Lore:
    """The tables, as plain dicts; keys are checked, values have the right types."""

    unnamed: dict[str, str] = dataclasses.field(default_factory=dict)
    enum: dict[str, dict[str, Any]] = dataclasses.field(default_factory=dict)
    field: dict[str, dict[str, Any]] = dataclasses.field(default_factory=dict)
    name: dict[str, dict[str, Any]] = dataclasses.field(default_factory=dict)
    struct: dict[str, dict[str, Any]] = dataclasses.field(default_factory=dict)
    guard: dict[str, dict[str, list[str]]] = dataclasses.field(default_factory=dict)
    choice: dict[str, dict[str, list[str | int] | str]] = dataclasses.field(default_factory=dict)
    code: dict[str, dict[int, str]] = dataclasses.field(default_factory=dict)
    since: dict[str, int] = dataclasses.field(default_factory=dict)
    default: dict[str, dict[str, Any]] = dataclasses.field(default_factory=dict)
    call: dict[str, dict[str, Any]] = dataclasses.field(default_factory=dict)
    meaning: dict[str, dict[str, str]] = dataclasses.field(default_factory=dict)
    errno: dict[str, dict[str, str]] = dataclasses.field(default_factory=dict)
    man: dict[str, str] = dataclasses.field(default_factory=dict)
    skip: dict[str, str] = dataclasses.field(default_factory=dict)


# ---- names in the API ----


def sub_fields(api_structs: dict[str, Struct], item: Field) -> list[Field]:
    """The members of a field that is a structure, by its own list or by its tag."""
    if item.fields:
        return item.fields
    if item.kind == "record" and item.ref in api_structs:
        return api_structs[item.ref].fields
    return []


def find_field(api_structs: dict[str, Struct], struct: str, path: str) -> Field | None:
    """The field at "a.b.c" in a structure."""
    if struct not in api_structs:
        return None
    fields, found = api_structs[struct].fields, None
    for name in path.split("."):
        found = next((f for f in fields if f.name == name), None)
        if found is None:
            return None
        fields = sub_fields(api_structs, found)
    return found


def is_of_c(word: str) -> bool:
    """Whether a word of a default is C's own, or the C library's."""
    return word in ("sizeof", "NULL") or word.startswith(("O_", "AF_"))


def _close(name: str, names: Iterable[str]) -> str | None:
    near = difflib.get_close_matches(name, sorted(names), 1, 0.6)
    return f"did you mean {near[0]}?" if near else None


def _came_with(item: Any, dated: set[int]) -> Iterator[Any]:
    """An item and its fields or enumerators of the same age, but for those that have a line of their own."""
    yield item
    for part in [*getattr(item, "fields", []), *getattr(item, "values", [])]:
        if part.since == item.since and id(part) not in dated:
            yield from _came_with(part, dated)


class _Checker:
    """Checks one document after the other and gathers what they say."""

    def __init__(self, api: Api) -> None:
        self.api = api
        self.enums = api.enums()
        self.structs = api.structs()
        self.calls = api.calls()
        self.macros = api.macros()
        self.enumerators = {v.name: e for e in self.enums.values() for v in e.values}
        self.firsts = {_first(e) for e in self.enums.values() if not e.named}
        self.lore = Lore()
        self.field_names = {f.name for s in self.structs.values() for f in walk(s.fields)}
        self.late: list[Callable[[], None]] = []
        self.dated: set[int] = set()

    def read(self, path: Path) -> None:
        doc = tomlfile.load(path)
        for table, entries in doc.data.items():
            check = getattr(self, f"_table_{table}", None)
            if check is None:
                raise doc.error(table, None, f"[{table}]: lore has no such table",
                                _close(table, vars(self.lore)))
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

    # ---- small checks ----

    def _typed(self, doc: tomlfile.Document, table: str, key: str, value: Any, known: dict[str, type]) -> dict[str, Any]:
        if not isinstance(value, dict):
            raise doc.error(table, key, f"{key}: must be a table such as {{ {next(iter(known))} = ... }}")
        if not value:
            raise doc.error(table, key, f"{key}: says nothing", "known: " + ", ".join(known))
        for name, part in value.items():
            if name not in known:
                raise doc.error(table, key, f"{key}: {name}: no such key", "known: " + ", ".join(known))
            if not isinstance(part, known[name]) or (known[name] is int and isinstance(part, bool)):
                raise doc.error(table, key, f"{key}: {name} must be of type {known[name].__name__}")
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

    def _enum(self, doc: tomlfile.Document, table: str, key: str, name: str) -> None:
        known = set(self.enums) | set(self.lore.unnamed.values()) | set(self.lore.enum)
        if name not in known:
            raise doc.error(table, key, f"{name}: no such enum", _close(name, known))

    def _enumerator(self, doc: tomlfile.Document, table: str, key: str, name: str) -> None:
        if name not in self.enumerators and name not in self.macros:
            raise doc.error(table, key, f"{name}: no such enumerator",
                            _close(name, [*self.enumerators, *self.macros]))

    def _struct(self, doc: tomlfile.Document, table: str, key: str, name: str) -> Struct:
        if name not in self.structs:
            raise doc.error(table, key, f"{name}: no such structure", _close(name, self.structs))
        return self.structs[name]

    def _field(self, doc: tomlfile.Document, table: str, key: str, path: str) -> Field:
        struct, _, rest = path.partition(".")
        self._struct(doc, table, key, struct)
        found = find_field(self.structs, struct, rest)
        if found is None:
            names = [f.name for f in self.structs[struct].fields]
            raise doc.error(table, key, f"{path}: no such field", _close(rest, names))
        return found

    # ---- the tables ----

    def _table_unnamed(self, doc: tomlfile.Document, key: str, value: Any) -> None:
        if key not in self.firsts:
            raise doc.error("unnamed", key, f"{key}: not the first enumerator of an unnamed enum",
                            _close(key, self.firsts))
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
                raise doc.error("enum", key, f"{name}: no such macro with an integer value", _close(name, self.macros))
        if not entry.get("macros"):
            self.late.append(lambda: self._known_enum(doc, key))
        elif not IDENTIFIER.fullmatch(key):
            raise doc.error("enum", key, f"{key!r} is no name of C")
        self.late.append(lambda: self._own_enumerators(doc, key, entry))

    def _known_enum(self, doc: tomlfile.Document, key: str) -> None:
        known = set(self.enums) | set(self.lore.unnamed.values())
        if key not in known:
            raise doc.error("enum", key, f"{key}: no such enum", _close(key, known))

    def _own_enumerators(self, doc: tomlfile.Document, key: str, entry: dict[str, Any]) -> None:
        """Sentinels and the like must be of the enum that the entry is about."""
        first = next((f for f, name in self.lore.unnamed.items() if name == key), "")
        enum = self.enums.get(key) or self.enums.get(f"({first})")
        own = {v.name for v in enum.values} if enum else set()
        own |= {m.name for m in self.macros.values() if m.text in own} | set(entry.get("macros", []))
        for part in ("sentinels", "composites", "bits"):
            for name in entry.get(part, []):
                if name not in own:
                    raise doc.error("enum", key, f"{key}: {name} is not one of its enumerators", _close(name, own))

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
            raise doc.error("name", key, f"{key}: {entry['form']}: no such form of a number", _close(entry["form"], FORMS))
        if key not in self.field_names:
            raise doc.error("name", key, f"{key}: no structure has a field of this name", _close(key, self.field_names))
        self._new(doc, "name", key, self.lore.name)
        self.lore.name[key] = entry

    def _table_field(self, doc: tomlfile.Document, key: str, value: Any) -> None:
        known = {"enum": str, "flags": str, "bitmap": str, "code": str, "form": str, "bool": bool, "zero": bool,
                 "be": bool, "count": str, "power": bool, "text": bool, "bytes": bool, "points": str, "never": bool,
                 "note": str}
        entry = self._typed(doc, "field", key, value, known)
        found = self._field(doc, "field", key, key)
        self._new(doc, "field", key, self.lore.field)
        self.lore.field[key] = entry
        means = [k for k in ("enum", "flags", "bitmap", "code", "form", "bool", "text", "bytes") if k in entry]
        if len(means) > 1:
            raise doc.error("field", key, f"{key}: says both {means[0]} and {means[1]}")
        for kind in ("enum", "flags", "bitmap"):
            if kind in entry:
                self.late.append(lambda name=entry[kind]: self._enum(doc, "field", key, name))
        if "code" in entry:
            self.late.append(lambda: self._known_code(doc, key, entry["code"]))
        if "form" in entry:
            self._form(doc, key, found, entry)
        if "count" in entry:
            self._count(doc, key, found, entry["count"])
        self._suits(doc, key, found, entry)

    def _suits(self, doc: tomlfile.Document, key: str, found: Field, entry: dict[str, Any]) -> None:
        """Whether what is said can be true of a field of this kind."""
        if not {"enum", "flags", "bitmap", "code", "bool"}.isdisjoint(entry):
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
            raise doc.error("field", key, f"{key}: {form}: no such form", _close(form, FORMS))
        if found.size != WIDTHS.get(form, found.size):
            raise doc.error("field", key, f"{key}: {form} takes {WIDTHS[form]} bytes, and {found.type} has {found.size}")
        if form == "sockaddr" and found.kind not in ("record", "pointer"):
            raise doc.error("field", key, f"{key}: is no address but {found.type}")
        if form not in (*WIDTHS, "sockaddr") and "count" not in entry:
            self._integer(doc, key, found)

    def _integer(self, doc: tomlfile.Document, key: str, found: Field, table: str = "field") -> None:
        if found.kind not in INTEGERS:
            name = key if table == "field" else None
            raise doc.error(table, name, f"{key}: is no integer but a {found.kind}: {found.type}")

    def _known_code(self, doc: tomlfile.Document, key: str, name: str) -> None:
        if name not in self.lore.code:
            raise doc.error("field", key, f"{name}: no such code", _close(name, self.lore.code))

    def _count(self, doc: tomlfile.Document, key: str, found: Field, count: str) -> None:
        parent = key.rpartition(".")[0]
        self._integer(doc, key, self._field(doc, "field", key, f"{parent}.{count}"))
        if found.kind != "pointer" and found.count is None:
            raise doc.error("field", key, f"{key}: is neither a pointer nor an array, so nothing counts it")

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
        self._integer(doc, key, self._field(doc, table, None, key), table)
        struct = key.partition(".")[0]
        for name, values in value.items():
            self._field(doc, table, name, f"{struct}.{name}")
            if values == "else":
                continue
            for item in self._names(doc, table, name, values, 'values, or "else"'):
                if not item.lstrip("!&").isdigit():
                    self._enumerator(doc, table, name, item.lstrip("!&"))
            if len({item[:1] if item[:1] in "!&" else "" for item in values}) > 1:
                raise doc.error(table, name, f'{name}: "!" and "&" go for all values or for none')
        self._new(doc, table, None, self.lore.choice, key)
        self.lore.choice[key] = value

    def _table_code(self, doc: tomlfile.Document, key: str, value: Any) -> None:
        rows = {}
        self._new(doc, f"code.{key}", None, self.lore.code, key)
        for number, text in self._table(doc, "code", key, value).items():
            if not number.isdecimal() or int(number) >= 2**32:
                raise doc.error(f"code.{key}", number, f"{number}: must be a number of 32 bits")
            rows[int(number)] = self._text(doc, f"code.{key}", number, text)
        self.lore.code[key] = rows

    def _table_since(self, doc: tomlfile.Document, key: str, value: Any) -> None:
        if not isinstance(value, int) or isinstance(value, bool):
            raise doc.error("since", key, f"{key}: must be a release of rdma-core")
        self._new(doc, "since", key, self.lore.since)
        item = self._item(key)
        if item is None:
            raise doc.error("since", key, f"{key}: no such item", _close(key, self._all_names()))
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
            raise doc.error("call", key, f"{key}: no such function", _close(key, self.calls))
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
            raise doc.error("errno", key, f"{key}: no such errno", _close(key, errno.errorcode.values()))
        self._new(doc, "errno", key, self.lore.errno)
        self.lore.errno[key] = self._typed(doc, "errno", key, value, {"says": str, "causes": str, "remedy": str})

    def _table_man(self, doc: tomlfile.Document, key: str, value: Any) -> None:
        self._new(doc, "man", key, self.lore.man)
        self.lore.man[key] = self._text(doc, "man", key, value)
        self.late.append(lambda: self._documented(doc, key))

    def _documented(self, doc: tomlfile.Document, key: str) -> None:
        known = {*self.enums, *self.structs, *self.calls, *self.lore.unnamed.values(), *self.lore.enum}
        if key not in known:
            raise doc.error("man", key, f"{key}: no such enum, structure or function", _close(key, known))

    def _table_skip(self, doc: tomlfile.Document, key: str, value: Any) -> None:
        if self._item(key) is None:
            raise doc.error("skip", key, f"{key}: no such item", _close(key, self._all_names()))
        self._new(doc, "skip", key, self.lore.skip)
        self.lore.skip[key] = self._text(doc, "skip", key, value)


def load(api: Api, folder: Path = FOLDER) -> Lore:
    """Read all lore; the API gets its exact releases from it."""
    checker = _Checker(api)
    paths = sorted(folder.glob("*.toml"))
    if not paths:
        raise GenError("no lore here", file=folder)
    for path in paths:
        checker.read(path)
    return checker.finish()


def name_unnamed(api: Api, lore: Lore) -> dict[str, str]:
    """Give each unnamed enum a name: lore's, or what its first enumerators share. Returns those that were made up."""
    made_up: dict[str, str] = {}
    new_name: dict[str, str] = {}
    taken = set(api.enums())
    for group in api.groups.values():
        for key, enum in list(group.enums.items()):
            if enum.named:
                continue
            name = lore.unnamed.get(_first(enum))
            if name is None:
                name = made_up[_first(enum)] = _shared_name(enum, taken)
            taken.add(name)
            group.enums.pop(key)
            enum.unnamed, enum.name = True, name
            group.enums[name] = enum
            new_name[key] = name
    for struct in api.structs().values():
        for f in walk(struct.fields):
            f.ref = new_name.get(f.ref, f.ref)
    return made_up


def _first(enum: Enum) -> str:
    """The enumerator that an unnamed enum is known by: the first that it had, whatever a newer release puts before."""
    return enum.name.strip("()")


def _shared_name(enum: Enum, taken: set[str]) -> str:
    """The words that all enumerators of the oldest release begin with; newer ones must not change the name."""
    names = [v.name.lower().split("_") for v in enum.values if v.since == enum.since]
    words = []
    for column in zip(*names):
        if len(set(column)) > 1:
            break
        words.append(column[0])
    if len(names) == 1 or len(words) < 2:
        words = _stem(names[0])
    name = "_".join(words)
    return name if name not in taken else "_".join(names[0])


def _stem(words: list[str]) -> list[str]:
    """Of a single enumerator, what it is one of: all up to a word that says so, or all but the last word."""
    for i, word in enumerate(words[:-1], 1):
        if word in STEM_WORDS and i > 1:
            return words[:i]
    return words[:-1] if len(words) > 2 else words
