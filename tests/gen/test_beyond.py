# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""Fields that no row of a table can describe: they are named, told of, and not printed."""

from __future__ import annotations

import json
import unittest

from gen import plan
from gen.api import merge
from gen.fast.record import changed
from gen.know import lore
from gen.know.groups import HeaderGroup
from gen.plan import Plan
from gen.plan.documents.api import to_json
from gen.plan.documents.printed import definitions
from gen.plan.structs.structs import FieldPlan, StructPlan
from tests.gen.project import OfHeaders


class Beyond(OfHeaders):
    def struct(self, members: str, said: str = "") -> StructPlan:
        self.put("acme.h", f"struct s {{ int first; {members} }};")
        group = HeaderGroup("acme", ["acme.h"], "libacme.so.1")
        api = merge.merge([self.scan_all([group])], ["acme"])
        self.put("lore/one.toml", said)
        self.plan: Plan = plan.build(api, lore.load(api, self.folder / "lore"), [group])
        return next(s for s in self.plan.tables.structs if s.name == "s")

    def fields(self, members: str) -> dict[str, FieldPlan]:
        return {f.name: f for f in self.struct(members).fields}

    def rows(self, members: str) -> dict[str, str]:
        return {name: f.row for name, f in self.fields(members).items()}

    def test_a_structure_that_was_only_declared_has_a_size_since_it_is_defined(self) -> None:
        group = HeaderGroup("acme", ["acme.h"], "libacme.so.1")
        found = []
        for release, text in ((44, "struct s;\nint of(struct s *s);"), (65, "struct s { int first; };\nint of(struct s *s);")):
            self.put("acme.h", text)
            found.append(changed(self.scan_all([group]), release=release))
        api = merge.merge(found, ["acme"])
        self.assertEqual(api.structs()["s"].since, 44)
        made: Plan = plan.build(api, lore.load(api, self.put("lore/one.toml", "").parent), [group])
        self.assertEqual([s.since for s in made.tables.structs if s.name == "s"], [65])

    def test_a_bit_field_is_named(self) -> None:
        self.assertEqual(self.fields("unsigned a : 3;")["a"].kind, "BITS")
        self.assertIn('"name": "a", "type": "unsigned int", "kind": "bits"', json.dumps(json.loads(to_json(self.plan))))
        self.assertNotIn("a", definitions(self.plan)["s"]["properties"])

    def test_it_is_told(self) -> None:
        self.struct("unsigned a : 3;")
        self.assertEqual([(r.name, r.what) for r in self.plan.remarks.said],
                         [("s.a", "named, but not printed: C tells no offset of a bit-field")])

    def test_until_lore_says_that_it_is_so(self) -> None:
        for members, name in (("unsigned a : 3;", "s.a"), ("struct { int b; short c[4000]; } in[2];", "s.in.c")):
            self.struct(members)
            told = next(r for r in self.plan.remarks.unsettled if r.name == name)
            self.assertEqual((told.file, told.table), ("gen/lore/acme.toml", "skip"))
            self.struct(members, f"[skip]\n{told.write}\n")
            self.assertNotIn(name, [r.name for r in self.plan.remarks.said])

    def test_what_has_too_many_elements_has_no_row(self) -> None:
        rows = self.rows("short fits[1022]; short more[1023];")
        self.assertTrue(rows["fits"].startswith("ARRAY("), rows)
        self.assertEqual(rows["more"], "ABSENT(more)")

    def test_what_is_too_large_has_no_row(self) -> None:
        rows = self.rows("char fits[2047]; char more[2048];")
        self.assertTrue(rows["fits"].startswith("FIELD("), rows)
        self.assertEqual(rows["more"], "ABSENT(more)")

    def test_nothing_of_a_structure_that_is_too_large_has_a_row(self) -> None:
        s = self.struct("char a[20000]; char b[20000];")
        self.assertEqual(({f.row for f in s.fields}, s.beyond), ({"ABSENT(first)", "ABSENT(a)", "ABSENT(b)"}, True))


if __name__ == "__main__":
    unittest.main()
