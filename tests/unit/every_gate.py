# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""Tests that each function of a vendor's header asks whose the device is: python3 -m tests.unit.every_gate FILE.c

The device is the emulated mlx5; while a test calls a function of libmlx5, its provider is another. Those of all other vendors find one
that is not theirs at once. What vendors have objects of is taken over, too.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from graphlib import TopologicalSorter
from pathlib import Path

from gen.know import groups
from gen.plan import build
from gen.plan.model.method import Method
from gen.plan.model.object import Kind
from gen.reach import known

BEGINNING = """/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* Made by tests/unit/every_gate.py. */

#include "unit/every_gate.h"

TestSuite(every_gate, .init = open_device, .fini = close_device);
TestSuite(gate, .init = open_device, .fini = close_device);
"""
# What the device at hand makes a handle of; those of other kinds cannot be of another vendor's device, nor passed.
HANDLES = ("ah", "cq", "ctx", "dm", "ind_table", "mr", "pd", "qp", "srq", "wq")
AT_HAND = "libmlx5"  # whose the device is


def _refused(function: str, arguments: list[str]) -> str:
    return f"\tcr_expect_eq({function}({', '.join(arguments)}), -EOPNOTSUPP, \"{function}\");\n\texpect_gate();\n"


def _guarded(guard: str, text: str) -> str:
    return f"\n#if {guard}\n{text}\n#endif\n" if guard else text


def _test(name: str, guard: str, body: str) -> str:
    return _guarded(guard, f"\nTest(every_gate, {name})\n{{\n{body}}}\n")


def _asks(name: str, guard: str, body: str) -> str:
    """A test that is one of those of all at once as well."""
    return _guarded(guard, f"\nstatic void {name}_asks(void)\n{{\n{body}}}\n\nTest(every_gate, {name}_asks)\n{{\n\t{name}_asks();\n}}\n")


def at_once(text: str) -> str:
    """On a device of the kernel, where there is more to each test: one for all."""
    parts = re.findall(r"^#if .*$|^#endif$|(?<=^static void )\w+_asks(?=\(void\)$)", text, re.MULTILINE)
    lines = "".join(f"{p}\n" if p[0] == "#" else f"\t{p}();\n" for p in parts)
    calls = re.sub(r"#if .*\n#endif\n", "", lines)
    return f"\nTest(gate, each_function_of_a_vendor_asks_whose_the_device_is)\n{{\n{calls}}}\n"


def of_method(kind: str, method: Method) -> str:
    """A method: all that it takes beside the object is 0, and not looked at before, nor is the release that it needs."""
    count = (method.sized or method.declaration).count(",")
    name = f"{method.name}_sized" if method.sized else method.name
    call = _refused(name, ["object", *["0"] * count])
    return _asks(method.name, "", f"\tstruct vx_{kind} *object = {kind}_at_hand();\n\n\tbe_of_another_vendor();\n{call}\tbe_of_its_own();\n")


def _given(kind: Kind) -> str:
    """What one needs, so that nothing else is refused."""
    handles = {f.name: f"{f.kind}_at_hand()" for f in kind.uses}
    return "".join(f"\tinit.{n.name} = {handles.get(n.name, '(void *)some_bytes') if n.pointer else 1};\n" for n in kind.needs) + (
        f"\tinit.{kind.elements.count} = 2;\n" if kind.elements and kind.needs else "")  # of which none is looked at


def _stride(kind: Kind) -> str:
    return f"sizeof(*init.{kind.elements.name if kind.elements else 'specs'}), " if kind.stride else ""


def of_kind(kind: Kind) -> str:
    """What makes one of nothing that it needs: none of its functions is called, which would take the device for one of theirs, nor is anything
    else refused before, such as a release that knows no such objects yet."""
    sized = "&init, &out, sizeof(init), 0" if kind.also_last else f"&init, sizeof(init), {_stride(kind)}&out"
    calls = "".join(f"\tmust_not_call(\"{call}\");\n" for call in dict.fromkeys(w.call for w in kind.ways))
    guarded = f"#if {kind.guard}\n{calls}#endif\n" if kind.guard else calls
    body = (f"\tstruct vx_{kind.parent} *parent = {kind.parent}_at_hand();\n\tstruct vx_{kind.name}_init init = {{ 0 }};\n\tstruct vx_{kind.type} *out = NULL;\n\n"
            f"{guarded}\tbe_of_another_vendor();\n"
            f"\tcr_expect_eq(vx_{kind.name}_create_sized(parent, {sized}), -EOPNOTSUPP);\n")
    return _asks(kind.name, kind.present, f"{body}\texpect_gate();\n\tcr_expect_null(out);\n\tbe_of_its_own();\n")


