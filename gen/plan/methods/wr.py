# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""The data path: builders and setters of work requests, posts, and what is read of a completion, as inline functions of handles."""

from __future__ import annotations

import json
import os
import re
from functools import cached_property
from typing import Any

from ...api.facts import Call, Param
from ...api.merge import Api
from ...know.groups import HeaderGroup
from ...know.model import Lore, begins, find_field
from ...know.remarks import LORE, Remarks
from ...know.wr import called_alike, entry_of, goes_into, is_setter, step_of
from ..calls.calls import convention, declared
from ..enums.enums import present
from ..model.tables import Tables
from ..model.wr import Entries, Inline, Mend, One, Post, Read, Step, VendorSteps, WrPlan, called
from ..text.words import of_parameter
from .called import method_name

FILE = LORE.format("wr")
MOST_FLAGS = (1 << 32) - 1  # as the library keeps what a request is begun with in 32 bits
TO = "_to"  # ends the name of a post that has an address
GIVEN = {"any": "data follow", "sge": "data follow, not inline", "8 bytes": "an entry of 8 bytes follows", "none": ""}


class _Planner(Tables):
    def param(self, p: Param) -> tuple[str, str]:
        """As it is declared, with a handle in the place of a raw object, and as it is passed on: none, for what is checked to be refused."""
        tag = p.what.to_a_struct
        kind = self.kind_of.get(tag)
        return (f"struct vx_{kind} *{p.name}", _raw(tag, p.name)) if kind else (declared(p.type, p.name), p.name)

    def params(self, call: Call) -> list[tuple[str, str]]:
        found = [self.param(p) for p in call.params[1:]]
        optional = [self.lore.parameter.get(f"{call.name}.{p.name}", {}).get("optional") for p in call.params[1:]]
        return [(declared_as, f"{p.name} ? {passed} : NULL" if may_be_null and passed != p.name else passed)
                for (declared_as, passed), p, may_be_null in zip(found, call.params[1:], optional)]

    def given(self, call: Call) -> list[tuple[str, str]]:
        """Those of a setter: nothing is written to the data that it is given, which rdma-core does not say."""
        return [(declared(f"const {p.type}", p.name), f"({p.type})(uintptr_t){p.name}") if p.type == "void *" else self.param(p)
                for p in call.params[1:]]

    def step(self, call: Call, struct: str, pointer: str) -> Step:
        sets = is_setter(pointer, self.lore)
        entry = self.lore.of("wr_set" if sets else "wr").get(call.name, {})
        pointers = [f for f in self.structs[struct].fields if f.name == pointer] if struct in self.structs else []
        since = max([call.since, *(f.since for f in pointers)])
        word = f"{self.of_group[call.name].word}_" if self.of_group[call.name].word else ""
        step = Step(f"vx_{word}{pointer}", call.name, self.guard(since), self.given(call) if sets else self.params(call), entry,
                    pages=self._page(call.name), pointer=pointer, sets=sets, flags=entry.get("flags", ""))
        step.says = self._sets(entry) if sets else self._begins(entry)
        names = [p.name for p in call.params[1:]]
        step.raw_declaration = "".join(f", {declared(p.type, name)}" for p, name in zip(call.params[1:], names))
        step.raw_names = names
        step.pointers = [] if "looks" in entry else _pointed(call.params[1:], entry.get("setters", ""))
        if "entries" in entry:
            step.entries = Entries(entry_of(call, entry["entries"]["list"]), **entry["entries"])
        if "into" in entry:
            step.fields = [self._goes_into(entry, name) for name in names]
        if "types" in entry:
            step.types = " | ".join(f"VX_WR_TYPE({t})" for t in self._qp_types(entry["types"]))
        step.wc = self.done(entry, since)
        if entry.get("wr") in self.lives:
            came, until = self.lives[entry["wr"]]
            step.opcode_guard = self.guard(max(came, since), until)
        if "op" in entry:
            step.op = f"VX_OP_{word.upper().rstrip('_')}({entry['op']})" if word else entry["op"]
        return step

    def opcode(self, name: str, entry: dict[str, Any]) -> Step:
        """A request that has no builder, and is known by its opcode alone."""
        since, until = self.lives[name]
        step = Step(name.lower(), name, self.guard(since, until), [], {**entry, "wr": name}, op="0", opcode_guard=self.guard(since, until))
        step.types = " | ".join(f"VX_WR_TYPE({t})" for t in self._qp_types(entry["types"]))
        step.wc = self.done(entry, since)
        return step

    def _qp_types(self, types: list[str]) -> list[str]:
        prefix = self.lore.reasons.prefix["type"]
        return [f"{prefix}{self.lore.vendor_type.get(t, t)}" for t in types]

    def _goes_into(self, entry: dict[str, Any], name: str) -> tuple[str, str]:
        """The field of a request that a parameter becomes, and what becomes it: what a pointer points to, where the field is no pointer."""
        path = goes_into(self.structs, entry, name)
        found = find_field(self.structs, entry["into"].partition(".")[0], path)
        return path, f"*{name}" if found and found.kind == "record" else name

    def qps(self, types: list[str]) -> str:
        return f"{_any_of(types)} {self._title(self.kind)}s"

    @cached_property
    def kind(self) -> str:
        """The kind of object that requests are posted to: its extended structure has a pointer to each builder."""
        struct = next((s for s in self.structs if s.endswith(self.lore.names("steps"))), "")
        return next((kind for raw, kind in self.kind_of.items() if raw and struct.startswith(f"{raw}_")), "")

    @cached_property
    def first(self) -> int:
        """The release that enumerators are known from."""
        return min(since for since, _ in self.lives.values())

    @cached_property
    def addressed(self) -> set[str]:
        """Types of QPs whose requests say where they go."""
        return {t for e in self.lore.wr_set.values() if e["gives"] == "address" for t in e.get("types", [])}

    def _sets(self, entry: dict[str, Any]) -> str:
        gives = {"data": "The data of a request", "address": "Where a request goes", "mkey": "A part of an mkey's configuration"}
        return gives.get(entry.get("gives", ""), "A part of a request") + (f", of {self.qps(entry['types'])}" if "types" in entry else "")

    def _begins(self, entry: dict[str, Any]) -> str:
        if not entry:
            return "Begin a request"
        follows = f"{entry['setters']} setters follow" if "setters" in entry else GIVEN[entry["data"]]
        return f"Begin a request, of {self.qps(entry['types'])} made with {entry['op']}{'; ' if follows else ''}{follows}"

    def post(self, call: Call, entry: dict[str, Any]) -> Inline:
        group, owner = self.of_group[call.name], call.params[0].what.to_a_struct
        kind = self.kind_of[owner] if owner else ""
        words = [(p.name, of_parameter(self.lore, call.name, p.name, p.type)) for p in call.params[1:]]
        plain = Inline(method_name(group, call, kind), call.name, self.guard(call.since, call.until), self.params(call), entry, "int",
                       self._page(call.name), fail=entry["fail"], raw=entry.get("raw", False), kind=kind,
                       counts=convention(call, group, self.lore) == "count", does=self.lore.does.get(call.name, ""), words=[w for w in words if w[1]])
        bad = next((p for p in call.params if p.what.to_a_pointer), None)
        if not bad:
            return self._piecewise(plain, call, entry)
        struct = bad.what.name
        one = [(name, self._of_request(struct, name)) for name in self._always(struct)]
        return Post(**vars(plain), request=struct, bad=bad.name, list=call.params[1].name, one=one)

    def _piecewise(self, plain: Inline, call: Call, entry: dict[str, Any]) -> Inline:
        """A call for one buffer, of as many bytes as an entry has room for; by the call for a list where there is one."""
        plain.made = entry.get("by") or entry.get("list") or plain.call
        plain.fits = "!(length >> 16 >> 16)" if any((p.name, p.type) == ("length", "size_t") for p in call.params) else ""
        if "list" in entry:
            at = next(n for n, (_, passed) in enumerate(plain.params) if passed == "addr")
            declared_as = [declaration for declaration, _ in plain.params[at:at + 3]]
            plain.lkey = "vx_mr_raw(mr)->lkey"
            if self.lore.parameter.get(f"{call.name}.mr", {}).get("optional"):
                plain.lkey = f"mr ? {plain.lkey} : 0"
            plain.params[at:at + 3] = list(zip(declared_as, ["&piece", "1", ""]))
        return plain

    def _of_request(self, struct: str, path: str) -> str:
        """The words of a parameter that becomes a field of a request, or points to what becomes it."""
        named = self.lore.field.get(f"{struct}.{path}", {}).get("flags", "")
        return "; ".join(filter(None, (self.lore.says.get(f"{struct}.{path}", ""), f"of enum {named}" if named else "")))

    def one(self, step: Step, to: Step | None) -> One:
        """What a builder is, in one line; with what gives the address, where it needs one."""
        entry = step.entry
        has_data = entry["data"] != "none"
        given = [*step.params, *(to.params if to else [])]
        into = [*step.fields, *(to.fields if to else [])]
        fields = [(path, f"vx_{path.rpartition('.')[2]}_given({raw[1:]})" if raw.startswith("*") else argument) for (path, raw), (_, argument) in zip(into, given)]
        params = [declaration for declaration, _ in given]
        request = entry["into"].partition(".")[0]
        always = self._always(request, has_data)
        names = [*always, *map(called, params)]
        paths = [*always, *(path for path, _ in into)]
        name = step.pointer.removeprefix("wr_") + TO if to else entry.get("post", step.pointer.removeprefix("wr_"))
        types = to.entry["types"] if to else [t for t in entry["types"] if t not in self.addressed]
        return One(f"vx_{self.kind}_post_{name}", params, entry["wr"], fields, has_data, bool(to) and "." not in entry["into"], f"{entry['wr']}, of {self.qps(types)}", step.guard,
                   [(name, of_data(of_opcode(self._of_request(request, path), entry["wr"]), entry["data"])) for name, path in zip(names, paths)])

    def _always(self, struct: str, has_data: bool = True) -> list[str]:
        """The fields of a request that are no parameters of its builder."""
        return [name for name in (*self.lore.names("posted"), *(self.lore.names("data") if has_data else ())) if find_field(self.structs, struct, name)]

    def statuses(self, name: str) -> str:
        """Of the completions that have what a call reads, as lore says of the structure of them, in C."""
        struct, _, read = name.partition("_read_")
        known = self.lore.choice.get(f"{struct}.status", {}).get(read, [])
        return " | ".join(f"1u << {status}" for status in map(str, known) if not status.startswith("!")) or "UINT32_MAX"

    def mend(self, provider: str, pointer: str, entry: dict[str, Any]) -> Mend:
        struct = next(s.name for s in self.structs.values() if s.name.endswith("_ex") and any(f.name == pointer for f in s.fields))
        return Mend(provider, pointer, entry["before"], entry["front"], self.kind_of[struct.removesuffix("_ex")])

    def line(self, step: Step) -> str:
        """A line of lore to begin with, which says what was assumed; the bit and the opcodes are those that are called alike, else another's."""
        if step.sets:
            return f'{step.call} = {{ gives = "data" }}'
        builders = [(call, entry) for call, entry in self.lore.wr.items() if "op" in entry]
        like = next((entry for call, entry in builders if self.of_group.get(call) == self.of_group[step.call]), builders[0][1])
        word = step.pointer.removeprefix(self.lore.names("builder")[0])
        known = {key: called_alike(self.enums, like.get(key, ""), word) for key in ("op", "wr", "wc")}
        entry = {"op": known["op"] or like["op"], "data": "any", "types": like["types"][:1], **({"wr": known["wr"]} if known["wr"] else {}), "wc": known["wc"] or like["wc"]}
        return f"{step.call} = {{ {', '.join(f'{key} = {json.dumps(value)}' for key, value in entry.items())} }}"

    def done(self, entry: dict[str, Any], since: int) -> str:
        """The opcode of the completion of what is there from a release on, in C: nobody knows it where that came later."""
        came, _ = self.lives.get(entry.get("wc", ""), (0, 0))
        return entry["wc"] if came and came <= max(since, self.first) else "VX_WC_UNKNOWN"


