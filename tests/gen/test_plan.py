# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""The plan: what enums and fields become, on the traps that rdma-core's headers hold and on small ones."""

from __future__ import annotations

import unittest

from gen import plan
from gen.api import merge
from gen.api.facts import Enum, Enumerator, Group
from gen.api.merge import Api
from gen.files import tomlfile
from gen.know import groups
from gen.know.lore import Lore
from gen.know.remarks import Remarks
from gen.plan import Plan
from gen.plan.enums.enums import EnumPlan, plan_enums
from gen.plan.structs.structs import FieldPlan
from gen.plan.text.names import pool_names
from gen.reach import known
from gen.scan.scan import Tree, scan
from gen.write.filters import c_string
from tests.gen.project import ROOT, InFolder


class Enums(unittest.TestCase):
    plan: Plan

    @classmethod
    def setUpClass(cls) -> None:
        found = groups.load()
        cls.plan = plan.build(*known.read(found), found)
        cls.enums = {e.name: e for e in cls.plan.enums}

    def marked(self, enum: str, flag: str) -> set[str]:
        return {r.name for r in self.enums[enum].rows if r.has(flag)}

    def of_kind(self, kind: str, *names: str) -> None:
        self.assertEqual({n: self.enums[n].kind for n in names}, dict.fromkeys(names, kind))

    def test_nothing_is_guessed(self) -> None:
        self.assertEqual(self.plan.remarks.unsettled, [])

    def test_one_and_two_may_be_values(self) -> None:
        self.of_kind("values", "ibv_mw_type", "mlx5dv_dc_type", "mlx5dv_set_ctx_attr_type", "rdma_option_ib",
                     "ibv_selectivity_level", "rdma_cm_mc_join_flags", "ibv_wq_type", "mlx5dv_crypto_standard",
                     "mlx5dv_crypto_key_purpose")

    def test_a_single_bit_may_be_a_flag(self) -> None:
        self.of_kind("flags", "ibv_dm_mask", "ibv_tm_cap_flags", "ibv_flow_action_esp_mask",
                     "ibv_read_counters_flags",
                     "mlx5dv_srq_comp_mask", "mlx5dv_dm_comp_mask", "ibv_ind_table_init_attr_mask")

    def test_what_is_called_a_type_may_be_flags(self) -> None:
        self.of_kind("flags", "mlx5dv_obj_type", "ibv_pci_atomic_op_size", "ibv_placement_type",
                     "mlx5dv_cqe_comp_res_format",
                     "mlx4dv_obj_type", "manadv_obj_type")

    def test_how_bits_are_written_tells_them_from_values_and_nothing_is_asked(self) -> None:
        doubtful = {(1, 2): "values", (1,): "flags", (1, 8): "values", (0, 1, 2, 4): "flags"}
        alone = (64,)  # may be a size
        for values in (*doubtful, (0, 1, 2), alone, (1, 2, 3)):
            for shifts in (True, False):
                remarks, api = Remarks(), Api([44], {"g": Group("g", ["g.h"])})
                api.groups["g"].enums["e"] = Enum("e", "g.h", [Enumerator(f"E_{v}", v) for v in values], shifts=shifts)
                kind = plan_enums(api, Lore(), remarks, [])[0].kind
                self.assertEqual(kind, "flags" if shifts else doubtful.get(values, "values"), values)
                self.assertEqual([r.write for r in remarks.unsettled], [] if values not in (doubtful, {alone})[shifts] else [f'e = {{ kind = "{kind}" }}'])

    def test_a_value_with_a_flag_beside_it_is_mixed(self) -> None:
        self.assertEqual((self.enums["ibv_flow_spec_type"].kind, self.enums["ibv_flow_spec_type"].bits),
                         ("mixed", 0x100))

    def test_the_second_name_of_a_value_is_an_alias(self) -> None:
        self.assertEqual(self.marked("rdma_driver_id", "ALIAS"), {"RDMA_DRIVER_IRDMA"})
        self.assertEqual(self.marked("mlx5dv_sig_mask", "ALIAS"), {"MLX5DV_SIG_MASK_CRC32C"})
        self.assertEqual(self.marked("rdma_max_rd_atomic", "ALIAS"), {"RDMA_MAX_INIT_DEPTH"})

    def test_what_stands_for_no_value_is_a_sentinel(self) -> None:
        reserved = {r.name for e in self.plan.enums for r in e.rows if r.name.endswith("_RESERVED")}
        sentinels = {r.name for e in self.plan.enums for r in e.rows if r.has("SENTINEL")}
        self.assertEqual(sentinels - reserved, {"MLX5_CQE_OWNER_MASK"})
        self.assertEqual(reserved - sentinels, set())

    def test_several_flags_at_once_are_a_composite(self) -> None:
        self.assertEqual(self.marked("ibv_rereg_mr_flags", "COMPOSITE"), {"IBV_REREG_MR_FLAGS_SUPPORTED"})
        self.assertIn("IBV_PATH_FLAG_BIDIRECTIONAL", self.marked("ibv_path_flags", "COMPOSITE"))
        self.assertEqual(self.marked("mlx5dv_sig_mask", "COMPOSITE"), set())

    def test_negative_values_have_their_place(self) -> None:
        node = self.enums["ibv_node_type"]
        self.assertEqual((node.low, node.slots[0]), (-1, "IBV_NODE_UNKNOWN"))
        self.assertEqual(self.enums["ibv_rereg_mr_err_code"].low, -5)

    def test_a_value_far_off_takes_no_slots(self) -> None:
        for e in self.plan.enums:
            self.assertLessEqual(len(e.slots), 256, e.name)
        self.assertEqual(self.enums["ibv_rx_hash_fields"].slots[31], "IBV_RX_HASH_INNER")

    def test_macros_extend_the_enum_that_they_belong_to(self) -> None:
        caps = {r.name: r.value for r in self.enums["ibv_device_cap_flags"].rows}
        self.assertEqual((caps["IBV_DEVICE_RAW_SCATTER_FCS"], caps["IBV_DEVICE_PCI_WRITE_END_PADDING"],
                          caps["IBV_DEVICE_CC_DMA_BOUNCE"]), (1 << 34, 1 << 36, 1 << 41))
        self.assertEqual(self.enums["rdma_addrinfo_flags"].value_of("RAI_SA"), 0x10)
        self.assertEqual(self.enums["mlx5dv_res_type"].value_of("MLX5DV_RES_TYPE_QP"), 1 << 32 | 1)

    def test_the_public_name_of_an_enumerator_stands_before_the_kernels(self) -> None:
        names = [r.name for r in self.enums["ibv_advise_mr_advice"].rows]
        self.assertLess(names.index("IBV_ADVISE_MR_ADVICE_PREFETCH"),
                        names.index("IB_UVERBS_ADVISE_MR_ADVICE_PREFETCH"))
        self.assertNotIn("IBV_ADVISE_MR_ADVICE_PREFETCH", self.marked("ibv_advise_mr_advice", "ALIAS"))

    def test_the_shared_prefix_ends_with_a_word(self) -> None:
        for name, prefix in (("ibv_wc_status", "IBV_WC_"), ("ibv_mtu", "IBV_MTU_"),
                             ("ibv_access_flags", "IBV_ACCESS_"),
                             ("ibv_qp_type", "IBV_QPT_")):
            enum: EnumPlan = self.enums[name]
            self.assertEqual(enum.rows[0].name[:enum.prefix], prefix)


