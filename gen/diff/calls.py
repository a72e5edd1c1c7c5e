# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""What differs between the functions of two releases."""

from __future__ import annotations

from collections.abc import Iterator

from ..api.facts import Call, Facts, items
from .changes import CHANGED, RECOMPILE, REMOVED, SAFE, UNSAFE, Change, Judgement
from .compare import compare
from .marks import judge_marks, judge_result

SOURCE_CALLS_MACRO = "source calls the macro; a binary keeps the old symbol"


def calls(a: Facts, b: Facts) -> Iterator[Change]:
    old, new = items(a, "calls"), items(b, "calls")
    macros = items(b, "macros")
    for change in compare("function", old, new, _describe, _judge):
        if change.change == REMOVED and change.name in macros:
            yield Change(macros[change.name].header, "function", change.name, CHANGED, SAFE,
                         SOURCE_CALLS_MACRO, f"{old[change.name].kind} -> macro")
        else:
            yield change


def _describe(call: Call) -> str:
    if call.kind != "extern":
        return call.kind
    if not call.version:
        return ""
    return call.version + (f", since {call.introduced}" if call.introduced else "")


def _judge(old: Call, new: Call) -> Judgement | None:
    if _prototype(old) != _prototype(new):
        return _judge_prototype(old, new)
    if old.kind != new.kind:
        return _judge_kind(old, new)
    if new.shadow and not old.shadow:
        return SAFE, SOURCE_CALLS_MACRO, f"{old.kind} -> macro over it"
    if old.version and new.version and (old.library, old.version) != (new.library, new.version):
        return SAFE, "a binary keeps the old version", f"{old.version} -> {new.version}"
    return judge_marks(old, new) or judge_result(old, new)


def _judge_kind(old: Call, new: Call) -> Judgement:
    kinds = f"{old.kind} -> {new.kind}"
    if new.kind == "inline":
        return RECOMPILE, "source does not notice; a binary needs the old symbol", kinds
    return SAFE, "a binary has it in itself; source that is compiled anew needs the new library", kinds


def _prototype(call: Call) -> list[str]:
    return [call.result, *(p.type for p in call.params), *["..."] * call.variadic]


def _judge_prototype(old: Call, new: Call) -> Judgement:
    detail = f"{_signature(old)} -> {_signature(new)}"
    before, after = _prototype(old), _prototype(new)
    if before[0] == after[0] and len(before) == len(after) and all(q in (p, f"const {p}") for p, q in zip(before, after)):
        return SAFE, "promises more: only const was added", detail
    return UNSAFE, "prototype changed", detail


def _signature(call: Call) -> str:
    return f"{call.result} ({', '.join(_prototype(call)[1:]) or 'void'})"
