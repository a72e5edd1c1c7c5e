# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""generated/docs/print.schema.json: the types that fields print with."""

from __future__ import annotations

import json
import unittest
from pathlib import Path

import jsonschema

SCHEMA = Path(__file__).parents[2] / "generated/docs/print.schema.json"


class Printed(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        cls.schema = json.loads(SCHEMA.read_text(encoding="utf-8"))

    def of_type(self, wanted: str, *fields: str) -> None:
        defs = self.schema["$defs"]
        found = {key: defs[key.partition(".")[0]]["properties"][key.partition(".")[2]]["$ref"] for key in fields}
        self.assertEqual(found, dict.fromkeys(fields, f"#/$defs/{wanted}"))

    def test_it_is_a_schema(self) -> None:
        jsonschema.Draft202012Validator.check_schema(self.schema)

    def test_a_structure_that_is_one_value_is_of_its_type(self) -> None:
        self.assertEqual(self.schema["$defs"]["ibv_gid"], {"$ref": "#/$defs/text"})

    def test_a_length_says_how_much_it_is(self) -> None:
        self.of_type("wide_meaning", "ibv_mr.length", "vx_buf_init.length", "vx_mr_change.length", "vx_mr_init.length")

    def test_flags_without_names_are_a_set(self) -> None:
        self.of_type("set", "ibv_flow_ipv4_ext_filter.flags", "vx_flow_ipv4.flags", "ibv_sa_mcmember_rec.join_state",
                     "hnsdv_qp_init_attr.create_flags")
        self.of_type("wide_set", "hnsdv_context.flags")

    def test_what_a_path_record_encodes_has_a_meaning(self) -> None:
        self.of_type("meaning", "ibv_path_record.mtu", "ibv_path_record.rate", "ibv_path_record.packetlifetime")

    def test_what_is_only_a_number_is_one(self) -> None:
        self.of_type("number", "vx_comp_channel.fd", "vx_ind_table.handle")


if __name__ == "__main__":
    unittest.main()
