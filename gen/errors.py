# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""The one exception that the generator stops with: a message, where it comes from, what to do."""

from __future__ import annotations

import sys
from collections.abc import Iterable

TYPE_CHECKING = False  # typing takes a while to load
if TYPE_CHECKING:
    from pathlib import Path

EXIT_STATUS = 2


class GenError(Exception):
    """Bad input or a missing tool; printed as `file:line: message`, the hint on the next line."""

    def __init__(self, message: str, file: str | Path | None = None, line: int | None = None,
                 hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.file = file
        self.line = line
        self.hint = hint

    def __str__(self) -> str:
        text = f"{self.place()}{self.message}"
        return f"{text}\n  {self.hint}" if self.hint else text

    def place(self) -> str:
        """`file:line: ` as far as either is known."""
        if self.file is None:
            return ""
        return f"{self.file}: " if self.line is None else f"{self.file}:{self.line}: "


def close(name: str, names: Iterable[str]) -> str | None:
    """A hint, where what was written is like one of the names that are known."""
    import difflib  # takes a while to load, and is for mistakes

    known = sorted(names)
    whole = [n for n in known if n.endswith(f"_{name}")]  # with what all of its kind begin with
    near = whole if len(whole) == 1 else difflib.get_close_matches(name, known, 1, 0.6)
    return f"did you mean {near[0]}?" if near else None


# What is not Python's own, and the package of Debian's that has it.
PACKAGES = {"clang": "python3-clang", "jinja2": "python3-jinja2"}


def lacking(error: ModuleNotFoundError) -> GenError | None:
    """What to tell of a module that this Python lacks; None of one that is no package of somebody else's."""
    name = (error.name or "").partition(".")[0]
    if name not in PACKAGES:
        return None
    return GenError(f"no module {name} here; Debian's {PACKAGES[name]} has it, and /usr/bin/python3 sees that: ./dev takes a Python that has it, "
                    "a build the one that -DVERBSX_PYTHON= names", file=sys.executable)


def report(error: GenError) -> int:
    """Print an error where people look for it and give the exit status that goes with it."""
    print(error, file=sys.stderr)
    return EXIT_STATUS
