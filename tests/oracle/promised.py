# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""What gen reads of libverbsx's own enums, what lore says of mailboxes, and what is promised of structures and kinds, against DWARF: both ways."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from gen.api import own

from .headers import ROOT
from .model import Witness

ANSWER = 0xFFF  # in the place of an opcode


OWN = "vx_"


@dataclass(frozen=True)
class Promises:
    """What is believed."""

    enums: dict[str, dict[str, int]]  # of the headers that are written by hand, and of mailboxes
    structs: dict[str, Any]  # field -> type, offset, bytes
    kinds: dict[str, int]


def read() -> Promises:
    """All of it."""
    structs, ids = (tomllib.loads((ROOT / f"gen/abi/{name}.toml").read_text()) for name in ("structs", "ids"))
    return Promises({**{e.name: e.values for e in own.headers().enums}, **_of_mailboxes()}, structs, ids["kind"])


def _of_mailboxes() -> dict[str, dict[str, int]]:
    """Opcodes, and fields as VX_MLX5_FIELD() packs them."""
    known, layouts = (tomllib.loads((ROOT / f"gen/lore/{name}.toml").read_text()) for name in ("mlx5dv", "mlx5prm"))
    opcodes = {name: int(number, 0) for number, name in known["code"]["mlx5_command"].items()}
    fields = {}
    for layout in layouts["prm"]:
        command, _, end = layout.upper().rpartition("_")
        opcode = opcodes.get(command, 0) if end == "IN" else 0
        for name, offset, width in _places(layouts["prm"], layout):
            fields[f"VX_MLX5_{command if opcode else layout.upper()}_{name.upper()}"] = _packed(offset, width, opcode or (ANSWER if layout.endswith("_out") else 0))
    return {"vx_mlx5_opcode": {f"VX_MLX5_CMD_{name}": opcode for name, opcode in opcodes.items()}, "vx_mlx5_field": fields}


def _packed(offset: int, width: int, opcode: int) -> int:
    """Far offsets have the place of lower bits of the opcode, where none is."""
    upper, lower = divmod(offset, 1 << 13)
    return lower + ((width - 1) << 13) + ((opcode - upper if opcode == ANSWER else opcode + upper) << 19)


def _places(layouts: dict[str, Any], layout: str) -> Iterator[tuple[str, int, int]]:
    """Of the fields of a layout, and of those of the layouts that lie in it."""
    for name, place in layouts[layout].items():
        if isinstance(place, int):
            continue
        if isinstance(place[0], int):
            yield name, place[0], place[1]
        else:
            outer = f"{name}_" if name != place[0] else ""
            yield from ((outer + inner, place[1] + offset, width) for inner, offset, width in _places(layouts, place[0]))


def differences(headers: Witness, promises: Promises) -> list[str]:
    """All of them."""
    return [*_enums(headers, promises.enums), *_kinds(headers, promises.kinds), *_structs(headers, promises.structs)]


def _enums(headers: Witness, read: dict[str, dict[str, int]]) -> Iterator[str]:
    declared = headers.part(own=True).enums
    for tag in sorted((declared.keys() | read.keys()) - {"vx_object_kind"}):
        values = {name: row.value for name, row in declared.get(tag, {}).items()}
        if values != read.get(tag):
            yield f"enum {tag}: {values}: gen reads {read.get(tag)}"


def _kinds(headers: Witness, kinds: dict[str, int]) -> Iterator[str]:
    promised = {f"VX_OBJECT_{name.upper()}": number for name, number in kinds.items()}
    declared = {name: row.value for name, row in headers.enums["vx_object_kind"].items()}
    for name in sorted(promised.keys() | declared.keys()):
        if promised.get(name) != declared.get(name):
            yield f"enum vx_object_kind: {name} = {declared.get(name)}: {promised.get(name)} in gen/abi/ids.toml"


def _structs(headers: Witness, structs: dict[str, Any]) -> Iterator[str]:
    own = headers.part(own=True).records
    for tag in sorted(own.keys() | structs.keys()):
        promised, record = structs.get(tag, {}), headers.records.get(tag)
        shape = {name: [p.c_type, p.offset, p.whole] for name, p in record.fields.items()} if record else {}
        if not tag.startswith(OWN):  # as it was published: newer headers may have more, and older ones less
            shape = {name: row for name, row in shape.items() if name in promised}
            promised = {name: row for name, row in promised.items() if name in shape}
        for name in [*shape, *(promised.keys() - shape.keys())]:
            if shape.get(name) != promised.get(name):
                yield f"struct {tag}: {name}: {shape.get(name)}: {promised.get(name)} in gen/abi/structs.toml"
