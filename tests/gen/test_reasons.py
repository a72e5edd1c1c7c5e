# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""What explains failures: wrong lore is refused, and what the project's own lore becomes."""

from __future__ import annotations

import errno
import re
import unittest
from pathlib import Path

from gen import plan
from gen.api import facts, merge
from gen.know import groups, lore
from gen.know.lore import Lore
from gen.know.reasons import BRACES, TYPES, alternatives, owned, words
from gen.plan.explain.reasons import ReasonsPlan
from gen.reach import headers
from tests.gen.test_lore import HEADER, OfAcme

# Limits that no mistake on the devices of the tests goes beyond.
CANNOT_EXCEED = {
    "ibv_modify_cq_attr.moderate.cq_count": "mlx5 counts as many completions as 16 bits can tell",
    "ibv_reg_buf_mr ibv_reg_dm_mr ibv_reg_dmabuf_mr ibv_reg_mr ibv_reg_mr_iova ibv_reg_mr_iova2 ibv_rereg_mr.length":
        "the devices at hand allow all that there can be; unit.objects has one that does not",
}

# Sentences of which none of the devices that the page is about has the cause.
NOT_ON_THE_PAGE = {
    "the kernel had no memory for events: some are lost": "unit.mlx5",
    "the port needs a GRH in each address (IBV_QPF_GRH_REQUIRED): is_global = 1 and grh.dgid": "unit.grh",
    "the port needs a GRH in each address (IBV_QPF_GRH_REQUIRED): ah_attr.is_global = 1 and ah_attr.grh.dgid": "unit.grh",
}

SOURCE = """
struct ibv_device_attr { __u32 max_modes; };
enum ibv_qp_state { IBV_QPS_RESET, IBV_QPS_INIT };
enum ibv_qp_type { IBV_QPT_RC = 2, IBV_QPT_LAST = 28, IBV_QPT_WIDE = 29 };
enum ibv_qp_attr_mask { IBV_QP_STATE = 1, IBV_QP_PORT = 2 };
enum ibv_wq_state { IBV_WQS_RESET, IBV_WQS_RDY };
"""

PREFIX = '[prefix]\nbit = "IBV_QP_"\nstate = "IBV_QPS_"\ntype = "IBV_QPT_"\nwq_state = "IBV_WQS_"\n'
DEVICE = 'source.ibv_device_attr = { allows = "the device allows", own = "context" }\n'


class OfReasons(OfAcme):
    """As lore of a header that has a device as well."""

    header = HEADER + SOURCE

    def load(self, text: str, **others: str) -> Lore:
        return super().load(text, zzz=PREFIX, **others)


class Good(OfReasons):
    def test_good_entries_are_taken(self) -> None:
        found = self.load("""
            [source]
            ibv_device_attr = { allows = "the device allows", ask = "acme_ask(context, out)" }
            [limit]
            "acme_attr.mode" = "ibv_device_attr.max_modes"
            "acme_attr.in.n" = 7
            [index]
            "acme_attr.number" = "ibv_device_attr.max_modes"
            [fault.acme_attr]
            "slow without a handle" = ["mode is ACME_SLOW or 3", "handle is 0", "errno is EINVAL"]
            "slow by the mask" = ["mask has ACME_CAP_A", "mode is ACME_SLOW"]
            "no modes" = ["ibv_device_attr.max_modes is 0", "at once"]
            "too fast" = ["mode is beyond 7", "otherwise"]
            "not the mask's" = ["mask lacks ACME_CAP_A", "mode is 1"]
            "not alike" = ["mode is not {number}", "or", "number is {mode}"]
            "more than there are" = ["mode is beyond {ibv_device_attr.max_modes}"]
            "what it has not" = ["mode has more than {ibv_device_attr.max_modes}"]
            [suspect]
            acme_attr = ["mode", "mode beyond ACME_SLOW or ACME_FAST"]
            [product]
            acme_attr = ["mode * number"]
            [explain]
            acme_open = { first = "vx_explain_flow" }
            [locks]
            acme_open = true
            [count]
            acme_open = "ibv_device_attr.max_modes"
            [vendor_type]
            MINE = "RC"
            [transition."RESET -> INIT"]
            "RC MINE" = [["PORT"], []]
            [transition."RESET INIT -> RESET"]
            RC = [[], []]
            [wq_transition]
            RESET = ["RDY"]
        """).reasons
        self.assertEqual(found.limit["acme_attr.in.n"], 7)
        self.assertEqual(list(found.fault["acme_attr"]), ["slow without a handle", "slow by the mask", "no modes", "too fast", "not the mask's", "not alike", "more than there are", "what it has not"])
        self.assertEqual(found.transition["RESET -> INIT"]["RC MINE"], [["PORT"], []])
        self.assertEqual(found.wq_transition, {"RESET": ["RDY"]})


