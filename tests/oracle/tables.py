# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""What the tables tell, from the text that dump.c prints."""

from __future__ import annotations

from .model import Enumerator, Enumerators, Place, Record, Witness


def read(text: str) -> Witness:
    """The tables; a line that dump.c does not print is an error."""
    found = Witness()
    values: Enumerators = {}
    record = Record(False, 0)
    for line in text.splitlines():
        match line.split():
            case ["enum", tag]:
                values = found.enums[tag] = {}
            case ["enumerator", name, value, since, kind]:
                values[name] = Enumerator(int(value), int(since), kind == "macro")
            case ["struct" | "union" as kind, tag, size, since]:
                record = found.records[tag] = Record(kind == "union", int(size), int(since))
            case ["field" | "absent" as kind, path, offset, size, count, since]:
                elements = None if count == "-" else int(count)
                record.fields[path] = Place(int(offset), int(size), elements, int(since), kind == "absent")
            case _:
                raise ValueError(f"not a line of the dump: {line}")
    return found
