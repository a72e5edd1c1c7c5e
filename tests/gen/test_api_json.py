# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""generated/api.json: what docs/api.schema.json promises, and nothing missing."""

from __future__ import annotations

import copy
import json
import unittest
from pathlib import Path

import jsonschema

from gen.reach import headers

ROOT = Path(__file__).parents[2]


def load(path: str) -> dict:
    return json.loads((ROOT / path).read_text(encoding="utf-8"))


class ApiJson(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        cls.api = load("generated/api.json")
        cls.validator = jsonschema.Draft202012Validator(load("docs/api.schema.json"))

    def test_schema_is_a_schema(self) -> None:
        jsonschema.Draft202012Validator.check_schema(load("docs/api.schema.json"))

    def test_it_is_what_the_schema_says(self) -> None:
        self.assertEqual([e.message for e in self.validator.iter_errors(self.api)], [])

    def test_schema_notices_a_wrong_type_and_an_unknown_key(self) -> None:
        broken = copy.deepcopy(self.api)
        broken["enums"]["ibv_mtu"]["since"] = "long ago"
        broken["structs"]["ibv_sge"]["colour"] = "blue"
        self.assertEqual(len(list(self.validator.iter_errors(broken))), 2)

    def test_schema_explains_each_word_of_what_something_is(self) -> None:
        for where in ("enumerator", "struct", "field"):
            words = load("docs/api.schema.json")["$defs"][where]["properties"]["is"]
            for word in words["items"]["enum"]:
                self.assertIn(f"{word}: ", words["description"], where)

    def test_readers_that_keep_53_bits_of_a_number_keep_all(self) -> None:
        self.assertEqual(self.api["macros"]["RDMA_IB_IP_PS_MASK"]["value"], "18446744073709486080")
        broken = copy.deepcopy(self.api)
        broken["enums"]["ibv_mtu"]["values"][0]["value"] = 2**53 + 1
        broken["macros"]["RDMA_IB_IP_PS_MASK"]["value"] = 18446744073709486080
        broken["structs"]["mlx5dv_devx_umem_in"]["default"]["pgsz_bitmap"] = 0x7ffffffffffff000
        self.assertEqual(len(list(self.validator.iter_errors(broken))), 3)

    def test_it_has_all_that_the_newest_facts_have(self) -> None:
        facts = headers.committed()[-1]
        names = {v["name"] for e in self.api["enums"].values() for v in e["values"]}
        for group in facts.groups.values():
            for enum in group.enums.values():
                self.assertLessEqual({v.name for v in enum.values}, names, enum.name)
            self.assertLessEqual(set(group.calls), set(self.api["calls"]))
            self.assertLessEqual(set(group.macros), set(self.api["macros"]))

    def test_references_lead_somewhere(self) -> None:
        def check(fields: list[dict]) -> None:
            for f in fields:
                for key, table in (("enum", "enums"), ("struct", "structs"), ("code", "codes")):
                    if key in f:
                        self.assertIn(f[key], self.api[table], f["name"])
                check(f.get("fields", []))

        for struct in self.api["structs"].values():
            check(struct.get("fields", []))


if __name__ == "__main__":
    unittest.main()