def _pointed(params: list[Param], setters: str) -> list[str]:
    """What is followed: no list, which may have nothing in it; how many setters follow is none's length."""
    counts = [""] + ["" if p.name == setters else p.name for p in params]
    return [p.name for p, before in zip(params, counts) if p.type.endswith(("*", "]")) and not before.startswith("num")]


def _raw(struct: str, name: str) -> str:
    return f"(struct {struct} *)vx_raw_or_null({name})"


def _any_of(types: list[str]) -> str:
    return " and ".join(filter(None, (", ".join(types[:-1]), types[-1])))


def _known_flags(api: Api, lore: Lore) -> int:
    """The bits of the enum of what a request is begun with, of any release."""
    begun = [path for path in lore.field if path.partition(".")[0].endswith(tuple(lore.names("steps"))) and path.rpartition(".")[2] in lore.names("begun")]
    enums = {lore.field[path].get("flags") for path in begun}
    return sum({v.value for name, e in api.enums().items() if name in enums for v in e.values}) & MOST_FLAGS


def plan_wr(api: Api, lore: Lore, groups: list[HeaderGroup], remarks: Remarks) -> WrPlan:
    planner = _Planner(api, lore, groups)
    plan = WrPlan(stands={call: f"{entry['stands']}()" for call, entry in lore.inline.items() if "stands" in entry}, flags=_known_flags(api, lore))
    vendors: dict[str, VendorSteps] = {}
    for call in sorted(planner.calls.values(), key=lambda c: c.name):
        struct, pointer = step_of(call, lore)
        if not struct:
            continue
        step = planner.step(call, struct, pointer)
        if not step.entry:
            table = "wr_set" if step.sets else "wr"
            remarks.add(call.header, call.name, "a setter that lore does not know: what it gives is not told" if step.sets else
                        "a builder that lore does not know: taken for one of any QP, which data follow", LORE.format(planner.of_group[call.name].name) if planner.of_group[call.name].word else FILE, table, planner.line(step))
        if not planner.of_group[call.name].word:
            plan.steps.append(step)
        else:
            of = next((c.name for c in planner.calls.values() if c.result == f"struct {struct} *"), "")
            vendors.setdefault(struct, VendorSteps(planner.of_group[call.name].word, call.header, present(call.header), struct, of)).steps.append(step)
        plan.stands[call.name] = f"{step.name}()"
    plan.alone = [planner.opcode(name, entry) for name, entry in lore.wr.items() if "op" not in entry and name in planner.lives]
    for vendor in vendors.values():
        for n, counted in enumerate(s for s in vendor.steps if s.entry.get("gives") == "mkey"):
            counted.op = f"1u << {n}"
    plan.vendors = [v for v in vendors.values() if v.of]
    to_peers = [s for s in plan.steps if s.sets and "into" in s.entry and "to" in s.entry]
    for s in plan.builders:
        if "into" in s.entry:
            plan.ones += [planner.one(s, to) for to in (None, *(to for to in to_peers if set(to.entry["types"]) & set(s.entry["types"])))]
    _add_calls(planner, plan)
    plan.mends = [planner.mend(*key.split("."), entry) for key, entry in sorted(lore.mend.items())]
    return plan


