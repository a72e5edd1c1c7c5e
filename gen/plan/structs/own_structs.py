# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""The structures of libverbsx itself as facts, so that they are described and printed as those of rdma-core are."""

from __future__ import annotations

import re
from functools import cached_property

from ...api import own
from ...api.c_types import CType, c_type
from ...api.facts import Field, Struct
from ...api.merge import Api
from ...api.sizes import ARRAY, INLINE, SCALARS, Sizes, member, split
from ...errors import GenError
from ...fast.record import changed, field, record
from ...know.model import MASK, Lore, close
from ...paths import LORE
from ...promise import shapes
from ..enums.enums import GROUP as GROUP
from ..model.object import Kind, Objects

UNLISTED = ("vx_object", "vx_type")  # what handles begin with, and what prints others
BIT = re.compile(rf"init->{MASK} & (\w+)")
PATH = LORE / "own.toml"
KINDS = {"bool": "bool", "char": "char"}


@record
class OwnTable:
    """What there is to say of them beside their shapes."""

    structs: list[Struct] = field(default_factory=list)
    like: dict[str, str] = field(default_factory=dict)  # an init structure -> the structure of rdma-core that has its fields
    says: dict[str, str] = field(default_factory=dict)  # by "structure.field"
    filled: set[str] = field(default_factory=set)  # by libverbsx, which keeps all that they point to
    handles: set[str] = field(default_factory=set)
    zeros: dict[str, str] = field(default_factory=dict)  # by "structure.path": the form that says what a 0 there stands for
    meant: dict[str, str] = field(default_factory=dict)  # by "structure.path" with such a default: the bit that says that a 0 is meant
    enums: list[own.OwnEnum] = field(default_factory=list)  # of libverbsx, that fields are of

    @cached_property
    def names(self) -> set[str]:
        return {s.name for s in self.structs}


def _kind(what: CType) -> str:
    """Of it, or of what it points to."""
    if what.word:
        return "enum" if what.word == "enum" else "record"
    return KINDS.get(what.name, "uint" if what.name.startswith("u") or what.name == "size_t" else "int")


def _field(name: str, row: list[str | int]) -> Field:
    """A member, by its line of gen/abi/structs.toml."""
    text, offset, size = str(row[0]), int(row[1]), int(row[2])
    array, what = ARRAY.fullmatch(text), c_type(text)
    if array and (outer := _field(name, [array["type"], offset, size])).count is not None:
        return Field(name, text, "other", offset, size, count=outer.count)  # an array of arrays
    if array:
        return changed(outer, type=text if not outer.fields else outer.type, count=int(array["count"]))
    if text == "function":
        return Field(name, text, "function", offset, size)
    if inline := INLINE.fullmatch(text):
        return Field(name, inline["word"], "record", offset, size, fields=_inner(inline))
    ref = what.name if what.word else ""
    if not what.stars:
        return Field(name, text, _kind(what), offset, size, ref=ref)
    if what.to_a_pointer:  # of handles, if it is an array of any
        return Field(name, text, "pointer", offset, size, target="pointer", ref=ref if ref.startswith("vx_") and not what.const else "")
    return Field(name, text, "pointer", offset, size, target=_kind(what), ref=ref, width=SCALARS.get(what.target, 0))


def _inner(inline: re.Match[str]) -> list[Field]:
    """The members of a structure that is defined in another. Where they lie is the compiler's business."""
    sizes = _Sizes({})
    return [_field(name, [text, 0, sizes.of(text)[0]]) for name, text in map(member, split(inline["members"]))]


def _given(structs: list[Struct]) -> set[str]:
    """Those that programs fill, and what these hold and point to."""
    by_name = {s.name: s for s in structs}
    todo = [s.name for s in structs if s.name.endswith(shapes.GOES_IN)]
    found: set[str] = set()
    while todo:
        name = todo.pop()
        if name in by_name and name not in found:
            found.add(name)
            todo += [f.ref for f in by_name[name].fields if f.ref]
    return found


class _Sizes(Sizes):
    """What these headers lack has no size: nobody prints it."""

    def of(self, c_type: str) -> tuple[int, int]:
        try:
            return super().of(c_type)
        except (KeyError, GenError):
            return 0, 1


def _enums(structs: list[Struct], written: list[own.OwnEnum], lore: Lore) -> list[own.OwnEnum]:
    """Those that a field is of."""
    used = {f.ref for s in structs for f in s.fields if f.kind == "enum"}
    for key, entry in lore.field.items():
        used |= {entry.get("enum"), entry.get("flags")} if key.startswith("vx_") else set()
    return [e for e in written if e.name in used]


def _numbers(api: Api) -> dict[str, int | None]:
    """What names stand for."""
    return {v.name: v.value for e in api.enums().values() for v in e.values} | {m.name: m.value for m in api.macros().values()}


