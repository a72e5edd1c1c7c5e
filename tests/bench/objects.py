# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""What a handle costs more than the object of rdma-core that it stands for."""

from __future__ import annotations

from collections.abc import Iterator

from tests.bench.figure import Beside, Figure
from tests.bench.run import Bench, figures_of

SECTION = "objects, on the emulated device"
KINDS = {"pd": "ibv_alloc_pd()", "cq": "ibv_create_cq()", "mr": "ibv_reg_mr()", "qp": "ibv_create_qp_ex()"}
SLOW = 100              # a round has so many times fewer than others
MORE_RATIO, MORE_NS = 1.05, 300
# Of handles that are closed at once. Caches hold a tenth of them better, or the figures would be equal.
MANY_FOR_EACH_TIME = 100
LINEAR = 2


def measured(bench: Bench) -> dict[str, float]:
    """What the program measures with the emulated device preloaded."""
    device = bench.build / "tests/emu/libverbsx-emu.so"
    numbers = (max(1, bench.pace.times // SLOW), bench.pace.rounds, bench.pace.times * MANY_FOR_EACH_TIME)
    settings = (f"LD_PRELOAD={device}", "VERBSX_EMU_FABRIC=none", "ASAN_OPTIONS=verify_asan_link_order=0")
    return figures_of(["env", *settings, bench.program("objects"), *map(str, numbers)])


def figures(bench: Bench) -> Iterator[Figure]:
    """One of each kind; many at once; the size of one."""
    taken = measured(bench)
    for kind, call in KINDS.items():
        raw = taken[f"{kind}.raw"]
        yield Figure(SECTION, f"{kind.upper()}, created and closed", taken[f"{kind}.vx"], "ns",
                     f"<= {max(raw * MORE_RATIO, raw + MORE_NS):.0f}", [Beside(call, raw)])
    many, tenth = bench.pace.times * MANY_FOR_EACH_TIME, taken["close.tenth"]
    yield Figure(SECTION, f"closing {many} AHs with their PD, one", taken["close.all"], "ns",
                 f"<= {LINEAR * tenth:.1f}", [Beside(f"of {many // 10}", tenth)])
    yield Figure(SECTION, "handle of a QP of a PD and two CQs", taken["size"], "bytes", "<= 192")
