# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""What two processes with an emulated device each reach, of which its manual tells: elapsed time, each having a core of its own."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import tempfile
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import ModuleType

from tests.bench.figure import Figure
from tests.bench.run import Bench

SECTION = "the emulated device, two processes"
PAIR = Path(__file__).resolve().parents[1] / "emu/bench/pair.py"
RUNS = 3                # of each program, the best of which counts: others may have had the cores
SETTLE, IDLE = 6.0, 2.0  # seconds: until the device sleeps longest, and how long it is looked at then
LEAST, FEW = 0.2, 1000  # seconds and messages, where it is only tried that all this can be measured
WRITE = 65536           # bytes


def _pair() -> ModuleType:
    """tests/emu/bench/pair.py, which is no part of a package: the device is built alone as well."""
    spec = importlib.util.spec_from_file_location("pair", PAIR)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _us(value: float, unit: str) -> float:
    """A figure of perftest as time, of which less is better: for a message or a write."""
    if unit == "us":
        return value
    return 1e6 / value if unit == "messages/s" else WRITE / value


def _processor(pid: int) -> float:
    """Milliseconds of processor time that all threads of a process have had."""
    tasks = Path(f"/proc/{pid}/task").iterdir()
    return sum(int((task / "schedstat").read_text().split()[0]) for task in tasks) / 1e6


def _idle(library: Path, settle: float, seconds: float) -> float:
    """Milliseconds of processor time for each second in which a process with an open device does nothing."""
    with tempfile.TemporaryDirectory() as folder:
        environment = os.environ | {"LD_PRELOAD": str(library), "TMPDIR": folder}
        with subprocess.Popen(["ibv_asyncwatch"], env=environment, stdout=subprocess.DEVNULL) as process:
            time.sleep(settle)
            before = _processor(process.pid)
            time.sleep(seconds)
            after = _processor(process.pid)
            process.terminate()
    return (after - before) / seconds


def figures(bench: Bench) -> Iterator[Figure]:
    """Those of perftest, and what a process takes that does nothing."""
    pair, library = _pair(), bench.build / "tests/emu/libverbsx-emu.so"
    quick = bench.pace.repeats == 1
    for m in pair.MEASUREMENTS:
        runs = [pair.run(replace(m, messages=FEW) if quick else m, str(library)) for _ in range(1 if quick else RUNS)]
        value, _ = pair.best(m, runs)
        name = m.name if m.unit == "us" else f"{m.name}: {value:.0f} {m.unit}"
        yield Figure(SECTION, name, _us(value, m.unit), "us", f"<= {_us(m.promised, m.unit):.1f}")
    idle = _idle(library, *((LEAST, LEAST) if quick else (SETTLE, IDLE)))
    yield Figure(SECTION, "a second in which nothing happens", idle, "ms", "<= 5")
