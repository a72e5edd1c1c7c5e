# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""The table of kinds: a row each, with what is read of an object and of what its handle keeps."""

from __future__ import annotations


from ...fast.record import field, record, value
from ..model.object import Kept, Kind, Objects
from .structs import StructPlan, StructTables

Run = tuple[int, int]  # first and count, in KindTable.fields


@value  # which is compared
class Shown:
    """A field that is read for a handle."""

    owner: str  # structure, by its id in the tables
    index: int  # of the field in it
    name: str
    kept: str = ""  # kind and name, where a handle has a copy of it
    guard: str = ""  # of that kind
    label: str = ""  # the name to print it by, where that is not the field's own


@record
class KindRow:
    kind: Kind
    number: Run  # what tells one from another in messages
    names: Run  # what of it the handle keeps that messages tell beside a number of the library's own
    shown: Run  # what is printed of the raw object
    kept: Run  # and of what the handle keeps
    width: int  # of the longest of their names


@record
class KindTable:
    """In the order of the kinds; what the headers at hand lack is left out."""

    rows: list[KindRow] = field(default_factory=list)
    fields: list[Shown] = field(default_factory=list)

    def of(self, run: Run) -> list[str]:
        """The names by which the fields in a run are printed."""
        return [f.label or f.name for f in self.fields[run[0]:sum(run)]]

    def add(self, found: list[Shown]) -> Run:
        """Rows of their own, or those of a kind before that are the same."""
        for first in range(len(self.fields) - len(found) + 1):
            if found == self.fields[first:first + len(found)]:
                return first, len(found)
        self.fields += found
        return len(self.fields) - len(found), len(found)


def _owner(structs: dict[str, StructPlan], kept: Kept) -> tuple[str, str]:
    """The structure that has a field itself, however deep it lies in the one that lore names, and its name there."""
    path = kept.field.split(".")
    owner = kept.owner
    for name in path[:-1]:
        f = next((f for f in structs[owner].fields if f.name == name), None) if owner in structs else None
        owner = f.ref.removeprefix("STRUCT_") if f else ""
    return owner, path[-1]


def plan_kinds(objects: Objects, tables: StructTables) -> KindTable:
    by_id = {s.id: s for s in tables.structs}
    structs = {s.id: [f.name for f in s.fields] for s in tables.structs}
    table = KindTable()

    def run(struct: str, names: list[str]) -> Run:
        fields = structs.get(struct, [])
        parts = [(name.rpartition(":")[2], name.rpartition(":")[0]) for name in names]
        return table.add([Shown(struct, fields.index(n), n, label=label) for n, label in parts if n in fields])

    for k in objects.all:
        kept = [Shown(owner, structs[owner].index(name), name, f"{k.name}, {kept.name}", k.guard, kept.label)
                for kept in k.keeps for owner, name in [_owner(by_id, kept)] if name in structs.get(owner, [])]
        number, shown, all_kept = run(k.raw, [k.number]), run(k.raw, k.shows), table.add(kept)
        named = table.add([s for s in kept if s.kept == f"{k.name}, {k.names}"])
        width = max((len(name) for name in table.of(shown) + table.of(all_kept)), default=0)
        table.rows.append(KindRow(k, number, named, shown, all_kept, width))
    return table
