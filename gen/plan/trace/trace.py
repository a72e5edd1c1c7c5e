# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""Tracing: which calls have a traced form, and what each of their parameters is."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...api.c_types import CType, c_type
from ...api.facts import Call, Param
from ...api.merge import Api
from ...errors import GenError
from ...fast.record import changed, field, record
from ...know.model import WIDTHS, Lore
from ...know.parameters import RESULT, assumed_filled
from ...know.wr import is_setter, step_of
from ..calls.calls import CallPlan, CallsPlan, declared, wrapped
from ..enums.enums import EnumPlan
from ..model.object import Objects
from ..structs.structs import StructTables
from .wrapped import wrapped_calls

Begun = tuple[Param, dict[str, Any]]
LONGER = ("uint64_t", "int64_t", "__u64", "long", "unsigned long", "size_t", "ssize_t")  # than 32 bits, somewhere
SIGNED = ("int", "ssize_t", "long", "int32_t", "int64_t")
UNSEEN = "0"  # the row of a structure that headers only declare
ADDRESS = "pointer"  # in gen/abi/json.toml: what headers once hid, and have shown since, stays that
ASIDE = "vx_aside"  # what the traced form of a call has beside: no parameter of rdma-core is called so


@record
class Tail:
    """What stands behind a structure that a parameter points to."""

    id: str
    name: str
    before: str  # the structure that counts them
    struct: str  # what each is
    count: str
    size: str


@record
class Parameter:
    """A row of the table: what a parameter is."""

    name: str
    type: str
    kind: str = "UINT"  # of enum vx_kind
    ref: str = "0"
    form: str = ""
    flags: list[str] = field(default_factory=list)  # OUT, ASKS, HANDLE, MASKED, COUNTED, BIG_ENDIAN, TAIL
    other: int | str = 0  # 1 + index of the parameter that counts or masks, the result last; of a tail the enumerator of its row
    tail: Tail | None = None
    is_an_address: bool = False  # where what it points to would be shown, if there were room to say so

    @property
    def read_after(self) -> bool:
        return "OUT" in self.flags

    @property
    def followed(self) -> bool:
        return self.kind.endswith("_POINTER")

    @property
    def is_given(self) -> bool:
        """A structure that the call reads, one of it."""
        return self.kind == "STRUCT_POINTER" and "COUNTED" not in self.flags and (not self.read_after or "ASKS" in self.flags)

    @property
    def row(self) -> str:
        """It as a field of the structure that the arguments of a call are: what its initializer has behind its place."""
        size = "void *" if "POINTER" in self.kind else "uint32_t" if self.kind == "FLAGS" else "uint64_t"
        said = {"ref": self.ref if self.ref != "0" else "", "form": f"VX_FORM_{self.form.upper()}" if self.form else "",
                "flags": "VX_FIELD_BIG_ENDIAN" if "BIG_ENDIAN" in self.flags else "",
                "length": self.other if "COUNTED" in self.flags else ""}
        return ", ".join([self.name, self.kind, size, *(f".{key} = {value}" for key, value in said.items() if value)])

    @property
    def value(self) -> str:
        """The C expression that puts it into a slot of 64 bits."""
        what = c_type(self.type)
        if what.is_swapped:
            return f"be{what.swapped}toh({self.name})"
        if what.is_whole:
            return f"(uintptr_t)&{self.name}"
        return f"({'uintptr_t' if any(c in self.type for c in '*[(') else 'uint64_t'}){self.name}"


@record
class TracedCall:
    name: str
    guard: str
    result: str  # C type
    prototype: str  # of the traced form
    inline: str  # of what takes the place of the call
    arguments: str
    params: list[Parameter]
    kind: str = "INT"  # of enum vx_kind: what it returns
    ref: str = "0"
    first: int = 0  # of vx_fields
    locks: bool = False  # memory of the process

    @property
    def returned(self) -> str:
        """The C expression that makes 64 bits of what it returns."""
        what = c_type(self.result)
        if what.stars:
            return "(int64_t)(uintptr_t)result"
        if what.is_whole:
            return "0"
        return f"(int64_t)be{what.swapped}toh(result)" if what.is_swapped and self.kind != "BYTES" else "(int64_t)result"

    @property
    def head(self) -> int:
        """How many parameters are read before the call: those up to the first that it fills."""
        return next((i for i, p in enumerate(self.params) if p.read_after), len(self.params))

    def _bits(self, chosen: Callable[[Parameter], bool]) -> str:
        return hex(sum(1 << i for i, p in enumerate(self.params) if chosen(p)))

    @property
    def filled(self) -> str:
        return self._bits(lambda p: p.read_after)

    @property
    def given(self) -> str:
        return self._bits(lambda p: p.is_given)

    @property
    def mask(self) -> int:
        """1 + index of what masks its structure; 0: none."""
        return next((int(p.other) for p in self.params if "MASKED" in p.flags), 0)

    @property
    def tail(self) -> str:
        return next((f"1 + {p.tail.id}" for p in self.params if p.tail), "0")


