# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""What the tables of enums hold: which rows, which names come first, how values are looked up."""

from __future__ import annotations

from typing import Any

from ...api.facts import Enum, Enumerator, Macro
from ...api.merge import VARYING, Api
from ...api.own import OwnEnum
from ...fast.record import field, record
from ...know.model import Lore
from ...know.remarks import Remarks
from ..when.rules import all_bits

FLAG_WORDS = ("flags", "flag", "mask", "caps", "cap_bits", "bits", "offloads")
DENSE = 4  # slots that a name may take; what lies further apart is looked for among the rows
GROUP = "libverbsx"  # of what is its own


def present(header: str) -> str:
    """The macro that tells whether a program has a header."""
    return f"VX_HAS_{header.rpartition('/')[2].removesuffix('.h').upper()}"


@record
class Row:
    name: str
    value: int
    since: int
    flags: list[str] = field(default_factory=list)
    wide: int | None = None  # index among the values that take more than 32 bits

    def has(self, flag: str) -> bool:
        return flag in self.flags

    @property
    def usable(self) -> bool:
        return not self.has("SENTINEL")

    @property
    def single_bit(self) -> bool:
        return (self.value % 2**64).bit_count() == 1


@record
class EnumPlan:
    name: str
    header: str
    group: str
    kind: str  # values flags mixed
    since: int
    rows: list[Row]
    bits: int = 0  # mixed: the flag bits
    low: int = 0
    slots: list[str] = field(default_factory=list)  # name or "" for low, low + 1, ...
    prefix: int = 0
    row: int = 0
    slot: int = 0
    tag: bool = True  # the headers have `enum name`

    @property
    def is_wide(self) -> bool:
        """Whether it takes more than 32 bits."""
        return any(not 0 <= r.value < 2**32 for r in self.rows)
    note: str = ""  # lore's remark, for people
    guard: str = ""  # preprocessor condition of its type
    number: int = 0  # of gen/abi/ids.toml; 0: only this machine's headers have it

    @property
    def own(self) -> bool:
        return self.group == GROUP

    @property
    def reached(self) -> str:
        """What gives its table, in C."""
        return f"vx_enum_by_id({self.number})" if self.number else f'vx_enum_find("{self.name}")'

    @property
    def c_type(self) -> str:
        return f"enum {self.name}" if self.tag else "int64_t"

    def value_of(self, name: str) -> int | None:
        return next((r.value for r in self.rows if r.name == name), None)


def _signed(value: int) -> int:
    """As int64_t holds it."""
    return value - 2**64 if value >= 2**63 else value


def _says_flags(name: str) -> bool:
    return any(name.endswith(f"_{w}") or f"_{w}_" in name for w in FLAG_WORDS)


def _guess_kind(enum: Enum) -> str:
    bits = [v.value for v in enum.values if v.value > 0 and v.value.bit_count() == 1]
    if enum.shifts or _says_flags(enum.name) or len(bits) == len(enum.values) and (len(bits) > 2 or bits == [1]):
        return "flags"
    return "flags" if len(bits) > 2 and _may_be_flags(enum) else "values"


def _may_be_flags(enum: Enum) -> bool:
    """Whether most of the values are bits, at least two, the others none or several of these, and nobody has counted: 1, 2 and 8, or 0, 1, 2, 4 and 7."""
    values = {v.value for v in enum.values}
    bits = {v for v in values if v > 0 and v.bit_count() == 1}
    counted = min(values) in (0, 1) and len(values) == max(values) - min(values) + 1
    return not counted and len(bits) > 1 and 2 * len(bits) > len(values - {0}) and all(v & ~all_bits(bits) == 0 for v in values)


def _alias_macros(api: Api) -> dict[str, list[Macro]]:
    """Enumerator -> the macros that stand for it, under a public name."""
    out: dict[str, list[Macro]] = {}
    for macro in api.macros().values():
        if macro.kind == "value" and macro.text:
            out.setdefault(macro.text, []).append(macro)
    return out


