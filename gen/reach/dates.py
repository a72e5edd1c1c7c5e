# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""Since which release things exist, and until which, by the headers of all releases; and what lore must say so that it is known.

Facts are kept of a few releases, and tell between which two of them a thing came or went. Lore tells the rest.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..api import merge
from ..api.facts import Call, Enum, Enumerator, Facts, Field, Macro, Struct
from ..api.merge import Api
from ..fast.record import record
from ..know.remarks import entry

Item = Enum | Enumerator | Struct | Field | Call | Macro


@record
class Dated:
    """What has releases, and the name of what it came with: its enum or structure."""

    name: str
    item: Item
    whole: str = ""


@record
class Table:
    """A table of lore: what is so, the lines that it needs because facts do not tell, and those that it has."""

    name: str
    so: dict[str, int]
    needed: set[str]
    written: dict[str, int]

    def wrong(self) -> list[str]:
        """A line for each that is missing or says something else; one that is true and not needed is none of them."""
        wrong = {n for n in self.needed if n not in self.written} | {n for n, r in self.written.items() if r != self.so.get(n)}
        return [f"[{self.name}] {_line(n, self.so.get(n, 0))}{_instead(self.written.get(n))}" for n in sorted(wrong)]


def _line(name: str, release: int) -> str:
    return entry(name, release) if release else f"nothing about {name}"


def _instead(release: int | None) -> str:
    return f"  # not {release}" if release is not None else ""


def _fields(whole: str, fields: list[Field]) -> Iterator[Dated]:
    for f in fields:
        yield Dated(f"{whole}.{f.name}", f, whole)
        yield from _fields(f"{whole}.{f.name}", f.fields)


def dated(api: Api) -> dict[str, Dated]:
    """All that has a name which a line may have, wholes before their parts. An unnamed enum is nothing but its enumerators."""
    found: dict[str, Dated] = {}
    for group in api.groups.values():
        for macro in group.macros.values():
            found[macro.name] = Dated(macro.name, macro)
        for call in group.calls.values():
            found[call.name] = Dated(call.name, call)
        for enum in group.enums.values():
            whole = enum.name if enum.named else ""
            found.update({enum.name: Dated(enum.name, enum)} if whole else {})
            found.update({v.name: Dated(v.name, v, whole) for v in enum.values})
        for struct in group.structs.values():
            found[struct.name] = Dated(struct.name, struct)
            found.update({d.name: d for d in _fields(struct.name, struct.fields)})
    return found


def of_all(facts: list[Facts], order: list[str]) -> Api:
    """The API of all releases there are; it is exact, but for symbols of which packages know better than headers."""
    for group in (g for f in facts for g in f.groups.values()):
        for call in group.calls.values():
            call.introduced = 0
    return merge.merge(facts, order)


def since(exact: Api, few: Api, written: dict[str, int]) -> Table:
    right, known = dated(exact), dated(few)
    needed = set()
    for name, d in known.items():
        told = max(d.item.since, few.oldest)
        if d.whole and known[d.whole].item.since == d.item.since:
            told = right[d.whole].item.since  # what it came with has a line, or needs none
        if name in right and right[name].item.since != told:
            needed.add(name)
    return Table("since", {name: d.item.since for name, d in right.items()}, needed, written)


def until(exact: Api, few: Api, written: dict[str, int]) -> Table:
    so, known = {name: d.item.until for name, d in dated(exact).items()}, dated(few)
    return Table("until", so, {name for name in so if name in known and known[name].item.until != so[name]}, written)


def nowhere(exact: Api, few: Api) -> list[str]:
    """What came and went between two releases that facts are kept of."""
    known = dated(few)
    return [f"{name}: from {d.item.since} to {d.item.until}" for name, d in dated(exact).items() if name not in known]
