# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""Facts of several releases -> one API, in which each item knows since which release it exists.

The newest release says how an item looks; what it no longer has is kept, with `until`, and what it has again is there from when it came back:
of what releases had `before` nothing is used. Tags that a header renames by a macro get the public name here, so that nothing further on sees
the name behind it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Container, Iterator

from ..errors import GenError
from ..fast.record import changed, field, value
from ..fast.typed import Protocol, TypeVar
from . import same
from .facts import Call, Enum, Enumerator, Facts, Field, Group, Macro, Named, Param, Prototype, Struct, items
from .facts_checks import KEYWORDS
from .facts_schema import KINDS
from .same import walk as walk

# What a parameter cannot be called: words of C and C++, in whose programs our headers are read, names that GNU C has before it reads anything, and
# what generated functions call their own.
TAKEN = frozenset(KEYWORDS) | frozenset("""
    alignas alignof and and_eq asm bitand bitor bool catch char8_t char16_t char32_t class compl concept consteval constexpr constinit const_cast
    co_await co_return co_yield decltype delete dynamic_cast explicit export false friend mutable namespace new noexcept not not_eq nullptr operator
    or or_eq private protected public reinterpret_cast requires static_assert static_cast template this thread_local throw true try typeid
    typename typeof typeof_unqual using virtual wchar_t xor xor_eq linux unix
    args call errno rc result trace vx_aside
    """.split())
BESIDE = frozenset("count foreign out size value values view".split())
VARYING = "varying"  # the kind of a macro that is an integer, but not the same one in all releases
MOVED = ("tables have one value of an enumerator for all releases, so the facts of both cannot be used together. Of what programs are"
         " compiled with, a value that moves is a mistake of the newer header: tell rdma-core. Until it is mended, use that tree alone,"
         " with --headers DIR, which takes its values, and do not commit its facts")
SCALAR = re.compile(r"(?:(?:un)?signed |long |short )*(?:int|char|long|short|s?size_t|_Bool|bool|__[us]\d+|u?int\d+_t)")


@value
class Api:
    """The merged facts, by group in the order of groups.toml."""

    releases: list[int]
    groups: dict[str, Group] = field(default_factory=dict)
    told: dict[int, list[str]] = field(default_factory=dict)  # the libraries of each release of which it is known what they export
    of_tree: int = 0  # the release of one tree of headers, whose word counts wherever others say something else

    @property
    def oldest(self) -> int:
        return self.releases[0]

    @property
    def newest(self) -> int:
        return self.releases[-1]

    def enums(self) -> dict[str, Enum]:
        return {n: e for g in self.groups.values() for n, e in g.enums.items()}

    def lives(self) -> dict[str, tuple[int, int]]:
        """Since which release an enumerator is there, and until which; 0 where the newest has it. One may go from one enum to another."""
        found: dict[str, tuple[int, int]] = {}
        for enum in self.enums().values():
            for v in enum.values:
                until = v.until or enum.until
                since, other = found.get(v.name, (v.since, until))
                found[v.name] = min(since, v.since), until and other and max(until, other)
        return found

    def structs(self) -> dict[str, Struct]:
        return {n: s for g in self.groups.values() for n, s in g.structs.items()}

    def calls(self) -> dict[str, Call]:
        return {n: c for g in self.groups.values() for n, c in g.calls.items()}

    def macros(self) -> dict[str, Macro]:
        return {n: m for g in self.groups.values() for n, m in g.macros.items()}


class Item(Protocol):
    name: str
    since: int
    until: int
    before: int


T = TypeVar("T", Enum, Struct, Call, Macro, Enumerator, Field, Named)
Versions = list[tuple[int, dict[str, T]]]  # what each release has, by name
Having = list[tuple[int, T]]  # the releases that have an item, and how


def _union(versions: Versions[T], newest: int, join: Callable[[Having[T]], T]) -> dict[str, T]:
    """Items of all releases by name: those of the newest in its order, then what it lacks."""
    names = {name: None for _, items in reversed(versions) for name in items}
    out = {}
    for name in names:
        having = [(release, items[name]) for release, items in versions if name in items]
        item = join(having)
        item.since = having[0][0]
        item.until = 0 if having[-1][0] == newest else having[-1][0]
        lacks = max((release for release, items in versions if name not in items and having[0][0] < release < having[-1][0]), default=0)
        if lacks:
            item.before = max(release for release, _ in having if release < lacks)
            _came_back(item, min(release for release, _ in having if release > lacks))
        out[name] = item
    return out


def _came_back(item: Item, since: int) -> None:
    """With all that is in it, which is not there without it."""
    item.since = max(item.since, since)
    for part in [*getattr(item, "fields", []), *getattr(item, "values", [])]:
        _came_back(part, since)


