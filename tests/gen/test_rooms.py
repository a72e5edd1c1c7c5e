# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""The rooms of the runtime: each includes only what the table in CONTRIBUTING.md lets it, and no two files have a static
function of the same name, which a backtrace could not tell apart."""

from __future__ import annotations

import re
import unittest
from collections import defaultdict
from graphlib import TopologicalSorter

from tests.gen.project import ROOT

RUNTIME = ROOT / "runtime/src"
ROW = re.compile(r"^\| `(\w+)/` \| [^|]+ \| ([^|]+) \|$", re.MULTILINE)
INCLUDE = re.compile(r'^#\s*include "([^"]+)"', re.MULTILINE)
STATIC = re.compile(r"^static (?!inline)[^;=()]*?\b(\w+)\((?!\()", re.MULTILINE)
ENUMERATOR = re.compile(r"\bIBV_[A-Z0-9_]+\b")

# A header of few lines is a part of another's idea. So many of fewer lines than that are left; it may only become less.
FEW_LINES = 25
TINY_HEADERS = 10


def table() -> dict[str, set[str]]:
    """Room -> the other rooms that it may include."""
    rows = ROW.findall((ROOT / "CONTRIBUTING.md").read_text())
    rooms = [room for room, _ in rows]
    meant = {"nothing": [], "all of these": rooms}
    return {room: set(meant.get(names, re.split(", ", names))) - {room} for room, names in rows}


def included() -> set[tuple[str, str]]:
    """Each file of the runtime with the files of other rooms that it includes."""
    files = [path for path in RUNTIME.rglob("*") if path.suffix in (".c", ".h")]
    found = {(str(path.relative_to(RUNTIME)), name) for path in files for name in INCLUDE.findall(path.read_text())}
    return {(path, name) for path, name in found if "/" in name and room_of(path) != room_of(name)}


def room_of(path: str) -> str:
    return path.split("/")[0]


def shared_names() -> set[str]:
    """The static functions that two files have."""
    users = defaultdict(set)
    for path in RUNTIME.rglob("*.c"):
        for name in STATIC.findall(path.read_text()):
            users[name].add(path)
    return {name for name, paths in users.items() if len(paths) > 1}


class Rooms(unittest.TestCase):
    def test_each_folder_is_in_the_table(self) -> None:
        self.assertEqual({p.name for p in RUNTIME.iterdir()}, set(table()))

    def test_the_table_has_no_cycle(self) -> None:
        TopologicalSorter(table()).prepare()

    def test_only_what_the_table_allows_is_included(self) -> None:
        self.assertGreater(len(included()), 50)
        wrong = {f"{path} -> {name}" for path, name in included() if room_of(name) not in table()[room_of(path)]}
        self.assertEqual(sorted(wrong), [])

    def test_no_two_files_share_the_name_of_a_function(self) -> None:
        self.assertEqual(sorted(shared_names()), [])

    def test_objects_are_of_any_kind(self) -> None:
        """What is special about one of them is lore, of which the generator makes a row."""
        named = {f"{path.name}: {name}" for path in (RUNTIME / "object").iterdir() for name in ENUMERATOR.findall(path.read_text())}
        self.assertEqual(sorted(named), [])

    def test_few_headers_are_tiny(self) -> None:
        lines = {path.relative_to(RUNTIME): len(path.read_text().splitlines()) for path in RUNTIME.rglob("*.h")}
        tiny = [f"{path}: {count}" for path, count in sorted(lines.items()) if count < FEW_LINES]
        self.assertLessEqual(len(tiny), TINY_HEADERS, "\n".join(tiny))


if __name__ == "__main__":
    unittest.main()
