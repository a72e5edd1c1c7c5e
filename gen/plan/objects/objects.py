# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""The objects: how each kind is made, what it uses, and how it ends."""

from __future__ import annotations

import re
from typing import Any

from ...api import own
from ...api.c_types import c_type
from ...api.facts import Call, Field, Struct
from ...api.merge import Api
from ...errors import GenError
from ...know.groups import HeaderGroup
from ...know.model import MASK, Lore, close, find_field
from ...know.reasons import alternatives, asked
from ...promise import shapes
from ..methods.methods import MethodPlanner, cleared_of, slot
from ..model.elements import plan_elements
from ..model.init import InitField, Need, Refusal
from ..model.making import Ending, Maker, Member, Way
from ..model.method import Method
from ..model.none import plan_none
from ..model.object import ROOT, Kept, Kind, Lent, Objects, Told
from ..model.tables import ways_of
from ..text.words import of_mask, of_parameter
from .init_fields import InitPlanner
from .keeping import KeepingPlanner
from .vendors import share

SHOWN = re.compile(r"\{(.*?)\}")
ATTR = re.compile(r"\battr\.(\w+)")
HANDLE = re.compile(r"struct vx_(\w+) \*\w+")
FILLED = re.compile(r"=&\(struct (\w+)\)\{")
MEMBER = re.compile(r"\.(\w+) = ")