def _newest(having: Having[T]) -> T:
    return having[-1][1]


def _by_name(items: list[T]) -> dict[str, T]:
    return {item.name: item for item in items}


def _enumerator(having: Having[Enumerator]) -> Enumerator:
    """One whose value moves is no constant that a table could hold, unless lore says that it is no value at all."""
    last, new = having[-1]
    new.moved = next((f"{old.value} in release {release} and {new.value} in {last}" for release, old in reversed(having)
                      if old.value != new.value), "")
    return new


def only_move(api: Api, sentinels: Container[str]) -> None:
    """Refuse a value that moved, of any other enumerator."""
    for name, group in api.groups.items():
        for enum in group.enums.values():
            for v in enum.values:
                if v.moved and v.name not in sentinels:
                    way = f'gen/lore/{name}.toml: [enum] {enum.name} = {{ sentinels = ["{v.name}"] }}, if it only ends the enum and is no value of it; else ' if ends(enum, v, int(v.moved.partition(" ")[0])) else ""
                    raise GenError(f"{v.name} of enum {enum.name} is {v.moved}", file=enum.header, hint=way + MOVED)


def ends(enum: Enum, v: Enumerator, before: int) -> bool:
    """Whether an enumerator may be there only to be the last, as it has moved to where it is by another one that has the value that it had before."""
    values = {other.value for other in enum.values}
    return v.value == max(values) and before in values


def _macro(having: Having[Macro]) -> Macro:
    """A macro whose value changes is no constant that a table could hold."""
    out = _newest(having)
    if any(old.value != out.value for _, old in having):
        out.kind, out.value = VARYING, None
    return out


def _enum(having: Having[Enum]) -> Enum:
    last, out = having[-1]
    out.values = list(_union([(release, _by_name(enum.values)) for release, enum in having], last, _enumerator).values())
    return out


def _fields(having: Having[Struct] | Having[Field]) -> list[Field]:
    versions = [(release, _by_name(whole.fields)) for release, whole in having]
    cut = same.cut([fields for _, fields in versions])
    found = _union(versions, having[-1][0], _field)
    for name in cut:
        found[name].cut = found[name].until
    return list(found.values())


def _field(having: Having[Field]) -> Field:
    out = _newest(having)
    if out.fields:
        out.fields = _fields(having)
    return out


def _struct(having: Having[Struct]) -> Struct:
    out = _newest(having)
    out.fields = _fields(having)
    return out


def _call(having: Having[Call]) -> Call:
    """As the newest release has it, with the oldest prototype: what stands for it has promised to take these arguments.

    Since when its symbol is there, any release may say: those that lie in git have version scripts, which do not.
    """
    out = _newest(having)
    out.introduced = min((old.introduced for _, old in having if old.introduced), default=0)
    out.apart = min((old.apart for _, old in having), key=bool)
    _exported(out, having)
    for release, old in having:
        if not out.prototypes or _types(out.prototypes[-1]) != _types(old):
            if out.prototypes:
                out.prototypes[-1].until = release - 1
            out.prototypes.append(Prototype(release, old.result, old.params))
    if len(out.prototypes) == 1:
        out.prototypes = []
        _keep_names(out, [old.params for _, old in having])
    else:
        out.result, out.params = out.prototypes[0].result, out.prototypes[0].params
    return out


def _exported(call: Call, having: Having[Call]) -> None:
    """What goes from headers to a library, or back, has a library in some releases alone."""
    of_library = [old for _, old in having if old.kind == "extern"]
    if not of_library or len(of_library) == len(having):
        return
    for release, old in having:
        goes_on = bool(call.exported) and not call.exported[-1][1]
        if old.kind == "extern" and not goes_on:
            call.exported.append((release, 0))
        elif old.kind != "extern" and goes_on:
            call.exported[-1] = call.exported[-1][0], release - 1
    call.library, call.version = of_library[-1].library, of_library[-1].version


def _keep_names(call: Call, of_releases: list[list[Param]]) -> None:
    """Lore, and whoever reads what is declared of a call, know its parameters by the names of the first headers that name all."""
    known = next((params for params in of_releases if all(p.name for p in params)), call.params)
    call.renamed = [(old.name, new.name) for old, new in zip(known, call.params, strict=True) if new.name not in ("", old.name)]
    call.params = known


def _types(declared: Call | Prototype) -> list[str]:
    return [declared.result, *(p.type for p in declared.params)]


def _fits(old: str, new: str) -> bool:
    """Whether what is passed as one type may be passed as the other."""
    return old == new or new == f"const {old}" or bool(SCALAR.fullmatch(old) and SCALAR.fullmatch(new))


