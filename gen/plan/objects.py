# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""The objects: how each kind is made, what it uses, how it ends, and which calls are its methods."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from .. import own, shapes
from ..errors import GenError
from ..facts import Call, Field, Param, Struct
from ..groups import HeaderGroup
from ..lore import Lore, find_field
from ..lore_reasons import SET
from ..merge import Api
from .calls import convention, declared
from .none import NoneField, plan_none
from .making import Ending, Maker, Member, Way
from .rows import guard
from .words import of_field, of_mask, of_parameter

ROOT = "ctx"
TAG = re.compile(r"(?:const )?struct (\w+) \*")
RECORD = re.compile(r"(const )?struct (\w+) \*")
BIG_ENDIAN = re.compile(r"__be(\d+)")
HANDLE = re.compile(r"struct vx_(\w+) \*\w+")
ASKING = ("ibv_query_", "ibv_get_", "ibv_read_", "ibv_resolve_")  # calls that change nothing
DATA_PATH = ("rdma_post_", "rdma_get_send_comp", "rdma_get_recv_comp", "mlx5dv_wr_", "ibv_post_", "ibv_poll_", "ibv_wr_", "ibv_wc_read_", "ibv_start_poll", "ibv_next_poll", "ibv_end_poll")


@dataclass
class InitField:
    """A member of an init structure, and how it gets into what rdma-core takes."""

    name: str
    declaration: str  # as a member
    kind: str = ""  # of the handle that it is
    bit: str = ""  # what makes it count
    parts: list[str] = field(default_factory=list)  # members of a structure that is filled one by one
    unions: list[str] = field(default_factory=list)  # those of them that are copied when they are not all zero
    whole: bool = False  # a structure that is copied when it is not all zero
    array: bool = False  # the same of an array
    of_attr: bool = False  # it becomes the field of attr that has its name
    count: str = ""  # the field that counts the handles of a list
    guard: str = ""
    words: str = ""
    implies: list[str] = field(default_factory=list)  # statements about others, without which it would not be looked at


@dataclass
class Sized:
    """A structure that a method takes or fills, which crosses the border of the library with its size."""

    name: str  # of the parameter
    c_type: str  # without "const" and "*"
    size: str  # the parameter that has it
    fills: bool  # the call writes to it
    reads: bool
    array: bool = False  # it is the first of several
    optional: bool = False

    @property
    def own(self) -> str:
        """The expression for the library's copy."""
        if self.array:
            return f"({self.c_type} *){self.name}"  # rdma-core changes nothing there
        return f"{self.name} ? &own_{self.name} : NULL" if self.optional else f"&own_{self.name}"


@dataclass
class Method:
    name: str
    call: str
    declaration: str  # of the function that programs call
    sized: str  # of the one that it passes the sizes to; "" where there are none
    passed: str  # what it passes
    arguments: str
    outcome: str  # returned errno null minus negative fd value
    result: str  # C type of what the call returns
    guard: str
    since: int
    params: list[str]
    slots: str  # its arguments, each as an integer of 64 bits
    checked: bool  # lore may refuse it
    does: str = ""
    words: list[tuple[str, str]] = field(default_factory=list)  # of its parameters
    page: str = ""
    needed: list[str] = field(default_factory=list)  # pointers that must not be NULL
    structs: list[Sized] = field(default_factory=list)
    provider: str = ""  # the library that the context must be of
    moves: str = ""  # the parameter under which the object is afterwards
    refuses: list[tuple[str, str]] = field(default_factory=list)  # conditions in C, and why the call would do harm then

    def own(self, name: str) -> str:
        """What the library passes on of a parameter."""
        return next((s.own for s in self.structs if s.name == name), name)

    @property
    def without(self) -> str:
        """What is passed where the headers of a program lack the structures."""
        return re.sub(r"sizeof\(\*\w+\)", "0", self.passed)

    @property
    def widest(self) -> int:
        """The length of the longest parameter with words."""
        return max((len(name) for name, _ in self.words), default=0)



@dataclass
class Kept:
    """What a handle has a copy of, as nothing in the raw object tells it."""

    name: str
    declaration: str
    value: str  # where it comes from, in C; "" where the call fills it
    owner: str = ""  # the structure whose field says how it is printed
    field: str = ""
    words: str = ""

    def called(self, name: str) -> str:
        """The declaration under another name."""
        return re.sub(rf"\b{self.name}$", name, self.declaration)


@dataclass
class Lent:
    """An object that another one hands out: a field of its raw one."""

    field: str
    kind: str
    title: str


