# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""What of an init structure goes into the structure that rdma-core takes: statements, field by field."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...fast.record import record

if TYPE_CHECKING:
    from .init import InitField, Part
    from .object import Kind


@record
class Filling:
    guard: str
    lines: list[str]  # of C
    seldom: str = ""  # in C: that it says something, where most that make many do not


def fillings(kind: Kind) -> list[Filling]:
    """Of all fields that attr has as well."""
    return [Filling(f.guard, [*_filled(kind, f), *_implied(f)], _said(f) if kind.often and kind.selector and f.is_seldom else "") for f in kind.filled]


def _said(f: InitField) -> str:
    """is_set() without jumps."""
    return " | ".join(f"!!{part}" for part in is_set(f).split(" || "))


def is_set(f: InitField) -> str:
    """In C: that a program says something in a field."""
    if f.parts and not any(p.union or p.array for p in f.parts):
        return " || ".join(f"init->{p.path}" for p in f.parts)
    several = f.whole or f.array or f.unnamed or f.parts
    return f"vx_is_set(&init->{f.name}, sizeof(init->{f.name}))" if several else f"init->{f.name}"


def _seldom(condition: str, seldom: bool) -> str:
    return f"VX_SELDOM({condition})" if seldom else condition


def _filled(kind: Kind, f: InitField) -> list[str]:
    if f.constant:
        other = f.cut or f.now or ("void *" if f.kind else "")
        source = f"&({other}){{ {_value(f)} }}" if other else f"&init->{f.name}"
        return _conditional(kind, f, is_set(f), f"memcpy((void *)&attr->{f.into}, {source}, sizeof(attr->{f.into}));")
    if f.unnamed:
        return _conditional(kind, f, _wanted(kind, f), f"memcpy(&attr->{f.into}, &init->{f.name}, sizeof(init->{f.name}));")
    if f.array:
        return _conditional(kind, f, _wanted(kind, f), f"memcpy(attr->{f.into}, init->{f.name}, sizeof(attr->{f.into}));")
    if f.parts:
        return [*_whole(kind, f), *(line for p in f.parts for line in _part(kind, p))]
    if not f.bit and not f.kind:
        return _copied(kind, f.into, f.name, is_set(f), f.shares)
    return _conditional(kind, f, is_set(f) if f.kind else _wanted(kind, f), f"attr->{f.into} = {_value(f)};")


def _value(f: InitField) -> str:
    """What rdma-core is given for a field."""
    return f"vx_{f.kind}_raw(init->{f.name})" if f.kind else f"({f.cut})init->{f.name}" if f.cut else f"init->{f.name}"


def _wanted(kind: Kind, f: InitField) -> str:
    """In C: that a field is set, or that its bit says so."""
    return is_set(f) + (f" || init->{kind.selector} & {f.bit}" if f.bit else "")


def _conditional(kind: Kind, f: InitField, condition: str, statement: str) -> list[str]:
    """A statement, and the bit that makes what it sets count."""
    return _if(_seldom(condition, bool(f.bit and not f.usual)), [statement, *([f"attr->{kind.selector} |= {f.bit};"] if f.bit else [])])


def _if(condition: str, statements: list[str]) -> list[str]:
    several = len(statements) > 1
    return [f"\tif ({condition}){' {' if several else ''}", *(s if s.startswith("#") else f"\t\t{s}" for s in statements),
            *(["\t}"] if several else [])]


def _whole(kind: Kind, f: InitField) -> list[str]:
    """A structure that a bit makes count: with the bit all of it is meant, and with anything in it the bit."""
    if not f.bit:
        return []
    every = [line for p in f.parts for line in _guarded(p.guard, [_array(p) if p.array else f"attr->{p.path} = init->{p.path};"])]
    return [*_if(f"VX_SELDOM(init->{kind.selector} & {f.bit})", every if f.frozen else [f"attr->{f.name} = init->{f.name};"]),
            *_if(f"VX_SELDOM({is_set(f)})", [f"attr->{kind.selector} |= {f.bit};"])]


def _array(p: Part) -> str:
    return f"memcpy(attr->{p.path}, init->{p.path}, sizeof(attr->{p.path}));"


def _part(kind: Kind, p: Part) -> list[str]:
    condition = f"vx_is_set(&init->{p.path}, sizeof(init->{p.path}))" if p.union or p.array else f"init->{p.path}"
    if p.array:
        return _guarded(p.guard, _if(condition, [_array(p)]))
    return _guarded(p.guard, _copied(kind, p.path, p.path, condition))


def _guarded(guard: str, lines: list[str]) -> list[str]:
    return [f"#if {guard}", *lines, "#endif"] if guard else lines


def _copied(kind: Kind, into: str, path: str, condition: str, shares: bool = False) -> list[str]:
    statement = f"attr->{into} = init->{path};"
    return _if(condition, [statement]) if shares or kind.is_given(into) else [f"\t{statement}"]


def _implied(f: InitField) -> list[str]:
    return _if(f"VX_SELDOM({is_set(f)})", [f"{s};" for s in f.implies]) if f.implies else []
