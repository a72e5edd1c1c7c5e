# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""Compare one release: prints what was compared and every difference; exit status 1 if there is one."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from gen.releases import header_tree

from . import coverage, headers, library, promised, tables
from .compare import differences


def main() -> int:
    """The command."""
    parser = argparse.ArgumentParser(prog="tests.oracle", description=__doc__)
    parser.add_argument("release", metavar="RELEASE", type=int, help="of rdma-core, such as 44")
    parser.add_argument("folder", metavar="FOLDER", type=Path, help="where to build")
    args = parser.parse_args()
    args.folder.mkdir(parents=True, exist_ok=True)
    include = header_tree(args.release)

    table = tables.read(library.dump(include, args.release, args.folder))
    header = headers.read(include, args.release, headers.macros_of(table), args.folder)
    found = [*differences(header, table, args.release), *promised.differences(header, promised.read()),
             *coverage.lost(header, args.release)]

    print(f"headers of {args.release}:", coverage.words(header.part(own=False)))
    print("headers of libverbsx:", coverage.words(header.part(own=True)))
    print("not covered:", *headers.left_out(include, args.release))
    print("tables, newer ones included:", coverage.words(table))
    print(*found, sep="\n", end="\n" if found else "")
    print(f"differences: {len(found)}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
