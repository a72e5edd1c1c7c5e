# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""What is to be said of enumerators: new ones beside others that lore explains."""

from __future__ import annotations

import json
from collections.abc import Iterator

from ...api import own
from ...api.merge import Api
from ...know.model import Lore, find_field
from ...know.reasons import TYPES
from ...know.remarks import LORE, Remarks
from ..enums.enums import EnumPlan
from ..when.transitions import bits_without_row
from .enums import EnumRemarks

MOST = 0.5  # of the enumerators of an enum: as many have a meaning, so that one without was forgotten
CODES = 2**16  # values that a code can have words for
SPEC = ("type", "size")  # what all specs of flows begin with
MEANINGS, TRANSITIONS = LORE.format("meanings"), LORE.format("transitions")


class ValueRemarks(EnumRemarks):
    def __init__(self, api: Api, lore: Lore, enums: list[EnumPlan], remarks: Remarks) -> None:
        super().__init__(api, lore, enums, remarks)
        self.state, self.type, self.wq_state = (lore.reasons.prefix.get(what, "") for what in ("state", "type", "wq_state"))

    def add(self) -> None:
        for enum in self.enums.values():
            self._meanings(enum)
            self._of_qps(enum)
            self._of_wqs(enum)
            self._flows(enum)
        for code, name in dict.fromkeys(self._coded()):
            self._words(code, self.enums[name])
        self._of_bits()

    def _meanings(self, enum: EnumPlan) -> None:
        names = _usable(enum)
        known = [n for n in names if n in self.lore.meaning]
        if known and len(known) > MOST * len(names):
            for name in names:
                if name not in known:
                    self.remarks.add(enum.header, name, f"means nothing to people, as others of enum {enum.name} do", MEANINGS, "meaning",
                                     f'{name} = {{ says = "..." }}')

    def _coded(self) -> Iterator[tuple[str, str]]:
        """The codes by which fields of an enum are shown, with the enum."""
        for key, entry in self.lore.field.items():
            struct, _, path = key.partition(".")
            found = find_field(self.structs, struct, path) if "code" in entry else None
            if found and found.kind == "enum" and found.ref in self.enums:
                yield entry["code"], found.ref

    def _words(self, code: str, enum: EnumPlan) -> None:
        """Values that a code has no words for; where those of all others end a name and go on alike, so do those of a new one."""
        known = self.lore.code[code]
        rows = [r for r in enum.rows if r.usable]
        ends = {known[r.value].removeprefix(_last(r.name)) if known[r.value].startswith(_last(r.name)) else "" for r in rows if r.value in known}
        for row in rows:
            if row.value not in known and 0 <= row.value < CODES:
                text = f"{_last(row.name)}{next(iter(ends))}" if len(ends) == 1 and "" not in ends and _last(row.name).isdecimal() else "..."
                self.remarks.lore(enum.group, enum.header, row.name, f"a value of enum {enum.name} for which [code.{code}] has no words: it is printed as a number",
                                  f"code.{code}", f"{row.value} = {json.dumps(text)}")

    def _of_qps(self, enum: EnumPlan) -> None:
        names = [n for n in _usable(enum) if n not in self.lore.reasons.unlisted]
        rows = self.lore.reasons.transition
        alike = max((types.split() for of in rows.values() for types in of), key=len, default=[])
        ends = [(key.partition(" -> ")[0].split(), key.partition(" -> ")[2]) for key in rows]
        if not {self.type + word for word in alike}.isdisjoint(names):
            for name in names:
                self._of_type(enum, name, alike)
        if not {self.state + target for _, target in ends}.isdisjoint(names):
            for name in names:
                self._of_state(enum, name, ends, alike)

    def _of_type(self, enum: EnumPlan, name: str, alike: list[str]) -> None:
        """Transitions that a type lacks, of those that all of others have."""
        word, rows = name.removeprefix(self.type), self.lore.reasons.transition
        has = {key for key, of in rows.items() for types in of if word in types.split()}
        what = "a type of QPs that lacks a transition which those like it have: it is refused" if has else "a type of QPs that has no transitions: its changes of state are refused"
        for key, masks in _of_all(rows, [w for w in alike if w != word]):
            if key not in has:
                self._no_transition(enum, name, what, self.type, key, f"{{}} = {json.dumps(masks)}")

    def _of_state(self, enum: EnumPlan, name: str, ends: list[tuple[list[str], str]], alike: list[str]) -> None:
        """That no transition leads to a state, or none from it: lines for the state that most lead to, and for the one that most can be left for."""
        word, targets = name.removeprefix(self.state), [target for _, target in ends]
        line = f'"{" ".join(alike)}" = [[], []]'
        if word not in targets:
            self._no_transition(enum, name, "a state of QPs that no transition leads to", self.state, f"{max(targets, key=targets.count)} -> {{}}", line)
        if not any(word in sources for sources, _ in ends):
            end = max(ends, key=lambda e: len(e[0]))[1]
            self._no_transition(enum, name, "a state of QPs that no transition leads from", self.state, f"{{}} -> {end}", line)

    def _of_bits(self) -> None:
        """Those of all releases have been looked at; of the others each line of a transition that needs or allows one has to be written anew."""
        enum_of = {row.name: (enum, row) for enum in self.enums.values() for row in enum.rows}
        for name in bits_without_row(self.api, self.lore):
            enum, row = enum_of[name]
            if row.since > self.api.oldest and name not in self.lore.reasons.unlisted:
                self.remarks.add(enum.header, name, "a bit that no transition needs or allows, so that no failure is explained by it: it goes into the lines of [transition] that do; "
                                 "where none does, or none is known to", TRANSITIONS, "unlisted", f'{name} = "..."')

    def _of_wqs(self, enum: EnumPlan) -> None:
        known = [word for state, ways in self.lore.reasons.wq_transition.items() for word in (state, *ways)]
        for name in _without(enum, self.wq_state, known, self.lore):
            word = name.removeprefix(self.wq_state)
            what = "a state of WQs that no transition leads to or from: changes to it are refused"
            table, line = ("wq_transition", f'{word} = ["{known[0]}"]') if word != name else ("unlisted", f'{name} = "..."')
            self.remarks.add(enum.header, name, what, TRANSITIONS, table, line)

    def _flows(self, enum: EnumPlan) -> None:
        """Types of specs of flows: which structure goes with each, no header says."""
        if any(name in self.lore.flow for name in _usable(enum)):
            bits = self.lore.enum.get(enum.name, {}).get("bits", [])
            for name in _usable(enum):
                if name not in (*self.lore.flow, *bits) and name not in self.lore.reasons.unlisted:
                    self.remarks.add(enum.header, name, "a type of specs that vx_flow_create() does not know", *self._flow(name))

    def _flow(self, name: str) -> tuple[str, str, str]:
        """The line that it takes: of an action, of which struct vx_flow_spec has all, there is one; a header has to get its fields there."""
        struct = self.structs.get(name.lower())
        fields = [f.name for f in struct.fields if f.name not in SPEC] if struct else []
        if struct and set(fields) <= set(own.headers().members("vx_flow_spec")) - {"val", "mask"}:
            group = next(g.name for g in self.api.groups.values() if struct.name in g.structs)
            return LORE.format(group), "flow", f"{name} = {{ of = {json.dumps(struct.name)}, takes = {json.dumps(fields)} }}"
        return TRANSITIONS, "unlisted", f'{name} = "..."'

    def _no_transition(self, enum: EnumPlan, name: str, what: str, prefix: str, key: str, line: str) -> None:
        """Tables of transitions have names without a prefix, and types with small numbers; what has another is in none."""
        word = name.removeprefix(prefix)
        if word != name and (prefix != self.type or 0 <= (enum.value_of(name) or 0) < TYPES):
            self.remarks.add(enum.header, name, what, TRANSITIONS, f'transition."{key.format(word)}"', line.format(word))
        else:
            self.remarks.add(enum.header, name, what, TRANSITIONS, "unlisted", f'{name} = "..."')


def _of_all(rows: dict[str, dict[str, list[list[str]]]], types: list[str]) -> Iterator[tuple[str, list[list[str]]]]:
    """The transitions that all of some types have, with what the first of these needs."""
    for key, of in rows.items():
        masks = {word: masks for names, masks in of.items() for word in names.split()}
        if types and masks.keys() >= set(types):
            yield key, masks[types[0]]


def _without(enum: EnumPlan, prefix: str, words: list[str], lore: Lore) -> list[str]:
    """The enumerators that none of these words is, with a prefix before it, in an enum that has some that one is."""
    names = _usable(enum)
    known = {prefix + word for word in words}
    return [n for n in names if n not in known and n not in lore.reasons.unlisted] if not known.isdisjoint(names) else []


def _last(name: str) -> str:
    return name.rpartition("_")[2]


def _usable(enum: EnumPlan) -> list[str]:
    return [r.name for r in enum.rows if not r.flags]
