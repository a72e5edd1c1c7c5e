# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""The committed facts of four releases, held against what is known of them; and the reader of facts."""

from __future__ import annotations

import json
import random
import re
import unittest
from collections import Counter
from typing import Any
from unittest import mock

from gen.api import facts
from gen.api.c_types import CType
from gen.api.facts import Facts, Field, Param, Struct
from gen.api.merge import walk
from gen.errors import GenError
from gen.know.groups import HeaderGroup
from gen.reach import headers, releases
from tests.gen.project import RELEASES, InFolder, OfHeaders

# Of each header in release 44 and 65: enums with a tag, without; enumerators; structures on top, nested; unions on top,
# nested (those without a name for the member count); extern functions, static inline ones. From an inventory of the
# headers that was made without the generator.
COUNTS = {
    44: {
        "infiniband/verbs.h": (61, 5, 409, 99, 11, 1, 7, 67, 95),
        "infiniband/verbs_api.h": (0, 0, 0, 0, 0, 0, 0, 0, 0),
        "infiniband/ib_user_ioctl_verbs.h": (18, 0, 102, 7, 0, 0, 2, 0, 0),
        "infiniband/mlx5dv.h": (58, 22, 268, 83, 12, 1, 8, 128, 28),
        "infiniband/mlx5_api.h": (0, 0, 0, 0, 0, 0, 0, 0, 0),
        "infiniband/mlx5_user_ioctl_verbs.h": (8, 0, 24, 4, 0, 0, 0, 0, 0),
        "rdma/rdma_cma.h": (4, 4, 35, 10, 0, 0, 4, 38, 2),
        "rdma/rdma_verbs.h": (0, 0, 0, 0, 0, 0, 0, 3, 16),
        "infiniband/sa.h": (0, 0, 0, 5, 0, 0, 0, 0, 0),
        "infiniband/tm_types.h": (1, 0, 4, 2, 0, 0, 0, 0, 0),
    },
    65: {
        "infiniband/verbs.h": (70, 5, 446, 107, 11, 1, 7, 87, 97),
        "infiniband/verbs_api.h": (0, 0, 0, 0, 0, 0, 0, 0, 0),
        "infiniband/ib_user_ioctl_verbs.h": (22, 0, 118, 8, 0, 0, 2, 0, 0),
        "infiniband/mlx5dv.h": (59, 22, 277, 86, 14, 1, 8, 141, 30),
        "infiniband/mlx5_api.h": (0, 0, 0, 0, 0, 0, 0, 0, 0),
        "infiniband/mlx5_user_ioctl_verbs.h": (10, 0, 29, 4, 0, 0, 0, 0, 0),
        "rdma/rdma_cma.h": (4, 4, 39, 10, 0, 0, 4, 41, 2),
        "rdma/rdma_verbs.h": (0, 0, 0, 0, 0, 0, 0, 3, 16),
        "infiniband/sa.h": (0, 0, 0, 5, 0, 0, 0, 0, 0),
        "infiniband/tm_types.h": (1, 0, 4, 2, 0, 0, 0, 0, 0),
    },
}
# Macros with a value or a name behind them, less the include guard, and less __attribute_const, which verbs.h takes back.
MACROS = {
    44: {"infiniband/verbs_api.h": 27, "infiniband/mlx5_api.h": 33, "rdma/rdma_cma.h": 10},
    65: {"infiniband/verbs_api.h": 27, "infiniband/mlx5_api.h": 39, "rdma/rdma_cma.h": 12},
}
# An unnamed structure in an unnamed union leaves no trace in the facts: its members are those of the union.
SPLICED_STRUCTURES = {"infiniband/mlx5dv.h": 1}

RENAMED = {
    "ibv_flow_action_esp": "ib_uverbs_flow_action_esp",
    "ibv_flow_action_esp_encap": "ib_uverbs_flow_action_esp_encap",
    "ibv_flow_action_esp_keymat": "ib_uverbs_flow_action_esp_keymat",
    "ibv_advise_mr_advice": "ib_uverbs_advise_mr_advice",
    "mlx5dv_port": "mlx5_ib_uapi_query_port",
    "mlx5dv_reg": "mlx5_ib_uapi_reg",
    "mlx5dv_flow_table_type": "mlx5_ib_uapi_flow_table_type",
    "mlx5dv_alloc_dm_type": "mlx5_ib_uapi_dm_type",
    "mlx5dv_devx_async_cmd_hdr": "mlx5_ib_uapi_devx_async_cmd_hdr",
}


