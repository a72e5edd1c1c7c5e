#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""What two processes with an emulated device each cost, by perftest's programs.

usage: pair.py LIBRARY [LIBRARY-BEFORE]
       pair.py LIBRARY --promised

Each process has a core of its own, where there are two. With a second library, the two are measured in turn, as a
machine is never the same twice, and the better of its runs counts for each. With --promised each figure has to be reached
that users are told, in one of several runs, as other programs may have the cores in some; where they have them in all, it is skipped (77).
"""

import os
import resource
import socket
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass

ROUNDS = 3
TRIES = 10
SKIPPED = 77
BUSY = 2  # so many that want each core, these two processes among them
ADDRESS = "127.0.0.1"


@dataclass(frozen=True)
class Measurement:
    name: str
    program: tuple[str, ...]
    messages: int
    column: int  # of perftest's line of figures
    higher_is_better: bool
    unit: str
    promised: float
    factor: float = 1


MEASUREMENTS = (
    Measurement("latency, 64 bytes, median", ("ib_send_lat", "-s", "64"), 5000, 4, False, "us", 25),
    Measurement("rate, 64 bytes", ("ib_send_bw", "-s", "64"), 100000, 4, True, "messages/s", 150e3, 1e6),
    Measurement("writes of 64 KiB", ("ib_write_bw", "-s", "65536"), 100000, 3, True, "MB/s", 2000),
)


def free_port() -> int:
    with socket.socket() as s:
        s.bind((ADDRESS, 0))
        return s.getsockname()[1]


def await_listener(port: int) -> None:
    wanted = f":{port:04X} 00000000:0000 0A"
    for _ in range(400):
        with open("/proc/net/tcp") as f4, open("/proc/net/tcp6") as f6:
            if wanted in f4.read() or f":{port:04X} {'0' * 32}:0000 0A" in f6.read():
                return
        time.sleep(0.02)
    raise SystemExit("the server does not listen")


def on_core(number: int) -> list[str]:
    cores = sorted(os.sched_getaffinity(0))
    return ["taskset", "-c", str(cores[number % len(cores)])]


def figure(m: Measurement, output: str) -> float:
    """The last line of numbers is perftest's result."""
    lines = [line.split() for line in output.splitlines() if line.split()[:1] and line.split()[0].isdigit()]
    if not lines:
        raise SystemExit(f"{m.program[0]} has no result:\n{output}")
    return float(lines[-1][m.column]) * m.factor


def run(m: Measurement, library: str) -> tuple[float, float]:
    """The figure, and the microseconds of CPU that both processes took for a message."""
    port = free_port()
    with tempfile.TemporaryDirectory() as folder:
        environment = os.environ | {"LD_PRELOAD": library, "TMPDIR": folder}
        command = [*m.program, "-n", str(m.messages), "-p", str(port)]
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        with subprocess.Popen(on_core(0) + command, env=environment, stdout=subprocess.DEVNULL) as server:
            await_listener(port)
            client = subprocess.run([*on_core(1), *command, ADDRESS], env=environment, check=True,
                                    capture_output=True, text=True)
            if server.wait(30):
                raise SystemExit(f"{m.program[0]}: the server failed")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return figure(m, client.stdout), seconds / m.messages * 1e6


def best(m: Measurement, runs: list[tuple[float, float]]) -> tuple[float, float]:
    return max(runs) if m.higher_is_better else min(runs)


def is_kept(m: Measurement, value: float) -> bool:
    return value >= m.promised if m.higher_is_better else value <= m.promised


def hold_to_promises(library: str) -> None:
    for m in MEASUREMENTS:
        runs = []
        while len(runs) < TRIES and not (runs and is_kept(m, runs[-1][0])):
            runs.append(run(m, library))
        value, _ = best(m, runs)
        print(f"{m.name}: {value:.1f} {m.unit} after {len(runs)} runs, {m.promised:.0f} are promised", flush=True)
        if is_kept(m, value):
            continue
        load = os.getloadavg()[0]
        print(f"{m.name}: not in {TRIES} runs, at a load of {load:.1f}")
        sys.exit(SKIPPED if load > BUSY * (os.cpu_count() or 1) else 1)


def main() -> None:
    if len(sys.argv) == 3 and sys.argv[2] == "--promised":
        hold_to_promises(os.path.abspath(sys.argv[1]))
        return
    if len(sys.argv) not in (2, 3):
        raise SystemExit(__doc__)
    libraries = [os.path.abspath(path) for path in sys.argv[1:]]
    print(f"load {os.getloadavg()[0]:.1f}, {os.cpu_count()} cores")
    for m in MEASUREMENTS:
        runs: dict[str, list[tuple[float, float]]] = {library: [] for library in libraries}
        for _ in range(ROUNDS):
            for library in libraries:
                runs[library].append(run(m, library))
        for library, label in zip(libraries, ("", " before")):
            value, cpu = best(m, runs[library])
            print(f"{m.name + label:34} {value:10.{1 if value < 100 else 0}f} {m.unit:10} {cpu:8.1f} us of CPU a message")


if __name__ == "__main__":
    main()
