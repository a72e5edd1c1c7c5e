# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""The programs that do what python-rdma does: python3 tests/parity/sections.py BUILD CTEST

Fails for a program of sections.toml that is not there, has no such test, or is of no target that a test of BUILD runs; and where
docs/python-rdma.md is not what would be written now: with GOLDEN_WRITE=1 it is written. And for what is absent without a reason.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

PROJECT = Path(__file__).parents[2]
SECTIONS = Path(__file__).with_name("sections.toml")
PAGE = PROJECT / "docs/python-rdma.md"
HEADINGS = {"verbs": "Verbs", "tools": "Buffers and polling", "path": "Paths and ports", "steps": "Step by step", "scenarios": "Scenarios of its tests and documents"}
ABSENT, ABSENT_HEADING = "absent", "What is not here"
INTRODUCTION = """\
<!-- SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB -->
<!-- Written by GOLDEN_WRITE=1 ctest -j1 -R parity.sections, from tests/parity/sections.toml. -->
# What python-rdma does, done with libverbsx

python-rdma is a library of long ago for verbs, paths and MADs in Python. Of what it offers for connections without a connection manager
nearly all is here, and a program shows it: an example, or a test, of which the names say what they show. A test looks that each is there and
runs. What is not here is told at the end, with the reason.
"""


def targets_run(build: Path, ctest: str) -> set[str]:
    """The names of all programs that tests begin with, or are given."""
    out = subprocess.run([ctest, "--test-dir", str(build), "--show-only=json-v1"], check=True, capture_output=True, text=True).stdout
    return {Path(word).name for test in json.loads(out)["tests"] for word in test.get("command", []) if word.startswith(str(build))}


def targets_of(build: Path, source: str) -> set[str]:
    """The targets that a source has an object file in."""
    folder = build / Path(source).parts[0]
    return {part.removesuffix(".dir") for path in folder.rglob(Path(source).name + ".o")
            for part in path.parts if part.endswith(".dir") and in_target(build, path, part).endswith(source)}


def in_target(build: Path, path: Path, part: str) -> str:
    """Where the source of an object file is, below the project."""
    at = path.parts.index(part)
    return str(Path(*path.parts[len(build.parts):at - 1], *path.parts[at + 1:])).removesuffix(".o")


def wrong(program: str, build: Path, run: set[str]) -> str:
    """What is wrong with a program; nothing where it is there, has its tests and is run."""
    source, _, begins = program.partition("::")
    if not (PROJECT / source).exists():
        return "no such file"
    if begins and not re.search(rf"^Test\(\w+, {begins}", (PROJECT / source).read_text(), re.MULTILINE):
        return "no such test"
    return "" if targets_of(build, source) & run else "run by no test"


def shown(program: str) -> str:
    """As a link, with the tests behind it."""
    source, _, begins = program.partition("::")
    tests = f", `{begins}{'*' if begins.endswith('_') else ''}`" if begins else ""
    return f"[{Path(source).name}](../{source}){tests}"


def page(sections: dict[str, dict[str, list[str]]], absent: dict[str, str]) -> str:
    """All as tables."""
    parts = [INTRODUCTION]
    for name, rows in sections.items():
        table = "".join(f"| {what} | {'; '.join(map(shown, programs))} |\n" for what, programs in rows.items())
        parts.append(f"## {HEADINGS[name]}\n\n| what | by |\n|---|---|\n{table}")
    table = "".join(f"| {what} | {why} |\n" for what, why in absent.items())
    parts.append(f"## {ABSENT_HEADING}\n\n| what | why |\n|---|---|\n{table}")
    return "\n".join(parts)


def main(build: Path, ctest: str) -> int:
    """Look for each."""
    sections = tomllib.loads(SECTIONS.read_text())
    absent = sections.pop(ABSENT)
    run = targets_run(build, ctest)
    programs = sorted({program for rows in sections.values() for found in rows.values() for program in found})
    bad = [f"{program}: {why}" for program in programs if (why := wrong(program, build, run))]
    bad += [f"{what}: absent, and no reason" for what, why in absent.items() if not isinstance(why, str) or not why.strip()]
    if os.environ.get("GOLDEN_WRITE"):
        PAGE.write_text(page(sections, absent))
    if not PAGE.exists() or PAGE.read_text() != page(sections, absent):
        bad.append(f"{PAGE.name}: not what is so now; GOLDEN_WRITE=1 writes it")
    print(f"cases: {len(programs)}", *bad, sep="\n")
    return 1 if bad or not programs else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), sys.argv[2]))
