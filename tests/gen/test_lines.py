# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""The patterns that tools read lines of logs by: what lore may say, and what becomes of it."""

from __future__ import annotations

from gen.plan.explain.lines import LineWords
from tests.gen.project import OfLore

HEADER = """\
enum ibv_wc_status { IBV_WC_OK, IBV_WC_BAD };
enum acme_state { IBV_QPS_RESET, IBV_QPS_INIT, IBV_QPS_RTR };
enum acme_type { IBV_QPT_RC, IBV_QPT_UD };
enum acme_mask { IBV_QP_PORT = 1, IBV_QP_AV = 2 };
struct acme_cap { int height; };
struct acme_attr { int depth; int width; struct acme_cap cap; };
int acme_make(int length);
"""


class Entries(OfLore):
    header = HEADER

    def refused(self, entry: str, words: str) -> None:
        self.refused_at(2, f"{entry}\n", words)

    def test_messages(self) -> None:
        said = self.load('[message]\n"no * found" = { says = "It is not there.", remedy = "Get it." }')
        self.assertEqual(said.lines.message, {"no * found": {"says": "It is not there.", "remedy": "Get it."}})
        self.refused('[message]\n"none" = { remedy = "Get it." }', "none: lacks says")
        self.refused('[message]\n"none" = { says = "not there" }', "none: says: 'not there': must be whole sentences")

    def test_a_star_stands_between_words(self) -> None:
        for pattern in ("*none", "none*", "no**ne", "none*$", "$"):
            self.refused(f'[message]\n"{pattern}" = {{ says = "None." }}', '"*" and "#" stand between words')

    def test_phrases_stand_for_what_there_is(self) -> None:
        self.assertEqual(self.load('[phrase]\n"makes it" = ["acme_make", "IBV_WC_BAD"]').lines.phrase,
                         {"makes it": ["acme_make", "IBV_WC_BAD"]})
        self.refused('[phrase]\n"makes it" = ["acme_mak"]', "acme_mak: no such enumerator")
        self.refused('[phrase]\n"makes it" = []', "makes it: says nothing")

    def test_phrases_of_transitions(self) -> None:
        known = '[prefix]\nbit = "IBV_QP_"\nstate = "IBV_QPS_"\ntype = "IBV_QPT_"\n[transition."RESET -> INIT"]\nRC = [["PORT"], []]'
        self.assertEqual(self.load(f'{known}\n[phrase]\n"to INIT" = ["RESET -> INIT"]').lines.phrase, {"to INIT": ["RESET -> INIT"]})
        self.refused_at(2, f'[phrase]\n"to RTR" = ["RESET -> RTR"]\n{known}', "RESET -> RTR: no such transition")

    def test_what_makes_transitions_fail(self) -> None:
        known = '[prefix]\nbit = "IBV_QP_"\nstate = "IBV_QPS_"\ntype = "IBV_QPT_"\n[transition."RESET -> INIT"]\nRC = [["PORT"], []]'
        said = {"causes": "No port."}
        self.assertEqual(self.load(f'{known}\n[change]\n"RESET -> INIT" = {{ causes = "No port." }}').lines.change, {"RESET -> INIT": said})
        self.refused_at(8, f'{known}\n[change]\n"RESET -> RTR" = {{ causes = "No port." }}\n', "RESET -> RTR: no such transition")

    def test_what_stands_beside_the_rest(self) -> None:
        self.assertIn("scnt=*ccnt=", self.load('[beside]\n"scnt=*ccnt=" = { says = "So many." }').lines.beside)
        self.refused('[beside]\n"scnt=*" = { says = "So many." }', "stand between words")

    def test_numbers(self) -> None:
        said = self.load('[number]\n"status" = ["ibv_wc_status"]\n"took" = []\n[alone]\n"rc" = ["errno"]').lines
        self.assertEqual((said.number, said.alone), ({"status": ["ibv_wc_status"], "took": []}, {"rc": ["errno"]}))
        self.refused('[number]\n"status" = ["ibv_wc_statu"]', "ibv_wc_statu: no such enum")

    def test_numbers_that_are_likely_something(self) -> None:
        said = self.load('[likely]\n"ib_" = ["errno"]\n[number]\n"status" = ["likely errno"]').lines
        self.assertEqual((said.likely, said.number), ({"ib_": ["errno"]}, {"status": ["likely errno"]}))
        self.refused('[number]\n"status" = ["likely count"]', "likely count: only of an errno")
        self.refused('[likely]\n"ib_" = ["count"]', "count: only of an errno")
        self.refused('[likely]\n"ib_*" = ["errno"]', "stand between words")

    def test_names_that_are_spelled_otherwise(self) -> None:
        self.assertEqual(self.load('[spelled]\n"IB_" = "IBV_"').lines.spelled, {"IB_": "IBV_"})
        self.refused('[spelled]\n"IB_" = "IBW_"', "IBW_: no enumerator begins so")
        self.refused('[spelled]\n"IB_" = "IBV"', "IBV: no enumerator begins so")

    def test_words(self) -> None:
        self.assertEqual(self.load('[word]\n"status" = ["ibv_wc_status"]').lines.word, {"status": ["ibv_wc_status"]})
        self.refused('[word]\n"status" = ["errno"]', "errno: no such enum")

    def test_where_a_line_ends(self) -> None:
        self.assertIn("none$", self.load('[message]\n"none$" = { says = "None." }').lines.message)
        for entry in ('[message]\n"no$ne" = { says = "None." }', '[number]\n"status$" = ["errno"]'):
            self.refused(entry, '"$" ends a message or a phrase')

    def test_where_a_number_is(self) -> None:
        self.assertIn("status#vendor", self.load('[number]\n"status#vendor" = ["ibv_wc_status"]').lines.number)
        for entry in ('[phrase]\n"a#b" = ["acme_make"]', '[number]\n"a#b#c" = ["errno"]', '[number]\n"a#b*c" = ["errno"]'):
            self.refused(entry, '"#" is where a number stands, once')

    def test_what_a_vendor_err_comes_with(self) -> None:
        self.assertEqual(self.load('[vendor_err]\n0x81 = { status = "IBV_WC_BAD", where = "a#1" }').lines.vendor_err,
                         {0x81: {"status": "IBV_WC_BAD", "where": "a#1"}})
        self.refused('[vendor_err]\nmany = { status = "IBV_WC_BAD", where = "a#1" }', "many: no number")
        self.refused_at(3, '[vendor_err]\n0x80 = { status = "IBV_WC_BAD", where = "a#1" }\n0x81 = { status = "IBV_QP_AV", where = "a#1" }\n', "IBV_QP_AV: is of another enum than the rest")


