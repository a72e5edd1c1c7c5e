# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""The methods: calls whose first argument is an object, or which lore says are of one."""

from __future__ import annotations

import re
from itertools import chain
from typing import Any

from ...api.c_types import WORD, c_type, is_function
from ...api.facts import Call, Param
from ...api.merge import object_name
from ...know.groups import HeaderGroup
from ...know.model import MASK, Lore, begins, find_field
from ...know.parameters import RESULT, assumed_filled, may_be_null
from ..calls import widths
from ..calls.calls import beyond_c, convention, declared, name_of, of_elsewhere, types_of
from ..model.method import Cleared, Mask, Method, Sized
from ..model.object import ROOT, Kind, Objects, Told
from ..model.tables import ways_of
from ..text.words import of_parameter
from ..when.guards import lives
from .called import Names, method_name
from .options import option
from .views import OBJECT, VIEW, view

MAKES = re.compile(r"_(create|alloc|reg|open|import)(_|$)")
ENDS = re.compile(r"_(destroy|free|dealloc|dereg|close|unimport)(_|$)")
PLACE = "_index"  # what such a call returns
BYTES = "ssize_t"  # how many there are
UNTAGGED = "of a structure without a tag, which other headers cannot declare; called as it is"
LACKED = "of what the headers of older releases cannot declare, {}; called as it is"
# How a method tells what came of a call, by how that does.
OUTCOMES = {"null": "null", "minus-one": "minus", "own": "minus", "negative-errno": "negative", "errno-returned": "errno", "count": "negative",
            "none": "value"}


