# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""What gen reads of libverbsx's own enums, and promises of its structures and kinds, against DWARF: both ways, a line each."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from gen import own

from .headers import ROOT
from .model import Witness


OWN = "vx_"


@dataclass(frozen=True)
class Promises:
    """What is believed."""

    enums: dict[str, dict[str, int]]  # of the headers that are written by hand
    structs: dict[str, Any]  # field -> type, offset, bytes
    kinds: dict[str, int]


def read() -> Promises:
    """All of it."""
    structs, ids = (tomllib.loads((ROOT / f"gen/abi/{name}.toml").read_text()) for name in ("structs", "ids"))
    return Promises({e.name: e.values for e in own.headers().enums}, structs, ids["kind"])


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
