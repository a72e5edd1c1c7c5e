# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""Fields and enumerators that a release takes away or changes, though lore and init structures are made of them: older releases are served."""

from __future__ import annotations

import tempfile
import unittest
from pathlib import Path

from gen import plan
from gen.api import merge
from gen.api.facts import Field, Group
from gen.know import groups, lore
from gen.plan import Plan
from gen.plan.model.tables import c_number
from gen.write.filled import Filled
from gen.write.render import TEMPLATES
from tests.gen.project import NEWEST, NEXT, ROOT, compile_text, with_next

OLDER = f"VX_RDMA_CORE <= {NEWEST}"


class Gone(unittest.TestCase):
    plan: Plan

    @classmethod
    def setUpClass(cls) -> None:
        facts = with_next(NEXT)
        cls.take_away(facts[-1].groups["verbs"])
        seen = facts[-1].groups["manadv"].structs["manadv_obj"]
        seen.fields = [f for f in seen.fields if f.name != "pd"]
        found = groups.load()
        api = merge.merge(facts, [g.name for g in found])
        cls.plan = plan.build(api, lore.load(api), found)
        cls.kinds = {k.name: k for k in cls.plan.objects.kinds}

    @classmethod
    def take_away(cls, verbs: Group) -> None:
        flags, attr = verbs.enums["ibv_qp_create_flags"], verbs.structs["ibv_wq_init_attr"]
        flags.values = [v for v in flags.values if v.name != "IBV_QP_CREATE_SOURCE_QPN"]
        attr.fields = [f for f in attr.fields if f.name != "max_sge"]
        dm = verbs.structs["ibv_alloc_dm_attr"]
        dm.fields = [f for f in dm.fields if f.name != "length"]
        cls.field(verbs, "ibv_qp_init_attr_ex", "source_qpn").type = "uint64_t"
        cls.field(verbs, "ibv_qp_init_attr_ex", "source_qpn").size = 8

    @staticmethod
    def field(group: Group, struct: str, name: str) -> Field:
        return next(f for f in group.structs[struct].fields if f.name == name)

    def test_a_field_is_filled_where_it_is(self) -> None:
        self.assertEqual([f.guard for f in self.kinds["wq"].fields if f.name == "max_sge"], [OLDER])

    def test_and_kept_of_it_as_well(self) -> None:
        self.assertEqual([k.guard for k in self.kinds["dm"].keeps if k.name == "length"], [OLDER])

    def test_its_default_is_the_librarys_own(self) -> None:
        """A public header cannot tell whether a program's headers have it."""
        assignments = next(d for d in self.plan.defaults if d.name == "ibv_wq_init_attr").assignments
        self.assertEqual([(a.guard, a.anywhere) for a in assignments if a.path == "max_sge"], [(OLDER, "")])

    def test_rules_and_rows_ask_for_the_release(self) -> None:
        rows = {f.row: f.guard for s in self.plan.tables.structs if s.name == "ibv_wq_init_attr" for f in s.fields}
        rules = {r.guard for r in self.plan.tables.rules if (r.c_type, r.condition.selector) == ("struct ibv_wq_init_attr", "max_sge")}
        self.assertEqual((rows["FIELD(struct ibv_wq_init_attr, max_sge, UINT)"], rules), (OLDER, {OLDER}))

    def test_what_cannot_be_viewed_any_more_has_a_function_without_it(self) -> None:
        view = next(m for m in self.kinds["pd"].methods if m.name == "vx_mana_pd_view")
        self.assertEqual((view.guard, view.until), (f"VX_RDMA_CORE >= 65 && {OLDER}", NEWEST))

    def test_and_says_which_releases_lack_it(self) -> None:
        header = Filled(lambda: self.plan, TEMPLATES).of_vendor("verbsx/mana.h")["include/verbsx/mana.h"]
        comment = header[:header.index("vx_mana_pd_view(")].rpartition("/**")[2]
        self.assertIn(f"-EOPNOTSUPP before rdma-core 65 and after {NEWEST}\n", comment)

    def test_an_enumerator_has_the_value_that_it_had(self) -> None:
        self.assertIn(("IBV_QP_CREATE_SOURCE_QPN", "1024", OLDER), self.elsewhere())

    def test_and_that_which_it_will_have(self) -> None:
        """Where a condition asks for it that stands there for all releases."""
        self.assertIn(("MLX5DV_UMEM_MASK_DMABUF", "1", "VX_RDMA_CORE >= 43"), self.elsewhere())

    def test_a_macro_of_its_name_is_left_to_mean_what_it_does(self) -> None:
        ids = Filled(lambda: self.plan, TEMPLATES).to_compile("src/ids.h.j2")["src/ids.h"]
        for macro in ("", "#define IBV_QP_CREATE_SOURCE_QPN (1 << 10)\n"):
            says = '\n_Static_assert(IBV_QP_CREATE_SOURCE_QPN == 1024, "");\n'
            with tempfile.TemporaryDirectory() as folder, self.subTest(macro):
                self.assertEqual(compile_text(macro + ids + says, ROOT / "generated", [], NEXT, Path(folder)), "")

    def test_and_all_that_names_types_of_qps_has_those_that_are_gone(self) -> None:
        filled = Filled(lambda: self.plan, TEMPLATES)
        text = filled.to_compile("src/guard_wr.c.j2")["src/guard_wr.c"]
        self.assertLess(text.index('#include "ids.h"\n'), text.index("VX_WR_TYPE("))

    def elsewhere(self) -> list[tuple[str, str, str]]:
        return [(c.name, c.value, c.guard) for c in self.plan.objects.elsewhere]

    def test_numbers_of_c(self) -> None:
        self.assertEqual([c_number(n) for n in (1, -1, 2**31, -2**40, 2**63, -2**63)],
                         ["1", "(-1)", "2147483648LL", "(-1099511627776LL)", "9223372036854775808ULL", "(-9223372036854775807LL - 1)"])

    def test_what_lore_says_of_it_is_told_with_its_line(self) -> None:
        told = {r.name: r.what for r in self.plan.remarks.said}
        self.assertRegex(told["ibv_wq_init_attr.max_sge"], rf"^gen/lore/\w+\.toml:\d+ speaks of it, and headers after release {NEWEST} have it no more")
        self.assertRegex(told["IBV_QP_CREATE_SOURCE_QPN"], r"^gen/lore/\w+\.toml:\d+ speaks of it")

    def test_and_the_line_that_settles_it(self) -> None:
        told = {r.name: (r.file, r.table, r.write) for r in self.plan.remarks.said}
        self.assertEqual(told["IBV_QP_CREATE_SOURCE_QPN"], ("gen/lore/since.toml", "until", f"IBV_QP_CREATE_SOURCE_QPN = {NEWEST}"))
        self.assertEqual(told["ibv_wq_init_attr.max_sge"], ("gen/lore/since.toml", "until", f'"ibv_wq_init_attr.max_sge" = {NEWEST}'))

    def test_a_number_stays_as_wide_as_programs_know_it(self) -> None:
        self.assertEqual([f.declaration for f in self.kinds["qp"].fields if f.name == "source_qpn"], ["uint32_t source_qpn"])


if __name__ == "__main__":
    unittest.main()