class MethodPlanner(Names):
    """Plans them, once the kinds are known."""

    def methods(self, kinds: list[Kind]) -> Objects:
        plan, context = Objects(kinds), self.lore.context
        by_raw = {k.raw: k for k in plan.types if k.raw}
        making = {e[key] for e in self.entries.values() for key in ("destroy", "import", "unimport") if key in e}
        making |= {call for e in self.entries.values() for call in e.get("other", {}).values()}
        making |= set(self.lore.opening)
        making |= {w[key] for e in self.entries.values() for w in [*ways_of(e), e] for key in ("call", "name", "page") if key in w}
        of_providers = {g.name for g in self.groups if g.provider}
        plan.groups = [name for name, g in self.api.groups.items() if name in of_providers or not making.isdisjoint(g.calls)]
        moves = {call: to for e in self.entries.values() for call, to in e.get("moves", {}).items()}
        depends = {call: names for e in self.entries.values() for call, names in e.get("depends", {}).items()}
        before = {call: function for e in self.entries.values() for call, function in e.get("before", {}).items()}
        then = {call: function for e in self.entries.values() for call, function in e.get("then", {}).items()}
        by = {call: function for e in self.entries.values() for call, function in e.get("by", {}).items()}
        marks = {call: name for e in self.entries.values() for call, name in e.get("marks", {}).items()}
        for call in sorted((c for g in plan.groups for c in self.api.groups[g].calls.values()), key=lambda c: c.name):
            at = self._owner(call)
            owner = call.params[at].what.to_a_struct if call.params else ""
            why = self._why_none(call, making, owner in by_raw or owner == context)
            if why:
                plan.left_out[call.name] = why
                plan.ruled_out |= {call.name} if self._is_doubtful(call, making) else set()
                continue
            methods = plan.ctx if owner == context else by_raw[owner].methods
            plan.forward += [n for n in self._newer(self._structs_of(call)) if n not in plan.forward]
            methods.append(self._method(call, ROOT if owner == context else by_raw[owner].name))
            methods[-1].present = self._present(call, "" if owner == context else by_raw[owner].present)
            methods[-1].moves = moves.get(call.name, "")
            if call.name in depends:
                self._depend(methods, depends[call.name])
            methods[-1].marks = marks.get(call.name, "")
            methods[-1].before = before.get(call.name, "")
            methods[-1].by = by.get(call.name, "")
            methods[-1].then = then.get(call.name, "")
        plan.openings = [self._opening(self.calls[name], asks) for name, asks in sorted(self.lore.opening.items())
                         if name in self.calls and self._is_read(name)]
        for name, entry in self.lore.option.items():
            call = self.calls.get(entry["call"])
            if call:
                kind = by_raw[call.params[0].what.to_a_struct]
                kind.methods.append(option(name, entry, call, kind.name, self.guard(call.since, call.until), self._page(call.name)))
                kind.methods[-1].present = self._present(call, kind.present)
        for name, members in self.lore.view.items():
            for member, entry in members.items():
                if name in self.calls and self._is_read(name) and entry["flag"] in self.since:
                    self._view(self.calls[name], member, entry, by_raw, plan)
        self.each_has_its_name(plan)
        self._names_of_none({m.call for methods in (plan.ctx, plan.openings, *(k.methods for k in plan.types)) for m in methods})
        return plan

    def _names_of_none(self, made: set[str]) -> None:
        """What lore calls a method that is none: the line does nothing."""
        for name in self.lore.named:
            if name in self.calls and name not in made:
                self.told.append(Told(self.calls[name].header, name, "is no method, so nothing is called as [named] says"))

    def _is_read(self, call: str) -> bool:
        """Whether the group that a call is of is one that is asked for."""
        return bool(self.of_group[call].headers)

    def _opening(self, call: Call, asks: str) -> Method:
        """A call that makes a context, of a device rather than of an object that has a handle."""
        opens = self._method(call, ROOT, makes=Kind(ROOT, self.lore.context, ROOT, 0, "context", ""))
        device = call.params[0]
        for key in ("declaration", "sized"):
            setattr(opens, key, getattr(opens, key).replace(f"struct vx_{ROOT} *parent", f"{device.type}{device.name}"))
        for key in ("arguments", "slots"):
            setattr(opens, key, getattr(opens, key).replace(f"vx_{ROOT}_raw(parent)", device.name))
        opens.passed = opens.passed.replace("parent", device.name)
        opens.structs = [s for s in opens.structs if s.name != device.name]
        opens.asks_device, opens.present = asks, self.present(call)
        return opens

    def _view(self, call: Call, member: str, entry: dict[str, Any], by_raw: dict[str, Kind], plan: Objects) -> None:
        takes = self.structs[call.params[0].what.name]
        path = {end: find_field(self.structs, takes.name, f"{member}.{end}") for end in (OBJECT, VIEW)}
        obj, filled = path[OBJECT], path[VIEW]
        if not obj or not filled:
            raise self.wrong(call.name, f"{member}: struct {takes.name} has no such view")
        kind = by_raw.get(c_type(obj.type).to_a_struct)
        if not kind:
            return
        kind.methods.append(view(member, entry, call, takes, kind, self.of_group[call.name].word, self._asked_bits(filled.ref), self.guard))
        kind.methods[-1].page, kind.methods[-1].present = self._page(call.name), self._present(call, kind.present)
        kind.methods[-1].provider = self.of_group[call.name].provider
        plan.forward += [n for n in self._newer([filled.ref]) if n not in plan.forward]

    def _asked_bits(self, struct: str) -> str:
        """In C: what of a structure a vendor's call is asked for, which answers with what there was, as far as the library's headers have a place for it."""
        enum = self.enums.get(self.lore.field.get(f"{struct}.{MASK}", {}).get("flags", ""))
        return self._known_bits(struct, MASK, enum)

    def _depend(self, methods: list[Method], names: list[str]) -> None:
        """What the object depends on afterwards takes the place of what it did, for which alone there is room."""
        method, kinds = methods[-1], dict(methods[-1].handles)
        if other := next((m.name for m in methods if m.depends), ""):
            raise self.wrong(method.call, f"depends: so it does by {other}, and can by one method")
        for name in names:
            if name not in kinds:
                raise self.wrong(method.call, f"depends: {name}: is no handle that {method.name} takes")
        method.depends = names

    def _present(self, call: Call, of_kind: str) -> str:
        """The condition under which a program has the headers of a method: those that it has its kind by, or those of the call's group."""
        return of_kind or self.present(call)

    def _owner(self, call: Call) -> int:
        """The parameter whose method a call is: the first, where lore does not say otherwise."""
        said = self.lore.owner.get(call.name)
        return next((i for i, p in enumerate(call.params) if p.name == said), 0)

    def _refusals(self, call: Call, kind: str, called: str, params: list[str], rest: list[Param]) -> list[tuple[str, str]]:
        """What is refused before, as rdma-core or a provider would crash on it: conditions in C, and why."""
        raw = next((p.name for i, p in enumerate(call.params) if i == self._owner(call)), "")
        names = {p.name: f"own_{p.name}" if p.name in params else p.name for p in rest}
        out = []
        for why, text in self.lore.before.get(call.name, {}).items():
            def c_name(match: re.Match[str]) -> str:
                first, _, path = match[0].partition(".")
                if first == "kept":
                    return f"((const struct vx_kept_{kind} *)vx_node_extra((const struct vx_node *){called}))->{path}"
                if first == raw and not path:
                    return called
                if first == raw:
                    return f"vx_{kind}_raw({called})->{path}"
                return f"{names[first]}.{path}" if path and first in names else match[0]
            out.append((re.sub(r"[A-Za-z_][\w.]*", c_name, text), why))
        return out

    def _why_none(self, call: Call, making: set[str], owned: bool) -> str:
        said = self.lore.method.get(call.name)
        if said:
            return said
        if call.name in self.lore.inline:
            return "the data path; an inline function stands for it"
        if call.name in making:
            return "makes or ends an object"
        if begins(self.lore, "data_path", call.name):
            return "the data path; called as it is"
        if call.name.startswith("_") or not (call.kind == "inline" or call.library):
            return "internal to rdma-core"
        if why := beyond_c(call):
            return why
        if not owned:
            return "takes no object; called as it is"
        if self._untagged(call):
            return UNTAGGED
        if lacked := self._lacked(call):
            return LACKED.format(lacked)
        return self._life(call) or self._strange(call)

    def _untagged(self, call: Call) -> bool:
        """Whether a type of a call is a structure without a tag: headers that lack it cannot declare a method that has it."""
        words = {word for text in types_of(call) for word in WORD.findall(text)}
        return any(w in self.structs and self.structs[w].typedef for w in words)

    def _lacked(self, call: Call) -> str:
        """An enum of newer headers that functions which a call takes are about: elsewhere a number stands for one, and nothing for those. Or one of
        a header that is of no group, of which nothing is known."""
        within = (f"enum {word}" for p in call.params if is_function(p.type) for word in WORD.findall(p.type)
                  if word in self.enums and self.enums[word].since > self.api.oldest)
        unknown = (f"enum {what.name}" for what in (c_type(call.result), *(p.what for p in call.params))
                   if what.word == "enum" and what.name not in self.enums and call.since > self.api.oldest)
        return next(chain(within, unknown), "") or of_elsewhere(call, self.api.groups[self.of_group[call.name].name], self.api.oldest)

    def _is_doubtful(self, call: Call, making: set[str]) -> bool:
        """Whether only rules say why a call is no method: neither lore, nor what such a call is by its name."""
        return not (call.name in self.lore.method or call.name in making or call.name in self.lore.inline or begins(self.lore, "data_path", call.name) or call.name.startswith("_"))

    def _life(self, call: Call) -> str:
        """Whether a call makes or ends an object of which no kind says so: a program would do that behind the back of its handles."""
        if ENDS.search(call.name):
            return "ends what a handle may be of; a kind in lore would say so"
        made = [c_type(call.result).to_struct, *(p.what.to_struct for p in call.params if p.what.to_a_pointer)]
        if kind := next((self.kind_of[tag] for tag in made if tag in self.kind_of), ""):
            return f"makes what is of kind {kind}, which has no such call: create or import of that line of lore would say so"
        if MAKES.search(call.name):
            return "makes what has no handle; a kind in lore would say so"
        return ""

    def _strange(self, call: Call) -> str:
        """Whether a call takes or gives what nobody can look into, nor have a handle of: as a method it would once take that.

        It also is where it hands out a structure of no kind, which then nobody would own.
        """
        for given in [c_type(call.result).to_struct, *(p.what.to_struct for p in call.params if p.what.to_a_pointer)]:
            if given and given not in self.kind_of:
                return f"gives a struct {given}, which is no kind of object yet"
        types = [call.result, *(self.lore.parameter.get(f"{call.name}.{p.name}", {}).get("type", p.type) for p in call.params)]
        for tag in (c_type(t).to_struct for t in types):
            if tag in self.structs and self.structs[tag].opaque and tag not in self.kind_of:
                return f"is about struct {tag}, which is no kind of object yet"
        return ""

    def _structs_of(self, call: Call) -> list[str]:
        others = [p for p in call.params if p is not call.params[self._owner(call)]]
        tags = [tag for p in others for tag in (WORD.findall(p.type) if is_function(p.type) else [p.what.to_struct])]
        of_no_group = [p.what.to_struct for p in others if p.what.to_struct not in self.structs and call.since > self.api.oldest]
        return [t for t in tags if t in self.structs and t not in self.kind_of or t in of_no_group and t]

    def _newer(self, structs: list[str]) -> list[str]:
        """Those that not all headers have."""
        return [n for n in structs if n not in self.structs or self.newer((self.structs[n].since, self.structs[n].until))]

    def _lives(self, call: Call, structs: dict[str, Sized]) -> tuple[int, int]:
        """The releases that have a call, and all of each structure that crosses with its size."""
        found = [self.structs[c_type(s.c_type).name] for s in structs.values()]
        return lives((call.since, call.until), *((s.since, s.until) for s in found))

    def _method(self, call: Call, kind: str, makes: Kind | None = None) -> Method:
        """A call as a function of an object of a kind, or as one that makes another kind under it."""
        called = "parent" if makes else object_name(kind)
        group, outcome = self.of_group[call.name], self._outcome(call)
        structs, narrow = self._sized(call), self._narrow(call)
        rest = [p for i, p in enumerate(call.params) if i != self._owner(call)]
        taken = [p for p in rest if f"{call.name}.{p.name}" not in self.lore.given]
        passed = {p.name: self._passed(call, p, structs, narrow) for p in taken}
        out, result_bits = self._out(call, outcome, makes)
        since, until = self._lives(call, structs)
        constant = "const " if begins(self.lore, "asking", call.name) else ""
        params = [f"{constant}struct vx_{kind} *{called}", *(declaration for declaration, _ in passed.values()), *([out] if out else [])]
        given = [name_of(p) for p in params[1:]]
        arguments = _inserted([passed[p.name][1] if p.name in passed else self.lore.given[f"{call.name}.{p.name}"] for p in rest],
                              self._owner(call), f"vx_{kind}_raw({called})")
        slots = [p.name if p.name in narrow else slot(p.type, n) for p, n in zip(call.params, arguments)]
        cleared = cleared_of(self.lore, call)
        return Method(method_name(group, call, kind, self.lore.named.get(call.name, "")), call.name, ", ".join(params),
                      _with_sizes([called, *given], params, structs), _sizes_passed([called, *given], structs), ", ".join(arguments),
                      outcome, call.result, self.guard(since, until), since, until, given, ", ".join(slots),
                      call.name in self.lore.reasons.refuse, self.lore.does.get(call.name, ""), self._words(call, given), self._page(call.name),
                      self._needed(call, taken, cleared) + (["out"] if out and not makes else []), list(structs.values()), group.provider,
                      asks=next((name for name in narrow if f"{call.name}.{name}" in self.lore.unasked), ""), narrow=list(narrow.items()),
                      counted=[(p.name, count) for p in taken if (count := self._said(call, p).get("count", RESULT)) != RESULT],
                      handles=[(p.name, handle) for p in taken if (handle := self._handle(p))], cleared=cleared,
                      masks=self._changed_masks(call, structs), beyond=self._beyond(call, structs),
                      swapped=[(p.name, str(p.what.swapped)) for p in taken if _is_swapped_there(p)], result_bits=result_bits,
                      units=[(n, self.lore.unit[f"{call.name}.{n}"]) for n in given if f"{call.name}.{n}" in self.lore.unit],
                      refuses=self._refusals(call, kind, called, list(structs), rest), opens=self.lore.call.get(call.name, {}).get("opens", False))

    def _said(self, call: Call, p: Param) -> dict[str, Any]:
        """What lore says of a parameter."""
        return self.lore.parameter.get(f"{call.name}.{p.name}", {})

    def _outcome(self, call: Call) -> str:
        """How a method tells what came of its call."""
        outcome = OUTCOMES[convention(call, self.of_group[call.name], self.lore)]
        if call.result == "void":
            return "void"
        is_number = call.name.endswith(("_fd", PLACE)) or call.result == BYTES  # which is the result
        return "fd" if outcome == "minus" and is_number else outcome

    def _narrow(self, call: Call) -> dict[str, int]:
        """Numbers that a call takes in fewer bits than its method does, and the most that fits."""
        narrow = {p.name: widths.NARROW[p.type] for p in call.params if p.type in widths.NARROW}
        return narrow | {p.name: widths.COUNT for p in call.params if f"{call.name}.{p.name}" in self.lore.counting}

    def _handle(self, p: Param) -> str:
        """The kind whose handle stands for what a parameter points to, if one does: others a program may fill."""
        target = p.what.to_a_struct
        return self.kind_of[target] if target in self.kind_of and (not p.what.const or self.structs[target].opaque) else ""

    def _passed(self, call: Call, p: Param, structs: dict[str, Sized], narrow: dict[str, int]) -> tuple[str, str]:
        """How a method declares a parameter, and what it passes on for that; numbers come in the byte order of the host."""
        what, bits = p.what, p.what.swapped
        if handle := self._handle(p):
            raw = f"vx_{handle}_raw({p.name})"
            return f"struct vx_{handle} *{p.name}", f"{p.name} ? {raw} : NULL" if self._said(call, p).get("optional") else raw
        if p.name in structs:
            taken = structs[p.name]
            return declared(f"{'' if taken.fills else 'const '}{taken.c_type} *", p.name), taken.own
        if bits and what.is_swapped:
            cast = f"(uint{bits}_t)" if p.name in narrow else ""
            return f"{widths.WIDE if cast else f'uint{bits}_t'} {p.name}", f"htobe{bits}({cast}{p.name})"
        if p.name in narrow:
            return f"{widths.WIDE} {p.name}", f"({p.type}){p.name}"
        if _is_swapped_there(p):
            return f"uint{bits}_t *{p.name}", f"&own_{p.name}"
        if what.stars == "*" and not what.const and self._retyped(what.target) != what.target:
            return f"uint32_t *{p.name}", f"({p.type}){p.name}"
        return declared(self._retyped(p.type), p.name), p.name

    def _out(self, call: Call, outcome: str, makes: Kind | None) -> tuple[str, str]:
        """The parameter that a method writes to what its call returns, and the bits of one in the byte order of the network."""
        if makes:
            return f"struct vx_{makes.type} **out", ""
        if outcome not in ("fd", "value", "null", "negative"):
            return "", ""
        number = "size_t" if call.result == BYTES else widths.WIDE if call.name.endswith(PLACE) else "int"
        out, bits = {"fd": number, "negative": "size_t"}.get(outcome, call.result), ""
        if c_type(out).is_swapped:
            bits = str(c_type(out).swapped)
            out = f"uint{bits}_t"
        return declared(f"{out}*" if c_type(out).stars else f"{out} *", "out"), bits

    def _needed(self, call: Call, taken: list[Param], cleared: list[Cleared]) -> list[str]:
        """The pointers that must not be NULL, but for those that their own function looks at."""
        looked_at = {name for c in cleared for name in (c.name, c.taken)}
        return [p.name for p in taken if (p.what.is_pointer or is_function(p.type)) and p.name not in looked_at
                and not may_be_null(self.lore, call, p) and "count" not in self._said(call, p)]

    def _words(self, call: Call, given: list[str]) -> list[tuple[str, str]]:
        """Those of its parameters of which there is something to say."""
        types = {p.name: p.type for p in call.params}
        found = [(name, of_parameter(self.lore, call.name, name, types.get(name, ""))) for name in given]
        return [(name, text) for name, text in found if text]

    def _beyond(self, call: Call, structs: dict[str, Sized]) -> list[str]:
        """Of what a change takes along with a mask, as conditions in C; what is asked for has nothing yet."""
        return [condition for s in structs.values() if not s.fills and self.lore.parameter.get(f"{call.name}.{s.name}", {}).get("mask")
                for condition in self.beyond(c_type(s.c_type).name, f"own_{s.name}")]

    def _changed_masks(self, call: Call, structs: dict[str, Sized]) -> list[Mask]:
        """The masks of a change: those beside a structure, and those in one."""
        if begins(self.lore, "asking", call.name):
            return []
        out = []
        for taken in structs.values():
            struct = c_type(taken.c_type).name
            mask = self.lore.parameter.get(f"{call.name}.{taken.name}", {}).get("mask", "")
            enum = self.lore.parameter.get(f"{call.name}.{mask}", {}).get("flags", "")
            if mask:
                out.append(self.mask(mask, f"(unsigned int){mask}", f"{struct}()", "", enum))
            fields = [f.name for f in self._fields_of(struct) if f.name in self.selectors and not taken.array and self._is_mask_here(f)]
            out += [self.mask(f"{taken.name}.{name}", f"own_{taken.name}.{name}", struct, name) for name in fields]
        return out

    def _sized(self, call: Call) -> dict[str, Sized]:
        """The parameters that are structures of a program's headers."""
        out = {}
        for p in call.params:
            known = self.lore.parameter.get(f"{call.name}.{p.name}", {})
            struct = self.structs.get(c_type(known.get("type", p.type)).to_a_struct)
            if struct is None or struct.opaque or struct.name in self.kind_of or f"{call.name}.{p.name}" in self.lore.given:
                continue
            fills = known.get("out", assumed_filled(self.lore, call, p))
            reads = not fills or known.get("asks", False)
            out[p.name] = Sized(p.name, f"struct {struct.name}", "", fills, reads, "count" in known, known.get("optional", False),
                                known.get("empty", False), struct.fields[-1].name, self._asked_bits(struct.name) if fills and reads and self.of_group[call.name].provider else "")
        for item in out.values():
            item.size = "size" if len(out) == 1 and all(p.name != "size" for p in call.params) else f"{item.name}_size"
        return out


