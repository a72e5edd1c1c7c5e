# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""Types, states and bits of QPs that a newer release brings: their transitions are left out for headers that lack them."""

from __future__ import annotations

import subprocess
import unittest
from collections.abc import Iterable
from copy import copy

from gen import plan
from gen.api import merge
from gen.api.facts import Enumerator, Field
from gen.know import groups, lore
from gen.know.remarks import Remarks
from gen.plan import Plan
from gen.plan.enums.enums import plan_enums
from gen.plan.remarks.values import ValueRemarks
from gen.plan.when.transitions import Term, Transition, plan_transitions
from gen.write import templating
from tests.gen.project import CONFIG, NEWEST, NEXT, ROOT, InFolder, header_tree, values_of, with_next

NEWER = f"VX_RDMA_CORE >= {NEXT}"


def unused(enum: str, values: Iterable[int]) -> int:
    """The first that no enumerator of the newest release has."""
    return next(value for value in values if value not in values_of(enum))


NEW = {"ibv_qp_type": Enumerator("IBV_QPT_NEW", unused("ibv_qp_type", range(11, 31))),
       "ibv_qp_state": Enumerator("IBV_QPS_NEW", unused("ibv_qp_state", range(8, 31))),
       "ibv_qp_attr_mask": Enumerator("IBV_QP_NEW", unused("ibv_qp_attr_mask", (1 << bit for bit in range(27, 31))))}

TYPES = {v.name for v in with_next(NEXT)[-1].groups["verbs"].enums["ibv_qp_type"].values}
SHORT = next(name for name in ("SRD", "DCT") if f"IBV_QPT_{name}" not in TYPES)
OF_VENDOR = Enumerator(f"IBV_QPT_{SHORT}", unused("ibv_qp_type", range(NEW["ibv_qp_type"].value + 1, 32)))
OF_HANDLE = Enumerator("IBV_QP_INIT_ATTR_NEW", unused("ibv_qp_init_attr_mask", (1 << bit for bit in range(9, 31))))


