# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""Compare upstream's tests with their twins: python3 tests/parity/check.py PROGRAM

Prints each name of names.txt beside its twin, or the reason for which it has none. Fails for a name with
neither or with both, for a twin of no name, for a test of upstream that is not there, and for a name with *
that is said to stand for another number of tests than it does:
tests/emu/golden/upstream.txt has all their names. docs/twins.md has the same for readers, and has to be what
would be written now; with GOLDEN_WRITE=1 it is written.
"""

from __future__ import annotations

import fnmatch
import os
import re
import subprocess
import sys
from pathlib import Path

NAMES = Path(__file__).with_name("names.txt")
UPSTREAM = Path(__file__).parents[1] / "emu/golden/upstream.txt"
PAGE = Path(__file__).parents[2] / "docs/twins.md"
SUITE = re.compile(r"^(\w+): \d+ tests?$")
TEST = re.compile(r"^\S+ (\w+)$")
COUNTED = re.compile(r"^(\d+): ")


def read_names(text: str) -> dict[str, str]:
    """The names, each with its reason or an empty one."""
    lines = (line for line in text.splitlines() if line and not line.startswith("#"))
    return {name: reason.strip() for name, _, reason in (line.partition(" ") for line in lines)}


def read_twins(listing: str) -> set[str]:
    """What the runner's --list tells, as SUITE::TEST."""
    twins, suite = set(), ""
    for line in listing.splitlines():
        if found := SUITE.match(line):
            suite = found[1]
        elif found := TEST.match(line):
            twins.add(f"{suite}::{found[1]}")
    return twins


def twin_of(name: str) -> str:
    """How the twin of FILE.CLASS.TEST is called."""
    file, group, test = name.split(".")
    return f"{file}_{group}::{test}"


def describe(name: str, reason: str, twins: set[str]) -> tuple[str, bool]:
    """What stands beside a name, and whether that is right."""
    has_twin = "*" not in name and twin_of(name) in twins
    if has_twin and reason:
        return f"{twin_of(name)}, BUT ALSO A REASON: {reason}", False
    if has_twin:
        return twin_of(name), True
    return (f"none: {reason}", True) if reason else ("NEITHER TWIN NOR REASON", False)


def compare(names: dict[str, str], twins: set[str]) -> list[str]:
    """Print the table; returns what is wrong."""
    wrong = []
    for name, reason in names.items():
        beside, right = describe(name, reason, twins)
        print(f"{name:<80} {beside}")
        if not right:
            wrong.append(f"{name}: {beside}")
    strangers = sorted(twins - {twin_of(name) for name in names if "*" not in name})
    return wrong + [f"{twin}: TWIN OF NO NAME" for twin in strangers]


def read_upstream(text: str) -> list[str]:
    """The names of all tests of upstream."""
    return [line.split()[0] for line in text.splitlines() if not line.startswith("#")]


def missing(names: dict[str, str], tests: list[str]) -> list[str]:
    """Upstream's tests that no name is or, with *, stands for."""
    return [f"{test}: NOT IN {NAMES.name}" for test in tests
            if not any(fnmatch.fnmatchcase(test, name) for name in names)]


def miscounted(names: dict[str, str], tests: list[str]) -> list[str]:
    """Names with * that stand for another number of tests than is written beside them."""
    wrong = []
    for name, reason in names.items():
        count = len(fnmatch.filter(tests, name))
        said = COUNTED.match(reason)
        if "*" in name and (not said or int(said[1]) != count):
            wrong.append(f"{name}: STANDS FOR {count} TESTS, NOT {said[1] if said else 'SAID'}")
        elif "*" not in name and count == 0:
            wrong.append(f"{name}: NO TEST OF UPSTREAM")
    return wrong


INTRODUCTION = """\
<!-- SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB -->
<!-- Written by GOLDEN_WRITE=1 ctest -j1 -R parity.names, from tests/parity/names.txt. -->
# Upstream's tests and their twins

rdma-core's release 44 has {tests} tests in Python. {twins} of them have a twin in `tests/parity`, a test of the same name that does the
same by functions of libverbsx; for each of the others there is a reason. The twins run on the emulated device, as InfiniBand and as
RoCE, and on soft-RoCE in a virtual machine; what a device lacks is skipped there. Those of
"calls of rdma-core are recorded" run on none, as no device here can do what they are about: functions in rdma-core's place record what
would have been asked of it.
"""


def read_sections(text: str) -> dict[str, list[str]]:
    """The names by what stands above them."""
    heading, sections = "", {}
    for block in text.split("\n\n")[1:]:
        if block.startswith("#"):
            heading = " ".join(line.removeprefix("# ") for line in block.splitlines())
        else:
            sections[heading] = list(read_names(block))
    return sections


def twin_or_reason(reason: str) -> str:
    """What stands in the table beside a test."""
    return COUNTED.sub("", reason) or "twin"


def page(names: dict[str, str], sections: dict[str, list[str]], tests: list[str]) -> str:
    """All tests of upstream, each with what it has here."""
    parts = [INTRODUCTION.format(tests=len(tests), twins=sum(not reason for reason in names.values()))]
    for heading, section in sections.items():
        rows = [(test, twin_or_reason(names[name])) for name in section for test in fnmatch.filter(tests, name)]
        table = "".join(f"| {test} | {beside} |\n" for test, beside in rows)
        parts.append(f"## {heading.removesuffix('.')}\n\n| test | |\n|---|---|\n{table}")
    return "\n".join(parts)


def stale(text: str) -> list[str]:
    """Whether docs/twins.md says something else; it does not when it has just been written."""
    if os.environ.get("GOLDEN_WRITE"):
        PAGE.write_text(text)
    return [] if PAGE.exists() and PAGE.read_text() == text else [f"{PAGE.name}: NOT WHAT IS SO NOW; GOLDEN_WRITE=1 writes it"]


def main(program: str) -> int:
    """Compare, and count."""
    listing = subprocess.run([program, "--list"], check=True, capture_output=True, text=True).stdout
    names, twins = read_names(NAMES.read_text()), read_twins(listing)
    tests = read_upstream(UPSTREAM.read_text())
    wrong = compare(names, twins) + missing(names, tests) + miscounted(names, tests)
    wrong += stale(page(names, read_sections(NAMES.read_text()), tests))
    print(f"{len(names)} names, {len(twins)} twins, {sum(map(bool, names.values()))} reasons")
    for line in wrong:
        print(line, file=sys.stderr)
    return 1 if wrong or not twins else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
