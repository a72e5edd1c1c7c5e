# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""What explains a failed call, or refuses it: limits, faults, suspects, and the transitions of a QP and a WQ."""

from __future__ import annotations

import errno
from collections import Counter

from ...api.merge import Api
from ...fast.record import field, record, value
from ...know.model import Lore, find_field
from ...know.reasons import ALL, BEYOND, COMPARED, MASKS, OR, PART, PHASES, SAID, SIGNS, TIMES, Words, alternatives, owned, words
from ..calls.widths import MOST
from ..model.object import Objects
from ..structs.structs import StructTables
from ..when.guards import guard
from ..when.rules import Condition, all_bits
from ..when.transitions import Ignored, Transition, plan_transitions
from .describe import TextPool


@record
class Source:
    """Who tells what is allowed."""

    name: str  # the structure
    allows: str  # ids in the pool
    has: str
    ask: str  # the call that fills it, as C; 0 where it told
    whole: str  # or the structure that it is a part of, and which
    part: str
    own: str  # or an expression of C
    beside: str  # a structure that the call wants to fill as well
    guard: str  # the preprocessor condition under which the call is there; "" for always


@record
class Limit:
    owner: str  # C expression: a structure, or a call
    field: str  # ids in the pool
    source: str = "OWN"  # of enum vx_source
    limit: str = ""
    number: int | str = 0  # of a source: the id of the name that programs know the field by, 0 for its own
    index: bool = False  # less than the limit, not up to it


@value  # which is compared
class Test:
    source: str  # C expressions
    rule: str


@record
class Fault:
    owner: str
    text: str
    tests: list[Test]
    first: int  # of the tests of all
    phase: str  # of enum vx_phase
    codes: list[int] = field(default_factory=list)


@record
class Suspect:
    owner: str
    field: str
    usual: int  # flags of it that are none; of an enum the values, each a bit


FEW = 3  # of what a field excludes, so many are looked at at once


@record
class Part:
    """Of an init structure, which excludes others."""

    name: str
    used: str  # C expression: whether it is
    excludes: int  # those after it, a bit each
    whole: str = ""  # C expression: the field, where it is flags of one
    clashes: str = ""  # C expression: whether the field, of which it is the first part, may be used along with what it excludes


def _parts(entries: dict[str, list[str]]) -> list[Part]:
    found = [_part(text) for text in entries]
    names = [p.name for p in found]
    for i, (part, excluded) in enumerate(zip(found, entries.values())):
        part.excludes = sum(1 << n for n in range(i + 1, len(names)) if ALL in excluded or names[n] in excluded)
    _clashes(found)
    return found


def _clashes(parts: list[Part]) -> None:
    """What to look at before all parts are: the fields that exclude most first, so that few are left with more to be looked at."""
    left = [(p, q) for i, p in enumerate(parts) for n, q in enumerate(parts) if p.excludes >> n & 1]
    of = Counter(whole for pair in left for whole in {p.whole for p in pair})
    first = {p.whole: p for p in reversed(parts)}
    for whole in sorted(of, key=lambda whole: (-of[whole], parts.index(first[whole]))):
        mine = [pair for pair in left if whole in (pair[0].whole, pair[1].whole)]
        others = list(dict.fromkeys(f"({p.used})" for pair in mine for p in pair if p.whole != whole))
        alone = len(others) > FEW or any(p.whole == q.whole for p, q in mine)
        if mine:
            first[whole].clashes = whole if alone else f"({whole}) && ({' || '.join(others)})"
        left = [pair for pair in left if pair not in mine]


def _part(text: str) -> Part:
    name, word, rest = [*PART.split(text), "", ""][:3]
    used = {"of": f"init->{rest} & {name}", "by": f"{rest}(init)"}.get(word, f"init->{name}")
    return Part(name, used, 0, f"init->{rest}" if word == "of" else used)


@record
class ReasonsPlan:
    pool: TextPool = field(default_factory=TextPool)  # names
    sentences: TextPool = field(default_factory=TextPool)
    limits: list[Limit] = field(default_factory=list)
    widths: dict[str, int] = field(default_factory=dict)  # those that types have, and not lore
    faults: list[Fault] = field(default_factory=list)
    suspects: list[Suspect] = field(default_factory=list)
    transitions: list[Transition] = field(default_factory=list)
    ignored: list[Ignored] = field(default_factory=list)
    exclude: dict[str, list[Part]] = field(default_factory=dict)
    sources: list[Source] = field(default_factory=list)
    tests: list[Test] = field(default_factory=list)
    explain: dict[str, list[tuple[str, list[str]]]] = field(default_factory=dict)  # when -> function, the calls


