# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""The members of paths as rows: how a text writes each, and what it is elsewhere."""

from __future__ import annotations

from ...api import own
from ...fast.record import record
from ...know.model import Lore


@record
class PathMember:
    name: str
    tag: str  # of the enum that it is of
    form: str  # of enum vx_path_form
    bits: int
    mask: str  # the bit that says that a 0 is meant; "0": there is none
    twin: str  # of a member of this side that of the other, and the other way round; "": it has none
    attr: str  # "STRUCTURE.FIELD", the same where a QP is told; "": it is not


@record
class Told:
    """A member of an entry of a handshake."""

    name: str
    member: str  # of struct vx_wire_entry
    at: int  # in bytes
    bytes: int
    says: str
    comes: str


def _form(declared: str, said: dict[str, str], form: str) -> str:
    if form or "*" in declared or declared.startswith("union "):
        return form.upper() or ("END" if "*" in declared else "GID")
    return "NAMED" if "enum" in said or "flags" in said else "HEX" if said.get("form") == "hex" else "DECIMAL"


def _twin(name: str, members: dict[str, str]) -> str:
    """Those of this side begin with s, those of the other with d."""
    twin = {"s": "d", "d": "s"}.get(name[0], "") + name[1:]
    return twin if twin in members and twin != name else ""


def plan_path(lore: Lore) -> list[PathMember]:
    headers, out = own.headers(), []
    declared = {m: d for s in headers.structs if s.name == "vx_path" for m, d in zip(headers.members(s.name), s.members)}
    masks = {value for e in headers.enums for value in e.values}
    for name, bits in lore.path.items():
        said, mask = lore.field.get(f"vx_path.{name}", {}), f"VX_PATH_{name.upper()}"
        form = _form(declared[name], said, lore.path_form.get(name, ""))
        out.append(PathMember(name, said.get("enum", said.get("flags", "")), form, bits, mask if mask in masks else "0", _twin(name, declared), lore.path_attr.get(name, "")))
    return out


def plan_handshake(lore: Lore) -> list[Told]:
    out, at = [], 0
    for name, told in lore.handshake.items():
        out.append(Told(name, f"path.{name}" if name in lore.path else name, at, told["bytes"], told["says"], told["comes"]))
        at += told["bytes"]
    return out