def _constants(api: Api) -> dict[str, Macro]:
    return {m.name: m for m in api.macros().values() if m.kind == "value"}


def _tell_varying(api: Api, lore: Lore, remarks: Remarks) -> None:
    """What lore counts among the names of an enum, and has no one value that a table could hold."""
    varying = [(g.name, m) for g in api.groups.values() for m in g.macros.values() if m.kind == VARYING and m.name not in lore.skip]
    for name, entry in lore.enum.items():
        for group, macro in ((g, m) for g, m in varying if m.name in entry.get("macros", [])):
            remarks.lore(group, macro.header, macro.name, f"left out of enum {name}, as releases of rdma-core differ about its value", "skip",
                         f'{macro.name} = "each release has another value"')


def _rows(enum: Enum, entry: dict[str, Any], aliases: dict[str, list[Macro]], macros: dict[str, Macro]) -> list[Row]:
    """Those of enumerators, each behind the macros that stand for it; one that was an enumerator before it was such a macro is as old as that."""
    rows = []
    extra, own = entry.get("macros", []), {v.name: v for v in enum.values}
    instead = {m.name for name in own for m in aliases.get(name, []) if m.name != name}
    for v in enum.values:
        for m in aliases.get(v.name, []):
            if m.name not in extra and m.name != v.name:
                rows.append(Row(m.name, _signed(v.value), own[m.name].since if m.name in own else max(m.since, v.since), ["MACRO"]))
        if v.name not in instead:
            rows.append(Row(v.name, _signed(v.value), v.since))
    rows += [Row(n, _signed(macros[n].value or 0), macros[n].since, ["MACRO"]) for n in extra if n in macros]
    return rows


def _mark(rows: list[Row], entry: dict[str, Any], kind: str) -> None:
    """Say of each row whether it is a second name, several flags at once, or no value at all."""
    seen = set()
    singles = 0
    for row in rows:
        if row.name in entry.get("sentinels", []) or row.name.endswith("_RESERVED"):
            row.flags.append("SENTINEL")
            continue
        if row.value in seen:
            row.flags.append("ALIAS")
        seen.add(row.value)
        singles |= row.value if row.single_bit else 0
    for row in rows:
        several = kind == "flags" and row.value and not row.single_bit
        if row.name in entry.get("composites", []) or (several and row.value & ~singles == 0):
            row.flags.append("COMPOSITE")


def _prefix(rows: list[Row]) -> int:
    """Length of what the names share up to the last '_'; a second name may be of another family."""
    names = [r.name for r in rows if not r.has("ALIAS")]
    if len(names) < 2:
        return 0
    low, high = min(names), max(names)
    same = next((i for i, (a, b) in enumerate(zip(low, high)) if a != b), min(len(low), len(high)))
    return low.rfind("_", 0, same) + 1


def _value_slots(rows: list[Row]) -> tuple[int, list[str]]:
    """The name of each value from the lowest on, as far as that is not mostly holes."""
    names: dict[int, str] = {}
    for row in rows:
        if row.usable:
            names.setdefault(row.value, row.name)
    if not names:
        return 0, []
    low = min(names)
    if not _fits(low):
        return 0, []
    high = max(v for n, v in enumerate(sorted(names), 1) if v - low < DENSE * n)
    return low, [names.get(v, "") for v in range(low, high + 1)]


def _bit_slots(rows: list[Row]) -> list[str]:
    names: dict[int, str] = {}
    for row in rows:
        if row.usable and row.single_bit:
            names.setdefault((row.value % 2**64).bit_length() - 1, row.name)
    return [names.get(bit, "") for bit in range(max(names, default=-1) + 1)]


