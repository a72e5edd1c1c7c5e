# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""What of an init structure goes into the structure that rdma-core takes: statements, field by field."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..record import record

if TYPE_CHECKING:
    from .object_model import InitField, Kind, Part


@record
class Filling:
    guard: str
    lines: list[str]  # of C


def fillings(kind: Kind) -> list[Filling]:
    """Of all fields that attr has as well."""
    return [Filling(f.guard, [*_filled(kind, f), *_implied(f)]) for f in kind.filled]


def is_set(f: InitField) -> str:
    """In C: that a program says something in a field."""
    if f.parts and not any(p.union for p in f.parts):
        return " || ".join(f"init->{p.path}" for p in f.parts)
    return f"vx_is_set(&init->{f.name}, sizeof(init->{f.name}))" if f.whole or f.array or f.parts else f"init->{f.name}"


def _seldom(condition: str, seldom: bool) -> str:
    return f"SELDOM({condition})" if seldom else condition


def _filled(kind: Kind, f: InitField) -> list[str]:
    if f.array:
        return _conditional(kind, f, _wanted(kind, f), f"memcpy(attr->{f.name}, init->{f.name}, sizeof(attr->{f.name}));")
    if f.parts:
        return [*_whole(kind, f), *(line for p in f.parts for line in _part(kind, p))]
    if not f.bit and not f.kind:
        return _copied(kind, f.name, is_set(f))
    value = f"vx_{f.kind}_raw(init->{f.name})" if f.kind else f"({f.cut})init->{f.name}" if f.cut else f"init->{f.name}"
    return _conditional(kind, f, is_set(f) if f.kind else _wanted(kind, f), f"attr->{f.name} = {value};")


def _wanted(kind: Kind, f: InitField) -> str:
    """In C: that a field is set, or that its bit says so."""
    return is_set(f) + (f" || init->{kind.selector} & {f.bit}" if f.bit else "")


def _conditional(kind: Kind, f: InitField, condition: str, statement: str) -> list[str]:
    """A statement, and the bit that makes what it sets count."""
    return _if(_seldom(condition, bool(f.bit)), [statement, *([f"attr->{kind.selector} |= {f.bit};"] if f.bit else [])])


def _if(condition: str, statements: list[str]) -> list[str]:
    several = len(statements) > 1
    return [f"\tif ({condition}){' {' if several else ''}", *(f"\t\t{s}" for s in statements), *(["\t}"] if several else [])]


def _whole(kind: Kind, f: InitField) -> list[str]:
    """A structure that a bit makes count: with the bit all of it is meant, and with anything in it the bit."""
    if not f.bit:
        return []
    return [*_if(f"SELDOM(init->{kind.selector} & {f.bit})", [f"attr->{f.name} = init->{f.name};"]),
            *_if(f"SELDOM({is_set(f)})", [f"attr->{kind.selector} |= {f.bit};"])]


def _part(kind: Kind, p: Part) -> list[str]:
    return _copied(kind, p.path, f"vx_is_set(&init->{p.path}, sizeof(init->{p.path}))" if p.union else f"init->{p.path}")


def _copied(kind: Kind, path: str, condition: str) -> list[str]:
    statement = f"attr->{path} = init->{path};"
    return _if(condition, [statement]) if kind.is_given(path) else [f"\t{statement}"]


def _implied(f: InitField) -> list[str]:
    return _if(f"SELDOM({is_set(f)})", [f"{s};" for s in f.implies]) if f.implies else []
