# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""Tests that each argument of a vendor's function arrives where rdma-core has it: python3 -m tests.unit.every_argument FILE.c

A function in the place of rdma-core's takes down what it is given. What that has to be follows from the names in the headers and from the
handles, not from the plan that the calls are made by. What is answered has to be with the program then. So no device is needed, and each
release's headers can be tried, of which libmlx5 would have to be at hand otherwise.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

from gen.api.c_types import c_type
from gen.api.facts import Call, Field, Param
from gen.api.merge import Api
from gen.know import groups
from gen.know.lore import Lore
from gen.know.reasons import Words, alternatives, words
from gen.plan import build
from gen.plan.calls.calls import declared
from gen.plan.model.init import InitField
from gen.plan.model.method import Method
from gen.plan.model.object import Kind, Objects
from gen.reach import known
from tests.unit.every_gate import HANDLES, at_hand, with_parents_first

BEGINNING = """/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* Made by tests/unit/every_argument.py. */

#include "unit/every_argument.h"

TestSuite(every_argument, .init = open_device, .fini = close_device);
"""
AT_HAND = "libmlx5"  # whose the device is
VIEW = "_init_obj"
VIEWS = "an object and a place for what is read go in one structure: tests/unit/mlx5/views.c, tests/unit/vendor/others.c"
ELEMENTS = "structures that name handles: tests/unit/mlx5/elements.c"
# Those that need more than a handle and arguments, and where they are tried.
ELSEWHERE = {
    "vx_mlx5_ctx_query_port": "inline in the headers: on the emulated device, tests/parity/test_mlx5.c",
    "vx_mlx5_ctx_query_device": "what is asked for is cut to what there is place for: tests/unit/mlx5/record.c",
    "vx_mlx5_devx_obj_unlink_aso_domain": "of what was linked before: tests/unit/mlx5/refused_rules.c",
    "vx_mlx5_mkey_check": "inline in the headers: examples/56-mlx5-signature.c",
    "efa_comp_cntr": "of an object of rdma-core 65: tests/unit/vendor/efa.c",
}
# Fields that a kind has, as the structure does, and that are refused beside what it needs.
NEVER = {
    "efa_qp.xrcd": "IBV_QPT_XRC_RECV has no CQs of its own",
}
# Of structures that are given by a pointer, masks without which what they have is refused, and what is of another type of QP.
MASKED = {"mlx5dv_qp_init_attr": "\talso.comp_mask = MLX5DV_QP_INIT_ATTR_MASK_QP_CREATE_FLAGS | MLX5DV_QP_INIT_ATTR_MASK_SEND_OPS_FLAGS;\n"
                                 "\talso.dc_init_attr.dc_type = (enum mlx5dv_dc_type)0;\n"}
# Those that are of a device without a descriptor of the kernel's.
OF_VFIO = ("vx_mlx5_ctx_vfio_get_events_fd", "vx_mlx5_ctx_vfio_process_events")
# Values of parameters and fields of which no other would do.
SAID = {"fd": "7", "match_sz": "16"}
BYTES = "some_bytes"
SET = -1  # of a field: to a value that is none of those that anything depends on


def is_of_bytes(p: Param) -> bool:
    """Whether an address goes to rdma-core as it is, whatever lies there."""
    return p.what.is_pointer and not p.what.to_struct and (p.what.name in ("void", "char", "FILE") or p.what.const or bool(p.what.array))