def _finish(plan: EnumPlan, entry: dict[str, Any]) -> EnumPlan:
    _mark(plan.rows, entry, plan.kind)
    plan.prefix = _prefix(plan.rows)
    plan.bits = all_bits(plan.value_of(n) or 0 for n in entry.get("bits", []))
    if plan.kind == "flags":
        plan.slots = _bit_slots(plan.rows)
    else:
        flag = plan.bits & -plan.bits or 2**64
        plan.low, plan.slots = _value_slots([r for r in plan.rows if r.value < flag])
    return plan


def _of_macros(api: Api, lore: Lore) -> dict[str, tuple[str, Enum]]:
    """Enums that the headers write as macros only: a group, and an enum that has no enumerators of its own yet."""
    macros, enums = _constants(api), api.enums()
    group_of = {m: g.name for g in api.groups.values() for m in g.macros}
    out = {}
    for name, entry in lore.enum.items():
        having = [macros[m] for m in entry.get("macros", []) if m in macros]
        if name in enums or not having:
            continue
        enum = Enum(name, having[0].header, [], min(m.since for m in having), unnamed=True)
        out[name] = (group_of[having[0].name], enum)
    return out


def _of_libverbsx(enums: list[OwnEnum]) -> dict[str, tuple[str, Enum]]:
    """Its own, as facts: of no release of rdma-core."""
    return {e.name: (GROUP, Enum(e.name, e.header, [Enumerator(name, value, 0) for name, value in e.values.items()], 0))
            for e in enums}


def plan_enums(api: Api, lore: Lore, remarks: Remarks, own: list[OwnEnum]) -> list[EnumPlan]:
    """All enums of all groups and those of libverbsx, sorted by name, with their places in the tables."""
    found = {n: (g.name, e) for g in api.groups.values() for n, e in g.enums.items()} | _of_libverbsx(own)
    found |= _of_macros(api, lore)
    aliases, macros = _alias_macros(api), _constants(api)
    _tell_varying(api, lore, remarks)
    plans = []
    for name, (group, enum) in sorted(found.items()):
        entry = lore.enum.get(name, {})
        kind = entry.get("kind") or _guess_kind(enum)
        if "kind" not in entry and _is_doubtful(enum):
            remarks.lore(group, enum.header, name, f"taken for {kind}, by its values and name", "enum", f'{name} = {{ kind = "{kind}" }}')
        plan = EnumPlan(name, enum.header, group, kind, enum.since, _rows(enum, entry, aliases, macros),
                        tag=not enum.unnamed, note=entry.get("note", ""))
        plans.append(_finish(plan, entry))
    _place(plans)
    return plans


def _is_doubtful(enum: Enum) -> bool:
    """Whether neither values nor name tell, nor how it is written: one or two enumerators that could be bits, or bits with others that are none or several.
    One that is alone, 1 << 12, may be a size."""
    if _says_flags(enum.name):
        return False
    if enum.shifts:
        return len(enum.values) == 1 and enum.values[0].value > 1
    if len(enum.values) > 2 and all(v.value.bit_count() == 1 for v in enum.values):
        return False
    return all(v.value in (1, 2) for v in enum.values) or _may_be_flags(enum)


def _fits(value: int) -> bool:
    return -2**31 <= value < 2**31


def _place(plans: list[EnumPlan]) -> None:
    row = slot = 0
    wide = [r for plan in plans for r in plan.rows if not _fits(r.value)]
    for number, r in enumerate(wide):
        r.wide = number
    for plan in plans:
        plan.row, plan.slot = row, slot
        row += len(plan.rows)
        slot += len(plan.slots)


@record
class WordsPlan:
    """What values are called without what all names of their enum begin with."""

    name: str
    is_set: bool
    words: list[tuple[int, int, str]]  # where these bits have this value


def plan_words(e: EnumPlan, entry: dict[str, Any]) -> WordsPlan:
    number = entry.get("number", 0)
    named = [(r.name[e.prefix:], r.value) for r in e.rows if r.usable and not r.has("ALIAS")]
    named += [(name, value) for name, value in entry.get("others", {}).items()]
    return WordsPlan(e.name, e.kind == "flags", [(number if value & number else value, value, name) for name, value in named])
