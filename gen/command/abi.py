# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""Bring gen/abi/functions.toml up to date: what is exported and has no version is of the one that is being worked on.

  python3 -m gen abi
"""

from __future__ import annotations

import argparse
import sys

from ..promise import exports
from ..write import render
from . import output, planning
from .arguments import add_source_arguments

add_arguments = add_source_arguments


def run(args: argparse.Namespace) -> int:
    files = render.render(planning.build(args))
    planned = exports.plan(files)
    before = exports.load()[1]
    output.write(exports.text(planned), exports.PATH)
    after = exports.load()[1]
    new, gone = sorted(after.keys() - before.keys()), sorted(before.keys() - after.keys())
    print(f"{len(new)} functions are new in {planned.now}, {len(gone)} of it are gone", file=sys.stderr)
    return 0