def unions_of(struct: Struct) -> int:
    """Unions inside a structure: those with a name for the member, and the runs of members that share a number."""
    named = [f for f in walk(struct.fields) if f.fields and f.type == "union"]
    levels = [struct.fields, *(f.fields for f in walk(struct.fields) if f.fields)]
    return len(named) + sum(len({f.union for f in level} - {0}) for level in levels)


def counts(found: Facts, header: str) -> tuple[int, ...]:
    group = next(g for g in found.groups.values() if header in g.headers)
    enums = [e for e in group.enums.values() if e.header == header]
    structs = [s for s in group.structs.values() if s.header == header and not s.opaque]
    nested = [f for s in structs for f in walk(s.fields) if f.fields and f.type == "struct"]
    calls = Counter(c.kind for c in group.calls.values() if c.header == header)
    return (sum(e.named for e in enums), sum(not e.named for e in enums), sum(len(e.values) for e in enums),
            sum(not s.union for s in structs), len(nested) + SPLICED_STRUCTURES.get(header, 0),
            sum(s.union for s in structs), sum(map(unions_of, structs)), calls["extern"], calls["inline"])


class Committed(unittest.TestCase):
    found: dict[int, Facts]

    @classmethod
    def setUpClass(cls) -> None:
        cls.found = {f.release: f for f in headers.committed()}

    def struct(self, release: int, name: str) -> Struct:
        return next(g.structs[name] for g in self.found[release].groups.values() if name in g.structs)

    def field(self, name: str, path: str) -> Field:
        fields, found = self.struct(65, name).fields, None
        for part in path.split("."):
            found = next(f for f in fields if f.name == part)
            fields = found.fields
        assert found
        return found

    def test_those_that_debian_has_are_there(self) -> None:
        self.assertLessEqual(releases.RELEASES.keys(), self.found.keys())

    def test_a_header_has_as_many_of_each_sort_as_it_was_counted_to_have(self) -> None:
        for release, wanted in COUNTS.items():
            for header, numbers in wanted.items():
                with self.subTest(release=release, header=header):
                    self.assertEqual(counts(self.found[release], header), numbers)

    def test_a_header_has_as_many_macros_as_it_was_counted_to_have(self) -> None:
        for release, wanted in MACROS.items():
            for header, number in wanted.items():
                with self.subTest(release=release, header=header):
                    macros = [m for g in self.found[release].groups.values() for m in g.macros.values()
                              if m.header == header and m.kind != "function"]
                    self.assertEqual(len(macros), number)

    def test_macros_that_rename_tags_are_known(self) -> None:
        for release in (44, 56, 65):
            macros = {n: m for g in self.found[release].groups.values() for n, m in g.macros.items()}
            for public, private in RENAMED.items():
                with self.subTest(release=release, tag=public):
                    self.assertEqual((macros[public].kind, macros[public].text), ("alias", private))

    def test_members_of_unnamed_unions_lie_where_they_should(self) -> None:
        for release in RELEASES:
            offsets = {f.name: f.offset for f in self.struct(release, "ibv_wc").fields}
            self.assertEqual([offsets[n] for n in ("byte_len", "imm_data", "invalidated_rkey", "qp_num")],
                             [20, 24, 24, 28])

    def test_nested_unions_lie_where_they_should(self) -> None:
        for path, offset in (("wr", 40), ("wr.rdma", 0), ("wr.rdma.rkey", 8), ("wr.atomic.swap", 16),
                             ("wr.ud.remote_qpn", 8), ("qp_type", 72), ("qp_type.xrc.remote_srqn", 0),
                             ("bind_mw", 80), ("bind_mw.bind_info", 16),
                             ("tso", 80), ("tso.hdr_sz", 8)):
            with self.subTest(path):
                self.assertEqual(self.field("ibv_send_wr", path).offset, offset)
        self.assertEqual(self.field("mlx5_wqe_av", "key.qkey.reserved").offset, 4)
        self.assertEqual(self.field("mlx5dv_flow_action_attr", "bulk_obj.offset").offset, 8)

    def test_structures_that_grew_have_the_size_that_each_release_gives_them(self) -> None:
        for name, sizes in {"ibv_port_attr": (52, 56), "ibv_qp_ex": (352, 360), "mlx5dv_context": (152, 200),
                            "mlx5dv_flow_action_attr": (16, 24), "mlx5dv_obj": (112, 128),
                            "mlx5dv_context_attr": (16, 24)}.items():
            with self.subTest(name):
                self.assertEqual((self.struct(44, name).size, self.struct(65, name).size), sizes)

    def test_byte_order_is_kept_in_the_name_of_the_type(self) -> None:
        found = {f"{s.name}.{f.name}" for s in self.found[65].groups["verbs"].structs.values() for f in walk(s.fields)
                 if "__be" in f.type and f.kind != "function" and s.header == "infiniband/verbs.h"}
        self.assertEqual(found, {"ibv_gid.subnet_prefix", "ibv_gid.interface_id", "ibv_device_attr.node_guid",
                                 "ibv_device_attr.sys_image_guid", "ibv_grh.version_tclass_flow", "ibv_grh.paylen",
                                 "ibv_wc.imm_data", "ibv_send_wr.imm_data"})

    def test_a_function_that_is_not_exported_has_no_library(self) -> None:
        calls = self.found[65].groups["verbs"].calls
        self.assertEqual((calls["ibv_wr_opcode_str"].library, calls["ibv_wr_opcode_str"].version), ("", ""))
        self.assertEqual((calls["ibv_query_port"].library, calls["ibv_query_port"].shadow),
                         ("libibverbs.so.1", True))

    def test_a_macro_that_only_static_builds_have_shadows_nothing(self) -> None:
        self.assertFalse(self.found[65].groups["verbs"].calls["ibv_get_device_list"].shadow)

    def test_constants_that_only_macros_tell_have_their_values(self) -> None:
        verbs, mlx5 = self.found[65].groups["verbs"].macros, self.found[65].groups["mlx5dv"].macros
        self.assertEqual(verbs["IBV_DEVICE_RAW_SCATTER_FCS"].value, 1 << 34)
        self.assertEqual(mlx5["MLX5DV_UAR_ALLOC_TYPE_NC_DEDICATED"].value, 1 << 31)
        self.assertEqual(self.found[65].groups["rdma_cma"].macros["RAI_FAMILY"].value, 8)
        self.assertIsNone(verbs["IBV_ALLOCATOR_USE_DEFAULT"].value)

    def test_the_length_of_an_ethernet_address_is_known_in_each_release(self) -> None:
        values = {r: f.groups["verbs"].macros["ETHERNET_LL_SIZE"].value for r, f in self.found.items()}
        self.assertEqual(set(values.values()), {6})

    def test_what_is_written_is_what_was_read(self) -> None:
        for release, path in headers.committed_paths().items():
            self.assertEqual(facts.to_json(self.found[release]), path.read_text(encoding="utf-8"))


