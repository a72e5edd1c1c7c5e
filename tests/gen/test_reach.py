# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""How far the numbers in tables reach: names grow, and what cannot grow stops with its count."""

from __future__ import annotations

import unittest

from gen import plan
from gen.api import merge
from gen.know import lore
from gen.know.groups import HeaderGroup
from gen.plan import Plan
from tests.gen.project import OfHeaders


class Reach(OfHeaders):
    def planned(self, header: str) -> Plan:
        self.put("acme.h", header)
        group = HeaderGroup("acme", ["acme.h"], "libacme.so.1")
        api = merge.merge([self.scan_all([group])], ["acme"])
        self.put("lore/none.toml", "")
        return plan.build(api, lore.load(api, self.folder / "lore"), [group])

    def test_few_names_take_16_bits(self) -> None:
        self.assertFalse(self.planned("enum few { ONE, TWO };").wide_names)

    def test_many_names_of_enumerators_take_32(self) -> None:
        self.assertTrue(self.planned("enum many { " + ", ".join(f"ENUMERATOR_NUMBER_{n}" for n in range(3000)) + " };").wide_names)

    def test_so_do_many_of_fields(self) -> None:
        fields = " ".join(f"int field_with_a_name_and_number_{n};" for n in range(2000))
        self.assertTrue(self.planned(f"struct many {{ {fields} }};").wide_names)

    def test_more_structures_than_fields_can_refer_to_stop(self) -> None:
        said = self.fails(lambda: self.planned(" ".join(f"struct s{n} {{ int a; }};" for n in range(2100))))
        self.assertRegex(said, r"^2\d+ structures and calls: the tables have numbers for 2046")


if __name__ == "__main__":
    unittest.main()
