# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""The arguments that several commands have: what to generate from, and where to."""

from __future__ import annotations

import argparse
from pathlib import Path

from .sources import GENERATED, GROUPS


def add_source_arguments(parser: argparse.ArgumentParser) -> None:
    """What to generate from, and the folder to write to."""
    add_tree_arguments(parser)
    parser.add_argument("--output", type=Path, metavar="DIR", default=GENERATED, help="default: generated/")


def add_tree_arguments(parser: argparse.ArgumentParser) -> None:
    source = parser.add_mutually_exclusive_group()
    source.add_argument("--headers", type=Path, metavar="DIR", help="scan this tree instead of using committed facts")
    source.add_argument("--installed", action="store_true", help="scan the installed headers instead")
    parser.add_argument("--release", type=int, metavar="NN", help="of the tree; else libibverbs.pc tells it")
    parser.add_argument("--groups", type=Path, metavar="FILE", default=GROUPS, help="default: gen/groups.toml")


def is_whole(args: argparse.Namespace) -> bool:
    """Whether all is planned that the project knows, so that what is new may have a number."""
    return not args.headers and not args.installed and args.groups == GROUPS