class Words(OfLore):
    header = HEADER

    def words(self, text: str) -> LineWords:
        return LineWords(self.load(text), self.api().structs())

    def test_a_transition_from_several_states_is_one_of_each(self) -> None:
        [first, second] = self.words('[prefix]\nbit = "IBV_QP_"\nstate = "IBV_QPS_"\ntype = "IBV_QPT_"\n[transition."RESET INIT -> RTR"]\n"RC UD" = [["PORT", "AV"], []]').moves
        self.assertEqual((first.source, first.target, first.types, first.needed, first.allowed),
                         ("RESET", "RTR", "RC UD", "IBV_QP_PORT|IBV_QP_AV", ""))
        self.assertEqual(second.source, "INIT")

    def test_names_are_joined(self) -> None:
        self.assertEqual(self.words('[phrase]\n"makes it" = ["acme_make", "IBV_WC_BAD"]').phrases,
                         [("makes it", "acme_make|IBV_WC_BAD")])

    def test_bounds_of_fields(self) -> None:
        [bound] = self.words('[limit]\n"acme_attr.depth" = 7').bounds
        self.assertEqual((bound.path, bound.number, bound.source), ("acme_attr.depth", 7, ""))

    def test_a_bound_is_known_by_the_inner_structure_too(self) -> None:
        self.assertEqual([b.path for b in self.words('[limit]\n"acme_attr.cap.height" = 7').bounds],
                         ["acme_attr.cap.height", "acme_cap.height"])

    def test_parameters_are_no_fields(self) -> None:
        self.assertEqual(self.words('[limit]\n"acme_make.length" = 7').bounds, [])