class Reader(InFolder):
    def test_two_files_of_one_release_are_refused(self) -> None:
        for name in ("rdma-core-65.json", "rdma-core-065.json"):
            self.put(name, "{}")
        with mock.patch.object(headers, "FACTS", self.folder):
            self.assertIn("rdma-core-65.json: rdma-core-065.json is of release 65 as well\n  take one of them away", self.fails(headers.committed_paths))

    SMALL = {"format": facts.FORMAT, "release": 44, "groups": {"g": {
        "headers": ["g.h"],
        "enums": {"e": {"header": "g.h", "values": {"E": 1}}},
        "structs": {"s": {"header": "g.h", "size": 4, "fields": [
            {"name": "a", "type": "union", "kind": "record", "offset": 0, "size": 4, "fields": [
                {"name": "b", "type": "int", "kind": "int", "offset": 0, "size": 4}]}]}},
        "calls": {"c": {"header": "g.h", "kind": "extern", "result": "int", "params": [["int", "x"]]}},
        "macros": {"M": {"header": "g.h", "kind": "value", "value": 3}},
    }}}

    def load(self, text: str) -> Facts:
        return facts.load(self.put("facts.json", text))

    def test_small_facts_are_read(self) -> None:
        group = self.load(json.dumps(self.SMALL)).groups["g"]
        self.assertEqual((group.enums["e"].values[0].value, group.structs["s"].fields[0].fields[0].name),
                         (1, "b"))

    def test_text_that_is_no_json_is_refused_with_its_line(self) -> None:
        self.assertIn("facts.json:2: ", self.fails(lambda: self.load('{\n "format": }')))

    def test_a_file_that_is_not_there_is_named(self) -> None:
        said = self.fails(lambda: facts.load(self.folder / "gone.json"))
        self.assertIn("gone.json: cannot read: No such file", said)

    def test_a_folder_is_no_facts_file(self) -> None:
        self.assertIn("cannot read: Is a directory", self.fails(lambda: facts.load(self.folder)))

    def test_bytes_that_are_no_text_are_refused(self) -> None:
        path = self.folder / "facts.json"
        path.write_bytes(b"\xff\xfe{}")
        self.assertIn("not plain UTF-8", self.fails(lambda: facts.load(path)))

    def test_a_json_file_of_something_else_is_refused(self) -> None:
        for text in ("{}", "[]", "3", '"facts"', "null", '{"format": 99}'):
            with self.subTest(text):
                self.assertIn("not a facts file", self.fails(lambda: self.load(text)))

    def test_json_that_is_nested_too_deep_is_refused(self) -> None:
        self.assertIn("facts.json", self.fails(lambda: self.load("[" * 100000)))

    def test_a_wrong_type_is_refused_and_the_item_named(self) -> None:
        text = json.dumps(self.SMALL).replace('"size": 4, "fields": [{"name": "a"',
                                              '"size": "4", "fields": [{"name": "a"')
        self.assertIn("groups.g.structs.s.size: '4': must be a whole number", self.fails(lambda: self.load(text)))

    def test_an_unknown_key_is_refused_and_the_item_named(self) -> None:
        text = json.dumps(self.SMALL).replace('"result"', '"returns"')
        self.assertIn("groups.g.calls.c.returns: no such key", self.fails(lambda: self.load(text)))

    def test_facts_that_are_cut_short_are_refused(self) -> None:
        whole = json.dumps(self.SMALL, indent=1)
        for length in range(0, len(whole) - 1, 7):
            with self.subTest(length=length), self.assertRaises(GenError):
                self.load(whole[:length])

    def test_random_damage_is_refused_or_harmless(self) -> None:
        chance = random.Random(44)
        junk = [None, True, -1, 2**70, 1.5, "x", [], {}, [[]], {"name": []}]
        for _ in range(1500):
            data = json.loads(json.dumps(self.SMALL))
            damage(data, chance, junk)
            try:
                facts.to_json(self.load(json.dumps(data)))
            except GenError:
                pass


