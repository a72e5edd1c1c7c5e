# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""The checks that entries of lore have in common: of types, of names, and of what suits a field."""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Callable
from functools import cached_property
from typing import Any

from ..api import own
from ..api.c_types import c_type
from ..api.facts import Field, Struct
from ..api.merge import Api, walk
from ..errors import GenError
from ..fast import sources
from ..files import tomlfile
from .model import FORMS, INTEGERS, WIDTHS, Gone, Lore, close, find_field, first_of, own_path
from .values import Place

CALLED = re.compile(r"\b(vx_[a-z0-9_]+)\(")
OWN_CALL = re.compile(r"vx_[a-z0-9_]+")  # of libverbsx


OF_API = ("api", "enums", "structs", "calls", "macros", "aliases", "enumerators", "firsts", "field_names", "operations")


class Checks:
    """What there is in the API, what lore has said so far, and what is left to check when all is read.

    Of an API with one tree of headers `others` is that of all releases, of which lore speaks as well.
    """

    def __init__(self, api: Api, others: Api | None = None) -> None:
        self.others = Checks(others) if others else None
        self.api = api
        self.enums = api.enums()
        self.structs = api.structs()
        self.calls = api.calls()
        self.macros = api.macros()
        self.aliases: dict[str, list[str]] = {}  # macros, by the enumerator that they stand for
        for macro in self.macros.values():
            self.aliases.setdefault(macro.text, []).append(macro.name)
        self.enumerators = {v.name: e for e in self.enums.values() for v in e.values}
        self.firsts = {first_of(e) for e in self.enums.values() if not e.named}
        self.lore = Lore()
        self.field_names = {f.name for s in self.structs.values() for f in walk(s.fields)}
        self.operations = {f.name for s in self.structs.values() for f in s.fields if f.kind == "function"}
        self.late: list[Callable[[], None]] = []
        self.dated: set[int] = set()
        self.said: dict[tuple[str, str, str], Place] = {}  # where each entry stands, or each part of one that several files have

    def of_either(self, check: Callable[[], None]) -> None:
        """What is said of releases may stand, where a tree has something else by the name."""
        try:
            check()
        except GenError as e:
            if not self.others:
                raise
            mine = {name: getattr(self, name) for name in OF_API}
            self.__dict__.update({name: getattr(self.others, name) for name in OF_API})
            try:
                check()
            except GenError:
                raise e from None
            finally:
                self.__dict__.update(mine)

    @cached_property
    def runtime(self) -> set[str]:
        """The functions that its own headers declare."""
        private = sources.private()
        files = {**private, **sources.contents(own.HEADERS)} if private else {}
        return {name for text in files.values() for name in CALLED.findall(text.decode(errors="replace"))}

    # ---- of names ----

    def _enum(self, doc: tomlfile.Document, table: str, key: str, name: str) -> None:
        if name in self.enums or name in self.lore.enum:
            return
        known = {*self.enums, *self.lore.unnamed.values(), *self.lore.enum, *(e.name for e in own.headers().enums)}
        if name not in known:
            raise doc.error(table, key, f"{name}: no such enum", close(name, known))

    def _enumerator(self, doc: tomlfile.Document, table: str, key: str, name: str) -> None:
        if name not in self.enumerators and name not in self.macros:
            raise doc.error(table, key, f"{name}: no such enumerator",
                            close(name, [*self.enumerators, *self.macros]))
        item = self.macros.get(name) or next(v for v in self.enumerators[name].values if v.name == name)
        self._still_there(doc, table, key, name, (self.macros.get(name) or self.enumerators[name]).header, item.until)

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
        self._still_there(doc, table, key, path, self.structs[struct].header, found.until)
        return found

    def _still_there(self, doc: tomlfile.Document, table: str, key: str | None, name: str, header: str, until: int) -> None:
        """What older headers alone have serves those; a person should look at what is said of it."""
        if until:
            self.lore.gone.append(Gone(header, name, until, f"gen/lore/{doc.path.name}:{doc.line(table, key)}"))

    def of_struct(self, place: Place, key: str, name: str) -> None:
        """A field of the structure that another key of the same entry names."""
        if key not in place.entry:
            raise place.wrong(f"is of {key}, which it lacks")
        self._field(*place.line(), f"{place.entry[key]}.{name}")

    def _call(self, doc: tomlfile.Document, table: str, key: str, name: str) -> None:
        if name not in self.calls:
            raise doc.error(table, key, f"{name}: no such function", close(name, self.calls))

    def _of_runtime(self, doc: tomlfile.Document, table: str, key: str, name: str) -> None:
        """Whether a header of the runtime declares a function, where its sources are at hand."""
        if self.runtime and name not in self.runtime:
            raise doc.error(table, key, f"{name}: no header in runtime/ declares such a function", close(name, self.runtime))

    def _path_member(self, doc: tomlfile.Document, table: str, key: str, name: str) -> None:
        members = own.headers().members("vx_path")
        if name not in members:
            raise doc.error(table, key, f"{name}: struct vx_path has no such member", close(name, members))

    def _begins(self, doc: tomlfile.Document, table: str, key: str, start: str) -> None:
        if not any(name.startswith(start) for name in self.calls):
            raise doc.error(table, key, f"{start}: no function begins so", close(start, self.calls))

    def _call_or_own(self, doc: tomlfile.Document, table: str, key: str, name: str) -> None:
        if not OWN_CALL.fullmatch(name):
            self._call(doc, table, key, name)

    def _leads(self, doc: tomlfile.Document, table: str, key: str, name: str) -> None:
        """What an arrow of a picture stands for."""
        if name not in self.enumerators:
            self._call_or_own(doc, table, key, name)

    def _known_form(self, doc: tomlfile.Document, table: str, key: str, form: str) -> None:
        if form not in FORMS:
            raise doc.error(table, key, f"{form}: no such form", close(form, FORMS) or f"one of {', '.join(FORMS)}")

    def _errno(self, doc: tomlfile.Document, table: str, key: str, name: str) -> None:
        if name not in errno.errorcode.values() and not hasattr(errno, name):
            raise doc.error(table, key, f"{name}: no such errno", close(name, errno.errorcode.values()))

    def _open_flag(self, doc: tomlfile.Document, table: str, key: str, name: str) -> None:
        if not hasattr(os, name):
            raise doc.error(table, key, f"{name}: the C library has no such flag", close(name, [known for known in dir(os) if known.startswith("O_")]))

    def values_of(self, enum: str) -> set[str]:
        """The enumerators of an enum, which lore may have named, and the macros that are the same; all bits that lore says it has."""
        first = next((f for f, name in self.lore.unnamed.items() if name == enum), "")
        found = self.enums.get(enum) or self.enums.get(f"({first})")
        names = [v.name for v in found.values] if found else []
        return {*names, *(alias for name in names for alias in self.aliases.get(name, ())), *self.lore.enum.get(enum, {}).get("macros", ()), *(m for m, of in self.lore.macro.items() if of == enum)}

    def _of_field(self, doc: tomlfile.Document, table: str, key: str, path: str, name: str) -> None:
        """Late, whether a field may have this value: one of its enum, as the headers or lore have it."""
        self.late.append(lambda: self._may_be(doc, table, key, path, name))

    def _may_be(self, doc: tomlfile.Document, table: str, key: str, path: str, name: str) -> None:
        struct, _, rest = path.partition(".")
        path = own_path(self.structs, struct, rest) if rest else path
        found, said = find_field(self.structs, struct, rest), self.lore.field.get(path, {})
        enum = said.get("enum") or said.get("flags") or ((found.ref if found.kind == "enum" else found.hint) if found else "")
        of = self.enumerators.get(name)
        if of is None or not of.named or of.name == enum:  # what has no tag, such as a set of all flags, may be of any
            return
        known = self.values_of(enum) if enum else set()
        if found and not enum:
            what = "flags" if table.startswith("guard.") else "enum"
            raise doc.error(table, key, f"{name}: is of enum {of.name}, and {path} of none", f'if it is, say so in [field]: "{path}" = {{ {what} = "{of.name}" }}')
        if known and name not in known:
            raise doc.error(table, key, f"{name}: is none of enum {enum}, which {path} has", close(name, known))

    # ---- of what suits a field ----

    def _suits(self, doc: tomlfile.Document, key: str, found: Field, entry: dict[str, Any]) -> None:
        """Whether what is said can be true of a field of this kind."""
        if not {"enum", "flags", "set", "bitmap", "code", "bool"}.isdisjoint(entry):
            self._integer(doc, key, found)
        if "be" in entry:
            self._swapped(doc, key, found)
        single = found.kind in ("char", "uint", "int") and found.count == found.size
        if "text" in entry and not single and (found.kind, found.target) != ("pointer", "char"):
            raise doc.error("field", key, f"{key}: is no text but {found.type}")
        if "bytes" in entry and found.count is None:
            raise doc.error("field", key, f"{key}: is no array but {found.type}")
        if "power" in entry and "count" not in entry:
            raise doc.error("field", key, f"{key}: power is about a count, and there is none")
        if "in_bytes" in entry and ("count" not in entry or found.count != 0):
            raise doc.error("field", key, f"{key}: in_bytes is about what counts an array without a size, and this is none")
        if "null" in entry and found.kind != "pointer":
            raise doc.error("field", key, f"{key}: is no pointer that could be NULL but {found.type}")
        if "handle" in entry and found.kind != "pointer":
            raise doc.error("field", key, f"{key}: is no pointer, as handles are, but {found.type}")
        if "points" in entry:
            self._points(doc, key, found, entry)
        if "secret" in entry and "count" not in entry and found.count is None and found.kind not in INTEGERS:
            raise doc.error("field", key, f"{key}: is no bytes that could be secret but {found.type}")

    def _swapped(self, doc: tomlfile.Document, key: str, found: Field) -> None:
        """Whether there is an order of bytes in a number, or in those that are pointed to."""
        if found.kind != "pointer":
            self._integer(doc, key, found)
        if c_type(found.type).bits == 8 or 1 in (found.width, found.size // (found.count or 1)):
            raise doc.error("field", key, f"{key}: is of single bytes, which have no order: {found.type}", "be is about numbers of several bytes")

    def _points(self, doc: tomlfile.Document, key: str, found: Field, entry: dict[str, Any]) -> None:
        points = entry["points"]
        if points == "each" and (found.target != "pointer" or "count" not in entry):
            raise doc.error("field", key, f"{key}: each is of counted pointers to pointers: {found.type}")
        known = self.structs.get(found.pointed if points == "each" else found.ref)
        if found.kind != "pointer" or known is None or known.opaque:
            raise doc.error("field", key, f"{key}: points to no structure that the headers define: {found.type}")
        if points == "list" and known is not self.structs.get(key.partition(".")[0]):
            raise doc.error("field", key, f"{key}: a list is of one kind of structure: {found.type} is another")

    def _form(self, doc: tomlfile.Document, key: str, found: Field, entry: dict[str, Any]) -> None:
        form = entry["form"]
        if found.size != WIDTHS.get(form, found.size):
            raise doc.error("field", key,
                            f"{key}: {form} takes {WIDTHS[form]} bytes, and {found.type} has {found.size}")
        if form == "sockaddr" and found.kind not in ("record", "pointer"):
            raise doc.error("field", key, f"{key}: is no address but {found.type}")
        if form not in (*WIDTHS, "sockaddr") and "count" not in entry:
            self._integer(doc, key, found)

    def _integer(self, doc: tomlfile.Document, key: str, found: Field, table: str = "field") -> None:
        if found.kind not in INTEGERS:
            raise doc.error(table, key, f"{key}: is no integer but a {found.kind}: {found.type}")

    def _known_code(self, doc: tomlfile.Document, table: str, key: str, name: str) -> None:
        if name not in self.lore.code:
            raise doc.error(table, key, f"{name}: no such code", close(name, self.lore.code))

    def _count(self, doc: tomlfile.Document, key: str, found: Field, count: str) -> None:
        parent = key.rpartition(".")[0]
        self._integer(doc, key, self._field(doc, "field", key, f"{parent}.{count}"))
        if found.kind != "pointer" and found.count is None:
            raise doc.error("field", key, f"{key}: is neither a pointer nor an array, so nothing counts it")