def of_other(kind: Kind, other: Method) -> str:
    """What makes one by another call, such as of the handle of another process."""
    zeros = ["0"] * ((other.sized or other.declaration).count(",") - 1)
    call = _refused(f"{other.name}_sized" if other.sized else other.name, ["parent", *zeros, "&out"])
    return _asks(other.name, "", f"\tstruct vx_{kind.parent} *parent = {kind.parent}_at_hand();\n\tstruct vx_{kind.type} *out = NULL;\n\n"
                 f"\tbe_of_another_vendor();\n{call}\tcr_expect_null(out);\n\tbe_of_its_own();\n")


def of_failure(kind: Kind) -> str:
    """What makes one fails: it is not asked again to find out why."""
    calls = "".join(f"\tfail_and_count(\"{w.call}\", {1 if w.returns == 'code' else 0});\n" for w in kind.ways)
    body = (f"\tstruct vx_{kind.parent} *parent = {kind.parent}_at_hand();\n\tstruct vx_{kind.name}_init init = {{ 0 }};\n\tstruct vx_{kind.type} *out = NULL;\n\n"
            f"{_given(kind)}{calls}\tcr_expect_lt(vx_{kind.name}_create_sized(parent, &init, sizeof(init), {_stride(kind)}&out), 0);\n")
    return _test(f"{kind.name}_is_asked_once", f"VERBSX_LOADER && ({kind.guard or 1})", f"{body}\tcr_expect_eq(asked, 1, \"%d\", asked);\n\tcr_expect_null(out);\n")


def at_hand(kind: Kind) -> str:
    """Of a kind that the device at hand makes none of: one of somebody else, whom nobody asks."""
    return f"""
static inline struct vx_{kind.name} *{kind.name}_at_hand(void)
{{
	static uint64_t raw[64];
	struct vx_{kind.name} *held;

	made(vx_{kind.name}_borrow({kind.parent}_at_hand(), (void *)raw, &held));
	return held;
}}
"""


def of_taking_over(kind: Kind) -> str:
    return f"""
Test(every_gate, {kind.name}_is_taken_over_and_given_back)
{{
	static uint64_t raw[64];
	struct vx_{kind.parent} *parent = {kind.parent}_at_hand();
	struct vx_{kind.name} *first, *again;

	made(vx_{kind.name}_adopt(parent, (void *)raw, &first));
	cr_expect_eq((void *)vx_{kind.name}_raw(first), (void *)raw);
	made(vx_{kind.name}_borrow(parent, (void *)raw, &again));
	cr_expect_eq(again, first);
	cr_expect_eq(vx_{kind.name}_adopt(parent, NULL, &again), -EINVAL);
	made(vx_close(again));
	cr_expect_eq(vx_give_back(first), (void *)raw);
}}
"""


def with_parents_first(kinds: list[Kind]) -> list[Kind]:
    order = TopologicalSorter({k.name: [k.parent] for k in kinds}).static_order()
    by_name = {k.name: k for k in kinds}
    return [by_name[name] for name in order if name in by_name]


def tests() -> Iterator[str]:
    order = groups.load()
    api, lore = known.read(order)
    objects = build(api, lore, order).objects
    held = with_parents_first([k for k in objects.types if k.vendor and k.adoptable])
    there = {*HANDLES, *(k.name for k in held)}
    for kind in held:
        yield at_hand(kind) + of_taking_over(kind)
    for kind in objects.kinds:
        if kind.provider and kind.parent in there:
            yield from (of_other(kind, other) for other in kind.others)
        if kind.provider and kind.ways and kind.parent in there:
            yield of_kind(kind)
            yield of_failure(kind) if kind.provider == AT_HAND and not (kind.elements and kind.needs) else ""  # elements name what nobody has here
    for name, methods in [("ctx", objects.ctx), *((k.name, k.methods) for k in objects.types)]:
        if name in there:
            yield from (of_method(name, m) for m in methods if m.provider)


if __name__ == "__main__":
    TEXT = "".join(tests())
    Path(sys.argv[1]).write_text(BEGINNING + TEXT + at_once(TEXT))
