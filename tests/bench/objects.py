# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""What a handle costs more than the object of rdma-core that it stands for."""

from __future__ import annotations

from collections.abc import Iterator

from tests.bench.figure import Beside, Figure
from tests.bench.run import Bench, figures_of

SECTION = "objects, on the emulated device"
ALONE = "objects, with functions that do nothing in the place of rdma-core"
KINDS = {"pd": "ibv_alloc_pd()", "cq": "ibv_create_cq()", "mr": "ibv_reg_mr()", "qp": "ibv_create_qp_ex()",
         "ah": "ibv_create_ah()"}
SLOW = 100              # a round has so many times fewer than others
MORE_NS = 250
# Of handles that are closed at once. Caches hold a tenth of them better, or the figures would be equal.
MANY_FOR_EACH_TIME = 100
LINEAR = 2
# Of events; what one costs must not depend on how many objects there are.
FEW_OBJECTS, OBJECTS_FOR_EACH_TIME = 10, 1
AS_FEW, AGAIN_NS = 1.25, 50


def measured(bench: Bench, program: str, many: int) -> dict[str, float]:
    """What a program measures with the emulated device preloaded."""
    device = bench.build / "tests/emu/libverbsx-emu.so"
    numbers = (max(1, bench.pace.times // SLOW), bench.pace.rounds, many)
    settings = (f"LD_PRELOAD={device}", "VERBSX_EMU_FABRIC=none", "ASAN_OPTIONS=verify_asan_link_order=0")
    return figures_of(["env", *settings, bench.program(program), *map(str, numbers)])


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
    taken = figures_of([bench.program("handles"), str(bench.pace.times), str(bench.pace.rounds)])
    for kind in KINDS:
        yield Figure(ALONE, f"{kind.upper()}, created and closed: more than nothing", taken[f"{kind}.more"], "ns",
                     f"<= {MORE_NS}", [Beside("calls that do nothing", taken[f"{kind}.raw"])])


def figures(bench: Bench) -> Iterator[Figure]:
    """One of each kind; many at once; the size of one; events."""
    yield from alone(bench)
    taken = measured(bench, "objects", bench.pace.times * MANY_FOR_EACH_TIME)
    for kind, call in KINDS.items():
        yield Figure(SECTION, f"{kind.upper()}, created and closed: more than raw", taken[f"{kind}.more"], "ns",
                     f"<= {MORE_NS}", [Beside(call, taken[f"{kind}.raw"])])
    many, tenth = bench.pace.times * MANY_FOR_EACH_TIME, taken["close.tenth"]
    yield Figure(SECTION, f"closing {many} AHs with their PD, one", taken["close.all"], "ns",
                 f"<= {LINEAR * tenth:.1f}", [Beside(f"of {many // 10}", tenth)])
    yield Figure(SECTION, "handle of a QP of a PD and two CQs", taken["size"], "bytes", "<= 192")
    yield from of_events(bench)