def damage(data: Any, chance: random.Random, junk: list[object]) -> None:
    """Put something wrong at a random place."""
    while True:
        key = chance.choice(list(data) if isinstance(data, dict) else range(len(data)))
        if not data[key] or not isinstance(data[key], dict | list) or chance.random() < 0.3:
            data[key] = chance.choice(junk)
            return
        data = data[key]


TYPES = """
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
typedef struct { int a; } uint24_t;
typedef int fn_t(int);
typedef int (*to_fn_t)(int);
typedef uint32_t u24;
typedef enum { ONE } en_t;
typedef char text_t[8];
enum e { E };
union u { int x; };
struct o;
typedef struct o *to_o_t;
typedef struct { int q; } *to_unnamed_t;
"""
FIELDS = """
uint24_t F; fn_t *F; to_fn_t F; u24 F; en_t F; text_t F; enum e F; union u F; struct o *F; to_o_t F; const struct o *const F; const char *F;
int (*F)[3]; int (*F[2])(int); int (**F)(int); volatile uint32_t F; long double F; struct { int z; } F; struct { int z; } *F; enum { TWO } *F; struct { int z; } F[3]; union { int z; } F[2][2]; enum { SIX } F[3];
enum { THREE } F; FILE *F; pthread_t F; pthread_mutex_t F; unsigned F:3; _Bool F:1; struct o **F; void *const F; void (*const F)(void);
char F[2][3]; const char *const F[2]; __typeof__(int) F; __int128 F; unsigned long long F; signed char F; short F; fn_t **F; en_t *F;
uint24_t *F; to_unnamed_t F; text_t *F; idtype_t F; _Complex double F; en_t F[3]; char *const *F; _Atomic int F; float F; struct o *F[];
"""


