# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""What objects are asked for when they are printed: a call of rdma-core each, and the structures that it fills."""

from __future__ import annotations

from ...api.facts import Call
from ...api.merge import Api
from ...errors import GenError
from ...fast.record import field, record
from ...know.groups import HeaderGroup
from ...know.model import Lore
from ..calls.calls import convention
from ..model.object import ROOT, Objects
from ..when.guards import guard
from .trace import Tail, TracePlan

OUTCOMES = {"errno-returned": "vx_code_returned({})", "minus-one": "{} ? vx_code_in_errno() : 0"}


@record
class Answer:
    struct: str
    name: str  # of the parameter, less the kind


@record
class Taken:
    """What the call that made an object was given, which its handle keeps."""

    kind: str
    name: str
    struct: str
    call: str
    place: str  # where it is kept, in C
    behind: Tail | None = None  # what stands there as well


@record
class Query:
    kind: str
    raw: str
    call: str
    guard: str
    kinds: list[str]  # all that are used as this one
    mask: str  # what is asked for, in C; "" where all is
    means: str  # of these the object has, in C; "" where it has all
    by: str  # the field of the first answer that tells what of it means something
    known: list[tuple[str, str]]  # its values, and what does then
    outcome: str  # in C
    answers: list[Answer] = field(default_factory=list)


def _query(kind: str, call: Call, entry: dict[str, object], guard: str, how: str, lore: Lore) -> Query:
    out = Query(kind, "", call.name, guard, [kind], str(entry.get("mask", "")), str(entry.get("means", "")), str(entry.get("by", "")),
                [(value, " | ".join(bits)) for value, bits in dict(entry.get("known", {})).items()], "")
    arguments = ["raw"]
    for p in call.params[1:]:
        record = "" if p.what.const else p.what.to_a_struct
        if record:
            out.answers.append(Answer(record, p.name.removeprefix(f"{kind}_")))
            arguments.append(f"&{out.answers[-1].name}")
        elif out.mask:
            arguments.append(out.mask)
    out.raw = call.params[0].what.to_a_struct
    if not out.raw or len(arguments) != len(call.params) or how not in OUTCOMES:
        path, line = lore.asked.get(kind, (None, None))
        raise GenError(f"{kind}: {call.name} is no call with an object, structures to fill, and at most one mask", file=path, line=line)
    out.outcome = OUTCOMES[how].format(f"{call.name}({', '.join(arguments)})")
    return out


def plan_taken(trace: TracePlan, lore: Lore, objects: Objects) -> list[Taken]:
    """Of the kinds and calls that there are."""
    out = []
    calls = {c.name: c for c in trace.calls}
    for kind in objects.kinds:
        entry = lore.query.get(kind.name, {})
        call, _, param = entry.get("taken", "").partition(".")
        found = next((p for p in calls[call].params if p.name == param), None) if call in calls else None
        if found and found.tail:
            out.append(Taken(kind.name, entry["name"], found.tail.before, call, "kept + 1", found.tail))
        elif found:
            out.append(Taken(kind.name, entry["name"], kind.attr, call, "&kept->attr"))
    return out


def plan_queries(api: Api, lore: Lore, objects: Objects, groups: list[HeaderGroup]) -> list[Query]:
    """Of the kinds and calls that these headers have."""
    calls = api.calls()
    group_of = {name: g for g in groups if g.name in api.groups for name in api.groups[g.name].calls}
    by_name = {k.name: k for k in objects.kinds}
    out = []
    for kind, entry in lore.query.items():
        if "call" not in entry:
            continue
        call = calls.get(entry["call"])
        if call is None or kind != ROOT and kind not in by_name:
            continue
        when = guard(call.since, call.until, api.oldest, api.newest)
        out.append(_query(kind, call, entry, when, convention(call, group_of[call.name], lore), lore))
        out[-1].kinds = [k.name for k in objects.kinds if k.type == kind] or [kind]
    return out
