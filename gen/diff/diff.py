# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""What differs between two releases of rdma-core: headers, enums, constants, structures, functions, macros.

A change is safe if a program built with the old headers runs with the new library, and its source builds with
the new headers to the same effect. Where facts cannot tell, the answer is the careful one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from ..api.facts import Enum, Facts, Macro, items
from .calls import calls
from .changes import ADDED, CHANGED, KINDS, RECOMPILE, REMOVED, SAFE, UNSAFE, Change, Judgement, Report
from .compare import compare, never
from .marks import judge_marks
from .named import named
from .structs import structs
from .tags import alike

MACRO = "#define"  # the enum of a constant that is none


def diff(a: Facts, b: Facts, order: Iterable[str] = (), unread: Sequence[str] = ()) -> Report:
    """What differs between two releases, the older one first; `order` is that of headers in the report, and nothing is known of what new ones that
    are `unread` have."""
    a, b, stood_for = alike(a, b)
    came = [Change(h, "header", h, ADDED, SAFE, "new", "of no group: nothing of it is read") for h in unread]
    changes = [*came, *_headers(a, b), *_enums(a, b, stood_for), *_constants(a, b), *structs(a, b, stood_for), *calls(a, b), *_macros(a, b, stood_for), *named(a, b)]
    return Report(a.release, b.release, sorted(changes, key=_place(a, b, [*order, *unread])))


def _place(a: Facts, b: Facts, order: Iterable[str]) -> Callable[[Change], tuple[int, bool, int, str]]:
    """The sort key of a report: by header; what went or changed before what is new; by kind and name."""
    scanned = (h for facts in (b, a) for g in facts.groups.values() for h in g.headers)
    ordered = list(dict.fromkeys([*order, *scanned]))
    return lambda change: (ordered.index(change.header), change.change == ADDED, KINDS.index(change.kind),
                           change.name)


# ---- headers ----


@dataclass(frozen=True)
class _Header:
    header: str
    group: str


def _headers(a: Facts, b: Facts) -> Iterator[Change]:
    old, new = ({h: _Header(h, g.name) for g in facts.groups.values() for h in g.headers} for facts in (a, b))
    return compare("header", old, new, lambda header: f"of {header.group}", never)


# ---- enums and constants ----


def _enums(a: Facts, b: Facts, stood_for: Mapping[str, Judgement]) -> Iterator[Change]:
    """Named enums; an unnamed one is nothing but its enumerators."""
    old, new = ({n: e for n, e in items(facts, "enums").items() if e.named} for facts in (a, b))
    return compare("enum", old, new, _count_values, lambda o, n: stood_for.get(n.name))


def _count_values(enum: Enum) -> str:
    return f"{len(enum.values)} enumerators" if len(enum.values) != 1 else "1 enumerator"


@dataclass(frozen=True)
class _Constant:
    header: str
    value: int
    enum: str  # tag; "" for an unnamed enum, MACRO for a macro
    deprecated: bool = False


def _constants(a: Facts, b: Facts) -> Iterator[Change]:
    """Enumerators, and macros with a value: a name may change from one to the other."""
    old, new = _constants_of(a), _constants_of(b)
    for change in compare("enumerator", old, new, _describe_constant, _judge_constant):
        macro = (old if change.change == REMOVED else new)[change.name].enum == MACRO
        change = replace(change, kind="macro") if macro else change
        if change.change == REMOVED and change.name in items(b, "macros"):
            yield replace(change, change=CHANGED, why="no constant any more")
        elif change.change == ADDED and change.name in items(a, "macros"):
            yield replace(change, change=CHANGED, why="a constant now")
        else:
            yield change


def _constants_of(facts: Facts) -> dict[str, _Constant]:
    found = {m.name: _Constant(m.header, m.value, MACRO) for m in items(facts, "macros").values()
             if m.value is not None}
    for enum in items(facts, "enums").values():
        tag = enum.name if enum.named else ""
        found.update({v.name: _Constant(enum.header, v.value, tag, v.deprecated) for v in enum.values})
    return found


def _describe_constant(constant: _Constant) -> str:
    tag = f"{constant.enum} " if constant.enum not in ("", MACRO) else ""
    return f"{tag}= {_number(constant.value)}"


def _number(value: int) -> str:
    return str(value) if value < 256 else hex(value)


def _judge_constant(old: _Constant, new: _Constant) -> Judgement | None:
    if old.value != new.value:
        return UNSAFE, "value changed", f"{_number(old.value)} -> {_number(new.value)}"
    if old.enum != new.enum:
        return SAFE, "same value", f"{old.enum or 'unnamed enum'} -> {new.enum or 'unnamed enum'}"
    return judge_marks(old, new)


# ---- macros without a value ----


def _macros(a: Facts, b: Facts, stood_for: Mapping[str, Judgement]) -> Iterator[Change]:
    old, new = ({n: m for n, m in _texts(x, y).items() if n not in stood_for} for x, y in ((a, b), (b, a)))
    return compare("macro", old, new, _describe_macro, _judge_macro)


def _texts(facts: Facts, other: Facts) -> dict[str, Macro]:
    """Macros but for constants and those that stand for a function of either side: see above."""
    known = _constants_of(other).keys() | items(facts, "calls").keys() | items(other, "calls").keys()
    return {n: m for n, m in items(facts, "macros").items() if m.value is None and n not in known}


def _describe_macro(macro: Macro) -> str:
    return f"stands for {macro.text}" if macro.text else ""


def _judge_macro(old: Macro, new: Macro) -> Judgement | None:
    if old.kind != new.kind:
        return UNSAFE, "another sort of macro", f"{old.kind} -> {new.kind}"
    if old.digest and new.digest and old.digest != new.digest:
        return RECOMPILE, "replaced by something else", ""
    if old.text != new.text:
        return RECOMPILE, "stands for something else", f"{old.text or '...'} -> {new.text or '...'}"
    return None
