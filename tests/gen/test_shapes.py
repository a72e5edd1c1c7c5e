# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""The structures that programs and the library hand each other: only appended to, and the same for all headers."""

from __future__ import annotations

import copy
import unittest

from gen.api import own, sizes
from gen.api.facts import Field, Struct
from gen.errors import GenError
from gen.know import groups
from gen.plan.objects.objects import plan_objects
from gen.promise import shapes
from gen.reach import headers, known
from tests.gen.project import InFolder, OfProject, run_gen

CAP = Struct("ibv_cap", "", 8, fields=[Field("max", "uint32_t", "uint", 0, 4), Field("low", "uint8_t[3]", "uint", 4, 3, count=3)])
MACHINES = shapes.on_machines({}, {})
RECORD = {"vx_box_init": {"comp_mask": ["uint32_t", 0, 4], "size": ["uint64_t", 8, 8]}}


def lie(*members: str) -> shapes.Shape:
    return shapes.shape(list(members), sizes.Sizes({"ibv_cap": CAP}))


class Shape(unittest.TestCase):
    def test_members_lie_as_c_aligns_them(self) -> None:
        self.assertEqual(lie("uint8_t port_num", "uint16_t lid", "struct ibv_cap cap", "const char *name", "uint8_t mac[6]",
                             "void *(*alloc)(struct ibv_pd *, size_t)", "enum ibv_qp_type type"),
                         {"port_num": ["uint8_t", 0, 1], "lid": ["uint16_t", 2, 2], "cap": ["struct ibv_cap", 4, 8],
                          "name": ["const char *", 16, 8], "mac": ["uint8_t[6]", 24, 6], "alloc": ["function", 32, 8],
                          "type": ["enum ibv_qp_type", 40, 4]})

    def test_arrays_of_arrays_and_structures_that_are_defined_in_place(self) -> None:
        self.assertEqual(lie("uint16_t m[3][2]", "struct { uint8_t a; uint32_t b[2]; } in[2]", "double ratio"),
                         {"m": ["uint16_t[3][2]", 0, 12], "in": ["struct { uint8_t a; uint32_t b[2]; }[2]", 12, 24],
                          "ratio": ["double", 40, 8]})

    def test_a_pointer_that_is_const_itself(self) -> None:
        self.assertEqual(lie("uint8_t low", "struct ibv_pd *const pd", "char *const volatile name[2]", "uint8_t *const *const restrict list"),
                         {"low": ["uint8_t", 0, 1], "pd": ["struct ibv_pd *const", 8, 8],
                          "name": ["char *const volatile[2]", 16, 16], "list": ["uint8_t *const *const restrict", 32, 8]})

    def test_types_that_fields_of_the_headers_have(self) -> None:
        """Of the C library, say: the compiler told how large they are."""
        met = {"s": Struct("s", "", 48, fields=[Field("m", "pthread_mutex_t", "record", 0, 40),
                                                Field("t", "time_t[2]", "int", 40, 16, count=2)])}
        self.assertEqual([sizes.Sizes(met).of(t) for t in ("pthread_mutex_t", "time_t", "time_t[3]")], [(40, 8), (8, 8), (24, 8)])

    def test_pointers_to_arrays_and_to_functions(self) -> None:
        found = [sizes.Sizes({}).of(t) for t in ("uint32_t (*)[4]", "const uint8_t (*const)[2]", "int (*)(int, char *)", "uint32_t (*[3])[4]", "int (*[2])(void)")]
        self.assertEqual(found, [(8, 8), (8, 8), (8, 8), (24, 8), (16, 8)])

    def test_one_that_nobody_has_is_refused(self) -> None:
        with self.assertRaisesRegex(GenError, "nobody_t: of no size that is known"):
            lie("nobody_t n")

    def test_bytes_at_the_end_that_have_no_name_get_one(self) -> None:
        self.assertEqual(shapes.filler(["uint64_t wr_id", "uint16_t lid"], MACHINES), ["uint8_t[6]"])
        self.assertEqual(shapes.filler(["uint64_t wr_id", "uint16_t lid", "uint8_t reserved[6]"], MACHINES), [])

    def test_on_machines_with_short_pointers_too(self) -> None:
        """There "addr" leaves four bytes, which no bytes behind it could fill here as well."""
        self.assertEqual(shapes.filler(["uint64_t wr_id", "void *addr"], MACHINES), ["uintptr_t"])
        self.assertEqual(shapes.filler(["uint64_t wr_id", "void *addr", "uint32_t flags"], MACHINES), ["uint8_t[4]", "uintptr_t"])

    def test_by_hand_they_are_refused(self) -> None:
        written = own.OwnStruct("vx_box_init", False, ["void *addr", "uint32_t flags"])
        with self.assertRaisesRegex(GenError, "struct vx_box_init: its last 4 bytes have no name"):
            shapes.shapes([], {}, [written])

    def test_nor_may_they_be_without_one_where_pointers_are_short(self) -> None:
        written = own.OwnStruct("vx_box_init", False, ["uint64_t wr_id", "void *addr"])
        with self.assertRaisesRegex(GenError, "struct vx_box_init: its last 4 bytes have no name where a pointer has 4"):
            shapes.shapes([], {}, [written])

    def test_nor_in_what_the_library_fills(self) -> None:
        written = own.OwnStruct("vx_box_info", False, ["const char *name", "bool page"])
        with self.assertRaisesRegex(GenError, "struct vx_box_info: its last 7 bytes have no name where a pointer has 8"):
            shapes.shapes([], {}, [written])

    def test_within_another_structure_they_stay(self) -> None:
        inner = own.OwnStruct("vx_box_lid", False, ["uint32_t size", "uint8_t colour"])
        outer = own.OwnStruct("vx_box_info", False, ["struct vx_box_lid lids[2]"])
        self.assertEqual(set(shapes.shapes([], {}, [inner, outer])), {"vx_box_lid", "vx_box_info"})

    def test_on_other_machines_pointers_are_shorter_and_numbers_less_aligned(self) -> None:
        record = {"vx_box_init": lie("uint8_t port_num", "const char *name", "size_t length", "uint64_t wr_id", "long last",
                                     "struct ibv_cap caps[2]")}

        starts = [[row[1] for row in on["vx_box_init"].values()] for on in shapes.on_each(record, {"ibv_cap": CAP}, [])]
        self.assertEqual(sizes.MACHINES, (sizes.LP64, sizes.ILP32, sizes.I386))
        self.assertEqual(starts, [[0, 8, 16, 24, 32, 40], [0, 4, 8, 16, 24, 28], [0, 4, 8, 12, 20, 24]])

    def test_a_structure_of_the_headers_that_lies_otherwise_stops(self) -> None:
        packed = Struct("ibv_cap", "", 7, fields=CAP.fields)
        with self.assertRaisesRegex(GenError, "struct ibv_cap: would have 8 bytes, and has 7"):
            sizes.Sizes({"ibv_cap": packed}).of("struct ibv_cap")

    def test_a_place_is_kept_for_what_older_headers_lack(self) -> None:
        self.assertEqual([shapes.placeholder("x", c_type, size) for c_type, size in
                          (("struct vx_cq *", 8), ("function", 8), ("uint64_t", 8), ("struct ibv_tm_cap", 8), ("uint8_t[4]", 4))],
                         ["void *x", "void *x", "uint64_t x", "uint8_t x[8]", "uint8_t x[4]"])

    def test_new_fields_come_last_wherever_the_headers_have_them(self) -> None:
        self.assertEqual(shapes.in_order(["new", "size", "comp_mask"], RECORD["vx_box_init"]), ["comp_mask", "size", "new"])


