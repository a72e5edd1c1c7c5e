# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""Posting and polling through handles, beside rdma-core's: in instructions, which are exact on any machine, and in time."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from tests.bench.figure import Beside, Figure
from tests.bench.pairs import SIZES, SMALL, rc_pingpong, read_lat, write_bw
from tests.bench.run import Bench, figures_of, tasks

COUNTED = "data path, with a provider that does nothing: instructions, as valgrind counts them"
TIMED = "data path, with a provider that does nothing"
ON_DEVICE = "data path, on the emulated device"
LIST = 16               # of datapath.c: what each task does as often, or how long its list is
TIMES = 100             # that valgrind counts, of datapath.c
SLOW = 10
SOME = 20               # QPs of 1,000, of datapath_device.c
ROUNDED = 0.01         # as a target is written
FULL_NS, WAKE_RATIO, DEVICE_RATIO = 500, 1.08, 1.02

# Of each the raw object is read, which raw programs have in a register. Before that it is asked whether there is one, a test and a branch of
# each unless the compiler takes that out of the loop: without one a raw program crashes, and a checked QP says which argument is NULL.
WITH_HANDLES = 2 * LIST + 4

# Task -> what it is, what is one of it, how many instructions more it may have (a load of the front, and where a loop begins is padded by
# compilers), and what it is compared with.
UNCHECKED = {
    "list16": ("list of 16 writes, one entry each", 1, 2, "ibv_wr_*()"),
    "list1": ("list of one write", LIST, 2, "ibv_wr_*()"),
    "copies16": ("list of 16 copies by mlx5", 1, 2, "mlx5dv_wr_memcpy()"),
    "copies1": ("list of one copy by mlx5", LIST, 3, "mlx5dv_wr_memcpy()"),
    "dc16": ("list of 16 writes to DCTs, of which each reads a handle", 1, LIST + 2, "ibv_wr_*(), mlx5dv_wr_set_dc_addr()"),
    "lists16": ("list of 16 keys by lists, of which each reads a handle", 1, WITH_HANDLES, "mlx5dv_wr_mr_list()"),
    "strides16": ("list of 16 keys by strides, of which each reads a handle", 1, WITH_HANDLES, "mlx5dv_wr_mr_interleaved()"),
    "raws16": ("list of 16 raw WQEs", 1, 2, "mlx5dv_wr_raw_wqe()"),
    "keys16": ("list of 16 keys with four setters, of which each reads a handle", 1, WITH_HANDLES, "mlx5dv_wr_mkey_configure(), mlx5dv_wr_set_mkey_*()"),
    "layouts16": ("list of 16 keys with a layout by strides, of which each reads a handle", 1, WITH_HANDLES, "mlx5dv_wr_mkey_configure(), mlx5dv_wr_set_mkey_layout_interleaved()"),
    "streams16": ("list of 16 writes to DCTs by streams, of which each reads a handle", 1, WITH_HANDLES, "ibv_wr_*(), mlx5dv_wr_set_dc_addr_stream()"),
    "post": ("write posted in one line", LIST, 2, "filling a request, ibv_post_send()"),
    "poll": ("16 completions of an extended CQ", 1, 0, "ibv_start_poll(), ibv_next_poll()"),
    "structures": ("one completion as a structure", LIST, 2, "ibv_poll_cq()"),
}
# The checked form, where this libverbsx has it: beside a list, one completion is polled, by which its requests are done.
CHECKED = {
    "checked16": ("checked: list of 16 writes, and one completion", 1, 16 * 60 + 120, "ibv_wr_*(), ibv_poll_cq()"),
    "checked1": ("checked: list of one write, and one completion", LIST, 180, "ibv_wr_*(), ibv_poll_cq()"),
}


def dumped(path: Path) -> tuple[str, float]:
    """The name of a dump of callgrind, and how many instructions it is of."""
    lines = path.read_text(encoding="utf-8").splitlines()
    trigger, totals = (next(line for line in lines if line.startswith(word)) for word in ("desc: Trigger:", "totals:"))
    return trigger.rpartition(" ")[2], float(totals.rpartition(" ")[2])


