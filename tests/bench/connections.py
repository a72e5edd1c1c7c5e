# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""What connections of librdmacm cost more by handles; and whether an event's cost depends on how many ids there are."""

from __future__ import annotations

from collections.abc import Iterator

from tests.bench.figure import Beside, Figure
from tests.bench.objects import measured
from tests.bench.run import Bench

SECTION = "connections of librdmacm, on the emulated device"
RATIO = 1.05            # of all that a connection takes, from the id to its end
FEW_IDS, IDS_FOR_EACH_TIME = 10, 1
AS_FEW = 1.25


def figures(bench: Bench) -> Iterator[Figure]:
    """One thread, eight, and events."""
    many = max(FEW_IDS, bench.pace.times * IDS_FOR_EACH_TIME)
    taken = measured(bench, "connects", many)
    for name, ours, raw in (("1 thread", taken["connect.raw"] + taken["connect.more"], taken["connect.raw"]),
                            ("8 threads", taken["threads.vx"], taken["threads.raw"])):
        yield Figure(SECTION, f"connected and ended, {name}", ours, "ns", f"<= {RATIO * raw:.0f}", [Beside("librdmacm", raw)])
    yield Figure(SECTION, f"event beside {many} ids", taken["event.many"], "ns", f"<= {AS_FEW * taken['event.few']:.0f}",
                 [Beside(f"beside {FEW_IDS}", taken["event.few"]), Beside("librdmacm, beside as many", taken["event.many.raw"]),
                  Beside(f"librdmacm, beside {FEW_IDS}", taken["event.few.raw"])])
