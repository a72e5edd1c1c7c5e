# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""usage: examples.py some|all "PRELOADED-LIBRARY..." PROGRAM...

Run programs on the emulated device once for each of their calls into the kernel, and each allocation of
libverbsx, which fails, alone or with all after it: some does for each fifth, from another one in each program, by turns one and the
other. A program says which call failed, or does without it and leaves nothing behind; it never crashes or hangs. What fails later is said by a completion or an event.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import tempfile
import zlib
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from itertools import repeat
from pathlib import Path

TIMEOUT = 20
SAMPLE = 5  # programs make the same calls, so that what one leaves out another has
AT_ONCE = 3  # most of what takes long waits for a peer that is no more
DEVICES = Path(__file__).parents[2] / "examples/devices.txt"
CODES = {"VERBSX_EMU_FAULT": 5, "TORTURE_ALLOCATION": 12}      # EIO, ENOMEM
COUNTS = {"VERBSX_EMU_FAULT": re.compile(r"^verbsx-emu: (\d+) \w+", re.MULTILINE),
          "TORTURE_ALLOCATION": re.compile(r"^allocations: (\d+)$", re.MULTILINE)}
NAMED = re.compile(r"\b(?:ibv|rdma|vx|mlx5dv|umad)_\w+.*: ")
# What a completion or an event that failed says, and why; or that none came in a client's own time, of a peer that is there and cannot answer.
REPORTED = re.compile(r"\b(?:IBV_WC|RDMA_CM_EVENT)_[A-Z_]+ \(\d+\) o[nf] .*: \S.+|\bvx_cm_client_(?:step|connect) on .*: the time is up while asking for a connection$", re.MULTILINE)
# librdmacm says what it makes itself of calls of libibverbs that fail, and of peers that do: no device for the address, say.
OF_ITS_OWN = re.compile(r"\brdma_\w+(?: on [^:\n]+)?: \S.+|\bvx_cm_contexts: No such device$", re.MULTILINE)
# The record of an error is allocated, too: with nothing left for it, this is all that can be said beside the code.
UNKEPT = "no memory to keep what failed"
TRACED = re.compile(r"^verbsx-emu: .*\n", re.MULTILINE)
# librdmacm does not look whether its PD has gone.
LENT = re.compile(r"leaked 1 object: 1 pd$", re.MULTILINE)
# libmlx5 opens a device without the UAR that its CQs are armed with, and crashes when one is: so does a
# program that knows nothing of libverbsx.
UAR = re.compile(r"^verbsx-emu: \d+ alloc_uar\nverbsx-emu: -> EIO$", re.MULTILINE)
BY_LIBRDMACM = {"example-48-cm", "example-49-cm-endpoint", "example-51-cm-echo", "example-59-cm-multicast", "example-60-cm-datagrams"}
ARMS = BY_LIBRDMACM | {"example-09-cq", "example-22-cq-event", "example-24-mcast", "example-40-poller"}
# rdma_destroy_qp() and mlx5dv_free_var() tell nobody that the kernel refused to destroy something, which is left then, with what it uses; nor
# does rdma_leave_multicast(), which has the QP leave the group, that a QP which is in one still is not destroyed.
UNTOLD = re.compile(r"^verbsx-emu: \d+ (?:destroy_\w+|detach_mcast|free_var)\nverbsx-emu: -> EIO$", re.MULTILINE)
UNTELLING = BY_LIBRDMACM | {"example-52-mlx5"}
# Where the program had made that itself, it hears of it then.
IN_USE = re.compile(r"\bibv_(?:dealloc|destroy)_\w+ on .*: Device or resource busy: something depends on it", re.MULTILINE)
# libmlx5 opens a device without what it could not learn or get there, and later refuses by a code of its own what needs that.
LACKED = re.compile(r"^verbsx-emu: \d+ (?:alloc_uar|query_device)\nverbsx-emu: -> EIO$", re.MULTILINE)
# Of a thousand clients the third does what the second does.
SHORT = {"example-51-cm-echo": ["10.1.0.1", "2"]}


@cache
def devices() -> dict[str, str]:
    """The examples that need another device than the usual one, and that."""
    lines = DEVICES.read_text().splitlines()
    return dict(line.split(" ", 1) for line in lines if not line.startswith("#"))