def _add_calls(planner: _Planner, plan: WrPlan) -> None:
    enabled = _enabled(planner)
    for name, entry in planner.lore.inline.items():
        if name not in planner.calls or "fail" not in entry:
            continue
        found = planner.post(planner.calls[name], entry)
        if isinstance(found, Post):
            plan.posts.append(found)
        else:
            (plan.of_groups if planner.of_group[name].word else plan.calls).append(found)
        plan.stands[name] = f"{found.name}()"
    for call in planner.calls.values():
        if begins(planner.lore, "reading", call.name) and call.kind == "inline":
            bare = call.name.removeprefix(planner.of_group[call.name].prefix)
            pointers = {f.name for f in planner._fields_of(call.params[0].what.name)}
            read = Read(f"vx_{bare}", call.name, planner.guard(call.since, call.until), planner.params(call),
                          result=call.result, pages=planner._page(call.name), says=_enabled_by(enabled.get(call.name)))
            plan.reads.append(read)
            read.flag = enabled.get(call.name, "0")
            read.statuses = planner.statuses(call.name)
            read.filled = call.params[-1].name if call.result == "void" else ""
            read.pointer = bare.removeprefix("wc_")
            plan.forwards += [read] if read.pointer in pointers else []
            plan.stands[call.name] = f"{read.name}()"


