# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""What both witnesses tell: enums with their enumerators, structures with their fields."""

from __future__ import annotations

from dataclasses import dataclass, field

WORD = 2**64
BITS = "bits"  # what a bit-field is: C tells no offset of it, so no table has one


@dataclass
class Enumerator:
    """A value, as 64 bits; since and macro are known of tables only."""

    value: int
    since: int = 0
    macro: bool = False

    def __post_init__(self) -> None:
        self.value %= WORD


@dataclass
class Place:
    """Where a field lies: offset from the start of its structure, bytes of an element, elements."""

    offset: int
    size: int
    count: int | None = None  # None: no array; 0: one without a length
    since: int = 0
    absent: bool = False
    what: str = ""  # "signed", "enum", "record"...: see dwarf.py; headers only, as what follows
    tag: str = ""  # of an enum or a record
    big: bool = False  # by its type, such as __be32
    c_type: str = ""  # "struct vx_qp *"

    def __str__(self) -> str:
        return f"offset {self.offset}, size {self.size}" + ("" if self.count is None else f" x {self.count}")

    @property
    def whole(self) -> int:
        """Bytes of all elements."""
        return self.size if self.count is None else self.size * self.count

    def agrees(self, table: Place) -> bool:
        """Whether a table says the same; it may show an array as one value (bytes, text)."""
        shape = (self.whole, None) if table.count is None else (self.size, self.count)
        return (self.offset, *shape) == (table.offset, table.size, table.count)


@dataclass
class Record:
    """A structure or union; fields by path ("wr.rdma.rkey"), anonymous members spliced."""

    union: bool
    size: int
    since: int = 0
    fields: dict[str, Place] = field(default_factory=dict)


Enumerators = dict[str, Enumerator]


@dataclass
class Witness:
    """All that one side tells."""

    enums: dict[str, Enumerators] = field(default_factory=dict)
    records: dict[str, Record] = field(default_factory=dict)
    unnamed: list[Enumerators] = field(default_factory=list)  # enums without a tag; headers only
    macros: Enumerators = field(default_factory=dict)  # as the compiler works them out; headers only

    def part(self, own: bool) -> Witness:
        """What is of libverbsx itself, or all else."""
        return Witness({tag: values for tag, values in self.enums.items() if tag.startswith("vx_") == own},
                       {tag: record for tag, record in self.records.items() if tag.startswith("vx_") == own},
                       [] if own else self.unnamed, {} if own else self.macros)

    def counts(self) -> dict[str, int]:
        """How much there is."""
        enums = [*self.enums.values(), *self.unnamed]
        return {"enums": len(enums), "enumerators": sum(map(len, enums)), "structures": len(self.records),
                "fields": sum(len(r.fields) for r in self.records.values()), "macros": len(self.macros)}
