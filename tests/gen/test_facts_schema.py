# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""docs/facts.schema.json: facts are as it says, and our reader takes and refuses what another reader of it does."""

from __future__ import annotations

import json
import unittest

import jsonschema

from gen.api import facts, facts_schema, schema
from gen.reach import headers
from tests.gen.bad_input.facts import WHOLE, shapes, text
from tests.gen.project import ROOT, InFolder

VALIDATOR = jsonschema.Draft202012Validator(facts_schema.SCHEMA)


def refuses(data: object) -> bool:
    try:
        schema.check(data, facts_schema.SCHEMA)
    except schema.Mismatch:
        return True
    return False


class Schema(InFolder):
    def test_the_committed_one_is_what_is_checked(self) -> None:
        self.assertEqual((ROOT / "docs/facts.schema.json").read_text(encoding="utf-8"), facts_schema.text())
        self.assertTrue(facts_schema.is_written())

    def test_it_is_a_schema(self) -> None:
        jsonschema.Draft202012Validator.check_schema(facts_schema.SCHEMA)

    def test_committed_facts_are_as_it_says(self) -> None:
        for release, path in headers.committed_paths().items():
            with self.subTest(release=release):
                VALIDATOR.validate(json.loads(path.read_text(encoding="utf-8")))

    def test_what_has_each_key_is_as_it_says(self) -> None:
        VALIDATOR.validate(WHOLE)
        found = facts.load(self.put("facts.json", text(WHOLE)))
        self.assertEqual(json.loads(facts.to_json(found)), WHOLE)

    def test_two_readers_refuse_the_same(self) -> None:
        refused = 0
        for damage in shapes():
            with self.subTest(damage.name):
                self.assertEqual(refuses(damage.data), not VALIDATOR.is_valid(damage.data))
            refused += refuses(damage.data)
        self.assertGreater(refused, 1000)


if __name__ == "__main__":
    unittest.main()
