# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""What it costs that calls could be traced, while nobody traces: beside a library that was built without tracing."""

from __future__ import annotations

from collections.abc import Iterator
from statistics import median

from tests.bench.figure import Beside, Figure
from tests.bench.objects import KINDS, SLOW
from tests.bench.run import Bench, figures_of

SECTION = "tracing switched off, on the emulated device"
PROGRAMS = ("traced", "untraced")
TURNS, ROUNDS = 51, 5               # short turns: what else the machine does changes both alike
MORE_RATIO, MORE_NS = 1.02, 20      # of the two branches of a pair, next to none of which should show


def measured(bench: Bench) -> dict[str, dict[str, float]]:
    """What both programs measure: the median of several runs, in turns."""
    settings = (f"LD_PRELOAD={bench.build / 'tests/emu/libverbsx-emu.so'}", "VERBSX_EMU_FABRIC=none",
                "ASAN_OPTIONS=verify_asan_link_order=0")
    numbers = (max(1, bench.pace.times // SLOW), min(ROUNDS, bench.pace.rounds), 10)
    turns: dict[str, list[dict[str, float]]] = {name: [] for name in PROGRAMS}
    for _ in range(min(TURNS, bench.pace.rounds)):
        for name, taken in turns.items():
            taken.append(figures_of(["env", "-u", "VERBSX_TRACE", *settings, bench.program(f"objects-{name}"),
                                     *map(str, numbers)]))
    return {name: {task: median(t[task] for t in taken) for task in taken[0]} for name, taken in turns.items()}


def figures(bench: Bench) -> Iterator[Figure]:
    """One of each kind."""
    taken = measured(bench)
    for kind in KINDS:
        traced, without = (taken[name][f"{kind}.vx"] for name in PROGRAMS)
        yield Figure(SECTION, f"{kind.upper()}, created and closed", traced, "ns",
                     f"<= {max(without * MORE_RATIO, without + MORE_NS):.0f}", [Beside("built without tracing", without)])
