# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""Whether what json.c prints is JSON: python3 check_json.py PROGRAM SEED ROUNDS"""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any, NoReturn


def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object of which no key comes twice."""
    keys = [key for key, _ in pairs]
    if len(set(keys)) != len(keys):
        raise ValueError(f"a key comes twice among {keys}")
    return dict(pairs)


def refuse(constant: str) -> NoReturn:
    """Python reads NaN and Infinity; JSON has no such numbers."""
    raise ValueError(f"{constant} is no JSON")


def check(line: str) -> None:
    """Stop at a line that is not a name and a document."""
    name, document = line.rstrip("\n").split(" ", 1)
    try:
        json.loads(document, object_pairs_hook=unique, parse_constant=refuse)
    except ValueError as error:
        sys.exit(f"struct {name}: {error}:\n{document}")


def main(program: list[str]) -> None:
    """Run the program and check every line."""
    count = 0
    pipe = subprocess.PIPE
    with subprocess.Popen(program, stdout=pipe, stderr=pipe, encoding="utf-8") as running:
        assert running.stdout and running.stderr
        for line in running.stdout:
            check(line)
            count += 1
        errors = running.stderr.read()
    if running.returncode != 0 or count == 0:
        sys.exit(f"{errors}{program[0]} ended with {running.returncode} after {count} documents")
    print(f"cases: {count}")


if __name__ == "__main__":
    main(sys.argv[1:])