@dataclass
class Kind:
    name: str
    raw: str  # "" where rdma-core has no structure for it
    type: str
    id: int
    title: str  # as sentences have it
    parent: str  # kind; "" for none
    attr: str = ""
    also: str = ""  # a second structure that the call takes, of a vendor; the init structure points to it
    into: str = ""
    into_bit: str = ""
    selector: str = ""  # the mask in attr, and in the init structure
    selector_type: str = ""  # its C type
    selector_words: str = ""
    number: str = ""
    ways: list[Way] = field(default_factory=list)  # of making one; the last of them without a condition
    ending: Ending = field(default_factory=lambda: Ending(""))
    fields: list[InitField] = field(default_factory=list)
    methods: list[Method] = field(default_factory=list)
    since: int = 0
    guard: str = ""
    refused: list[str] = field(default_factory=list)  # fields of attr that lore may refuse where they are set
    where: list[tuple[str, str]] = field(default_factory=list)  # names of conditions, and these
    needs: list[tuple[str, str, bool]] = field(default_factory=list)  # fields, when they must be set, whether they are pointers
    unset: list[tuple[str, str]] = field(default_factory=list)  # fields of attr, and when they have no default
    prepare: str = ""  # the function that fits the defaults to the init structure, or refuses it
    check: str = ""  # the function that refuses an init structure
    begin: str = ""  # the function that completes the init structure, and fills what the handle keeps
    end: str = ""  # the one that undoes that
    stride: str = ""  # the parameter with the size of the elements of an array in the init structure
    gather: str = ""  # the function that makes of the init structure what the call takes
    provider: str = ""  # the library that a context must be of
    crashes: list[tuple[str, str, str]] = field(default_factory=list)  # a library, the function that must not be its own, and why
    call: str = ""  # the one that it stands for
    page: str = ""  # that one's man page
    by_hand: str = ""  # what of it is the runtime's: its init structure and header ("init"), or all ("all")
    importing: str = ""  # the call that makes one of the handle that another process sent
    unimport: str = ""
    import_guard: str = ""
    import_since: int = 0
    shows: list[str] = field(default_factory=list)  # fields of raw that are printed
    does: str = ""
    note: str = ""  # what else its documentation says
    busy: str = ""  # what may keep it from being destroyed
    keeps: list[Kept] = field(default_factory=list)
    tells: list[Kept] = field(default_factory=list)  # those that a program can ask for
    blobs: list[tuple[str, str]] = field(default_factory=list)  # fields that point to bytes, and those that have their number
    listed: list[tuple[str, str, bool]] = field(default_factory=list)  # fields of attr that are lists, their counts, whether as powers
    lends: list[Lent] = field(default_factory=list)  # objects that it has a part in, which others own
    raw_context: bool = False  # the raw object has its context
    raw_parent: str = ""  # the field of raw that has its parent
    raw_uses: list[str] = field(default_factory=list)  # those that have what else it depends on
    adopts: list[Kept] = field(default_factory=list)  # what of it is told when one is adopted
    nones: list[NoneField] = field(default_factory=list)  # numbers in which VX_NONE means something, or is refused
    parent_title: str = ""
    kept_free: dict[str, list[str]] = field(default_factory=dict)  # members that are no fields, by the one before them

    @property
    def members(self) -> list[str]:
        """Those of the init structure, as they are declared: the mask comes first."""
        mask = f"{self.selector_type} {self.selector}" if self.selector else "uint32_t comp_mask" if not self.fields else ""
        fields = [d for f in self.fields for d in (f.declaration, *self.kept_free.get(f.name, []))]
        return [mask, *fields] if mask else fields

    @property
    def article(self) -> str:
        """Of the title: "an MR", as it is spoken."""
        spoken = "AEFHILMNORSX" if self.title[:2].isupper() else "aeio"
        return "an" if self.title[0] in spoken else "a"

    @property
    def uses(self) -> list[InitField]:
        return [f for f in self.fields if f.kind and not f.count]

    @property
    def lists(self) -> list[InitField]:
        return [f for f in self.fields if f.count]

    @property
    def listed_kind(self) -> str:
        """The kind of the handles of a list, in C; 0 for any."""
        return "0" if self.lists[0].kind == "0" else f"VX_OBJECT_{self.lists[0].kind.upper()}"

    @property
    def parameter(self) -> str:
        """The parent, as the first parameter of what makes one."""
        return f"struct vx_{self.parent} *parent, " if self.parent else ""

    @property
    def adopted(self) -> str:
        """What is told of one that is adopted, as parameters."""
        return "".join(f"{a.declaration}, " for a in self.adopts)

    @property
    def init_words(self) -> str:
        if any(not condition for _, condition, _ in self.needs):
            return "what it is to be like: without " + ", ".join(n for n, c, _ in self.needs if not c) + " there is none"
        return f"NULL for all defaults; those of VX_DEFAULT({self.attr})" if self.attr else "NULL for all defaults"

    @property
    def says_none(self) -> list[NoneField]:
        return [n for n in self.nones if n.says]

    @property
    def filled(self) -> list[InitField]:
        return [f for f in self.fields if f.of_attr]

    @property
    def gathered(self) -> bool:
        """What the call takes is put together in memory of its own before."""
        return bool(self.gather or self.lists)

    @property
    def adoptable(self) -> bool:
        return self.own_type and bool(self.raw)

    def any(self, what: str) -> bool:
        """Whether a way of making one has a property."""
        return any(getattr(w, what) for w in self.ways)

    @property
    def codes(self) -> bool:
        return any(w.returns == "code" for w in self.ways)

    @property
    def own_type(self) -> bool:
        return self.type == self.name