def _enabled(planner: _Planner) -> dict[str, str]:
    """The flag that lore names, or whose meaning says that it enables a word, by that; of what a completion is asked for and no meaning names, the one that is called so."""
    found = {name: entry["flag"] for name, entry in planner.lore.inline.items() if "flag" in entry}
    for name, meaning in sorted(planner.lore.meaning.items()):
        for word in re.findall(r"\w+", meaning["says"].partition("enables ")[2]):
            found.setdefault(word, name)
    reads = [c for c in planner.calls.values() if begins(planner.lore, "reading", c.name)]
    known = [c.name for c in reads if c.name in found]
    of_flag, of_read = os.path.commonprefix([found[name] for name in known]), os.path.commonprefix(known)
    for c in reads:
        flag = f"{of_flag}{c.name.removeprefix(of_read).upper()}"
        if c.name not in found and len(known) > 1 and c.name.startswith(of_read) and flag in planner.lives and planner.lives[flag][0] <= c.since:
            found[c.name] = flag
    return found


def of_opcode(says: str, opcode: str) -> str:
    """Of words that say for each opcode what a field is, those for one: "SWAP: what to compare with; ADD: what to add"."""
    mine = [part.removeprefix(f"{opcode}: ") for part in says.split("; ") if part.startswith(f"{opcode}: ")]
    return mine[0] if mine else says


def of_data(says: str, data: str) -> str:
    """Of words for entries of either direction, "what to send, or where to put what is read", those for one: what is read is never inline."""
    sent, either, read = says.partition(", or ")
    return (sent if data == "any" else read) if either and read.startswith("where to put") else says


def _enabled_by(flag: str | None) -> str:
    """Which CQs have what a completion is asked for."""
    return f"Of a CQ made with {flag}" if flag else "Of any extended CQ"
