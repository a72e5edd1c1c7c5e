# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""The types of fields in JSON: only appended to."""

from __future__ import annotations

import subprocess
import sys
import unittest

from gen.promise import entire, json_types
from tests.gen.project import InFolder, OfProject, run_gen

NUMBER = {"$ref": "#/$defs/number"}
NULL = {"type": "null"}


def box(**members: object) -> dict[str, dict]:
    return {"box": {"type": "object", "properties": members}}


class Types(unittest.TestCase):
    def of(self, wanted: dict[str, str], **members: object) -> None:
        self.assertEqual(json_types.types(box(**members)), wanted)

    def test_a_type_is_a_word(self) -> None:
        self.of({"box.size": "number"}, size=NUMBER)
        self.of({"box.sizes": "number[]"}, sizes={"type": "array", "items": NUMBER})
        self.of({"box.size": "number?"}, size={"anyOf": [NULL, NUMBER]})
        self.of({"box.digits": "string ^[0-9]+$"}, digits={"type": "string", "pattern": "^[0-9]+$"})
        self.of({"box.name": "string?"}, name={"type": ["string", "null"]})

    def test_what_is_in_an_object_has_a_type_of_its_own(self) -> None:
        pointer = {"anyOf": [NULL, {"type": "object", "properties": {"address": {"type": "string"}, "to": NUMBER}}]}
        self.of({"box.at": "object?", "box.at.address": "string", "box.at.to": "number"}, at=pointer)

    def test_what_is_no_object_is_one_row(self) -> None:
        self.assertEqual(json_types.types({"gid": {"$ref": "#/$defs/text"}}), {"gid": "text"})

    def test_what_is_reserved_is_not_promised(self) -> None:
        self.of({"box.size": "number"}, size=NUMBER, reserved=NUMBER, rsvd2=NUMBER)


class Complete(InFolder):
    def test_what_is_new_is_appended(self) -> None:
        record = {"box.size": "number"}
        json_types.complete({"box.comp_mask": "set", "box.size": "number"}, record)
        self.assertEqual(list(record.items()), [("box.size", "number"), ("box.comp_mask", "set")])

    def test_what_nobody_has_decided_is_not_promised(self) -> None:
        record: dict[str, str] = {}
        json_types.complete({"box.size": "number", "box.at": "object?", "box.at.to": "number"}, record, {"box.at"})
        self.assertEqual(record, {"box.size": "number"})

    def test_what_is_gone_or_of_another_type_is_named(self) -> None:
        record = {"box.size": "number"}
        self.assertIn("box.size: is meaning in JSON, and was number",
                      self.fails(lambda: json_types.complete({"box.size": "meaning"}, record)))
        self.assertIn('Where box.h of a newer release of rdma-core declares the field otherwise, nobody can: then this line has to be "box.size" = "meaning"',
                      self.fails(lambda: json_types.complete({"box.size": "meaning"}, record, headers={"box": "box.h"})))
        self.assertIn("box.size: is no more in JSON, and was number", self.fails(lambda: json_types.complete({}, record)))

    def test_is_read_and_written_alike(self) -> None:
        record = {"pointer.address": "string ^0x[0-9a-f]+$", "function": '["set", null]'}
        self.assertEqual(json_types.load(self.put("json.toml", json_types.text(record))), record)


class Commands(OfProject):
    def test_lore_that_changes_a_type_stops(self) -> None:
        lore = self.project / "gen/lore/verbs.toml"
        lore.write_text(lore.read_text().replace('"ibv_mr.length" = { form = "bytes" }\n', ""))
        for command in ("emit", "check"):
            with self.assertRaisesRegex(AssertionError, "ibv_mr.length: is wide_number in JSON, and was wide_meaning"):
                run_gen(self.project, command)

    def test_a_field_that_is_missing_is_appended_and_a_check_sees_it(self) -> None:
        """As it sees each of the records that compiled programs go by."""
        numbers = self.project / "gen/abi/ids.toml"
        numbers.write_text(numbers.read_text().rsplit("\n", 3)[0] + f"\n{entire.END}")
        shapes, last = self.project / "gen/abi/structs.toml", 'checked = ["bool", 56, 1]\nreserved_ = ["uint8_t[7]", 57, 7]\n'
        self.assertIn(last, shapes.read_text())
        shapes.write_text(shapes.read_text().replace(last, "", 1))
        record = self.project / "gen/abi/json.toml"
        record.write_text(record.read_text().replace('"ibv_mr.length" = "wide_meaning"\n', ""))
        checked = subprocess.run([sys.executable, "-m", "gen", "check"], cwd=self.project, capture_output=True, text=True)
        self.assertEqual((checked.returncode, checked.stderr.splitlines()[0]), (1, "generated/ is out of date; bring it up to date with: ./dev regen"))
        self.assertEqual({f"gen/abi/{name}.toml: differs" for name in ("ids", "json", "structs")} - set(checked.stdout.splitlines()), set())
        run_gen(self.project, "emit", "--quiet")
        self.assertTrue(record.read_text().endswith(f'\n"ibv_mr.length" = "wide_meaning"\n{entire.END}'))
        self.assertIn(last, shapes.read_text())


if __name__ == "__main__":
    unittest.main()
