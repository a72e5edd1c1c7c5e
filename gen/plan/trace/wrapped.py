# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""What of libverbsx stands for each function of rdma-core, or why nothing does."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from ...api.facts import Call
from ...api.merge import Api
from ...fast.record import field, record
from ...know.groups import HeaderGroup
from ...know.model import Lore, begins
from ..calls.calls import convention
from ..model.object import Kind, Objects

if TYPE_CHECKING:
    from .. import Plan

# How a function is dealt with: a word, and what a reader is told.
WAYS = {
    "object": "makes or ends an object",
    "method": "a method of an object",
    "by hand": "a function of the runtime",
    "inline": "an inline function of the data path",
    "data path": "called as it is: the data path",
    "as it is": "called as it is: nothing to add",
    "internal": "not to be called: internal to rdma-core",
    "not yet": "called as it is: not yet wrapped",
    "unknown": "neither wrapped nor has a reason",
}
NOT_YET = "not wrapped yet: call it"
WITH_RAW = "with what vx_KIND_raw() gives"
WRAPPED = ("object", "method", "by hand")  # by functions of the library, which calls them itself
FAILS = {"null": "NULL, errno", "minus-one": "-1, errno", "errno-returned": "the errno", "negative-errno": "-errno",
         "count": "below 0, no errno", "own": "a number of its own", "text": "", "none": ""}
OWN = re.compile(r"\bvx_\w+\(\)")
BY_PROGRAMS = "called as it is"  # in the reason why nothing stands for a function, whatever takes over what that gave


@record
class WrappedCall:
    name: str
    way: str  # of WAYS
    by: str  # what stands for it, or why nothing does
    since: int
    fails: str = ""  # how it says so


@record
class HeaderCalls:
    name: str
    calls: list[WrappedCall] = field(default_factory=list)

    def count(self, *ways: str) -> int:
        return sum(c.way in ways for c in self.calls)

    @property
    def wrapped(self) -> int:
        return self.count(*WRAPPED)

    @property
    def accounted(self) -> int:
        return len(self.calls) - self.count("unknown")


def _of_kind(k: Kind) -> Iterator[tuple[str, str]]:
    """The calls that a kind takes care of, and by what."""
    yield from ((call, f"vx_{k.name}_create()") for way in k.ways for call in (k.call, way.call))
    yield k.ending.call, "vx_close()"
    yield from ((m.call, f"{m.name}()") for m in k.others)
    if k.unimport:
        yield k.unimport, "vx_close()"


def _functions(objects: Objects) -> dict[str, tuple[str, str]]:
    """Call -> way and function, of all that the rules make."""
    out: dict[str, tuple[str, str]] = {}
    for kind in objects.kinds:
        out |= {call: ("object", by) for call, by in _of_kind(kind)}
    methods = [*objects.ctx, *objects.openings, *(m for k in objects.types for m in k.methods)]
    return out | {m.call: ("method", f"{m.name}()") for m in methods}


def needs_no_reason(api: Api, lore: Lore, objects: Objects) -> dict[str, str]:
    """The calls that lore says nothing stands for, and something does, and what."""
    made = _functions(objects)
    calls = {name: call for name, call in api.calls().items() if name in lore.method}
    found = {name: _way(call, made, objects, lore) for name, call in calls.items()}
    return {name: by for name, (way, by) in found.items() if by != lore.method[name] and way in ("object", "method", "inline")}


def _as_it_is(call: Call, said: str) -> str:
    """What is inline needs nothing; a program that calls an exported function links its library."""
    link = call.library.removeprefix("lib").partition(".so")[0]
    return said if call.kind == "inline" else f"{said}; exported: link with -l{link}"


def _way(call: Call, made: dict[str, tuple[str, str]], objects: Objects, lore: Lore) -> tuple[str, str]:
    said = lore.method.get(call.name, "")
    if call.name in objects.inline:
        return "inline", objects.inline[call.name]
    if OWN.search(said) and BY_PROGRAMS not in said:
        return "by hand", said
    if call.name in made:
        return made[call.name]  # also where lore has a reason still why nothing is: a new kind costs no more than its line
    if said:
        return ("internal", f"not to be called: {said}") if said.startswith("internal") else ("as it is", _as_it_is(call, said))
    if call.name.startswith("_") or not (call.kind == "inline" or call.library):
        return "internal", WAYS["internal"]
    if begins(lore, "data_path", call.name):
        return "data path", WAYS["data path"]
    return "unknown", WAYS["unknown"]


def _not_yet(call: Call, objects: Objects, lore: Lore) -> str:
    """How to call it: with the raw objects of handles, as far as it takes any."""
    taken = [p.what.to_a_struct for p in call.params]
    raws = {k.raw: WITH_RAW for k in objects.types if k.raw} | {lore.context: WITH_RAW} | lore.instead
    return f"{NOT_YET} {next((raws[t] for t in taken if t in raws), 'as it is')}"


def standing(api: Api, lore: Lore, objects: Objects) -> dict[str, str]:
    """Call -> what stands for it, or why nothing does."""
    made = _functions(objects)

    def said(group: str, call: Call) -> str:
        way, by = _way(call, made, objects, lore)
        return by if group in objects.groups or way in ("internal", "inline") else _not_yet(call, objects, lore)

    return {c.name: said(name, c) for name, group in api.groups.items() for c in group.calls.values()}


def wrapped_calls(api: Api, lore: Lore, objects: Objects) -> list[Call]:
    """The functions that something of libverbsx stands for, by name: those that it calls itself."""
    made = _functions(objects)
    calls = [c for g in objects.groups if g in api.groups for c in api.groups[g].calls.values()]
    found = [c for c in calls if _way(c, made, objects, lore)[0] in WRAPPED]
    return sorted(found, key=lambda c: c.name)


def _fails(call: Call, group: HeaderGroup, lore: Lore) -> str:
    note = lore.call.get(call.name, {}).get("note", "")
    return ": ".join(text for text in (FAILS[convention(call, group, lore)], note) if text)


def wrapped(plan: Plan) -> list[HeaderCalls]:
    """The functions of every header that has any, in the order of the headers."""
    out = {h: HeaderCalls(h) for g in plan.groups if g.name in plan.api.groups for h in g.headers}
    made = _functions(plan.objects)
    group_of = {g.name: g for g in plan.groups}
    for name, group in plan.api.groups.items():
        for call in sorted(group.calls.values(), key=lambda c: c.name):
            known = name in plan.objects.groups or call.name in plan.objects.inline
            way, by = _way(call, made, plan.objects, plan.lore) if known else ("not yet", WAYS["not yet"])
            out[call.header].calls.append(WrappedCall(call.name, way, by, call.since, _fails(call, group_of[name], plan.lore)))
    return [h for h in out.values() if h.calls]