@dataclass
class Objects:
    kinds: list[Kind] = field(default_factory=list)
    ctx: list[Method] = field(default_factory=list)
    forward: list[str] = field(default_factory=list)  # structures that only newer headers have
    left_out: dict[str, str] = field(default_factory=dict)  # call -> why it is no method
    groups: list[str] = field(default_factory=list)  # the header groups whose functions make objects and work on them

    @property
    def lends(self) -> bool:
        return any(k.lends for k in self.kinds)

    @property
    def lent(self) -> list[Kind]:
        """The kinds that others lend, and those above them, which come first."""
        known, out = {k.name: k for k in self.kinds}, []
        for name in [lent.kind for k in self.kinds for lent in k.lends]:
            chain: list[Kind] = []
            while name in known and known[name] not in chain:
                chain.insert(0, known[name])
                name = known[name].parent
            out += [k for k in chain if k not in out]
        return out

    @property
    def types(self) -> list[Kind]:
        return [k for k in self.kinds if k.own_type]


class _Planner:
    def __init__(self, api: Api, lore: Lore, groups: list[HeaderGroup]) -> None:
        self.api = api
        self.lore = lore
        self.groups = groups
        self.structs = api.structs()
        self.enums = api.enums()
        self.calls = api.calls()
        self.since = {v.name: v.since for e in api.enums().values() for v in e.values}
        self.recorded = shapes.load()
        self.entries: dict[str, dict[str, Any]] = lore.object
        self.kind_of = {e["raw"]: n for n, e in self.entries.items() if e.get("type", n) == n and "raw" in e}
        self.kind_of["ibv_context"] = ROOT
        self.of_group = {name: next((g for g in groups if g.name == owner), HeaderGroup(owner, [], ""))
                         for owner, group in api.groups.items() for name in group.calls}
        self.ids = {name: number for number, name in enumerate(self.entries, 2)}  # 1 is a context

    def guard(self, since: int) -> str:
        return guard(since, 0, self.api.oldest, self.api.newest)

    def has(self, entry: dict[str, Any]) -> bool:
        """Whether these headers have what an entry is about."""
        needed = [entry.get(key, "vx_") for key in ("destroy", "import", "unimport")]
        structs = [entry[key] for key in ("raw", "attr", "also") if key in entry]
        ways = [w["call"] for w in ways_of(entry)]
        return (all(s in self.structs for s in structs) and all(c in self.calls or c.startswith("vx_") for c in needed)
                and (not ways or any(c in self.calls for c in ways)))

    # ---- making ----

    def kind(self, name: str) -> Kind:
        entry = self.entries[name]
        kind = Kind(name, entry.get("raw", ""), entry.get("type", name), self.ids[name], self._title(name), entry.get("parent", ""),
                    entry.get("attr", ""), entry.get("also", ""), entry.get("into", ""), number=entry.get("number", ""))
        raw = self.structs.get(kind.raw)
        ways = [w for w in ways_of(entry) if w["call"] in self.calls]
        stands = [w["call"] for w in ways]
        structs = [self.structs[x].since for x in (kind.raw, kind.attr, kind.also) if x in self.structs]
        kind.since = max([*structs, min((self.calls[c].since for c in stands if c in self.calls), default=0)])
        kind.guard = self.guard(kind.since)
        kind.parent_title = self._title(kind.parent)
        kind.call = entry.get("page", stands[0] if stands else "")
        kind.page = self._page(kind.call)
        kind.does = self.lore.does.get(kind.call, "")
        kind.shows = entry.get("shows", [f.name for f in raw.fields if f.name == "handle"] if raw else [])
        kind.refused = list(dict.fromkeys(conditions[0].removesuffix(SET) for conditions
                                          in self.lore.reasons.refuse.get(kind.attr, {}).values()))
        kind.provider = self.of_group[stands[0]].provider if stands and stands[0] in self.of_group else ""
        for key in ("by_hand", "prepare", "gather", "stride", "check", "begin", "end", "provider", "busy", "note"):
            setattr(kind, key, entry.get(key, getattr(kind, key)))
        kind.crashes = [(*where.split("."), why) for where, why in entry.get("crashes", {}).items()]
        for name, lent in entry.get("lends", {}).items():
            if lent not in (ROOT, *self.entries):
                raise self.wrong(kind.name, f"lends: {lent}: no such kind")
            if name not in {f.name for f in self._fields_of(kind.raw)}:
                raise self.wrong(kind.name, f"lends: {kind.raw}.{name}: no such field")
            kind.lends.append(Lent(name, lent, self._title(lent)))
        self._importing(kind, entry)
        self._adopting(kind, raw)
        if kind.attr:
            self._from_attr(kind, self.structs[kind.attr])
        if kind.by_hand == "init":
            kind.fields = [self._by_hand(m) for m in own.read().inits.get(name, [])]
        if kind.by_hand == "all":
            kind.ways = [Way(w["call"], w["call"]) for w in ways]
            kind.ending = Ending(entry["destroy"])
        else:
            self._making(kind, entry, ways)
        order = shapes.in_order([f.name for f in kind.fields], self.recorded.get(f"vx_{name}_init", {}))
        kind.fields.sort(key=lambda f: order.index(f.name))
        self._keep_free(kind)
        kind.nones = plan_none(kind, self.structs, self.lore) if kind.attr else []
        return kind

    def _keep_free(self, kind: Kind) -> None:
        """Room for what was published and these headers lack, and for what C would leave unnamed at the end.

        Nobody sets bytes without a name. A field of a later version that lay there would be read as anything in programs of today.
        """
        if kind.by_hand or not kind.fields:
            return
        fields = {f.name for f in kind.fields}
        last = kind.fields[0].name
        recorded = self.recorded.get(f"vx_{kind.name}_init", {})
        for name, (c_type, _, size) in recorded.items():
            if name in fields:
                last = name
            elif name != kind.selector:
                kind.kept_free.setdefault(last, []).append(shapes.placeholder(name, str(c_type), int(size)))
        gap = shapes.gap(kind.members, shapes.Sizes(self.structs))
        if gap:
            number = sum(name.startswith("reserved") for name in recorded) + 1
            kind.kept_free.setdefault(kind.fields[-1].name, []).append(f"uint8_t reserved{number if number > 1 else ''}[{gap}]")

    def _by_hand(self, member: own.OwnMember) -> InitField:
        """A field of an init structure that is written by hand."""
        name = member.declaration.rpartition(" ")[2].lstrip("*")
        handle = HANDLE.fullmatch(member.declaration)
        return InitField(name, member.declaration, handle[1] if handle and handle[1] in self.entries else "", words=member.words)

    def wrong(self, name: str, message: str, hint: str | None = None) -> GenError:
        path, line = self.lore.places.get(name, (None, None))
        return GenError(f"{name}: {message}", file=path, line=line, hint=hint)

    def _making(self, kind: Kind, entry: dict[str, Any], ways: list[dict[str, Any]]) -> None:
        parent = self.entries.get(kind.parent, {})
        owner = self.entries.get(parent.get("type", kind.parent), parent)
        parent_raw = "ibv_context" if kind.parent == ROOT else owner.get("raw", "")
        has_context = any(f.name == "context" and f.ref == "ibv_context" for f in self._fields_of(parent_raw))
        context = (f"vx_{kind.parent}_raw(parent)" + ("->context" if has_context else "") if kind.parent == ROOT or has_context
                   else "vx_context_of(parent)")
        maker = Maker(kind.name, kind.parent, kind.raw, parent_raw, kind.attr, kind.also, context, self.kind_of,
                      entry.get("default", {}), lambda text, hint=None: self.wrong(kind.name, text, hint),
                      kept=[word.partition(":")[0] for word in entry.get("keeps", [])], retyped=self._retyped)
        for said in ways:
            way = self._way(kind, maker, said, entry)
            kind.ways.append(way)
        if not kind.by_hand:
            kind.fields += [self._of_member(kind, m) for m in maker.members if all(f.name != m.name for f in kind.fields)]
        kind.blobs = maker.blobs
        self._lists(kind, entry)
        self._conditions(kind, maker, entry, ways)
        self._keeping(kind, entry)
        kind.ending = self._ending(kind, maker, entry)
    def _retyped(self, c_type: str) -> str:
        """A type of a newer release's headers as one that all have."""
        enum = self.enums.get(c_type.removeprefix("enum "))
        return "uint32_t" if enum and enum.since > self.api.oldest else c_type

    def _fields_of(self, struct: str) -> list[Field]:
        return self.structs[struct].fields if struct in self.structs else []

    def _way(self, kind: Kind, maker: Maker, said: dict[str, Any], entry: dict[str, Any]) -> Way:
        way = Way(said["call"], said.get("name", said["call"]), given=said.get("given", {}))
        call = self.calls[said["call"]]
        way.since = said.get("since", call.since)
        way.guard = self.guard(way.since) if way.since > kind.since else ""
        way.arguments = maker.arguments(call, said.get("args", entry.get("args")), way)
        way.signature = said.get("like", call.name)
        asked = self.calls[way.signature]
        given = maker.arguments(asked, said["like_args"], Way("", "")) if "like_args" in said else way.arguments
        way.slots = ", ".join(slot(p.type, a.replace("&attr", "&asked")) for p, a in zip(asked.params, given))
        way.result = said.get("result", entry.get("result", ""))
        made = said.get("made", entry.get("made", ""))
        way.returns = "raw" if call.result.endswith("*") and not way.result else "result" if way.result else "code"
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
            kind.fields = [x for x in kind.fields if x.name not in (name, counted.get("count"))]
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
        names = {f.name for f in kind.fields} | {kind.selector or "comp_mask"}
        constants = set(self.since)

        def of(text: str) -> str:
            return maker.condition(text, names, constants)

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
            kind.needs.append((name, of(text) if text else "", "*" in f.declaration))
        kind.unset = [(name, of(text)) for name, text in entry.get("unset", {}).items()]

    def _keeping(self, kind: Kind, entry: dict[str, Any]) -> None:
        results = {w.result: self.calls[w.call].result for w in kind.ways if w.result}
        numbers = {w.number for w in kind.ways}
        for word in entry.get("keeps", []):
            word, _, filled = word.partition("=")
            name, _, like = word.partition(":")
            f = find_field(self.structs, kind.attr, name) if kind.attr else None
            own = next((f for f in kind.fields if f.name == name), None)
            flat = name.replace(".", "_")
            if filled:
                kept = Kept(name, declared(filled, name), "")
            elif f:
                kept = Kept(flat, declared(f.type, flat), f"asked.{name}", kind.attr, name)
            elif name in results:
                kept = Kept(name, declared(results[name], name), "")
            elif name in numbers:
                kept = Kept(name, f"uint32_t {name}", "")
            elif own:
                kept = Kept(name, own.declaration, f"init->{name}")
            else:
                raise self.wrong(kind.name, f"keeps: {name}: neither a field of attr nor of the init structure")
            kept.words = self.lore.says.get(f"vx_{kind.name}.{kept.name}", "")
            if like:
                kept.owner, _, kept.field = like.partition(".")
            kind.keeps.append(kept)
        known = {k.name: k for k in kind.keeps}
        for key, out in (("tells", kind.tells), ("adopts", kind.adopts)):
            for name in entry.get(key, []):
                if name not in known:
                    raise self.wrong(kind.name, f"{key}: {name}: not among what the handle keeps")
                out.append(known[name])

    def _ending(self, kind: Kind, maker: Maker, entry: dict[str, Any]) -> Ending:
        call = self.calls.get(entry["destroy"])
        of = entry.get("destroy_of", "raw")
        out = Ending(entry["destroy"], void=call is not None and call.result == "void")
        if call and call.since > kind.since:
            out.guard = self.guard(call.since)
        for word in [of] if isinstance(of, str) else of:
            if word == "raw":
                out.arguments.append("node->object.raw")
            elif word == "parent":
                out.arguments.append("vx_node_used(node, 0)->object.raw")
            elif word == "ctx":
                out.arguments.append("vx_context_of(node)")
            elif word.removeprefix("ref:") in {k.name for k in kind.keeps}:
                out.keeps = True
                out.arguments.append(f"{'&' if word.startswith('ref:') else ''}kept->{word.removeprefix('ref:')}")
            else:
                raise self.wrong(kind.name, f"destroy_of: {word}: must be raw, parent, ctx or what the handle keeps")
        if call and len(out.arguments) != len(call.params):
            raise self.wrong(kind.name, f"{call.name}: takes {len(call.params)} arguments, and destroy_of has {len(out.arguments)}")
        return out

    def _title(self, name: str) -> str:
        if not name:
            return ""
        return "context" if name == ROOT else self.entries.get(name, {}).get("title", name.replace("_", " "))

    def _page(self, call: str) -> str:
        return self.lore.man.get(call, f"{call}(3)") or f"{call}()"

    def _importing(self, kind: Kind, entry: dict[str, Any]) -> None:
        if entry.get("import") in self.calls:
            kind.importing, kind.unimport = entry["import"], entry["unimport"]
            kind.import_since = max(kind.since, self.calls[kind.importing].since)
            kind.import_guard = self.guard(kind.import_since)

    def _adopting(self, kind: Kind, raw: Struct | None) -> None:
        """What an object tells of where it belongs, for one that was made by others."""
        kind.raw_context = any(f.name == "context" and f.ref == "ibv_context" for f in (raw.fields if raw else []))
        of = {f.name: self.kind_of[f.ref] for f in (raw.fields if raw else []) if f.kind == "pointer" and f.ref in self.kind_of}
        kind.raw_parent = next((name for name, owner in of.items() if owner == kind.parent != ROOT), "")
        kind.raw_uses = [name for name, owner in of.items() if owner not in (ROOT, kind.parent)]

    def _from_attr(self, kind: Kind, attr: Struct) -> None:
        bits = self._bits(kind)
        kind.into_bit = bits.get(kind.into, "")
        kind.selector_type = next((f.type for f in attr.fields if f.name == kind.selector), "")
        kind.selector_words = of_mask(self.lore, kind.attr, kind.selector)
        for f in attr.fields:
            if f.name in ("comp_mask", "attr_mask", kind.into, kind.selector):
                continue
            kind.fields.append(self._init_field(kind.attr, f, bits.get(f.name, ""), kind.since))
            kind.fields[-1].of_attr = True
            kind.fields[-1].implies = self._implied(kind, f.name, bits)

    def _bits(self, kind: Kind) -> dict[str, str]:
        """Field -> the bit that guards it."""
        out = {}
        for key, guards in self.lore.guard.items():
            struct, _, selector = key.partition(".")
            if struct == kind.attr:
                kind.selector = selector
                out |= {path: bit for bit, paths in guards.items() for path in paths if bit in self.since}
        return out

    def _implied(self, kind: Kind, name: str, bits: dict[str, str]) -> list[str]:
        """What sets the field that lore chooses this one by, where that is a truth value or a flag."""
        for key, choices in self.lore.choice.items():
            struct, _, other = key.partition(".")
            values = choices.get(name, []) if struct == kind.attr else []
            if values == ["!0"] and self.lore.field.get(key, {}).get("bool"):
                return [f"attr->{other} = 1"]
            if len(values) == 1 and str(values[0]).startswith("&"):
                mask = [f"attr->{kind.selector} |= {bits[other]}"] if other in bits else []
                return [f"attr->{other} |= {str(values[0])[1:]}", *mask]
        return []

    def _init_field(self, attr: str, f: Field, bit: str, oldest: int) -> InitField:
        since = max(f.since, self.since.get(bit, 0))
        newer = self.guard(since) if since > oldest else ""
        enum = self.enums.get(f.ref) if f.kind == "enum" else None
        c_type = "uint32_t" if enum and enum.since > self.api.oldest else f.type  # the same for all headers
        item = InitField(f.name, declared(c_type, f.name), bit=bit, guard=newer,
                         words=of_field(self.lore, attr, f.name, c_type, since if newer else 0))
        if c_type != f.type:
            item.words = "; ".join(w for w in (item.words, f"of enum {f.ref}") if w)
        if f.kind == "pointer" and f.ref in self.kind_of:
            item.kind = self.kind_of[f.ref]
            item.declaration = f"struct vx_{item.kind} *{f.name}"
        elif f.count is not None:
            item.array = True
        elif f.kind == "record":
            known = self.structs.get(f.ref)
            item.whole = known is None or known.union
            if not item.whole and known is not None:
                self._parts(item, known, f.name)
        return item

    def _parts(self, item: InitField, s: Struct, path: str) -> None:
        for f in s.fields:
            inner = self.structs.get(f.ref) if f.kind == "record" else None
            if inner and not inner.union:
                self._parts(item, inner, f"{path}.{f.name}")
            else:
                (item.unions if f.kind == "record" else item.parts).append(f"{path}.{f.name}")

    # ---- methods ----

    def methods(self, kinds: list[Kind]) -> Objects:
        plan = Objects(kinds)
        by_raw = {f"struct {k.raw} *": k for k in plan.types if k.raw}
        making = {e[key] for e in self.entries.values() for key in ("destroy", "import", "unimport") if key in e}
        making |= {w[key] for e in self.entries.values() for w in [*ways_of(e), e] for key in ("call", "name", "page") if key in w}
        plan.groups = [name for name, g in self.api.groups.items() if not making.isdisjoint(g.calls)]
        moves = {call: to for e in self.entries.values() for call, to in e.get("moves", {}).items()}
        for call in sorted((c for g in plan.groups for c in self.api.groups[g].calls.values()), key=lambda c: c.name):
            at = self._owner(call)
            owner = call.params[at].type if call.params else ""
            why = self._why_none(call, making, owner in by_raw or owner == "struct ibv_context *")
            if why:
                plan.left_out[call.name] = why
                continue
            methods = plan.ctx if owner == "struct ibv_context *" else by_raw[owner].methods
            plan.forward += [n for n in self._newer(call) if n not in plan.forward]
            methods.append(self._method(call, ROOT if owner == "struct ibv_context *" else by_raw[owner].name))
            methods[-1].moves = moves.get(call.name, "")
        return plan

    def _owner(self, call: Call) -> int:
        """The parameter whose method a call is: the first, where lore does not say otherwise."""
        said = self.lore.owner.get(call.name)
        return next((i for i, p in enumerate(call.params) if p.name == said), 0)

    def _refusals(self, call: Call, kind: str, params: list[str], rest: list[Param]) -> list[tuple[str, str]]:
        """What is refused before, as rdma-core or a provider would crash on it: conditions in C, and why."""
        raw = next((p.name for i, p in enumerate(call.params) if i == self._owner(call)), "")
        names = {p.name: f"own_{p.name}" if p.name in params else p.name for p in rest}
        out = []
        for why, text in self.lore.before.get(call.name, {}).items():
            def c_name(match: re.Match[str]) -> str:
                first, _, path = match[0].partition(".")
                if first == raw:
                    return f"vx_{kind}_raw({kind})->{path}"
                if first in names:
                    return ".".join(filter(None, [names[first], path]))
                if first not in self.since:
                    raise GenError(f"before: {call.name}: {text}: {first} is neither a parameter nor an enumerator")
                return match[0]
            out.append((re.sub(r"[A-Za-z_][\w.]*", c_name, text), why))
        return out

    def _why_none(self, call: Call, making: set[str], owned: bool) -> str:
        said = self.lore.method.get(call.name)
        if said:
            return said
        if call.name in making:
            return "makes or ends an object"
        if call.name.startswith(DATA_PATH):
            return "the data path; called as it is"
        if call.name.startswith("_") or not (call.kind == "inline" or call.library):
            return "internal to rdma-core"
        return "" if owned else "takes no object; called as it is"

    def _newer(self, call: Call) -> list[str]:
        tags = [TAG.match(p.type) for p in call.params if p is not call.params[self._owner(call)]]
        names = [t[1] for t in tags if t and t[1] in self.structs and t[1] not in self.kind_of]
        return [n for n in names if self.structs[n].since > self.api.oldest]

    def _method(self, call: Call, kind: str) -> Method:
        group = self.of_group[call.name]
        said = convention(call, group, self.lore)
        outcome = {"null": "null", "minus-one": "minus", "negative-errno": "negative", "errno-returned": "errno",
                   "count": "negative", "none": "value"}[said]
        names, needed = [], []
        structs = self._sized(call)
        constant = "const " if call.name.startswith(ASKING) else ""
        params = [f"{constant}struct vx_{kind} *{kind}"]
        rest = [p for i, p in enumerate(call.params) if i != self._owner(call)]
        for p in rest:
            target = p.type.removeprefix("struct ").removesuffix(" *")
            known = self.lore.parameter.get(f"{call.name}.{p.name}", {})
            optional = known.get("optional", False)
            if p.type.endswith(("*", "]")) and not optional and "count" not in known:
                needed.append(p.name)
            if p.type.startswith("struct ") and target in self.kind_of:
                handle = self.kind_of[target]
                params.append(f"struct vx_{handle} *{p.name}")
                names.append(f"{p.name} ? vx_{handle}_raw({p.name}) : NULL" if optional else f"vx_{handle}_raw({p.name})")
            elif p.name in structs:
                taken = structs[p.name]
                params.append(declared(f"{'' if taken.fills else 'const '}{taken.c_type} *", p.name))
                names.append(taken.own)
            elif big_endian := BIG_ENDIAN.fullmatch(p.type):  # numbers are in the byte order of the host
                params.append(f"uint{big_endian[1]}_t {p.name}")
                names.append(f"htobe{big_endian[1]}({p.name})")
            elif p.type.endswith(" *") and self._retyped(p.type[:-2]) != p.type[:-2]:
                params.append(f"uint32_t *{p.name}")
                names.append(f"({p.type}){p.name}")
            else:
                params.append(declared(self._retyped(p.type), p.name))
                names.append(p.name)
        if call.result == "void":
            outcome = "void"
        if outcome == "minus" and call.name.endswith(("_fd", "_index")):  # a number, which is the result
            outcome = "fd"
        if outcome in ("fd", "value", "null", "negative"):
            out = {"fd": "int", "negative": "size_t"}.get(outcome, call.result)
            params.append(declared(f"{out} *" if not out.endswith("*") else f"{out}*", "out"))
            needed.append("out")
        given = [p.rpartition(" ")[2].lstrip("*").partition("[")[0] for p in params[1:]]
        types = {p.name: p.type for p in call.params}
        said = [(p, of_parameter(self.lore, call.name, p, types.get(p, ""))) for p in given]
        sized = [p for name, param in zip([kind, *given], params)
                 for p in ([param, f"size_t {structs[name].size}"] if name in structs else [param])]
        passed = [p for name in [kind, *given] for p in ([name, f"sizeof(*{name})"] if name in structs else [name])]
        slots = [slot(p.type, n) for p, n in zip(call.params, _inserted(names, self._owner(call), f"vx_{kind}_raw({kind})"))]
        return Method(_method_name(group, call, kind), call.name, ", ".join(params),
                      ", ".join(sized) if structs else "", ", ".join(passed), ", ".join(_inserted(names, self._owner(call), f"vx_{kind}_raw({kind})")), outcome, call.result, self.guard(call.since), call.since, given,
                      ", ".join(slots),
                      call.name in self.lore.reasons.refuse,
                      self.lore.does.get(call.name, ""),
                      [(p, text) for p, text in said if text], self._page(call.name), needed, list(structs.values()), group.provider,
                      refuses=self._refusals(call, kind, list(structs), rest))

    def _sized(self, call: Call) -> dict[str, Sized]:
        """The parameters that are structures of a program's headers."""
        out = {}
        for p in call.params:
            known = self.lore.parameter.get(f"{call.name}.{p.name}", {})
            record = RECORD.fullmatch(known.get("type", p.type))
            struct = self.structs.get(record[2]) if record else None
            if struct is None or struct.name in self.kind_of:
                continue
            fills = known.get("out", False)
            reads = not fills or any(f.name == "comp_mask" for f in struct.fields)  # which of it is wanted
            out[p.name] = Sized(p.name, f"struct {struct.name}", "", fills, reads, "count" in known, known.get("optional", False))
        for item in out.values():
            item.size = "size" if len(out) == 1 else f"{item.name}_size"
        return out


