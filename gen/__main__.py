# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""The command line: python3 -m gen scan | emit | check | report | abi | since | diff."""

from __future__ import annotations

import gc
import os
import sys

from .errors import GenError, report
from .fast import unchanged


def main(arguments: list[str] | None = None) -> int:
    from .command import line as command_line

    return command_line.main(arguments)


def _be_heard() -> None:
    """Who closed the standard output, or that of errors, hears nothing, and no file of ours takes its number."""
    while (file := os.open(os.devnull, os.O_WRONLY)) <= 2:
        os.set_inheritable(file, True)
    os.close(file)
    sys.stdout, sys.stderr = (stream or open(os.devnull, "w", encoding="utf-8") for stream in (sys.stdout, sys.stderr))


def _reads_headers(arguments: list[str]) -> bool:
    """Whether a command most likely wants libclang; who is wrong there has loaded it for nothing."""
    return arguments[:1] == ["emit"] and not {"--installed", "--headers"}.isdisjoint(arguments)


def run() -> None:
    """All of a process."""
    gc.disable()  # a run is over before there is garbage worth looking for
    _be_heard()
    if unchanged.is_nothing_to_do(sys.argv[1:]):
        print(unchanged.SAID, file=sys.stderr, flush=True)
        os._exit(0)
    from .fast import compiled

    try:
        if _reads_headers(sys.argv[1:]):
            from .fast import library

            library.begin_that_of("clang")
        compiled.install()
    except GenError as e:
        sys.exit(report(e))
    from .command import line as command_line  # this and all after it come from there

    command_line.run()


if __name__ == "__main__":
    run()
