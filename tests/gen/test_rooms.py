# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""The rooms of the runtime: each includes only what the table in CONTRIBUTING.md lets it, and no two files have a static
function of the same name, which a backtrace could not tell apart. And those of the emulated device, which the map in its README
has a file for each of, with the chapter that it follows. And those of the generator."""

from __future__ import annotations

import ast
import re
import unittest
from collections import defaultdict
from fnmatch import fnmatch
from graphlib import TopologicalSorter
from pathlib import Path

from tests.gen.project import ROOT

RUNTIME = ROOT / "runtime/src"
ROW = re.compile(r"^\| `(\w+)/` \| [^|]+ \| ([^|]+) \|$", re.MULTILINE)
INCLUDE = re.compile(r'^#\s*include "([^"]+)"', re.MULTILINE)
STATIC = re.compile(r"^static (?!inline)[^;=()]*?\b(\w+)\((?!\()", re.MULTILINE)
ENUMERATOR = re.compile(r"\bIBV_[A-Z0-9_]+\b")

# A header of few lines is a part of another's idea. So many of fewer lines than that are left; it may only become less.
FEW_LINES = 25
TINY_HEADERS = 10


def table(file: str = "CONTRIBUTING.md", head: str = "room") -> dict[str, set[str]]:
    """Room -> the other rooms that it may include, of the table whose first column is headed so."""
    rows = ROW.findall((ROOT / file).read_text().split(f"\n| {head} |")[1].split("\n\n")[0])
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


MOST_LINES = 450


class Rooms(unittest.TestCase):
    def test_no_file_is_long(self) -> None:
        """Of those that are written by hand, of the whole tree."""
        by_hand = [path for folder in ("runtime", "examples", "tests", "gen") for kind in ("*.[ch]", "*.py", "*.sh") for path in (ROOT / folder).rglob(kind)]
        self.assertGreater(len(by_hand), 800)
        long = {str(path.relative_to(ROOT)) for path in by_hand if path.read_text(errors="replace").count("\n") > MOST_LINES}
        self.assertEqual(long, set())

    def test_each_folder_is_in_the_table(self) -> None:
        self.assertEqual({p.name for p in RUNTIME.iterdir()}, set(table()))

    def test_the_table_has_no_cycle(self) -> None:
        TopologicalSorter(table()).prepare()

    def test_each_generated_file_is_listed(self) -> None:
        """By CONTRIBUTING.md, as a newcomer looks for it there; pages are a folder."""
        text = (ROOT / "CONTRIBUTING.md").read_text().split("## What is in generated/")[1].split("\n## ")[0]
        first = " ".join(row.split("|")[1] for row in text.splitlines() if row.startswith("| `"))
        listed = re.findall(r"`(\w+\.\w+)`", first)
        there = [path.name for folder in ("", "src", "include/verbsx") for path in (ROOT / "generated" / folder).iterdir() if path.is_file()]
        self.assertEqual(sorted(listed), sorted(there))

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


GEN = ROOT / "gen"
FOR_ALL = {"errors", "paths"}  # modules that any other may import


def imported(path: Path, house: Path = GEN) -> set[str]:
    """What a module imports of a house but for the sake of types alone: its rooms, and the modules beside them."""
    tree = ast.parse(path.read_text())
    typing = {id(inner) for node in ast.walk(tree) if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING" for inner in ast.walk(node)}
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.level and id(node) not in typing:
            place = path.parents[node.level - 1]
            names = [node.module] if node.module else [name.name for name in node.names]
            found |= {(place / name.replace(".", "/")).relative_to(house).parts[0] for name in names if place.is_relative_to(house)}
    return found


EMU = ROOT / "tests/emu"
MAP_ROW = re.compile(r"^\| (?:`([\w.]+)/`)? ?\| (.+) \| (.+) \|$", re.MULTILINE)
MAP_NAME = re.compile(r"`([a-z0-9_*]+)`")
# So many lines of each list of programs have to run, and so many of rdma-core's own tests on InfiniBand, on Ethernet and with keys in
# plaintext. They only become more.
PROGRAMS = {"diags": 69, "fabtests": 16, "libfabric": 4, "others": 6, "perftest": 143, "rdmacm": 16, "ucx": 70, "ucx_gtest": 213}
UPSTREAM = [195, 213, 2]


def device_map() -> list[tuple[str, str, str]]:
    """A room, what the map says of it, and the chapter; a row that names none goes on with the room before."""
    rows, room = [], ""
    text = (EMU / "README.md").read_text().split("## How it is built")[1]
    for name, says, chapter in MAP_ROW.findall(text):
        room = name or room
        rows.append((room, says, chapter))
    return rows


def device_files() -> set[tuple[str, str]]:
    """The room and the name of each file of the device, a header being with its source."""
    paths = [path for path in (EMU / "src").rglob("*") if path.suffix in (".c", ".h")]
    return {(str(path.parent.relative_to(EMU / "src")), path.stem) for path in paths}


class Device(unittest.TestCase):
    def test_each_file_is_in_the_map(self) -> None:
        names = [(room, name) for room, says, _ in device_map() for name in MAP_NAME.findall(says)]
        self.assertGreater(len(device_files()), 100)
        missing = [f for f in device_files() if not any(f[0] == room and fnmatch(f[1], name) for room, name in names)]
        self.assertEqual(sorted(missing), [])

    def test_the_map_has_no_other_names(self) -> None:
        gone = {f"{room}/{name}" for room, says, _ in device_map() for name in MAP_NAME.findall(says)
                if not any(f[0] == room and fnmatch(f[1], name) for f in device_files())}
        self.assertEqual(sorted(gone), [])

    def test_each_row_says_where_to_read_on(self) -> None:
        self.assertEqual([room for room, _, chapter in device_map() if not chapter.strip()], [])

    def test_lists_of_what_runs_never_get_shorter(self) -> None:
        for name, least in PROGRAMS.items():
            lines = (EMU / f"programs/{name}.txt").read_text().splitlines()
            self.assertGreaterEqual(len([line for line in lines if line and not line.startswith("#")]), least, name)
        rows = [line.split() for line in (EMU / "golden/upstream.txt").read_text().splitlines() if not line.startswith("#")]
        for column, least in enumerate(UPSTREAM, 1):
            self.assertGreaterEqual([row[column] for row in rows].count("ok"), least)


class Generator(unittest.TestCase):
    """Its rooms, gen/README.md"""

    house = GEN
    head = "room"
    beside = frozenset({"__init__", "__main__", *FOR_ALL})
    for_all = frozenset(FOR_ALL)
    least = 300

    def setUp(self) -> None:
        self.rooms = table("gen/README.md", self.head)

    def test_each_folder_of_modules_is_in_the_table(self) -> None:
        self.assertEqual({path.parent.name for path in self.house.glob("*/*.py")}, set(self.rooms))
        self.assertEqual({path.stem for path in self.house.glob("*.py")}, self.beside)

    def test_the_table_has_no_cycle(self) -> None:
        TopologicalSorter(self.rooms).prepare()

    def test_only_what_the_table_allows_is_imported(self) -> None:
        found = {(path.relative_to(self.house), room) for path in self.house.rglob("*/*.py") for room in imported(path, self.house)}
        self.assertGreater(len(found), self.least)
        wrong = {f"{path} -> {room}" for path, room in found if room not in self.rooms[path.parts[0]] | {path.parts[0], *self.for_all}}
        self.assertEqual(sorted(wrong), [])

    def test_the_table_allows_nothing_that_no_module_wants(self) -> None:
        wanted = {room: {name for path in (self.house / room).rglob("*.py") for name in imported(path, self.house)} for room in self.rooms}
        some = {room: names for room, names in self.rooms.items() if names != {*self.rooms} - {room}}
        idle = {f"{room} -> {name}" for room, names in some.items() for name in names - wanted[room]}
        self.assertEqual(sorted(idle), [])


class Plan(Generator):
    """Those of the plan, which only its beginning and the check at its end stand beside"""

    house = GEN / "plan"
    head = "room of the plan"
    beside = frozenset({"__init__", "reach"})
    for_all = frozenset()
    least = 70


if __name__ == "__main__":
    unittest.main()