def _without_0(api: Api) -> set[str]:
    """The enums that have no enumerator for it."""
    return {e.name for e in api.enums().values() if all(v.value for v in e.values)}


def _zeros(kind: Kind, lore: Lore, attr: Struct | None, numbers: dict[str, int | None],
           without_0: set[str]) -> tuple[dict[str, str], dict[str, str]]:
    """The paths of an init structure whose 0 is a default other than 0, with the form that says so, or with the bit of the mask
    that says a 0 is meant: an enum without a 0 needs none."""
    given = lore.default.get(kind.attr, {}) | lore.object.get(kind.name, {}).get("default", {})
    of = {f.name: f.ref for f in attr.fields if f.kind == "enum"} if attr else {}
    masked = {f.name: f.bit for f in kind.fields if f.bit and of.get(f.name) not in without_0}
    meant = {path: match[1] for path, when, _ in kind.unset for match in [BIT.fullmatch(when)] if match}
    other = [path for path, value in given.items() if numbers.get(value, value) and path.partition(".")[0] in {f.name for f in kind.fields}]
    none = {n.path for n in kind.says_none if n.c_type == "uint32_t"}
    zeros = {path: "vx_none" if path in none else "default" for path in other
             if path not in meant and path.partition(".")[0] not in masked}
    return zeros, {path: (meant | masked)[path] for path in other if path in meant | masked}


def _as_enums(s: Struct, attr: Struct | None) -> None:
    """Numbers that are of an enum of newer headers."""
    enums = {f.name: f.ref for f in attr.fields if f.kind == "enum"} if attr else {}
    for f in s.fields:
        if f.kind == "uint" and f.name in enums:
            f.kind, f.ref = "enum", enums[f.name]


def _as_published(s: Struct, kind: Kind, recorded: shapes.Shapes) -> None:
    """Structures that have other members now than programs go by."""
    frozen = {f.name: f.frozen for f in kind.fields if f.frozen}
    for f in s.fields:
        if f.name in frozen:
            f.fields = [_field(*row) for row in recorded[frozen[f.name]].items()]


def _check_lore(lore: Lore, structs: list[Struct]) -> None:
    """What lore says of fields that there are not."""
    known = {f"{s.name}.{f.name}" for s in structs for f in s.fields}
    newer = {f"vx_{name}_init" for name in lore.object} - {s.name for s in structs}  # of newer headers than these
    for key in lore.field:
        if key.startswith("vx_") and key not in known and key.partition(".")[0] not in newer:
            raise GenError(f"{key}: no such field", hint=close(key, known), file=PATH)


def plan_own(objects: Objects, api: Api, lore: Lore) -> OwnTable:
    """The init structures of all kinds, and those of the hand-written headers, where these headers have objects at all."""
    if not objects.kinds:
        return OwnTable()
    written, facts = own.headers(), api.structs()
    out = OwnTable(handles={"vx_ctx", *(f"vx_{k.name}" for k in objects.handles)}, says=dict(written.says))
    recorded = shapes.of_rdma_core(shapes.load(), facts)
    sizes = _Sizes(facts, recorded=recorded)
    members = {s.name: (s.header, s.members) for s in written.structs}
    members |= {f"vx_{k.name}_init": (k.header, k.members) for k in objects.kinds if not k.by_hand and k.ways}
    sizes.own = {s.name: shapes.whole(s.members, s.union, sizes) for s in written.structs}
    for name, (header, declarations) in sorted(members.items()):
        if name not in UNLISTED:
            fields = [_field(*row) for row in shapes.shape(declarations, sizes).items() if not row[0].startswith(shapes.UNNAMED)]
            out.structs.append(Struct(name, header, shapes.whole(declarations, False, sizes)[0], fields=fields))
    by_name = {s.name: s for s in out.structs}
    numbers, without_0 = _numbers(api), _without_0(api)
    for kind in objects.kinds:
        init = f"vx_{kind.name}_init"
        out.like[init] = kind.attr
        zeros, meant = _zeros(kind, lore, facts.get(kind.attr), numbers, without_0)
        out.zeros |= {f"{init}.{path}": form for path, form in zeros.items()}
        out.meant |= {f"{init}.{path}": bit for path, bit in meant.items()}
        if init in by_name:
            _as_enums(by_name[init], facts.get(kind.attr))
            _as_published(by_name[init], kind, recorded)
        out.says |= {f"{init}.{f.name}": f.words for f in kind.fields if f.words}
    out.filled = {s.name for s in out.structs} - _given(out.structs)
    out.enums = _enums(out.structs, written.enums, lore)
    _check_lore(lore, out.structs)
    return out
