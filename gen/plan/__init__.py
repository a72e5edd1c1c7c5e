# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""API + lore -> what the templates print. Every decision lives in this package."""

from __future__ import annotations

import re
from functools import cached_property

from ..api import own
from ..api.merge import Api
from ..fast.record import field, record
from ..know.groups import HeaderGroup
from ..know.model import FORMS, Lore
from ..know.remarks import LORE, Remarks, entry
from ..promise import ids, json_types, shapes
from ..promise.ids import Ids
from . import reach
from .calls.calls import CallsPlan, calls as plan_calls
from .enums.enums import EnumPlan, WordsPlan, plan_enums, plan_words, present
from .enums.mads import MadTable, plan_mads
from .enums.prm import Prm, plan_prm, plan_wqes
from .enums.unnamed import name_unnamed
from .explain.describe import Describe, plan_describe
from .explain.events import Event, plan_events
from .explain.lines import LineWords
from .explain.reasons import ReasonsPlan, plan_reasons
from .methods.wr import plan_wr
from .model.object import Kind, Objects, Vendor
from .model.tables import kind_names as kind_names
from .model.wr import WrPlan
from .objects.objects import plan_objects
from .structs.defaults import Default, Setter, plan_defaults
from .structs.flows import FlowType, plan_flows
from .structs.kinds import KindTable, plan_kinds
from .structs.own_structs import plan_own
from .structs.paths import PathMember, Told, plan_handshake, plan_path
from .structs.rows import guard, write_rows
from .structs.structs import StructPlan, StructTables, plan_structs
from .text.names import PoolName, pool_names
from .trace.queries import Query, Taken, plan_queries, plan_taken
from .trace.trace import TracePlan, plan_handles, plan_trace, traced_calls
from .trace.wrapped import standing

UNKNOWN = "unknown"  # what an enum is called that a library is asked for and does not have
ATTR = re.compile(r"attr->([\w.]+)")


@record
class Code:
    name: str
    rows: list[tuple[int | str, str]]  # a number, or the macro that has it
    first: int = 0
    enum: str = ""  # of which all its fields are values, where they are of one


@record
class Include:
    header: str
    guard: str
    of_vendor: str  # the group of the vendor whose structures programs use only if they include it
    present: str  # the macro that says whether a program has it; "" of the first, which none does without
    before: str = ""  # the condition under which other headers have not what was in it, where they come before those that still have it

    @property
    def there(self) -> str:
        """The condition under which a program has it."""
        return f"VX_HAS(<{self.header}>)" + (f" && {self.before}" if self.before else "")


