# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""The oracle sees every sort of wrong row: in a header made for it, and in the real tables."""

from __future__ import annotations

import tempfile
import unittest
from copy import deepcopy
from dataclasses import replace
from pathlib import Path
from typing import Any

from gen.reach.releases import header_tree

from . import coverage, dwarf, headers, library, promised, tables
from .compare import differences
from .model import Witness

HEADER = """\
#include <stdint.h>
#define toy_color kernel_color /* as programs know it */
#define middle low
#define wide first
#undef wide
#define first leading
#define TOY_MACRO (1u << 31)
enum kernel_color { TOY_RED = -1, TOY_BLUE = 1ll << 40 };
enum { TOY_ALONE = 7 };
struct toy_opaque;
struct toy {
	uint8_t leading;
	uint8_t flag : 1, : 2, state : 5;
	union { uint64_t wide; struct { uint32_t low, high; }; };
	struct { const char *name; struct { uint16_t grid[2][3]; } deep; uint8_t of_pair : 3; } pair[2];
	enum kernel_color color;
	char tail[];
};
"""
TABLES = """\
enum toy_color
enumerator TOY_RED -1 33 enumerator
enumerator TOY_BLUE 1099511627776 33 enumerator
enumerator TOY_MACRO 2147483648 33 macro
enum toy_alone
enumerator TOY_ALONE 7 44 enumerator
enumerator TOY_TOMORROW 8 65 enumerator
struct toy 72 33
field first 0 1 - 33
field wide 8 8 - 33
field middle 8 4 - 33
field high 12 4 - 33
field pair 16 24 2 44
field pair.name 16 8 - 44
field pair.deep 24 12 - 44
field pair.deep.grid 24 6 2 44
field color 64 8 - 33
field tail 72 1 0 33
absent since_then 0 0 - 56
struct toy_tomorrow 0 65
absent never 0 0 - 65
"""

# What is changed in the tables, and all that the oracle must then say of release 44.
SPOILED = [
    ("TOY_RED -1", "TOY_RED 4294967295",
     "enum toy_color: TOY_RED = 18446744073709551615: 4294967295 in the table"),
    ("TOY_MACRO 2147483648", "TOY_MACRO 0", "enum toy_color: TOY_MACRO = 2147483648: 0 in the table"),
    ("TOY_MACRO", "TOY_NOTHING",
     "enum toy_color: TOY_NOTHING: in the table, since 33, but not in the headers"),
    ("TOY_ALONE 7 44", "TOY_ALONE 7 45",
     "enum toy_alone: TOY_ALONE: since 45, the table says, but 44 has it"),
    ("8 65 enumerator", "8 44 enumerator",
     "enum toy_alone: TOY_TOMORROW: in the table, since 44, but not in the headers"),
    ("enumerator TOY_RED -1 33 enumerator\n", "",
     "enum toy_color: TOY_RED = 18446744073709551615: not in the table"),
    ("struct toy 72", "struct toy 80", "struct toy: struct of 72 bytes: struct of 80 bytes in the tables"),
    ("struct toy 72", "union toy 72", "struct toy: struct of 72 bytes: union of 72 bytes in the tables"),
    ("field high 12 4", "field high 8 4",
     "struct toy: high: offset 12, size 4: offset 8, size 4 in the table"),
    ("name 16 8", "name 16 4", "struct toy: pair.name: offset 16, size 8: offset 16, size 4 in the table"),
    ("grid 24 6 2", "grid 24 2 6",
     "struct toy: pair.deep.grid: offset 24, size 6 x 2: offset 24, size 2 x 6 in the table"),
    ("tail 72 1 0", "tail 72 2 0",
     "struct toy: tail: offset 72, size 1 x 0: offset 72, size 2 x 0 in the table"),
    ("field first 0 1 - 33\n", "", "struct toy: first: not in the table"),
    ("field first", "absent first", "struct toy: first: not in the table"),
    ("field color 64 8 - 33", "field color 64 8 - 56",
     "struct toy: color: since 56, the table says, but 44 has it"),
    ("field wide", "field flag 1 1 - 33\nfield wide", "struct toy: flag: is a bit-field, but the table shows it"),
    ("absent since_then", "field since_then",
     "struct toy: since_then: in the table, since 56, but not in the headers"),
    ("struct toy_tomorrow 0", "struct toy_tomorrow 8",
     "struct toy_tomorrow: in the tables, since 65, but not in the headers"),
    ("struct toy_tomorrow 0 65", "struct toy_tomorrow 0 44",
     "struct toy_tomorrow: in the tables, since 44, but not in the headers"),
]


