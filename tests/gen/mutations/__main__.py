# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""Try changes that a release of rdma-core could bring.

  python3 -m tests.gen.mutations --list                  the classes
  python3 -m tests.gen.mutations                         each alone
  python3 -m tests.gen.mutations --together 10 -n 40     40 trials of ten at once, at random, and those that are only had alone
  python3 -m tests.gen.mutations --together 10 -n 1000 --first 130 --last 200    a part of many trials, the same as in all of them
  python3 -m tests.gen.mutations 'a new enum of bits'    one, or those that begin so
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from random import Random

from .classes import ALONE, CLASSES
from .trial import Trial


def _try(sentences: list[str], seed: int) -> list[str]:
    with tempfile.TemporaryDirectory() as folder:
        return Trial(sentences, seed, Path(folder)).run()


def _plan(args: argparse.Namespace) -> list[list[str]]:
    chosen = [s for s in CLASSES if not args.classes or any(s.startswith(c) for c in args.classes)]
    if not chosen:
        sys.exit("no class is called so; --list tells them")
    if args.together == 1:
        return [[s] for s in chosen][:args.count]
    random = Random(args.seed)
    several = [s for s in chosen if s not in ALONE]
    return ([random.sample(several, min(args.together, len(several))) for _ in range(args.count or 10)] +
            [[s] for s in chosen if s in ALONE])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("classes", nargs="*", metavar="CLASS")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--together", type=int, default=1, metavar="N")
    parser.add_argument("-n", "--count", type=int)
    parser.add_argument("--first", type=int, default=1, metavar="N", help="begin with this trial")
    parser.add_argument("--last", type=int, metavar="N", help="and end with this one")
    parser.add_argument("-j", "--jobs", type=int, default=os.cpu_count())
    args = parser.parse_args()
    if args.list:
        print("\n".join(CLASSES))
        return 0
    trials = _plan(args)[args.first - 1:args.last]
    bad = 0
    with ProcessPoolExecutor(args.jobs) as pool:
        seeds = range(args.seed + args.first - 1, args.seed + args.first - 1 + len(trials))
        for seed, sentences, failures in zip(seeds, trials, pool.map(_try, trials, seeds)):
            bad += bool(failures)
            print("FAILED " if failures else "held   ", f"{seed - args.seed + 1}:", "; ".join(sentences), flush=True)
            for failure in failures:
                print("    " + failure.replace("\n", "\n    "), flush=True)
    print(f"{len(trials) - bad} of {len(trials)} hold")
    return bool(bad)


if __name__ == "__main__":
    sys.exit(main())
