# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""What stands for each function: none is forgotten, and none stands there that does not exist."""

from __future__ import annotations

import re
import unittest
from functools import cache
from pathlib import Path

from gen import plan
from gen.api.facts import Call
from gen.know import groups
from gen.plan import Plan
from gen.plan.trace.wrapped import OWN, WRAPPED, HeaderCalls, WrappedCall, wrapped
from gen.reach import known
from tests.gen.project import NEWEST, header_tree

PROJECT = Path(__file__).parents[2]
DECLARED = re.compile(r"\b(vx_\w+)\(")
CALLED = re.compile(r"\b(\w+)\(")
NO_CODE = re.compile(r'/\*.*?\*/|"(?:\\.|[^"\\])*"', re.DOTALL)  # comments and texts
ROW = re.compile(r"^\| `(\w+)` \|[^|]*\|[^|]*\|([^|]*)\|$", re.MULTILINE)
# A name and parameters at the outermost level of a header, before ";" or a body, once directives, comments and bodies are gone.
NO_TEXT = re.compile(r"/\*.*?\*/|//[^\n]*|^[ \t]*#(?:\\\n|[^\n])*", re.DOTALL | re.MULTILINE)
BODY = re.compile(r"\{[^{}]*\}")
FUNCTION = re.compile(r"[\w*]\s*\b(\w+)\s*\((?:[^()]|\([^()]*\))*\)\s*(?:__attribute\w*\s*\(\(.*?\)\)\s*)*;", re.DOTALL)
# Which no program calls by these names: macros have them of the one that fits.
BY_A_MACRO = {"__ibv_get_device_list", "ibv_static_providers", "mlx5dv_x86_set_ctrl_seg", "mlx5dv_x86_set_data_seg"}
NO_FUNCTION = ("__attribute__", "__attribute_const", "static_assert", "_Static_assert")
PASSED_ON = ("loader.c", "trace.c", "traced.h")  # have each call, whether somebody makes it or not


def planned() -> Plan:
    found = groups.load()
    return plan.build(*known.read(found), found)


@cache
def called_by_the_library() -> set[str]:
    """What its C calls, its own functions among them."""
    sources = [p for folder in ("runtime/src", "generated/src") for p in (PROJECT / folder).rglob("*.[ch]") if p.name not in PASSED_ON]
    return {name for p in sources for name in CALLED.findall(NO_CODE.sub("", p.read_text()))}


def functions_of(header: str) -> set[str]:
    """The functions that a header declares or defines, by its text alone."""
    text = NO_TEXT.sub("", header).replace('extern "C" {', "")
    while BODY.search(text):
        text = BODY.sub(";", text)
    declarations = (d for d in text.split(";") if "(" in d and "typedef" not in d and "(*" not in d.partition(")")[0])
    found = (FUNCTION.search(f"{' '.join(d.split())};") for d in declarations)
    return {match[1] for match in found if match and match[1] not in NO_FUNCTION}


