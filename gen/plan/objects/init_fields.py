# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""The init structures: what each has of the structure that rdma-core takes, and what was published of it."""

from __future__ import annotations

import re
from itertools import count
from typing import Any

from ...api import own
from ...api.c_types import WORD
from ...api.facts import Field, Struct
from ...api.sizes import is_number
from ...fast.record import changed
from ...promise import shapes
from ..calls import frozen, widths
from ..calls.calls import declared
from ..model.init import InitField, Part
from ..model.method import Mask
from ..model.object import Kind, Told
from ..model.tables import Tables, without
from ..text.words import of_field, of_mask
from ..when.guards import lives

HANDLE = re.compile(r"struct vx_(\w+) \*\w+")
TAG = re.compile(r"\bstruct (\w+)")


class InitPlanner(Tables):
    """Plans their fields."""

    def _from_attr(self, kind: Kind, attr: Struct) -> None:
        bits = self._bits(kind)
        kind.into_bit, kind.attr_size = bits.get(kind.into, ""), attr.size
        kind.selector_type = self._mask_type(kind, attr)
        kind.selector_words = of_mask(self.lore, kind.attr, kind.selector)
        listed = self._listed(kind)
        for f in attr.fields:
            if f.name in (*self.selectors, kind.into, kind.selector, *listed):
                continue
            if why := self._why_left_out(f):
                self.told.append(Told(attr.header, f"{kind.attr}.{f.name}", f"{why}, so struct vx_{kind.name}_init is without it"))
                continue
            item = self._init_field(kind.attr, _changeable(f), bits.get(f.name, ""), kind.since)
            item.of_attr = True
            if self._is_constant(f):
                item.constant, item.parts = True, []
            item.null = self.lore.field.get(f"{kind.attr}.{f.name}", {}).get("null", False)
            self._as_published(kind, item)
            if was := self._published_otherwise(kind, item):
                self._tell(kind, f, was, "struct vx_{}_init is without it")
                self.otherwise[kind.name] = f"{attr.header}: {kind.attr}.{f.name} {self.told[-1].what}"
                continue
            if item.now:
                self._tell(kind, f, item.declaration.removesuffix(f" {item.name}"), "it is that in struct vx_{}_init")
            item.words = self.lore.says.get(f"vx_{kind.name}_init.{f.name}", item.words)
            item.implies = self._implied(kind, f.name, bits)
            kind.fields += [item, *self._came_later(kind, f, item)]

    def _why_left_out(self, f: Field) -> str:
        if f.name.startswith(shapes.UNNAMED):
            return "is called as bytes that are nobody's"
        return "" if f.size else "takes no bytes"

    def _is_constant(self, f: Field) -> bool:
        """Whether C lets nobody write to a field, or to one within it."""
        inner = f.fields or (self._fields_of(f.ref) if f.kind == "record" else [])
        return shapes.changeable(f.type) != f.type or any(map(self._is_constant, inner))

    def _init_field(self, attr: str, f: Field, bit: str, oldest: int) -> InitField:
        since, until = lives((f.since, f.until), self.lives.get(bit, (0, 0)))
        newer = self.guard(since if since > oldest else 0, until)
        enum = self.enums.get(f.ref) if f.kind == "enum" else None
        everywhere = enum is not None and enum.since <= self.api.oldest and enum.named
        c_type = shapes.uint(f) if f.kind == "enum" and not everywhere else f.type  # the same for all headers
        item = InitField(f.name, declared(c_type, f.name), bit=bit, guard=newer,
                         words=of_field(self.lore, attr, f.name, c_type, since if newer and since > oldest else 0), shares=f.union > 0)
        if f.name in self.lore.names("port") and f.type in widths.NARROW:
            item.declaration, item.cut, item.asked = f"{widths.WIDE} {f.name}", f.type, self._asked(f.name)
        if f.kind == "enum" and c_type != f.type:
            item.words = "; ".join(w for w in (item.words, f"of enum {f.ref}") if w)
        if f.kind == "function":
            self.taken |= {name: None for name in TAG.findall(f.type) if name not in self.structs or self.structs[name].since > self.api.oldest}
        if not self._has_members(f):
            item.declaration, item.unnamed = f"uint8_t {f.name}[{f.size}]", True
            item.words = "; ".join(w for w in (item.words, f"as bytes, which in rdma-core are {f.type} {f.name}") if w)
        elif f.fields:
            item.declaration, item.unnamed = frozen.member(f), True
        elif f.count is not None:
            item.array = True
        elif f.kind == "pointer" and f.ref in self.kind_of:
            item.kind = self.kind_of[f.ref]
            item.declaration = f"struct vx_{item.kind} *{f.name}"
        elif f.kind == "pointer" and f.ref in self.structs:
            self._told_of_growth(attr, f, self.structs[f.ref])
        elif f.kind == "pointer" and any(w in self.structs and self.structs[w].typedef for w in WORD.findall(f.type)):
            item.declaration = f"void *{f.name}"  # other headers have no name for what it points to
        elif f.kind == "record":
            known = self.structs.get(f.ref)
            item.whole = known is None or known.union
            if not item.whole and known is not None:
                item.parts = sorted(self._parts(known, f.name, item.guard), key=lambda p: p.union)
                if frozen.is_frozen(known, self.recorded, self.api.oldest):
                    item.frozen, item.declaration = known.name, f"{frozen.published(known.name, self.recorded)} {f.name}"
        return item

    def _parts(self, s: Struct, path: str, around: str) -> list[Part]:
        """Members of a structure, less those that came after it was published."""
        out = []
        for f in s.fields:
            if s.name in self.recorded and f.name not in self.recorded[s.name]:
                continue
            inner = self.structs.get(f.ref) if f.kind == "record" else None
            if inner and not inner.union and f.count is None:
                out += self._parts(inner, f"{path}.{f.name}", around)
            else:
                newer = self.newer((f.since, f.until))
                out.append(Part(f"{path}.{f.name}", f.kind == "record", f.count is not None, newer if newer != around else ""))
        return out

    def _has_members(self, f: Field) -> bool:
        """Whether a field can be declared for all headers: not where only newer ones have its type, and others would lay its members otherwise."""
        known = self.structs.get(f.ref) if f.kind == "record" else None
        newer = known is not None and known.since > self.api.oldest
        constant = known is not None and any(map(self._is_constant, known.fields))
        return not constant and shapes.is_plain(f) and frozen.is_plain(f.fields) and not (newer and (f.count is not None or f.ref not in self.recorded))

    def _as_published(self, kind: Kind, item: InitField) -> None:
        """A number stays as wide as it was, whatever rdma-core takes by now."""
        row = self.recorded.get(f"vx_{kind.name}_init", {}).get(item.name)
        types = [str(row[0]), item.declaration.removesuffix(f" {item.name}")] if row and not item.cut else []
        if types and all(is_number(t) for t in types):
            item.declaration, item.now = declared(types[0], item.name), types[1] if types[1] != types[0] else ""

    def _listed(self, kind: Kind) -> set[str]:
        """Fields of attr that lists of handles stand for, and those that count them."""
        names = self.entries[kind.name].get("list", {})
        return {*names, *(self.lore.field.get(f"{kind.attr}.{name}", {}).get("count", name) for name in names)}

    def _mask_type(self, kind: Kind, attr: Struct) -> str:
        """That of the mask which attr has, as it was published."""
        mask = next((f for f in attr.fields if f.name == kind.selector), None)
        row = self.recorded.get(f"vx_{kind.name}_init", {}).get(kind.selector)
        if mask and row and mask.type != row[0]:
            self._tell(kind, mask, str(row[0]), "it is that in struct vx_{}_init")
        return str(row[0]) if mask and row else mask.type if mask else ""

    def _tell(self, kind: Kind, f: Field, was: str, what: str) -> None:
        self.told.append(Told(self.structs[kind.attr].header, f"{kind.attr}.{f.name}", f"is {f.type} here, and was published as {was}: {what.format(kind.name)}"))

    def _published_otherwise(self, kind: Kind, item: InitField) -> str:
        """What was published by that name, where one tree of headers has something else, which programs that go by it cannot be given.

        Of all releases it is refused: older ones have what was published.
        """
        row = self.recorded.get(f"vx_{kind.name}_init", {}).get(item.name)
        return str(row[0]) if self.api.of_tree and row and not item.cut and shapes.member(item.recorded)[1] != row[0] else ""

    def _came_later(self, kind: Kind, f: Field, item: InitField) -> list[InitField]:
        """What came to a member of attr after that was published: fields of their own."""
        out = []
        for part in self.structs[item.frozen].fields if item.frozen else []:
            if part.name not in self.recorded[item.frozen]:
                later = self._init_field(item.frozen, part, "", kind.since)
                later.name, later.path, later.bit, later.of_attr = f"{f.name}_{part.name}", f"{f.name}.{part.name}", item.bit, True
                later.declaration = re.sub(rf"\b{part.name}\b(?!.*\b{part.name}\b)", later.name, later.declaration)
                out.append(later)
        return out

    def _told_of_growth(self, attr: str, f: Field, pointed: Struct) -> None:
        """It goes by without a size. What an older rdma-core does not know of it nobody refuses, as without libverbsx."""
        newer = [x.name for x in pointed.fields if x.since > pointed.since]
        if newer:
            self.told.append(Told(self.structs[attr].header, f"{attr}.{f.name}", f"points to struct {pointed.name}, which has grown by "
                                  f"{', '.join(newer)}: older libraries pass that on, and nobody refuses it"))

    def _by_hand(self, member: own.OwnMember) -> InitField:
        """A field of an init structure that is written by hand."""
        name = member.declaration.rpartition(" ")[2].lstrip("*")
        handle = HANDLE.fullmatch(member.declaration)
        return InitField(name, member.declaration, handle[1] if handle and handle[1] in self.entries else "", words=member.words,
                         cut="uint8_t" if name in self.lore.names("port") else "", asked=self._asked(name))

    def _asked(self, name: str) -> str:
        """What lore asks about a port."""
        asked = [source.get("ask", "") for source in self.lore.reasons.source.values()]
        of_ports = next((call for call in asked if ", port," in call), "") if name in self.lore.names("port") else ""
        return of_ports.partition("(")[0]

    def _bits(self, kind: Kind) -> dict[str, str]:
        """Field -> the bit that guards it."""
        out = {}
        kind.selector = next((f.name for f in self._fields_of(kind.attr) if f.name in self.selectors), "")
        for key, guards in self.lore.guard.items():
            struct, _, selector = key.partition(".")
            if struct == kind.attr:
                kind.selector = selector
                out |= {path: bit for bit, paths in guards.items() for path in paths if bit in self.since}
        return out

    def _implied(self, kind: Kind, name: str, bits: dict[str, str]) -> list[str]:
        """What sets the field that lore chooses this one by, where that is a truth value or a flag."""
        for key, choices in self.lore.choice.items():
            struct, _, other = key.partition(".")
            values = choices.get(name, []) if struct == kind.attr else []
            if values == ["!0"] and self.lore.field.get(key, {}).get("bool"):
                return [f"attr->{other} = 1"]
            if len(values) == 1 and str(values[0]).startswith("&"):
                mask = [f"attr->{kind.selector} |= {bits[other]}"] if other in bits else []
                return [f"attr->{other} |= {str(values[0])[1:]}", *mask]
        return []

    def _masks(self, kind: Kind, entry: dict[str, Any]) -> list[Mask]:
        """What of the init structure has no other bits: what they would say could not be passed on, or rdma-core would ignore it."""
        found = {kind.mask: self.mask(kind.mask, f"init->{kind.mask}", kind.attr, kind.mask)}
        return list((found | {name: Mask(name, without(f"init->{name}", bits), "0", bits) for name, bits in entry.get("only", {}).items()}).values())

    def _keep_free(self, kind: Kind) -> None:
        """Room for what was published and these headers lack, and for what C would leave unnamed at the end.

        Nobody sets bytes without a name. A field of a later version that lay there would be read as anything in programs of today.
        """
        if kind.by_hand:
            return
        fields = {f.name for f in kind.fields}
        last = ""
        recorded = self.recorded.get(f"vx_{kind.name}_init", {})
        for name, (c_type, _, size) in recorded.items():
            if name in fields:
                last = name
            elif name not in (kind.mask, kind.also):
                kind.kept_free.setdefault(last, []).append(shapes.placeholder(name, str(c_type), int(size)))
        number = sum(name.startswith(shapes.UNNAMED) for name in recorded)
        unused = (name for n in count(number + 1) if (name := f"{shapes.UNNAMED}{n if n > 1 else ''}") not in fields)  # a parameter may be called so
        for c_type in shapes.filler(kind.members, self.machines):
            kind.kept_free.setdefault(kind.fields[-1].name if kind.fields else "", []).append(declared(c_type, next(unused)))


def _changeable(f: Field) -> Field:
    """As a program may write to it."""
    return changed(f, type=shapes.changeable(f.type), fields=[_changeable(part) for part in f.fields])