def instructions(bench: Bench) -> dict[str, float]:
    """Those of each task, once; nothing where there is no valgrind."""
    if not shutil.which("valgrind"):
        return {}
    with tempfile.TemporaryDirectory() as folder:
        command = ["valgrind", "-q", "--tool=callgrind", f"--callgrind-out-file={folder}/out", bench.program("datapath"), "instructions"]
        subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=True)
        totals = dict(dumped(path) for path in Path(folder).iterdir())
    return {name: (total - totals[f"nothing.{name.rpartition('.')[2]}"]) / TIMES for name, total in totals.items() if "." in name}


def counted(bench: Bench) -> Iterator[Figure]:
    taken = instructions(bench)
    for task, (what, units, more, other) in {**UNCHECKED, **CHECKED}.items():
        if f"{task}.vx" in taken:
            vx, raw = (taken[f"{task}.{which}"] / units for which in ("vx", "raw"))
            yield Figure(COUNTED, what, vx, "instructions", f"<= {raw + more + ROUNDED:.2f}", [Beside(other, raw)])


def timed(bench: Bench) -> Iterator[Figure]:
    taken = tasks(bench, "datapath")
    for task, (what, units, _, other) in {**UNCHECKED, **CHECKED}.items():
        if f"{task}.vx" in taken:
            yield Figure(TIMED, what, taken[f"{task}.vx"] / units, "ns", "", [Beside(other, taken[f"{task}.raw"] / units)])
    yield Figure(TIMED, "queue full: -EAGAIN, with its message", taken["full.vx"], "ns", f"<= {FULL_NS}", [Beside("ENOMEM", taken["full.raw"])])


def on_device(bench: Bench) -> Iterator[Figure]:
    """Elapsed time: a busy machine makes it longer, of both alike."""
    settings = (f"LD_PRELOAD={bench.build / 'tests/emu/libverbsx-emu.so'}", "VERBSX_EMU_FABRIC=none", "ASAN_OPTIONS=verify_asan_link_order=0")
    taken = figures_of(["env", *settings, bench.program("datapath-device"), str(max(1, bench.pace.times // SLOW))])
    raw = taken["pingpong.raw"]
    yield Figure(ON_DEVICE, "8 bytes there and back", taken["pingpong.vx"], "ns", f"<= {raw * DEVICE_RATIO:.0f}", [Beside("ibv_post_send(), ibv_poll_cq()", raw)])
    raw = taken["wake.raw"]
    yield Figure(ON_DEVICE, "a poller that slept, from a post on", taken["wake.vx"], "ns", f"<= {raw * WAKE_RATIO:.0f}", [Beside("ibv_get_cq_event()", raw)])
    raw = taken["many.raw"] / SOME
    yield Figure(ON_DEVICE, "a write, posted to 1,000 QPs in turn", taken["many.vx"] / SOME, "ns", f"<= {raw * DEVICE_RATIO:.0f}", [Beside("ibv_post_send()", raw)])


# What a whole program takes, between two processes: what measures it, how it is called, and what it is compared with.
PROGRAMS = [(rc_pingpong, "rc_pingpong, 4096 bytes there and back between two processes", "ibv_rc_pingpong"),
            *((partial(write_bw, size), f"write_bw, {size} bytes a write, 64 under way", "ib_write_bw") for size in SIZES),
            (read_lat, f"read_lat, {SMALL} bytes a read", "ib_read_lat")]


def beside_programs(bench: Bench) -> Iterator[Figure]:
    """Nothing of those that are not on this machine."""
    for measure, what, other in PROGRAMS:
        taken = measure(bench, 2 * max(10, bench.pace.times // SLOW))
        if taken:
            ours, theirs = taken
            yield Figure(ON_DEVICE, what, ours, "ns", f"<= {theirs * DEVICE_RATIO:.0f}", [Beside(other, theirs)])
        else:
            print(f"bench: {what} is not measured: there is no {other}", file=sys.stderr)


def figures(bench: Bench) -> Iterator[Figure]:
    """Instructions, times alone, and on a device."""
    yield from counted(bench)
    yield from timed(bench)
    yield from on_device(bench)
    yield from beside_programs(bench)