class Wrapped(unittest.TestCase):
    plan: Plan
    headers: dict[str, HeaderCalls]
    verbs: dict[str, WrappedCall]

    @classmethod
    def setUpClass(cls) -> None:
        cls.plan = planned()
        cls.headers = {h.name: h for h in wrapped(cls.plan)}
        cls.verbs = {c.name: c for c in cls.headers["infiniband/verbs.h"].calls}

    def test_every_function_of_verbs_is_wrapped_or_has_a_reason(self) -> None:
        self.assertEqual([c.name for c in self.verbs.values() if c.way == "unknown"], [])
        self.assertEqual(set(self.verbs), {n for n, c in self.plan.api.groups["verbs"].calls.items()
                                           if c.header == "infiniband/verbs.h"})

    def test_what_stands_for_one_is_in_the_public_headers(self) -> None:
        public = [*(PROJECT / "runtime/include").rglob("*.h"), *(PROJECT / "generated/include").rglob("*.h")]
        declared = {name for header in public for name in DECLARED.findall(header.read_text())}
        named = {function.removesuffix("()") for c in self.verbs.values() for function in OWN.findall(c.by)}
        self.assertGreater(len(named), 60)
        self.assertEqual(named - declared, set())

    def test_a_function_stands_in_one_way(self) -> None:
        self.assertEqual((self.verbs["ibv_create_qp_ex"].way, self.verbs["ibv_create_qp_ex"].by),
                         ("object", "vx_qp_create()"))
        self.assertEqual(self.verbs["ibv_destroy_qp"].by, "vx_close()")
        self.assertEqual(self.verbs["ibv_modify_qp"].by, "vx_qp_modify()")
        self.assertEqual(self.verbs["ibv_reg_dm_mr"].way, "by hand")
        self.assertEqual((self.verbs["ibv_post_send"].way, self.verbs["ibv_post_send"].by), ("inline", "vx_qp_post_send()"))
        self.assertEqual(self.verbs["ibv_wr_opcode_str"].way, "internal")

    def test_what_is_exported_and_called_as_it_is_wants_its_library(self) -> None:
        self.assertIn("; exported: link with -libverbs", self.verbs["ibv_fork_init"].by)
        self.assertNotIn("exported", self.verbs["ibv_cq_ex_to_cq"].by)
        calls = self.plan.api.groups["verbs"].calls
        self.assertEqual([n for n, c in self.verbs.items() if c.way in ("inline", "data path") and calls[n].kind != "inline"], [])

    def test_each_function_of_the_data_path_has_one_that_stands_for_it(self) -> None:
        self.assertEqual([n for n, c in self.verbs.items() if c.way == "data path"], [])

    def test_vendors_functions_are_wrapped_where_the_library_calls_them(self) -> None:
        mlx5 = self.headers["infiniband/mlx5dv.h"]
        data_path = {c.name for c in mlx5.calls if c.way == "inline"} | {"mlx5dv_qp_ex_from_ibv_qp_ex", "mlx5dv_is_supported"}  # which builders and opening ask for
        self.assertEqual({c.name for c in mlx5.calls if c.way in WRAPPED}, {c.name for c in mlx5.calls} & called_by_the_library() - data_path)
        self.assertGreater(mlx5.wrapped, 120)
        self.assertEqual((mlx5.accounted, mlx5.count("not yet", "data path")), (len(mlx5.calls), 0))

    def test_what_programs_call_is_not_wrapped_by_what_takes_it_over(self) -> None:
        listed = next(c for c in self.headers["infiniband/efadv.h"].calls if c.name == "efadv_cq_from_ibv_cq_ex")
        self.assertEqual(listed.way, "as it is")
        self.assertIn("exported: link with -lefa", listed.by)

    def test_a_call_that_opens_is_wrapped_by_the_function_that_opens(self) -> None:
        opens = next(c for c in self.headers["infiniband/mlx5dv.h"].calls if c.name == "mlx5dv_open_device")
        self.assertEqual((opens.way, opens.by), ("method", "vx_mlx5_ctx_open_device()"))

    def test_functions_of_other_vendors_are_wrapped_where_the_library_calls_them(self) -> None:
        others = [h for h in self.headers.values() if h.name not in ("infiniband/verbs.h", "infiniband/mlx5dv.h") and not h.name.startswith("rdma/")]
        self.assertIn("infiniband/efadv.h", [h.name for h in others])
        for header in others:
            by_hand = {c.name for c in header.calls if c.way == "by hand"}
            made = {c.name for c in header.calls if c.way in WRAPPED} - by_hand
            self.assertEqual(made, called_by_the_library() & {c.name for c in header.calls} - by_hand)

    def test_no_function_of_any_header_is_without_a_wrapper_or_a_reason(self) -> None:
        """Of the newest release's headers, read as text: what the generator takes for a function, and accounts for, is not asked."""
        tree = header_tree(NEWEST)
        page = (PROJECT / "generated/docs/calls.md").read_text()
        told = {name: by for name, by in ROW.findall(page)}
        for header in self.headers:
            declared = functions_of((tree / header).read_text()) - BY_A_MACRO
            with self.subTest(header=header):
                self.assertGreater(len(declared), 2)
                self.assertEqual(declared - set(told), set())
                self.assertEqual([n for n in declared if not told[n].strip() or re.search(r"not (yet )?wrapped|neither", told[n])], [])

    def test_all_of_librdmacm_is_accounted_for(self) -> None:
        for name, count in (("rdma/rdma_cma.h", 43), ("rdma/rdma_verbs.h", 19)):
            self.assertEqual((len(self.headers[name].calls), self.headers[name].accounted, self.headers[name].count("not yet", "data path")), (count, count, 0))

    def test_a_new_function_is_noticed(self) -> None:
        plan = planned()
        new = Call("ibv_twist_qp", "infiniband/verbs.h", "extern", result="int", library="libibverbs.so.1", since=66)
        plan.api.groups["verbs"].calls[new.name] = new
        verbs = next(h for h in wrapped(plan) if h.name == "infiniband/verbs.h")
        self.assertEqual([c.name for c in verbs.calls if c.way == "unknown"], ["ibv_twist_qp"])
        self.assertEqual(verbs.accounted, len(verbs.calls) - 1)


if __name__ == "__main__":
    unittest.main()
