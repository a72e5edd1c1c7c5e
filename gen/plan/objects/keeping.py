# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""What handles keep beside the raw object, what of it one tells that is adopted, and what ends it."""

from __future__ import annotations

from typing import Any

from ...api.facts import Struct
from ...know.model import find_field
from ..calls.calls import declared
from ..model.making import Ending, Maker
from ..model.object import ROOT, Kept, Kind
from ..model.tables import Tables
from ..when.guards import lives


class KeepingPlanner(Tables):
    """Plans it, once the fields of init structures are known."""

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
                kept = Kept(name, declared(filled, name), self._made_of(kind, entry.get("filled", {}).get(name, {})))
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
        for key, out in (("tells", kind.tells), ("adopts", kind.adopts), ("filled", [])):
            for name in entry.get(key, []):
                if name not in known:
                    raise self.wrong(kind.name, f"{key}: {name}: not among what the handle keeps")
                out.append(known[name])

    def _made_of(self, kind: Kind, said: dict[str, str]) -> str:
        """What makes it, in C, of a field of the init structure; "" where begin does."""
        for function, field in said.items():
            if field not in {"also" if kind.also else "", *(f.name for f in kind.fields)}:
                raise self.wrong(kind.name, f"filled: {field}: no field of the init structure")
            return f"{function}(init->{kind.also if field == 'also' else field})"
        return ""

    def kept_alike(self, kinds: list[Kind]) -> None:
        """What a handle keeps is looked for by the kind that it is used as: there, each that is used so has it in the same place."""
        named = {k.name: k for k in kinds}
        for kind in kinds:
            of = named.get(kind.type, kind)
            wanted = [(k.declaration, k.guard) for k in of.keeps]
            if wanted and ([(k.declaration, k.guard) for k in kind.keeps[:len(wanted)]] != wanted or kind.once != of.once):
                raise self.wrong(kind.name, f"keeps: its handles are used as those of {of.name}, which keep {', '.join(k.name for k in of.keeps)}",
                                 "what it keeps must begin with the same")

    def _adopting(self, kind: Kind, raw: Struct | None) -> None:
        """What an object tells of where it belongs, for one that was made by others."""
        fields = [f for f in (raw.fields if raw else []) if f.since <= max(kind.since, self.api.oldest)]  # headers as old as the kind lack others
        kind.raw_context = any(f.name == self.lore.context_member and f.ref == self.lore.context for f in fields)
        of = {f.name: self.kind_of[f.ref] for f in fields if f.kind == "pointer" and f.ref in self.kind_of}
        kind.raw_parent = next((name for name, owner in of.items() if owner == kind.parent != ROOT), "")
        lent = {x.field for x in kind.lends}
        kind.raw_uses = [name for name, owner in of.items() if owner not in (ROOT, kind.parent) and name not in lent]

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

    def _guard_of(self, kind: Kind, path: str) -> str:
        """The condition under which attr has a field, where that of the kind does not say so."""
        parts = path.split(".")
        fields = [find_field(self.structs, kind.attr, ".".join(parts[:n])) for n in range(1, len(parts) + 1)]
        since, until = lives(*((f.since, f.until) for f in fields if f))
        return self.guard(since if since > kind.since else 0, until if until != kind.until else 0)
