# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""Tell what the generator guessed, left out, or could not do: by header and line, with the lore that settles it.

  python3 -m gen report                                   of the committed facts
  python3 -m gen report --headers DIR --release NN        of a tree, whose lines are told
  python3 -m gen report --headers DIR --lore              what to write, as a file for gen/lore

Listed is what a person must decide; --all adds what is only to be known, such as pairs of calls that could be objects.
Lines of headers are known where a tree is read. What is new is what the newest release brought, or what no committed facts have.
"""

from __future__ import annotations

import argparse
import sys

from ..know import remarks
from . import output, planning
from .arguments import add_tree_arguments, path


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_tree_arguments(parser)
    parser.add_argument("--output", type=path, metavar="FILE", help="default: the standard output")
    parser.add_argument("--all", action="store_true", help="also what there is nothing to decide about")
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--lore", action="store_true", help="only what to write, to be gone through and put into gen/lore")
    form.add_argument("--json", action="store_true", help="for programs: a list, one line for each")


def run(args: argparse.Namespace) -> int:
    told = planning.build(args).remarks
    chosen = told.said if args.all else told.unsettled
    if args.lore:
        text = remarks.lore(chosen)
    elif args.json:
        text = remarks.to_json(chosen)
    else:
        text = "".join(f"{line}\n" for line in remarks.text(chosen))
    output.write(text, args.output)
    print(remarks.counts_listed(told, args.all), file=sys.stderr)
    return 0
