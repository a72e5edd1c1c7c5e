# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""Counts by part from ctest's JUnit report: python3 tests/counts.py REPORT

A test of ctest is a program that may hold many cases; how many is read from what it prints at its end.
"""

from __future__ import annotations

import re
import sys
import xml.etree.ElementTree as ElementTree
from collections import defaultdict
from dataclasses import dataclass

# The runner's, unittest's and our own scripts' last words.
CASES = re.compile(r"Synthesis: Tested: .*?(\d+)|^Ran (\d+) tests?\b|^cases: (\d+)", re.MULTILINE)
ROW = "{:<12}{:>8}{:>12}{:>8}{:>9}{:>10}"


@dataclass
class Count:
    """What is told of one part, or of all."""

    tests: int = 0
    cases: int = 0
    failed: int = 0
    skipped: int = 0
    seconds: float = 0.0

    def add(self, case: ElementTree.Element) -> None:
        """Count one test of ctest."""
        self.tests += 1
        self.cases += cases_of(case.findtext("system-out") or "")
        self.failed += case.get("status") == "fail"
        self.skipped += case.get("status") in ("notrun", "disabled")
        self.seconds += float(case.get("time") or 0)

    def row(self, title: str) -> str:
        """One line of the table."""
        return ROW.format(title, self.tests, self.cases, self.failed, self.skipped, f"{self.seconds:.1f}")


def cases_of(output: str) -> int:
    """How many cases a test's output speaks of; one where it is silent."""
    plain = re.sub(r"\x1b\[[0-9;]*m", "", output)
    return sum(int(next(filter(None, groups))) for groups in CASES.findall(plain)) or 1


def main(path: str) -> None:
    """Print the table."""
    parts: defaultdict[str, Count] = defaultdict(Count)
    total = Count()
    for case in ElementTree.parse(path).getroot().iter("testcase"):
        parts[case.get("name", "").split(".")[0]].add(case)
        total.add(case)
    print(ROW.format("part", "tests", "cases", "failed", "skipped", "seconds"))
    for part in sorted(parts):
        print(parts[part].row(part))
    print(total.row("all"))


if __name__ == "__main__":
    main(sys.argv[1])
