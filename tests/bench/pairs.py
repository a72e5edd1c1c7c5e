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
from functools import partial
from pathlib import Path

from tests.bench.run import Bench

SIZE = 4096
SIZES = [64, SIZE, 65536, 1 << 20]  # bytes of a write
MOST_WRITTEN = 1 << 28  # bytes, in a run
SMALL = 64              # bytes of a read, of which nothing but the way there and back takes time
PATIENCE = 120          # seconds, for a run
LISTENS = "0A"          # as /proc/net/tcp has it
TABLES = [Path("/proc/net/tcp"), Path("/proc/net/tcp6")]
RUNS = 4                # for each repeat: where others have the cores, a short run is left alone sooner than a long one


@dataclass(frozen=True)
class Program:
    """How a program is called on either side but for the host, and what its client says, as nanoseconds for one turn or write."""
    command: Sequence[str | Path]
    says: Callable[[str], float]


def _turn_of_json(told: str) -> float:
    """Of all bits that went there and back, as libverbsx's programs count them."""
    return 2 * SIZE * 8 / float(json.loads(told)["gbps"])


def _of_words(told: str) -> float:
    found = re.search(r"= ([0-9.]+) usec/iter", told)
    if not found:
        raise ValueError(f"no time in: {told}")
    return float(found[1]) * 1000


def _listens(port: int) -> bool:
    rows = [line.split() for table in TABLES if table.exists() for line in table.read_text(encoding="ascii").splitlines()[1:]]
    return any(row[3] == LISTENS and int(row[1].rpartition(":")[2], 16) == port for row in rows)


def _wait_for(server: subprocess.Popen[bytes], port: int) -> None:
    """Its client may be one that does not."""
    end = time.monotonic() + PATIENCE
    while not _listens(port) and server.poll() is None and time.monotonic() < end:
        time.sleep(0.01)


def _run(program: Program, port: int, environment: dict[str, str]) -> float:
    command = [*program.command, "-p", str(port)]
    with subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL) as server:
        try:
            _wait_for(server, port)
            told = subprocess.run([*command, "localhost"], env=environment, stdout=subprocess.PIPE, text=True, check=True, timeout=PATIENCE).stdout
            server.wait(PATIENCE)
        finally:
            server.kill()
    return program.says(told)


def _write_of_json(told: str) -> float:
    row = json.loads(told)
    return row["size"] * 8 / float(row["gbps"])


def _read_of_json(told: str) -> float:
    return float(json.loads(told)["p50_us"]) * 1000


def _column(size: int, column: int, told: str) -> float:
    """Of the only row of a program of perftest."""
    return float(next(line.split() for line in told.splitlines() if line.split()[:1] == [str(size)])[column])


def _write_of_row(size: int, told: str) -> float:
    """Of one that was told --report_gbits, by the average."""
    return size * 8 / _column(size, 3, told)


def _read_of_row(told: str) -> float:
    return _column(SMALL, 4, told) * 1000


def _least(bench: Bench, programs: Sequence[Program]) -> tuple[float, ...]:
    """What each of them says, the best of runs in turns, as others on the machine make all longer and none shorter; who is first changes."""
    environment = {**os.environ, "LD_PRELOAD": str(bench.build / "tests/emu/libverbsx-emu.so"), "VERBSX_EMU_FABRIC": f"bench{os.getpid()}",
                   "ASAN_OPTIONS": "verify_asan_link_order=0"}
    port = 10000 + os.getpid() % 22000  # below those that the system gives to whoever connects
    said: dict[Program, list[float]] = {program: [] for program in programs}
    for turn in range(RUNS * bench.pace.repeats):
        for n, program in enumerate(programs[::-1] if turn % 2 else programs):
            said[program].append(_run(program, port + n, environment))
    return tuple(min(said[program]) for program in programs)


def _beside(bench: Bench, own: tuple[str, Callable[[str], float]], other: tuple[str, Callable[[str], float]], options: Sequence[str],
            more: Sequence[str] = ()) -> tuple[float, ...] | None:
    """A program of examples, and one that everybody knows with more options; nothing where there is not both."""
    found, ours = shutil.which(other[0]), bench.build / "examples/pingpong" / own[0]
    if not found or not ours.exists():
        return None
    return _least(bench, [Program((ours, *options, "--no-check", "--json"), own[1]), Program((found, *options, *more), other[1])])


def rc_pingpong(bench: Bench, times: int) -> tuple[float, ...] | None:
    """That of examples, and Debian's: nanoseconds there and back."""
    return _beside(bench, ("rc_pingpong", _turn_of_json), ("ibv_rc_pingpong", _of_words), ["-s", str(SIZE), "-n", str(times)])


def write_bw(size: int, bench: Bench, times: int) -> tuple[float, ...] | None:
    """
    That of examples, and perftest's: nanoseconds for a write. Both write from one buffer that was written to, with as many under way, none
    of them inline, and a completion each.
    """
    count = max(10, min(times, MOST_WRITTEN // size))
    return _beside(bench, ("write_bw", _write_of_json), ("ib_write_bw", partial(_write_of_row, size)), ["-s", str(size), "-n", str(count)],
                   ["-F", "-t", "64", "-Q", "1", "-I", "0", "--report_gbits"])


def read_lat(bench: Bench, times: int) -> tuple[float, ...] | None:
    """That of examples, and perftest's: nanoseconds for a read, the median of a run."""
    return _beside(bench, ("read_lat", _read_of_json), ("ib_read_lat", _read_of_row), ["-s", str(SMALL), "-n", str(times)], ["-F"])
