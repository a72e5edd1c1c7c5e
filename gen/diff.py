# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""Report what differs between two releases of rdma-core, and whether an existing caller needs care.

  python3 -m gen diff 44 65                        two releases that facts are kept of
  python3 -m gen diff 44 /usr/include              a release, and what a vendor installed
  python3 -m gen diff 44 DIR --release 60          the same, where no libibverbs.pc tells which release it is
  python3 -m gen diff 65 new.json --format json    a facts file that `gen scan` made

A change is safe if a program built with the old headers runs with the new library, and its source builds with
the new headers to the same effect. Where facts cannot tell, the answer is the careful one.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from . import facts as store
from . import groups, headers
from .errors import GenError
from .facts import Call, Enum, Facts, Field, Macro, Struct
from .layout import RESERVED, Judgement, flat, items, judge_growth, moves
from .output import write
from .report import ADDED, CHANGED, FORMATS, RECOMPILE, REMOVED, SAFE, UNSAFE, Change, Report

KINDS = ("enum", "enumerator", "struct", "field", "function", "macro")
INTEGER_KINDS = {"uint", "int", "bool", "char", "enum"}
SOURCE_CALLS_MACRO = "source calls the macro; a binary keeps the old symbol"


def diff(a: Facts, b: Facts, order: Iterable[str] = ()) -> Report:
    """What differs between two releases, the older one first; `order` is that of headers in the report."""
    changes = [*_enums(a, b), *_constants(a, b), *_structs(a, b), *_calls(a, b), *_macros(a, b)]
    return Report(a.release, b.release, sorted(changes, key=_place(a, b, order)))


def _place(a: Facts, b: Facts, order: Iterable[str]) -> Callable[[Change], tuple[int, bool, int, str]]:
    """The sort key of a report: by header; what went or changed before what is new; by kind and name."""
    scanned = (h for facts in (b, a) for g in facts.groups.values() for h in g.headers)
    ordered = list(dict.fromkeys([*order, *scanned]))
    return lambda change: (ordered.index(change.header), change.change == ADDED, KINDS.index(change.kind),
                           change.name)


def _compare(kind: str, old: dict[str, Any], new: dict[str, Any], describe: Callable[[Any], str],
             judge: Callable[[Any, Any], Judgement | None]) -> Iterator[Change]:
    """Every item that one side lacks, and every one that both have and `judge` finds changed."""
    for name in old.keys() - new.keys():
        yield Change(old[name].header, kind, name, REMOVED, UNSAFE, "gone", describe(old[name]))
    for name in new.keys() - old.keys():
        yield Change(new[name].header, kind, name, ADDED, SAFE, "new", describe(new[name]))
    for name in new.keys() & old.keys():
        if judgement := judge(old[name], new[name]):
            yield Change(new[name].header, kind, name, CHANGED, *judgement)


def _unchanged(_old: Any, _new: Any) -> None:
    return None


# ---- enums and constants ----


def _enums(a: Facts, b: Facts) -> Iterator[Change]:
    """Named enums; an unnamed one is nothing but its enumerators."""
    old, new = ({n: e for n, e in items(facts, "enums").items() if e.named} for facts in (a, b))
    return _compare("enum", old, new, _count_values, _unchanged)


def _count_values(enum: Enum) -> str:
    return f"{len(enum.values)} enumerators" if len(enum.values) != 1 else "1 enumerator"


@dataclass(frozen=True)
class _Constant:
    header: str
    value: int
    enum: str  # tag; "" for an unnamed enum, "#define" for a macro


def _constants(a: Facts, b: Facts) -> Iterator[Change]:
    """Enumerators, and macros with a value: a name may change from one to the other."""
    old, new = _constants_of(a), _constants_of(b)
    for change in _compare("enumerator", old, new, _describe_constant, _judge_constant):
        macro = (old if change.change == REMOVED else new)[change.name].enum == "#define"
        yield _of_kind(change, "macro") if macro else change


def _constants_of(facts: Facts) -> dict[str, _Constant]:
    found = {m.name: _Constant(m.header, m.value, "#define") for m in items(facts, "macros").values()
             if m.value is not None}
    for enum in items(facts, "enums").values():
        tag = enum.name if enum.named else ""
        found.update({v.name: _Constant(enum.header, v.value, tag) for v in enum.values})
    return found


