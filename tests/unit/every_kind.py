# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""Tests that each kind of object gets by itself, from the plan: python3 -m tests.unit.every_kind FILE.c

What a kind needs, refuses and is called is lore; here is what follows from it for a program. A new kind needs no test of these.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

from gen.know import groups
from gen.plan import build
from gen.plan.model.object import Kind
from gen.reach import known

BEGINNING = """/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* Made by tests/unit/every_kind.py. */

#include "unit/every_kind.h"

TestSuite(every_kind, .init = open_device, .fini = close_all);
"""
WRONG = ", .signal = OF_A_WRONG_HANDLE"
AT_HAND = "libmlx5"  # whose the device is: the calls of others are not made, as tests/unit/vendor has them
NOT_AT_HAND = "mlx5_"  # parents that the device does not have, or not without a command: tests/unit/mlx5 makes those
BY_ITS_BITS = ("IBV_WC_STANDARD_FLAGS",)  # traces show what it is made of
OF_ANOTHER_KIND = {"ctx": "pd"}  # and for all others the context


class Writer:
    """The tests of one kind."""

    def __init__(self, kind: Kind, defaults: dict[str, str | int | bool]) -> None:
        self.kind = kind
        self.defaults = defaults  # of the structure that the call takes
        self.parent = f"{kind.parent}_for_tests()" if kind.parent else ""
        self.holding, self.held = (f"\tvoid *parent = {self.parent};\n", "parent") if self.parent else ("", "")
        self.first = f"{self.parent}, " if self.parent else ""
        elements = kind.elements.name if kind.elements else "specs"
        stride = f"sizeof(*((struct vx_{kind.name}_init *)0)->{elements}), " if kind.stride else ""
        self.newer = "&newer.known, &out, sizeof(newer), 0" if kind.also_last else f"&newer.known, sizeof(newer), {stride}&out"

    @property
    def is_at_hand(self) -> bool:
        return self.kind.provider in ("", AT_HAND)

    def test(self, name: str, body: str, options: str = "") -> str:
        k = self.kind
        init = f"\tstruct vx_{k.name}_init init = {{ 0 }};\n" if re.search(r"\binit\b", body) else ""
        out = f"\tstruct vx_{k.type} *out = NULL;\n" if re.search(r"\bout\b", body) else ""
        vendor = "" if self.is_at_hand else f"\tbe_of(\"{k.provider.removeprefix('lib')}\");\n"
        return f"\nTest(every_kind, {k.name}_{name}{options})\n{{\n{init}{out}\n{vendor}{body}}}\n"

    def create(self, parent: str = "", init: str = "&init", out: str = "&out") -> str:
        arguments = ", ".join(filter(None, (parent or self.parent, init, out)))
        if self.kind.also_last:  # which these headers may not have
            return f"vx_{self.kind.name}_create_sized({arguments}, sizeof(struct vx_{self.kind.name}_init), 0)"
        return f"vx_{self.kind.name}_create({arguments})"

    def refuses_null(self) -> str:
        parent = f"\tcr_expect_eq({self.create('NULL')}, -EINVAL);\n" if self.parent else ""
        return self.test("refuses_null", parent +
                                         f"\tcr_expect_eq({self.create(out='NULL')}, -EINVAL);\n")

    def knows_its_parent(self) -> str:
        if self.kind.needs or self.kind.refuses or not self.parent:
            return ""  # what an empty init structure lacks is looked at before
        other = OF_ANOTHER_KIND.get(self.kind.parent, "ctx")
        return self.test("knows_its_parent", f"\tcr_expect_eq({self.create(f'(void *){other}')}, -EINVAL);\n"
                                             "\tcr_expect_null(out);\n", WRONG)

    def refuses_what_it_does_not_know(self) -> str:
        k = self.kind
        return self.test("refuses_what_it_does_not_know", f"""\tstruct {{
		struct vx_{k.name}_init known;
		uint64_t later;
	}} newer = {{ .known = init, .later = 1 }};

	cr_expect_eq(vx_{k.name}_create_sized({self.first}{self.newer}), -E2BIG);
	cr_expect_eq(vx_error()->code, -E2BIG);
""")

    def refuses_bytes_without_a_meaning(self) -> str:
        set_ = [f"\t*((unsigned char *)(&init.{name} + 1) - 1) = 1;\n\tcr_expect_eq({self.create()}, -E2BIG);\n"
                f"\texpect_reason(\"{name} is set\");\n\tmemset(&init, 0, sizeof(init));\n" for name in self.kind.unused]
        return self.test("refuses_bytes_without_a_meaning", "".join(set_)) if set_ else ""

    def refuses_bits_that_nobody_knows(self) -> str:
        lines = "".join(f"\tinit.{m.name} = {bit};\n\tcr_expect_eq({self.create()}, -EINVAL);\n"
                        f"\texpect_unknown(\"{m.name}\", init.{m.name});\n"
                        f"\tinit.{m.name} = 0;\n" for m in self.kind.masks for bit in ("1 << 30", f"HIGH_BIT(init.{m.name})"))
        return self.test("refuses_bits_that_nobody_knows", lines) if lines else ""

    def refuses_handles_of_another_kind(self) -> str:
        uses = [f for f in self.kind.uses if not f.guard]
        wrong = {f.name: f"\tinit.{f.name} = (void *){'ctx' if f.kind == 'pd' else 'pd'};\n" for f in uses}
        needed = "".join(wrong[n.name] for n in self.kind.needs if not n.when and n.name in wrong)  # without which no other is looked at
        lines = needed + "".join(f"{wrong[f.name]}\tcr_expect_eq({self.create()}, -EINVAL, \"{f.name}\");\n"
                                 + (f"\tinit.{f.name} = NULL;\n" if wrong[f.name] not in needed else "") for f in uses)
        return self.test("refuses_handles_of_another_kind", lines, WRONG) if uses else ""

    def says_what_it_needs(self) -> str:
        needs = [n for n in self.kind.needs if not n.when]
        lines = "".join(f"\tcr_expect_eq({self.create()}, -EINVAL);\n\texpect_reason(\"{n.name} {n.says}\");\n" for n in needs[:1])
        return self.test("says_what_it_needs", lines) if needs else ""

    def has_no_none_where_it_means_nothing(self) -> str:
        paths = [n.path for n in self.kind.nones if not n.says]
        lines = "".join(f"\tinit.{p} = (__typeof__(init.{p}))VX_NONE;\n\tcr_expect_eq({self.create()}, -EINVAL);\n"
                        f"\texpect_reason(\"{p} is VX_NONE (0x80000000)\");\n\tinit.{p} = 0;\n" for p in paths)
        return self.test("has_no_none_where_it_means_nothing", lines) if paths and not self.kind.needs else ""

    def calls(self) -> str:
        names = dict.fromkeys(n for w in self.kind.ways for n in (w.call, w.signature))
        return "(const char *[]){ " + ", ".join(f'"{n}"' for n in names) + ", NULL }"

    def is_traced(self) -> str:
        return self.test("is_made_by_its_call_and_ended_by_another", f"""{self.holding}	int rc;

	start_listening();
	rc = {self.create(self.held)};
	expect_made(rc, out, {self.calls()}, "{self.kind.ending.call}");
""")

    def has_its_defaults(self) -> str:
        conditional = {name for name, _, _ in self.kind.unset} | {self.kind.selector}
        told = {path.split(".")[-1]: value for path, value in self.defaults.items()
                if path not in conditional and not isinstance(value, bool) and "|" not in str(value) and value not in BY_ITS_BITS}
        lines = "".join(f"\texpect_told(\"{name}\", \"{value}\");\n" for name, value in told.items())
        refused = "\tif (rc == -EINVAL && !*first_line)\n\t\treturn; /* before any call */\n" if self.kind.refuses else ""
        return self.test("has_its_defaults", f"""{self.holding}	int rc;

	start_listening();
	rc = {self.create(self.held, 'NULL')};
	made(vx_trace_callback(NULL, NULL));
{refused or "	(void)rc;" + chr(10)}{lines}""") if told and not self.kind.needs else ""

    def is_refused_by_the_kernel(self) -> str:
        return self.test("that_the_kernel_refuses_leaves_nothing", f"""{self.holding}	int before = live(NULL), rc;

	fail_calls("call#1-:EIO");
	start_listening();
	rc = {self.create(self.held)};
	expect_refused(rc, out, {self.calls()}, before);
""")

    def is_not_there(self) -> str:
        k = self.kind
        return self.test("says_which_release_has_it", f"\tcr_expect_eq({self.create()}, -EOPNOTSUPP);\n"
                                                      f"\texpect_reason(\"needs rdma-core {k.since}\");\n")

    def tests(self) -> Iterator[str]:
        guard = self.kind.guard
        if guard:
            yield f"\n#if {guard}\n"
        yield self.refuses_null()
        yield self.knows_its_parent()
        yield self.refuses_what_it_does_not_know()
        yield self.refuses_bytes_without_a_meaning()
        yield self.refuses_bits_that_nobody_knows()
        yield self.refuses_handles_of_another_kind()
        yield self.says_what_it_needs()
        yield self.has_no_none_where_it_means_nothing()
        if self.is_at_hand:
            yield self.is_traced()
            yield self.has_its_defaults()
            yield self.is_refused_by_the_kernel()
        if guard:
            yield f"\n#else\n{self.is_not_there()}\n#endif\n"


def main(output: Path) -> None:
    order = groups.load()
    api, lore = known.read(order)
    writers = [Writer(k, lore.default.get(k.attr, {})) for k in build(api, lore, order).objects.kinds if k.ways and not k.parent.startswith(NOT_AT_HAND)]
    output.write_text(BEGINNING + "".join(text for writer in writers for text in writer.tests()))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
