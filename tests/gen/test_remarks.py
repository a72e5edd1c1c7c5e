# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""What was guessed or left out: where it stands, how it reads, and that what it says to write is lore."""

from __future__ import annotations

import json
import tomllib
import unittest

from gen.know import places, remarks
from gen.know.remarks import Remark, Remarks
from tests.gen.project import InFolder

HEADER = """\
/* struct acme_attr { is not here */
struct acme_attr;
enum acme_e {
\tACME_A, /* ACME_B */
\tACME_B,
};
struct acme_other { int flags; };
struct acme_attr {
\tint x;
\tunion { int flags; } inner;
};
#define ACME_C 3
int acme_call(struct acme_attr *attr);
"""


class Lines(InFolder):
    def test_a_name_is_found_where_it_is_declared(self) -> None:
        text = places.source(self.put("acme.h", HEADER))
        for name, line in (("acme_attr", 8), ("acme_attr.inner.flags", 10), ("ACME_B", 5), ("ACME_C", 12),
                           ("acme_call", 13), ("acme_e", 3), ("nowhere", 0)):
            with self.subTest(name):
                self.assertEqual(places.line_of(text, name), line)

    def test_a_field_is_found_in_the_part_that_has_it(self) -> None:
        text = "struct acme_x {\n\tint num;\n\tstruct {\n\t\tint num;\n\t\tunion {\n\t\t\tint a;\n\t\t} last;\n\t} one, *other;\n\tint a;\n};\n"
        for name, line in (("acme_x.num", 2), ("acme_x.one", 8), ("acme_x.one.num", 4), ("acme_x.other.num", 4), ("acme_x.one.last.a", 6)):
            with self.subTest(name):
                self.assertEqual(places.line_of(text, name), line)

    def test_remarks_come_in_the_order_of_headers_and_lines(self) -> None:
        self.put("infiniband/b.h", HEADER)
        told = Remarks()
        for header, name in (("z.h", "z"), ("infiniband/b.h", "acme_call"), ("infiniband/b.h", "ACME_B"), ("z.h", "z")):
            told.add(header, name, "left out")
        places.place(told, self.folder, ["infiniband/b.h", "z.h"])
        self.assertEqual([r.place for r in told.said], ["infiniband/b.h:5", "infiniband/b.h:13", "z.h"])


class Forms(unittest.TestCase):
    def setUp(self) -> None:
        self.told = Remarks()
        self.told.lore("acme", "acme.h", "s.b", "taken for a number", "field", '"s.b" = { form = "plain" }')
        self.told.lore("acme", "acme.h", "s.a", "taken for a number", "field", '"s.a" = { form = "plain" }')
        self.told.add("acme.h", "f", "no library exports it", note=True)

    def test_text_says_where_to_write_what(self) -> None:
        self.assertEqual(list(remarks.text(self.told.said[:1])), [
            "acme.h: s.b: taken for a number", '    gen/lore/acme.toml: [field] "s.b" = { form = "plain" }'])

    def test_lore_is_toml_with_each_table_once(self) -> None:
        self.assertEqual(tomllib.loads(remarks.lore(self.told.said)),
                         {"field": {"s.a": {"form": "plain"}, "s.b": {"form": "plain"}}})

    def test_lore_tells_the_file_of_each_line_and_what_it_settles(self) -> None:
        self.told.lore("other", "acme.h", "t.a", "taken for text", "field", '"t.a" = { text = true }')
        self.assertEqual(remarks.lore(self.told.said), """\
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB

[field]
# gen/lore/acme.toml: [field]
# acme.h: s.b: taken for a number
"s.b" = { form = "plain" }
# acme.h: s.a: taken for a number
"s.a" = { form = "plain" }
# gen/lore/other.toml: [field]
# acme.h: t.a: taken for text
"t.a" = { text = true }
""")

    def test_what_several_lines_of_lore_ask_for_is_to_be_written_once(self) -> None:
        for place in ("gen/lore/b.toml:1", "gen/lore/b.toml:2"):
            self.told.add("acme.h", "A", f"{place} speaks of it", "gen/lore/since.toml", "until", "A = 65")
        self.assertEqual(remarks.lore(self.told.said).count("A = 65"), 1)

    def test_json_has_all_that_there_is(self) -> None:
        found = json.loads(remarks.to_json(self.told.said))
        self.assertEqual(found[2], {"header": "acme.h", "name": "f", "what": "no library exports it", "note": True})
        self.assertEqual(remarks.to_json([]), "[]\n")

    def test_what_is_only_noted_is_counted(self) -> None:
        self.assertEqual(remarks.counts_unlisted(self.told, ""), "2 to decide, 1 noted: ./dev report lists the former, with --all both")
        self.assertEqual(remarks.counts_unlisted(self.told, "--installed"), "2 to decide, 1 noted: ./dev report --installed lists the former, with --all both")

    def test_what_was_listed_is_not_sent_to_again(self) -> None:
        self.assertEqual(remarks.counts_listed(self.told, False), "2 to decide, 1 noted: --all lists these as well")
        self.assertEqual(remarks.counts_listed(self.told, True), "2 to decide, 1 noted")


if __name__ == "__main__":
    unittest.main()
