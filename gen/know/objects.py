# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""The part of lore that makes objects: their kinds, what events are about, and the calls that are no methods."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import takewhile
from typing import Any

from ..api import own
from ..api.c_types import c_type
from ..api.facts import Call
from ..errors import GenError
from ..files import tomlfile
from .checks import Checks
from .model import IDENTIFIER, Lore, close, ways_of
from .values import Place

NAME = re.compile(r"[A-Za-z_][\w.]*")
CONSTANT = re.compile(r"\b[A-Z]\w+")
BEYOND = "[*]"  # where pictures begin and end
ROOT = "ctx"  # the kind that lore does not make

# Tags that templates write; the other ones stand in headers of the runtime.
GENERATED = frozenset("""
    answers closer enum_info form handle_type kept kept_once mad_field mad_record mlx5_field mlx5_opcode object_kind signature_row size_if_any
    source struct unknown_type wc wr
    """.split())
LONGEST = 24  # letters of a kind; VX_LONGEST_KIND of runtime/src/object/kind.h


def called_so(lore: Lore, kind: str, entry: dict[str, Any]) -> str:
    """What libverbsx itself has of a name that would be made of a kind of objects of rdma-core; C has one room for all tags."""
    headers, (functions, tags) = own.headers(), own.private()
    there = {*functions, *tags, *(s.name for s in headers.structs), *(e.name for e in headers.enums), *(f"vx_{name}" for name in (*GENERATED, *lore.own)),
             *(f"vx_{name}_state" for name in lore.own), *(f"vx_kept_{name}" for name in (*lore.object, *lore.own)),
             *(f"vx_{name}_init" for name in (ROOT, *lore.object, *lore.own) if name != kind)}
    made = [f"vx_{kind}", *(f"vx_{kind}_{verb}" for verb in own.EVERY_KIND_HAS), *([] if "by_hand" in entry else [f"vx_{kind}_init"])]
    return next((name for name in made if name in there), "")