class _Planner:
    def __init__(self, api: Api, lore: Lore, tables: StructTables, signed: set[str]) -> None:
        self.api = api
        self.lore = lore
        self.reasons = lore.reasons
        self.defaults = lore.default
        self.tables = tables
        self.structs = api.structs()
        self.calls = api.calls()
        self.signed = signed  # of the calls those that rows can be of
        self.values = {name: entry["number"] for name, entry in lore.open_flag.items()} | {v.name: v.value for e in api.enums().values() for v in e.values}
        self.values |= {m.name: m.value or 0 for m in api.macros().values() if m.kind == "value"}
        self.plan = ReasonsPlan()
        self.tests_by_rule: dict[str, list[int]] = {}  # where those of the plan stand

    def has(self, path: str) -> bool:
        """Whether the headers have a field, or a call such a parameter."""
        owner, _, rest = path.partition(".")
        if owner not in self.calls:
            return find_field(self.structs, owner, rest) is not None
        index, inner = self.parameter(owner, rest)
        return not inner or self.has(f"{self.target(owner, index)}.{inner}")

    def parameter(self, call: str, path: str) -> tuple[int, str]:
        """Which one a path begins with, and the rest of the path."""
        name, _, rest = path.partition(".")
        return [p.name for p in self.calls[call].params].index(name), rest

    def target(self, call: str, index: int) -> str:
        """The structure that a parameter points to."""
        return self.calls[call].params[index].what.to_one

    def owner(self, name: str) -> str:
        return f"VX_OF_CALL | SIGNATURE_{name}" if name in self.signed else f"STRUCT_{name}"

    def limit(self, path: str, value: str | int, index: bool) -> None:
        owner, _, name = path.partition(".")
        if owner not in self.signed and owner not in self.structs or not self.has(path):
            return
        row = Limit(self.owner(owner), self.plan.pool.add(name), index=index)
        if isinstance(value, int):
            row.number = value
        else:
            row.source, row.limit = self.source(value)
            row.number = f"T({self.plan.pool.add(self.reasons.called[path])})" if path in self.reasons.called else 0
        if isinstance(value, int) or self.has(value):
            self.plan.limits.append(row)

    def source(self, path: str) -> tuple[str, str]:
        struct, _, name = path.partition(".")
        return struct, self.plan.pool.add(name)

    def sources(self) -> None:
        for name, entry in self.reasons.source.items():
            if name not in self.structs:
                continue
            whole, _, part = entry.get("part", "").partition(".")
            words_of = [self.plan.pool.add(entry.get(k, entry["allows"])) for k in ("allows", "has")]
            self.plan.sources.append(Source(name, *words_of, entry.get("ask", ""), whole, part, entry.get("own", ""),
                                            entry.get("beside", ""), self.there(entry.get("ask", "").partition("(")[0])))

    def there(self, function: str) -> str:
        """Whether headers have what is asked, in C: other releases may have something else in its place."""
        if not function or function.startswith("vx_"):
            return ""
        call = self.calls.get(function)
        return guard(call.since, call.until, self.api.oldest, self.api.newest) if call else "0"

    def faults(self, kind: str, sentences: dict[str, dict[str, list[str]]]) -> None:
        self.plan.faults += [self.fault(kind, owner, text, way) for owners, faults in sentences.items()
                             for owner in owners.split() if owner in self.structs or owner in self.signed
                             for text, conditions in faults.items() for way in alternatives(conditions)
                             if all(self.known(c, owner) for c in way)]

    def counts(self) -> dict[str, dict[str, list[str]]]:
        """As sentences: how many there can be."""
        return {calls: {f"the device allows {path.partition('.')[2]} = {{{path}}} for all programs together": []}
                for calls, path in self.reasons.count.items() if self.has(path)}

    def product(self, owner: str, names: list[str]) -> dict[str, list[list[str]]]:
        """A sentence that names all factors, and the ways to come to it: any of them is more than its default."""
        named = [f"{name} = {{{name}}}" for name in names]
        text = f"{named[0]} with {' and '.join(named[1:])} may be more than the provider can lay out"
        usual = self.defaults.get(owner, {})
        return {text: [[f"{name} is beyond {usual.get(name, 0)}"] for name in names]}

    def products(self) -> None:
        for owner, products in self.reasons.product.items():
            for text, ways in (found for names in products for found in self.product(owner, names.split(TIMES)).items()):
                for way in ways:
                    self.faults("product", {owner: {text: way}})

    def fault(self, kind: str, owner: str, text: str, conditions: list[str]) -> Fault:
        found = [w for w in map(words, conditions) if w]
        codes = [getattr(errno, v) for w in found if w.subject == "errno" for v in w.values]
        tests = [Test("VX_SOURCE_PROVIDER", f"T({self.plan.pool.add(w.values[0])})") for w in found if w.subject == "provider"]
        by_source: dict[tuple[str, str], list[Condition]] = {}
        for w in found:
            if w.subject not in ("errno", "provider") and not w.other:
                source, struct, condition = self.condition(owner, w)
                by_source.setdefault((source, struct), []).append(condition)
        for (source, struct), own in by_source.items():
            c_type = self.structs[struct].c_type if struct in self.structs else f"struct {struct}" if struct else ""
            tests.append(Test(source, self.tables.book.add(f"{kind}_{struct or owner}", c_type, "", own)))
        tests += [Test(f"VX_SOURCE_{COMPARED[w.sign]}", f"T({self.plan.pool.add(f'{w.subject} {w.other}')})") for w in found if w.other]
        phase = next((SAID[c] for c in conditions if c in SAID), PHASES[kind])
        return Fault(self.owner(owner), self.plan.sentences.add(text), tests, self.first_of(tests), phase, codes)

    def first_of(self, tests: list[Test]) -> int:
        """Where tests stand in a row among those of the plan, which they join if they do not."""
        known = self.plan.tests
        starts = self.tests_by_rule.get(tests[0].rule, []) if tests else []
        first = next((i for i in starts if known[i : i + len(tests)] == tests), len(known))
        if first == len(known):
            for test in tests:
                self.tests_by_rule.setdefault(test.rule, []).append(len(known))
                known.append(test)
        return first

    def where(self, owner: str, subject: str) -> tuple[str, str, str]:
        """Where a condition looks: the source, the structure there ("": arguments) and the path in it."""
        head, _, rest = subject.partition(".")
        if head in self.reasons.source and rest:
            return f"VX_SOURCE_{head}", head, rest
        if owner not in self.calls:
            return "VX_SOURCE_OWN", owner, subject
        index, inner = self.parameter(owner, subject)
        if inner:
            return f"VX_SOURCE_PARAM + {index}", self.target(owner, index), inner
        return "VX_SOURCE_OWN", "", str(index)

    def condition(self, owner: str, w: Words) -> tuple[str, str, Condition]:
        values = [self.values[v] if v in self.values else int(v, 0) for v in w.values]
        op = SIGNS[w.sign]
        source, struct, selector = ("VX_SOURCE_OWN", owner, "") if w.subject == "mask" else self.where(owner, w.subject)
        if w.subject == "mask":
            op = MASKS[w.sign]
        if op in ("ANY_BIT", "NO_BIT", *MASKS.values()):
            values = [all_bits(values)]
        at = find_field(self.structs, struct, selector) if selector and struct else None
        text = f"{w.subject} {w.sign} {' or '.join(w.values)}"
        return source, struct, Condition(op, selector, values, text, at.since if at else 0)

    def known(self, text: str, owner: str) -> bool:
        """Whether the headers at hand can ask this."""
        w = words(text)
        if not w or w.subject in ("errno", "provider"):
            return True
        paths = [path for path in (w.subject, w.other) if path and path != "mask"]
        places = [(struct, selector) for _, struct, selector in (self.where(owner, path) for path in paths) if struct]
        fields = [find_field(self.structs, struct, selector) for struct, selector in places]
        if any(f is None or f.bits is not None for f in fields):  # of a bit-field C tells no offset
            return False
        return bool(w.other) or all(v in self.values or v[0].isdigit() for v in w.values)

    def suspect(self, owner: str, name: str, usual: str) -> None:
        found = find_field(self.structs, owner, name) if owner in self.structs else None
        if found is None:
            return
        known = [self.values[v] for v in usual.split(OR) if v in self.values]
        bits = [1 << v for v in known] if found.kind == "enum" else known
        self.plan.suspects.append(Suspect(self.owner(owner), self.plan.pool.add(name), all_bits(bits)))

    def widths(self, objects: Objects) -> dict[str, int]:
        """The limits of numbers that calls take in fewer bits than functions do, where lore has no other."""
        said = {path for table in (self.reasons.limit, self.reasons.index) for key in table for path in owned(key)}
        methods = [*objects.ctx, *(m for k in objects.kinds for m in k.methods + k.others)]
        return {f"{m.call}.{name}": MOST[most] for m in methods for name, most in m.narrow if f"{m.call}.{name}" not in said}

    def run(self, objects: Objects) -> ReasonsPlan:
        self.sources()
        self.plan.exclude = {name: _parts(entries) for name, entries in self.reasons.exclude.items()}
        for table, index in ((self.reasons.limit, False), (self.reasons.index, True)):
            for key, value in table.items():
                for path in owned(key):
                    self.limit(path, value, index)
        self.plan.widths = self.widths(objects)
        for path, most in self.plan.widths.items():
            self.limit(path, most, False)
        self.faults("refuse", self.reasons.refuse)
        self.faults("fault", self.reasons.fault)
        self.faults("count", self.counts())
        self.products()
        for owner, names in self.reasons.suspect.items():
            for text in names:
                self.suspect(owner, *text.partition(BEYOND)[::2])
        self.plan.transitions, self.plan.ignored = plan_transitions(self.api, self.lore)
        for when in ("first", "then"):
            named: dict[str, list[str]] = {}
            for calls, functions in self.reasons.explain.items():
                if when in functions:
                    named.setdefault(functions[when], []).extend(c for c in calls.split() if c in self.signed)
            self.plan.explain[when] = list(named.items())
        return self.plan


def plan_reasons(api: Api, lore: Lore, tables: StructTables, objects: Objects, signed: set[str]) -> ReasonsPlan:
    """Plan it all, of calls only for those that have a signature; the conditions of faults become rules among those of the structures."""
    return _Planner(api, lore, tables, signed).run(objects)
