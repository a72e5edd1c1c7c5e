# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""since.toml: each line is about something that appeared after 33, and nothing lacks a line that may be of any of several releases."""

from __future__ import annotations

import itertools
import tomllib
import unittest
from collections.abc import Iterator

from gen.api import facts, merge
from gen.api.facts import Facts
from gen.diff import diff
from gen.know import groups, lore
from gen.paths import LORE
from gen.reach import headers
from tests.gen.project import gen, header_tree

PATH = LORE / "since.toml"
TABLES: dict[str, dict[str, int]] = tomllib.loads(PATH.read_text())
SINCE = TABLES["since"]


class Since(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        cls.releases = [facts.load(path) for path in headers.committed_paths().values()]

    def test_one_line_each_in_order(self) -> None:
        for name, table in TABLES.items():
            lines = PATH.read_text().partition(f"[{name}]\n")[2].partition("\n[")[0].splitlines()
            self.assertEqual([line.split(" = ")[0].strip('"') for line in lines if line], sorted(table))

    def test_each_lies_between_the_release_that_lacks_and_the_one_that_has_it(self) -> None:
        for old, new in itertools.pairwise(self.releases):
            public = renames(new)
            added = {rename(c.name, public) for c in diff.diff(old, new).changes if c.change == "added"}
            listed = [name for name, since in SINCE.items() if old.release < since <= new.release]
            if new.release <= 65:  # of what the very next one brings nothing needs a line
                self.assertGreater(len(listed), 20)
            self.assertEqual([name for name in listed if added.isdisjoint(prefixes(name))], [])

    def test_nothing_that_appeared_lacks_a_line_of_its_own_or_of_its_whole(self) -> None:
        for old, new in self.apart():
            public, tags = renames(new), tags_of_enumerators(new)
            exported = {name for name, call in facts.items(new, "calls").items() if call.version}
            for change in diff.diff(old, new).changes:
                if change.change == "added" and change.kind != "header" and change.name not in exported:
                    name = rename(change.name, public)
                    wholes = {*prefixes(name), rename(tags.get(name, name), public), public.get(name, name)}
                    self.assertTrue(wholes & SINCE.keys(), change)

    def test_each_line_is_right_by_the_headers_of_all_releases(self) -> None:
        for release in range(self.releases[0].release, self.releases[-1].release + 1):
            header_tree(release)
        self.assertEqual(gen("since")[:2], (0, ""))

    def test_what_a_whole_had_from_the_start_follows_its_line(self) -> None:
        api = merge.merge(self.releases_anew(), [group.name for group in groups.load()])
        lore.load(api)
        attr = {f.name: f.since for f in api.structs()["ibv_mr_init_attr"].fields}
        self.assertEqual((api.structs()["ibv_mr_init_attr"].since, attr["length"], attr["buf"]), (59, 59, 64))
        enum = api.enums()["mlx5dv_crypto_engines_caps"]
        engines = {v.name.rpartition("CAP_")[2]: v.since for v in enum.values}
        self.assertEqual((engines["AES_XTS"], engines["AES_XTS_MULTI_BLOCK"]), (37, 44))

    def apart(self) -> list[tuple[Facts, Facts]]:
        """Releases with others between them. What is new in the very next one is as old as that."""
        return [(old, new) for old, new in itertools.pairwise(self.releases) if new.release > old.release + 1]

    def releases_anew(self) -> list[Facts]:
        """Merging uses facts up."""
        return [facts.load(path) for path in headers.committed_paths().values()]


def renames(release: Facts) -> dict[str, str]:
    """Tags by the public name that a macro gives them, which is what lore uses."""
    return {m.text: m.name for m in facts.items(release, "macros").values() if m.kind == "alias"}


def rename(name: str, public: dict[str, str]) -> str:
    head, dot, rest = name.partition(".")
    return public.get(head, head) + dot + rest


def tags_of_enumerators(release: Facts) -> dict[str, str]:
    return {v.name: e.name for e in facts.items(release, "enums").values() for v in e.values}


def prefixes(path: str) -> Iterator[str]:
    """a.b.c, a.b and a."""
    parts = path.split(".")
    return (".".join(parts[:n]) for n in range(len(parts), 0, -1))


if __name__ == "__main__":
    unittest.main()