def _of_kind(change: Change, kind: str) -> Change:
    return Change(change.header, kind, change.name, change.change, change.verdict, change.why, change.detail)


def _describe_constant(constant: _Constant) -> str:
    tag = f"{constant.enum} " if constant.enum not in ("", "#define") else ""
    return f"{tag}= {_number(constant.value)}"


def _number(value: int) -> str:
    return str(value) if value < 256 else hex(value)


def _judge_constant(old: _Constant, new: _Constant) -> Judgement | None:
    if old.value != new.value:
        return UNSAFE, "value changed", f"{_number(old.value)} -> {_number(new.value)}"
    if old.enum != new.enum:
        return SAFE, "same value", f"{old.enum or 'unnamed enum'} -> {new.enum or 'unnamed enum'}"
    return None


# ---- structures ----


def _structs(a: Facts, b: Facts) -> Iterator[Change]:
    old, new = items(a, "structs"), items(b, "structs")
    yield from _compare("struct", old, new, _describe_struct, lambda o, n: judge_growth(o, n, a, b))
    for name in old.keys() & new.keys():
        if not old[name].opaque and not new[name].opaque:
            yield from _fields(old[name], new[name])


def _describe_struct(struct: Struct) -> str:
    return "opaque" if struct.opaque else f"{struct.size} bytes"


# ---- fields ----


@dataclass(frozen=True)
class _Place:
    """A field as part of the whole structure."""

    header: str
    field: Field
    offset: int


def _places(struct: Struct) -> dict[str, _Place]:
    return {f"{struct.name}.{path}": _Place(struct.header, f, offset)
            for path, f, offset in flat(struct.fields)}


def _fields(old: Struct, new: Struct) -> Iterator[Change]:
    grown = new.size - old.size
    shift = grown if moves(old, new) == {grown} else 0

    def judge(o: _Place, n: _Place) -> Judgement | None:
        return _judge_field(o, n, shift)

    for change in _compare("field", _places(old), _places(new), _describe_field, judge):
        if change.change == REMOVED and RESERVED.fullmatch(change.name):
            yield Change(change.header, "field", change.name, REMOVED, SAFE, "was reserved", change.detail)
        else:
            yield change


def _describe_field(place: _Place) -> str:
    return f"{place.field.type} at {place.offset}"


def _judge_field(old: _Place, new: _Place, shift: int) -> Judgement | None:
    a, b = old.field, new.field
    if RESERVED.fullmatch(a.name):
        return None
    if new.offset - old.offset != shift:
        return UNSAFE, "moved", f"offset {old.offset} -> {new.offset}"
    if (a.size, a.count, a.bits) != (b.size, b.count, b.bits):
        return UNSAFE, "another size", f"{a.type} of {a.size} -> {b.type} of {b.size} bytes"
    if a.type == b.type:
        return None
    types = f"{a.type} -> {b.type}"
    if (a.kind, a.ref, a.target) == (b.kind, b.ref, b.target) or {a.kind, b.kind} <= INTEGER_KINDS:
        return SAFE, "same representation", types
    return UNSAFE, "another type", types


# ---- functions ----


def _calls(a: Facts, b: Facts) -> Iterator[Change]:
    old, new = items(a, "calls"), items(b, "calls")
    macros = items(b, "macros")
    for change in _compare("function", old, new, _describe_call, _judge_call):
        if change.change == REMOVED and change.name in macros:
            yield Change(macros[change.name].header, "function", change.name, CHANGED, SAFE,
                         SOURCE_CALLS_MACRO, f"{old[change.name].kind} -> macro")
        else:
            yield change


def _describe_call(call: Call) -> str:
    if call.kind != "extern":
        return call.kind
    if not call.version:
        return ""
    return call.version + (f", since {call.introduced}" if call.introduced else "")


