# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""The objects: how each kind is made, what it uses, how it ends, and which calls are its methods."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from .. import shapes
from ..facts import Call, Field, Struct
from ..groups import HeaderGroup
from ..lore import Lore, find_field
from ..lore_reasons import SET
from ..merge import Api
from .calls import convention, declared
from .rows import guard
from .structs import StructTables
from .words import of_field, of_mask, of_parameter

ROOT = "ctx"
TAG = re.compile(r"(?:const )?struct (\w+) \*")
RECORD = re.compile(r"(const )?struct (\w+) \*")
BIG_ENDIAN = re.compile(r"__be(\d+)")
ASKING = ("ibv_query_", "ibv_get_", "ibv_read_", "ibv_resolve_")  # calls that change nothing
DATA_PATH = ("ibv_post_", "ibv_poll_", "ibv_wr_", "ibv_wc_read_", "ibv_start_poll", "ibv_next_poll", "ibv_end_poll")


@dataclass
class InitField:
    """A member of an init structure, and how it gets into what rdma-core takes."""

    name: str
    declaration: str  # as a member
    kind: str = ""  # of the handle that it is
    bit: str = ""  # what makes it count
    parts: list[str] = field(default_factory=list)  # members of a structure that is filled one by one
    unions: list[str] = field(default_factory=list)  # those of them that are copied when they are not all zero
    whole: bool = False  # a structure that is copied when it is not all zero
    guard: str = ""
    words: str = ""
    implies: list[str] = field(default_factory=list)  # statements about others, without which it would not be looked at


@dataclass
class Sized:
    """A structure that a method takes or fills, which crosses the border of the library with its size."""

    name: str  # of the parameter
    c_type: str  # without "const" and "*"
    size: str  # the parameter that has it
    fills: bool  # the call writes to it
    reads: bool
    array: bool = False  # it is the first of several
    optional: bool = False

    @property
    def own(self) -> str:
        """The expression for the library's copy."""
        if self.array:
            return f"({self.c_type} *){self.name}"  # rdma-core changes nothing there
        return f"{self.name} ? &own_{self.name} : NULL" if self.optional else f"&own_{self.name}"


@dataclass
class Method:
    name: str
    call: str
    declaration: str  # of the function that programs call
    sized: str  # of the one that it passes the sizes to; "" where there are none
    passed: str  # what it passes
    arguments: str
    outcome: str  # returned errno null minus negative fd value
    result: str  # C type of what the call returns
    guard: str
    since: int
    params: list[str]
    slots: str  # its arguments, each as an integer of 64 bits
    checked: bool  # lore may refuse it
    does: str = ""
    words: list[tuple[str, str]] = field(default_factory=list)  # of its parameters
    page: str = ""
    needed: list[str] = field(default_factory=list)  # pointers that must not be NULL
    structs: list[Sized] = field(default_factory=list)

    def own(self, name: str) -> str:
        """What the library passes on of a parameter."""
        return next((s.own for s in self.structs if s.name == name), name)

    @property
    def without(self) -> str:
        """What is passed where the headers of a program lack the structures."""
        return re.sub(r"sizeof\(\*\w+\)", "0", self.passed)

    @property
    def widest(self) -> int:
        """The length of the longest parameter with words."""
        return max((len(name) for name, _ in self.words), default=0)



