# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Running things: how often, for how long, and what they take."""

from __future__ import annotations

import resource
import subprocess
import time
from collections.abc import Sequence
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


def quiet(command: Sequence[str | Path]) -> None:
    """Run a command for its time alone."""
    subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=True)


def seconds(commands: dict[str, Sequence[str | Path]], repeats: int) -> dict[str, float]:
    """What each command takes: the median of several runs, in turns, after one that does not count."""
    taken: dict[str, list[float]] = {name: [] for name in commands}
    for _ in range(repeats + 1):
        for name, command in commands.items():
            start = time.perf_counter()
            quiet(command)
            taken[name].append(time.perf_counter() - start)
    return {name: median(values[1:]) for name, values in taken.items()}


def processor_seconds(command: Sequence[str | Path], folder: str) -> float:
    """Processor time that a command and its children take."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
