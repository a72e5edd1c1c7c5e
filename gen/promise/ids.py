# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""The numbers of enums, structures and kinds of objects in compiled programs: gen/abi/ids.toml, which is only appended to."""

from __future__ import annotations

from pathlib import Path
from typing import Protocol

from ..fast.record import field, value
from ..files import tomlfile
from ..paths import GEN
from . import entire

PATH = GEN / "abi/ids.toml"
HEAD = """\
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#
# The numbers by which compiled programs reach the description of an enum or a structure in whatever libverbsx they find, and
# those of enum vx_object_kind: part of the ABI. ./dev regen appends what is new. No line is ever changed, moved or taken away.
"""
TABLES = ("enum", "struct", "kind")


class Numbered(Protocol):
    name: str
    number: int


@value
class Ids:
    enum: dict[str, int] = field(default_factory=dict)
    struct: dict[str, int] = field(default_factory=dict)
    kind: dict[str, int] = field(default_factory=dict)

    def text(self) -> str:
        """The file."""
        return HEAD + "".join(f"\n[{name}]\n" + "".join(f"{key} = {number}\n" for key, number in getattr(self, name).items())
                              for name in TABLES) + entire.END


def load(path: Path = PATH) -> Ids:
    """What is committed; each table counts from 1, so that a line that was moved or taken away is seen."""
    document = entire.load(path, TABLES)
    for table in TABLES:
        if type(document.data.get(table, {})) is not dict:
            raise document.error("", table, f"{table}: must be a table of numbers")
        for wanted, (name, number) in enumerate(document.data.get(table, {}).items(), 1):
            if number != wanted:
                raise document.error(table, name, f"{table} {name}: has number {number}, and is the {wanted}. of its table",
                                     hint="lines are appended only, and ./dev regen does that")
    return Ids(*(document.data.get(table, {}) for table in TABLES))


def give(items: list[Numbered], table: dict[str, int]) -> None:
    """Numbers for what has one; what only this machine's headers have stays without, and is found by its name."""
    for item in items:
        item.number = table.get(item.name, 0)


def complete(what: str, names: list[str], table: dict[str, int]) -> None:
    """Numbers for all, new ones appended to the table; stops where something that has a number is gone."""
    gone = [name for name in table if name not in names]
    if gone:
        raise tomlfile.load(PATH).error(what, gone[0], f"{what} {gone[0]}: has number {table[gone[0]]}, and is no more",
                                        "programs that were compiled use that number: nothing that was published goes away")
    append(names, table)


def append(names: list[str], table: dict[str, int]) -> dict[str, int]:
    """The table, with the next numbers for what has none."""
    for name in names:
        table.setdefault(name, len(table) + 1)
    return table


def names(items: list[Numbered], table: dict[str, int]) -> list[str]:
    """The name that each number stands for, from 0 on; "" for none."""
    there = {item.name for item in items}
    return ["", *(name if name in there else "" for name in table)]