class Calls:
    """What the headers say of the calls and their structures, and the functions that stand in for them."""

    def __init__(self, api: Api) -> None:
        self.calls = {n: c for g in api.groups.values() for n, c in g.calls.items()}
        self.structs = {n: s for g in api.groups.values() for n, s in g.structs.items()}
        self.enums = {n: e for g in api.groups.values() for n, e in g.enums.items()}
        self.told: set[str] = set()

    def is_whole(self, p: Param) -> bool:
        """Whether it points to a structure that can be looked at."""
        struct = self.structs.get(p.what.to_a_struct)
        return bool(struct and not struct.opaque and struct.fields)

    def takes(self, call: Call, objects: set[str], filled: set[str], lists: dict[str, str], answer: str) -> str:
        """A function that takes down what it is given, and answers."""
        if call.name in self.told:
            return ""
        self.told.add(call.name)
        lines = [self._taken(i, p, objects, filled, lists) for i, p in enumerate(call.params)]
        params = ", ".join(declared(p.type, f"{p.name}_") for p in call.params) or "void"
        return f"\nstatic {declared(call.result, f'take_{call.name}')}({params})\n{{\n\tcalled++;\n{''.join(lines)}{answer}}}\n"

    def _taken(self, i: int, p: Param, objects: set[str], filled: set[str], lists: dict[str, str]) -> str:
        name = f"{p.name}_"  # what tests share has names of its own
        if p.name in lists:
            return f"\ttake_bytes({i}, {name}, {lists[p.name]} * sizeof(*{name}));\n"
        if p.name in filled:
            return f"\ttake({i}, (uintptr_t){name});\n\tmemset({name}, ANSWERED, sizeof(*{name}));\n"
        if self.is_whole(p) and p.what.to_a_struct not in objects:
            return f"\ttake_bytes({i}, {name}, sizeof(*{name}));\n"
        return f"\ttake({i}, {'(uintptr_t)' if p.what.is_pointer else '(uint64_t)'}{name});\n"

    def number(self, type_: str, name: str, at: int) -> str:
        """A value that no other argument has."""
        if name in SAID:
            return SAID[name]
        what = c_type(type_)
        if what.word == "enum":
            return f"(enum {what.name}){max(v.value for v in self.enums[what.name].values if v.value < 1 << 31)}"
        return "true" if what.name in ("_Bool", "bool") else str(0x11 + at)


def guarded(guard: str, text: str) -> str:
    return f"\n#if {guard}\n{text}\n#endif\n" if guard else text


def within(guard: str, line: str) -> str:
    return f"#if {guard}\n{line}#endif\n" if guard else line


def arrives(name: str, guard: str, takes: str, body: str) -> tuple[str, str]:
    """What is tried of one function, and the call of that."""
    return guarded(guard, f"{takes}\nstatic void {name}_arrives(void)\n{{\n{body}}}\n"), within(guard, f"\t{name}_arrives();\n")


def test(name: str, parts: list[tuple[str, str]]) -> str:
    """A test of all functions of one kind of object that are of one vendor: the device at hand is one of it from then on."""
    return f"{''.join(text for text, _ in parts)}\nTest(every_argument, {name})\n{{\n{''.join(call for _, call in parts)}}}\n"


def provider(name: str) -> str:
    return "" if name == AT_HAND else f"\tbe_of(\"{name.removeprefix('lib')}\");\n"


# ---- methods ----

ANSWERS = {"errno": "0", "minus": "0", "fd": "SAID", "negative": "SAID", "value": "SAID", "null": f"(void *){BYTES}"}


