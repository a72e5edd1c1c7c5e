# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""Compare printed values with their bytes: every wrong one is listed; exit status 1 if there is one."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from gen.reach.releases import RELEASES, header_tree

from . import headers, library, tables
from .values import Checker

RELEASE = max(RELEASES)  # the one whose headers have every name
ROUNDS = 60


def main() -> int:
    """The command."""
    parser = argparse.ArgumentParser(prog="tests.oracle.printed", description=__doc__)
    parser.add_argument("folder", metavar="FOLDER", type=Path, help="where to build")
    parser.add_argument("seed", metavar="SEED", type=int, help="of the random bytes")
    library.add_option(parser)
    args = parser.parse_args()
    library.prepare(args.folder, args.library)
    include = header_tree(RELEASE)

    table = tables.read(library.dump(include, RELEASE, args.folder))
    checker = Checker(headers.read(include, RELEASE, table, args.folder))
    lines = library.show(include, RELEASE, args.folder, args.seed, ROUNDS).removesuffix("\n").split("\n")
    wrong = [found for line in lines for found in checker.line(line)]

    print(f"seed: {args.seed}")
    for kind, count in checker.checked.most_common():
        print(f"checked: {count} {kind}")
    for kind, count in checker.left.most_common():
        print(f"not checked: {count} {kind}")
    print(*wrong, f"wrong: {len(wrong)}", sep="\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
