# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""Mailboxes of commands: each field as an enumerator that has its place, and rows for who prints them."""

from __future__ import annotations

from ...api.merge import Api
from ...fast.record import field, record
from ...know.model import Lore
from ...know.prm import BEGINS, BYTES, NEAR, OF_ALL, OF_WQE, SEGMENTS, command_of

PREFIX = "VX_MLX5_"
ANSWER = 0xFFF  # in the place of an opcode: VX_MLX5_OF_ANSWER
COMMAND = f"{PREFIX}CMD_"
BEGIN_ALL = {"cmd_in": "the mailbox that brings any command", "cmd_out": "the answer to any command"}


@record
class PrmField:
    """As programs name it."""

    enumerator: str
    offset: int
    width: int
    opcode: int  # of the command that it is of; 0: of several; ANSWER: what a device writes

    @property
    def value(self) -> int:
        """What VX_MLX5_FIELD() makes of these."""
        return self.offset % NEAR | self.width - 1 << 13 | (self.opcode ^ self.offset // NEAR) << 19


@record
class PrmPart:
    """A row: a field, or a layout that lies there."""

    name: str
    offset: int
    width: int  # of a layout its index
    nested: bool


@record
class PrmLayout:
    name: str
    index: int
    size: int  # in bytes; 0: of no mailbox
    opcode: int
    answer: bool
    least: int = 0  # bytes that it may have
    op_mod: int = 0
    op_mods: int = 0  # for how many of them from that on it is; 0: for all
    parts: list[PrmPart] = field(default_factory=list)
    fields: list[PrmField] = field(default_factory=list)

    def place(self, command: str) -> str:
        """What it is a part of, in words."""
        if self.name in BEGIN_ALL:
            return BEGIN_ALL[self.name]
        if not command:
            return f"the context {self.name.upper()}"
        answer = f"the answer to {command}" + (f" of op_mod {self.op_mod:#x}" if self.op_mod else "")
        return answer if self.answer else f"the mailbox that brings {command}"


@record
class Prm:
    layouts: list[PrmLayout] = field(default_factory=list)
    commands: list[tuple[str, int]] = field(default_factory=list)
    segments: list[PrmLayout] = field(default_factory=list)  # of WQEs, with their names as [wqe] has them

    def segment(self, name: str) -> int:
        """Where one stands among them."""
        return [s.name.removeprefix(OF_WQE) for s in self.segments].index(name)

    def words(self) -> dict[str, str]:
        """What each enumerator is, by its value."""
        named = {opcode: name.removeprefix(COMMAND) for name, opcode in self.commands}
        out = {name: f"{opcode:#x}: the opcode of the command {named[opcode]}" for name, opcode in self.commands}
        for layout in self.layouts:
            for f in layout.fields:
                bits = f"bits {f.offset} to {f.offset + f.width - 1}" if f.width > 1 else f"bit {f.offset}"
                out[f.enumerator] = f"{f.value:#x}: {bits} of {layout.place(named.get(layout.opcode, ''))}"
        return out


def _flat(lore: Lore, key: str, base: int, before: str) -> list[tuple[str, int, int]]:
    out = []
    for name, place in lore.prm[key].items():
        if name in OF_ALL:
            continue
        if isinstance(place[0], str):
            further = "" if name == place[0] else f"{name}_"
            out += _flat(lore, place[0], base + place[1], before + further)
        else:
            out.append((before + name, base + place[0], place[1]))
    return out


def plan_wqes(lore: Lore, api: Api) -> list[tuple[int, list[str]]]:
    """What follows the control segment of a WQE, in C, by its opcode."""
    prm = plan_prm(lore)

    def in_c(segment: str) -> str:
        if segment in SEGMENTS:
            return f"VX_WQE_{segment.upper()}"
        return f"VX_WQE_LAYOUT + {prm.segment(segment)}" if OF_WQE + segment in lore.prm else f"VX_WQE_STRUCT + STRUCT_{segment}"

    values = {v.name: v.value for e in api.enums().values() for v in e.values}
    rows = [(values[opcode] or 0, [in_c(s) for s in segments])
            for opcode, segments in lore.wqe.items() if opcode in values]
    return sorted(rows)


def plan_prm(lore: Lore) -> Prm:
    opcodes = {name.lower(): int(number) for number, name in lore.code.get("mlx5_command", {}).items()}
    index = {name: i for i, name in enumerate(lore.prm)}
    out = Prm(commands=[(f"{COMMAND}{name.upper()}", opcode) for name, opcode in sorted(opcodes.items(), key=lambda c: c[1])])
    for key, said in lore.prm.items():
        end = key.rpartition("_")[2]
        command = command_of(key, said, opcodes)
        opcode = opcodes.get(command, 0) if end in BEGINS else 0
        layout = PrmLayout(key, index[key], said.get(BYTES, 0), opcode, end == "out", least=said.get("least", said.get(BYTES, 0)), op_mod=said.get("from_op_mod", 0), op_mods=said.get("op_mods", 0))
        layout.parts = [PrmPart(name, place[1], index[place[0]], True) if isinstance(place[0], str) else PrmPart(name, place[0], place[1], False)
                        for name, place in said.items() if name not in OF_ALL]
        of = opcode if end == "in" else ANSWER if end == "out" else 0
        stem = PREFIX + (command if of == opcode and of else key).upper()
        layout.fields = [PrmField(f"{stem}_{name.upper()}", offset, width, of) for name, offset, width in _flat(lore, key, 0, "")]
        out.layouts.append(layout)
    out.segments = [layout for layout in out.layouts if layout.name.startswith(OF_WQE)]
    return out
