# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""Figures, their targets and their table."""

from __future__ import annotations

import subprocess
import unittest
from pathlib import Path

from tests.bench.__main__ import PARTS
from tests.bench.figure import Beside, Figure, as_json
from tests.bench.table import render


def figure(value: float, target: str = "", *beside: Beside) -> Figure:
    return Figure("names", "ibv_rate", value, "ns", target, list(beside))


class Help(unittest.TestCase):
    def test_lists_all_parts(self) -> None:
        dev = Path(__file__).resolve().parents[2] / "dev"
        told = subprocess.run([dev, "bench", "--help"], stdout=subprocess.PIPE, text=True, check=True).stdout
        self.assertIn(", ".join(PARTS), " ".join(told.split()))


class Targets(unittest.TestCase):
    def test_a_value_at_the_limit_meets_at_most_but_not_less_than(self) -> None:
        self.assertTrue(figure(3, "<= 3").met)
        self.assertFalse(figure(3, "< 3").met)
        self.assertTrue(figure(3, ">= 3").met)
        self.assertFalse(figure(2.9, ">= 3").met)

    def test_a_value_above_its_target_misses_it(self) -> None:
        self.assertFalse(figure(3.1, "<= 3").met)
        self.assertFalse(figure(1, "= 0").met)

    def test_no_target_is_neither_met_nor_missed(self) -> None:
        self.assertIsNone(figure(3).met)


class Table(unittest.TestCase):
    def test_each_that_is_compared_with_has_a_line_with_its_ratio(self) -> None:
        text = render([figure(2, "<= 3", Beside("a switch", 1), Beside("bindgen", 5))])
        self.assertRegex(text, r"ibv_rate +2\.0 ns +<= 3 ns +yes +a switch +1\.0 ns +0\.5 x\n")
        self.assertRegex(text, r"\n +bindgen +5\.0 ns +2\.5 x\n")

    def test_what_is_not_on_this_machine_is_said_to_be_absent(self) -> None:
        self.assertRegex(render([figure(2, "", Beside("bindgen", None))]), r"bindgen +absent\n")

    def test_missed_targets_are_not_counted_as_met(self) -> None:
        self.assertIn("1 of 2 targets met", render([figure(2, "<= 3"), figure(4, "<= 3"), figure(9)]))


class Json(unittest.TestCase):
    def test_all_that_the_table_says_is_in_it(self) -> None:
        self.assertEqual(as_json(figure(2, "<= 3", Beside("a switch", 1))), {
            "section": "names", "name": "ibv_rate", "value": 2, "unit": "ns", "target": "<= 3", "met": True,
            "beside": [{"name": "a switch", "value": 1, "ratio": 0.5}]})


if __name__ == "__main__":
    unittest.main()
