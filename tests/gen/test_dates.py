# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""Dates: what lore must say of releases that lie between those that facts are kept of, and what it then makes of them."""

from __future__ import annotations

import unittest

from gen.api import merge
from gen.api.facts import Call, Facts
from gen.know import groups, lore
from gen.reach import dates, headers
from tests.gen.project import InFolder
from tests.gen.test_merge import enum, facts, field, struct


def releases() -> dict[int, Facts]:
    """Of four that there were."""
    return {
        33: facts(33, enum("e", A=1), struct("s", field("a"), field("gone", 4)), Call("f", "g.h", "extern")),
        34: facts(34, enum("e", A=1, B=2), struct("s", field("a"), field("gone", 4)), Call("f", "g.h", "extern")),
        35: facts(35, enum("e", A=1, B=2), enum("t", C=1), struct("s", field("a")), struct("n", field("x")),
                  Call("f", "g.h", "extern"), Call("short", "g.h", "extern")),
        36: facts(36, enum("e", A=1, B=2), enum("t", C=1, D=2), struct("s", field("a")), struct("n", field("x"), field("y", 4)),
                  Call("f", "g.h", "extern", introduced=20)),
    }


class Dates(InFolder):
    def wrong(self, written: str = "") -> list[str]:
        """What is said of lore where facts of the first and the last release are kept."""
        exact = dates.of_all(list(releases().values()), ["g"])
        few = merge.merge([releases()[33], releases()[36]], ["g"])
        self.put("lore/since.toml", written)
        self.api = merge.merge([releases()[33], releases()[36]], ["g"])
        known = lore.load(self.api, self.folder / "lore")
        return dates.since(exact, few, known.since).wrong() + dates.until(exact, few, known.until).wrong()

    right = '[since]\nB = 34\nt = 35\nD = 36\nn = 35\n"n.y" = 36\n[until]\n"s.gone" = 34\n'

    def test_what_lore_lacks_is_told_and_what_came_with_its_whole_is_not(self) -> None:
        self.assertEqual(self.wrong(), ["[since] B = 34", "[since] D = 36", "[since] n = 35", '[since] "n.y" = 36', "[since] t = 35",
                                        '[until] "s.gone" = 34'])

    def test_with_all_lines_nothing_is_wrong_and_the_api_is_exact(self) -> None:
        self.assertEqual(self.wrong(self.right), [])
        exact = dates.dated(dates.of_all(list(releases().values()), ["g"]))
        self.assertEqual({name: (max(33, d.item.since), d.item.until) for name, d in dates.dated(self.api).items()},
                         {name: (d.item.since, d.item.until) for name, d in exact.items() if name != "short"})

    def test_a_line_that_is_wrong_is_told_with_what_is_right(self) -> None:
        self.assertEqual(self.wrong(self.right.replace("B = 34", "B = 35").replace('gone" = 34', 'gone" = 35')),
                         ["[since] B = 34  # not 35", '[until] "s.gone" = 34  # not 35'])

    def test_a_line_that_is_right_and_not_needed_stays(self) -> None:
        self.assertEqual(self.wrong(self.right.replace("[until]", "C = 35\n[until]")), [])

    def test_what_came_and_went_in_between_is_told(self) -> None:
        exact = dates.of_all(list(releases().values()), ["g"])
        self.assertEqual(dates.nowhere(exact, merge.merge([releases()[33], releases()[36]], ["g"])), ["short: from 35 to 35"])

    def test_what_lore_speaks_of_and_is_gone_is_told_until_a_line_says_which_release_was_the_last(self) -> None:
        self.put("lore/acme.toml", '[meaning]\nB = { says = "The last but one." }\n[field]\n"s.gone" = { form = "plain" }\n')
        for lines, told in (("", ["B", "s.gone"]), ("B = 34", ["s.gone"]), ('B = 34\n"s.gone" = 34', [])):
            self.put("lore/since.toml", f"[until]\n{lines}\n")
            made = releases()
            made[36].groups["g"].enums["e"].values.pop()
            api = merge.merge([made[34], made[36]], ["g"])
            self.assertEqual([g.name for g in lore.load(api, self.folder / "lore").gone], told)

    def test_a_first_release_that_cannot_be_is_refused(self) -> None:
        """Of what the oldest facts have nobody knows since when it is there, and of others facts tell between which two releases it came."""
        for line, words in (('"s.a" = 32', "release 33 has it and no facts are of older ones; 32 cannot be"), ('"s.a" = 34', "release 33 has it and no facts are of older ones; 34"),
                            ("D = 33", "release 36 has it and 33 has not; 33 cannot be"), ("D = 37", "release 36 has it and 33 has not; 37")):
            self.put("lore/since.toml", f"[since]\n{line}\n")
            self.assertIn(words, self.fails(lambda: lore.load(merge.merge([releases()[33], releases()[36]], ["g"]), self.folder / "lore")))

    def test_a_last_release_that_cannot_be_is_refused(self) -> None:
        self.put("lore/since.toml", '[until]\n"s.gone" = 36\n')
        api = merge.merge([releases()[33], releases()[36]], ["g"])
        self.assertIn("release 33 has it and 36 has not; 36 cannot be", self.fails(lambda: lore.load(api, self.folder / "lore")))
        self.put("lore/since.toml", '[until]\n"s.a" = 36\n')
        self.assertIn("release 36 still has it", self.fails(lambda: lore.load(api, self.folder / "lore")))


class Groups(InFolder):
    def test_nothing_is_older_than_the_headers_of_its_group(self) -> None:
        api = merge.merge(headers.committed(), [g.name for g in groups.load()])
        lore.load(api)
        first = {g.name: g.first for g in groups.load()}
        for name, group in api.groups.items():
            alone = dates.dated(merge.Api(api.releases, {name: group}))
            self.assertEqual([n for n, d in alone.items() if d.item.since < first[name]], [])


if __name__ == "__main__":
    unittest.main()
