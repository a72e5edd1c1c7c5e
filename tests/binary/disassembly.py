# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""The data path costs what rdma-core's costs: the functions of disassembly/vx.c have the instructions of those of raw.c, or fewer.

python3 disassembly.py COMPILER INCLUDE... compiles both. Compared is what a request runs through, by the names of instructions in their
order: registers, padding, and what only failures reach lie elsewhere, or are a compiler's choice.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from pathlib import Path

SOURCES = Path(__file__).parent / "disassembly"
FUNCTION = re.compile(r"^[0-9a-f]+ <([\w.]+)>:$")
INSTRUCTION = re.compile(r"^\s+[0-9a-f]+:\t(?:data16 |cs |notrack |bnd )*(\w+)")
PADDING = {"nop", "nopw", "nopl", "xchg", "endbr64"}
FUNCTIONS = {"one", "many", "five", "post", "line", "drain", "loop"}
FLAGS = ["-std=c11", "-O2", "-fno-asynchronous-unwind-tables", "-fno-stack-protector", "-fcf-protection=none", "-DVERBSX_CHECKS=0"]


def functions(compiler: str, include: list[str], source: Path) -> dict[str, list[str]]:
    """The instructions of each function by their names, less the part that is cold."""
    with tempfile.TemporaryDirectory() as folder:
        made = f"{folder}/made.o"
        subprocess.run([compiler, *FLAGS, *(f"-I{path}" for path in include), "-c", str(source), "-o", made], check=True)
        text = subprocess.run(["objdump", "-d", "--no-show-raw-insn", made], check=True, stdout=subprocess.PIPE, text=True).stdout
    found: dict[str, list[str]] = {}
    name = ""
    for line in text.splitlines():
        if match := FUNCTION.match(line):
            name = match[1]
            found[name] = []
        elif (match := INSTRUCTION.match(line)) and match[1] not in PADDING:
            found[name].append(match[1])
    return found


def main(compiler: str, *include: str) -> int:
    raw, own = (functions(compiler, list(include), SOURCES / name) for name in ("raw.c", "vx.c"))
    wrong = 0
    for name in sorted(FUNCTIONS):
        same = raw[name] == own[name]
        print(f"{compiler}: {name}: {len(raw[name])} instructions, by libverbsx {'the same' if same else len(own[name])}")
        if not same and len(own[name]) >= len(raw[name]):
            wrong += 1
            print(f"  raw: {' '.join(raw[name])}\n  vx:  {' '.join(own[name])}")
    return wrong


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