def _judge_call(old: Call, new: Call) -> Judgement | None:
    if _prototype(old) != _prototype(new):
        return _judge_prototype(old, new)
    if old.kind != new.kind:
        return RECOMPILE, "source does not notice; a binary needs the old symbol", f"{old.kind} -> {new.kind}"
    if new.shadow and not old.shadow:
        return SAFE, SOURCE_CALLS_MACRO, f"{old.kind} -> macro over it"
    if old.version and new.version and (old.library, old.version) != (new.library, new.version):
        return SAFE, "a binary keeps the old version", f"{old.version} -> {new.version}"
    return None


def _prototype(call: Call, drop: str = "") -> tuple[str, ...]:
    """The types of a function, leaving out a qualifier where one is named."""
    types = (call.result, *(p.type for p in call.params))
    return tuple(re.sub(rf"\b{drop} ", "", t) for t in types) if drop else types


def _judge_prototype(old: Call, new: Call) -> Judgement:
    detail = f"{_signature(old)} -> {_signature(new)}"
    if old.result == new.result and _prototype(old, "const") == _prototype(new, "const"):
        return SAFE, "only const", detail
    return UNSAFE, "prototype changed", detail


def _signature(call: Call) -> str:
    return f"{call.result} ({', '.join(p.type for p in call.params) or 'void'})"


# ---- macros without a value ----


def _macros(a: Facts, b: Facts) -> Iterator[Change]:
    old, new = _texts(a, b), _texts(b, a)
    return _compare("macro", old, new, _describe_macro, _judge_macro)


def _texts(facts: Facts, other: Facts) -> dict[str, Macro]:
    """Macros but for constants and those that stand for a function of either side: see above."""
    known = _constants_of(other).keys() | items(facts, "calls").keys() | items(other, "calls").keys()
    return {n: m for n, m in items(facts, "macros").items() if m.value is None and n not in known}


def _describe_macro(macro: Macro) -> str:
    return f"stands for {macro.text}" if macro.text else ""


def _judge_macro(old: Macro, new: Macro) -> Judgement | None:
    if old.kind != new.kind:
        return UNSAFE, "another sort of macro", f"{old.kind} -> {new.kind}"
    if old.text != new.text:
        return RECOMPILE, "stands for something else", f"{old.text or '...'} -> {new.text or '...'}"
    return None


# ---- the command ----


def add_arguments(parser: argparse.ArgumentParser) -> None:
    says = "a release that facts are kept of, a facts file, or a folder that holds infiniband/ and rdma/"
    parser.add_argument("old", metavar="A", help=says)
    parser.add_argument("new", metavar="B", help="the same, the newer one")
    parser.add_argument("--release", type=int, metavar="NN", action="append", default=[],
                        help="of a folder; else libibverbs.pc tells it; of two folders give it twice, in their order")
    parser.add_argument("--format", choices=FORMATS, default="text", help="default: text")
    parser.add_argument("--output", type=Path, metavar="FILE", help="default: the standard output")


def run(args: argparse.Namespace) -> int:
    order = [header for group in groups.load() for header in group.headers]
    sides = [args.old, args.new]
    old, new = (_facts_of(side, release) for side, release in zip(sides, _releases(sides, args.release)))
    found = diff(old, new, order)
    write(FORMATS[args.format](found), args.output)
    return 0


def _releases(sides: list[str], given: list[int]) -> list[int | None]:
    """The release that was given for each side: for none, or for all that are folders."""
    folders = sum(map(_is_folder, sides))
    if given and len(given) != folders:
        raise GenError(f"--release is given for {len(given)} of {folders} folders of headers",
                       hint="give it once for each folder, in their order, or leave it to libibverbs.pc")
    left = iter(given)
    return [next(left, None) if _is_folder(side) else None for side in sides]


def _is_folder(what: str) -> bool:
    return not what.isdigit() and Path(what).is_dir()


def _facts_of(what: str, release: int | None) -> Facts:
    """The facts that an argument stands for; the release is that of a folder where it is known."""
    if what.isdigit():
        return store.load(_committed(int(what)))
    if _is_folder(what):
        return headers.read(Path(what), release, groups.load(), known=headers.known_symbols())
    return store.load(Path(what))


def _committed(release: int) -> Path:
    known = headers.committed_paths()
    if release not in known:
        raise GenError(f"no facts are kept of release {release}, only of {', '.join(map(str, known))}",
                       hint="name a facts file or a folder of headers instead")
    return known[release]
