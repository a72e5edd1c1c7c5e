# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""The arguments that several commands have: what to generate from, and where to."""

from __future__ import annotations

from pathlib import Path

from ..paths import GENERATED, GROUPS

TYPE_CHECKING = False  # typing takes a while to load, as does argparse
if TYPE_CHECKING:
    import argparse

FIRST_RELEASE = 12  # of rdma-core; the libraries that it took over had versions of their own
LAST_RELEASE = 999  # that a number may be meant for


def release(text: str) -> int:
    """A release of rdma-core, as an argument names it."""
    if not (text.isascii() and text.isdecimal() and FIRST_RELEASE <= int(text) <= LAST_RELEASE):
        import argparse

        raise argparse.ArgumentTypeError(f"{text or 'nothing'}: must be a release of rdma-core, a number such as 44, from {FIRST_RELEASE} on")
    return int(text)


def add_source_arguments(parser: argparse.ArgumentParser) -> None:
    """What to generate from, and the folder to write to."""
    add_tree_arguments(parser)
    parser.add_argument("--output", type=Path, metavar="DIR", default=GENERATED, help="default: generated/")


def add_tree_arguments(parser: argparse.ArgumentParser) -> None:
    source = parser.add_mutually_exclusive_group()
    source.add_argument("--headers", type=Path, metavar="DIR", help="scan this tree instead of using committed facts")
    source.add_argument("--installed", action="store_true", help="scan the installed headers instead")
    parser.add_argument("--release", type=release, metavar="NN", help="of the tree; else libibverbs.pc tells it")
    add_symbols(parser)
    parser.add_argument("--groups", type=Path, metavar="FILE", default=GROUPS, help="default: gen/groups.toml")


def add_symbols(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--symbols", type=Path, metavar="FILE", action="append", default=[],
                        help="which library of the tree exports what, beside what is known of older functions and of libraries in lib beside it: a .symbols file of "
                             "Debian's, or a version script that is called by the library, such as libibverbs.map; may be given again")


def is_whole(args: argparse.Namespace) -> bool:
    """Whether all is planned that the project knows, so that what is new may have a number."""
    return not args.headers and not args.installed and not args.release and args.groups == GROUPS