@record
class Handle:
    """A structure of rdma-core that is an object: what tells it from others."""

    struct: str
    desc: str  # enumerator of it; UNSEEN: then it has neither of the fields
    kind: str  # of the handle of libverbsx
    number: int  # 1 + index of the field; 0: none
    context: int


@record
class TracePlan:
    calls: list[TracedCall] = field(default_factory=list)
    taps: list[TracedCall] = field(default_factory=list)  # calls of the data path, which what stands before objects shows
    handles: list[Handle] = field(default_factory=list)

    @property
    def signatures(self) -> list[TracedCall]:
        return [*self.calls, *self.taps]

    @property
    def tap_of(self) -> dict[str, TracedCall]:
        return {c.name: c for c in self.taps}

    @property
    def names(self) -> set[str]:
        return {p.name for p in self.rows} | {t.name for t in self.tails} | {h.kind for h in self.handles}

    @property
    def rows(self) -> list[Parameter]:
        return [p for c in self.signatures for p in c.params]

    @property
    def tails(self) -> list[Tail]:
        return [p.tail for p in self.rows if p.tail]


def _handles(objects: Objects, tables: StructTables, lore: Lore) -> list[Handle]:
    structs = {s.id: s.fields for s in tables.structs}
    kinds = {k.raw: k for k in objects.types if k.raw}
    found = []
    for struct in [*kinds, *lore.alike]:
        kind = kinds.get(lore.alike.get(struct, struct))
        if kind is None:
            continue
        fields = structs.get(struct, [])
        numbers = [i for i, f in enumerate(fields, 1) if f.name == kind.number]
        contexts = [i for i, f in enumerate(fields, 1) if c_type(f.c_type).is_to(lore.context)]
        found.append(Handle(struct, f"STRUCT_{struct}" if fields else UNSEEN, kind.name, *(next(iter(at), 0) for at in (numbers, contexts))))
    return found


def _named(handles: list[Handle], lore: Lore) -> dict[str, str]:
    """Structure -> the enumerator of what it is; a context and a device are in no table."""
    return {h.struct: f"HANDLE_{h.struct}" for h in handles} | {lore.context: "HANDLE_CONTEXT", lore.device: "HANDLE_DEVICE"}


def plan_handles(objects: Objects, tables: StructTables, lore: Lore, promised: dict[str, str]) -> list[Handle]:
    """What tells objects from others; fields that point to one are marked, other than what JSON has as an address for good."""
    handles = _handles(objects, tables, lore)
    named = _named([h for h in handles if h.desc != UNSEEN], lore)
    for s, f in ((s, f) for s in tables.structs for f in s.fields):
        what = c_type(f.c_type)
        if f.kind == "POINTER" and f.shape == "FIELD":
            f.handle = "" if promised.get(f"{s.id}.{f.name}") == ADDRESS else named.get(what.to_one, "")
        elif f.kind == "POINTER_POINTER" and _leads_to_pointers(what):
            f.handle = named.get(what.to_struct, "")
    return handles


def _leads_to_pointers(what: CType) -> bool:
    """To objects, or to what nobody knows: as an array or not."""
    of_any = what.word == "struct" or what.name == "void"
    return of_any and not what.const and f"{what.stars}{what.array}" in ("**", "*[]")


SOCKADDR = "2"  # bytes that any has: its family, which tells how many there are


