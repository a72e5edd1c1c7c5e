# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""README.md says the truth: python3 readme.py README INSTALLED VX

Each C program in it is written to the file that the command behind it compiles; every command ("    $ COMMAND" of an indented
block) is run and must print the lines that follow it. INSTALLED is the prefix that libverbsx is installed in, VX the tool.
"""

from __future__ import annotations

import difflib
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

PROGRAM = re.compile(r"^```c\n(.*?)^```$\s*^    \$ cc (\w+\.c) ", re.MULTILINE | re.DOTALL)
COMMAND = re.compile(r"^    \$ (.*)\n((?:    (?!\$ ).*\n)*)", re.MULTILINE)


def commands(text: str) -> Iterator[tuple[str, str]]:
    """Each command, and what is said to be its output."""
    for command, output in COMMAND.findall(text):
        yield command, re.sub("^    ", "", output, flags=re.MULTILINE)


def environment(installed: Path, vx: Path) -> dict[str, str]:
    """Where a program finds libverbsx and vx."""
    return os.environ | {"PKG_CONFIG_PATH": f"{installed}/lib/pkgconfig", "LD_LIBRARY_PATH": f"{installed}/lib",
                         "PATH": f"{vx.parent}:{os.environ['PATH']}"}


def check(command: str, expected: str, folder: str, env: dict[str, str]) -> bool:
    """Whether a command succeeds and prints what is expected; else say how not."""
    result = subprocess.run(["bash", "-c", command], cwd=folder, env=env, text=True, stdout=subprocess.PIPE,
                            stderr=subprocess.STDOUT)
    difference = difflib.unified_diff(expected.splitlines(), result.stdout.splitlines(), "README.md", command,
                                      lineterm="")
    print(*difference, sep="\n")
    return result.returncode == 0 and result.stdout == expected


def main(readme: Path, installed: Path, vx: Path) -> int:
    """Run all; 1 where one differs."""
    text = readme.read_text()
    programs, found = PROGRAM.findall(text), list(commands(text))
    with tempfile.TemporaryDirectory() as folder:
        for program, name in programs:
            Path(folder, name).write_text(program)
        env = environment(installed, vx)
        good = [check(command, output, folder, env) for command, output in found]
    print(f"cases: {len(good)}")
    return 0 if all(good) and len(programs) == text.count("```c\n") > 0 else 1


if __name__ == "__main__":
    sys.exit(main(*(Path(name).resolve() for name in sys.argv[1:4])))
