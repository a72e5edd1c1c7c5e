#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""Runs the same random programs on the emulated mlx5 and on soft-RoCE, and compares what becomes of them.

usage: compare.py EMU-LIBRARY PROGRAM VM-RUN|PRINTED [SEED [COUNT]]

VM-RUN is tests/vm/run; PRINTED what the program printed in a machine.

What differs and is not in differences.py is an error; so is too little to compare.
"""

import os
import re
import subprocess
import sys
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from differences import DIFFERENCES, Difference

SEED, COUNT = 1, 70
MIN_SHARE = 0.8  # of all steps
SUBJECT = re.compile(r"^(?P<who>[ab](?: \d+)?)(?=[: ])")


@dataclass
class Step:
    """A thing that a program does, and what was seen of it."""

    what: str
    seen: list[str] = field(default_factory=list)


def read(text: str) -> dict[int, list[Step]]:
    """The steps of each program, by seed."""
    programs: dict[int, list[Step]] = {}
    steps: list[Step] = []
    for line in text.splitlines():
        if match := re.match(r"program (\d+): ", line):
            steps = programs.setdefault(int(match[1]), [])
        if line.startswith("  "):
            steps[-1].seen.append(line.strip())
        else:
            steps.append(Step(line))
    return programs


def general(line: str) -> tuple[str, str]:
    """A line without who it is about, and who."""
    if match := SUBJECT.match(line):
        return "WHO" + line[match.end():], match["who"]
    return line, ""


def is_memory(line: str) -> bool:
    return line.startswith("memory ")


def explains(d: Difference, emulated: str | None, soft_roce: str | None) -> bool:
    """Whether it is about these lines, None being a line that the other has alone."""
    if (d.emulated is None) != (emulated is None) or (d.soft_roce is None) != (soft_roce is None):
        return False
    if emulated and soft_roce and is_memory(emulated) and is_memory(soft_roce):
        return d.emulated == "memory X"
    pairs = ((emulated, d.emulated), (soft_roce, d.soft_roce))
    lines = [(general(line), wanted) for line, wanted in pairs if line]
    subjects = {who for (text, who), _ in lines if who}
    return len(subjects) <= 1 and all(text == wanted for (text, _), wanted in lines)


def minus(lines: list[str], others: list[str]) -> list[str]:
    return list((Counter(lines) - Counter(others)).elements())


def explain(step: str, left: list[str], right: list[str]) -> list[Difference] | None:
    """The known differences that account for all lines, which are taken away; None where some do not."""
    known = []
    pairs = [(one, other) for one in [*left, None] for other in [*right, None] if one or other]
    for one, other in sorted(pairs, key=lambda pair: None in pair):
        found = [d for d in DIFFERENCES if d.step in step and explains(d, one, other)]
        if found and (one is None or one in left) and (other is None or other in right):
            known.append(found[0])
            if one:
                left.remove(one)
            if other:
                right.remove(other)
    ends = any(d.ends for d in known)
    return known if ends or not left and not right else None


class Comparison:
    """What was found so far."""

    def __init__(self) -> None:
        self.steps = self.compared = self.unknown = 0
        self.known: Counter[Difference] = Counter()

    def program(self, seed: int, emulated: list[Step], soft_roce: list[Step]) -> None:
        self.steps += len(emulated)
        for one, other in zip(emulated, soft_roce):
            self.compared += 1
            if not self.step(seed, one, other):
                return

    def step(self, seed: int, one: Step, other: Step) -> bool:
        """Whether the program can be followed further."""
        if one.what != other.what:
            return self.differ(seed, one, other)
        left, right = minus(one.seen, other.seen), minus(other.seen, one.seen)
        if not any(map(is_memory, one.seen)) or not any(map(is_memory, other.seen)):
            left, right = ([line for line in lines if not is_memory(line)] for lines in (left, right))
        known = explain(one.what, left, right)
        if known is None:
            return self.differ(seed, one, other)
        self.known.update(known)
        return not any(d.ends for d in known)

    def differ(self, seed: int, one: Step, other: Step) -> bool:
        self.unknown += 1
        print(f"program {seed}: {one.what}\n    emulated:  {one.seen}")
        print(f"    soft-RoCE: {other.what}: {other.seen}")
        return False

    def report(self) -> bool:
        for d in DIFFERENCES:
            print(f"{self.known[d]:4} {d.emulated or '(nothing)'} | {d.soft_roce or '(nothing)'}")
            print(f"     {d.reason}")
        print(f"{self.compared} of {self.steps} steps compared, {self.unknown} unknown differences")
        return not self.unknown and self.compared >= MIN_SHARE * self.steps


def output(arguments: list[str], environment: dict[str, str]) -> str:
    return subprocess.run(arguments, env=os.environ | environment, stdout=subprocess.PIPE, text=True,
                          check=True).stdout


def in_machine(vm: str, arguments: list[str]) -> str:
    if os.access(vm, os.X_OK):
        return output([vm, "--quiet", "--timeout", "200", *arguments], {})
    return Path(vm).read_text()


def main(library: str, program: str, vm: str, seed: int = SEED, count: int = COUNT) -> int:
    arguments = [program, str(seed), str(count)]
    config = {"LD_PRELOAD": library, "VERBSX_EMU_FABRIC": "none",
              "VERBSX_EMU_CONFIG": "link_layer=ethernet,mtu=1024"}
    ours = read(output(arguments, config))
    theirs = read(in_machine(vm, arguments))
    if ours.keys() != theirs.keys() or len(ours) != count:
        print(f"{len(ours)} and {len(theirs)} of {count} programs were run")
        return 1
    comparison = Comparison()
    for number in ours:
        comparison.program(number, ours[number], theirs[number])
    return 0 if comparison.report() else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:4], *map(int, sys.argv[4:])))
