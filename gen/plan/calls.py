# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""The functions: the table that describes them, and what stands in for each in loader mode."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from ..facts import Call, Group
from ..groups import HeaderGroup
from ..lore import Lore
from ..merge import Api

# A convention of lore -> enum vx_call_error, and how a stand-in returns when the function cannot be reached.
CONVENTIONS = {
    "null": ("VX_CALL_ERROR_NULL", "return NULL;"),
    "minus-one": ("VX_CALL_ERROR_MINUS_ONE", "return -1;"),
    "errno-returned": ("VX_CALL_ERROR_ERRNO", "return errno;"),
    "negative-errno": ("VX_CALL_ERROR_NEGATIVE", "return -errno;"),
    "count": ("VX_CALL_ERROR_COUNT", "return -1;"),
    "text": ("VX_CALL_ERROR_TEXT", 'return "unknown";'),
    "none": ("VX_CALL_ERROR_NONE", "return 0;"),
}
KINDS = {"extern": "VX_CALL_EXTERN", "inline": "VX_CALL_INLINE", "macro": "VX_CALL_MACRO"}
ARRAY = re.compile(r"(.*?) ?(\[\d*\])")
COLUMNS = 100


@dataclass
class CallPlan:
    """A row of vx_calls and, where a library exports the function, its stand-in."""

    index: int
    name: str
    name_at: int  # in the pool
    version_at: int
    library: int  # row of vx_libraries; 0: none exports it
    since: int
    kind: str  # enum vx_call_kind
    error: str  # enum vx_call_error
    guard: str | None  # preprocessor condition under which the headers declare it
    prototype: str = ""
    jump: str = ""  # the statement that goes on to the true function
    fail: str = ""  # the statement that returns when there is none


@dataclass
class LibraryPlan:
    soname: str
    soname_at: int
    variable_at: int
    package_at: int


@dataclass
class HeaderPlan:
    """A header to include, and from which release on it is there."""

    name: str
    guard: str | None


@dataclass
class CallsPlan:
    rows: list[CallPlan] = field(default_factory=list)
    libraries: list[LibraryPlan] = field(default_factory=list)
    headers: list[HeaderPlan] = field(default_factory=list)
    names: list[str] = field(default_factory=list)  # the pool, in its order

    @property
    def standins(self) -> list[CallPlan]:
        return [row for row in self.rows if row.library]


class _Pool:
    """Texts one after the other, each with its NUL; offset 0 is the empty text."""

    def __init__(self) -> None:
        self.offsets = {"": 0}
        self.size = 1

    def at(self, text: str) -> int:
        if text not in self.offsets:
            self.offsets[text] = self.size
            self.size += len(text.encode()) + 1
        return self.offsets[text]


def convention(call: Call, group: HeaderGroup, lore: Lore) -> str:
    """How a function tells of a failure: lore's word, or what the type of its result says."""
    said = lore.call.get(call.name, {}).get("error")
    if said:
        return said
    if call.result == "const char *":
        return "text"
    if call.result.endswith("*"):
        return "null"
    return group.errors if call.result == "int" else "none"


def declared(type_: str, name: str) -> str:
    """A parameter as C declares it."""
    if "(*)" in type_:
        return type_.replace("(*)", f"(*{name})", 1)
    array = ""
    if match := ARRAY.fullmatch(type_):
        type_, array = match.groups()
    space = "" if type_.endswith("*") else " "
    return f"{type_}{space}{name}{array}"


def wrapped(head: str, items: list[str], indent: int = 0) -> str:
    """head(item, item) in lines of COLUMNS; further ones begin below the first item, or two tabs in where that is too far."""
    column = indent + len(head) + 1
    if column + max(map(len, items)) >= COLUMNS:
        column = indent + 16
    margin = "\t" * (column // 8) + " " * (column % 8)
    lines = [f"{head}("]
    for i, item in enumerate(items):
        part = item + ("," if i + 1 < len(items) else ")")
        used = (indent if len(lines) == 1 else 0) + len(lines[-1].expandtabs(8))
        if i and used + 1 + len(part) > COLUMNS:
            lines[-1] = lines[-1].rstrip()
            lines.append(margin + part)
        else:
            lines[-1] += (" " if i else "") + part
    return "\n".join(lines)


def _standin(row: CallPlan, call: Call, error: str) -> None:
    names = [p.name or f"argument{i}" for i, p in enumerate(call.params)]
    params = [declared(p.type, n) for p, n in zip(call.params, names)]
    row.prototype = wrapped(declared(call.result, f"({call.name})"), params or ["void"])
    if call.result == "void":
        row.jump, row.fail = wrapped("call", names or [""], 8) + ";", "return;"
        return
    row.jump = wrapped("return call", names or [""], 8) + ";"
    row.fail = CONVENTIONS[error][1]
    if error == "none" and call.result.endswith("*"):
        row.fail = CONVENTIONS["null"][1]


def _kind(call: Call) -> str:
    return "VX_CALL_PRIVATE" if call.kind == "extern" and not call.library else KINDS[call.kind]


def _guard(call: Call, oldest: int) -> str | None:
    """When the headers declare a function: a macro that took its place ends that."""
    since = f"VX_RDMA_CORE >= {call.since}" if call.since > oldest else None
    if call.kind != "macro":
        return since
    return " && ".join(filter(None, [since, f"!defined({call.name})"]))


def _libraries(groups: list[HeaderGroup], pool: _Pool) -> list[LibraryPlan]:
    """The libraries of all groups; VERBSX_IBVERBS_LIB names another libibverbs.so.1."""
    found = {}
    for g in groups:
        stem = g.library.removeprefix("lib").partition(".")[0]
        variable = f"VERBSX_{re.sub(r'[^A-Z0-9]', '_', stem.upper())}_LIB"
        found.setdefault(g.library, LibraryPlan(g.library, pool.at(g.library), pool.at(variable), pool.at(g.package)))
    return list(found.values())


def _headers(group: Group, oldest: int) -> list[HeaderPlan]:
    """The headers that declare what the group's library exports."""
    out = []
    for header in group.headers:
        since = [c.since for c in group.calls.values() if c.header == header and c.library]
        if since:
            out.append(HeaderPlan(header, f"VX_RDMA_CORE >= {min(since)}" if min(since) > oldest else None))
    return out


def calls(api: Api, lore: Lore, groups: list[HeaderGroup]) -> CallsPlan:
    """Plan all functions of the API, sorted by name."""
    pool = _Pool()
    known = [g for g in groups if g.name in api.groups]
    plan = CallsPlan(libraries=_libraries(known, pool))
    number = {lib.soname: i for i, lib in enumerate(plan.libraries, 1)}
    found = sorted(((call, g) for g in known for call in api.groups[g.name].calls.values()), key=lambda x: x[0].name)
    for index, (call, group) in enumerate(found):
        error = convention(call, group, lore)
        row = CallPlan(index, call.name, pool.at(call.name), pool.at(call.version if call.library else ""),
                       number.get(call.library, 0), call.since, _kind(call), CONVENTIONS[error][0],
                       _guard(call, api.oldest))
        if row.library:
            _standin(row, call, error)
        plan.rows.append(row)
    plan.headers = [h for g in known for h in _headers(api.groups[g.name], api.oldest)]
    plan.names = list(pool.offsets)
    return plan