class OfMethod:
    """The test of a method: its arguments by the names that they have in rdma-core's header."""

    def __init__(self, calls: Calls, kind: str, method: Method, raws: dict[str, str]) -> None:
        self.calls, self.kind, self.method = calls, kind, method
        self.call = calls.calls[method.call]
        self.raws = raws  # structure -> kind
        self.handles = dict(method.handles)
        self.structs = {s.name: s for s in method.structs}
        self.masks = {m.name: m.known for m in method.masks}
        owner = next(i for i, p in enumerate(self.call.params) if raws.get(p.what.to_a_struct) == kind)
        self.owner = self.call.params[owner]

    def tried(self) -> tuple[str, str]:
        m = self.method
        filled = {p.name for p in self.call.params if self._is_filled(p)}
        answer = ANSWERS.get(m.outcome, "")
        takes = self.calls.takes(self.call, set(self.raws), filled, {}, f"\treturn {answer};\n" if answer else "")
        given = [(p, *self._given(i, p)) for i, p in enumerate(self.call.params) if p is not self.owner and p.name in m.params]
        out = self._result()
        arguments = ", ".join(["object", *(argument for _, _, _, argument, _ in given), *(["&out_"] if out else [])])
        expects = "".join(self._expect(i, p, {g[0].name: g[4] for g in given}) for i, p in enumerate(self.call.params))
        asks = f"{m.name}({arguments})"
        expects_out = f"\tcr_expect_eq((uintptr_t)out_, (uintptr_t){BYTES if m.outcome == 'null' else 'SAID'});\n" if out else ""
        before, after = ("\tbe_of_vfio();\n", "\tbe_of_the_kernel();\n") if m.name in OF_VFIO else ("", "")
        body = (f"\tstruct vx_{self.kind} *object = {self.kind}_at_hand();\n{''.join(g[1] for g in given)}{out}\n"
                f"\tbegin_recording();\n{''.join(g[2] for g in given)}{provider(m.provider)}"
                f"\trecord_as(\"{m.call}\", (vx_function)take_{m.call});\n{before}"
                + (f"\t{asks};\n" if m.outcome == "void" else f"\tcr_assert_eq({asks}, 0, \"%s\", vx_error_text());\n")
                + f"{after}\texpect_called(\"{m.call}\");\n{expects}{expects_out}")
        return arrives(m.name, m.guard, takes, body)

    def _is_filled(self, p: Param) -> bool:
        """Whether what it points to is the call's to write, which says how large that is."""
        if p.name in self.structs:
            return self.structs[p.name].fills
        return not (p.what.const or p.what.to_struct or is_of_bytes(p)) and p.what.stars == "*"

    def _given(self, i: int, p: Param) -> tuple[str, str, str, str]:
        """What is declared for an argument and done before, the argument, and what is to be expected of it."""
        if p.name in self.handles:
            kind = self.handles[p.name]
            first = next(name for name, of in self.handles.items() if of == kind)
            return f"\tstruct vx_{kind} *{p.name} = {kind}_{'at_hand' if p.name == first else 'second'}();\n", "", p.name, f"\texpect_address({{at}}, \"{p.name}\", vx_{kind}_raw({p.name}));\n"
        if p.name in self.structs:
            return self._given_struct(p)
        if self._is_filled(p):
            c_name = "uint32_t" if p.what.word == "enum" else p.what.name
            return f"\t{c_name} {p.name} = 0;\n", "", f"&{p.name}", f"\texpect_answer(\"{p.name}\", &{p.name});\n"
        if p.what.is_pointer:
            value = "stdout" if p.what.name == "FILE" else f"(void *){BYTES}"
            return "", "", value, f"\texpect_address({{at}}, \"{p.name}\", {value});\n"
        value = self.masks.get(p.name) or self.calls.number(p.type, p.name, i)
        expected = f"htobe{p.what.swapped}({value})" if p.what.is_swapped else value
        return "", "", value, f"\texpect_number({{at}}, \"{p.name}\", {expected});\n"

    def _given_struct(self, p: Param) -> tuple[str, str, str, str]:
        taken = self.structs[p.name]
        known = "".join(f"\t{name} = {bits};\n" for name, bits in self.masks.items() if name.startswith(f"{p.name}."))
        filling = f"\tfill_given(&{p.name}, sizeof({p.name}));\n{known}"
        expect = f"\texpect_answer(\"{p.name}\", &{p.name});\n" if taken.fills else f"\texpect_bytes({{at}}, \"{p.name}\", &{p.name}, sizeof({p.name}));\n"
        return f"\t{taken.c_type} {p.name};\n", filling, f"&{p.name}", expect

    def _expect(self, i: int, p: Param, expects: dict[str, str]) -> str:
        if p is self.owner:
            return f"\texpect_address({i}, \"{p.name}\", vx_{self.kind}_raw(object));\n"
        if p.name in expects:
            return expects[p.name].replace("{at}", str(i))
        last = [q.name for q in self.call.params if q.name in self.structs][-1:]  # a size, which the library says
        return f"\texpect_number({i}, \"{p.name}\", sizeof({last[0]}));\n" if last else ""

    def _result(self) -> str:
        """Where what is answered goes: the last parameter, where the call itself has none of that name."""
        if "out" not in self.method.params or any(p.name == "out" for p in self.call.params):
            return ""
        return "\t" + re.sub(r"\*out$", "out_ = 0", self.method.declaration.rpartition(", ")[2]) + ";\n"


