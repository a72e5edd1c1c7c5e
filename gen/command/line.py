# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""What the command line asks for."""

from __future__ import annotations

import functools
import importlib
import os
import sys

from ..errors import GenError, lacking, report
from ..fast import expressions, growing
from . import plain

TYPE_CHECKING = False  # typing takes a while to load
if TYPE_CHECKING:
    import argparse
    from typing import NoReturn

# Name, which is that of its module, and what it does.
COMMANDS = (
    ("scan", "headers -> a facts file"),
    ("emit", "facts and lore -> generated/"),
    ("check", "is generated/ what would be written now?"),
    ("report", "what was guessed or left out, and the lore to write"),
    ("abi", "versions for the functions that have none"),
    ("since", "is what lore says of releases right?"),
    ("diff", "what differs between two releases"),
)


def parser(argv: list[str]) -> argparse.ArgumentParser:
    """Only the module of the command at hand is loaded: that takes longer than some commands."""
    import argparse

    form = functools.partial(argparse.RawDescriptionHelpFormatter, width=100)  # else each argument looks for a terminal's, by much code
    top = argparse.ArgumentParser(prog="python3 -m gen", description="The generator of libverbsx.", formatter_class=form)
    commands = top.add_subparsers(dest="command", metavar="COMMAND", required=True, prog=top.prog)  # else it is formatted, by much code
    for name, says in COMMANDS:
        sub = commands.add_parser(name, help=says, formatter_class=form)
        if name in argv:
            module = importlib.import_module(f"gen.command.{name}")
            sub.description = module.__doc__
            module.add_arguments(sub)
            sub.set_defaults(run=module.run, refuse=sub.error)
    return top


def main(argv: list[str] | None = None) -> int:
    argv = sys.argv[1:] if argv is None else argv
    try:
        if asked := plain.told(argv):
            from . import emit

            return emit.run(asked)
        args, unknown = parser(argv).parse_known_args(argv)
        if unknown:  # by the command, which knows how it is used
            args.refuse(f"unrecognized arguments: {' '.join(unknown)}")
        return args.run(args)
    except GenError as e:
        return report(e)
    except ModuleNotFoundError as e:
        told = lacking(e)
        if told is None:
            raise
        return report(told)
    except BrokenPipeError:  # who read the output has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except OSError as e:  # of what nobody reads or writes by name, such as a pipe where too many files are open
        return report(GenError(e.strerror or str(e), e.filename))
    except MemoryError:
        return report(GenError("there is not enough memory"))


def end(status: int) -> NoReturn:
    """What is left to be done is to give all memory back piece by piece, which the system does at once."""
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except BrokenPipeError:
        status = 1
    except OSError as e:
        status = report(GenError(f"cannot write: {e.strerror}"))
    os._exit(status)


def run() -> NoReturn:
    """All of a process."""
    expressions.install()
    status = main()
    growing.keep()
    end(status)