def _begun(api: Api, lore: Lore) -> list[Begun]:
    """What a request is begun with, beside the parameters of its builder, and what lore says of the field of rdma-core that each is."""
    struct = next((s for name, s in api.structs().items() if name.endswith(lore.names("steps"))), None)
    return [(Param(f.name, f.type), lore.field.get(f"{struct.name}.{f.name}", {}))
            for f in (struct.fields if struct else []) if f.name in lore.names("begun")]


class _Planner:
    def __init__(self, lore: Lore, enums: list[EnumPlan], tables: StructTables, handles: list[Handle], begun: list[Begun]) -> None:
        self.lore = lore
        self.enums = {e.name: e for e in enums}
        self.structs = {s.id for s in tables.structs}
        self.handles = _named(handles, lore)
        self.begun = begun

    def call(self, call: Call, row: CallPlan) -> TracedCall:
        params = [self._parameter(call, p) for p in call.params]
        _not_followed(params)
        items = [declared(p.type, p.name) for p in params]
        traced = wrapped(declared(call.result, f"vx_traced_{call.name}"), [*items, f"bool {ASIDE}"])
        out = TracedCall(call.name, row.guard or "", call.result, traced,
                         wrapped(declared(call.result, f"vx_call_{call.name}"), items or ["void"]),
                         ", ".join(p.name for p in params), params)
        self._result(out)
        out.locks = call.name in self.lore.reasons.locks
        return out

    def tap(self, call: Call, row: CallPlan) -> TracedCall:
        """What is shown of a call of the data path: of a builder or a setter without the QP, of others without what says which failed."""
        _, pointer = step_of(call, self.lore)
        shown = call.params[1:] if pointer else call.params
        if "stands" in self.lore.inline.get(call.name, {}):
            shown = [Param(call.params[0].name, call.params[0].type.replace("_ex *", " *"))]  # which is the same, and has a name
        begun = [p for p, _ in self.begun] if pointer and not is_setter(pointer, self.lore) else []
        return self.call(changed(call, params=[*begun, *(p for p in shown if not p.what.to_a_pointer)]), row)

    def _result(self, call: TracedCall) -> None:
        record = c_type(call.result).to_one
        if call.result == "void":
            call.kind = "ABSENT"
        elif record in self.handles:
            call.kind, call.ref = "POINTER", self.handles[record]
        elif c_type(call.result).stars:
            call.kind = "POINTER"
        elif c_type(call.result).swapped == 64:
            call.kind = "BYTES"

    def _parameter(self, call: Call, p: Param) -> Parameter:
        entry = self.lore.parameter.get(f"{call.name}.{p.name}") or next((entry for begun, entry in self.begun if begun is p), {})
        if p.what.to_one in self.structs and p.what.to_one not in self.handles and assumed_filled(self.lore, call, p):
            entry = {"out": True}
        item = Parameter(p.name, entry.get("type", p.type))
        item.flags += [flag for key, flag in (("out", "OUT"), ("asks", "ASKS")) if entry.get(key)]
        if "*" in item.type or "[" in item.type:
            self._pointer(item, entry)
        else:
            self._number(item, entry)
        names = [q.name for q in call.params]
        if "mask" in entry:
            item.flags, item.other = [*item.flags, "MASKED"], 1 + names.index(entry["mask"])
        elif entry.get("count") == RESULT:
            item.flags, item.other = [*item.flags, "COUNTED"], 1 + len(names)
        elif "count" in entry:
            item.flags, item.other = [*item.flags, "COUNTED"], 1 + names.index(entry["count"])
        elif "tail" in entry:
            before = item.ref.removeprefix("STRUCT_")
            item.tail = Tail(f"TAIL_{call.name}", before=before, **entry["tail"])
            item.flags, item.other = [*item.flags, "TAIL"], item.tail.id
        return item

    def _pointer(self, item: Parameter, entry: dict[str, Any]) -> None:
        what = c_type(item.type)
        one = what.stars == "*" and not what.array
        item.kind = "POINTER"
        if what.to_one in self.handles and not entry.get("inside"):
            item.flags, item.ref = [*item.flags, "HANDLE"], self.handles[what.to_one]
        elif what.to_one in self.structs:
            item.kind, item.ref = "STRUCT_POINTER", f"STRUCT_{what.to_one}"
        elif _leads_to_pointers(what) and (item.read_after or "count" in entry):
            item.kind = "POINTER_POINTER"
            if what.to_struct in self.handles:
                item.flags, item.ref = [*item.flags, "HANDLE"], self.handles[what.to_struct]
        elif one and what.is_number:
            item.kind, item.ref = "UINT_POINTER", str(what.bits // 8) if what.bits else f"sizeof({what.name})"
            item.form = self._form(item.name, entry)
            item.flags += ["BIG_ENDIAN"] if what.swapped else []
            item.flags += [] if item.read_after else ["OUT"]
        elif one and what.word == "enum" and not what.const:
            item.kind, item.ref = "UINT_POINTER", "4"
            item.flags += [] if item.read_after else ["OUT"]
        elif item.type == "const char *":
            item.kind = "TEXT_POINTER"
        elif entry.get("form") == "sockaddr":
            item.kind, item.ref, item.form = "BYTES_POINTER", SOCKADDR, "sockaddr"
        elif item.type == "const void *" and entry.get("count", RESULT) != RESULT:
            item.kind, item.ref = "BYTES_POINTER", "1"
        elif what.is_bytes and entry.get("form") in WIDTHS:
            item.kind, item.ref, item.form = "BYTES_POINTER", str(WIDTHS[entry["form"]]), entry["form"]
            item.flags += ["OUT"]

    def _number(self, item: Parameter, entry: dict[str, Any]) -> None:
        what = c_type(item.type)
        name = entry.get("enum") or entry.get("flags") or (what.name if what.word == "enum" else "")
        if name in self.enums:
            flags = "flags" in entry or not entry and self.enums[name].kind == "flags"
            if flags and item.type in LONGER:
                raise GenError(f"{item.name}: flags in a {item.type}", hint="those of a call are taken to be 32 bits")
            item.kind, item.ref = ("FLAGS" if flags else "ENUM"), f"ENUM_{name}"
        elif entry.get("bool"):
            item.kind = "BOOL"
        else:
            item.kind = "INT" if item.type in SIGNED else "UINT"
            item.form = self._form(item.name, entry)

    def _form(self, name: str, entry: dict[str, Any]) -> str:
        form = entry.get("form") or self.lore.by_name(name).get("form", "")
        return "" if form == "plain" else form


def _not_followed(params: list[Parameter]) -> None:
    """Of some only the address is shown: what is read before a call is printed before it, in one go, so not behind what the call fills; and a row of
    vx_signatures has a byte for which parameters the call fills, and one for which structures it reads."""
    out = next((i for i, p in enumerate(params) if p.read_after), len(params))
    late = [p for p in params[out:] if p.followed and not p.read_after]
    for p in [*late, *(p for p in params[8:] if p.read_after or p.is_given)]:
        p.is_an_address = p.kind != "POINTER"
        p.kind, p.ref, p.form, p.flags, p.other, p.tail = "POINTER", "0", "", [], 0, None


def traced_calls(api: Api, lore: Lore, objects: Objects, calls: CallsPlan) -> list[Call]:
    """The functions that have a signature: those that libverbsx calls itself, but for those that only give a text."""
    texts = {row.name for row in calls.rows if row.error == "TEXT"}
    return [c for c in wrapped_calls(api, lore, objects) if c.name not in texts]


def tapped_calls(api: Api, lore: Lore) -> list[Call]:
    """Calls of the data path that objects are traced by: those that lore says, and all of which requests are made."""
    steps = {c.name for c in api.calls().values() if step_of(c, lore)[0]}
    names = steps | {name for name, entry in lore.inline.items() if entry.get("tap")}
    return [c for name, c in sorted(api.calls().items()) if name in names]


def plan_trace(api: Api, lore: Lore, objects: Objects, handles: list[Handle], enums: list[EnumPlan],
               tables: StructTables, calls: CallsPlan) -> TracePlan:
    plan = TracePlan(handles=handles)
    planner = _Planner(lore, enums, tables, plan.handles, _begun(api, lore))
    rows = {row.name: row for row in calls.rows}
    first = sum(1 for _ in tables.fields())
    for call in traced_calls(api, lore, objects, calls):
        traced = planner.call(call, rows[call.name])
        traced.first = first
        first += len(traced.params) + 1  # and what it returns
        plan.calls.append(traced)
    for call in tapped_calls(api, lore):
        tap = planner.tap(call, rows[call.name])
        tap.first = first
        first += len(tap.params) + 1
        plan.taps.append(tap)
    return plan
