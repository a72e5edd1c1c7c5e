# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""A value's name, and a name's value."""

from __future__ import annotations

from collections.abc import Iterator

from tests.bench.figure import Beside, Figure
from tests.bench.run import Bench, tasks

NAMES = "value -> name"
PARSE = "name -> value"
CASES = {"status": "ibv_wc_status", "flag": "ibv_access_flags, one flag", "rate": "ibv_rate"}
RIVALS = {"rdma-core": "ibv_wc_status_str()", "switch": "a switch", "pointers": "a table of pointers"}
TEXTS = {"full": "IBV_WC_RETRY_EXC_ERR", "short": "retry_exc_err", "flags": "three flags, joined by |"}


def names(bench: Bench) -> Iterator[Figure]:
    """From either library, beside what programs have by hand."""
    for kind in ("shared", "static"):
        taken = tasks(bench, f"names-{kind}")
        for case, enum in CASES.items():
            rivals = [Beside(text, taken[f"{case}.{rival}"]) for rival, text in RIVALS.items()
                      if f"{case}.{rival}" in taken]
            yield Figure(NAMES, f"{enum}, {kind} library", taken[f"{case}.vx"], "ns", "<= 3", rivals)


def parse(bench: Bench) -> Iterator[Figure]:
    """From the shared library, beside a search by strcmp()."""
    taken = tasks(bench, "parse-shared")
    for case, text in TEXTS.items():
        by_hand = taken.get(f"{case}.by hand")
        rivals = [] if by_hand is None else [Beside("a search by hand, exact names only", by_hand)]
        yield Figure(PARSE, text, taken[f"{case}.vx"], "ns", beside=rivals)


def figures(bench: Bench) -> Iterator[Figure]:
    """Both ways."""
    yield from names(bench)
    yield from parse(bench)
