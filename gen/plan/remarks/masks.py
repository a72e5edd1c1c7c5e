# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""What is to be said of masks that say which fields of a structure count: bits of which nobody says what they guard."""

from __future__ import annotations

from collections.abc import Iterator

from ...api.merge import Api
from ...know.model import NO_BITS, Lore, find_field
from ...know.remarks import Remarks
from ...reach.news import News
from ..enums.enums import EnumPlan, Row
from ..structs.guesses import Guesses
from .enums import EnumRemarks


class MaskRemarks(EnumRemarks):
    def __init__(self, api: Api, lore: Lore, enums: list[EnumPlan], news: News, remarks: Remarks) -> None:
        super().__init__(api, lore, enums, remarks)
        self.news = news
        self.guesses = Guesses(api, lore, self.enums)

    def add(self) -> None:
        self._bits_at_last()
        for struct, selector, enum_name in self._masks():
            enum = self.enums[enum_name]
            self._unguarded(struct, selector, enum, [r for r in enum.rows if not r.flags and r.name not in self.lore.guard[_key(struct, selector)]])
        for struct, selector, enum in self._without_guards():
            is_new = self.news.field(self.structs[struct], selector, self._since(struct, selector))
            self._unguarded(struct, selector, enum, [r for r in enum.rows if not r.flags and (is_new or r.since >= self.news.newest)])

    def _masks(self) -> Iterator[tuple[str, str, str]]:
        """Structures, the masks that say which of their fields count, and the enums of those; "" for one beside the structure."""
        for key in self.lore.guard:
            struct, _, selector = key.partition(".")
            name = self.lore.field.get(key, {}).get("flags", "")
            if struct.endswith("()"):
                struct, selector, name = struct.removesuffix("()"), "", self._beside(struct.removesuffix("()"))
            if name in self.enums and struct in self.structs:
                yield struct, selector, name

    def _without_guards(self) -> Iterator[tuple[str, str, EnumPlan]]:
        """The same of those of which no bit is known to guard anything; of a new one also what its enum most likely is."""
        for struct in self.structs.values():
            for f in struct.fields:
                key = f"{struct.name}.{f.name}"
                if f.name in self.guesses.masks and key not in self.lore.guard:
                    said = self.lore.field.get(key)
                    guess = said == NO_BITS or not said and self.news.field(struct, f.name, f.since)
                    enum = self.guesses.enum_of(f.name, key) if guess else self.enums.get((said or {}).get("flags", ""))
                    if enum:
                        yield struct.name, f.name, enum

    def _bits_at_last(self) -> None:
        """What lore knows without bits, and has got some: until it says which, they are no more than a number, and those of a mask are nobody's to set."""
        for key in (key for key, said in self.lore.field.items() if said == NO_BITS):
            struct, _, path = key.partition(".")
            enum = self.guesses.enum_of(path, key) if self._since(struct, path) else None
            if enum and enum.kind == "flags":
                group = next(g.name for g in self.api.groups.values() if struct in g.structs)
                self.remarks.lore(group, self.structs[struct].header, key, f"lore says that it has no bits, and enum {enum.name} is called as those of it would be", "field",
                                  f'"{key}" = {{ flags = "{enum.name}" }}')

    def _beside(self, struct: str) -> str:
        """The enum of the mask that calls take along with a structure."""
        for call in self.api.calls().values():
            for p in call.params:
                mask = self.lore.parameter.get(f"{call.name}.{p.name}", {}).get("mask")
                if mask and p.what.is_to(struct):
                    return str(self.lore.parameter.get(f"{call.name}.{mask}", {}).get("flags", ""))
        return ""

    def _unguarded(self, struct: str, selector: str, enum: EnumPlan, bits: list[Row]) -> None:
        """Bits of a mask that guard no field, while others may."""
        key = _key(struct, selector)
        group = next(g for g in self.api.groups.values() if struct in g.structs)
        what = f"a bit of {key} that guards no field, so it is refused" if key in self.lore.guard else f"a bit of {key}, of which nobody says what it guards: no field sets it"
        for row in bits:
            came = self._came_with(struct, row.since, selector)
            of = {bit.name: _called(bit.name, came) for bit in bits if bit.since == row.since}
            grew = not selector or self._since(struct, selector) < row.since  # else what has no bit that is called so is always valid
            mine = of[row.name] if not grew or sorted(path for paths in of.values() for path in paths) == sorted(came) else came
            fields = ", ".join(f'"{path}"' for path in mine)
            self.remarks.lore(group.name, enum.header, row.name, what, f'guard."{key}"', f"{row.name} = [{fields}]")

    def _since(self, struct: str, path: str) -> int:
        found = find_field(self.structs, struct, path)
        return found.since if found else 0

    def _came_with(self, struct: str, since: int, selector: str) -> list[str]:
        """The fields that a structure has got along with a bit, as far as others guard them not."""
        guarded = {path.partition(".")[0] for paths in self.lore.guard.get(_key(struct, selector), {}).values() for path in paths}
        names = [f.name for f in self.structs[struct].fields if f.since == since and f.name not in guarded | {selector}]
        return [n for n in names if since > self.api.oldest and find_field(self.structs, struct, n)]


def _key(struct: str, selector: str) -> str:
    return f"{struct}.{selector}" if selector else f"{struct}()"


def _called(bit: str, fields: list[str]) -> list[str]:
    """The fields that the name of a bit ends in."""
    return [name for name in fields if bit.lower().endswith(f"_{name.lower()}")]
