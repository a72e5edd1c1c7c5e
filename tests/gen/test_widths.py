# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""What functions take: an int of C is cut to no fewer bits without a word, and a port is one type everywhere."""

from __future__ import annotations

import re
import unittest
from collections.abc import Iterator
from pathlib import Path

from gen.know import groups
from gen.plan import Plan, build
from gen.plan.model.method import Method
from gen.reach import known

ROOT = Path(__file__).parent.parent.parent
COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
FUNCTION = re.compile(r"(?:VX_EXPORT|static inline)\s[^;{}()]*?\b(vx_\w+)\(([^;{}]*?)\)\s*(?=[;{])")
NARROW = re.compile(r"(?:const )?(?:u?int(?:8|16)_t|__[us](?:8|16)|__[bl]e16|(?:(?:un)?signed )?(?:char|short)(?: int)?) \w+")
SETTERS = "setters.h"  # which assign: the compiler says of them what it says of that
DATA_PATH = {"post.h", "wr.h", "mlx5_wr.h"}  # which cost nothing over the raw calls, and take what those take
PLAIN = {"path.h"}  # a structure that goes to peers: its members are as wide as in packets


def public() -> Iterator[tuple[str, str]]:
    """The installed headers, without comments."""
    for folder in ("generated/include/verbsx", "runtime/include/verbsx"):
        for path in sorted((ROOT / folder).glob("*.h")):
            yield path.name, COMMENT.sub("", path.read_text())


class Headers(unittest.TestCase):
    def test_no_function_takes_less_than_an_int(self) -> None:
        functions = [f for name, text in public() if name not in {SETTERS, *DATA_PATH} for f in FUNCTION.findall(text)]
        self.assertGreater(len(functions), 200, "all of them were found")
        narrow = [(name, p.strip()) for name, params in functions for p in params.split(",") if NARROW.fullmatch(p.strip())]
        self.assertEqual(narrow, [])

    def test_a_port_is_of_one_type(self) -> None:
        found = {(name, c_type) for name, text in public() if name not in PLAIN for c_type in re.findall(r"(\w+) port_num\b", text)}
        self.assertEqual({c_type for _, c_type in found}, {"uint32_t"})
        self.assertLessEqual({"calls.h", "ctx.h", "event.h", "flow.h", "objects.h"}, {name for name, _ in found})


class Planned(unittest.TestCase):
    plan: Plan

    @classmethod
    def setUpClass(cls) -> None:
        order = groups.load()
        cls.plan = build(*known.read(order), order)

    def method(self, name: str) -> Method:
        return next(m for m in self.plan.objects.ctx if m.name == name)

    def test_a_call_is_made_only_with_what_it_was_meant_to_get(self) -> None:
        found = self.method("vx_ctx_get_pkey_index")
        self.assertEqual(found.narrow, [("port_num", "UINT8_MAX"), ("pkey", "UINT16_MAX")])
        self.assertIn("(uint8_t)port_num, htobe16((uint16_t)pkey)", found.arguments)
        self.assertEqual(self.method("vx_ctx_query_gid").narrow, [], "the call is as wide")

    def test_a_place_in_a_table_is_of_one_type(self) -> None:
        for name in ("vx_ctx_query_gid", "vx_ctx_query_pkey", "vx_ctx_get_pkey_index"):
            with self.subTest(method=name):
                self.assertRegex(self.method(name).declaration, r"uint32_t (gid_index|index|\*out)\b")

    def test_what_a_call_takes_as_an_int_is_no_more_than_that_holds(self) -> None:
        resize, = (m for k in self.plan.objects.kinds for m in k.methods if m.name == "vx_cq_resize")
        self.assertEqual((resize.declaration, resize.narrow), ("struct vx_cq *cq, uint32_t cqe", [("cqe", "INT32_MAX")]))
        self.assertEqual(self.method("vx_ctx_query_pkey").narrow[-1], ("index", "INT32_MAX"))

    def test_who_explains_is_told_what_was_given(self) -> None:
        self.assertTrue(self.method("vx_ctx_get_pkey_index").slots.endswith(", port_num, pkey"))

    def test_what_is_too_much_is_known_where_lore_has_no_other_limit(self) -> None:
        call = "VX_OF_CALL | SIGNATURE_ibv_get_pkey_index"
        self.assertEqual({r.field: r.source for r in self.plan.reasons.limits if r.owner == call},
                         {"port_num": "ibv_device_attr", "pkey": "OWN"})
