# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""Compare one release: prints what was compared and every difference; exit status 1 if there is one."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from gen.reach.releases import header_tree

from . import coverage, headers, library
from .compared import all_differences, witnesses


def main() -> int:
    """The command."""
    parser = argparse.ArgumentParser(prog="tests.oracle", description=__doc__)
    parser.add_argument("release", metavar="RELEASE", type=int, help="of rdma-core, such as 44")
    parser.add_argument("folder", metavar="FOLDER", type=Path, help="where to build")
    parser.add_argument("--headers", metavar="DIR", type=Path, help="those of the release; else they are fetched")
    parser.add_argument("--new", action="store_true", help="the release is new: coverage.toml learns of it")
    library.add_option(parser)
    args = parser.parse_args()
    library.prepare(args.folder, args.library)
    include = args.headers.absolute() if args.headers else header_tree(args.release)

    header, table = witnesses(include, args.release, args.folder)
    if args.new:
        coverage.learn(header, args.release)
    found = all_differences(header, table, args.release)

    print(f"headers of {args.release}:", coverage.words(header.part(own=False)))
    print("headers of libverbsx:", coverage.words(header.part(own=True)))
    print("not covered:", *headers.left_out(include, args.release))
    print("tables, newer ones included:", coverage.words(table))
    print(*found, sep="\n", end="\n" if found else "")
    print(f"differences: {len(found)}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
