# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""The command line: python3 -m gen scan | emit | check | diff."""

from __future__ import annotations

import argparse
import os
import sys

from . import command_check, command_emit, command_scan, diff
from .errors import GenError, report


def parser() -> argparse.ArgumentParser:
    top = argparse.ArgumentParser(prog="python3 -m gen", description="The generator of libverbsx.")
    commands = top.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for name, module, says in (
        ("scan", command_scan, "headers -> a facts file"),
        ("emit", command_emit, "facts and lore -> generated/"),
        ("check", command_check, "is generated/ what would be written now?"),
        ("diff", diff, "what differs between two releases"),
    ):
        sub = commands.add_parser(name, help=says, description=module.__doc__,
                                  formatter_class=argparse.RawDescriptionHelpFormatter)
        module.add_arguments(sub)
        sub.set_defaults(run=module.run)
    return top


def main(argv: list[str] | None = None) -> int:
    args = parser().parse_args(argv)
    try:
        return args.run(args)
    except GenError as e:
        return report(e)
    except BrokenPipeError:  # who read the output has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1


if __name__ == "__main__":
    sys.exit(main())
