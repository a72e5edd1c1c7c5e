# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""The data path from headers: what a release brings is there by itself, and what lore does not know is told."""

from __future__ import annotations

import unittest

from gen import plan
from gen.api import merge
from gen.api.facts import Call, Enumerator, Field, Param
from gen.api.merge import Api
from gen.errors import GenError
from gen.files.tomlfile import Document
from gen.know import groups, lore
from gen.know.lore import Checker
from gen.know.remarks import Remarks
from gen.plan import Plan
from gen.plan.methods.wr import of_opcode
from gen.plan.remarks.requests import add_reads
from gen.reach import headers
from gen.reach.news import News
from gen.write.render import render

QP = Param("qp", "struct ibv_qp_ex *")


def merged() -> Api:
    found = groups.load()
    return merge.merge(headers.committed(), [g.name for g in found])


def add(api: Api, name: str, params: list[Param]) -> None:
    call = Call(f"ibv_{name}", "infiniband/verbs.h", "inline", result="void", params=[QP, *params], since=66)
    api.groups["verbs"].calls[call.name] = call
    api.structs()["ibv_qp_ex"].fields.append(Field(name, "void (*)(struct ibv_qp_ex *)", "function", 0, 8, since=66))


def add_of_mlx5(api: Api) -> None:
    call = Call("mlx5dv_wr_fill", "infiniband/mlx5dv.h", "inline", result="void", params=[Param("mqp", "struct mlx5dv_qp_ex *"), Param("lkey", "uint32_t")], since=66)
    api.groups["mlx5dv"].calls[call.name] = call
    api.structs()["mlx5dv_qp_ex"].fields.append(Field("wr_fill", "void (*)(struct mlx5dv_qp_ex *)", "function", 0, 8, since=66))


def add_read(api: Api, name: str) -> None:
    call = Call(f"ibv_wc_{name}", "infiniband/verbs.h", "inline", result="uint8_t", params=[Param("cq", "struct ibv_cq_ex *")], since=66)
    api.groups["verbs"].calls[call.name] = call
    api.structs()["ibv_cq_ex"].fields.append(Field(name, "uint8_t (*)(struct ibv_cq_ex *)", "function", 0, 8, since=66))


def planned(api: Api) -> Plan:
    return plan.build(api, lore.load(api), groups.load())


def brought() -> Api:
    api = merged()
    add(api, "wr_twist", [Param("turns", "uint32_t"), Param("ah", "struct ibv_ah *")])
    add(api, "wr_set_colour", [Param("argument1", "const char *")])
    add(api, "wr_prove", [Param("length", "size_t"), Param("hash", "const uint8_t[32]")])
    add(api, "wr_watch", [Param("seen", "void (*)(void *, int)"), Param("number", "uint32_t")])
    add_of_mlx5(api)
    add_read(api, "read_hop_count")
    add_read(api, "read_warmth")
    api.enums()["ibv_create_cq_wc_flags"].values.append(Enumerator("IBV_WC_EX_WITH_HOP_COUNT", 1 << 12, since=66))
    return api


