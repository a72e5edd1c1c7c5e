# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""What a handle costs more than the object of rdma-core that it stands for."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from statistics import median

from tests.bench.figure import Beside, Figure
from tests.bench.run import Bench, figures_of

SECTION = "objects, on the emulated device"
ALONE = "objects, with functions that do nothing in the place of rdma-core"
KINDS = {"pd": "ibv_alloc_pd()", "cq": "ibv_create_cq()", "mr": "ibv_reg_mr()", "qp": "ibv_create_qp_ex()",
         "ah": "ibv_create_ah()"}
SLOW = 100              # a round has so many times fewer than others
MORE_NS = 250
# Of a program that measures pairs. Where things lie is another in each, and now and then the machine is slow for a whole one.
RUNS = 11
# Of handles that are closed at once. Caches hold a tenth of them better, or the figures would be equal.
MANY_FOR_EACH_TIME = 100
LINEAR = 2
# Of events; what one costs must not depend on how many objects there are.
FEW_OBJECTS, OBJECTS_FOR_EACH_TIME = 10, 1
AS_FEW, AGAIN_NS = 1.25, 50


def measured(bench: Bench, program: str, many: int, rounds: int = 0) -> dict[str, float]:
    """What a program measures with the emulated device preloaded."""
    device = bench.build / "tests/emu/libverbsx-emu.so"
    numbers = (max(1, bench.pace.times // SLOW), rounds or bench.pace.rounds, many)
    settings = (f"LD_PRELOAD={device}", "VERBSX_EMU_FABRIC=none", "ASAN_OPTIONS=verify_asan_link_order=0")
    return figures_of(["env", *settings, bench.program(program), *map(str, numbers)])


def runs_of(bench: Bench, run: Callable[[int], dict[str, float]]) -> list[dict[str, float]]:
    """What a program measures in each of several runs, of which each has its part of the rounds."""
    count = min(RUNS, bench.pace.rounds)
    return [run(max(1, bench.pace.rounds // count)) for _ in range(count)]


def more(section: str, kind: str, than: str, call: str, runs: list[dict[str, float]]) -> Figure:
    """What one of a kind takes more than raw: the median of the runs; half of them lie between the two behind it."""
    taken = sorted(run[f"{kind}.more"] for run in runs)
    raw = median(run[f"{kind}.raw"] for run in runs)
    return Figure(section, f"{kind.upper()}, created and closed: more than {than}", median(taken), "ns", f"<= {MORE_NS}",
                  [Beside(call, raw), Beside("a quarter of the runs is below", taken[len(taken) // 4]),
                   Beside("a quarter of the runs is above", taken[-1 - len(taken) // 4])])


def of_events(bench: Bench) -> Iterator[Figure]:
    """An event beside few objects and many; and none."""
    many = max(FEW_OBJECTS, bench.pace.times * OBJECTS_FOR_EACH_TIME)
    taken = measured(bench, "events", many)
    yield Figure(SECTION, f"event of a QP beside {many} objects", taken["event.many"], "ns",
                 f"<= {AS_FEW * taken['event.few']:.0f}",
                 [Beside(f"beside {FEW_OBJECTS}", taken["event.few"]), Beside("ibv_get_async_event()", taken["event.raw"])])
    yield Figure(SECTION, "no event: -EAGAIN", taken["again.vx"], "ns", f"<= {taken['again.raw'] + AGAIN_NS:.0f}",
                 [Beside("poll()", taken["again.raw"])])


def alone(bench: Bench) -> Iterator[Figure]:
    """What libverbsx itself takes for one of each kind: no system call has emptied caches, nor does a device make noise."""
    runs = runs_of(bench, lambda rounds: figures_of([bench.program("handles"), str(bench.pace.times), str(rounds)]))
    for kind in KINDS:
        yield more(ALONE, kind, "nothing", "calls that do nothing", runs)


def figures(bench: Bench) -> Iterator[Figure]:
    """One of each kind; many at once; the size of one; events."""
    yield from alone(bench)
    runs = runs_of(bench, lambda rounds: measured(bench, "objects", FEW_OBJECTS, rounds))
    for kind, call in KINDS.items():
        yield more(SECTION, kind, "raw", call, runs)
    taken = measured(bench, "objects", bench.pace.times * MANY_FOR_EACH_TIME, 1)
    many, tenth = bench.pace.times * MANY_FOR_EACH_TIME, taken["close.tenth"]
    yield Figure(SECTION, f"closing {many} AHs with their PD, one", taken["close.all"], "ns",
                 f"<= {LINEAR * tenth:.1f}", [Beside(f"of {many // 10}", tenth)])
    yield Figure(SECTION, "handle of a QP of a PD and two CQs", taken["size"], "bytes", "<= 192")
    yield from of_events(bench)