# ---- kinds ----


class Together:
    """Which fields of an init structure may be set at once: as many as are not refused beside one of them, by some value of what decides that."""

    def __init__(self, calls: Calls, kind: Kind, refuse: dict[str, list[str]]) -> None:
        self.calls, self.kind = calls, kind
        self.names = [f.name for f in kind.fields]
        self.needed = {need.name for need in kind.needs if not need.when}
        self.ways = [[w for w in map(words, way) if w] for conditions in refuse.values() for way in alternatives(conditions)]
        self.values = {v.name: v.value for e in calls.enums.values() for v in e.values}

    def _holds(self, w: Words, chosen: dict[str, int]) -> bool:
        """Of a field that is set to no value that anybody has chosen, only that it is not 0 is known."""
        values = [] if w.other else [self.values[v] if v in self.values else int(v, 0) for v in w.values]
        value = chosen.get(w.subject.partition(".")[0], 0)
        if w.sign == "is not":
            return values == [0] if value == SET else value not in values
        return w.sign == "is" and value in values

    def _refused(self, chosen: dict[str, int]) -> list[str]:
        """What is set of what the first sentence that holds is about."""
        way = next((way for way in self.ways if all(self._holds(w, chosen) for w in way)), [])
        return [name for w in way if chosen.get(name := w.subject.partition(".")[0])]

    def beside(self, field: str, decides: str, value: int) -> dict[str, int] | None:
        """All that can be set beside a field where another one has this value, each with its value or SET; None: not even the field."""
        chosen = dict.fromkeys(self.names, SET) | ({decides: value} if decides else {})
        while about := self._refused(chosen):
            less = next((name for name in about if name not in (field, decides, *self.needed)), None)
            if not less:
                return None
            chosen[less] = 0
        return chosen

    def all(self) -> Iterator[dict[str, int]]:
        """Sets of them, in which each field is once at least."""
        decides = next((w.subject for way in self.ways for w in way if w.subject in self.names and any(v in self.values for v in w.values)), "")
        enum = next((c_type(f.declaration.rpartition(" ")[0]).name for f in self.kind.fields if f.name == decides), "")
        values = sorted((v.value for v in self.calls.enums[enum].values if 0 < v.value < 1 << 31), reverse=True) if enum else [0]
        left = list(self.names)
        while left:
            chosen = next((c for value in values if (c := self.beside(left[0], decides, value))), None)
            if (chosen is None) != (f"{self.kind.name}.{left[0]}" in NEVER):
                raise SystemExit(f"{self.kind.name}: {left[0]} is {'' if chosen else 'never '}taken, whatever is set beside it")
            if chosen:
                yield chosen
            left = [name for name in left[not chosen:] if not (chosen and chosen[name])]


