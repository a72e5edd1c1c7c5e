# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""What it costs to reach rdma-core when it is needed, rather than to link with it."""

from __future__ import annotations

from collections.abc import Iterator
from statistics import median

from tests.bench.figure import Beside, Figure
from tests.bench.run import Bench, figures_of, tasks

LOADER = "loader: ibv_node_type_str()"
START = "start of a program, to its end"


def first_call(bench: Bench, mode: str) -> float:
    """Nanoseconds of the first call: a program has only one."""
    command = [bench.program(f"call-{mode}"), "1", "1"]
    return median(figures_of(command)["first"] for _ in range(bench.pace.starts))


def calls(bench: Bench) -> Iterator[Figure]:
    """The first and a later call, through the loader and linked."""
    later = {mode: tasks(bench, f"call-{mode}")["later"] for mode in ("loader", "direct")}
    yield Figure(LOADER, "first call (dlopen, dlvsym)", first_call(bench, "loader") / 1000, "us",
                 beside=[Beside("linked: the first call binds", first_call(bench, "direct") / 1000)])
    yield Figure(LOADER, "later call (through its slot)", later["loader"], "ns",
                 beside=[Beside("linked: a call", later["direct"])])


def start(bench: Bench) -> Figure:
    """A program that has names of libverbsx, beside one that has those of libibverbs."""
    programs = {name: str(bench.program(f"start-{name}")) for name in ("empty", "verbsx", "rdma-core")}
    taken = figures_of([bench.program("start"), str(bench.pace.starts), *programs.values()])
    taken = {name: taken[program] / 1e6 for name, program in programs.items()}
    return Figure(START, "linked with libverbsx.so", taken["verbsx"], "ms",
                  beside=[Beside("linked with libibverbs.so.1", taken["rdma-core"]),
                          Beside("an empty program", taken["empty"])])


def figures(bench: Bench) -> Iterator[Figure]:
    """All of these."""
    yield from calls(bench)
    yield start(bench)