class Refused(OfReasons):
    def test_limit(self) -> None:
        self.refused("limit", '"acme_attr.mod" = 1', "acme_attr.mod: no such field", "mode")
        self.refused("limit", '"acme_attr.call" = 1', "is no number")
        self.refused("limit", '"acme_attr.mode" = true', "a field of one of")
        self.refused("limit", '"acme_attr.mode" = -1', "must be a number, from 0 on")
        self.refused("limit", '"acme_attr.mode" = "acme_inner.n"', "must be a field of one of")
        self.refused_at(3, DEVICE + '[limit]\n"acme_attr.mode" = "ibv_device_attr.max_mode"', "no such field")
        self.refused("index", '"acme_attr.mode" = 3', "must be a text")

    def test_count(self) -> None:
        self.refused_at(3, DEVICE + '[count]\n"acme_open acme_opne" = "ibv_device_attr.max_modes"', "acme_opne: no such function", "acme_open")
        self.refused("count", 'acme_open = "acme_attr.mode"', "must be a field of one of")

    def test_source_and_locks(self) -> None:
        self.refused("source", 'acme_attr = { ask = "acme_ask(out)" }', "lacks allows")
        self.refused("source", 'acme_att = { allows = "it allows", own = "context" }', "no such structure", "acme_attr")
        self.refused_at(3, DEVICE.replace("source.", "[source]\n") + 'acme_attr = { allows = "it allows", part = "ibv_device_attr.max_mode" }', "no such field")
        self.refused("source", 'acme_attr = { allows = "it allows", own = "0", beside = "acme_att" }', "acme_att: no such structure")
        self.refused("locks", "acme_close = true", "acme_close: no such function")

    def test_exclude(self) -> None:
        self.refused("exclude.vx_init", 'addr = ["fd"]', "fd is no part below it")
        self.refused("exclude.vx_init", 'a_part_of_twenty_four_s_s = ["all"]', "a_part_of_twenty_four_s_s: longer than 23 letters")
        many = "".join(f'p{n} = ["all"]\n' for n in range(33))
        self.refused_at(1, f"[exclude.vx_init]\n{many}", "33 parts: rows have bits for 32")

    def test_errnos(self) -> None:
        self.refused("fault.acme_open", '"why" = ["errno is EINVAL or EPERM or EIO or ENOENT or EBUSY"]', "5 errnos: a row has room for 4")

    def test_rows_of_calls(self) -> None:
        self.refused("limit", '"acme_open.nobody" = 1', "acme_open has no parameter nobody")
        self.refused("fault.acme_open", '"{nobody}" = ["errno is EINVAL"]', "acme_open has no parameter nobody", "its parameters: attr")

    def test_before(self) -> None:
        self.refused("before.acme_open", '"why not" = "!kept.mask"', "why not: kept.mask: not among what the handle keeps")
        self.refused("before.acme_open", '"why not" = "atr"', "why not: atr: neither a parameter of acme_open", "its parameters: attr")
        self.refused("before.acme_open", '"why not" = "attr.mod > ACME_SLOW"', "acme_attr.mod: no such field", "mode")
        self.refused("before.acme_open", '"why not" = "attr.mode > ACME_SLO"', "ACME_SLO: neither")
        self.refused("before.acme_open", '"why not" = 3', "must be a condition in C")
        self.refused_table('[before.acme_opne]\n"why not" = "attr"', "acme_opne: no such function", "acme_open")

    def test_fault(self) -> None:
        self.refused("fault.acme_attr", '"text" = []', "text: says nothing")
        self.refused("fault.acme_attr", '"text" = ["mode is 1", "or"]', "without a condition")
        self.refused("fault.acme_attr", '"text" = "mode is 1"', "must be a list")
        self.refused("fault.acme_attr", '"text" = ["mode equals 1"]', "no condition such as")
        self.refused("fault.acme_attr", '"text" = ["mod is 1"]', "no such field")
        self.refused("fault.acme_attr", '"text" = ["mode is ACME_FATS"]', "ACME_FATS", "ACME_FAST")
        self.refused("fault.acme_attr", '"text" = ["errno is EWHAT"]', "no such errno")
        self.refused("fault.acme_attr", '"text" = ["mask is ACME_CAP_A"]', "a mask has bits")
        self.refused("fault.acme_attr", '"text" = ["mode is beyond 1 or 2"]', "is beyond one number")
        self.refused("fault.acme_attr", '"text" = ["mode is beyond {numbr}"]', "no such field", "number")
        self.refused("fault.acme_attr", '"text" = ["mode has {number}"]', "{number}")
        self.refused("fault.acme_attr", '"text" = ["mode has more than 3"]', "bits are held against another field's")
        self.refused("fault.acme_attr", '"text" = ["mode is {number} or {mode}"]', "{number}")
        self.refused("fault.acme_attr", '"text" = ["mask has {number}"]', "{number}")
        self.refused_table('[fault.acme_attribute]\n"text" = ["mode is 1"]', "no such structure")

    def test_refuse(self) -> None:
        self.refused("refuse.acme_attr", '"text" = ["mode is not 0", "errno is EINVAL"]', "errno is not known before the call")
        self.refused("refuse.acme_attr", '"text" = ["mode is not 0", "mask has ACME_CAP_A"]', "is not known before the call")
        self.refused_at(3, DEVICE + '[refuse.acme_attr]\n"text" = ["mode is not 0", "mode is {ibv_device_attr.max_modes}"]', "ibv_device_attr.max_modes is not known before the call")
        self.refused("refuse.acme_attr", '"text" = ["mode is beyond 1"]', "the first condition must be")
        self.refused_table('[refuse.acme_attr]\n"text" = ["mode is not 0"]', "acme_attr: no kind of object is made of it by the rule")

    def test_suspect_and_explain(self) -> None:
        self.refused("suspect", 'acme_attr = ["mod"]', "no such field")
        self.refused("suspect", 'acme_attr = ["mode beyond ACME_SLO"]', "no such enumerator", "ACME_SLOW")
        self.refused("product", 'acme_attr = ["mode"]', "must be fields with * between")
        self.refused("product", 'acme_attr = ["mode * numbr"]', "no such field", "number")
        self.refused("explain", 'acme_close = { then = "vx_explain_flow" }', "no such function")

    def test_transition(self) -> None:
        self.refused_table('[transition."RESET to INIT"]\nRC = [[], []]', "must be like")
        self.refused_table('[transition."RESET -> INITT"]\nRC = [[], []]', "IBV_QPS_INITT")
        self.refused_table('[transition."RESET INITT -> INIT"]\nRC = [[], []]', "IBV_QPS_INITT")
        head = 'transition."RESET -> INIT"'
        self.refused(head, "RR = [[], []]", "IBV_QPT_RR")
        self.refused(head, 'RC = ["PORT"]', "RC: must be a list")
        self.refused(head, 'RC = [["PORT"]]', "must be two lists")
        self.refused(head, 'RC = [["PROT"], []]', "IBV_QP_PROT", "IBV_QP_PORT")
        self.refused(head, 'RC = [["PORT"], ["PORT"]]', "both needed and allowed")
        self.load(f"[{head}]\nLAST = [[], []]")
        self.refused(head, "'RC WIDE' = [[], []]", "IBV_QPT_WIDE is 29, and rows have bits for types below 29", "[unlisted]")
        rows = '\n[transition."RESET INIT -> INIT"]\nLAST = [["PORT"], []]'
        self.refused_at(2, f'[unlisted]\nIBV_QPS_INIT = "why"{rows}', "IBV_QPS_INIT: is in transitions")
        self.refused_at(2, f'[unlisted]\nIBV_QP_PORT = "why"{rows}', "IBV_QP_PORT: is in transitions")
        self.load(f'[unlisted]\nIBV_QPS_RESET = "nothing leads to it"\nIBV_QPT_LAST = "not in all"{rows}')
        self.refused("wq_transition", 'RESETT = ["RDY"]', "IBV_WQS_RESETT")
        self.refused("wq_transition", 'RESET = ["RDYY"]', "IBV_WQS_RDYY", "IBV_WQS_RDY")