def toy_witness(folder: Path) -> Witness:
    """What the compiler says of the header above."""
    header = folder / "toy.h"
    header.write_text(HEADER)
    found = dwarf.read(headers.compiled(folder, ["toy.h"], folder), {header})
    headers.renamed(found, headers.renames(folder, folder / "types.c", {header}), tables.read(TABLES))
    found.macros = headers.values(folder, ["toy.h"], ["TOY_MACRO", "TOY_NOTHING"], folder)
    return found


class ToyHeader(unittest.TestCase):
    """A header with every shape that the tables can describe."""

    @classmethod
    def setUpClass(cls) -> None:
        with tempfile.TemporaryDirectory() as folder:
            cls.header = toy_witness(Path(folder))

    def test_right_tables_do_not_differ(self) -> None:
        self.assertEqual(differences(self.header, tables.read(TABLES), 44), [])

    def test_each_wrong_row_is_named_and_nothing_else(self) -> None:
        for old, new, difference in SPOILED:
            with self.subTest(old=old, new=new):
                self.assertIn(old, TABLES)
                spoiled = tables.read(TABLES.replace(old, new, 1))
                self.assertEqual(differences(self.header, spoiled, 44), [difference])

    def test_what_is_gone_may_be_in_the_tables_and_not_in_the_headers(self) -> None:
        older = TABLES.replace("enumerator TOY_MACRO", "enumerator TOY_GREEN 5 33 enumerator\nenumerator TOY_MACRO") + "struct toy_old 0 33\n"
        self.assertEqual(differences(self.header, tables.read(older), 44, {"TOY_GREEN", "toy_old"}), [])
        self.assertEqual(len(differences(self.header, tables.read(older), 44)), 2)

    def test_what_is_said_to_be_gone_and_is_there_is_seen(self) -> None:
        self.assertEqual(differences(self.header, tables.read(TABLES), 44, {"TOY_RED", "toy"}),
                         ["enum toy_color: TOY_RED: said to be gone, but 44 has it", "struct toy: said to be gone, but 44 has it"])

    def test_what_the_tables_lack_is_named(self) -> None:
        self.assertEqual(differences(self.header, Witness(), 44),
                         ["enum (of TOY_ALONE): not in the tables", "enum toy_color: not in the tables",
                          "struct toy: not in the tables"])

    def test_another_text_than_the_dump_is_refused(self) -> None:
        with self.assertRaisesRegex(ValueError, "enumerator TOY_RED"):
            tables.read("enumerator TOY_RED -1")