class OfKind:
    """The test of what makes an object: the fields of its init structure by the names that rdma-core's have."""

    def __init__(self, calls: Calls, kind: Kind, raws: dict[str, str], way: int = 0, chosen: dict[str, int] | None = None, parent_bit: str = "") -> None:
        self.parent_bit = parent_bit  # of a mask: that the parent counts
        self.calls, self.kind, self.raws, self.chosen = calls, kind, raws, chosen or {}
        self.way = kind.ways[way]  # of several the first is on a condition that holds where all is set, and the others where nothing is but what they take
        self.call = calls.calls[self.way.call]
        self.name = kind.name if not way else f"{kind.name}_by_{self.call.name}"
        self.given = [f for f in kind.fields if (not way or f.name in {p.name for p in self.call.params}) and self.chosen.get(f.name, SET)]
        self.fields = {f.name: f for f in self.given}
        self.counts = {f.count for f in self.given if f.count}
        self.masks = {m.name: m.known for m in kind.masks}

    def tried(self) -> tuple[str, str]:
        k = self.kind
        lists = {p.name: f"(size_t){self.fields[p.name].count}_" for p in self.call.params if p.name in self.fields and self.fields[p.name].count}
        given = [[within(f.guard, line) if line else "" for line in self._given(i, f)] for i, f in enumerate(self.given)]
        declarations, doings = ("".join(lines) for lines in zip(*given)) if given else ("", "")
        takes = self.calls.takes(self.call, {*self.raws, k.raw} - {""}, set(), lists, self._answer())
        expects = "".join(self._expect(i, p) for i, p in enumerate(self.call.params))
        first = "" if not k.parent else f"\tstruct vx_{k.parent} *parent = {k.parent}_at_hand();\n"
        also = (f"\tstruct {k.also} also;\n" if k.also else "") + ("\tuint64_t bits;\n" if "\tbits = 0" in expects else "")
        given_also = f"\tfill_given(&also, sizeof(also));\n{MASKED.get(k.also, '')}\tinit.{k.also} = &also;\n" if k.also else ""
        records_ending, ends = self._ending()
        body = (f"{first}\tstruct vx_{k.name}_init init = {{ 0 }};\n{also}{declarations}\tstruct vx_{k.type} *out_ = NULL;\n\n"
                f"\tbegin_recording();\n{given_also}{doings}{provider(k.provider)}"
                f"\trecord_as(\"{self.call.name}\", (vx_function)take_{self.call.name});\n{records_ending}"
                f"\tcr_assert_eq(vx_{k.name}_create({'parent, ' if k.parent else ''}&init, &out_), 0, \"%s\", vx_error_text());\n"
                f"\texpect_called(\"{self.call.name}\");\n{expects}{ends}")
        return arrives(self.name, k.guard, takes, body)

    def _ending(self) -> tuple[str, str]:
        """By the call that rdma-core exports; one that goes by the provider's table is not made: what was made is given back."""
        call = self.kind.ending.call
        if self.calls.calls[call].kind != "extern":
            return "", "\tcr_expect_eq((uintptr_t)vx_give_back(out_), (uintptr_t)new_raw);\n"
        ended = "vx_ctx_raw(ctx)" if self.way.number else "new_raw"
        return (f"\trecord_as(\"{call}\", (vx_function)end_raw);\n",
                f"\tmade(vx_close(out_));\n\tcr_expect_eq((uintptr_t)ended, (uintptr_t){ended});\n"
                f"\trecord_as(\"{call}\", NULL);\n")  # others are ended by that too

    def _answer(self) -> str:
        if self.way.number:
            return f"\t*{self.way.number}_ = SAID;\n\treturn 0;\n"
        context = f"\t((struct {self.kind.raw} *)new_raw)->context = vx_ctx_raw(ctx);\n" if self.kind.raw_context else ""
        return f"{context}\treturn (void *)new_raw;\n"

    def _given(self, i: int, f: InitField) -> tuple[str, str]:
        """What is declared for a field, and what is done to give it a value that no other has."""
        if f.count:
            if f.kind == "0":  # of any kind, which rdma-core is not told
                return "", ""
            return (f"\tstruct vx_{f.kind} *const {f.name}[] = {{ {f.kind}_at_hand(), {f.kind}_second() }};\n",
                    f"\tinit.{f.name} = {f.name};\n\tinit.{f.count} = 2;\n")
        if f.name in self.counts:
            return "", ""
        if f.kind:
            return "", f"\tinit.{f.name} = {f.kind}_at_hand();\n"  # of most kinds another one each time
        if f.array or f.whole or f.parts or "[" in f.declaration:
            return "", f"\tfill_given(&init.{f.name}, sizeof(init.{f.name}));\n"
        if "*" in f.declaration:
            return "", f"\tinit.{f.name} = (void *){BYTES};\n"
        type_ = f.declaration.rpartition(" ")[0]
        value = self.chosen.get(f.name, SET)
        if value != SET:
            return "", f"\tinit.{f.name} = ({type_}){value};\n"
        return "", f"\tinit.{f.name} = {self.masks.get(f.name) or self.calls.number(type_, f.name, i)};\n"

    def _expect(self, i: int, p: Param) -> str:
        k = self.kind
        to = p.what.to_a_struct
        f = self.fields.get(p.name)
        if f and f.count:
            return "".join(f"\texpect_bytes_at({i}, \"{p.name}[{n}]\", {n}, vx_{f.kind}_raw(init.{p.name}[{n}]));\n" for n in (0, 1))
        if f and f.kind:
            return f"\texpect_address({i}, \"{p.name}\", vx_{f.kind}_raw(init.{p.name}));\n"
        if f and p.what.is_pointer:
            return f"\texpect_address({i}, \"{p.name}\", init.{p.name});\n"
        if f:
            value = f"htobe{p.what.swapped}(init.{p.name})" if p.what.is_swapped else f"init.{p.name}"
            return f"\texpect_number({i}, \"{p.name}\", {value});\n"
        if to == k.attr and to:
            return self._expect_attr(i, to)
        if to == k.also and to:
            return f"\texpect_bytes({i}, \"{p.name}\", &also, sizeof(also));\n"
        if k.also and i and self.call.params[i - 1].what.to_a_struct == k.also:  # the size of that
            return f"\texpect_number({i}, \"{p.name}\", sizeof(also));\n"
        if self.raws.get(to) == k.parent and to:
            return f"\texpect_address({i}, \"{p.name}\", vx_{k.parent}_raw(parent));\n"
        if to == "ibv_context":
            return f"\texpect_address({i}, \"{p.name}\", vx_ctx_raw(ctx));\n"
        return "" if self.way.number else self._lacks(p)

    def _lacks(self, p: Param) -> str:
        raise SystemExit(f"{self.call.name}: {p.name}: nothing says what it is to be")

    def _implied(self, field: InitField) -> str:
        """The flags that a field has because of others, which would not be looked at without."""
        said = [s for f in self.given for s in f.implies if re.match(rf"attr->{field.into} \|= ", s)]
        return " | ".join(s.partition("|= ")[2] for s in said)

    def _expect_attr(self, i: int, struct: str) -> str:
        """The structure that is made of the init structure: each field of it that has its name, and the bits that make these count."""
        k = self.kind
        lines = []
        for f in (f for f in self.given if f.of_attr):
            at = f"((const struct {struct} *)took[{i}].bytes)->{f.into}"
            if f.kind:
                line = (f"\tcr_expect_eq((uintptr_t){at}, (uintptr_t)vx_{f.kind}_raw(init.{f.name}), \"{f.into}\");\n")
            elif f.parts:  # there may be padding between them
                line = "".join(f"\tcr_expect(!memcmp(&{at}{part}, &init.{f.name}{part}, sizeof(init.{f.name}{part})), \"{f.into}{part}\");\n"
                               for part in (q.path.removeprefix(f.name) for q in f.parts))
            elif f.array or f.whole or "[" in f.declaration:
                line = (f"\tcr_expect(!memcmp(&{at}, &init.{f.name}, sizeof(init.{f.name})), \"{f.into}\");\n")
            else:
                line = f"\tcr_expect({at} == (init.{f.name} | {self._implied(f)}), \"{f.into}\");\n" if self._implied(f) else \
                    f"\tcr_expect({at} == init.{f.name}, \"{f.into}\");\n"
            lines.append(within(f.guard, line))
        bits = list(dict.fromkeys((f.bit, f.guard) for f in self.given if f.of_attr and f.bit))
        bits += [(self.parent_bit, "")] if self.parent_bit else []
        if bits:
            lines.append("\tbits = 0;\n" + "".join(within(guard, f"\tbits |= {bit};\n") for bit, guard in bits)
                         + f"\tcr_expect_eq(((const struct {struct} *)took[{i}].bytes)->{k.mask}, bits, \"{k.mask}\");\n")
        into = next((q for q in self.calls.structs[struct].fields if self.raws.get(c_type(q.type).to_a_struct) == k.parent), None) if k.into else None
        if into:
            lines.append(f"\tcr_expect_eq(((const struct {struct} *)took[{i}].bytes)->{into.name}, vx_{k.parent}_raw(parent));\n")
        return "".join(lines)


