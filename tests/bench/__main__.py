# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""Measure libverbsx, each figure beside what it is compared with.

BUILD is a folder in which CMake has built the target verbsx-bench. Figures are medians of many rounds, in
processor time; only the generator's is elapsed time, which a busy machine makes longer. Less is better.
Targets are printed, never enforced: what fails is only what cannot be measured.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path

from tests.bench import compiling, connections, datapath, emulated, generator, loading, names, objects, printing, sizes, tracing
from tests.bench.figure import Figure, as_json
from tests.bench.run import FULL, QUICK, Bench
from tests.bench.table import render

PARTS = {"generator": generator, "names": names, "printing": printing, "sizes": sizes, "compiling": compiling,
         "loading": loading, "objects": objects, "datapath": datapath, "cm": connections, "tracing": tracing,
         "emulated": emulated}


def arguments() -> argparse.Namespace:
    """The parsed command line."""
    parser = argparse.ArgumentParser(prog="tests.bench", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=Path, metavar="BUILD")
    parser.add_argument("--json", action="store_true", help="print JSON rather than a table")
    parser.add_argument("--only", choices=PARTS, action="append", help="only this part; can be given again")
    parser.add_argument("--quick", action="store_true", help="only try that all can be measured")
    return parser.parse_args()


def gather(bench: Bench, parts: list[str]) -> list[Figure]:
    """All figures of some parts."""
    return [figure for name in parts for figure in PARTS[name].figures(bench)]


def machine() -> str:
    """What the figures depend on."""
    processors, load = os.cpu_count() or 1, os.getloadavg()[0]
    busy = ": busy, so that elapsed times are too long" if load > processors else ""
    return f"{processors} processors, load {load:.1f}{busy}"


def main() -> int:
    """Measure and print; 1 where something could not be measured."""
    args = arguments()
    bench = Bench(args.build.resolve(), QUICK if args.quick else FULL)
    described = machine()
    try:
        measured = gather(bench, args.only or list(PARTS))
    except subprocess.CalledProcessError as error:
        print(f"bench: {error}\n{(error.stderr or b'').decode(errors='replace')}", file=sys.stderr)
        return 1
    except OSError as error:
        print(f"bench: {error}", file=sys.stderr)
        return 1
    if args.json:
        print(json.dumps([as_json(figure) for figure in measured], indent=2))
    else:
        print(f"{described}\n\n{render(measured)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
