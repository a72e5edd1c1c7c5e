# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""The reference pages: what they say of a field in words, and how much of each header is covered."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from ...api.facts import Call, Macro
from ...api.merge import walk
from ...fast.record import field, record
from ..structs.structs import FieldPlan, StructPlan

if TYPE_CHECKING:
    from .. import Plan

KIND_WORDS = {
    "STRING": "text", "BYTES": "bytes", "FUNCTION": "function", "BOOL": "true or false", "POINTER": "",
    "TEXT_POINTER": "text", "POINTER_POINTER": "pointers",
}


@record
class FieldLine:
    name: str
    c_type: str
    means: str
    default: str
    valid: str
    since: int


@record
class Reason:
    name: str
    why: str


@record
class HeaderCoverage:
    """Of each sort of thing in a header: how many there are, how many are covered."""

    name: str
    group: str
    enums: int = 0
    enumerators: int = 0
    structs: int = 0
    fields: int = 0
    described: int = 0  # of the fields
    calls: int = 0
    reachable: int = 0
    macros: int = 0
    named_macros: int = 0
    left_out: list[Reason] = field(default_factory=list)


def means(f: FieldPlan, own: bool, enums: set[str], forms: dict[str, str]) -> str:
    """What a field holds, for people. What a 0 in structures of our own is, their comments say."""
    kind, _, name = f.ref.partition("_")
    words = forms.get(f.form, "")
    if kind == "ENUM":
        link = f"[{name}](../enums/{name}.md)" if name in enums else name
        words = {"FLAGS": f"flags of {link}", "BITMAP": f"bit n: value n of {link}"}.get(f.kind, link)
    elif kind == "CODE":
        words = f"[{name}](../codes.md#{name})"
    elif kind == "STRUCT" and "__" not in name:
        words = f"[{name}](../structs/{name}.md)"
    parts = [words or KIND_WORDS.get(f.kind, ""), "network byte order" if "BIG_ENDIAN" in f.flags else "",
             "must be zero" if "ZERO" in f.flags and not own else "", "secret: prints as its length" if "SECRET" in f.flags else "",
             f"not printed, as {f.beyond}" if f.beyond else ""]
    return "; ".join(p for p in parts if p)


def _default_of(values: dict[str, Any], path: str) -> str:
    """What VX_DEFAULT() sets a field to, or what of it; "" where that is zero."""
    def text(value: str | int | bool) -> str:
        return "its size" if value == "sizeof" else "true" if value is True else str(value)

    parts = {p.removeprefix(path): text(v) for p, v in values.items() if p == path or p.startswith(f"{path}.")}
    return ", ".join(f"{p[1:]} = {v}" if p else v for p, v in parts.items())


def field_lines(plan: Plan) -> dict[str, list[FieldLine]]:
    """The fields of each structure, those of unnamed members under their path."""
    children = {x.id: x for x in plan.tables.structs if x.nested}
    enums = {e.name for e in plan.rdma_enums}  # which have a page

    def lines(of: StructPlan, values: dict[str, Any]) -> list[FieldLine]:
        out = []
        for f in of.fields:
            child = children.get(f.ref.removeprefix("STRUCT_"))
            default = "" if child else _default_of(values, f.path)
            said = "; ".join(p for p in (f.says, means(f, of.own, enums, plan.lore.form)) if p)
            out.append(FieldLine(f.path, f.c_type, said, default, f.valid, f.since))
            out += lines(child, values) if child else []
        return out

    return {s.name: lines(s, plan.lore.default.get(s.name, {})) for s in plan.named}


def _why_not_called(c: Call) -> str:
    if c.kind == "macro":
        return "a macro took the place of the function; call it through the header"
    return "declared, but exported to rdma-core itself only; never called"


def _why_not_named(m: Macro) -> str:
    return {
        "function": "a macro with arguments works at compile time and has no value to name",
        "other": "no integer",
        "varying": "releases differ about its value",
        "alias": "renames a tag or a function; the public name is used",
        "value": "a constant of its own, of no set of values",
    }[m.kind]


def _cover_calls(out: dict[str, HeaderCoverage], calls: list[Call]) -> None:
    for c in calls:
        header = out[c.header]
        header.calls += 1
        if c.kind == "inline" or c.library:
            header.reachable += 1
        else:
            header.left_out.append(Reason(c.name, _why_not_called(c)))


def _cover_macros(out: dict[str, HeaderCoverage], macros: list[Macro], named: set[str], renamed: set[str]) -> None:
    for m in macros:
        header = out[m.header]
        header.macros += 1
        if m.name in named or m.name in renamed:
            header.named_macros += 1
        elif not m.name.startswith("_"):
            header.left_out.append(Reason(m.name, _why_not_named(m)))


def coverage(plan: Plan) -> list[HeaderCoverage]:
    """Every header of every group; what is counted is what the facts have, not what the plan made of it."""
    out = {h: HeaderCoverage(h, g.name) for g in plan.groups if g.name in plan.api.groups for h in g.headers}
    named = {r.name for e in plan.enums for r in e.rows}
    planned = {s.name for s in plan.structs}
    said = Counter(path.partition(".")[0] for path in plan.lore.says)
    for group in plan.api.groups.values():
        for e in group.enums.values():
            out[e.header].enums += 1
            out[e.header].enumerators += len(e.values)
        for s in group.structs.values():
            if s.name in planned:
                out[s.header].structs += 1
                out[s.header].fields += sum(1 for _ in walk(s.fields))
                out[s.header].described += said[s.name]
            else:
                out[s.header].left_out.append(Reason(f"struct {s.name}", "declared, never defined: nothing to see"))
        _cover_calls(out, list(group.calls.values()))
        _cover_macros(out, list(group.macros.values()), named, {*group.enums, *group.structs, *group.calls})
    for header in out.values():
        header.left_out.sort(key=lambda r: r.name)
    return list(out.values())
