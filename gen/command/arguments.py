# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""The arguments that several commands have: what to generate from, and where to."""

from __future__ import annotations

from pathlib import Path

from ..paths import GENERATED, GROUPS

TYPE_CHECKING = False  # typing takes a while to load, as does argparse
if TYPE_CHECKING:
    import argparse

FIRST_RELEASE = 12  # of rdma-core; the libraries that it took over had versions of their own
DIGITS = 3  # of a number that may be meant for one


def is_release(text: str) -> bool:
    return text.isascii() and text.isdecimal() and text[0] != "0" and len(text) <= DIGITS and int(text) >= FIRST_RELEASE


def release(text: str) -> int:
    """A release of rdma-core, as an argument names it."""
    if not is_release(text):
        import argparse

        raise argparse.ArgumentTypeError(f"{text or 'nothing'}: must be a release of rdma-core, a number such as 44, from {FIRST_RELEASE} on")
    return int(text)


def path(text: str) -> Path:
    """A file or a folder, as an argument names it; an empty name would be the folder where somebody is."""
    if not text:
        import argparse

        raise argparse.ArgumentTypeError("names no file or folder")
    return Path(text)


def add_source_arguments(parser: argparse.ArgumentParser) -> None:
    """What to generate from, and the folder to write to."""
    add_tree_arguments(parser)
    parser.add_argument("--output", type=path, metavar="DIR", default=GENERATED, help="default: generated/")


def add_tree_arguments(parser: argparse.ArgumentParser) -> None:
    source = parser.add_mutually_exclusive_group()
    source.add_argument("--headers", type=path, metavar="DIR", help="scan this tree instead of using committed facts")
    source.add_argument("--installed", action="store_true", help="scan the installed headers instead")
    parser.add_argument("--release", type=release, metavar="NN", help="of the tree; else libibverbs.pc tells it")
    add_symbols(parser)
    parser.add_argument("--groups", type=path, metavar="FILE", default=GROUPS, help="default: gen/groups.toml")


def add_symbols(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--symbols", type=path, metavar="FILE", action="append", default=[],
                        help="which library of the tree exports what, beside what is known of older functions and of libraries in lib beside it: a .symbols file of "
                             "Debian's, or a version script that is called by the library, such as libibverbs.map; may be given again")


def tree_options(args: argparse.Namespace) -> str:
    """What was said of the tree, for another command about the same."""
    import shlex

    said = ["--installed"] if args.installed else []
    for name, values in (("headers", [args.headers]), ("release", [args.release]), ("symbols", args.symbols), ("groups", [args.groups if args.groups != GROUPS else None])):
        said += [word for value in values if value for word in (f"--{name}", shlex.quote(str(value)))]
    return " ".join(said)


def is_whole(args: argparse.Namespace) -> bool:
    """Whether all is planned that the project knows, so that what is new may have a number."""
    return not args.headers and not args.installed and not args.release and args.groups == GROUPS