# ---- all ----


def skipped(objects: Objects) -> dict[str, str]:
    """Those that are not tried here, and why."""
    out = dict(ELSEWHERE)
    for of in [objects.ctx, *(k.methods for k in objects.types)]:
        out |= {m.name: VIEWS for m in of if m.provider and m.call.endswith(VIEW)}
    return out | {k.name: ELEMENTS for k in objects.kinds if k.provider and k.elements}


def of_kind(calls: Calls, kind: Kind, raws: dict[str, str], lore: Lore) -> Iterator[OfKind]:
    """Each way to make one; where it is refused that all fields are set, with each of them once. What libverbsx itself has of them is nobody's."""
    own = dict.fromkeys(lore.object[kind.name].get("own", {}), 0)
    bit = next((b for b, fields in lore.guard.get(f"{kind.attr}.{kind.mask}", {}).items() if kind.into in fields), "")
    refuse = lore.reasons.refuse.get(kind.attr)
    if not refuse or len(kind.ways) > 1:
        yield from (OfKind(calls, kind, raws, way, own, bit) for way in range(len(kind.ways)))
        return
    for n, chosen in enumerate(Together(calls, kind, refuse).all()):
        of = OfKind(calls, kind, raws, 0, chosen | own, bit)
        of.name += f"_{n + 1}" if n else ""
        yield of


