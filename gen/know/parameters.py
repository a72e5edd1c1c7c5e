# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""The part of lore that tracing needs: what the parameters of functions are, and what their results tell."""

from __future__ import annotations

import re
from typing import Any

from ..api.c_types import c_type, is_function, kinds
from ..api.facts import Call, Param
from ..files import tomlfile
from .checks import Checks
from .groups import CONVENTIONS
from .model import INTEGERS, WIDTHS, Lore, close, find_field

ASKS = re.compile(r"_(query|get)(_|$)")  # such a call fills the structure that it is given a pointer to
RESULT = "result"  # what a call returns may tell how many elements there are


def can_tell(result: str, convention: str) -> bool:
    """Whether a result of this type can tell of a failure so; of a type by another name it is not known that it cannot."""
    of_type, needed, what = kinds(result), CONVENTIONS[convention], c_type(result)
    if convention == "text":
        return (what.const, what.name, what.stars) == (True, "char", "*")
    return not needed or not of_type or not what.is_swapped and not set(needed).isdisjoint(of_type)


def is_changeable(p: Param) -> bool:
    """Whether a call could fill the structure that a parameter points to."""
    return bool(p.what.to_a_struct) and not p.what.const


def is_opaque(call: Call, p: Param) -> bool:
    """Whether a call takes a function, and this as what that is given: a pointer to anything, into which nobody else looks."""
    return p.type == "void *" and any(is_function(q.type) for q in call.params)


def may_be_null(lore: Lore, call: Call, p: Param) -> bool:
    said: bool | None = lore.parameter.get(f"{call.name}.{p.name}", {}).get("optional")
    return is_opaque(call, p) if said is None else said


def assumed_filled(lore: Lore, call: Call, p: Param) -> bool:
    """Whether lore says nothing of a structure that is an answer by all that headers tell. What is read before the call has to stand before that."""
    behind = (q for q in call.params[call.params.index(p) + 1 :] if q.what.is_pointer)
    return (f"{call.name}.{p.name}" not in lore.parameter and is_changeable(p) and bool(ASKS.search(call.name))
            and all(_is_filled(lore, call, q) for q in behind))


def _is_filled(lore: Lore, call: Call, p: Param) -> bool:
    said = lore.parameter.get(f"{call.name}.{p.name}", {}).get("out")
    return said or said is None and (assumed_filled(lore, call, p) or not p.what.const and not p.what.to_a_struct)


class ParameterTables(Checks):
    """What the checker of lore does with these tables."""

    def _table_call(self, doc: tomlfile.Document, key: str, entry: dict[str, Any]) -> None:
        result, said = self.calls[key].result, entry.get("error", "none")
        if not can_tell(result, said):
            raise doc.error("call", key, f"{key}: error: {said}: cannot be told by what it returns: {result}",
                            f"one of {', '.join(name for name in CONVENTIONS if can_tell(result, name))}")

    def _table_parameter(self, doc: tomlfile.Document, key: str, entry: dict[str, Any]) -> None:
        found, beside = self._parameter(doc, "parameter", key, key)
        means = [k for k in ("enum", "flags", "bool", "form") if k in entry]
        if len(means) > 1:
            raise doc.error("parameter", key, f"{key}: says both {means[0]} and {means[1]}")
        if means and entry.get("form") not in (*WIDTHS, "sockaddr"):
            self.late.append(lambda: self._is_integer(doc, key, found, means[0]))  # what is misspelt is told first
        for name, also in (("mask", []), ("count", [RESULT])):
            if name in entry and entry[name] not in [*beside, *also]:
                raise doc.error("parameter", key, f"{key}: {entry[name]}: no such parameter", close(entry[name], beside))
        if not {"out", "mask", "count"}.isdisjoint(entry) and "*" not in found.type:
            raise doc.error("parameter", key, f"{key}: is no pointer but {found.type}")
        for length in entry.get("clear", {}):
            if length not in beside:
                raise doc.error("parameter", key, f"{key}: {length}: no such parameter", close(length, beside))
        if "tail" in entry:
            self._tail(doc, key, found, entry["tail"])

    def _is_integer(self, doc: tomlfile.Document, key: str, found: Param, word: str) -> None:
        of = kinds(found.type.partition("[")[0].rstrip("* ").strip())  # itself, or what it points to
        if of and set(of).isdisjoint(INTEGERS):
            raise doc.error("parameter", key, f"{key}: {word}: is no integer, nor points to one, but {found.type}")

    def _tail(self, doc: tomlfile.Document, key: str, found: Param, tail: dict[str, str]) -> None:
        """Structures behind the one that is pointed to, which counts them; each has its size in it."""
        before = found.what.name
        for struct, path in ((before, tail["count"]), (tail["struct"], tail["size"])):
            self._struct(doc, "parameter", key, struct)
            field = find_field(self.structs, struct, path)
            if field is None or field.kind != "uint":
                raise doc.error("parameter", key, f"{key}: {struct}.{path}: no such number")

    def _parameter(self, doc: tomlfile.Document, table: str, key: str, path: str) -> tuple[Param, list[str]]:
        """A parameter by "function.name", and the names of all of that function."""
        name, _, parameter = path.partition(".")
        self._call(doc, table, key, name)
        params = self.calls[name].params
        found = next((p for p in params if p.name == parameter), None)
        if found is None:
            raise doc.error(table, key, f"{path}: no such parameter", close(parameter, [p.name for p in params]))
        return found, [p.name for p in params]