class Texts(unittest.TestCase):
    def test_a_text_is_a_string_of_c_whatever_is_in_it(self) -> None:
        for text, wanted in (('say "hi"', r'"say \"hi\""'), ("a\\b", r'"a\\b"'), ("a\nb\tc", r'"a\nb\tc"'),
                             ("\a7\x7f", r'"\0077\177"'), ("4.1 µs", '"4.1 µs"'), (r"\u0041", r'"\\u0041"')):
            with self.subTest(text):
                self.assertEqual(c_string(text), wanted)


class Fields(InFolder):
    """The fields of struct s in a header, with some lore."""

    def planned(self, text: str, **said: dict[str, object]) -> Plan:
        self.put("acme.h", f"#include <linux/types.h>\n#include <stdbool.h>\n{text}")
        group = groups.HeaderGroup("acme", ["acme.h"], "libacme.so.1")
        api = merge.merge([scan([group], Tree(self.folder), 44)], ["acme"])
        return plan.build(api, Lore(**said), [group])

    def fields(self, members: str, before: str = "", **said: dict[str, object]) -> dict[str, FieldPlan]:
        planned = self.planned(f"{before}\nstruct s {{ {members} }};", **said)
        return {f.path: f for f in planned.tables.fields()}

    def kinds(self, members: str, before: str = "", **said: dict[str, object]) -> list[tuple[str, str]]:
        return [(f.kind, f.shape) for f in self.fields(members, before, **said).values()]

    MODE = "enum acme_mode { ACME_A, ACME_B, ACME_C };"

    def test_numbers_bytes_and_text(self) -> None:
        self.assertEqual(self.kinds("__u32 a; int b; bool c; char d; char e[8]; __u8 f[8]; __u32 g[8];"),
                         [("UINT", "FIELD"), ("INT", "FIELD"), ("BOOL", "FIELD"), ("INT", "FIELD"),
                          ("STRING", "FIELD"),
                          ("BYTES", "FIELD"), ("UINT", "ARRAY")])

    def test_arrays_without_a_length(self) -> None:
        self.assertEqual(self.kinds("int n; __u8 a[];"), [("INT", "FIELD"), ("UINT", "FLEXIBLE")])
        self.assertEqual(self.kinds("int n; char a[];"), [("INT", "FIELD"), ("STRING", "FLEXIBLE")])

    def test_what_c_has_beside_is_shown_as_bytes(self) -> None:
        self.assertEqual(self.kinds("double a; int b[2][3]; float c[4];"),
                         [("BYTES", "FIELD"), ("BYTES", "ARRAY"), ("BYTES", "ARRAY")])

    def test_the_field_of_an_enum_is_of_that_enum(self) -> None:
        field = self.fields("enum acme_mode a;", self.MODE)["a"]
        self.assertEqual((field.kind, field.ref), ("ENUM", "ENUM_acme_mode"))

    def test_lore_for_the_field_goes_before_the_comment(self) -> None:
        field = self.fields("__u32 a; /* acme_mode */", self.MODE, field={"s.a": {"form": "hex"}})["a"]
        self.assertEqual((field.kind, field.form), ("UINT", "hex"))

    def test_the_comment_goes_before_lore_for_the_name(self) -> None:
        field = self.fields("__u32 a; /* acme_mode */\n", self.MODE, name={"a": {"form": "hex"}})["a"]
        self.assertEqual((field.kind, field.ref), ("ENUM", "ENUM_acme_mode"))

    def test_lore_for_the_name_is_about_numbers(self) -> None:
        fields = self.fields("__u32 a; struct { void *a; } b;", name={"a": {"form": "hex"}})
        self.assertEqual((fields["a"].form, fields["b.a"].form), ("hex", ""))

    def test_an_address_is_one_thing_however_it_is_declared(self) -> None:
        self.assertEqual(self.kinds("__u64 a[2];", field={"s.a": {"form": "gid"}}), [("BYTES", "FIELD")])

    def test_characters_may_be_bytes_and_bytes_text(self) -> None:
        self.assertEqual(self.kinds("char a[8]; __u8 b[8];",
                                    field={"s.a": {"bytes": True}, "s.b": {"text": True}}),
                         [("BYTES", "FIELD"), ("STRING", "FIELD")])

    def test_network_order_goes_by_the_type_but_not_of_functions(self) -> None:
        fields = self.fields("__be32 a; __u32 b; int (*c)(__be32 x);")
        self.assertEqual([f.flags for f in fields.values()], [["BIG_ENDIAN"], [], []])

    def test_members_that_share_bytes_say_so(self) -> None:
        fields = self.fields("int a; union { int b; int c; }; union { int d; int e; }; int f;")
        self.assertEqual([p for p, f in fields.items() if "UNION" in f.flags], ["c", "e"])

    def test_an_unnamed_member_of_an_array_is_reached_through_its_first(self) -> None:
        self.assertIn("a[0].b", self.fields("struct { int b; } a[3];"))

    def test_what_lore_says_of_it_holds_for_all(self) -> None:
        fields = self.fields("struct { int b; } a[3];", field={"s.a.b": {"form": "hex"}})
        self.assertEqual(fields["a[0].b"].form, "hex")

    def test_a_pointer_is_followed_only_where_lore_vouches_for_it(self) -> None:
        members = "struct s *a; int n; struct s *b; struct s *c; __u32 *d; void *e; const char *f;"
        said = {"s.a": {"points": "list"}, "s.b": {"count": "n"}, "s.d": {"count": "n"},
                "s.e": {"count": "n"},
                "s.f": {"text": True}}
        fields = self.fields(members, field=said)
        self.assertEqual([f.kind for f in fields.values()],
                         ["STRUCT_POINTER", "INT", "STRUCT_POINTER", "POINTER", "UINT_POINTER",
                          "BYTES_POINTER", "TEXT_POINTER"])
        self.assertEqual((fields["b"].length, fields["a"].flags), (2, ["LIST"]))

    def test_a_guard_restricts_what_it_names(self) -> None:
        fields = self.fields("__u32 mask; int a; int b;",
                             "enum acme_mask { ACME_A = 1, ACME_B = 2, ACME_AB = 3 };",
                             guard={"s.mask": {"ACME_A": ["a"], "ACME_AB": ["a"], "ACME_B": ["b"]}})
        self.assertEqual((fields["mask"].rule, fields["a"].valid, fields["b"].valid),
                         ("", "mask & ACME_A | ACME_AB", "mask & ACME_B"))

    def test_what_a_bit_field_would_tell_stays_untold(self) -> None:
        fields = self.fields("__u32 mode : 3; int a; int b;", "enum acme_mode { ACME_A, ACME_B };", choice={"s.mode": {"a": ["ACME_A"]}})
        self.assertEqual((fields["a"].valid, fields["b"].rule), ("mode is ACME_A, a bit-field, of which C tells no offset", ""))
        self.assertEqual([(r.condition.op, r.condition.selector) for r in self.planned(
            "enum acme_mode { ACME_A };\nstruct s { __u32 mode : 3; int a; };", choice={"s.mode": {"a": ["ACME_A"]}}).tables.rules], [("NEVER", "")])

    def test_bits_that_overlap_are_joined_and_not_added(self) -> None:
        planned = self.planned("enum acme_mask { ACME_A = 1, ACME_AB = 3 };\nstruct s { __u32 mask; int a; };",
                               guard={"s.mask": {"ACME_A": ["a"], "ACME_AB": ["a"]}})
        self.assertEqual(planned.tables.rules[0].condition.values, [3])

    def test_equal_values_of_rules_stand_in_one_place(self) -> None:
        members = "int kind; int a; int b; int c;"
        chosen = {"s.kind": {"a": ["1", "2"], "b": ["1", "2"], "c": ["3"]}}
        book = self.planned(f"struct s {{ {members} }}; struct t {{ {members} }};",
                            choice=chosen | {"t.kind": {"a": ["3"]}}).tables.book
        self.assertEqual(book.values, {(1, 2): 0, (3,): 2})
        self.assertEqual({(r.id, r.first) for r in book.rules}, {("RULE_s_1", 0), ("RULE_s_2", 2), ("RULE_t_1", 2)})

    def test_a_name_lies_in_one_that_ends_with_it(self) -> None:
        found = pool_names(["wr_id", "id", "key", "recv_wr_id", "id", "idle"])
        self.assertEqual([(n.name, n.end_of) for n in found],
                         [("idle", ""), ("key", ""), ("recv_wr_id", ""), ("id", "recv_wr_id"), ("wr_id", "recv_wr_id")])

    def test_a_name_of_the_second_pool_lies_in_the_first_where_that_has_it(self) -> None:
        found = pool_names(["recv_wr_id", "key"], ["key", "wr_id", "mkey", "key_len", "len"])
        self.assertEqual([(n.name, n.end_of, n.more) for n in found],
                         [("key", "", False), ("recv_wr_id", "", False), ("key_len", "", True), ("mkey", "", True),
                          ("wr_id", "recv_wr_id", False), ("len", "key_len", True)])

    def test_the_first_part_of_the_tables_refers_to_nothing_behind_it(self) -> None:
        tables = self.planned("struct a { int n; }; struct b { struct a a; }; struct d { int n; }; struct c { struct d d; }; struct e { int n; };").tables
        for vendor, first in ((5, 5), (4, 4), (3, 2), (1, 1), (0, 0)):
            for i, s in enumerate(tables.structs):
                s.of_vendor, s.core = i >= vendor, False
            tables.part()
            self.assertEqual([s.name for s in tables.core], ["a", "b", "c", "d", "e"][:first])
            self.assertEqual([*tables.core, *tables.more], tables.structs)

    def test_a_mixed_value_that_may_have_a_flag_beside_it_has_no_slot(self) -> None:
        planned = self.planned("enum acme_spec { ACME_A, ACME_B, ACME_INNER = 4, ACME_BEYOND = 8 };", enum={"acme_spec": {"kind": "mixed", "bits": ["ACME_INNER"]}})
        self.assertEqual(planned.enums[0].slots, ["ACME_A", "ACME_B"])

    def test_bit_63_has_a_name(self) -> None:
        planned = self.planned("enum acme_flags { ACME_A = 1, ACME_TOP = 1ULL << 63 };")
        self.assertEqual((len(planned.enums[0].slots), planned.enums[0].slots[63]), (64, "ACME_TOP"))
        self.assertEqual(planned.enums[0].rows[1].value, -2**63)

    def test_what_is_called_as_lore_says_of_several_is_as_those(self) -> None:
        """As by the lore of all groups, whatever number stands behind the word."""
        of_all = tomlfile.load(ROOT / "gen/lore/common.toml").data["name"]
        fields = self.fields("__u32 reserved; __u32 reserved7; __u32 reserved_at_40; __u8 rsvd_31[4]; __u32 reserved_lkey; __u32 rkey; __u32 a_reserved1;", name=of_all)
        self.assertEqual([f.name for f in fields.values() if "ZERO" in f.flags], ["reserved", "reserved7", "reserved_at_40", "rsvd_31"])
        self.assertEqual(fields["rkey"].form, "hex")

    def test_an_enum_that_may_be_of_bits_is_told_of(self) -> None:
        """One that was counted is not, nor one of so many bits that it is nothing else, or whose name says so."""
        for values, kind in (("0, 1, 2, 4", "flags"), ("1, 2, 4, 7", "flags"), ("0, 1, 8", "values"), ("1, 2", "values"), ("1, 16", "values"),
                             ("0, 1, 2, 3, 4", ""), ("0, 1, 2", ""), ("1, 2, 4", ""), ("3, 5", ""), ("0", ""), ("8", ""), ("-1, 1, 2, 4", "")):
            for name in ("acme_way", "acme_way_flags"):
                with self.subTest(values, name=name):
                    planned = self.planned(f"enum {name} {{ {', '.join(f'ACME_{n} = {v}' for n, v in enumerate(values.split(', ')))} }};")
                    said = [r.write for r in planned.remarks.unsettled if r.table == "enum"]
                    self.assertEqual(said, [f'{name} = {{ kind = "{kind}" }}'] if kind and name == "acme_way" else [])


if __name__ == "__main__":
    unittest.main()
