# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""The numbers of enums, structures and kinds of objects: only appended to, and what they are worth to programs that were compiled."""

from __future__ import annotations

import re
from pathlib import Path
from types import SimpleNamespace

from gen.promise import entire, ids
from tests.gen.project import ROOT, InFolder, OfProject, run_gen

HEADER = "generated/include/verbsx/objects.h"
KIND = re.compile(r"VX_OBJECT_(\w+) = (\d+),")
FILE = ids.HEAD + "\n[enum]\na = 1\nb = 2\n\n[struct]\ns = 1\n\n[kind]\nctx = 1\n" + entire.END


def items(*names: str) -> list[SimpleNamespace]:
    return [SimpleNamespace(name=name, number=0) for name in names]


class File(InFolder):
    def test_is_read_and_written_alike(self) -> None:
        self.assertEqual(ids.load(self.put("ids.toml", FILE)).text(), FILE)

    def test_a_line_that_is_changed_moved_or_taken_away_stops(self) -> None:
        for was, wrong, line in (("b = 2", "b = 3", 8), ("a = 1\nb = 2", "b = 2\na = 1", 7), ("a = 1\n", "", 7),
                                 ("s = 1", "t = 2", 11), ("ctx = 1", "ctx = 0", 14)):
            with self.subTest(wrong):
                path = self.put("ids.toml", FILE.replace(was, wrong))
                self.assertIn(f"{path}:{line}: ", self.fails(lambda: ids.load(path)))


class Numbers(InFolder):
    def test_what_is_new_gets_the_next_wherever_it_is_sorted(self) -> None:
        table = {"a": 1, "b": 2}
        ids.complete("enum", ["a", "aa", "b"], table)
        self.assertEqual(table, {"a": 1, "b": 2, "aa": 3})

    def test_what_is_gone_stops(self) -> None:
        said = self.fails(lambda: ids.complete("enum", ["a"], {"a": 1, "b": 2}))
        self.assertIn("enum b: has number 2, and is no more", said)

    def test_what_only_this_machine_has_takes_none(self) -> None:
        found, table = items("a", "new"), {"a": 1, "b": 2}
        ids.give(found, table)
        self.assertEqual([item.number for item in found], [1, 0])
        self.assertEqual(ids.names(found, table), ["", "a", ""])


class Commands(OfProject):
    def edit(self, path: Path, was: str, becomes: str) -> None:
        text = path.read_text()
        self.assertIn(was, text)
        path.write_text(text.replace(was, becomes))

    def test_an_enum_that_is_new_is_appended_and_a_kind_keeps_its_number_wherever_lore_has_it(self) -> None:
        path = self.project / "gen/abi/ids.toml"
        before = ids.load(path)
        self.move_a_kind()
        self.edit(self.project / "gen/lore/verbs.toml", "[enum]\n",
                  '[enum]\naaa_new = { kind = "values", macros = ["IBV_DEVICE_RAW_SCATTER_FCS"] }\n')
        run_gen(self.project, "emit", "--quiet")
        after = ids.load(path)
        self.assertEqual(list(after.enum.items()), [*before.enum.items(), ("aaa_new", len(before.enum) + 1)])
        self.assertIn(f"#define VX_ENUM_OF_aaa_new vx_enum_by_id({len(before.enum) + 1})\n",
                      (self.project / "generated/include/verbsx/enums.h").read_text())
        kinds = KIND.findall((ROOT / HEADER).read_text())
        self.assertEqual(KIND.findall((self.project / HEADER).read_text()), [*kinds, ("LENT_PD", str(len(kinds) + 1))])

    def move_a_kind(self) -> None:
        """Another one of its type stands before it."""
        lore = self.project / "gen/lore/verbs.toml"
        line = next(line for line in lore.read_text().splitlines(True) if line.startswith("pd = "))
        self.edit(lore, line, "")
        self.edit(lore, "[object]\n", "[object]\n" + line.replace("pd = ", "lent_pd = ").replace("}", ', type = "pd" }') + line)

    def test_a_kind_that_is_gone_stops(self) -> None:
        self.edit(self.project / "gen/lore/verbs.toml", "td = { title", "tdx = { title")
        with self.assertRaisesRegex(AssertionError, "kind td: has number 14, and is no more"):
            run_gen(self.project, "emit", "--quiet")
