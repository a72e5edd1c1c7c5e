# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""What there is to plan objects from."""

from __future__ import annotations

from functools import cached_property
from typing import Any

from ...api.c_types import c_type
from ...api.facts import Call, Enum, Field
from ...api.merge import Api
from ...api.sizes import Sizes
from ...errors import GenError
from ...know.groups import HeaderGroup
from ...know.model import INTEGERS, MASK, Lore, find_field, ways_of as ways_of
from ...promise import ids, shapes
from ..enums.enums import present
from ..when.guards import guard, lives
from .method import Mask
from .object import ROOT, Constant, Told


class Tables:
    """An API and what lore says of it."""

    def __init__(self, api: Api, lore: Lore, groups: list[HeaderGroup]) -> None:
        self.api = api
        self.lore = lore
        self.groups = groups
        self.structs = api.structs()
        self.enums = api.enums()
        self.calls = api.calls()
        self.lives = api.lives()
        self.since = {name: since for name, (since, _) in self.lives.items()}
        self.selectors = (MASK, *lore.names("mask"))
        self.told: list[Told] = []
        self.otherwise: dict[str, str] = {}  # of kinds, what their init structures are without, as one tree has something else
        self.taken: dict[str, None] = {}  # structures that not all headers have, of which programs give functions
        self.asked: set[str] = set()  # enumerators in conditions, which stand there for all releases
        self.entries: dict[str, dict[str, Any]] = lore.object
        self.kind_of = {e["raw"]: n for n, e in self.entries.items() if e.get("type", n) == n and "raw" in e}
        self.kind_of[lore.context] = ROOT
        self.of_group = {name: next((g for g in groups if g.name == owner), HeaderGroup(owner, [], ""))
                         for owner, group in api.groups.items() for name in group.calls}
        self.ids = ids.append(kind_names(lore), ids.load().kind)

    @cached_property
    def published(self) -> shapes.Shapes:
        return shapes.load()

    @cached_property
    def recorded(self) -> shapes.Shapes:
        """The structures that are for ever what they were."""
        return {**self.published, **self.of_rdma_core}

    @cached_property
    def of_rdma_core(self) -> shapes.Shapes:
        return shapes.of_rdma_core(self.published, self.structs)

    @cached_property
    def machines(self) -> list[Sizes]:
        return shapes.on_machines(self.structs, self.of_rdma_core)

    def elsewhere(self) -> list[Constant]:
        """Enumerators that newer headers have no more, but for those with a name of this tree for their value, or that older lack and conditions ask for."""
        lives = {name: (since if name in self.asked else 0, until) for name, (since, until) in self.lives.items()}
        values = {v.name: v.value for e in self.enums.values() for v in e.values}
        return [Constant(name, c_number(value), condition) for name, value in values.items()
                if any(lives[name]) and (condition := self.guard(*lives[name]))]

    def mask(self, name: str, value: str, struct: str, selector: str, enum_name: str = "") -> Mask:
        """A mask and its bits that nobody knows. Those of fields that the headers at hand lack rdma-core would look for behind the structure."""
        enum = self.enums.get(enum_name or self.lore.field.get(f"{struct}.{selector}", {}).get("flags", ""))
        known = self._known_bits(struct, selector, enum)
        oldest = max(self.api.oldest, self.structs[struct].since) if struct in self.structs else self.api.newest
        named = enum and known and enum.since <= oldest  # a tree may have the structure, and no table of the names of a later enum
        return Mask(name, without(value, known), f"1 + ENUM_{enum.name}" if enum and named else "0", known or "0")

    def _is_here(self, f: Field) -> bool:
        """Whether one tree of headers has a field; of all releases there is one that has."""
        return not self.api.of_tree or f.since <= self.api.of_tree

    def _is_mask_here(self, f: Field) -> bool:
        """Whether it has a mask, and as a number."""
        return self._is_here(f) and (not self.api.of_tree or f.kind in INTEGERS and f.count is None)

    def _known_bits(self, struct: str, name: str, enum: Enum | None) -> str:
        guarded = self.lore.guard.get(f"{struct}.{name}", {})
        oldest = max(self.api.oldest, self.structs[struct].since) if struct in self.structs else self.api.oldest
        mask = find_field(self.structs, struct, name)
        room = (1 << 8 * (mask.size if mask else 8)) - 1  # what the enum has beyond it cannot be said there
        bits: dict[int, int] = {}  # by the release from which they can be passed on
        for v in [v for v in (enum.values if enum else []) if not v.name.endswith("_RESERVED")]:
            fields = [find_field(self.structs, struct, path) for path in guarded.get(v.name, [])]
            since = max([oldest, *(f.since for f in fields if f)])
            bits[since] = bits.get(since, 0) | v.value & room
        return " | ".join(f"0x{bit:x}u" if since == oldest else f"({self.guard(since)} ? 0x{bit:x}u : 0)" for since, bit in sorted(bits.items()))

    def beyond(self, struct: str, name: str) -> list[str]:
        """Fields of a structure that have more bits than packets have for them, as conditions in C."""
        return [f"{name}.{path} > {bound:#x}" for key, bound in self.lore.reasons.limit.items() if isinstance(bound, int)
                for owner, _, path in [key.partition(".")] if owner == struct
                and not getattr(find_field(self.structs, struct, path), "until", 0)]

    def guard(self, since: int, until: int = 0) -> str:
        return guard(since, until, self.api.oldest, self.api.newest)

    def present(self, call: Call) -> str:
        """The condition under which a program has what a vendor's call is declared by. Where not all releases have its header, it is declared without."""
        group = self.of_group[call.name]
        return present(call.header) if group.word and group.first <= self.api.oldest and not group.until else ""

    def wrong(self, name: str, message: str, hint: str | None = None) -> GenError:
        path, line = self.lore.places.get(name, (None, None))
        return GenError(f"{name}: {message}", file=path, line=line, hint=hint or self.otherwise.get(name))

    def newer(self, *items: tuple[int, int]) -> str:
        """The condition under which headers have all of these; "" where all do."""
        return self.guard(*lives(*items))

    def _retyped(self, text: str) -> str:
        """A type of a newer release's headers as one that all have."""
        what = c_type(text)
        enum = None if what.is_pointer else self.enums.get(what.name)
        return "uint32_t" if enum and enum.since > self.api.oldest else text

    def _fields_of(self, struct: str) -> list[Field]:
        return self.structs[struct].fields if struct in self.structs else []

    def _title(self, name: str) -> str:
        if not name:
            return ""
        return "context" if name == ROOT else (self.entries | self.lore.own).get(name, {}).get("title", name.replace("_", " "))

    def _page(self, call: str) -> str:
        return self.lore.man.get(call, f"{call}(3)") or f"{call}()"


def c_number(value: int) -> str:
    """A value of an enumerator in C."""
    wide = not -2**31 < value < 2**31
    text = f"{value}{'ULL' if value >= 2**63 else 'LL'}" if wide else str(value)
    return "(-9223372036854775807LL - 1)" if value == -2**63 else f"({text})" if value < 0 else text


def without(value: str, bits: str) -> str:
    """A value less some bits, in C; one of 64 bits keeps its high ones."""
    return f"{value} & ~(uint64_t)({bits})" if " " in bits else f"{value} & ~(uint64_t){bits}" if bits else value


def kind_names(lore: Lore) -> list[str]:
    """All kinds, whether or not these headers have them."""
    return [ROOT, *lore.object, *lore.own]
