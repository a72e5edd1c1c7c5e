# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""What the C compiler takes for generated code, and for headers."""

from __future__ import annotations

import json
import shlex
import tempfile
from collections.abc import Iterator
from pathlib import Path

from gen.know import groups
from tests.bench.figure import Beside, Figure
from tests.bench.run import Bench, in_turns, timed

SECTION = "compiling, on one core"
ROOT = Path(__file__).parents[2]
PUBLIC = ("generated/include/verbsx", "runtime/include/verbsx")
ALL, VERBS, THEIRS = "verbsx/verbsx.h", "infiniband/verbs.h", "all headers of rdma-core that it includes"


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


def include(entry: dict[str, str], folder: Path, headers: list[str]) -> list[str | Path]:
    """The command that compiles a program which includes headers and does nothing."""
    source = folder / f"{headers[0].replace('/', '_')}-{len(headers)}.c"
    source.write_text("".join(f"#include <{header}>\n" for header in headers), encoding="utf-8")
    includes = [word for word in shlex.split(entry["command"]) if word.startswith("-I")]
    return ["gcc", "-O2", *includes, "-c", source, "-o", folder / "include.o"]


def parts() -> list[str]:
    """The public headers that can be included one by one."""
    found = {path.name for place in PUBLIC for path in (ROOT / place).glob("*.h")}
    return sorted(f"verbsx/{name}" for name in found if f"verbsx/{name}" != ALL)


def of_rdma_core() -> list[str]:
    """The headers of rdma-core that ours include where they are installed."""
    return [h for g in groups.load() if not g.provider for h in g.headers if Path("/usr/include", h).is_file()]


def included(entry: dict[str, str], repeats: int) -> Iterator[Figure]:
    """What a user's file takes more for our headers: all, and each alone, beside rdma-core's."""
    with tempfile.TemporaryDirectory() as folder:
        programs = {ALL: [ALL], VERBS: [VERBS], THEIRS: of_rdma_core()} | {part: [part] for part in parts()}
        runs = in_turns({name: include(entry, Path(folder), headers) for name, headers in programs.items()}, repeats)
    taken = {name: run.processor for name, run in runs.items()}
    heaviest = max(parts(), key=lambda part: taken[part])
    beside = [Beside(f"#include <{VERBS}>", taken[VERBS]), Beside(THEIRS, taken[THEIRS])]
    yield Figure(SECTION, f"#include <{ALL}>", taken[ALL], "s", "", beside)
    yield Figure(SECTION, f"#include <{ALL}>, of {VERBS}", taken[ALL] / taken[VERBS], "x", "<= 2")
    yield Figure(SECTION, f"#include <{ALL}>, of {THEIRS}", taken[ALL] / taken[THEIRS], "x")
    yield Figure(SECTION, f"the part that takes longest, <{heaviest}>, of {VERBS}", taken[heaviest] / taken[VERBS], "x", "< 2")


def figures(bench: Bench) -> Iterator[Figure]:
    """All generated files one after the other; what a user's file takes more for our headers."""
    entries = generated(bench)
    with tempfile.TemporaryDirectory() as folder:
        taken = sum(compile_seconds(entry, folder) for entry in entries)
    yield Figure(SECTION, f"generated C, {len(entries)} files", taken, "s", "< 5")
    yield from included(entries[0], bench.pace.repeats)
