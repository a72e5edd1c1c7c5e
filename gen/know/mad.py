# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""The part of lore that has the fields of MADs: where each lies, and which bit of a ComponentMask is its own."""

from __future__ import annotations

from ..files import tomlfile
from .checks import Checks
from .model import close

MOST_BITS = 64  # of a number
GID_BITS = 128  # which is bytes, and lies at one
COMPONENTS = 64


class MadTables(Checks):
    """What the checker of lore does with these tables."""

    def _table_mad(self, doc: tomlfile.Document, key: str, fields: dict[str, list[int]]) -> None:
        taken: dict[int, str] = {}
        components: dict[int, str] = {}
        for name, place in fields.items():
            if len(place) not in (2, 3):
                raise doc.error("mad", key, f"{key}: {name}: must be an offset, a width and, of a record, a bit of the ComponentMask")
            offset, width = place[:2]
            if not 1 <= width <= MOST_BITS - offset % 8 and (width, offset % 8) != (GID_BITS, 0):
                raise doc.error("mad", key, f"{key}: {name}: {width} bits at {offset}: neither a number of up to {MOST_BITS} bits nor a GID")
            for bit in range(offset, offset + width):
                if taken.setdefault(bit, name) != name:
                    raise doc.error("mad", key, f"{key}: {name}: bit {bit} is of {taken[bit]}")
            for component in place[2:]:
                if component >= COMPONENTS or components.setdefault(component, name) != name:
                    raise doc.error("mad", key, f"{key}: {name}: {component}: no bit of a ComponentMask that is its own")

    def _table_mad_record(self, doc: tomlfile.Document, key: str, attribute: int) -> None:
        if list(self.lore.mad_record.values()).count(attribute) > 1:
            raise doc.error("mad_record", key, f"{key}: {attribute}: another record has this AttributeID")
        self.late.append(lambda: self._of_fields(doc, key))

    def _of_fields(self, doc: tomlfile.Document, key: str) -> None:
        if key not in self.lore.mad:
            raise doc.error("mad_record", key, f"{key}: [mad] has no fields of it", close(key, self.lore.mad))