@record
class Plan:
    api: Api
    lore: Lore
    groups: list[HeaderGroup]
    oldest: int
    newest: int
    includes: list[Include]
    enums: list[EnumPlan]
    enum_names: list[str]
    tables: StructTables
    struct_names: list[PoolName]
    codes: list[Code]
    defaults: list[Default]
    setters: list[Setter]
    describe: Describe
    calls: CallsPlan
    objects: Objects
    kinds: KindTable
    queries: list[Query]
    events: list[Event]
    reasons: ReasonsPlan
    trace: TracePlan
    flows: list[FlowType]
    ids: Ids
    shapes: shapes.Shapes  # of gen/abi/structs.toml
    json_types: json_types.Types  # of gen/abi/json.toml
    wr: WrPlan
    remarks: Remarks = field(default_factory=Remarks)
    wide_names: bool = False  # a pool of names is larger than 16 bits reach

    @cached_property
    def asserted(self) -> dict[str, dict[str, list[int | str]]]:
        """Of structures that the headers made from this plan have: where each field lies, and its size, on each machine."""
        there = {f"vx_{k.name}_init" for k in self.objects.kinds} | {s.name for s in own.headers().structs}
        facts = self.api.structs()
        machines = shapes.on_each(self.shapes, facts, own.headers().structs)
        return {name: {f: [n for m in machines for n in m[name][f][1:]] for f in fields}
                for name, fields in self.shapes.items() if name in there}

    @cached_property
    def defaulted(self) -> set[str]:
        """The structures that have defaults."""
        return {d.name for d in self.defaults}

    @property
    def named(self) -> list[StructPlan]:
        """Those that a program can name."""
        return [s for s in self.tables.structs if not s.nested]

    @property
    def structs(self) -> list[StructPlan]:
        """Of these what rdma-core has."""
        return [s for s in self.named if not s.own]

    @property
    def own_structs(self) -> list[StructPlan]:
        return [s for s in self.named if s.own]

    @property
    def own_headers(self) -> list[str]:
        """Less those of vendors, which are for the program to include."""
        return sorted({s.header for s in self.own_structs} - {h for v in self.objects.vendors for h in (v.header, *v.wants)})

    def includes_of(self, vendor: Vendor) -> list[Include]:
        """What a vendor's header needs."""
        return [i for i in self.includes if i.of_vendor == vendor.group]

    @property
    def rule_types(self) -> list[tuple[int, str]]:
        """Values of enumerators, as older headers lack some, and what such an action of a rule is for."""
        values = {v.name: v.value for e in self.api.enums().values() for v in e.values}
        return [(values[name], part) for name, part in self.lore.rule_type.items() if name in values]

    @property
    def rule_kinds(self) -> list[tuple[str, str]]:
        known = {kind.name for kind in self.objects.kinds}
        return [(name, part) for name, part in self.lore.rule_kind.items() if name in known]

    @property
    def forms(self) -> dict[str, str]:
        """The ways to write a value, and how each looks."""
        return FORMS

    @property
    def called_before(self) -> list[tuple[str, str]]:
        """What macros of newer headers make of names of fields, and those: compilers see the former."""
        names = {n.name for n in self.struct_names}
        fields = {f.name for f in self.tables.fields()}
        return sorted((m.text, m.name) for m in self.api.macros().values() if m.kind == "alias" and m.name in fields and m.text not in names)

    @cached_property
    def lines(self) -> LineWords:
        return LineWords(self.lore, self.api.structs())

    @cached_property
    def mads(self) -> list[MadTable]:
        return plan_mads(self.lore)

    @cached_property
    def path(self) -> list[PathMember]:
        return plan_path(self.lore)

    @cached_property
    def handshake(self) -> list[Told]:
        return plan_handshake(self.lore)

    @cached_property
    def prm(self) -> Prm:
        return plan_prm(self.lore)

    @property
    def wqes(self) -> list[tuple[int, list[str]]]:
        return plan_wqes(self.lore, self.api)

    @property
    def wqe_words(self) -> list[WordsPlan]:
        said = self.lore.enum
        return [plan_words(e, said[e.name]) for e in self.enums if said.get(e.name, {}).get("in_wqes")]

    @property
    def mad_names(self) -> list[str]:
        """Of fields and records, each once."""
        return sorted({t.name for t in self.mads if t.attribute} | {f.name for t in self.mads for f in t.fields})

    def code_index(self, name: str) -> int:
        return next((i for i, code in enumerate(self.codes) if code.name == name), 0)

    @property
    def field_words(self) -> list[tuple[str, str]]:
        """What fields are for, by their path: those of rdma-core, and of its structures within our own."""
        tags = self.struct_tags
        out = {path: text for path, text in self.lore.says.items() if path.partition(".")[0] in tags}
        for s in self.tables.structs:
            if s.own and s.nested:
                out |= {f"{s.id.replace('__', '.')}.{f.name}": f.says for f in s.fields if f.says}
        return sorted(out.items())

    @property
    def taken(self) -> list[Taken]:
        return plan_taken(self.trace, self.lore, self.objects)

    @property
    def rdma_enums(self) -> list[EnumPlan]:
        """Those of rdma-core."""
        return [e for e in self.enums if not e.own]

    @property
    def enums_by_id(self) -> list[str]:
        """The name that each number stands for, from 0 on; "" where these headers do not have it."""
        return ids.names(self.enums, self.ids.enum)

    @property
    def structs_by_id(self) -> list[str]:
        return ids.names(self.named, self.ids.struct)

    @cached_property
    def struct_tags(self) -> set[str]:
        return {s.name for s in self.structs}


def _order(row: tuple[int | str, str]) -> tuple[bool, int | str]:
    """Numbers by what they are, behind them macros, whose values differ from machine to machine, by their names."""
    return isinstance(row[0], str), row[0]


def _codes(lore: Lore, tables: StructTables) -> list[Code]:
    codes, first = [], 0
    enums_of: dict[str, set[str]] = {}
    for f in tables.fields():
        enums_of.setdefault(f.ref, set()).add(f.enum)
    for name, rows in sorted(lore.code.items()):
        enums = enums_of.get(f"CODE_{name}", set())
        codes.append(Code(name, sorted(rows.items(), key=_order), first, enums.pop() if len(enums) == 1 else ""))
        first += len(rows)
    return codes