class _Planner(InitPlanner, KeepingPlanner, MethodPlanner):
    def has(self, entry: dict[str, Any]) -> bool:
        """Whether these headers have what an entry is about."""
        needed = [*(entry.get(key, "vx_") for key in ("destroy", "import", "unimport")), *entry.get("other", {}).values()]
        structs = [entry[key] for key in ("raw", "attr", "also") if key in entry]
        ways = [w["call"] for w in ways_of(entry)]
        return (all(s in self.structs for s in structs) and all(c in self.calls or c.startswith("vx_") for c in needed)
                and (not ways or any(c in self.calls for c in ways)))

    def kind(self, name: str) -> Kind:
        entry = self.entries[name]
        kind = Kind(name, entry.get("raw", ""), entry.get("type", name), self.ids[name], self._title(name), entry.get("parent", ""),
                    entry.get("attr", ""), entry.get("also", ""), entry.get("into", ""), number=entry.get("number", ""))
        raw = self.structs.get(kind.raw)
        ways = [w for w in ways_of(entry) if w["call"] in self.calls]
        stands = [w["call"] for w in ways]
        self._begins_rightly(name, self.made_by(name))
        structs = [self.structs[x] for x in (kind.raw, kind.attr, kind.also) if x in self.structs]
        kind.since = max([*(s.since for s in structs), min((self.calls[c].since for c in stands), default=0)])
        used_as = self.entries.get(kind.type, entry)
        needed = [f for e in (entry, used_as) if e.get("attr") == entry.get("attr") for f in self._needed_fields(kind, e)]
        kind.until = self._last(structs, stands, entry["destroy"], needed)
        for mask in [f for f in self._fields_of(kind.attr) if f.name in self.selectors and not self._is_mask_here(f)]:
            kind.since = self.api.newest + 1  # never
            self.told.append(Told(self.structs[kind.attr].header, f"{kind.attr}.{mask.name}", f"is no mask in these headers, so they make no {kind.title}"))
        kind.guard = self.guard(kind.since, kind.until)
        kind.parent_title = self._title(kind.parent)
        kind.call = entry.get("page", stands[0] if stands else "")
        kind.page = self._page(kind.call) if kind.call else ""
        kind.does = self.lore.does.get(kind.call, "")
        kind.shows = entry.get("shows", [f.name for f in raw.fields if f.name == "handle"] if raw else [])
        kind.refused = list(dict.fromkeys(asked(way[0], "attr") for conditions
                                          in self.lore.reasons.refuse.get(kind.attr, {}).values() for way in alternatives(conditions))) + self.beyond(kind.attr, "attr")
        kind.provider = self.of_group[stands[0]].provider if stands and stands[0] in self.of_group else ""
        for key in ("by_hand", "gather", "stride", "begin", "end", "provider", "busy", "note", "often", "once", "early", "names", "told", "extended", "checked", "looking", "tapped", "code",
                    "reads", "points", "instead"):
            setattr(kind, key, entry.get(key, getattr(kind, key)))
        kind.before_end = entry.get("ending", "")
        kind.present = self.present(self.calls[stands[0]]) if stands else ""
        kind.crashes = [(*where.split("."), why) for where, why in entry.get("crashes", {}).items()]
        kind.bare = [(*where.split("."), why) for where, why in entry.get("bare", {}).items()]
        kind.marked = next(iter(entry.get("marks", {}).values()), "")
        for said, lent in entry.get("lends", {}).items():
            called, _, name = said.rpartition(":")
            if name not in {f.name for f in self._fields_of(kind.raw)}:
                raise self.wrong(kind.name, f"lends: {kind.raw}.{name}: no such field")
            kind.lends.append(Lent(called or name, name, lent, self._title(lent)))
        kind.holds = self._held(kind, entry)
        self._adopting(kind, raw)
        if kind.attr:
            self._from_attr(kind, self.structs[kind.attr])
        if kind.by_hand == "init":
            kind.fields = [self._by_hand(m) for m in own.headers().inits.get(name, [])]
            kind.selector = MASK if any(f.name == MASK for f in kind.fields) else ""
            kind.selector_words = of_mask(self.lore, kind.attr, kind.selector) if kind.selector else ""
        self._making(kind, entry, ways)
        kind.fields += [InitField(own_name, f"{c_type} {own_name}", words=self.lore.says.get(f"vx_{name}_init.{own_name}", ""))
                        for own_name, c_type in entry.get("own", {}).items()]
        kind.selector_words = self.lore.says.get(f"vx_{name}_init.{kind.mask}", kind.selector_words)
        kind.masks = self._masks(kind, entry)
        order = shapes.in_order([f.name for f in kind.fields], self.recorded.get(f"vx_{name}_init", {}))
        kind.fields.sort(key=lambda f: order.index(f.name))
        self._keep_free(kind)
        self._others(kind, entry)
        kind.nones = plan_none(kind, self.structs, self.lore) if kind.attr else []
        self.asked |= {f.bit for f in kind.uses if f.bit and not f.null}  # whether it is in the mask, and no handle is there
        return kind

    def _held(self, kind: Kind, entry: dict[str, Any]) -> list[Lent]:
        """What an object depends on of what its parent lends."""
        lends = {said.rpartition(":")[2]: lent for said, lent in self.entries.get(kind.parent, {}).get("lends", {}).items()}
        for name in entry.get("holds", []):
            if name not in lends:
                raise self.wrong(kind.name, f"holds: {name}: the parent lends no such thing", close(name, lends))
        return [Lent(name, name, lends[name], self._title(lends[name])) for name in entry.get("holds", [])]

    def root(self, name: str, entry: dict[str, str]) -> Kind:
        """What is opened by hand: how it ends."""
        return Kind(name, entry["raw"], name, self.ids[name], self._title(name), "", ending=Ending(entry["destroy"], ["node->object.raw"]))

    def own_kind(self, name: str, entry: dict[str, Any]) -> Kind:
        """What libverbsx itself has, and no call makes or ends."""
        parent = entry.get("parent", "")
        kind = Kind(name, "", name, self.ids[name], entry["title"], parent, does=entry["does"], word=entry.get("word", ""), parent_title=self._title(parent) if parent else "", by_hand="all")
        for shown in entry.get("shows", []):
            called, _, path = shown.rpartition(":")
            of, _, like = path.rpartition(".")
            init = {m.declaration.split()[-1].lstrip("*"): m.declaration for m in own.headers().inits.get(of or name, [])}
            if like not in init:
                raise self.wrong(name, f"shows: {like}: no such field of struct vx_{of or name}_init", close(like, init))
            declaration = init[like].removesuffix(like) + (called or like)
            kind.keeps.append(Kept(called or like, declaration, "", f"vx_{of or name}_init", like, label=called))
        return kind

    def made_by(self, name: str) -> str:
        """The call that says of which group a kind is."""
        entry = self.entries[name]
        return next((w["call"] for w in ways_of(entry) if w["call"] in self.calls), entry["destroy"])

    def _begins_rightly(self, name: str, call: str) -> None:
        """Methods of a group are called by its word and the kind's name without it."""
        word = self.of_group[call].word if call in self.of_group else ""
        if word and not name.startswith(f"{word}_"):
            raise self.wrong(name, f"{call} is of {self.of_group[call].name}, whose kinds begin with {word}_", f"{word}_{name}")

    def _making(self, kind: Kind, entry: dict[str, Any], ways: list[dict[str, Any]]) -> None:
        parent = self.entries.get(kind.parent, {})
        owner = self.entries.get(parent.get("type", kind.parent), parent)
        parent_raw = self.lore.context if kind.parent == ROOT else owner.get("raw", "")
        has_context = any(f.name == self.lore.context_member and f.ref == self.lore.context for f in self._fields_of(parent_raw))
        context = (f"vx_{kind.parent}_raw(parent)" + (f"->{self.lore.context_member}" if has_context else "") if kind.parent == ROOT or has_context
                   else "vx_context_of(parent)")
        maker = Maker(kind.name, kind.parent, kind.raw, parent_raw, kind.attr, kind.also, self.lore.context, context, self.kind_of,
                      entry.get("default", {}), lambda text, hint=None: self.wrong(kind.name, text, hint),
                      kept=[word.partition(":")[0] for word in entry.get("keeps", [])], retyped=self._retyped, prefix=self._prefix(ways))
        for said in ways:
            way = self._way(kind, maker, said, entry)
            kind.ways.append(way)
        if not kind.by_hand:
            kind.fields += [self._of_member(kind, m) for m in maker.members if all(f.name != m.name for f in kind.fields)]
        kind.blobs = [(name, count) for name, count in maker.blobs if name not in {n.name for n in kind.needs}]
        if maker.elements:
            kind.elements = plan_elements(maker.elements, self.structs, self.lore.choice, lambda f: self.newer((f.since, f.until)),
                                          lambda text, hint=None: self.wrong(kind.name, text, hint))
            kind.stride = "element_size"
        kind.also_last = self.structs[kind.also].fields[-1].name if maker.sized else ""
        kind.cleared = [c for w in kind.ways if w.call in self.calls for c in cleared_of(self.lore, self.calls[w.call])]
        self._lists(kind, entry)
        self._conditions(kind, maker, entry, ways)
        self._keeping(kind, entry)
        kind.ending = self._ending(kind, maker, entry)

    def _prefix(self, ways: list[dict[str, Any]]) -> tuple[str, str]:
        """What names of the group begin with that makes a kind."""
        group = self.of_group.get(ways[0]["call"]) if ways else None
        return (group.prefix, group.word) if group else ("", "")

    def _needed_fields(self, kind: Kind, entry: dict[str, Any]) -> list[Field]:
        """Fields that what is said of a kind is made of, so that nothing goes without them."""
        paths = {*entry.get("list", {}), entry.get("into", ""), *ATTR.findall(str({k: v for k, v in entry.items() if k != "keeps"}))}
        found = [find_field(self.structs, kind.attr, path) for path in paths if kind.attr and path]
        owners = [f for f in self._fields_of(kind.raw) if f.ref in self.kind_of or f.name in (kind.number, *entry.get("shows", []), *entry.get("told", {}))]
        return [*(f for f in found if f), *owners, *(f for f in self._fields_of(kind.attr) if f.name in self.selectors)]

    def _last(self, structs: list[Struct], stands: list[str], destroy: str, fields: list[Field]) -> int:
        """The last release that has what objects of a kind are made of, one of the calls that make them, and the one that ends them."""
        made = [self.calls[c].until for c in stands]
        ends = [*(s.until for s in structs), *(f.until for f in fields), max(made) if all(made) and made else 0]
        ends += [self.calls[destroy].until] if destroy in self.calls else []
        return min(filter(None, ends), default=0)

    def _filled_in(self, word: str) -> list[Field]:
        """The fields of structures that an argument is made of, in C."""
        struct = FILLED.match(word)
        names = MEMBER.findall(word) if struct else []
        return [f for f in self._fields_of(struct[1]) if f.name in names] if struct else []

    def _way(self, kind: Kind, maker: Maker, said: dict[str, Any], entry: dict[str, Any]) -> Way:
        way = Way(said["call"], given=said.get("given", {}))
        call = self.calls[said["call"]]
        way.since = max(said.get("since", 0), call.since)
        way.until = call.until
        if not all(self._is_here(f) for word in said.get("args", ()) for f in self._filled_in(word)):
            way.since = self.api.newest + 1  # never
        way.guard = self.guard(way.since, way.until) if (way.since, way.until) != (kind.since, kind.until) else ""
        way.arguments = maker.arguments(call, said.get("args", entry.get("args")), way)
        way.signature = said.get("like", call.name)
        asked = self.calls[way.signature]
        given = maker.arguments(asked, said["like_args"], Way("")) if "like_args" in said else way.arguments
        way.slots = ", ".join(slot(p.type, a) for p, a in zip(asked.params, given))
        way.result = said.get("result", entry.get("result", ""))
        made = said.get("made", entry.get("made", ""))
        way.returns = "raw" if c_type(call.result).stars and not way.result else "result" if way.result else "code"
        if made:
            part = made.removeprefix("parent").lstrip(".")
            way.made = f"vx_{kind.parent}_raw(parent)" + (f"->{part}" if part else "")
        elif way.out:
            way.made = "made"
        elif way.returns != "raw":
            if kind.raw:
                raise self.wrong(kind.name, f"{call.name}: returns {call.result}, so lore must say where the object is: made, or out in args")
            way.made = f"vx_{kind.parent}_raw(parent)"  # what has no object of its own goes by its parent's
        return way

    def _of_member(self, kind: Kind, m: Member) -> InitField:
        call = kind.ways[0].call
        types = {p.name: p.type for w in kind.ways if w.call in self.calls for p in self.calls[w.call].params}
        words = of_parameter(self.lore, call, m.param, types.get(m.param, "")) if m.param else ""
        return InitField(m.name, m.declaration, m.kind, count=m.count,
                         words=self.lore.says.get(f"vx_{kind.name}_init.{m.name}", words))

    def _lists(self, kind: Kind, entry: dict[str, Any]) -> None:
        """Fields of attr that are arrays of objects: the init structure has a list of handles and its length."""
        for name, said in entry.get("list", {}).items():
            handles, _, count = said.partition("/")
            f = next((f for f in self._fields_of(kind.attr) if f.name == name), None)
            record = re.match(r"(?:const )?struct (\w+) \*", f.type) if f else None
            target = self.kind_of.get(record[1], "") if record else ""
            if not f or not target or not count:
                raise self.wrong(kind.name, f"list: {name} = {said!r}: must be a field of attr that is an array of objects, "
                                            "and HANDLES/COUNT")
            counted = self.lore.field.get(f"{kind.attr}.{name}", {})
            power = counted.get("power", False)
            says = self.lore.says
            kind.fields[:0] = [
                InitField(handles, f"struct vx_{target} *const *{handles}", target, count=count,
                          words=says.get(f"vx_{kind.name}_init.{handles}", "")),
                InitField(count, f"size_t {count}", words=says.get(f"vx_{kind.name}_init.{count}", ""))]
            kind.listed.append((name, counted.get("count", ""), power))

        if "uses" in entry:  # what it depends on, of any kind, as only the program knows
            handles, _, count = entry["uses"].partition("/")
            says = self.lore.says
            kind.fields += [
                InitField(handles, f"void *const *{handles}", "0", count=count, words=says.get(
                    f"vx_{kind.name}_init.{handles}", "objects of any kind that it depends on")),
                InitField(count, f"size_t {count}", words=says.get(f"vx_{kind.name}_init.{count}", "of them"))]

    def _conditions(self, kind: Kind, maker: Maker, entry: dict[str, Any], ways: list[dict[str, Any]]) -> None:
        names = {f.name for f in kind.fields} | {kind.mask, kind.also, *entry.get("own", {})}
        constants = set(self.since)

        wholes = {f.name for f in kind.fields if f.whole or f.parts}

        def of(text: str) -> str:
            self.asked |= {word for word in re.findall(r"\w+", text) if word in self.since}
            return maker.condition(text, names, constants, wholes)

        for name, text in entry.get("where", {}).items():
            kind.where.append((name, of(text)))
            constants.add(name)
        for way, said in zip(kind.ways, ways):
            way.when = of(said["when"]) if "when" in said else ""
        needs = entry.get("needs", {})
        for name, text in (needs if isinstance(needs, dict) else dict.fromkeys(needs, "")).items():
            f = next((f for f in kind.fields if f.name == name), None)
            if not f:
                raise self.wrong(kind.name, f"needs: {name}: no such field of the init structure")
            kind.needs.append(Need.of(f, of(text) if text else ""))
        kind.refuses = [Refusal(of(text), SHOWN.sub("0x%llx", why), "".join(f", (unsigned long long)({of(v)})" for v in SHOWN.findall(why)))
                        for why, text in entry.get("refuses", {}).items()]
        kind.exclusions = f"vx_{kind.name}_init" in self.lore.reasons.exclude
        kind.unset = [(name, of(text), self._guard_of(kind, name)) for name, text in entry.get("unset", {}).items()]
        unknown = next((name for name in entry.get("only", {}) if name not in names), None)
        if unknown is not None:
            raise self.wrong(kind.name, f"only: {unknown}: no such field of the init structure", close(unknown, names))

    def _others(self, kind: Kind, entry: dict[str, Any]) -> None:
        """What else makes one, by calls that have no init structure."""
        for name, call in entry.get("other", {}).items():
            kind.others.append(self._maker(kind, self.calls[call], name))
            kind.others[-1].knows = list(entry.get("knows", {}).get(name, {}).items())
        if "import" in entry:
            kind.unimport = entry["unimport"]
            kind.importing = self._maker(kind, self.calls[entry["import"]], "import")
            kind.others.append(kind.importing)

    def _maker(self, kind: Kind, call: Call, name: str) -> Method:
        made = self._method(call, kind.parent, makes=kind)
        made.name = f"vx_{kind.name}_{name}"
        made.since = max(kind.since, call.since)
        made.until = min(filter(None, (kind.until, call.until)), default=0)
        made.guard = self.guard(made.since, made.until)
        return made


