# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""Running things: how often, for how long, and what they take."""

from __future__ import annotations

import resource
import subprocess
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median


@dataclass(frozen=True)
class Pace:
    """How much is done for each figure."""
    times: int          # a task in a round of a program
    rounds: int         # of a program
    starts: int         # of each program that is only started
    repeats: int        # of a whole command


@dataclass(frozen=True)
class Taken:
    """What a command took, in seconds."""
    elapsed: float
    processor: float    # its own and that of its children


FULL = Pace(times=10000, rounds=101, starts=200, repeats=9)
QUICK = Pace(times=10, rounds=3, starts=2, repeats=1)


@dataclass(frozen=True)
class Bench:
    """What is measured: a folder that CMake has built verbsx-bench in."""
    build: Path
    pace: Pace

    def program(self, name: str) -> Path:
        """A program of CMakeLists.txt."""
        return self.build / "tests/bench" / f"bench-{name}"

    @property
    def library(self) -> Path:
        """The shared library."""
        return self.build / "libverbsx.so"


def output(command: Sequence[str | Path]) -> str:
    """What a command prints; its failure is ours."""
    return subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout


def figures_of(command: Sequence[str | Path]) -> dict[str, float]:
    """What a program of c/ measured, by task, in nanoseconds."""
    rows = (line.rsplit("\t", 1) for line in output(command).splitlines())
    return {name: float(value) for name, value in rows}


def tasks(bench: Bench, name: str, slow: int = 1) -> dict[str, float]:
    """What a program of c/ measures at this pace; its tasks are done less often the slower they are."""
    times = max(1, bench.pace.times // slow)
    return figures_of([bench.program(name), str(times), str(bench.pace.rounds)])


def timed(command: Sequence[str | Path], folder: str | None = None) -> Taken:
    """Run a command for its time alone."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=True)
    elapsed, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    return Taken(elapsed, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)


def in_turns(commands: Mapping[str, Sequence[str | Path]], repeats: int) -> dict[str, Taken]:
    """What each command takes: the median of several runs, in turns, after one that does not count."""
    taken: dict[str, list[Taken]] = {name: [] for name in commands}
    for _ in range(repeats + 1):
        for name, command in commands.items():
            taken[name].append(timed(command))
    return {name: Taken(median(run.elapsed for run in runs[1:]), median(run.processor for run in runs[1:]))
            for name, runs in taken.items()}
