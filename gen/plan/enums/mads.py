# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""The fields of MADs as enumerators and rows, in the order of lore."""

from __future__ import annotations

import re

from ...fast.record import field, record
from ...know.model import Lore

NO_COMPONENT = 0xff
WORD = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")  # between two: Class|Port|Info, MC|Member|Record


@record
class MadField:
    enumerator: str
    name: str
    offset: int
    width: int
    component: int


@record
class MadTable:
    """A header or a record."""

    enumerator: str
    name: str
    attribute: int  # 0 of a header
    fields: list[MadField] = field(default_factory=list)

    @property
    def size(self) -> int:
        """How many bytes the known fields take."""
        return (max(f.offset + f.width for f in self.fields) + 7) // 8


def _word(name: str) -> str:
    return WORD.sub("_", name).upper()


def plan_mads(lore: Lore) -> list[MadTable]:
    out = []
    for name, fields in lore.mad.items():
        prefix = f"VX_{_word(name)}"
        table = MadTable(prefix, name, lore.mad_record.get(name, 0))
        for part, place in fields.items():
            table.fields.append(MadField(f"{prefix}_{_word(part)}", part, place[0], place[1], (place[2:] or [NO_COMPONENT])[0]))
        out.append(table)
    return out
