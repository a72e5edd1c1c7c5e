# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""Bytes and relocations."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterator
from pathlib import Path

from tests.bench.figure import Beside, Figure
from tests.bench.run import Bench, output

SIZE = "size, stripped"
RELOCATIONS = "run-time relocations"
# A table is data; what is relocated in code or in the linker's own sections is not of a table.
OF_DATA = re.compile(r"^Relocation section '\.rela\.(?:ro)?data\S*' at offset \S+ contains (\d+)", re.M)
RELATIVE = re.compile(r"\bR_\w+_(?:RELATIVE|64|ABS64)\b")
SIBLINGS = ("libibverbs.so.1", "libmlx5.so.1")
CACHED = re.compile(r"^\s*(\S+) .* => (\S+)$", re.M)


def siblings() -> dict[str, Path]:
    """Where libraries of rdma-core are on this machine."""
    cache = dict(CACHED.findall(output(["/sbin/ldconfig", "-p"])))
    return {name: Path(cache[name]) for name in SIBLINGS if name in cache}


def stripped(path: Path) -> float:
    """The kilobytes of a stripped copy."""
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "stripped"
        output(["strip", "-o", copy, path])
        return copy.stat().st_size / 1000


def sizes(bench: Bench) -> Iterator[Figure]:
    """The library, and what a program grows by."""
    yield Figure(SIZE, "libverbsx.so", stripped(bench.library), "kB", "< 400",
                 [Beside(name, stripped(path)) for name, path in siblings().items()])
    for flags, text in (("plain", ""), ("gc", ", --gc-sections")):
        empty = stripped(bench.program(f"size-empty-{flags}"))
        for what, added in (("names", "names alone"), ("print", "names and printing")):
            yield Figure(SIZE, f"a static program grows by, {added}{text}",
                         stripped(bench.program(f"size-{what}-{flags}")) - empty, "kB", "< 120")


def of_objects(bench: Bench) -> int:
    """Relocations in the data of generated objects: those of its tables that a loader would have to do."""
    objects = sorted(bench.build.glob("CMakeFiles/verbsx-objects.dir/generated/src/*.o"))
    if not objects:
        raise FileNotFoundError(f"no objects of generated code in {bench.build}")
    return sum(int(count) for path in objects for count in OF_DATA.findall(output(["readelf", "-rW", path])))


def of_library(path: Path) -> int:
    """Words of data that hold an address and are written when a library is loaded."""
    return len(RELATIVE.findall(output(["readelf", "-rW", path])))


def relocations(bench: Bench) -> Iterator[Figure]:
    """Of tables; and of the library, where the linker and the C runtime have a few words of their own."""
    yield Figure(RELOCATIONS, "in tables", of_objects(bench), "relocations", "= 0")
    yield Figure(RELOCATIONS, "in libverbsx.so, words of data", of_library(bench.library), "relocations", "",
                 [Beside(name, of_library(path)) for name, path in siblings().items()])


def figures(bench: Bench) -> Iterator[Figure]:
    """All of these."""
    yield from relocations(bench)
    yield from sizes(bench)