@dataclass(frozen=True)
class Fault:
    """What goes wrong in a program: the variable that asks for it, with its value."""
    program: str
    variable: str
    value: str

    def __str__(self) -> str:
        return f"{Path(self.program).name}, {self.variable}={self.value}"


def run(preload: str, program: str, **settings: str) -> subprocess.CompletedProcess[str]:
    """A program with libraries preloaded, and with settings of these; in a network of its own, where 10.1.0.1 is its address and of no other run."""
    settings |= {"LD_PRELOAD": preload, "ASAN_OPTIONS": "verify_asan_link_order=0:detect_leaks=0",
                 "VERBSX_EMU_CONFIG": devices().get(Path(program).name.removeprefix("example-"), "")}
    with tempfile.TemporaryDirectory() as folder:
        return subprocess.run([program, *SHORT.get(Path(program).name, [])], env=os.environ | settings | {"TMPDIR": folder}, capture_output=True,
                              text=True, errors="replace", timeout=TIMEOUT, check=False)


def faults(extent: str, preload: str, program: str) -> Iterator[Fault]:
    """All that can go wrong in a program, or some of it."""
    undisturbed = run(preload, program, VERBSX_EMU_TRACE="1").stderr
    first, step = (1, 1) if extent == "all" else (1 + zlib.crc32(Path(program).name.encode()) % SAMPLE, SAMPLE)
    for variable, pattern in COUNTS.items():
        for number in range(first, max(map(int, pattern.findall(undisturbed)), default=0) + 1, step):
            for rest in ("", "-") if extent == "all" else ("-" if number % 2 else "",):
                calls = variable == "VERBSX_EMU_FAULT"
                yield Fault(program, variable, f"call#{number}{rest}:EIO" if calls else f"{number}{rest}")


def wrong(fault: Fault, result: subprocess.CompletedProcess[str]) -> str | None:
    """What should not have come of a fault."""
    code, name = CODES[fault.variable], Path(fault.program).name
    said = TRACED.sub("", result.stderr)
    if result.returncode == -signal.SIGSEGV and name in ARMS and UAR.search(result.stderr):
        return None
    if result.returncode < 0:
        return f"killed by signal {-result.returncode}"
    if "Sanitizer" in result.stderr or "runtime error" in result.stderr:
        return "stopped by a sanitizer"
    if result.returncode == 0:
        left = re.search("leaked [^0]", LENT.sub("", result.stderr))
        return "objects were left" if left and not (name in UNTELLING and UNTOLD.search(result.stderr)) else None
    if os.strerror(code) in said and NAMED.search(said) or REPORTED.search(said) or OF_ITS_OWN.search(said):
        return None
    if LACKED.search(result.stderr) and NAMED.search(said):
        return None
    if name in UNTELLING and UNTOLD.search(result.stderr) and IN_USE.search(said):
        return None
    if fault.variable == "TORTURE_ALLOCATION" and fault.value.endswith("-") and UNKEPT in result.stderr:
        return None
    return f"ended with {result.returncode} and without the name of the call, or what a completion or an event says"


def torture(preload: str, fault: Fault) -> str | None:
    """What is wrong where one thing goes wrong."""
    try:
        result = run(preload, fault.program, VERBSX_EMU_LEAKS="1", VERBSX_EMU_TRACE="1", **{fault.variable: fault.value})
    except subprocess.TimeoutExpired:
        return f"{fault}: hangs"
    found = wrong(fault, result)
    return f"{fault}: {found}\n{TRACED.sub('', result.stderr)}" if found else None


def main() -> int:
    """1 where something is wrong, or nothing can go wrong."""
    extent, preload, *programs = sys.argv[1:]
    tried = [fault for program in programs for fault in faults(extent, preload, program)]
    with ThreadPoolExecutor(AT_ONCE) as pool:
        failures = list(filter(None, pool.map(torture, repeat(preload), tried)))
    counts = Counter(fault.variable for fault in tried)
    print(*failures, *(f"{variable}: {count} runs" for variable, count in counts.items()), sep="\n")
    return 1 if failures or not tried else 0


if __name__ == "__main__":
    sys.exit(main())