class New(unittest.TestCase):
    """A builder and a setter that no release has yet."""

    plan: Plan
    header: str
    checks: str

    @classmethod
    def setUpClass(cls) -> None:
        cls.plan = planned(brought())
        api = brought()
        said = lore.load(api)
        said.inline |= {"ibv_wc_read_warmth": {"always": True}, "ibv_wc_read_hop_count": {"flag": "IBV_WC_EX_WITH_SL"}}
        cls.settled = plan.build(api, said, groups.load())
        pages = render(cls.plan)
        cls.header, cls.checks = pages["include/verbsx/wr.h"], pages["src/guard_wr.c"]

    def test_are_there_for_programs_whose_headers_have_them(self) -> None:
        self.assertIn("#define vx_wr_twist(wr, wr_id, wr_flags, turns, ah) \\\n"
                      "\tibv_wr_twist(vx_wr_next(wr, wr_id, wr_flags), turns, (struct ibv_ah *)vx_raw_or_null(ah))\n", self.header)
        self.assertIn("#define vx_wr_set_colour(wr, ...) \\\n\tibv_wr_set_colour(vx_wr_ex(wr), __VA_ARGS__)\n", self.header)

    def test_are_macros_of_what_parameters_are_called(self) -> None:
        """Arrays and functions, too; the last may be a compound literal, which has commas."""
        self.assertIn("#define vx_wr_prove(wr, wr_id, wr_flags, length, ...) \\\n\tibv_wr_prove(vx_wr_next(wr, wr_id, wr_flags), length, __VA_ARGS__)\n", self.header)
        self.assertIn("#define vx_wr_watch(wr, wr_id, wr_flags, seen, number) \\\n\tibv_wr_watch(vx_wr_next(wr, wr_id, wr_flags), seen, number)\n", self.header)

    def test_look_at_arrays_as_at_pointers(self) -> None:
        self.assertIn('(!hash && vx_says(guard->why, "hash is NULL"))', self.checks)

    def test_are_told_with_a_line_to_begin_with(self) -> None:
        said = {r.name: r for r in self.plan.remarks.unsettled}
        self.assertEqual(said["ibv_wr_twist"].table, "wr")
        self.assertIn('ibv_wr_twist = { op = "IBV_QP_EX_WITH_', said["ibv_wr_twist"].write)
        self.assertEqual(said["ibv_wr_set_colour"].write, 'ibv_wr_set_colour = { gives = "data" }')

    def test_the_line_of_a_vendors_is_like_those_of_its_own(self) -> None:
        said = next(r for r in self.plan.remarks.unsettled if r.name == "mlx5dv_wr_fill")
        self.assertEqual(said.file, "gen/lore/mlx5dv.toml")
        self.assertRegex(said.write, r'^mlx5dv_wr_fill = \{ op = "MLX5DV_QP_EX_WITH_\w+", data = "any", types = \[.*\], wc = "MLX5DV_WC_\w+" \}')

    def test_what_a_flag_is_called_after_is_read_where_that_is_asked_for(self) -> None:
        """Whatever the meaning of the flag says; what no flag is called after is of any CQ, which is asked about."""
        flags = {r.call: r.flag for r in self.plan.wr.reads}
        self.assertEqual((flags["ibv_wc_read_hop_count"], flags["ibv_wc_read_sl"], flags["ibv_wc_read_vendor_err"]), ("IBV_WC_EX_WITH_HOP_COUNT", "IBV_WC_EX_WITH_SL", "0"))
        self.assertEqual(self.asked(self.plan), [("ibv_wc_read_warmth", "inline", "ibv_wc_read_warmth = { always = true }")])

    def test_lore_says_by_which_flag_it_is_read(self) -> None:
        flags = {r.call: r.flag for r in self.settled.wr.reads}
        self.assertEqual((flags["ibv_wc_read_hop_count"], flags["ibv_wc_read_warmth"]), ("IBV_WC_EX_WITH_SL", "0"))
        self.assertEqual(self.asked(self.settled), [])

    def asked(self, of: Plan) -> list[tuple[str, str, str]]:
        found = Remarks()
        add_reads(of.api, of.lore, of.wr.reads, News(66), found)
        return [(r.name, r.table, r.write) for r in found.unsettled]

    def test_stand_for_themselves(self) -> None:
        self.assertEqual(self.plan.objects.inline["ibv_wr_twist"], "vx_wr_twist()")