class Bits(unittest.TestCase):
    def test_types_of_vendors_are_behind_all_others(self) -> None:
        text = (Path(__file__).parents[2] / "runtime/src/reason/reason_tables.h").read_text()
        numbers = [int(number) for number in re.findall(r"#define VX_QPT_\w+ (\d+)", text)]
        self.assertEqual(numbers, list(range(TYPES, 32)))


class Own(unittest.TestCase):
    """The project's lore."""

    lore: lore.Lore
    found: ReasonsPlan
    texts: dict[str, str]
    page = (Path(__file__).parents[2] / "docs" / "mistakes.md").read_text()

    @classmethod
    def setUpClass(cls) -> None:
        paths = headers.committed_paths().values()
        known = groups.load()
        api = merge.merge([facts.load(path) for path in paths], [g.name for g in known])
        cls.lore = lore.load(api)
        cls.found = plan.build(api, cls.lore, known).reasons
        cls.texts = cls.found.pool.text_of
        cls.sentences = cls.found.sentences.text_of

    def test_every_entry_has_a_row(self) -> None:
        reasons = self.lore.reasons
        self.assertEqual(len(self.found.limits),
                         sum(len(owned(key)) for key in [*reasons.limit, *reasons.index]) + len(self.found.widths))
        rows = {"BEFORE": sum(len(alternatives(c)) for texts in reasons.refuse.values() for c in texts.values()), "COUNT": sum(len(key.split()) for key in reasons.count),
                "PRODUCT": sum(len(text.split(" * ")) for texts in reasons.product.values() for text in texts)}
        for phase, count in rows.items():
            self.assertEqual(sum(f.phase == phase for f in self.found.faults), count, phase)
        self.assertEqual(len(self.found.faults) - sum(rows.values()),
                         sum(len(key.split()) * len(alternatives(c)) for key, texts in reasons.fault.items() for c in texts.values()))
        self.assertEqual(len(self.found.transitions), sum(map(len, reasons.wq_transition.values())) +
                         sum((len(key.split()) - 2) * len(rows) for key, rows in reasons.transition.items()))

    def test_every_sentence_is_in_the_catalogue_of_mistakes(self) -> None:
        for sentences in (self.lore.reasons.fault, self.lore.reasons.refuse):
            for owner, texts in sentences.items():
                for text in texts:
                    if text in NOT_ON_THE_PAGE:
                        continue
                    said = r"[^;|]+".join(map(re.escape, BRACES.split(text)[::2]))
                    self.assertTrue(re.search(said, self.page), f"{owner}: no row of docs/mistakes.md says {text!r}")

    def test_every_limit_is_in_the_catalogue_of_mistakes(self) -> None:
        reasons = self.lore.reasons
        for path, most in [*reasons.limit.items(), *reasons.index.items()]:
            if path in CANNOT_EXCEED:
                continue
            name = re.escape(reasons.called.get(path, path.partition(".")[2]))
            said = rf"the \w+ (allows|has|was made with) {re.escape(most.partition('.')[2])} = " if isinstance(most, str) else "the most is "
            self.assertTrue(re.search(rf"(?<![\w.]){name} = [^;|]+, but {said}", self.page), f"{path}: no row of docs/mistakes.md meets it")

    def test_every_product_is_in_the_catalogue_of_mistakes(self) -> None:
        for owner, products in self.lore.reasons.product.items():
            for text in products:
                first, second = map(re.escape, text.split(" * ")[:2])
                self.assertTrue(re.search(rf"{first} = \d+ with {second} = \d+", self.page), f"{owner}: no row of docs/mistakes.md tells {first} with {second}")

    def test_every_row_of_a_product_has_its_sentence_beside_the_others(self) -> None:
        texts = [(f.owner, f.text) for f in self.found.faults if f.phase == "PRODUCT"]
        runs = [text for text, before in zip(texts, [None, *texts]) if text != before]
        self.assertEqual(len(runs), len(set(texts)))

    def test_values_that_all_have_are_bits(self) -> None:
        usual = {(s.owner, self.texts[s.field]): s.usual for s in self.found.suspects}
        self.assertEqual(usual["STRUCT_ibv_qp_init_attr_ex", "qp_type"], 1 << 2 | 1 << 3 | 1 << 4)

    def test_a_part_excludes_those_below_it(self) -> None:
        parts = {p.name: p for p in self.found.exclude["vx_mr_init"]}
        self.assertEqual(parts["VX_MR_NULL"].excludes, (1 << len(parts)) - 2)
        self.assertEqual([(parts[n].used) for n in ("dm", "fd", "VX_MR_HUGE")],
                         ["init->dm", "vx_mr_is_dmabuf(init)", "init->flags & VX_MR_HUGE"])

    def test_a_type_has_at_most_one_line_for_a_transition(self) -> None:
        for name, rows in self.lore.reasons.transition.items():
            types = [t for key in rows for t in key.split()]
            self.assertEqual(len(types), len(set(types)), name)

    def test_a_fault_has_rules_by_what_it_is_about(self) -> None:
        by_text = {self.sentences[f.text]: f for f in self.found.faults}
        fault = next(f for text, f in by_text.items() if text.startswith("RoCE needs a GRH: is_global"))
        self.assertEqual([t.source for t in fault.tests], ["VX_SOURCE_OWN", "VX_SOURCE_ibv_port_attr"])

    def test_a_fault_of_a_call_looks_into_what_its_parameters_point_to(self) -> None:
        text = next(id for id, text in self.sentences.items() if text == "only QPs of type IBV_QPT_UD join groups: this one is {qp.qp_type}")
        fault = next(f for f in self.found.faults if f.text == text)
        self.assertEqual((fault.owner, [t.source for t in fault.tests]),
                         ("VX_OF_CALL | SIGNATURE_ibv_attach_mcast", ["VX_SOURCE_PARAM + 0"]))

    def test_a_fault_has_a_row_for_each_of_its_alternatives(self) -> None:
        text = next(id for id, text in self.sentences.items() if text.startswith("lid = {lid}, but those of groups"))
        rows = [f for f in self.found.faults if f.text == text]
        self.assertEqual([(len(f.tests), f.codes) for f in rows], 3 * [(2, [errno.EINVAL])])
        self.assertEqual(alternatives(["mode is 1", "n is 2", "or", "mode is 3"]), [["mode is 1", "n is 2"], ["mode is 3"]])

    def test_a_condition_is_taken_apart(self) -> None:
        found = words("ibv_port_attr.state is not IBV_PORT_DOWN or IBV_PORT_NOP")
        assert found
        self.assertEqual((found.subject, found.sign, found.values),
                         ("ibv_port_attr.state", "is not", ["IBV_PORT_DOWN", "IBV_PORT_NOP"]))