def can_plan(api: Api, lore: Lore, groups: list[HeaderGroup], name: str) -> bool:
    """Whether lore makes a kind of these headers."""
    try:
        _Planner(api, lore, groups).kind(name)
    except GenError:
        return False
    return True


def plan_objects(api: Api, lore: Lore, groups: list[HeaderGroup]) -> Objects:
    """All kinds whose structures and calls this API has."""
    planner = _Planner(api, lore, groups)
    names = [n for n, e in sorted(lore.object.items()) if planner.has(e)]
    kinds = [planner.kind(n) for n in names]
    planner.kept_alike(kinds)
    for kind in kinds:
        others = [k for k in kinds if k.type == kind.name != k.name]
        kind.tells_apart = [k for k in others if k.told]
        kind.counted = bool(kind.number) and (bool(kind.unimport) or any(not k.told and not k.provider and not lore.object[k.name].get("made") for k in others))
    plan = planner.methods(kinds)
    plan.elsewhere, plan.told, plan.taken = planner.elsewhere(), planner.told, list(planner.taken)
    plan.roots = [planner.root(name, entry) for name, entry in lore.root.items()]
    plan.own = [planner.own_kind(name, entry) for name, entry in lore.own.items()]
    of_kind = {n: planner.of_group[call] for n in names for call in [planner.made_by(n)] if call in planner.of_group}
    share(plan, groups, of_kind, planner.of_group)
    return plan