class Complete(InFolder):
    def complete(self, **fields: list[str | int]) -> shapes.Shapes:
        record = copy.deepcopy(RECORD)
        shapes.complete({"vx_box_init": dict(fields)}, record)
        return record

    def refused(self, words: str, **fields: list[str | int]) -> None:
        self.assertIn(f"struct vx_box_init: {words}", self.fails(lambda: self.complete(**fields)))

    def test_what_is_new_is_appended(self) -> None:
        record = self.complete(comp_mask=["uint32_t", 0, 4], size=["uint64_t", 8, 8], new=["int", 16, 4])
        self.assertEqual(list(record["vx_box_init"]), ["comp_mask", "size", "new"])
        shapes.complete({**record, "vx_lid_init": {"length": ["size_t", 0, 8]}}, record)
        self.assertEqual(list(record), ["vx_box_init", "vx_lid_init"])

    def test_what_is_gone_moved_or_resized_is_named(self) -> None:
        mask, size = ["uint32_t", 0, 4], ["uint64_t", 8, 8]
        self.refused("size is no more", comp_mask=mask)
        self.refused("comp_mask was before new", new=["int", 0, 4], comp_mask=["uint32_t", 4, 4], size=size)
        self.refused("size is uint32_t of 4 bytes at 4, and was uint64_t of 8 bytes at 8", comp_mask=mask, size=["uint32_t", 4, 4])
        self.assertIn("struct vx_box_init is no more", self.fails(lambda: shapes.complete({}, copy.deepcopy(RECORD))))

    def test_is_read_and_written_alike(self) -> None:
        self.assertEqual(shapes.load(self.put("structs.toml", shapes.text(RECORD))), RECORD)


class OfTheProject(unittest.TestCase):
    def test_no_release_of_rdma_core_makes_a_difference(self) -> None:
        """What is held by value has one size; no condition stands in a structure."""
        sizes: dict[str, set[int]] = {}
        for facts in headers.committed():
            for s in facts.groups["verbs"].structs.values():
                sizes.setdefault(s.name, set()).add(s.size)
        found = groups.load()
        members = [m for k in plan_objects(*known.read(found), found).kinds for m in k.members]
        members += [m for s in own.headers().structs for m in s.members]
        held = {m.split()[1] for m in members if m.startswith(("struct ibv", "union ibv")) and "*" not in m}
        self.assertGreater(len(held), 4)
        self.assertEqual([name for name in held if len(sizes[name]) > 1], [])
        self.assertEqual([m for m in members if "#" in m], [])


class Commands(OfProject):
    def test_a_field_that_a_release_takes_away_stops(self) -> None:
        record = self.project / "gen/abi/structs.toml"
        record.write_text(record.read_text().replace('cqe = ["uint32_t", 4, 4]', 'cqs = ["uint32_t", 4, 4]'))
        for command in ("emit", "check"):
            with self.assertRaisesRegex(AssertionError, "struct vx_cq_init: cqs is no more"):
                run_gen(self.project, command)


if __name__ == "__main__":
    unittest.main()