class OfAnyType(OfHeaders):
    def test_what_was_scanned_is_read_again(self) -> None:
        """Whatever fields may be of: facts that say what the compiler does contradict themselves nowhere."""
        fields = FIELDS.replace("\n", " ").split("; ")
        members = "; ".join(re.sub(r"\bF\b", f"f{number}", text) for number, text in enumerate(fields))
        self.put("acme.h", f"#include <sys/wait.h>\n{TYPES}struct s {{ {members} }};\n")
        scanned = self.scan_all([HeaderGroup("acme", ["acme.h"], "libacme.so.1")])
        path = self.put("facts.json", facts.to_json(scanned))
        read = facts.load(path)
        self.assertEqual(facts.to_json(read), path.read_text())
        self.assertGreater(len(read.groups["acme"].structs["s"].fields), 45)


class WhatAParameterIs(unittest.TestCase):
    """By its type, as headers spell it."""

    def what(self, c_type: str) -> CType:
        return Param("it", c_type).what

    def test_points_to_one_structure_or_to_a_pointer(self) -> None:
        one, many, union = self.what("const struct ibv_qp *"), self.what("struct ibv_qp **"), self.what("union ibv_gid *")
        self.assertEqual([w.to_a_struct for w in (one, many, union)], ["ibv_qp", "", ""])
        self.assertEqual([w.to_struct for w in (one, many, union)], ["ibv_qp", "ibv_qp", ""])
        self.assertEqual([w.to_one for w in (one, many, union)], ["ibv_qp", "", "ibv_gid"])
        self.assertEqual([w.to_a_pointer for w in (one, many, union)], [False, True, False])
        self.assertEqual([one.const, many.const], [True, False])
        self.assertEqual((self.what("void *[]").stars, self.what("void *[]").array), ("*", "[]"))

    def test_is_a_number_of_so_many_bits(self) -> None:
        cases = {"__be16": (True, 16, 16), "uint64_t *": (True, 64, 0), "unsigned int *": (True, 0, 0), "size_t": (True, 0, 0),
                 "const uint8_t *": (False, 8, 0), "void *": (False, 0, 0), "enum ibv_mtu": (False, 0, 0)}
        self.assertEqual({t: (w.is_number, w.bits, w.swapped) for t in cases if (w := self.what(t))}, cases)
        self.assertEqual([self.what(t).is_bytes for t in ("uint8_t[6]", "uint8_t *", "uint8_t[]")], [True, False, False])

    def test_is_a_number_in_network_order_itself(self) -> None:
        cases = {"__be32": True, "__be32 *": False, "uint32_t": False, "__be64[]": False, "const __be16 *": False}
        self.assertEqual({t: self.what(t).is_swapped for t in cases}, cases)

    def test_points_somewhere(self) -> None:
        cases = {"const struct ibv_wq *": "struct ibv_wq", "struct ibv_qp *const *": "struct ibv_qp *", "char **": "char *", "const uint8_t *": "uint8_t"}
        self.assertEqual({t: self.what(t).target for t in cases}, cases)
        pointers = {"void *[]": True, "uint8_t[6]": True, "struct ibv_qp *": True, "enum ibv_mtu": False, "size_t": False}
        self.assertEqual({t: self.what(t).is_pointer for t in pointers}, pointers)
        self.assertEqual([self.what(t).is_to("ibv_qp") for t in ("const struct ibv_qp *", "struct ibv_qp **", "struct ibv_cq *", "int")], [True, False, False, False])
        self.assertEqual([self.what(t).is_to("") for t in ("int", "struct ibv_qp *")], [False, False])

    def test_is_nothing_known_where_it_is_none_of_these(self) -> None:
        self.assertEqual(vars(self.what("int (*)(struct ibv_qp *)")), vars(CType()))

if __name__ == "__main__":
    unittest.main()