def tests() -> Iterator[str]:
    order = groups.load()
    api, lore = known.read(order)
    objects = build(api, lore, order).objects
    calls = Calls(api)
    held = with_parents_first([k for k in objects.types if k.vendor and k.adoptable])
    raws = {k.raw: k.name for k in objects.types if k.raw} | {"ibv_context": "ctx"}
    there = {*HANDLES, *(k.name for k in held)}
    methods = [(name, m) for name, of in [("ctx", objects.ctx), *((k.name, k.methods) for k in objects.types)] for m in of if m.provider]
    kinds = [k for k in objects.kinds if k.provider and k.ways]
    out = skipped(objects)
    if unknown := out.keys() - {m.name for _, m in methods} - {k.name for k in kinds}:
        raise SystemExit(f"{', '.join(sorted(unknown))}: no such function or kind is there any more")
    for kind in held:
        yield at_hand(kind) + at_hand(kind).replace(f"{kind.name}_at_hand(void)", f"{kind.name}_second(void)")
    parts: dict[tuple[str, str], list[tuple[str, str]]] = {}
    for name, method in methods:
        if method.name not in out and name in there:
            parts.setdefault((name, method.provider), []).append(OfMethod(calls, name, method, raws).tried())
    for kind in kinds:
        if kind.name not in out:
            parts.setdefault((kind.type, kind.provider), []).extend(of.tried() for of in of_kind(calls, kind, raws, lore))
    for (name, of), tried in parts.items():
        yield test(name if of == AT_HAND else f"{name}_of_{of.removeprefix('lib')}", tried)


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(BEGINNING + "".join(tests()))