def slot(type_: str, value: str) -> str:
    """What a call is given, as an integer of 64 bits."""
    if type_.startswith("__be") and not type_.endswith(("*", "]")):
        return f"be{type_[4:]}toh({value})"
    if type_.endswith(("*", "]")):
        return f"VX_ARG({value})"
    return value if type_.startswith("uint") else f"(uint64_t){value}"


def ways_of(entry: dict[str, Any]) -> list[dict[str, Any]]:
    """The calls that make one, each as a table."""
    create = entry.get("create", [])
    return [{"call": create}] if isinstance(create, str) else create


def _inserted(items: list[str], at: int, item: str) -> list[str]:
    return [*items[:at], item, *items[at:]]


def _method_name(group: HeaderGroup, call: Call, kind: str) -> str:
    """ibv_query_qp_data_in_order is vx_qp_query_data_in_order, mlx5dv_modify_qp_udp_sport vx_mlx5_qp_modify_udp_sport."""
    own = kind.removeprefix(f"{group.word}_") if group.word else kind
    stem = f"{group.word}_{own}" if group.word else kind
    return f"vx_{stem}_{_verb(call.name.removeprefix(group.prefix), own)}"


def _verb(call: str, kind: str) -> str:
    """The call without the word for its kind."""
    words = call.split("_")
    own = kind.split("_")
    for i in range(len(words) - len(own) + 1):
        if words[i : i + len(own)] == own:
            return "_".join(words[:i] + words[i + len(own) :]) or call
    return call


def plan_objects(api: Api, lore: Lore, groups: list[HeaderGroup]) -> Objects:
    """All kinds whose structures and calls this API has."""
    planner = _Planner(api, lore, groups)
    names = [n for n, e in sorted(lore.object.items()) if planner.has(e)]
    return planner.methods([planner.kind(n) for n in names])
