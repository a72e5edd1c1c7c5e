# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""What a number of a structure most likely is, by how it and the enums are called."""

from __future__ import annotations

import json
from collections.abc import Iterator
from fnmatch import fnmatchcase
from functools import cached_property

from ...api.facts import Struct
from ...api.merge import Api
from ...know.model import MASK, Lore
from ..enums.enums import EnumPlan

IS_MASK = "mask"  # in the name of a field: it says which bits of something count, or which other fields do
ARE_BITS = ("flags", IS_MASK)  # what ends names of numbers that are sets of bits
NOWHERE = (0, 0)
FEW = 2  # fields of one name that are the same, so that others are
KINDS = ("enum", "flags", "bitmap", "form", "bool")
MOST = 1  # words that only one of two names has, where they are taken for alike


class Guesses:
    def __init__(self, api: Api, lore: Lore, enums: dict[str, EnumPlan]) -> None:
        self.api = api
        self.lore = lore
        self.enums = enums
        self.ends = lore.names("mask_bits")
        self.masks = (IS_MASK, MASK, *lore.names("mask"))  # of other fields; others are of bits of what they are called after

    @cached_property
    def structs(self) -> dict[str, Struct]:
        return self.api.structs()

    @cached_property
    def taken(self) -> dict[str, str]:
        """The masks that enums are known to be of."""
        return {entry["flags"]: key for key, entry in self.lore.field.items() if "flags" in entry and IS_MASK in key.rpartition(".")[2]}

    def line(self, name: str, key: str) -> str:
        """What a field most likely is, as lore says it; its key is what lore knows it by."""
        likely = self.enum_of(name, key)
        if likely:
            return f'{"flags" if likely.kind == "flags" or IS_MASK in name else "enum"} = "{likely.name}"'
        if name in self.usual and IS_MASK not in name:
            return self.usual[name]
        return "zero = true" if name == MASK else f'form = "{"hex" if IS_MASK in name else self._form(name)}"'

    @cached_property
    def usual(self) -> dict[str, str]:
        """What fields of a name are by the only word of lore about each, where several are the same and none is another."""
        found: dict[str, list[dict[str, object]]] = {}
        for key, entry in self.lore.field.items():
            if key.startswith("vx_"):
                continue  # of ours zeros are defaults, which those of headers need not be
            found.setdefault(key.rpartition(".")[2], []).append(entry)
        alike = {name: entries[0] for name, entries in found.items() if len(entries) >= FEW and all(e == entries[0] for e in entries)}
        return {name: f"{kind} = {json.dumps(what)}" for name, entry in alike.items() if len(entry) == 1 for kind, what in entry.items() if kind in KINDS}

    def _form(self, name: str) -> str:
        return next((form for form, patterns in self.lore.form_words.items() if any(fnmatchcase(name, p) for p in patterns)), "plain")

    def enum_of(self, name: str, key: str) -> EnumPlan | None:
        struct, *parts = key.split(".")[:-1]
        if name in self.masks and not parts:
            return self._of_bits(struct, key)
        words = dict.fromkeys((name, name.removesuffix(f"_{IS_MASK}")))
        called = (enum for word in words for enum in _alike(struct.split("_"), parts[-1:], word))
        return next((self.enums[enum] for enum in called if enum in self.enums), None)

    def of_parameter(self, call: str, name: str, is_long: bool) -> str:
        """What a number that a call is given most likely is, as lore says it; "" for a plain one. Flags are 32 bits at most."""
        likely = self._enum_of_parameter(call.split("_"), name)
        bits = name.endswith(ARE_BITS)
        word = "flags" if likely and likely.kind == "flags" or bits else "enum"
        if likely and not (is_long and word == "flags"):
            return f'{word} = "{likely.name}"'
        if self.lore.by_name(name):
            return ""
        form = "hex" if bits or likely else self._form(name)
        return "" if form == "plain" else f'form = "{form}"'

    def _enum_of_parameter(self, words: list[str], name: str) -> EnumPlan | None:
        """The enum that is called as a parameter and as most of its call: ibv_thing_flags of flags of ibv_create_big_thing(). Of flags as it alone."""
        found = [(*_in_order(stem, words), enum) for enum in self.enums.values() for end in (f"_{name}", f"_{name}_{ARE_BITS[0]}")
                 if enum.name.endswith(end) and ((stem := enum.name.removesuffix(end).split("_"))[1:] and end == f"_{name}" and _in_order(stem, words) > NOWHERE
                                                 or not stem[1:] and enum.kind == "flags")]
        return max(found, key=lambda f: f[:2], default=(*NOWHERE, None))[2]

    def _of_bits(self, struct: str, key: str) -> EnumPlan | None:
        """The enum in the same header that is called as a structure and the word for bits of masks, give or take a word."""
        header = self.structs[struct].header if struct in self.structs else ""
        found = [(_differs(stem, struct), at, enum) for enum in self.enums.values() if enum.header == header and self.taken.get(enum.name, key) == key
                 for at, end in enumerate(self.ends) if (stem := enum.name.removesuffix(f"_{end}")) != enum.name and not self._is_of_another(stem, struct)]
        differs, _, likely = min(found, key=lambda f: f[:2], default=(MOST + 1, 0, None))
        return likely if differs <= MOST else None

    def _is_of_another(self, stem: str, struct: str) -> bool:
        """Whether a structure of just that name has a mask."""
        another = self.structs.get(stem) if stem != struct else None
        return another is not None and any(IS_MASK in f.name for f in another.fields)


def _alike(words: list[str], part: list[str], name: str) -> Iterator[str]:
    """What begins as a structure is called and ends as a field: ibv_thing_flags of flags of ibv_thing_init_attr.

    Of a field in a part of a structure, the part is in the name as well: the flags of the whole are others.
    """
    return ("_".join([*words[:n], *part, name]) for n in range(len(words), 0, -1))


def _in_order(some: list[str], words: list[str]) -> tuple[int, int]:
    """How many words come in a name in their order, be there others between, and where the last does; NOWHERE if one does not."""
    at = 0
    for word in some:
        if word not in words[at:]:
            return NOWHERE
        at = words.index(word, at) + 1
    return len(some), at


def _differs(one: str, two: str) -> int:
    """How many words only one of two names has."""
    return len(set(one.split("_")) ^ set(two.split("_")))