class ObjectTables(Checks):
    """What the checker of lore does with these tables."""

    def _table_picture(self, doc: tomlfile.Document, key: str, value: dict[str, list[str]]) -> None:
        """Whether all that it has can be come to from its beginning."""
        arrows, reached = {edge: edge.split(" -> ") for edge in value}, {BEYOND}
        while more := {end for start, end in arrows.values() if start in reached} - reached:
            reached |= more
        for edge, (start, _) in arrows.items():
            if start not in reached:
                raise doc.error(f"picture.{key}", edge, f"{edge}: no way leads to {start} from {BEYOND}, where pictures begin", f'such as "{BEYOND} -> {start}" = ["FUNCTION"]')

    def _table_object(self, doc: tomlfile.Document, key: str, entry: dict[str, Any]) -> None:
        wrong = Place(doc, "object", key, entry).wrong
        if len(key) > LONGEST:
            raise wrong(f"longer than {LONGEST} letters, which is what a row has for the word")
        if entry.get("parent") == key:
            raise wrong("parent: is its own parent")
        if ("import" in entry) != ("unimport" in entry):
            raise wrong("import and unimport go together")
        if len(entry.get("told", {})) > 1:
            raise wrong("told: one field, which a row has room for")
        ways = ways_of(entry)
        if ways and ("when" in ways[-1] or any("when" not in way for way in ways[:-1])):
            raise wrong("all ways of making one but the last have when")
        self.lore.places[key] = (doc.path, doc.line("object", key))
        self.late.append(lambda: self._made_and_ended(wrong, entry, ways))  # which structures are alike another file may say
        self.late.append(lambda: self._alone(wrong, key, entry))
        self.late.append(lambda: self._is_none_of_ours(wrong, key, entry))
        self._values(doc, key, entry)

    def _table_own(self, doc: tomlfile.Document, key: str, entry: dict[str, Any]) -> None:
        self.lore.places[key] = (doc.path, doc.line("own", key))
        if len(key) > LONGEST:
            raise doc.error("own", key, f"{key}: longer than {LONGEST} letters, which is what a row has for the word")
        if entry.get("parent") == key:
            raise doc.error("own", key, f"{key}: is its own parent")

    def _is_none_of_ours(self, wrong: Callable[..., GenError], key: str, entry: dict[str, Any]) -> None:
        if ours := called_so(self.lore, key, entry):
            calls = {way["call"] for way in ways_of(entry)}
            group = next((g.name for g in self.api.groups.values() if calls & g.calls.keys()), next(iter(self.api.groups)))
            raise wrong(f"{ours} is libverbsx's own", f"call the kind otherwise: {group}_{key} = {{ ...")

    def _table_event(self, doc: tomlfile.Document, key: str, about: str) -> None:
        first = next(iter(self.lore.event))
        enum, other = self.enumerators.get(key), self.enumerators.get(first)
        if enum and other and enum is not other:
            raise doc.error("event", key, f"{key}: is of enum {enum.name}, and {first} of enum {other.name}", "events are of one enum")

    def _table_named(self, doc: tomlfile.Document, key: str, value: str) -> None:
        self.lore.places[key] = (doc.path, doc.line("named", key))

    def _table_method(self, doc: tomlfile.Document, key: str, why: str) -> None:
        self.lore.places[f"method.{key}"] = (doc.path, doc.line("method", key))

    def _alone(self, wrong: Callable[..., GenError], key: str, entry: dict[str, Any]) -> None:
        """Whether other kinds before it are of the same structure, or made by the same call, which type would join into one."""
        before = takewhile(lambda other: other != key, self.lore.object)
        for other, said in ((o, self.lore.object[o]) for o in before if "type" not in entry):
            if "raw" in entry and said.get("raw") == entry["raw"] and "type" not in said:
                raise wrong(f"raw: struct {entry['raw']} is what {other} is of", f'one of the two is of the type of the other: type = "{other}"')
            same = {way["call"] for way in ways_of(entry)} & {way["call"] for way in ways_of(said)}
            if same and "type" not in said:
                raise wrong(f"create: {sorted(same)[0]} makes {other}", f'one of the two is of the type of the other: type = "{other}"')

    def _exported(self, wrong: Callable[..., GenError], key: str, name: str) -> None:
        """What a header declares and no library has, nobody can link with."""
        call = self.calls.get(name)
        if call and call.kind == "extern" and not call.library and self._is_told_of(call):
            raise wrong(f"{key}: {name}: no library exports it", "called so by the header alone, nobody can link with it")

    def _is_told_of(self, call: Call) -> bool:
        """Whether it is known of a release with the call what its library exports: headers alone do not tell."""
        group = next(g for g in self.api.groups.values() if call.name in g.calls)
        libraries = {c.library for c in group.calls.values() if c.library}
        return any(libraries.intersection(told) for release, told in self.api.told.items() if release >= call.since)

    def _made_and_ended(self, wrong: Callable[..., GenError], entry: dict[str, Any], ways: list[dict[str, Any]]) -> None:
        """Calls that give, or take, an object of another structure are none for this kind."""
        raw = entry.get("raw", "")
        for way in ways:
            by_pointer = not ("made" in way or "result" in way or "made" in entry or "result" in entry)
            self._gives(wrong, way["call"], raw, by_pointer)
            for name in (n for value in way.get("given", {}).values() for n in CONSTANT.findall(value)):
                if name not in self.enumerators and name not in self.macros:
                    raise wrong(f"create: given: {name}: no such enumerator", close(name, self.enumerators))
            self._exported(wrong, "create", way["call"])
        for key, call in [("import", entry.get("import", "vx_")), *entry.get("other", {}).items()]:
            self._gives(wrong, call, raw, True)
        for key in ("destroy", "import", "unimport"):
            self._exported(wrong, key, entry.get(key, ""))
            if key == "import":
                continue
            if raw and key in entry and entry.get("destroy_of", "raw") == "raw":
                self._takes(wrong, key, entry[key], raw)
        for call, name in entry.get("moves", {}).items():
            names = [p.name for p in self.calls[call].params] if call in self.calls else [name]
            if name not in names:
                raise wrong(f"moves: {call}: {name}: no such parameter", close(name, names))
        for call, given in entry.get("depends", {}).items():
            names = [p.name for p in self.calls[call].params] if call in self.calls else given
            for name in given:
                if name not in names:
                    raise wrong(f"depends: {call}: {name}: no such parameter", close(name, names))
        self._kept_by(wrong, entry, ways)

    def _is_before(self, call: Call, release: int) -> bool:
        """Whether a release lacks a function: those between two that facts are of may have it, where its symbol does not tell."""
        told = call.introduced == call.since
        return release < call.since if told else release <= max((r for r in self.api.releases if r < call.since), default=0)

    def _kept_by(self, wrong: Callable[..., GenError], entry: dict[str, Any], ways: list[dict[str, Any]]) -> None:
        """Names of what the handle keeps, of ways to make one, and what is gathered for these."""
        kept = [word.partition("=")[0].partition(":")[0] for word in entry.get("keeps", [])]
        for other, told in entry.get("knows", {}).items():
            unknown = next((name for name in told if name not in kept), None)
            if other not in entry.get("other", {}):
                raise wrong(f"knows: {other}: is none of other", close(other, entry.get("other", {})))
            if unknown is not None:
                raise wrong(f"knows: {other}: {unknown}: not among what the handle keeps", close(unknown, kept))
        gathered = any("gathered" in way.get("args", entry.get("args", [])) for way in ways)
        if gathered != ("gather" in entry):
            raise wrong('gather makes what the argument "gathered" is, and goes with it')
        for way in ways:
            call = self.calls.get(way["call"])
            if call and "since" in way and self._is_before(call, way["since"]):
                raise wrong(f"create: {call.name} is there from release {call.since} on, which is after {way['since']}")
        for call, name in entry.get("marks", {}).items():
            if name not in kept:
                raise wrong(f"marks: {call}: {name}: not among what the handle keeps", close(name, kept))

    def _gives(self, wrong: Callable[..., GenError], name: str, raw: str, by_pointer: bool) -> None:
        """What a call returns is the object, or stands for the same."""
        found = c_type(self.calls[name].result).to_a_struct if name in self.calls else ""
        if not by_pointer or not found:
            return
        if self.lore.alike.get(found, found) != raw:
            raise wrong(f"{name}: makes struct {found}, and raw is {raw or 'nothing'}", "raw is what the call returns, or made says where the object is")

    def _takes(self, wrong: Callable[..., GenError], key: str, name: str, raw: str) -> None:
        params = self.calls[name].params if name in self.calls else []
        if params and params[0].type != f"struct {raw} *":
            raise wrong(f"{key}: {name}: takes {params[0].type}, and raw is {raw}", "destroy_of says what it takes, where that is not the object")

    def _values(self, doc: tomlfile.Document, key: str, entry: dict[str, Any]) -> None:
        """Numbers and enumerators that suit the fields and parameters that they are of."""
        place = Place(doc, "object", key, entry)
        for name in entry.get("shows", []):
            self.of_struct(place.below("shows"), "raw", name.rpartition(":")[2])
        if "number" in entry:
            self._integer(doc, key, self._field(doc, "object", key, f"{entry['raw']}.{entry['number']}"), "object")
        for name, value in entry.get("told", {}).items():
            if self._field(doc, "object", key, f"{entry['raw']}.{name}").kind != "enum":
                raise place.wrong(f"told: {name}: is of no enum")
            self._of_field(doc, "object", key, f"{entry['raw']}.{name}", value)
        params = {p.name: p.type for way in ways_of(entry) if way["call"] in self.calls for p in self.calls[way["call"]].params}
        for name, value in entry.get("default", {}).items():
            if name not in params:
                raise place.wrong(f"default: {name}: no parameter of what makes one", close(name, params))
            known = self.values_of(params[name].removeprefix("enum "))
            if known and value not in known:
                raise place.wrong(f"default: {value} is none of {params[name]}", close(value, known))

    def _operation(self, doc: tomlfile.Document, table: str, key: str, name: str) -> None:
        """What a provider has a function of its own for: a structure of the headers has a pointer to it."""
        _, _, function = name.partition(".")
        if function not in self.operations:
            raise doc.error(table, key, f"{name}: no structure has a pointer to such a function", close(function, self.operations))

    def _kind(self, doc: tomlfile.Document, table: str, key: str, name: str) -> None:
        known = [ROOT, *self.lore.object, *self.lore.own]
        if name not in known:
            raise doc.error(table, key, f"{name}: no such kind", close(name, known))

    def _about(self, doc: tomlfile.Document, table: str, key: str, about: str) -> None:
        known = [*self.lore.object, "port", "device", ROOT]
        if about not in known:
            raise doc.error(table, key, f"{about}: no kind of object, nor port or device", close(about, known))

    def _shown(self, doc: tomlfile.Document, table: str, key: str, name: str) -> None:
        """Of one that a kind prints: the field of raw is looked for when the entry is whole."""
        label, colon, name = name.rpartition(":")
        if not IDENTIFIER.fullmatch(name) or colon and not IDENTIFIER.fullmatch(label):
            raise doc.error(table, key, f"{name}: must be a field of raw, or NAME:FIELD")

    def _kept(self, doc: tomlfile.Document, table: str, key: str, word: str) -> None:
        if ":" in word:
            self._field(doc, table, key, word.partition(":")[2].partition("=")[0])

    def _table_query(self, doc: tomlfile.Document, key: str, entry: dict[str, Any]) -> None:
        """What a kind is asked for when it is printed."""
        self.lore.asked[key] = (doc.path, doc.line("query", key))
        if ("call" in entry) == ("taken" in entry):
            raise doc.error("query", key, f"{key}: says either call or taken")
        if ("known" in entry) != ("by" in entry):
            raise doc.error("query", key, f"{key}: by and known go together")
        if "by" in entry:
            self._known_by(doc, key, entry)
        self.late.append(lambda: self._asked_of(doc, key, entry))

    def _known_by(self, doc: tomlfile.Document, key: str, entry: dict[str, Any]) -> None:
        """The field of the first structure that the call fills, and what else of it means something."""
        filled = (p.what for p in self.calls[entry["call"]].params[1:] if not p.what.const)
        first = next((what.to_a_struct for what in filled if what.to_a_struct), "")
        self._field(doc, "query", key, f"{first}.{entry['by']}")
        for state in entry["known"]:
            self._of_field(doc, "query", key, f"{first}.{entry['by']}", state)

    def _asked_of(self, doc: tomlfile.Document, key: str, entry: dict[str, Any]) -> None:
        raw = self.lore.object.get(key, {}).get("raw")
        params = self.calls[entry["call"]].params if "call" in entry else []
        if raw and params and not params[0].what.is_to(raw):
            raise doc.error("query", key, f"{key}: {entry['call']}: takes {params[0].type}, and raw is {raw}")

    def _table_none(self, doc: tomlfile.Document, key: str, value: str) -> None:
        """A field whose default is not 0, and whose 0 means something: what that is."""
        self._integer(doc, key, self._field(doc, "none", key, key), "none")
        self.late.append(lambda: self._defaulted(doc, key))

    def _defaulted(self, doc: tomlfile.Document, key: str) -> None:
        struct, _, path = key.partition(".")
        if not self.lore.default.get(struct, {}).get(path):
            raise doc.error("none", key, f"{key}: its default is 0, which needs no other name")

    def _table_owner(self, doc: tomlfile.Document, key: str, value: str) -> None:
        names = [p.name for p in self.calls[key].params]
        if value not in names:
            raise doc.error("owner", key, f"{key}: {value}: no such parameter", close(value, names))

    def _table_unit(self, doc: tomlfile.Document, key: str, value: int) -> None:
        what = self._parameter(doc, "unit", key, key)[0].what
        if what.stars != "*" or what.bits != 64:
            raise doc.error("unit", key, f"{key}: must be a number of 64 bits that the call gives, and how many units it is")

    def _table_counting(self, doc: tomlfile.Document, key: str, value: str) -> None:
        found, _ = self._parameter(doc, "counting", key, key)
        if found.type != "int":
            raise doc.error("counting", key, f"{key}: is no int but {found.type}")

    def _table_before(self, doc: tomlfile.Document, key: str, value: dict[str, str]) -> None:
        for why, condition in value.items():
            for name, _, path in (m[0].partition(".") for m in NAME.finditer(condition)):
                self._asks(doc, key, why, name, path)

    def _asks(self, doc: tomlfile.Document, call: str, why: str, name: str, path: str) -> None:
        """A name in a condition: a parameter, a field of what that points to, what the handle keeps, or an enumerator."""
        if name == "kept":
            self.late.append(lambda: self._is_kept(doc, call, why, path))
            return
        types = {p.name: p.type for p in self.calls[call].params}
        record = c_type(types.get(name, "")).to_one
        if path and record:
            self._field(doc, f"before.{call}", why, f"{record}.{path}")
        elif path or (name not in types and name not in self.enumerators and name not in self.macros and not self._may_be_of_runtime(name)):
            raise doc.error(f"before.{call}", why, f"{why}: {name}{path and '.' + path}: neither a parameter of {call}, a field of "
                                                   "what one points to, nor an enumerator", f"its parameters: {', '.join(types)}")

    def _is_kept(self, doc: tomlfile.Document, call: str, why: str, name: str) -> None:
        """By the handles that a call is a method of."""
        at = next((p for p in self.calls[call].params if p.name == self.lore.owner.get(call)), self.calls[call].params[0])
        kept = [word.partition("=")[0] for e in self.lore.object.values() if e.get("raw") == at.what.to_a_struct for word in e.get("keeps", [])]
        if name not in kept:
            raise doc.error(f"before.{call}", why, f"{why}: kept.{name}: not among what the handle keeps", close(name, kept))

    def _may_be_of_runtime(self, name: str) -> bool:
        """Whether it is a function of the runtime, or could be one, where that is not at hand."""
        return name.startswith("vx_") and (not self.runtime or name in self.runtime)

    def _table_flow(self, doc: tomlfile.Document, key: str, entry: dict[str, Any]) -> None:
        """A type of a flow's specs: a header, or an action."""
        for member, name in [("vx_flow_filter", entry.get("as", "")), *(("vx_flow_spec", name) for name in entry.get("takes", []))]:
            if name and name not in own.headers().members(member):
                raise doc.error("flow", key, f"{key}: {name}: no member of struct {member} of runtime/include/verbsx/flow.h",
                                close(name, own.headers().members(member)))
        if ("as" in entry) == ("takes" in entry):
            raise doc.error("flow", key, f"{key}: says either as, of a header, or takes, of an action")
        for name in entry.get("bits", {}):
            self._field(doc, "flow", key, f"{entry['of']}.val.{name}")
        for name in entry.get("takes", []):
            self._field(doc, "flow", key, f"{entry['of']}.{name}")