@dataclass
class Kind:
    name: str
    raw: str  # "" where rdma-core has no structure for it
    type: str
    id: int
    title: str  # as sentences have it
    parent: str
    create: str
    destroy: str
    attr: str = ""
    into: str = ""
    into_bit: str = ""
    selector: str = ""  # the mask in attr, and in the init structure
    selector_type: str = ""  # its C type
    selector_words: str = ""
    number: str = ""
    context_first: bool = False  # the call takes the context, whatever the parent
    fields: list[InitField] = field(default_factory=list)
    arguments: list[str] = field(default_factory=list)  # of a call without attr, after the parent
    methods: list[Method] = field(default_factory=list)
    since: int = 0
    guard: str = ""
    refused: list[str] = field(default_factory=list)  # fields of attr that lore may refuse where they are set
    prepare: str = ""  # the function that fits the defaults to the init structure, or refuses it
    call: str = ""  # the one that it stands for
    called: str = ""  # the one that messages name, as an expression of C; NULL: that of the row
    page: str = ""  # that one's man page
    by_hand: bool = False  # the runtime makes, adopts and ends it
    importing: str = ""  # the call that makes one of the handle that another process sent
    unimport: str = ""
    import_guard: str = ""
    import_since: int = 0
    shows: list[str] = field(default_factory=list)  # fields of raw that are printed
    does: str = ""
    busy: str = ""  # what may keep it from being destroyed
    keeps: str = ""  # the field of attr that the handle has a copy of
    raw_parent: str = ""  # the field of raw that has its parent
    raw_uses: list[str] = field(default_factory=list)  # those that have what else it depends on
    parent_title: str = ""

    @property
    def members(self) -> list[str]:
        """Those of the init structure, as they are declared: the mask comes first."""
        mask = f"{self.selector_type} {self.selector}" if self.selector else "uint32_t comp_mask" if not self.fields else ""
        return [mask, *(f.declaration for f in self.fields)] if mask else [f.declaration for f in self.fields]

    @property
    def article(self) -> str:
        """Of the title: "an MR", as it is spoken."""
        spoken = "AEFHILMNORSX" if self.title[:2].isupper() else "aeio"
        return "an" if self.title[0] in spoken else "a"

    @property
    def uses(self) -> list[InitField]:
        return [f for f in self.fields if f.kind]

    @property
    def own_type(self) -> bool:
        return self.type == self.name


@dataclass
class Objects:
    kinds: list[Kind] = field(default_factory=list)
    ctx: list[Method] = field(default_factory=list)
    forward: list[str] = field(default_factory=list)  # structures that only newer headers have
    left_out: dict[str, str] = field(default_factory=dict)  # call -> why it is no method

    @property
    def types(self) -> list[Kind]:
        return [k for k in self.kinds if k.own_type]


