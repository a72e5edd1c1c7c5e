# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""Names for enums that the headers give none."""

from __future__ import annotations

from ...api.facts import Enum
from ...api.merge import Api, walk
from ...know.model import Lore, first_of
from ...know.remarks import Remarks

# Words of an enumerator that end the name of its enum: EFADV_QP_FLAGS_INLINE_WRITE is of efadv_qp_flags.
STEM_WORDS = ("flags", "caps", "mask", "type", "opcode")


def name_unnamed(api: Api, lore: Lore, remarks: Remarks) -> None:
    """Give each unnamed enum a name: lore's, or what its first enumerators share."""
    new_name: dict[str, str] = {}
    taken = set(api.enums())
    for group in api.groups.values():
        for key, enum in list(group.enums.items()):
            if enum.named:
                continue
            name = lore.unnamed.get(first_of(enum))
            if name is None:
                name, first = _shared_name(enum, taken), first_of(enum)
                remarks.lore(group.name, enum.header, first, f"its enum has no name, and is called {name}", "unnamed", f'{first} = "{name}"')
            taken.add(name)
            group.enums.pop(key)
            enum.unnamed, enum.name = True, name
            group.enums[name] = enum
            new_name[key] = name
    for struct in api.structs().values():
        for f in walk(struct.fields):
            f.ref = new_name.get(f.ref, f.ref)


def _shared_name(enum: Enum, taken: set[str]) -> str:
    """The words that all enumerators of the oldest release begin with; newer ones must not change the name."""
    names = [v.name.lower().split("_") for v in enum.values if v.since == enum.since]
    words = []
    for column in zip(*names):
        if len(set(column)) > 1:
            break
        words.append(column[0])
    if len(names) == 1 or len(words) < 2:
        words = _stem(names[0])
    name = "_".join(words)
    return name if name not in taken else "_".join(names[0])


def _stem(words: list[str]) -> list[str]:
    """Of a single enumerator, what it is one of: all up to a word that says so, or all but the last word."""
    for i, word in enumerate(words[:-1], 1):
        if word in STEM_WORDS and i > 1:
            return words[:i]
    return words[:-1] if len(words) > 2 else words
