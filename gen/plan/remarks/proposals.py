# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""Pairs of calls that make and end something of a structure of its own: the line of lore that makes it a kind of objects."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator

from ...api.c_types import c_type
from ...api.facts import Call
from ...api.merge import Api
from ...errors import GenError
from ...fast.record import changed
from ...know.groups import HeaderGroup
from ...know.model import Lore
from ...know.objects import LONGEST, called_so
from ...know.remarks import LORE, Remarks
from ...reach.news import News
from ..model.object import Objects
from ..model.tables import Tables
from ..objects.objects import can_plan, plan_objects

# The verb of a call that makes something, and those of calls that end it.
ENDS = {"create": ("destroy",), "alloc": ("dealloc", "free"), "open": ("close",), "reg": ("dereg", "unreg")}
VERB = re.compile(rf"_({'|'.join(ENDS)})(?=_|$)")
ENDING = re.compile(rf"_({'|'.join(word for words in ENDS.values() for word in words)})(?=_|$)")
NUMBER = "handle"  # the field of an object that messages tell, where it has one


class Proposals(Tables):
    """Finds them among the calls that no kind has."""

    def __init__(self, api: Api, lore: Lore, groups: list[HeaderGroup], news: News, remarks: Remarks, whole: Callable[[], Api] | None = None) -> None:
        super().__init__(api, lore, groups)
        self.news = news
        self.remarks = remarks
        self.whole = whole or (lambda: api)
        self.covered: set[str] = set()  # calls of which something was said
        self.proposed: set[str] = set()  # structures of which there is a line that makes them a kind
        self.kinds: dict[str, dict[str, object]] = {}  # the lines, as lore would have them
        self.made = {raw for _, raw in self._making()}
        self.ending = [c for c in self.calls.values() if ENDING.search(c.name)]

    def add(self) -> None:
        """One for each structure that calls make: where there are several, the others would be further ways."""
        seen: set[str] = set()
        for name, raw in self._making():
            call = self.calls[name]
            if raw in seen or name in self.lore.method:
                continue
            seen.add(raw)
            ends = self._ends(call, raw)
            self.covered |= {c.name for c in (call, ends) if c}
            if ends:
                self._propose(call, ends, raw)
            else:
                self.remarks.add(call.header, name, f"makes a struct {raw}, which no call ends: no method, and no kind of object",
                                 LORE.format(self.of_group[name].name), "method", f'{name} = "makes what nobody ends; called as it is"', note=not self.news.call(call))

        self.covered |= {c.name for c in self.calls.values() if self._is_about_proposed(c)}
        self._name_in_events()

    def _name_in_events(self) -> None:
        """An event that would be about one of these is about it by the name of the kind, which may be another than headers have."""
        for name, entry in self.kinds.items():
            bare = str(entry["raw"]).removeprefix(self.of_group[str(entry["create"])].prefix)
            self.remarks.said = [changed(r, write=r.write.replace(f'"{bare}"', f'"{name}"')) if r.table == "event" else r for r in self.remarks.said]

    def _is_about_proposed(self, call: Call) -> bool:
        """Whether a call takes or gives what would be an object: what it is then is seen once lore has the line."""
        types = [call.result, *(p.type for p in call.params)]
        return any(tag in self.proposed for t in types for tag in (*_records(t, "*"), *_records(t, "**")))

    def _making(self) -> Iterator[tuple[str, str]]:
        """Calls that make what is of no kind, those with shorter names first, and its structure."""
        for call in sorted(self.calls.values(), key=lambda c: (len(c.name), c.name)):
            if VERB.search(call.name) and (call.kind == "inline" or call.library or not call.name.startswith("_")):
                made = [*_records(call.result, "*"), *(t for p in call.params for t in _records(p.type, "**"))]
                yield from ((call.name, t) for t in made if t in self.structs and t not in self.kind_of)

    def _ends(self, call: Call, raw: str) -> Call | None:
        """The call that ends it: by the verb that goes with the one it is made by, else the only one that takes it."""
        taking = [c for c in self.ending if any(raw in _records(p.type, "*") for p in c.params)]
        verb = VERB.search(call.name)
        stem = _without(VERB, call.name)
        same = [c for c in taking if _without(ENDING, c.name) == stem and (m := ENDING.search(c.name)) and verb and m[1] in ENDS[verb[1]]]
        return same[0] if same else taking[0] if len(taking) == 1 else None

    # ---- the line ----

    def _propose(self, call: Call, ends: Call, raw: str) -> None:
        wanted = self.news.call(call)
        what = f"makes a struct {raw}, which {ends.name} ends: a kind of object"
        name = self._name(call, raw)
        entry = self._entry(call, ends, raw) if wanted else {}
        if entry and name and can_plan(self.api, changed(self.lore, object={**self.lore.object, name: entry}), self.groups, name):
            self.proposed.add(raw)
            self.kinds[name] = entry
            inside = ", ".join(f"{k} = {json.dumps(v)}" for k, v in entry.items())
            self.remarks.add(call.header, call.name, f"{what}, if lore says so{self._guessed(entry)}", LORE.format(self.of_group[call.name].name), "object", f"{name} = {{ {inside} }}")
        else:
            self.remarks.add(call.header, call.name, f"{what}, if lore can say so", *(self._neither(call, ends) if wanted else ()), note=not wanted)

    def _neither(self, call: Call, ends: Call) -> tuple[str, str, str]:
        """The lines by which both are called as they are."""
        return LORE.format(self.of_group[call.name].name), "method", "\n".join(f'{c.name} = "of what lore cannot make a kind; called as it is"' for c in (call, ends))

    def _guessed(self, entry: dict[str, object]) -> str:
        """What no header says of objects that the structure points to: whether it can do without."""
        handles = [f.name for f in self._fields_of(str(entry.get("attr", ""))) if f.kind == "pointer" and f.ref in self.kind_of]
        say = f"needs = {json.dumps(handles)}"
        return f"; {' and '.join(handles)} of attr may be NULL, unless it also says {say}" if handles else ""

    def objects(self, now: Objects) -> Objects:
        """All kinds and methods as they would be with the lines that are proposed."""
        named: dict[str, str] = {}
        planned = now
        if not (self.kinds or now.clashing):
            return now
        api = self.whole()  # lore speaks of all releases, and its kinds need what it speaks of
        try:
            while planned.clashing or self.kinds and planned is now:
                for name, (why, verb) in planned.clashing.items():
                    named[name] = verb
                    if name in self.calls:
                        self.remarks.add(self.calls[name].header, name, f"no method: {why}", LORE.format(self.of_group[name].name), "named", f'{name} = "{verb}"',
                                         note=not self.news.call(self.calls[name]))
                planned = plan_objects(api, changed(self.lore, object={**self.lore.object, **self.kinds}, named={**self.lore.named, **named}), self.groups)
        except GenError:
            return now  # each can be planned, and not all together
        return planned

    def _name(self, call: Call, raw: str) -> str:
        """The call without prefix and verb; methods of a group with a word begin with that."""
        group = self.of_group[call.name]
        bare = _without(VERB, call.name).removeprefix(group.prefix).strip("_") or raw
        name = f"{group.word}_{bare}" if group.word else bare
        if called_so(self.lore, name, {}):
            name = f"{group.name}_{bare}"
        return name if len(name) <= LONGEST and name not in self.entries else ""

    def _entry(self, call: Call, ends: Call, raw: str) -> dict[str, object]:
        group = self.of_group[call.name]
        title = _without(VERB, call.name).removeprefix(group.prefix).strip("_").replace("_", " ") or raw
        entry: dict[str, object] = {"title": title, "raw": raw}
        parent = next((self.kind_of[t] for p in call.params for t in _records(p.type, "*") if t in self.kind_of), "")
        if parent:
            entry["parent"] = parent
        entry["create"] = call.name
        attr = [t for p in call.params for t in _records(p.type, "*") if self._is_plain(t)]
        if len(attr) == 1:
            entry["attr"] = attr[0]
        if any(f.name == NUMBER for f in self._fields_of(raw)):
            entry["number"] = NUMBER
        return entry | {"destroy": ends.name} if len(ends.params) == 1 else {}

    def _is_plain(self, tag: str) -> bool:
        """Whether a structure is nothing but data, which callers fill."""
        return tag in self.structs and not self.structs[tag].opaque and tag not in self.kind_of and tag not in self.made


def _records(text: str, stars: str) -> list[str]:
    """The structure that a type points to."""
    what = c_type(text)
    return [what.to_struct] if what.to_struct and what.stars == stars and not what.array else []


def _without(verb: re.Pattern[str], name: str) -> str:
    return verb.sub("", name, count=1)
