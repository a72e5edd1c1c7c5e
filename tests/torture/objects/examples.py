# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""usage: examples.py EMULATED-DEVICE PROGRAM...

Run programs on the emulated device once for each of their calls into the kernel, which fails, alone or with
all after it. A program says which call failed, or does without it and leaves nothing behind; it never crashes
or hangs.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

TIMEOUT = 20
CODE, TEXT = 5, "Input/output error"
CALL = re.compile(r"^verbsx-emu: (\d+) \w+", re.MULTILINE)
NAMED = re.compile(rf"\b(ibv|vx|mlx5dv)_\w+.*: {TEXT}")
# What an example ends with that returns what vx_close() does.
OF_CLOSE = 256 - CODE
# Opening a device makes so many calls. All of them failing from then on is the same for every program.
OPENING = 7
# libmlx5 opens a device without the UAR that its CQs are armed with, and crashes when one is: so does a
# program that knows nothing of libverbsx.
UAR = 5
ARMS = {"example-09-cq", "example-22-cq-event"}


def run(device: str, program: str, **settings: str) -> subprocess.CompletedProcess[str]:
    """A program, with settings of the emulated device."""
    environment = os.environ | {"LD_PRELOAD": device}
    environment |= {"ASAN_OPTIONS": "verify_asan_link_order=0:detect_leaks=0"}
    environment |= {f"VERBSX_EMU_{name}": value for name, value in settings.items()}
    return subprocess.run([program], env=environment, capture_output=True, text=True, errors="replace",
                          timeout=TIMEOUT, check=False)


def calls(device: str, program: str) -> int:
    """How many calls into the kernel a program makes."""
    return max((int(number) for number in CALL.findall(run(device, program, TRACE="1").stderr)), default=0)


def wrong(result: subprocess.CompletedProcess[str]) -> str | None:
    """What should not have come of a failure."""
    if result.returncode < 0:
        return f"killed by signal {-result.returncode}"
    if "Sanitizer" in result.stderr or "runtime error" in result.stderr:
        return "stopped by a sanitizer"
    if result.returncode == 0:
        return None if "leaked 0 objects" in result.stderr else "objects were left"
    if result.returncode == OF_CLOSE or NAMED.search(result.stderr):
        return None
    return f"ended with {result.returncode} and without the name of the call"


def faults(program: str, count: int) -> Iterator[str]:
    """What goes wrong in a program of so many calls."""
    for number in range(1, count + 1):
        if number != UAR or Path(program).name not in ARMS:
            yield f"call#{number}:EIO"
        if number > OPENING:
            yield f"call#{number}-:EIO"


def torture(device: str, program: str, count: int) -> Iterator[str]:
    """All that is wrong of a program of so many calls."""
    for fault in faults(program, count):
        try:
            result = run(device, program, FAULT=fault, LEAKS="1")
        except subprocess.TimeoutExpired:
            yield f"{Path(program).name}, {fault}: hangs"
            continue
        found = wrong(result)
        if found:
            yield f"{Path(program).name}, {fault}: {found}\n{result.stderr}"


def main() -> int:
    """1 where something is wrong, or no program makes a call."""
    device, *programs = sys.argv[1:]
    counts = {program: calls(device, program) for program in programs}
    failures = [line for program, count in counts.items() for line in torture(device, program, count)]
    print(*failures, f"programs: {sum(map(bool, counts.values()))}, calls: {sum(counts.values())}", sep="\n")
    return 1 if failures or not any(counts.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