class Newer(InFolder):
    plan: Plan

    @classmethod
    def setUpClass(cls) -> None:
        facts = with_next(NEXT)
        for name, value in NEW.items():
            facts[-1].groups["verbs"].enums[name].values.append(value)
        facts[-1].groups["verbs"].enums["ibv_qp_type"].values += [Enumerator("IBV_QPT_WIDE", 0x40), copy(OF_VENDOR)]
        attr = facts[-1].groups["verbs"].structs["ibv_qp_init_attr_ex"]
        attr.fields.append(Field("new_cntr", "struct ibv_comp_cntr *", "pointer", attr.size, 8, ref="ibv_comp_cntr"))
        facts[-1].groups["verbs"].enums["ibv_qp_init_attr_mask"].values.append(copy(OF_HANDLE))
        found = groups.load()
        api = merge.merge(facts, [g.name for g in found])
        said = lore.load(api)
        said.guard["ibv_qp_init_attr_ex.comp_mask"][OF_HANDLE.name] = ["new_cntr"]
        said.reasons.transition = {"RESET -> INIT": {"RC NEW": [["PORT", "NEW"], ["NEW"]], "NEW DCI": [[], []]},
                                   "INIT -> RTR": {"NEW": [["PORT", "NEW"], []]}, "RTR NEW -> RTS": {"RC": [[], []]}, "SQE -> RTS": {SHORT: [[], []]},
                                   "RTS -> LACKING": {"RC": [[], []]}, "RTS -> RTS": {"LACKING": [[], []], "RC": [["LACKING"], []]}}
        said.reasons.ignored = {"NEW": ["PORT"], "RC": ["NEW", "PORT"], "LACKING": ["PORT"]}
        cls.plan = plan.build(api, said, found)

    def row(self, source: str, target: str, place: int = 0) -> Transition:
        ends = f"IBV_QPS_{source}", f"IBV_QPS_{target}"
        return [r for r in self.plan.reasons.transitions if (r.source, r.target) == ends][place]

    def test_a_row_without_them_is_of_all_headers(self) -> None:
        row = self.row("RESET", "INIT")
        self.assertEqual((row.guard, row.types), ("", [Term("TYPE(IBV_QPT_RC)"), Term("TYPE(IBV_QPT_NEW)", NEWER)]))
        self.assertEqual((row.required, row.optional),
                         ([Term("IBV_QP_PORT"), Term("IBV_QP_NEW", NEWER)], [Term("IBV_QP_NEW", NEWER)]))

    def test_a_row_of_new_types_alone_is_of_newer_headers(self) -> None:
        row = self.row("INIT", "RTR")
        self.assertEqual((row.guard, row.types), (NEWER, [Term("TYPE(IBV_QPT_NEW)")]))
        self.assertEqual(row.required, [Term("IBV_QP_PORT"), Term("IBV_QP_NEW")])

    def test_types_of_vendors_are_of_all_headers(self) -> None:
        row = self.row("RESET", "INIT", 1)
        self.assertEqual((row.guard, row.types), ("", [Term("TYPE(IBV_QPT_NEW)", NEWER), Term("TYPE(VX_QPT_DCI)")]))

    def test_a_type_that_was_a_vendors_is_what_headers_call_so(self) -> None:
        self.assertEqual(self.row("SQE", "RTS").types, [Term(f"TYPE({OF_VENDOR.name})")])

    def test_a_type_that_was_a_vendors_is_left_out_for_headers_that_lack_it(self) -> None:
        """As one that is new: rows have numbers of their own for types that no headers have."""
        facts = with_next(NEXT)
        facts[-1].groups["verbs"].enums["ibv_qp_type"].values.append(copy(OF_VENDOR))
        api = merge.merge(facts, [g.name for g in groups.load()])
        said = lore.load(api)
        said.reasons.transition = {"RESET -> INIT": {f"DCI {SHORT}": [[], []]}, "INIT -> RTR": {SHORT: [[], []]}}
        merge.keep_only(api, merge.Names.of(facts[-2]), NEWEST)
        rows = [r.types for r in plan_transitions(api, said)[0] if r.source.startswith("IBV_QPS_")]
        self.assertEqual(rows, [[Term("TYPE(VX_QPT_DCI)")]])

    def test_the_bit_of_a_handle_is_there_for_all_headers(self) -> None:
        """Whether the mask has it and there is none is asked whatever they are."""
        self.assertTrue(any(f.bit == OF_HANDLE.name for k in self.plan.objects.types for f in k.uses))
        self.assertEqual([(c.value, c.guard) for c in self.plan.objects.elsewhere if c.name == OF_HANDLE.name], [(str(OF_HANDLE.value), NEWER)])

    def test_each_state_has_a_row_of_its_own(self) -> None:
        self.assertEqual((self.row("RTR", "RTS").guard, self.row("NEW", "RTS").guard), ("", NEWER))

    def test_what_no_headers_have_is_left_out(self) -> None:
        """Lore of all releases is planned with the names of one tree."""
        row = self.row("RTS", "RTS")
        self.assertEqual((row.types, row.required), ([Term("TYPE(IBV_QPT_RC)")], []))
        self.assertFalse([r.target for r in self.plan.reasons.transitions if r.target == "IBV_QPS_LACKING"])

    def test_what_kernels_ignore_is_left_out_as_well(self) -> None:
        self.assertEqual([(r.type, r.guard, r.bits) for r in self.plan.reasons.ignored],
                         [("IBV_QPT_NEW", NEWER, [Term("IBV_QP_PORT")]),
                          ("IBV_QPT_RC", "", [Term("IBV_QP_NEW", NEWER), Term("IBV_QP_PORT")])])

    def test_a_type_that_rows_have_no_bit_for_is_to_be_unlisted(self) -> None:
        remarks = Remarks()
        ValueRemarks(self.plan.api, self.plan.lore, self.plan.enums, remarks).add()
        self.assertEqual([(r.table, r.write) for r in remarks.said if r.name == "IBV_QPT_WIDE" and r.table != "meaning"],
                         [("unlisted", 'IBV_QPT_WIDE = "..."')])

    def test_older_and_newer_headers_compile(self) -> None:
        text = templating.environment(ROOT / "templates").get_template("src/transitions.c.j2").render(plan=self.plan, template="")
        tree = header_tree(NEWEST)
        added = [f"-D{v.name}={v.value}" for v in (*NEW.values(), OF_VENDOR)]
        for release, names in ((NEXT - 1, []), (NEXT, added)):
            self.put("verbsx/config.h", CONFIG.format(release=release))
            done = subprocess.run(["gcc", "-std=gnu11", "-fsyntax-only", "-Wall", "-Wextra", "-Werror", *names, f"-I{self.folder}",
                                   *(f"-I{ROOT / part}" for part in ("generated/include", "generated/src", "runtime/include", "runtime/src")),
                                   f"-isystem{tree}", "-x", "c", "-"], input=text, capture_output=True, text=True)
            self.assertEqual(done.stderr, "", release)