def takes_the_same(promised: Call | Prototype, declared: Call | Prototype) -> bool:
    """Whether who passes the arguments of one declaration may call what another one declares."""
    old, new = _types(promised), _types(declared)
    return len(old) == len(new) and (old[0] == "void") == (new[0] == "void") and all(map(_fits, old, new))


def _group(facts: list[Facts], name: str, newest: int) -> Group:
    having = [(f.release, f.groups[name]) for f in facts if name in f.groups]
    return Group(
        name,
        having[-1][1].headers,
        _union([(r, g.enums) for r, g in having], newest, _enum),
        _union([(r, g.structs) for r, g in having], newest, _struct),
        _union([(r, g.calls) for r, g in having], newest, _call),
        _union([(r, g.macros) for r, g in having], newest, _macro),
        _union([(r, g.typedefs) for r, g in having], newest, _newest),
        _union([(r, g.variables) for r, g in having], newest, _newest),
        {h: [r for r, g in having if h in g.headers] for _, g in having for h in g.headers},
    )


# ---- since, more exactly than our few releases tell ----


def _introduced(group: Group, releases: list[int]) -> None:
    """Take the release of a function from its symbol, where that lies between the releases that lack and have it."""
    for call in group.calls.values():
        call.since = _as_symbols_say(call, call.since, releases)
        call.exported = [(_as_symbols_say(call, since, releases), until) for since, until in call.exported]


def _as_symbols_say(call: Call, since: int, releases: list[int]) -> int:
    before = max((r for r in releases if r < since), default=0)
    return call.introduced if before < call.introduced < since else since


def _became_macros(group: Group) -> None:
    """A function that newer headers replace by a macro of the same name is still there for who calls it."""
    for call in group.calls.values():
        macro = group.macros.get(call.name)
        if call.until and macro and macro.kind == "function":
            call.kind, call.until = "macro", 0


def _reshaped(group: Group, releases: list[int]) -> None:
    """A function that takes other arguments from some release on is there as it was until the release before."""
    for call in group.calls.values():
        if call.prototypes:
            first, *later = call.prototypes
            later[-1].until = call.until
            other = next((p for p in later if not takes_the_same(first, p)), None)
            call.until = max(r for r in releases if r < other.since) if other else call.until


# ---- public names ----


def _renames(api: Api) -> dict[str, str]:
    """Tags that the headers rename by a macro: what the compiler sees -> what a program writes.

    One that was there before the macro is written by programs, and goes on being called what it was; and what other releases declare by a name has that.
    """
    since = {n: item.since for g in api.groups.values() for items in (g.enums, g.structs) for n, item in items.items()}
    return {m.text: m.name for m in api.macros().values() if m.kind == "alias" and m.text in since and m.since <= since[m.text] and m.name not in since}


def merge(facts: list[Facts], order: list[str]) -> Api:
    """Join the facts of some releases; they are used up. `order` is that of groups.toml."""
    facts = sorted(facts, key=lambda f: f.release)
    releases = [f.release for f in facts]
    if len(set(releases)) != len(releases):
        raise GenError(f"facts of one release are given twice: {releases}")
    same.settle(facts)
    api = Api(releases, told={f.release: f.told for f in facts})
    for name in [n for n in order if any(n in f.groups for f in facts)]:
        api.groups[name] = _group(facts, name, releases[-1])
        _introduced(api.groups[name], releases)
        _became_macros(api.groups[name])
        _reshaped(api.groups[name], releases)
    _date_constants(api)
    same.rename(api.groups.values(), _renames(api))
    _name_parameters(api)
    return api


def _date_constants(api: Api) -> None:
    """A constant that goes from one enum to another, or is a macro before, is there all the time."""
    lives, items = api.lives(), [v for e in api.enums().values() for v in e.values]
    macros = {m.name: m for m in api.macros().values() if m.kind == "value" and m.name in lives}
    for m in macros.values():
        since, until = lives[m.name]
        lives[m.name] = min(since, m.since), until and m.until and max(until, m.until)
    again = {name for name, count in Counter(v.name for v in items).items() if count > 1}
    for item in [*(v for v in items if v.name in again or v.name in macros), *macros.values()]:
        item.since, item.until = lives[item.name]


def _name_parameters(api: Api) -> None:
    """Headers may give them none, or one that something else has where the call is declared or passed on, such as the call itself: all that is
    made of it needs its own."""
    for call, form in [(call, form) for call in api.calls().values() for form in (call, *call.prototypes)]:
        names = [p.name for p in form.params]
        taken = {_of_object(form.params), call.name}
        if not all(names) or not TAKEN.isdisjoint(names) or not taken.isdisjoint(names):
            form.params = [changed(p, name=_own_name(p.name or f"argument{i}", TAKEN | taken, names)) for i, p in enumerate(form.params)]


