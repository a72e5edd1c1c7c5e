# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""Lore with one thing wrong, by the tables of bad_input/: a message on the line of the entry, and never a traceback."""

from __future__ import annotations

import unittest
from collections.abc import Callable, Iterable

from gen.api import merge
from gen.api.merge import Api, paths
from gen.errors import GenError
from gen.files import tomlfile
from gen.know import groups, lore
from gen.plan.objects.objects import plan_objects
from gen.reach import headers, known
from tests.gen.bad_input.lore import Damage, Samples
from tests.gen.project import OfLore


def names_of(api: Api) -> set[str]:
    """All that lore may refer to."""
    fields = {path for s in api.structs().values() for path, _ in paths(s.name, s.fields)}
    return {*api.enums(), *api.structs(), *api.calls(), *api.macros(), *(v.name for e in api.enums().values() for v in e.values), *fields,
            *(f"{c.name}.{p.name}" for c in api.calls().values() for p in c.params)}


class Committed(unittest.TestCase):
    """All that is committed, with one entry in another's place."""

    @classmethod
    def setUpClass(cls) -> None:
        facts = headers.committed()
        cls.api = api = merge.merge(facts, known.order(groups.load(), facts))
        cls.documents = {path: tomlfile.load(path) for path in sorted(lore.LORE.glob("*.toml"))}
        cls.checker = lore.Checker(api)
        for path in cls.documents:
            cls.checker.read(path)
        cls.checker.finish()
        cls.samples = Samples(list(cls.documents.values()), names_of(api))

    def said_of(self, damage: Damage, then: Callable[[], object] = list) -> str:
        doc = self.documents[damage.path]
        changed = tomlfile.Document(doc.path, doc.data, doc.text)
        line = doc.line(damage.table, damage.was)
        changed.lines = {**doc.lines, (damage.table, damage.key): line, (f"{damage.table}.{damage.key}".replace(" ", ""), None): line}
        store, late = self.checker.lore.of(damage.table), self.checker.late
        before = dict(store)
        for key in (damage.was, damage.key):
            store.pop(key, None)
        late.clear()
        try:
            self.checker.entries(changed, damage.table, {damage.key: damage.value})
            for check in [*late, then]:
                check()
        except GenError as e:
            return str(e)
        finally:
            store.clear()
            store.update(before)
        return "nothing"

    def all_refused(self, damages: Iterable[Damage], at_least: int) -> None:
        number = 0
        for number, damage in enumerate(damages, 1):
            with self.subTest(damage.name):
                said = self.said_of(damage)
                self.assertTrue(said.startswith(f"{damage.path}:{damage.line}: "), f"{damage.line}: {said}")
                self.assertIn(damage.words, said)
        self.assertGreater(number, at_least)

    def test_what_is_committed_is_taken(self) -> None:
        for doc in self.documents.values():
            for table, entries in doc.data.items():
                for key, entry in entries.items():
                    if table != "vendor_err":
                        self.assertEqual(self.said_of(Damage("", doc.path, table, key, entry, key, 0)), "nothing", (table, key))

    def test_values_of_other_types(self) -> None:
        self.all_refused(self.samples.other_types(), 1000)

    def test_values_that_say_nothing(self) -> None:
        self.all_refused(self.samples.empty(), 100)

    def test_blanks_of_what_the_report_proposes(self) -> None:
        self.all_refused(self.samples.blank(), 300)

    def test_events_of_another_enum(self) -> None:
        self.all_refused(self.samples.of_others(), 0)

    def test_what_is_not_so_is_not_said(self) -> None:
        self.all_refused(self.samples.untrue(), 20)

    def test_texts_with_odd_letters(self) -> None:
        self.all_refused(self.samples.odd(), 150)

    def test_texts_that_make_no_sense(self) -> None:
        self.all_refused(self.samples.no_sense(), 50)

    def test_what_is_there_and_is_not_what_is_meant(self) -> None:
        self.all_refused(self.samples.other_things(), 50)

    def test_kinds_that_cannot_be_planned(self) -> None:
        found = groups.load()
        for damage in self.samples.planned():
            with self.subTest(damage.name):
                said = self.said_of(damage, lambda: plan_objects(self.api, self.checker.lore, found))
                self.assertTrue(said.startswith(f"{damage.path}:{damage.line}: "), said)
                self.assertIn(damage.words, said)

    def test_keys_and_names_that_are_misspelt(self) -> None:
        self.all_refused(self.samples.misspelt(), 150)


class Folder(OfLore):
    header = "int acme_open(int n);"

    def test_those_in_it_have_none(self) -> None:
        (self.folder / "lore/empty.toml").mkdir(parents=True)
        self.load("")
        within = self.put("lore/more/two.toml", "")
        self.assertTrue(self.fails(lambda: self.load("")).startswith(f"{within}: lore is read of one folder"))


if __name__ == "__main__":
    unittest.main()