class _Planner:
    def __init__(self, api: Api, lore: Lore, groups: list[HeaderGroup]) -> None:
        self.api = api
        self.lore = lore
        self.groups = groups
        self.structs = api.structs()
        self.enums = api.enums()
        self.calls = api.calls()
        self.since = {v.name: v.since for e in api.enums().values() for v in e.values}
        self.recorded = shapes.load()
        self.entries: dict[str, dict[str, Any]] = lore.object
        self.kind_of = {e["raw"]: n for n, e in self.entries.items() if e.get("type", n) == n and "raw" in e}
        self.kind_of["ibv_context"] = ROOT
        self.ids = {name: number for number, name in enumerate(self.entries, 2)}  # 1 is a context

    def guard(self, since: int) -> str:
        return guard(since, 0, self.api.oldest, self.api.newest)

    def has(self, entry: dict[str, Any]) -> bool:
        needed = [entry.get(key, "vx_") for key in ("create", "destroy", "import", "unimport")]
        known = "raw" not in entry or entry["raw"] in self.structs
        return known and all(c in self.calls or c.startswith("vx_") for c in needed)

    # ---- making ----

    def kind(self, name: str) -> Kind:
        entry = self.entries[name]
        call = self.calls.get(entry["create"])
        kind = Kind(name, entry.get("raw", ""), entry.get("type", name), self.ids[name],
                    self._title(name), entry["parent"], entry["create"],
                    entry["destroy"], entry.get("attr", ""), entry.get("into", ""), number=entry.get("number", ""))
        raw = self.structs.get(kind.raw)
        kind.since = max(raw.since if raw else 0, call.since if call else 0)
        kind.guard = self.guard(kind.since)
        kind.parent_title = self._title(kind.parent)
        kind.call = entry["create"] if call else entry.get("page", entry["create"])
        kind.called = f"{kind.create}_call(&asked)" if kind.create.startswith("vx_") else "NULL"
        kind.page = self._page(kind.call)
        kind.does = self.lore.does.get(kind.call, "")
        kind.shows = entry.get("shows", [f.name for f in raw.fields if f.name == "handle"] if raw else [])
        kind.by_hand = entry.get("by_hand", False)
        kind.refused = list(dict.fromkeys(conditions[0].removesuffix(SET) for conditions
                                          in self.lore.reasons.refuse.get(kind.attr, {}).values()))
        kind.prepare = entry.get("prepare", "")
        kind.busy = entry.get("busy", "")
        kind.keeps = entry.get("keeps", "")
        self._importing(kind, entry)
        self._adopting(kind, raw)
        kind.context_first = call is None or call.params[0].type == "struct ibv_context *"
        if kind.attr:
            self._from_attr(kind, self.structs[kind.attr])
        elif call:
            kind.fields = [InitField(p.name, declared(p.type, p.name),
                                     words=of_parameter(self.lore, call.name, p.name, p.type)) for p in call.params[1:]]
            kind.arguments = [_argument(p.name, entry.get("default", {})) for p in call.params[1:]]
        order = shapes.in_order([f.name for f in kind.fields], self.recorded.get(f"vx_{name}_init", {}))
        kind.fields.sort(key=lambda f: order.index(f.name))
        return kind

    def _title(self, name: str) -> str:
        return "context" if name == ROOT else self.entries.get(name, {}).get("title", name.replace("_", " "))

    def _page(self, call: str) -> str:
        return self.lore.man.get(call, f"{call}(3)") or f"{call}()"

    def _importing(self, kind: Kind, entry: dict[str, Any]) -> None:
        if entry.get("import") in self.calls:
            kind.importing, kind.unimport = entry["import"], entry["unimport"]
            kind.import_since = max(kind.since, self.calls[kind.importing].since)
            kind.import_guard = self.guard(kind.import_since)

    def _adopting(self, kind: Kind, raw: Struct | None) -> None:
        """What an object tells of where it belongs, for one that was made by others."""
        of = {f.name: self.kind_of[f.ref] for f in (raw.fields if raw else []) if f.kind == "pointer" and f.ref in self.kind_of}
        kind.raw_parent = next((name for name, owner in of.items() if owner == kind.parent != ROOT), "")
        kind.raw_uses = [name for name, owner in of.items() if owner not in (ROOT, kind.parent)]

    def _from_attr(self, kind: Kind, attr: Struct) -> None:
        bits = self._bits(kind)
        kind.into_bit = bits.get(kind.into, "")
        kind.selector_type = next((f.type for f in attr.fields if f.name == kind.selector), "")
        kind.selector_words = of_mask(self.lore, kind.attr, kind.selector)
        for f in attr.fields:
            if f.name in ("comp_mask", "attr_mask", kind.into):
                continue
            kind.fields.append(self._init_field(kind.attr, f, bits.get(f.name, ""), kind.since))
            kind.fields[-1].implies = self._implied(kind, f.name, bits)

    def _bits(self, kind: Kind) -> dict[str, str]:
        """Field -> the bit that guards it."""
        out = {}
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
        since = max(f.since, self.since.get(bit, 0))
        newer = self.guard(since) if since > oldest else ""
        enum = self.enums.get(f.ref) if f.kind == "enum" else None
        c_type = "uint32_t" if enum and enum.since > self.api.oldest else f.type  # the same for all headers
        item = InitField(f.name, declared(c_type, f.name), bit=bit, guard=newer,
                         words=of_field(self.lore, attr, f.name, c_type, since if newer else 0))
        if c_type != f.type:
            item.words = "; ".join(w for w in (item.words, f"of enum {f.ref}") if w)
        if f.kind == "pointer" and f.ref in self.kind_of:
            item.kind = self.kind_of[f.ref]
            item.declaration = f"struct vx_{item.kind} *{f.name}"
        elif f.kind == "record":
            known = self.structs.get(f.ref)
            item.whole = known is None or known.union
            if not item.whole and known is not None:
                self._parts(item, known, f.name)
        return item

    def _parts(self, item: InitField, s: Struct, path: str) -> None:
        for f in s.fields:
            inner = self.structs.get(f.ref) if f.kind == "record" else None
            if inner and not inner.union:
                self._parts(item, inner, f"{path}.{f.name}")
            else:
                (item.unions if f.kind == "record" else item.parts).append(f"{path}.{f.name}")

    # ---- methods ----

    def methods(self, kinds: list[Kind]) -> Objects:
        plan = Objects(kinds)
        by_raw = {f"struct {k.raw} *": k for k in plan.types if k.raw}
        making = {e[key] for e in self.entries.values() for key in ("create", "destroy", "import", "unimport") if key in e}
        verbs = self.api.groups.get("verbs")
        for call in sorted(verbs.calls.values() if verbs else [], key=lambda c: c.name):
            owner = call.params[0].type if call.params else ""
            why = self._why_none(call, making, owner in by_raw or owner == "struct ibv_context *")
            if why:
                plan.left_out[call.name] = why
                continue
            methods = plan.ctx if owner == "struct ibv_context *" else by_raw[owner].methods
            plan.forward += [n for n in self._newer(call) if n not in plan.forward]
            methods.append(self._method(call, ROOT if owner == "struct ibv_context *" else by_raw[owner].name))
        return plan

    def _why_none(self, call: Call, making: set[str], owned: bool) -> str:
        said = self.lore.method.get(call.name)
        if said:
            return said
        if call.name in making:
            return "makes or ends an object"
        if call.name.startswith(DATA_PATH):
            return "the data path; called as it is"
        if call.name.startswith("_") or not (call.kind == "inline" or call.library):
            return "internal to rdma-core"
        return "" if owned else "takes no object; called as it is"

    def _newer(self, call: Call) -> list[str]:
        tags = [TAG.match(p.type) for p in call.params[1:]]
        names = [t[1] for t in tags if t and t[1] in self.structs and t[1] not in self.kind_of]
        return [n for n in names if self.structs[n].since > self.api.oldest]

    def _method(self, call: Call, kind: str) -> Method:
        group = next(g for g in self.groups if g.name == "verbs")
        said = convention(call, group, self.lore)
        outcome = {"null": "null", "minus-one": "minus", "negative-errno": "negative", "errno-returned": "errno",
                   "count": "negative", "none": "value"}[said]
        names, needed = [], []
        structs = self._sized(call)
        constant = "const " if call.name.startswith(ASKING) else ""
        params = [f"{constant}struct vx_{kind} *{kind}"]
        for p in call.params[1:]:
            target = p.type.removeprefix("struct ").removesuffix(" *")
            known = self.lore.parameter.get(f"{call.name}.{p.name}", {})
            optional = known.get("optional", False)
            if p.type.endswith(("*", "]")) and not optional and "count" not in known:
                needed.append(p.name)
            if p.type.startswith("struct ") and target in self.kind_of:
                handle = self.kind_of[target]
                params.append(f"struct vx_{handle} *{p.name}")
                names.append(f"{p.name} ? vx_{handle}_raw({p.name}) : NULL" if optional else f"vx_{handle}_raw({p.name})")
            elif p.name in structs:
                taken = structs[p.name]
                params.append(declared(f"{'' if taken.fills else 'const '}{taken.c_type} *", p.name))
                names.append(taken.own)
            elif big_endian := BIG_ENDIAN.fullmatch(p.type):  # numbers are in the byte order of the host
                params.append(f"uint{big_endian[1]}_t {p.name}")
                names.append(f"htobe{big_endian[1]}({p.name})")
            else:
                params.append(declared(p.type, p.name))
                names.append(p.name)
        if outcome == "minus" and call.name.endswith(("_fd", "_index")):  # a number, which is the result
            outcome = "fd"
        if outcome in ("fd", "value", "null", "negative") and call.result != "void":
            out = {"fd": "int", "negative": "size_t"}.get(outcome, call.result)
            params.append(declared(f"{out} *" if not out.endswith("*") else f"{out}*", "out"))
            needed.append("out")
        given = [p.rpartition(" ")[2].lstrip("*").partition("[")[0] for p in params[1:]]
        types = {p.name: p.type for p in call.params}
        said = [(p, of_parameter(self.lore, call.name, p, types.get(p, ""))) for p in given]
        sized = [p for name, param in zip([kind, *given], params)
                 for p in ([param, f"size_t {structs[name].size}"] if name in structs else [param])]
        passed = [p for name in [kind, *given] for p in ([name, f"sizeof(*{name})"] if name in structs else [name])]
        return Method(f"vx_{kind}_{_verb(call.name, kind)}", call.name, ", ".join(params),
                      ", ".join(sized) if structs else "", ", ".join(passed), "".join(f", {n}" for n in names), outcome, call.result, self.guard(call.since), call.since, given,
                      ", ".join(slot(p.type, n) for p, n in zip(call.params, [f"vx_{kind}_raw({kind})", *names])),
                      call.name in self.lore.reasons.refuse,
                      self.lore.does.get(call.name, ""),
                      [(p, text) for p, text in said if text], self._page(call.name), needed, list(structs.values()))

    def _sized(self, call: Call) -> dict[str, Sized]:
        """The parameters that are structures of a program's headers."""
        out = {}
        for p in call.params[1:]:
            known = self.lore.parameter.get(f"{call.name}.{p.name}", {})
            record = RECORD.fullmatch(known.get("type", p.type))
            struct = self.structs.get(record[2]) if record else None
            if struct is None or struct.name in self.kind_of:
                continue
            fills = known.get("out", False)
            reads = not fills or any(f.name == "comp_mask" for f in struct.fields)  # which of it is wanted
            out[p.name] = Sized(p.name, f"struct {struct.name}", "", fills, reads, "count" in known, known.get("optional", False))
        for item in out.values():
            item.size = "size" if len(out) == 1 else f"{item.name}_size"
        return out