def cleared_of(lore: Lore, call: Call) -> list[Cleared]:
    """What a call fills, and who explains it looks into even where it has failed."""
    taken = next((f"{p.name} {beside.name}".split() for p, beside in zip(call.params, call.params[1:]) if p.type == "const void *"), ["", ""])
    return [Cleared(p.name, length, by, *taken) for p in call.params
            for length, by in lore.parameter.get(f"{call.name}.{p.name}", {}).get("clear", {}).items()]


def slot(type_: str, value: str) -> str:
    """What a call is given, as an integer of 64 bits."""
    what = c_type(type_)
    if what.is_swapped:
        return f"be{what.swapped}toh({value})"
    if what.is_whole or any(c in type_ for c in "*[("):
        return f"VX_ARG({'&' if what.is_whole else ''}{value})"
    if type_ == "int":
        return f"(uint64_t)(int){value}"
    return value if type_.startswith("uint") else f"(uint64_t){value}"


def _is_swapped_there(p: Param) -> bool:
    """Whether a call writes a number in the byte order of the network to where a parameter points."""
    return bool(p.what.swapped) and p.what.stars == "*" and not p.what.const


def _with_sizes(names: list[str], params: list[str], structs: dict[str, Sized]) -> str:
    """The parameters of the function that gets the sizes of structures as well, if there are any."""
    sized = [p for name, param in zip(names, params) for p in ([param, f"size_t {structs[name].size}"] if name in structs else [param])]
    return ", ".join(sized) if structs else ""


def _sizes_passed(names: list[str], structs: dict[str, Sized]) -> str:
    return ", ".join(p for name in names for p in ([name, f"sizeof(*{name})"] if name in structs else [name]))


def _inserted(items: list[str], at: int, item: str) -> list[str]:
    return [*items[:at], item, *items[at:]]