class RealTables(unittest.TestCase):
    """The headers of a release and of libverbsx, and the tables or what gen/abi promises with one row spoiled."""

    RELEASE = 44

    @classmethod
    def setUpClass(cls) -> None:
        include = header_tree(cls.RELEASE)
        with tempfile.TemporaryDirectory() as folder:
            cls.lines = library.dump(include, cls.RELEASE, Path(folder)).splitlines()
            cls.header = headers.read(include, cls.RELEASE, tables.read("\n".join(cls.lines)), Path(folder))
        cls.promises = promised.read()

    def found_after(self, index: int, line: str) -> list[str]:
        """The differences with another line in the place of one."""
        spoiled = [*self.lines[:index], line, *self.lines[index + 1:]]
        return differences(self.header, tables.read("\n".join(spoiled)), self.RELEASE)

    def tags(self, kind: str) -> list[str]:
        """All of a kind."""
        return [words[1] for words in map(str.split, self.lines) if words[0] == kind]

    def rows(self, kind: str, since: int) -> list[tuple[int, list[str]]]:
        """Some of the rows of a kind that this release has, with their place."""
        split = [(index, line.split()) for index, line in enumerate(self.lines)]
        rows = [row for row in split if row[1][0] == kind and int(row[1][since]) <= self.RELEASE]
        return rows[::25]

    def test_a_wrong_value_is_named(self) -> None:
        for index, words in self.rows("enumerator", 3):
            words[2] = str(int(words[2]) ^ 1)
            found = "\n".join(self.found_after(index, " ".join(words)))
            self.assertRegex(found, rf"^enum \w+: {words[1]} = \d+: ")

    def test_a_wrong_name_is_named_both_ways(self) -> None:
        for index, (kind, name, *rest) in self.rows("enumerator", 3):
            found = "\n".join(self.found_after(index, " ".join([kind, name + "_", *rest])))
            self.assertRegex(found, rf": {name}_: in the table, .* but not in the headers")
            if rest[-1] != "macro":
                self.assertRegex(found, rf": {name} = \d+: not in the table")

    def test_a_wrong_offset_or_size_is_named(self) -> None:
        for column in (2, 3):
            for index, words in self.rows("field", 5):
                words[column] = str(int(words[column]) + 1)
                found = self.found_after(index, " ".join(words))
                self.assertEqual(len(found), 1)
                self.assertRegex(found[0], rf"^struct \w+: {words[1]}: offset \d+, size .* in the table$")

    def test_a_wrong_size_of_a_structure_is_named(self) -> None:
        for index, words in self.rows("struct", 3):
            words[2] = str(int(words[2]) + 8)
            found = self.found_after(index, " ".join(words))
            self.assertRegex("\n".join(found), f"^struct {words[1]}: struct of ")

    def test_libverbsxs_own_are_compared(self) -> None:
        own = [tag for kind in ("enum", "struct") for tag in self.tags(kind) if tag.startswith("vx_")]
        for tag in own:
            found = differences(self.header, tables.read("\n".join(self.lines).replace(f" {tag}", f" {tag}_")), self.RELEASE)
            self.assertRegex("\n".join(found), f"{tag}: not in the tables")
        self.assertGreaterEqual(len(own), 45)

    def test_a_needless_excuse_is_named(self) -> None:
        self.assertIn("vx_style: said to be without a table, but has one",
                      differences(self.header, tables.read("\n".join([*self.lines, "enum vx_style"])), self.RELEASE))

    def not_promised(self, **changes: Any) -> list[str]:
        """The differences with other promises."""
        return promised.differences(self.header, replace(self.promises, **changes))

    def test_what_is_promised_holds(self) -> None:
        self.assertEqual(self.not_promised(), [])

    def test_each_wrong_type_or_place_is_named_and_nothing_else(self) -> None:
        for tag, fields in self.promises.structs.items():
            for name, row in fields.items():
                for wrong in (["other", *row[1:]], [row[0], row[1] + 1, row[2]], [row[0], row[1], row[2] + 1]):
                    found = self.not_promised(structs={**self.promises.structs, tag: {**fields, name: wrong}})
                    self.assertEqual(found, [f"struct {tag}: {name}: {row}: {wrong} in gen/abi/structs.toml"])

    def test_a_structure_that_is_left_out_is_named(self) -> None:
        for tag, fields in ((tag, fields) for tag, fields in self.promises.structs.items() if tag.startswith(promised.OWN)):
            left = {name: rows for name, rows in self.promises.structs.items() if name != tag}
            self.assertEqual(len(self.not_promised(structs=left)), len(fields))

    def test_a_wrong_number_of_a_kind_is_named(self) -> None:
        self.assertEqual(self.not_promised(kinds={**self.promises.kinds, "qp": 99}),
                         ["enum vx_object_kind: VX_OBJECT_QP = 12: 99 in gen/abi/ids.toml"])

    def test_an_enum_that_is_read_wrongly_or_left_out_is_named(self) -> None:
        for tag, values in self.promises.enums.items():
            left = {name: rows for name, rows in self.promises.enums.items() if name != tag}
            for enums in (left, {**left, tag: {name: value + 1 for name, value in values.items()}}):
                found = self.not_promised(enums=enums)
                self.assertEqual([line.split(":")[0] for line in found], [f"enum {tag}"])

    def test_what_is_no_longer_seen_is_named(self) -> None:
        fewer = deepcopy(self.header)
        del fewer.enums["vx_mr_flags"], fewer.records["ibv_ah_attr"]
        self.assertRegex("\n".join(coverage.lost(fewer, 44)), r"\[own\] enums: \d+ are compared, and \d+ were")
        self.assertRegex("\n".join(coverage.lost(fewer, 44)), r"\[44\] structures: \d+ are compared, and \d+ were")


if __name__ == "__main__":
    unittest.main()
