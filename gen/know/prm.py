# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""The part of lore that has the mailboxes of commands: where each field lies, and how long a mailbox is."""

from __future__ import annotations

from typing import Any, Collection

from ..files import tomlfile
from .checks import Checks
from .model import close

BYTES = "bytes"  # how long it is
OF_ALL = (BYTES, "least", "from_op_mod", "op_mods")  # beside the fields
BEGINS = {"in": "cmd_in", "out": "cmd_out"}  # what mailboxes begin with
SEGMENTS = ("address", "data", "entries", "bsf")  # of a WQE, which are neither structures nor one layout
OF_WQE = "wqe_"  # what names of layouts that are segments begin with
MOST_SEGMENTS = 4
MOST_BITS = 64
NEAR = 1 << 13  # offsets that an enumerator of a field has room for where it is of a command
FAR = 1 << 16  # of an answer, or of a context


def command_of(key: str, said: dict[str, Any], commands: Collection[str]) -> str:
    """Whose mailbox it is: of those for some values of op_mod further words tell it from the others of its command."""
    named = key.rpartition("_")[0]
    return max((c for c in commands if f"{named}_".startswith(f"{c}_")), key=len, default=named) if "from_op_mod" in said else named


class PrmTables(Checks):
    """What the checker of lore does with this table."""

    def _table_wqe(self, doc: tomlfile.Document, key: str, segments: list[str]) -> None:
        if len(segments) > MOST_SEGMENTS:
            raise doc.error("wqe", key, f"{key}: more than {MOST_SEGMENTS} segments")

    def _segment(self, doc: tomlfile.Document, table: str, key: str, name: str) -> None:
        if name not in SEGMENTS and OF_WQE + name not in self.lore.prm:
            self._struct(doc, table, key, name)

    def _table_prm(self, doc: tomlfile.Document, key: str, fields: dict[str, Any]) -> None:
        for name, place in fields.items():
            if (name in OF_ALL) != isinstance(place, int):
                raise doc.error("prm", key, f"{key}: {name}: must be an offset and a width, or a layout and an offset")
        self.late.append(lambda: self._fit(doc, key))
        self.late.append(lambda: self._of_command(doc, key))

    def _places(self, doc: tomlfile.Document, key: str, base: int = 0) -> list[tuple[str, int, int]]:
        """All fields, those of the layouts in it as well: name, offset, width."""
        out = []
        for name, place in self.lore.prm[key].items():
            if name in OF_ALL:
                continue
            first, second = self._place(doc, key, name, place)
            if isinstance(first, int):
                out.append((name, base + first, second))
            else:
                out += self._places(doc, first, base + second)
        return out

    def _place(self, doc: tomlfile.Document, key: str, name: str, place: list[Any]) -> tuple[Any, int]:
        if len(place) != 2 or not isinstance(place[1], int) or isinstance(place[1], bool):
            raise doc.error("prm", key, f"{key}: {name}: must be an offset and a width, or a layout and an offset")
        if isinstance(place[0], str) and (place[0] not in self.lore.prm or place[0] == key):
            raise doc.error("prm", key, f"{key}: {name}: {place[0]}: no such layout", close(place[0], self.lore.prm))
        return place[0], place[1]

    def _fit(self, doc: tomlfile.Document, key: str) -> None:
        taken: dict[int, str] = {}
        room = NEAR if key.endswith("_in") else FAR
        most = self.lore.prm[key].get(BYTES, FAR) * 8
        for name, offset, width in self._places(doc, key):
            if not 0 <= offset < min(most, room) or not 1 <= width <= MOST_BITS or offset + width > most:
                raise doc.error("prm", key, f"{key}: {name}: {width} bits at {offset}: must be a number of up to {MOST_BITS} bits in it")
            for bit in range(offset, offset + width):
                if taken.setdefault(bit, name) != name:
                    raise doc.error("prm", key, f"{key}: {name}: bit {bit} is of {taken[bit]}")

    def _of_command(self, doc: tomlfile.Document, key: str) -> None:
        """A mailbox is that of a command."""
        _, _, end = key.rpartition("_")
        known = {name.lower() for name in self.lore.code.get("mlx5_command", {}).values()} | {"cmd"}
        if end in BEGINS and command_of(key, self.lore.prm[key], known) not in known:
            raise doc.error("prm", key, f"{key}: [code.mlx5_command] has no such command", close(key.rpartition("_")[0], known))
