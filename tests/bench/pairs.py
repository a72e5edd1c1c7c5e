# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""Programs of examples/pingpong beside those that everybody knows, each with its peer, in turns on the emulated device."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.bench.run import Bench

SIZE = 4096
BEGIN = 0.5             # seconds that a server has, whose client does not wait for it
PATIENCE = 120          # seconds, for a run


@dataclass(frozen=True)
class Program:
    """How a program is called on either side but for the host, and what its client says, as nanoseconds for one turn or write."""
    command: Sequence[str | Path]
    says: Callable[[str], float]


def _of_json(times: int) -> Callable[[str], float]:
    """Of all bits that went there and back, as libverbsx's programs count them."""
    return lambda told: 2 * SIZE * times * 8 / float(json.loads(told)["gbps"]) / times


def _of_words(told: str) -> float:
    found = re.search(r"= ([0-9.]+) usec/iter", told)
    if not found:
        raise ValueError(f"no time in: {told}")
    return float(found[1]) * 1000


def _run(program: Program, port: int, environment: dict[str, str]) -> float:
    command = [*program.command, "-p", str(port)]
    with subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL) as server:
        try:
            time.sleep(BEGIN)
            told = subprocess.run([*command, "localhost"], env=environment, stdout=subprocess.PIPE, text=True, check=True, timeout=PATIENCE).stdout
            server.wait(PATIENCE)
        finally:
            server.kill()
    return program.says(told)


def _write_of_json(told: str) -> float:
    return SIZE * 8 / float(json.loads(told)["gbps"])


def _write_of_row(told: str) -> float:
    """Of the only row of a program of perftest that was told --report_gbits, by the average."""
    row = next(line.split() for line in told.splitlines() if line.split()[:1] == [str(SIZE)])
    return SIZE * 8 / float(row[3])


def _in_turns(bench: Bench, programs: Sequence[Program]) -> list[list[float]]:
    """What each of them says, run after run, as others on the machine make all longer."""
    environment = {**os.environ, "LD_PRELOAD": str(bench.build / "tests/emu/libverbsx-emu.so"), "VERBSX_EMU_FABRIC": f"bench{os.getpid()}",
                   "ASAN_OPTIONS": "verify_asan_link_order=0"}
    port = 20000 + os.getpid() % 40000
    return [[_run(program, port + n, environment) for n, program in enumerate(programs)] for _ in range(bench.pace.repeats)]


def _both(bench: Bench, other: str, name: str) -> tuple[str, Path] | None:
    """A program that everybody knows, and that of examples; nothing where there is not both."""
    found, own = shutil.which(other), bench.build / "examples/pingpong" / name
    return (found, own) if found and own.exists() else None


def rc_pingpong(bench: Bench, times: int) -> tuple[float, float] | None:
    """That of examples, and Debian's: the best of several runs in turns; nothing where there is no other."""
    both = _both(bench, "ibv_rc_pingpong", "rc_pingpong")
    if not both:
        return None
    runs = _in_turns(bench, [Program([both[1], "-s", str(SIZE), "-n", str(times), "--no-check", "--json"], _of_json(times)),
                             Program([both[0], "-s", str(SIZE), "-n", str(times)], _of_words)])
    ours, theirs = (min(run[n] for run in runs) for n in range(2))
    return ours, theirs


def write_bw(bench: Bench, times: int) -> tuple[float, float] | None:
    """That of examples, and perftest's: nanoseconds for a write, the best of several runs in turns; nothing where there is no perftest."""
    both = _both(bench, "ib_write_bw", "write_bw")
    if not both:
        return None
    runs = _in_turns(bench, [Program([both[1], "-s", str(SIZE), "-n", str(times), "--no-check", "--json"], _write_of_json),
                             Program([both[0], "-F", "-s", str(SIZE), "-n", str(times), "-t", "64", "-Q", "1", "--report_gbits"], _write_of_row)])
    ours, theirs = (min(run[n] for run in runs) for n in range(2))
    return ours, theirs