class Wrong(unittest.TestCase):
    """Lore that cannot be."""

    def said(self, table: str, key: str, entry: dict[str, object]) -> str:
        checker = Checker(self.api)
        checker.read(lore.LORE / "common.toml")
        with self.assertRaises(GenError) as raised:
            checker.entries(Document(lore.LORE / "wr.toml", {}, ""), table, {key: entry})
        return str(raised.exception)

    @classmethod
    def setUpClass(cls) -> None:
        cls.api = merged()

    def test_a_setter_begins_nothing(self) -> None:
        entry = {"op": "IBV_QP_EX_WITH_SEND", "data": "any", "types": ["RC"], "wc": "IBV_WC_SEND"}
        self.assertIn("ibv_wr_set_sge: begins no work request", self.said("wr", "ibv_wr_set_sge", entry))
        self.assertIn("ibv_wr_send: sets nothing of", self.said("wr_set", "ibv_wr_send", {"gives": "data"}))
        self.assertIn("ibv_wr_start: begins no work request", self.said("wr", "ibv_wr_start", entry))

    def test_a_parameter_has_a_place_in_the_structure(self) -> None:
        entry = {"op": "IBV_QP_EX_WITH_ATOMIC_FETCH_AND_ADD", "data": "8 bytes", "types": ["RC"], "wr": "IBV_WR_ATOMIC_FETCH_AND_ADD",
                 "wc": "IBV_WC_FETCH_ADD", "into": "ibv_send_wr.wr.atomic"}
        self.assertIn("struct ibv_send_wr has no place for add", self.said("wr", "ibv_wr_atomic_fetch_add", entry))

    def test_what_goes_into_a_structure_has_an_opcode(self) -> None:
        entry = {"op": "IBV_QP_EX_WITH_SEND", "data": "any", "types": ["RC"], "wc": "IBV_WC_SEND"}
        self.assertIn("into goes with wr", self.said("wr", "ibv_wr_send", {**entry, "into": "ibv_send_wr"}))
        self.assertIn("post goes with into", self.said("wr", "ibv_wr_send", {**entry, "post": "send_one"}))

    def test_an_opcode_has_what_is_no_builders(self) -> None:
        entry = {"data": "any", "types": ["RC"], "wc": "IBV_WC_SEND"}
        self.assertIn("wr.toml: IBV_WR_FLUSH: post is of builders, and this is an opcode\n  known: data, types, wc, into", self.said("wr", "IBV_WR_FLUSH", {**entry, "post": "x"}))
        self.assertIn("ibv_send_wr.wr.flush: no such field", self.said("wr", "IBV_WR_FLUSH", {**entry, "into": "ibv_send_wr.wr.flush"}))
        self.assertIn("ibv_wr_send: lacks op", self.said("wr", "ibv_wr_send", entry))
        self.assertIn("ibv_wr_sent: no such function", self.said("wr", "ibv_wr_sent", entry))

    def test_rows_of_lists_have_room(self) -> None:
        said = {"gives": "data", "entries": {"list": "sg_list", "count": "num_sge", "fields": ["length"], "bits": 31}}
        for changed, words in (({"list": "interleaved"}, "list: interleaved: longer than 7 letters"), ({"fields": ["length", "length", "length"]}, "fields: 3 of them"),
                               ({"fields": ["length_of_the_first", "length_of_the_other"]}, "length_of_the_first \\+ length_of_the_other: longer than 31 letters")):
            with self.subTest(changed):
                self.assertRegex(self.said("wr_set", "ibv_wr_set_sge_list", {**said, "entries": {**said["entries"], **changed}}), words)

    def test_an_exported_function_is_not_inline(self) -> None:
        self.assertIn("ibv_modify_qp: is no inline function", self.said("inline", "ibv_modify_qp", {"fail": "vx_post_send_fail"}))
        self.assertIn("ibv_wc_read_sl: says always and flag, and what is read", self.said("inline", "ibv_wc_read_sl", {"always": True, "flag": "IBV_WC_EX_WITH_SL"}))
        self.assertIn("says either fail or stands", self.said("inline", "ibv_wr_start", {"raw": True}))


class Words(unittest.TestCase):
    def test_a_parameter_has_the_words_of_its_opcode_alone(self) -> None:
        says = "ACME_SWAP: what to compare with; ACME_ADD: what to add"
        self.assertEqual([of_opcode(says, op) for op in ("ACME_SWAP", "ACME_ADD")], ["what to compare with", "what to add"])
        self.assertEqual(of_opcode("how many; of enum acme", "ACME_ADD"), "how many; of enum acme")


if __name__ == "__main__":
    unittest.main()