def slot(type_: str, value: str) -> str:
    """What a call is given, as an integer of 64 bits."""
    if type_.startswith("__be") and not type_.endswith("*"):
        return f"be{type_[4:]}toh({value})"
    if type_.endswith(("*", "]")):
        return f"VX_ARG({value})"
    return value if type_.startswith("uint") else f"(uint64_t){value}"


def _argument(name: str, default: dict[str, str]) -> str:
    """What a call without attr gets for a field: the field's value or, where that is zero, the default."""
    if name in default:
        return f"init->{name} ? init->{name} : {default[name]}"
    return f"init->{name}"


def _verb(call: str, kind: str) -> str:
    """The call without its prefix and the word for its kind: ibv_query_qp_data_in_order is query_data_in_order."""
    words = call.removeprefix("ibv_").split("_")
    own = kind.split("_")
    for i in range(len(words) - len(own) + 1):
        if words[i : i + len(own)] == own:
            return "_".join(words[:i] + words[i + len(own) :])
    return "_".join(words)


def plan_objects(api: Api, lore: Lore, groups: list[HeaderGroup]) -> Objects:
    """All kinds whose structures and calls this API has."""
    planner = _Planner(api, lore, groups)
    names = [n for n, e in sorted(lore.object.items()) if planner.has(e)]
    return planner.methods([planner.kind(n) for n in names])
