# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""What the C compiler takes for generated code, and for headers."""

from __future__ import annotations

import json
import shlex
import tempfile
from collections.abc import Iterator
from pathlib import Path

from tests.bench.figure import Beside, Figure
from tests.bench.run import Bench, timed

SECTION = "compiling, on one core"


def generated(bench: Bench) -> list[dict[str, str]]:
    """How CMake compiles each generated file."""
    entries = json.loads((bench.build / "compile_commands.json").read_text(encoding="utf-8"))
    found = {entry["file"]: entry for entry in entries
             if Path(entry["file"]).parts[-3:-1] == ("generated", "src")}
    if not found:
        raise FileNotFoundError(f"no generated file in {bench.build}/compile_commands.json")
    return list(found.values())


def compile_seconds(entry: dict[str, str], folder: str) -> float:
    """Compile one file to a place of ours."""
    command = shlex.split(entry["command"])
    command[command.index("-o") + 1] = f"{folder}/compiled.o"
    return timed(command, entry["directory"]).processor


def include_seconds(entry: dict[str, str], folder: str, header: str) -> float:
    """Compile a program that includes one header and does nothing."""
    source = Path(folder) / "include.c"
    source.write_text(f"#include <{header}>\n", encoding="utf-8")
    includes = [word for word in shlex.split(entry["command"]) if word.startswith("-I")]
    command = ["gcc", "-O2", *includes, "-c", source, "-o", f"{folder}/include.o"]
    return timed(command, entry["directory"]).processor


def figures(bench: Bench) -> Iterator[Figure]:
    """All generated files one after the other; what a user's file takes more for our headers."""
    entries = generated(bench)
    with tempfile.TemporaryDirectory() as folder:
        taken = sum(compile_seconds(entry, folder) for entry in entries)
        ours, theirs = (include_seconds(entries[0], folder, header)
                        for header in ("verbsx/verbsx.h", "infiniband/verbs.h"))
        yield Figure(SECTION, f"generated C, {len(entries)} files", taken, "s", "< 5")
        yield Figure(SECTION, "#include <verbsx/verbsx.h>", ours, "s",
                     beside=[Beside("#include <infiniband/verbs.h>", theirs)])