def _first(groups: list[HeaderGroup]) -> str:
    """The header that every program has."""
    return groups[0].headers[0] if groups else ""


def _names(structs: list[StructPlan]) -> set[str]:
    """Of these and of their fields."""
    return {s.name for s in structs} | {f.name for s in structs for f in s.fields}


def _includes(api: Api, groups: list[HeaderGroup], vendors: set[str]) -> list[Include]:
    """The headers of all groups, each under the releases that have it."""
    return [Include(h, guard(g.first_of(h), g.last_of(h), api.oldest, api.newest), g.name if g.name in vendors else "", "" if h == _first(groups) else present(h),
                    guard(0, g.older.get(h, 0), api.oldest, api.newest))
            for g in groups if g.name in api.groups for h in g.headers]


def _given(kind: Kind, defaults: list[Default]) -> list[str]:
    """What its attr has by default, and what some fields of its init structure imply of others."""
    implied = [path for f in kind.filled for statement in f.implies for path in ATTR.findall(statement)]
    return implied + [a.path for d in defaults if d.name == kind.attr for a in d.assignments]


def _mark_usual(kind: Kind, defaults: list[Default]) -> None:
    """Fields that count without being asked for, as their bits are in the mask that attr has by default."""
    masks = [a.value for d in defaults if d.name == kind.attr for a in d.assignments if a.path == kind.selector]
    for f in kind.fields:
        f.usual = any(f.bit in mask.split(" | ") for mask in masks)


def build(api: Api, lore: Lore, groups: list[HeaderGroup], objects: Objects | None = None) -> Plan:
    """Decide everything. The API is used up: unnamed enums get their names in it.

    The objects are the same whatever headers are scanned, so who has cut the API down to one tree plans them before.
    """
    remarks = Remarks()
    for gone in lore.gone:
        remarks.add(gone.header, gone.name, f"{gone.place} speaks of it, and headers after release {gone.until} have it no more",
                    LORE.format("since"), "until", entry(gone.name, gone.until))
    name_unnamed(api, lore, remarks)
    objects = objects or plan_objects(api, lore, groups)
    for told in objects.told:
        remarks.add(told.header, told.name, told.what, note=True)
    wr = plan_wr(api, lore, groups, remarks)
    objects.inline = wr.stands
    mine = plan_own(objects, api, lore)
    enums = plan_enums(api, lore, remarks, mine.enums)
    tables = plan_structs(api, lore, enums, remarks, mine)
    calls = plan_calls(api, lore, groups)
    vendors = {v.group for v in objects.vendors}
    for s in tables.structs:
        s.of_vendor, s.present = s.group in vendors, "" if s.header == _first(groups) else present(s.header)
    tables.part()
    reasons = plan_reasons(api, lore, tables, objects, {c.name for c in traced_calls(api, lore, objects, calls)})
    promised = json_types.load()
    handles = plan_handles(objects, tables, lore, promised)
    for e in enums:
        e.guard = guard(e.since, 0, api.oldest, api.newest) if e.tag else ""
    numbers = ids.load()
    ids.give(enums, numbers.enum)
    ids.give([s for s in tables.structs if not s.nested], numbers.struct)
    write_rows(tables, api.oldest, api.newest)
    defaults, setters = plan_defaults(api, lore, tables.structs, groups)
    for kind in objects.kinds:
        kind.given = _given(kind, defaults)
        _mark_usual(kind, defaults)
    enum_names = sorted({r.name for e in enums for r in e.rows} | {e.name for e in enums} | {UNKNOWN})
    trace = plan_trace(api, lore, objects, handles, enums, tables, calls)
    struct_names = sorted(_names(tables.structs) | trace.names)
    reach.check(enums, tables, trace)
    described = plan_describe(lore, enums, tables, [c.name for c in calls.rows], standing(api, lore, objects), reasons.sentences)
    return Plan(api, lore, groups, api.oldest, api.newest, _includes(api, groups, vendors), enums, enum_names, tables,
                pool_names(_names(tables.core), struct_names), _codes(lore, tables), defaults, setters,
                described, calls, objects, plan_kinds(objects, tables), plan_queries(api, lore, objects, groups), plan_events(api, lore, objects, remarks), reasons, trace,
                plan_flows(api, lore), numbers, shapes.load(), promised, wr, remarks,
                reach.wide_names(enum_names, struct_names, calls, described))
