# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""The reference pages: what they say of a field, and that no default is missing."""

from __future__ import annotations

import re
import unittest

from gen.plan import Plan
from gen.plan.documents.reference import FieldLine, field_lines
from tests.gen.project import ROOT
from tests.gen.test_wrapped import planned


class Defaults(unittest.TestCase):
    plan: Plan
    pages: dict[str, list[FieldLine]]

    @classmethod
    def setUpClass(cls) -> None:
        cls.plan = planned()
        cls.pages = field_lines(cls.plan)

    def default(self, struct: str, field: str) -> str:
        return next(line.default for line in self.pages[struct] if line.name == field)

    def test_a_value_is_shown_as_lore_has_it(self) -> None:
        self.assertEqual(self.default("ibv_qp_attr", "path_mtu"), "IBV_MTU_1024")
        self.assertEqual(self.default("ibv_qp_attr", "timeout"), "14")
        self.assertEqual(self.default("ibv_qp_attr", "qkey"), "")

    def test_nobody_may_reach_memory_who_was_not_let(self) -> None:
        self.assertEqual(self.default("ibv_qp_attr", "qp_access_flags"), "")

    def test_of_a_structure_inside_its_fields_are_named(self) -> None:
        self.assertEqual(self.default("ibv_qp_attr", "ah_attr"), "grh.hop_limit = 64, port_num = 1")

    def test_a_size_and_a_truth_are_words(self) -> None:
        self.assertEqual(self.default("ibv_flow_attr", "size"), "its size")
        self.assertEqual(self.default("mlx5dv_crypto_attr", "encrypt_on_tx"), "true")

    def test_only_what_must_be_zero_is_said_to(self) -> None:
        said = {f"{struct}.{line.name}": line.means for struct, lines in self.pages.items() for line in lines}
        self.assertIn("must be zero", said["ibv_qp_attach_comp_cntr_attr.comp_mask"])
        self.assertNotIn("must be zero", said["vx_path.dqpn"])

    def test_none_is_missing(self) -> None:
        for struct, values in self.plan.lore.default.items():
            shown = [d for line in self.pages[struct] if line.default for d in line.default.split(", ")]
            self.assertEqual(len(shown), len(values), struct)


class Objects(unittest.TestCase):
    def test_a_table_of_an_init_structure_begins_with_its_mask(self) -> None:
        own_masks = {f"vx_{k.name}_init": k.mask for k in planned().objects.kinds}
        tables = re.findall(r"^\| `struct (vx_\w+_init)` \| \|\n\|---\|---\|\n(.*)$", (ROOT / "generated/docs/objects.md").read_text(), re.MULTILINE)
        self.assertGreater(len(tables), 10)
        masks = {name: own_masks.get(name, "comp_mask") for name, _ in tables}
        self.assertEqual([name for name, first in tables if f" {masks[name]}` |" not in first], [])
        self.assertEqual({name: mask for name, mask in masks.items() if mask != "comp_mask"},
                         {f"vx_mlx5_sched_{place}_init": "flags" for place in ("leaf", "node")}, "the mask of struct mlx5dv_sched_attr")


    def test_no_page_is_without_a_name(self) -> None:
        self.assertEqual(re.findall(r"^.*\| \(3\) \|.*$", (ROOT / "generated/docs/objects.md").read_text(), re.MULTILINE), [])


if __name__ == "__main__":
    unittest.main()
