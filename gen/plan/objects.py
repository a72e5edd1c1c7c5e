# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""The objects: how each kind is made, what it uses, and how it ends."""

from __future__ import annotations

import re
from typing import Any

from .. import own, shapes
from ..errors import GenError
from ..facts import Call, Field, Struct
from ..groups import HeaderGroup
from ..lore_model import Lore, close, find_field
from ..lore_reasons import alternatives, asked
from ..merge import Api
from ..sizes import is_number
from . import frozen, widths
from .calls import declared
from .guards import lives
from .making import Ending, Maker, Member, Way
from .methods import MethodPlanner, slot
from .none import plan_none
from .object_model import ROOT, InitField, Kept, Kind, Lent, Mask, Method, Need, Objects, Part, Refusal, Told
from .object_tables import SELECTORS, ways_of, without
from .words import of_field, of_mask, of_parameter

SHOWN = re.compile(r"\{(.*?)\}")
ATTR = re.compile(r"\battr\.(\w+)")
HANDLE = re.compile(r"struct vx_(\w+) \*\w+")


class _Planner(MethodPlanner):
    def has(self, entry: dict[str, Any]) -> bool:
        """Whether these headers have what an entry is about."""
        needed = [*(entry.get(key, "vx_") for key in ("destroy", "import", "unimport")), *entry.get("other", {}).values()]
        structs = [entry[key] for key in ("raw", "attr", "also") if key in entry]
        ways = [w["call"] for w in ways_of(entry)]
        return (all(s in self.structs for s in structs) and all(c in self.calls or c.startswith("vx_") for c in needed)
                and (not ways or any(c in self.calls for c in ways)))

    def kind(self, name: str) -> Kind:
        entry = self.entries[name]
        kind = Kind(name, entry.get("raw", ""), entry.get("type", name), self.ids[name], self._title(name), entry.get("parent", ""),
                    entry.get("attr", ""), entry.get("also", ""), entry.get("into", ""), number=entry.get("number", ""))
        raw = self.structs.get(kind.raw)
        ways = [w for w in ways_of(entry) if w["call"] in self.calls]
        stands = [w["call"] for w in ways]
        self._begins_rightly(name, (stands or [entry["destroy"]])[0])
        structs = [self.structs[x] for x in (kind.raw, kind.attr, kind.also) if x in self.structs]
        kind.since = max([*(s.since for s in structs), min((self.calls[c].since for c in stands), default=0)])
        kind.until = self._last(structs, stands, entry["destroy"], self._needed_fields(kind, entry))
        kind.guard = self.guard(kind.since, kind.until)
        kind.parent_title = self._title(kind.parent)
        kind.call = entry.get("page", stands[0] if stands else "")
        kind.page = self._page(kind.call)
        kind.does = self.lore.does.get(kind.call, "")
        kind.shows = entry.get("shows", [f.name for f in raw.fields if f.name == "handle"] if raw else [])
        kind.refused = list(dict.fromkeys(asked(way[0], "attr") for conditions
                                          in self.lore.reasons.refuse.get(kind.attr, {}).values() for way in alternatives(conditions))) + self.beyond(kind.attr, "attr")
        kind.provider = self.of_group[stands[0]].provider if stands and stands[0] in self.of_group else ""
        for key in ("by_hand", "gather", "stride", "begin", "end", "provider", "busy", "note", "often", "once", "names", "told"):
            setattr(kind, key, entry.get(key, getattr(kind, key)))
        kind.crashes = [(*where.split("."), why) for where, why in entry.get("crashes", {}).items()]
        kind.bare = [(*where.split("."), why) for where, why in entry.get("bare", {}).items()]
        kind.marked = next(iter(entry.get("marks", {}).values()), "")
        for name, lent in entry.get("lends", {}).items():
            if name not in {f.name for f in self._fields_of(kind.raw)}:
                raise self.wrong(kind.name, f"lends: {kind.raw}.{name}: no such field")
            kind.lends.append(Lent(name, lent, self._title(lent)))
        self._adopting(kind, raw)
        if kind.attr:
            self._from_attr(kind, self.structs[kind.attr])
        if kind.by_hand == "init":
            kind.fields = [self._by_hand(m) for m in own.headers().inits.get(name, [])]
            kind.selector = "comp_mask" if any(f.name == "comp_mask" for f in kind.fields) else ""
            kind.selector_words = of_mask(self.lore, kind.attr, kind.selector) if kind.selector else ""
        self._making(kind, entry, ways)
        kind.selector_words = self.lore.says.get(f"vx_{name}_init.{kind.mask}", kind.selector_words)
        kind.masks = self._masks(kind, entry)
        order = shapes.in_order([f.name for f in kind.fields], self.recorded.get(f"vx_{name}_init", {}))
        kind.fields.sort(key=lambda f: order.index(f.name))
        self._keep_free(kind)
        self._others(kind, entry)
        kind.nones = plan_none(kind, self.structs, self.lore) if kind.attr else []
        return kind

    def root(self, name: str, entry: dict[str, str]) -> Kind:
        """What is opened by hand: how it ends."""
        return Kind(name, entry["raw"], name, self.ids[name], self._title(name), "", ending=Ending(entry["destroy"], ["node->object.raw"]))

    def _begins_rightly(self, name: str, call: str) -> None:
        """Methods of a group are called by its word and the kind's name without it."""
        word = self.of_group[call].word if call in self.of_group else ""
        if word and not name.startswith(f"{word}_"):
            raise self.wrong(name, f"{call} is of {self.of_group[call].name}, whose kinds begin with {word}_", f"{word}_{name}")

    def _keep_free(self, kind: Kind) -> None:
        """Room for what was published and these headers lack, and for what C would leave unnamed at the end.

        Nobody sets bytes without a name. A field of a later version that lay there would be read as anything in programs of today.
        """
        if kind.by_hand or not kind.fields:
            return
        fields = {f.name for f in kind.fields}
        last = kind.fields[0].name
        recorded = self.recorded.get(f"vx_{kind.name}_init", {})
        for name, (c_type, _, size) in recorded.items():
            if name in fields:
                last = name
            elif name != kind.mask:
                kind.kept_free.setdefault(last, []).append(shapes.placeholder(name, str(c_type), int(size)))
        number = sum(name.startswith(shapes.UNNAMED) for name in recorded)
        for c_type in shapes.filler(kind.members, self.structs, shapes.of_rdma_core(self.recorded)):
            number += 1
            kind.kept_free.setdefault(kind.fields[-1].name, []).append(declared(c_type, f"{shapes.UNNAMED}{number if number > 1 else ''}"))

    def _by_hand(self, member: own.OwnMember) -> InitField:
        """A field of an init structure that is written by hand."""
        name = member.declaration.rpartition(" ")[2].lstrip("*")
        handle = HANDLE.fullmatch(member.declaration)
        return InitField(name, member.declaration, handle[1] if handle and handle[1] in self.entries else "", words=member.words,
                         cut="uint8_t" if name == widths.PORT else "")

    def wrong(self, name: str, message: str, hint: str | None = None) -> GenError:
        path, line = self.lore.places.get(name, (None, None))
        return GenError(f"{name}: {message}", file=path, line=line, hint=hint)

    def _making(self, kind: Kind, entry: dict[str, Any], ways: list[dict[str, Any]]) -> None:
        parent = self.entries.get(kind.parent, {})
        owner = self.entries.get(parent.get("type", kind.parent), parent)
        parent_raw = "ibv_context" if kind.parent == ROOT else owner.get("raw", "")
        has_context = any(f.name == "context" and f.ref == "ibv_context" for f in self._fields_of(parent_raw))
        context = (f"vx_{kind.parent}_raw(parent)" + ("->context" if has_context else "") if kind.parent == ROOT or has_context
                   else "vx_context_of(parent)")
        maker = Maker(kind.name, kind.parent, kind.raw, parent_raw, kind.attr, kind.also, context, self.kind_of,
                      entry.get("default", {}), lambda text, hint=None: self.wrong(kind.name, text, hint),
                      kept=[word.partition(":")[0] for word in entry.get("keeps", [])], retyped=self._retyped)
        for said in ways:
            way = self._way(kind, maker, said, entry)
            kind.ways.append(way)
        if not kind.by_hand:
            kind.fields += [self._of_member(kind, m) for m in maker.members if all(f.name != m.name for f in kind.fields)]
        kind.blobs = maker.blobs
        self._lists(kind, entry)
        self._conditions(kind, maker, entry, ways)
        self._keeping(kind, entry)
        kind.ending = self._ending(kind, maker, entry)

    def _needed_fields(self, kind: Kind, entry: dict[str, Any]) -> list[Field]:
        """Fields that what is said of a kind is made of, so that nothing goes without them."""
        paths = {*entry.get("list", {}), entry.get("into", ""), *ATTR.findall(str({k: v for k, v in entry.items() if k != "keeps"}))}
        found = [find_field(self.structs, kind.attr, path) for path in paths if kind.attr and path]
        owners = [f for f in self._fields_of(kind.raw) if f.ref in self.kind_of or f.name in (kind.number, *entry.get("shows", []), *entry.get("told", {}))]
        return [*(f for f in found if f), *owners, *(f for f in self._fields_of(kind.attr) if f.name in SELECTORS)]

    def _last(self, structs: list[Struct], stands: list[str], destroy: str, fields: list[Field]) -> int:
        """The last release that has what objects of a kind are made of, one of the calls that make them, and the one that ends them."""
        made = [self.calls[c].until for c in stands]
        ends = [*(s.until for s in structs), *(f.until for f in fields), max(made) if all(made) and made else 0]
        ends += [self.calls[destroy].until] if destroy in self.calls else []
        return min(filter(None, ends), default=0)

    def _way(self, kind: Kind, maker: Maker, said: dict[str, Any], entry: dict[str, Any]) -> Way:
        way = Way(said["call"], given=said.get("given", {}))
        call = self.calls[said["call"]]
        way.since = max(said.get("since", 0), call.since)
        way.until = call.until
        way.guard = self.guard(way.since, way.until) if (way.since, way.until) != (kind.since, kind.until) else ""
        way.arguments = maker.arguments(call, said.get("args", entry.get("args")), way)
        way.signature = said.get("like", call.name)
        asked = self.calls[way.signature]
        given = maker.arguments(asked, said["like_args"], Way("")) if "like_args" in said else way.arguments
        way.slots = ", ".join(slot(p.type, a) for p, a in zip(asked.params, given))
        way.result = said.get("result", entry.get("result", ""))
        made = said.get("made", entry.get("made", ""))
        way.returns = "raw" if call.result.endswith("*") and not way.result else "result" if way.result else "code"
        if made:
            part = made.removeprefix("parent").lstrip(".")
            way.made = f"vx_{kind.parent}_raw(parent)" + (f"->{part}" if part else "")
        elif way.out:
            way.made = "made"
        elif way.returns != "raw":
            if kind.raw:
                raise self.wrong(kind.name, f"{call.name}: returns {call.result}, so lore must say where the object is: made, or out in args")
            way.made = f"vx_{kind.parent}_raw(parent)"  # what has no object of its own goes by its parent's
        return way

    def _of_member(self, kind: Kind, m: Member) -> InitField:
        call = kind.ways[0].call
        types = {p.name: p.type for w in kind.ways if w.call in self.calls for p in self.calls[w.call].params}
        words = of_parameter(self.lore, call, m.param, types.get(m.param, "")) if m.param else ""
        return InitField(m.name, m.declaration, m.kind, count=m.count,
                         words=self.lore.says.get(f"vx_{kind.name}_init.{m.name}", words))

    def _lists(self, kind: Kind, entry: dict[str, Any]) -> None:
        """Fields of attr that are arrays of objects: the init structure has a list of handles and its length."""
        for name, said in entry.get("list", {}).items():
            handles, _, count = said.partition("/")
            f = next((f for f in self._fields_of(kind.attr) if f.name == name), None)
            record = re.match(r"(?:const )?struct (\w+) \*", f.type) if f else None
            target = self.kind_of.get(record[1], "") if record else ""
            if not f or not target or not count:
                raise self.wrong(kind.name, f"list: {name} = {said!r}: must be a field of attr that is an array of objects, "
                                            "and HANDLES/COUNT")
            counted = self.lore.field.get(f"{kind.attr}.{name}", {})
            power = counted.get("power", False)
            kind.fields = [x for x in kind.fields if x.name not in (name, counted.get("count"))]
            says = self.lore.says
            kind.fields[:0] = [
                InitField(handles, f"struct vx_{target} *const *{handles}", target, count=count,
                          words=says.get(f"vx_{kind.name}_init.{handles}", "")),
                InitField(count, f"size_t {count}", words=says.get(f"vx_{kind.name}_init.{count}", ""))]
            kind.listed.append((name, counted.get("count", ""), power))

        if "uses" in entry:  # what it depends on, of any kind, as only the program knows
            handles, _, count = entry["uses"].partition("/")
            says = self.lore.says
            kind.fields += [
                InitField(handles, f"void *const *{handles}", "0", count=count, words=says.get(
                    f"vx_{kind.name}_init.{handles}", "objects of any kind that it depends on")),
                InitField(count, f"size_t {count}", words=says.get(f"vx_{kind.name}_init.{count}", "of them"))]

    def _conditions(self, kind: Kind, maker: Maker, entry: dict[str, Any], ways: list[dict[str, Any]]) -> None:
        names = {f.name for f in kind.fields} | {kind.mask}
        constants = set(self.since)

        wholes = {f.name for f in kind.fields if f.whole or f.parts}

        def of(text: str) -> str:
            return maker.condition(text, names, constants, wholes)

        for name, text in entry.get("where", {}).items():
            kind.where.append((name, of(text)))
            constants.add(name)
        for way, said in zip(kind.ways, ways):
            way.when = of(said["when"]) if "when" in said else ""
        needs = entry.get("needs", {})
        for name, text in (needs if isinstance(needs, dict) else dict.fromkeys(needs, "")).items():
            f = next((f for f in kind.fields if f.name == name), None)
            if not f:
                raise self.wrong(kind.name, f"needs: {name}: no such field of the init structure")
            kind.needs.append(Need.of(f, of(text) if text else ""))
        kind.refuses = [Refusal(of(text), SHOWN.sub("0x%llx", why), "".join(f", (unsigned long long)({of(v)})" for v in SHOWN.findall(why)))
                        for why, text in entry.get("refuses", {}).items()]
        kind.exclusions = f"vx_{kind.name}_init" in self.lore.reasons.exclude
        kind.unset = [(name, of(text), self._guard_of(kind, name)) for name, text in entry.get("unset", {}).items()]
        unknown = next((name for name in entry.get("only", {}) if name not in names), None)
        if unknown is not None:
            raise self.wrong(kind.name, f"only: {unknown}: no such field of the init structure", close(unknown, names))

    def _guard_of(self, kind: Kind, path: str) -> str:
        """The condition under which attr has a field, where that of the kind does not say so."""
        parts = path.split(".")
        fields = [find_field(self.structs, kind.attr, ".".join(parts[:n])) for n in range(1, len(parts) + 1)]
        since, until = lives(*((f.since, f.until) for f in fields if f))
        return self.guard(since if since > kind.since else 0, until if until != kind.until else 0)

    def _keeping(self, kind: Kind, entry: dict[str, Any]) -> None:
        results = {w.result: self.calls[w.call].result for w in kind.ways if w.result}
        numbers = {w.number for w in kind.ways}
        for word in entry.get("keeps", []):
            word, _, filled = word.partition("=")
            name, _, like = word.partition(":")
            f = find_field(self.structs, kind.attr, name) if kind.attr else None
            own = next((f for f in kind.fields if f.name == name), None)
            flat = name.replace(".", "_")
            if name == "attr" and kind.attr:
                kept = Kept(name, declared(f"struct {kind.attr}", name), "attr")
            elif filled:
                kept = Kept(name, declared(filled, name), "")
            elif f:
                kept = Kept(flat, declared(f.type, flat), f"attr.{name}", kind.attr, name, guard=self._guard_of(kind, name))
            elif name in results:
                kept = Kept(name, declared(results[name], name), "")
            elif name in numbers:
                kept = Kept(name, f"uint32_t {name}", "")
            elif own:
                kept = Kept(name, own.declaration, f"init->{name}")
            else:
                raise self.wrong(kind.name, f"keeps: {name}: neither a field of attr nor of the init structure")
            kept.words = self.lore.says.get(f"vx_{kind.name}.{kept.name}", "")
            if like:
                kept.owner, _, kept.field = like.partition(".")
                kept.label = name if name != kept.field else ""
                shown = find_field(self.structs, kept.owner, kept.field)
                if shown and own and declared(shown.type, name) != kept.declaration:
                    kept.declaration = declared(shown.type, name)
                    kept.value = f"({shown.type}){kept.value}"
            kind.keeps.append(kept)
        known = {k.name: k for k in kind.keeps}
        if kind.names and kind.names not in known or kind.once and not kind.keeps:
            raise self.wrong(kind.name, "names and once are about what the handle keeps")
        for key, out in (("tells", kind.tells), ("adopts", kind.adopts)):
            for name in entry.get(key, []):
                if name not in known:
                    raise self.wrong(kind.name, f"{key}: {name}: not among what the handle keeps")
                out.append(known[name])

    def _ending(self, kind: Kind, maker: Maker, entry: dict[str, Any]) -> Ending:
        call = self.calls.get(entry["destroy"])
        of = entry.get("destroy_of", "raw")
        out = Ending(entry["destroy"], void=call is not None and call.result == "void")
        if call and call.since > kind.since:
            out.guard = self.guard(call.since, call.until)
        for word in [of] if isinstance(of, str) else of:
            if word == "raw":
                out.arguments.append("node->object.raw")
            elif word == "parent":
                out.arguments.append("vx_node_used(node, 0)->object.raw")
            elif word == "ctx":
                out.arguments.append("vx_context_of(node)")
            elif word.removeprefix("ref:") in {k.name for k in kind.keeps}:
                out.keeps = True
                out.arguments.append(f"{'&' if word.startswith('ref:') else ''}kept->{word.removeprefix('ref:')}")
            else:
                raise self.wrong(kind.name, f"destroy_of: {word}: must be raw, parent, ctx or what the handle keeps")
        if call and len(out.arguments) != len(call.params):
            raise self.wrong(kind.name, f"{call.name}: takes {len(call.params)} arguments, and destroy_of has {len(out.arguments)}")
        return out

    def _others(self, kind: Kind, entry: dict[str, Any]) -> None:
        """What else makes one, by calls that have no init structure."""
        for name, call in entry.get("other", {}).items():
            kind.others.append(self._maker(kind, self.calls[call], name))
            kind.others[-1].knows = list(entry.get("knows", {}).get(name, {}).items())
        if "import" in entry:
            kind.unimport = entry["unimport"]
            kind.importing = self._maker(kind, self.calls[entry["import"]], "import")
            kind.others.append(kind.importing)

    def _maker(self, kind: Kind, call: Call, name: str) -> Method:
        made = self._method(call, kind.parent, makes=kind)
        made.name = f"vx_{kind.name}_{name}"
        made.since = max(kind.since, call.since)
        made.until = min(filter(None, (kind.until, call.until)), default=0)
        made.guard = self.guard(made.since, made.until)
        return made

    def _adopting(self, kind: Kind, raw: Struct | None) -> None:
        """What an object tells of where it belongs, for one that was made by others."""
        kind.raw_context = any(f.name == "context" and f.ref == "ibv_context" for f in (raw.fields if raw else []))
        of = {f.name: self.kind_of[f.ref] for f in (raw.fields if raw else []) if f.kind == "pointer" and f.ref in self.kind_of}
        kind.raw_parent = next((name for name, owner in of.items() if owner == kind.parent != ROOT), "")
        kind.raw_uses = [name for name, owner in of.items() if owner not in (ROOT, kind.parent)]

    def _from_attr(self, kind: Kind, attr: Struct) -> None:
        bits = self._bits(kind)
        kind.into_bit = bits.get(kind.into, "")
        kind.selector_type = next((f.type for f in attr.fields if f.name == kind.selector), "")
        kind.selector_words = of_mask(self.lore, kind.attr, kind.selector)
        for f in attr.fields:
            if f.name in (*SELECTORS, kind.into, kind.selector):
                continue
            item = self._init_field(kind.attr, f, bits.get(f.name, ""), kind.since)
            item.of_attr = True
            self._as_published(kind, item)
            item.words = self.lore.says.get(f"vx_{kind.name}_init.{f.name}", item.words)
            item.implies = self._implied(kind, f.name, bits)
            kind.fields += [item, *self._came_later(kind, f, item)]

    def _masks(self, kind: Kind, entry: dict[str, Any]) -> list[Mask]:
        """What of the init structure has no other bits: what they would say could not be passed on, or rdma-core would ignore it."""
        found = {kind.mask: self.mask(kind.mask, f"init->{kind.mask}", kind.attr, kind.mask)}
        return list((found | {name: Mask(name, without(f"init->{name}", bits), "0") for name, bits in entry.get("only", {}).items()}).values())

    def _bits(self, kind: Kind) -> dict[str, str]:
        """Field -> the bit that guards it."""
        out = {}
        kind.selector = next((f.name for f in self._fields_of(kind.attr) if f.name in SELECTORS), "")
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

    def _init_field(self, attr: str, f: Field, bit: str, oldest: int) -> InitField:
        since, until = lives((f.since, f.until), self.lives.get(bit, (0, 0)))
        newer = self.guard(since if since > oldest else 0, until)
        enum = self.enums.get(f.ref) if f.kind == "enum" else None
        c_type = "uint32_t" if enum and enum.since > self.api.oldest else f.type  # the same for all headers
        item = InitField(f.name, declared(c_type, f.name), bit=bit, guard=newer,
                         words=of_field(self.lore, attr, f.name, c_type, since if newer and since > oldest else 0), shares=f.union > 0)
        if f.name == widths.PORT and f.type in widths.NARROW:
            item.declaration, item.cut = f"{widths.WIDE} {widths.PORT}", f.type
        if c_type != f.type:
            item.words = "; ".join(w for w in (item.words, f"of enum {f.ref}") if w)
        if f.fields:
            item.declaration, item.unnamed = frozen.member(f), True
        elif f.count is not None:
            item.array = True
        elif f.kind == "pointer" and f.ref in self.kind_of:
            item.kind = self.kind_of[f.ref]
            item.declaration = f"struct vx_{item.kind} *{f.name}"
        elif f.kind == "pointer" and f.ref in self.structs:
            self._told_of_growth(attr, f, self.structs[f.ref])
        elif f.kind == "record":
            known = self.structs.get(f.ref)
            item.whole = known is None or known.union
            if not item.whole and known is not None:
                item.parts = sorted(self._parts(known, f.name, item.guard), key=lambda p: p.union)
                if frozen.is_frozen(known, self.recorded):
                    item.frozen, item.declaration = known.name, f"{frozen.published(known.name, self.recorded)} {f.name}"
        return item

    def _told_of_growth(self, attr: str, f: Field, pointed: Struct) -> None:
        """It goes by without a size. What an older rdma-core does not know of it nobody refuses, as without libverbsx."""
        newer = [x.name for x in pointed.fields if x.since > pointed.since]
        if newer:
            self.told.append(Told(self.structs[attr].header, f"{attr}.{f.name}", f"points to struct {pointed.name}, which has grown by "
                                  f"{', '.join(newer)}: older libraries pass that on, and nobody refuses it"))

    def _parts(self, s: Struct, path: str, around: str) -> list[Part]:
        """Members of a structure, less those that came after it was published."""
        out = []
        for f in s.fields:
            if s.name in self.recorded and f.name not in self.recorded[s.name]:
                continue
            inner = self.structs.get(f.ref) if f.kind == "record" else None
            if inner and not inner.union:
                out += self._parts(inner, f"{path}.{f.name}", around)
            else:
                newer = self.newer((f.since, f.until))
                out.append(Part(f"{path}.{f.name}", f.kind == "record", newer if newer != around else ""))
        return out

    def _as_published(self, kind: Kind, item: InitField) -> None:
        """A number stays as wide as it was, whatever rdma-core takes by now."""
        row = self.recorded.get(f"vx_{kind.name}_init", {}).get(item.name)
        types = [str(row[0]), item.declaration.removesuffix(f" {item.name}")] if row and not item.cut else []
        if types and all(is_number(t) for t in types):
            item.declaration = declared(types[0], item.name)

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


def can_plan(api: Api, lore: Lore, groups: list[HeaderGroup], name: str) -> bool:
    """Whether lore makes a kind of these headers."""
    try:
        _Planner(api, lore, groups).kind(name)
    except GenError:
        return False
    return True


def plan_objects(api: Api, lore: Lore, groups: list[HeaderGroup]) -> Objects:
    """All kinds whose structures and calls this API has."""
    planner = _Planner(api, lore, groups)
    names = [n for n, e in sorted(lore.object.items()) if planner.has(e)]
    kinds = [planner.kind(n) for n in names]
    for kind in kinds:
        others = [k for k in kinds if k.type == kind.name != k.name]
        kind.tells_apart = [k for k in others if k.told]
        kind.counted = bool(kind.number) and (bool(kind.unimport) or any(not k.told for k in others))
    plan = planner.methods(kinds)
    plan.gone, plan.told = planner.gone(), planner.told
    plan.roots = [planner.root(name, entry) for name, entry in lore.root.items()]
    return plan