class Bits(unittest.TestCase):
    """A bit of which no transition says whether it needs or allows it."""

    def planned(self, new: Enumerator = NEW["ibv_qp_attr_mask"], **unlisted: str) -> tuple[list[list[Term]], list[str]]:
        """What each transition allows beside of bits of the newest release, and what the report says of the new bit."""
        facts = with_next(NEXT)
        facts[-1].groups["verbs"].enums["ibv_qp_attr_mask"].values.append(new)
        api = merge.merge(facts, [g.name for g in groups.load()])
        said, found = lore.load(api), Remarks()
        said.reasons.unlisted |= unlisted
        ValueRemarks(api, said, plan_enums(api, said, Remarks(), []), found).add()
        return [r.optional for r in plan_transitions(api, said)[0] if "VX_QPT_WQ" not in r.types[0].text], [f"{r.table} {r.write}" for r in found.said if r.name == "IBV_QP_NEW" and r.table != "meaning"]

    def test_is_wrong_in_none_and_is_to_be_decided(self) -> None:
        optional, told = self.planned()
        self.assertEqual([bits for bits in optional if Term("IBV_QP_NEW", NEWER) not in bits], [])
        self.assertEqual(told, ['unlisted IBV_QP_NEW = "..."'])
        self.assertNotIn("IBV_QP_CAP", {bit.text for bits in optional for bit in bits})  # as all releases have it, and lore says of it that it is in none

    def test_is_settled_by_a_reason(self) -> None:
        optional, told = self.planned(IBV_QP_NEW="what it is allowed with is not known")
        self.assertEqual((all(Term("IBV_QP_NEW", NEWER) in bits for bits in optional), told), (True, []))

    def test_beyond_the_mask_is_in_none_and_nothing_to_decide(self) -> None:
        optional, told = self.planned(Enumerator("IBV_QP_NEW", 1 << 40))
        self.assertEqual(([bits for bits in optional if Term("IBV_QP_NEW", NEWER) in bits], told), ([], []))


class Told(unittest.TestCase):
    """What the report says of a new type and a new state, until lore has all that others have."""

    def told(self, **pasted: dict[str, list[list[str]]]) -> dict[str, list[str]]:
        facts = with_next(NEXT)
        for name in ("ibv_qp_type", "ibv_qp_state"):
            facts[-1].groups["verbs"].enums[name].values.append(NEW[name])
        api = merge.merge(facts, [g.name for g in groups.load()])
        said, found = lore.load(api), Remarks()
        rows = said.reasons.transition
        said.reasons.transition = {**{key: {**of, **rows.get(key, {})} for key, of in pasted.items()}, **{key: of for key, of in rows.items() if key not in pasted}}
        ValueRemarks(api, said, plan_enums(api, said, Remarks(), []), found).add()
        return {name: [f"{r.table} {r.write}" for r in found.said if r.name == name and r.table != "meaning"] for name in ("IBV_QPT_NEW", "IBV_QPS_NEW")}

    def test_a_type_has_a_line_for_each_transition_of_others(self) -> None:
        lines = self.told()["IBV_QPT_NEW"]
        self.assertIn('transition."RESET -> INIT" NEW = [["PKEY_INDEX", "PORT", "ACCESS_FLAGS"], []]', lines)  # in the order of files of lore
        self.assertTrue(any(line.startswith('transition."RTR -> RTS" NEW = [["TIMEOUT", ') for line in lines), lines)
        self.assertEqual(len([line for line in lines if line.endswith('-> ERR" NEW = [[], []]')]), 1)
        self.assertEqual(len(lines), len({line.partition(" NEW = ")[0] for line in lines}))

    def test_what_is_left_is_told_when_some_are_there(self) -> None:
        every = self.told()["IBV_QPT_NEW"]
        left = self.told(**{"RTR -> RTS": {"NEW": [[], []]}})["IBV_QPT_NEW"]
        self.assertEqual(left, [line for line in every if '"RTR -> RTS"' not in line])

    def test_a_state_is_reached_and_left(self) -> None:
        types = '"RC UC UD XRC_SEND XRC_RECV RAW_PACKET" = [[], []]'
        there, back = f'transition."RTS -> NEW" {types}', f'transition."NEW -> RESET" {types}'
        self.assertEqual(self.told()["IBV_QPS_NEW"], [there, back])
        self.assertEqual(self.told(**{"NEW -> RESET": {"RC": [[], []]}})["IBV_QPS_NEW"], [there])
        self.assertEqual(self.told(**{"SQD -> NEW": {"RC": [[], []]}})["IBV_QPS_NEW"], [back])


if __name__ == "__main__":
    unittest.main()