def _of_object(params: list[Param]) -> str:
    """What a method calls the object that a function takes first, where that is not what the header calls it."""
    tag = params[0].what.to_a_struct if params else ""
    name = object_name(tag.partition("_")[2].removesuffix("_ex"))
    return name if params and name != params[0].name else ""


def object_name(kind: str) -> str:
    """What functions of a kind call its handle, beside which they may take what is named here."""
    return _own_name(kind, TAKEN | BESIDE, [])


def _own_name(name: str, taken: Container[str], others: list[str]) -> str:
    if name not in taken:
        return name
    while name in taken or name in others:
        name += "_"
    return name


# ---- one tree alone ----


@value
class Names:
    """What the facts of one tree have, by the names of the compiler."""

    names: set[str]
    declared: set[str] = field(default_factory=set)  # structures of which it has no more
    bits: dict[str, int | None] = field(default_factory=dict)  # fields that are bit-fields, and of how many

    @classmethod
    def of(cls, facts: Facts) -> Names:
        names: set[str] = set()
        bits: dict[str, int | None] = {}
        also = {m.text: m.name for g in facts.groups.values() for m in g.macros.values() if m.kind == "alias"}
        for g in facts.groups.values():
            names.update(*(getattr(g, kind) for kind in KINDS))
            names.update(v.name for e in g.enums.values() for v in e.values)
            for s in g.structs.values():
                names.update(path for path, _ in paths(s.name, s.fields))
                bits.update({path: f.bits for path, f in paths(s.name, s.fields) if f.bits is not None})
                names.update(f"{s.name}.{also[f.name]}" for f in s.fields if f.name in also)
        return cls(names, {s.name for g in facts.groups.values() for s in g.structs.values() if s.opaque}, bits)


def paths(prefix: str, fields: list[Field]) -> Iterator[tuple[str, Field]]:
    """Each field under the path that leads to it."""
    for f in fields:
        yield f"{prefix}.{f.name}", f
        yield from paths(f"{prefix}.{f.name}", f.fields)


def _constants(facts: Facts) -> Iterator[Enumerator | Macro]:
    for g in facts.groups.values():
        yield from (v for e in g.enums.values() for v in e.values)
        yield from (m for m in g.macros.values() if m.kind == "value")


def agree(facts: list[Facts], tree: Facts) -> None:
    """Give enumerators and macros the values of one tree, whose word counts where it alone is wanted: vendors do differ. And enums what it says of bits."""
    values = {v.name: v.value for v in _constants(tree)}
    enums = items(tree, "enums")
    for other in facts:
        for v in _constants(other):
            v.value = values.get(v.name, v.value)
        for name, enum in items(other, "enums").items():
            enum.shifts = enums.get(name, enum).shifts


def keep_groups(api: Api, names: list[str]) -> None:
    """Drop all other groups."""
    api.groups = {name: group for name, group in api.groups.items() if name in names}


def keep_only(api: Api, names: Names, release: int) -> None:
    """Drop from a merged API all that a tree does not have; what is left is simply there."""
    tag_of = {m.name: m.text for m in api.macros().values() if m.kind == "alias"}

    def has(item: Item) -> bool:
        return item.name in names.names or tag_of.get(item.name, item.name) in names.names

    def fields(prefix: str, items: list[Field]) -> list[Field]:
        kept = [f for f in items if f"{prefix}.{f.name}" in names.names]
        for f in kept:
            path = f"{prefix}.{f.name}"
            f.until, f.bits, f.fields = 0, names.bits.get(path, f.bits), fields(path, f.fields)
        return kept

    for name, g in list(api.groups.items()):
        g.enums = {n: e for n, e in g.enums.items() if any(v.name in names.names for v in e.values)}
        g.structs = {n: s for n, s in g.structs.items() if has(s) and (s.opaque or s.name not in names.declared)}
        g.calls = {n: c for n, c in g.calls.items() if has(c)}
        g.macros, g.typedefs, g.variables = ({n: m for n, m in items.items() if has(m)} for items in (g.macros, g.typedefs, g.variables))
        for e in g.enums.values():
            e.values = [v for v in e.values if v.name in names.names]
        for s in g.structs.values():
            s.fields = fields(tag_of.get(s.name, s.name), s.fields)
        for item in (*g.enums.values(), *g.structs.values(), *g.calls.values(), *g.macros.values()):
            if not getattr(item, "prototypes", None):  # else it is there, and takes something else
                item.until = 0
        if not (g.enums or g.structs or g.calls):
            del api.groups[name]
    api.releases = sorted({*(r for r in api.releases if r <= release), release})
