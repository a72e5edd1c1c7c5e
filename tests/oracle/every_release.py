# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""A table of all releases of rdma-core since the oldest that is supported: python3 -m tests.oracle.every_release FOLDER [NN...]

Of each: whether generated/ compiles, as C and as C++; whether its tables are what DWARF says; whether what is generated from the
headers alone compiles, and has just the names that generated/ has of that release. Headers of releases that Debian has not come
from the repository that VERBSX_RDMA_CORE_REPOSITORY names, whose newest commit is tried, too. Without it they are skipped.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from gen.errors import GenError
from gen.reach import checkout, headers, releases
from tests.gen.compiles import complaints
from tests.gen.project import ROOT
from tests.gen.test_trees import calls, fields, names, read

from .compared import all_differences, witnesses

ROW = "{:<8}{:<12}{:<10}{:<12}{:<8}"
AT_ONCE = 2


@dataclass
class Row:
    """What came of a release: under each head "yes", or what did not hold."""

    title: str
    cells: dict[str, str] = field(default_factory=dict)
    failures: list[str] = field(default_factory=list)
    skipped: str = ""

    def tell(self, head: str, said: str) -> None:
        self.cells[head] = "NO" if said else "yes"
        self.failures += [f"{self.title}: {head}: {said}"] if said else []

    def text(self) -> str:
        if self.skipped:
            return f"{self.title:<8}skipped: {self.skipped}"
        return ROW.format(self.title, *(self.cells.get(head, "-") for head in HEADS)).rstrip()


HEADS = ("committed", "DWARF", "from these", "names")


def emitted(include: Path, release: int, folder: Path) -> str:
    """Generate from the headers alone; what the generator said if it failed."""
    done = subprocess.run([sys.executable, "-m", "gen", "emit", "--quiet", "--headers", include, "--release", str(release),
                           "--output", folder], cwd=ROOT, capture_output=True, text=True)
    return done.stderr if done.returncode else ""


def different_names(made: Path, release: int) -> Iterator[str]:
    one, other = read(made / "api.json"), read(ROOT / "generated/api.json")
    for what in (names, fields, calls):
        yield from sorted(what(one, release) ^ what(other, release))


def alone(row: Row, include: Path, release: int, folder: Path) -> bool:
    """What is generated from the headers themselves."""
    made = folder / "made"
    failed = emitted(include, release, made)
    row.tell("from these", failed or complaints(made, include, release, folder / "from_these"))
    return not failed


def of_release(release: int, folder: Path) -> Row:
    row = Row(str(release))
    try:
        include = releases.header_tree(release)
    except GenError as e:
        row.skipped = e.message
        return row
    row.tell("committed", complaints(ROOT / "generated", include, release, folder / "committed"))
    row.tell("DWARF", "\n".join(all_differences(*witnesses(include, release, folder / "oracle"), release)))
    if alone(row, include, release, folder):
        row.tell("names", "\n".join(different_names(folder / "made", release)))
    return row


def of_newest_commit(repository: Path, folder: Path) -> Row:
    """What will be a release one day: it may have names that no release has, and lack some."""
    row = Row("HEAD")
    release = checkout.install_from(repository, "HEAD", folder / "tree")
    alone(row, folder / "tree/usr/include", release, folder)
    return row


def tried(release: int, folder: Path) -> Row:
    """Its files are removed: of all releases they are some GB."""
    try:
        if release:
            return of_release(release, folder)
        return of_newest_commit(checkout.repository() or Path(), folder)
    except (GenError, subprocess.CalledProcessError, OSError) as e:
        return Row(str(release or "HEAD"), dict.fromkeys(HEADS, "NO"), [f"{release or 'HEAD'}: {e}"])
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def main(place: str, *wanted: str) -> int:
    committed = headers.committed_paths()
    numbers = [int(n) for n in wanted] or [*range(min(committed), max(committed) + 1), *([0] if checkout.repository() else [])]
    folder = Path(place)
    shutil.rmtree(folder, ignore_errors=True)
    os.environ["CMAKE_BUILD_PARALLEL_LEVEL"] = "1"
    print(ROW.format("release", *HEADS))
    with ThreadPoolExecutor(AT_ONCE) as pool:
        rows = []
        for row in pool.map(lambda n: tried(n, folder / str(n)), numbers):
            print(row.text(), flush=True)
            rows.append(row)
    print(*(f for row in rows for f in row.failures), sep="\n")
    skipped = [row for row in rows if row.skipped]
    print(f"cases: {len(rows) - len(skipped)}, skipped: {len(skipped)}")
    missing = bool(skipped) and checkout.repository() is not None
    return 1 if missing or any(row.failures for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
