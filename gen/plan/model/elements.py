# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""Lists of structures that name objects: those of libverbsx, which have handles, and where each member goes in what rdma-core takes.

The member that says of which type an element is comes first in both; which others count with a type, [choice] of lore says. Members go by
their names, also those of a structure in rdma-core's, or of one that it points to, which then lies behind it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from ...api import own
from ...api.facts import Field, Param, Struct
from ...api.sizes import member
from ...errors import GenError
from ...fast.record import field, record
from ...know.model import close

ARRAY = re.compile(r"struct (\w+) ?(\*?)\[\]")
HANDLE = re.compile(r"struct vx_(\w+) \*")


@record
class Row:
    """A member with one of the types."""

    type: str  # the enumerator; "" where none has it
    name: str
    kind: str  # of the handle that it is; "" for a number
    into: str  # in C: where it goes, and how long that is
    size: str
    guard: str = ""


@record
class Elements:
    """A list in the init structure, and what the call takes instead."""

    name: str
    count: str
    own: str  # the structure of libverbsx
    raw: str  # that of rdma-core
    by_pointer: bool  # the call takes an array of pointers
    behind: str = ""  # the structure that one of its members points to
    rows: list[Row] = field(default_factory=list)


def of_parameter(p: Param, prefix: str, word: str) -> tuple[str, str, bool] | None:
    """The structures of libverbsx and rdma-core that an array has, and whether it has pointers to them."""
    found = ARRAY.fullmatch(p.type)
    return (f"vx_{word}_{found[1].removeprefix(prefix).removesuffix('_attr')}", found[1], bool(found[2])) if found else None


def plan_elements(out: Elements, structs: dict[str, Struct], choice: dict[str, dict[str, list[str]]],
                  guard: Callable[[Field], str], wrong: Callable[..., GenError]) -> Elements:
    """Fill the rows of a list."""
    members = dict(member(m) for s in own.headers().structs if s.name == out.own for m in s.members)
    if not members:
        raise wrong(f"struct {out.own}: no header of the runtime has it", "whose members have the names of those of struct " + out.raw)
    choices = choice.get(f"{out.raw}.type", {})
    for f in structs[out.raw].fields:
        for chosen in choices.get(f.name, []):
            if f.kind == "pointer" and f.name not in members:
                out.behind = f.ref
                out.rows.append(Row(chosen, f.name, "", f"offsetof(struct {out.raw}, {f.name})", "0", guard(f)))
            for leaf, at in _leaves(out, f, structs, members):
                out.rows.append(_row(out, chosen, leaf, at, members, guard(f), wrong))
    free = [name for name in members if name != "type" and all(row.name != name for row in out.rows)]
    out.rows += [Row("", name, "", "0", f"sizeof(((struct {out.own} *)0)->{name})") for name in free]
    return out


def _leaves(out: Elements, f: Field, structs: dict[str, Struct], members: dict[str, str]) -> Iterator[tuple[str, str]]:
    """The members that become one of rdma-core's, and where each lies, in C."""
    if f.fields:
        for inner in f.fields:
            yield inner.name, f"offsetof(struct {out.raw}, {f.name}.{inner.name})"
    elif f.kind == "pointer" and f.name not in members:
        for inner in structs[f.ref].fields:
            yield inner.name, f"sizeof(struct {out.raw}) + offsetof(struct {f.ref}, {inner.name})"
    else:
        yield f.name, f"offsetof(struct {out.raw}, {f.name})"


def _row(out: Elements, chosen: str, name: str, at: str, members: dict[str, str], guard: str, wrong: Callable[..., GenError]) -> Row:
    if name not in members:
        raise wrong(f"struct {out.own}: has no {name}, which struct {out.raw} has", close(name, members))
    handle = HANDLE.fullmatch(members[name])
    return Row(chosen, name, handle[1] if handle else "", at, f"sizeof(((struct {out.own} *)0)->{name})", guard)
