# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""Figures as a table for people."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

from tests.bench.figure import Beside, Figure

# How many digits after the point a value of each unit is worth.
UNITS = {"s": 3, "ms": 2, "us": 1, "ns": 1, "kB": 1, "bytes": 0, "x": 2, "relocations": 0, "instructions": 1}
COUNTED = ("relocations", "instructions")  # without a unit
HEAD = ("", "here", "target", "met", "compared with", "there", "there / here")
RIGHT = {1, 2, 5, 6}
WORDS = {True: "yes", False: "NO", None: ""}


def amount(value: float | None, unit: str) -> str:
    """A value with its unit, "2.1 ns"; relocations are only counted."""
    if value is None:
        return "absent"
    number = f"{value:.{UNITS[unit]}f}"
    return number if unit in COUNTED else f"{number} {unit}"


def target(figure: Figure) -> str:
    """The target with its unit."""
    if not figure.target or figure.unit in COUNTED:
        return figure.target
    return f"{figure.target} {figure.unit}"


def compared(figure: Figure, other: Beside | None) -> tuple[str, str, str]:
    """The last three cells of a line."""
    if other is None:
        return "", "", ""
    ratio = figure.ratio(other)
    return other.name, amount(other.value, figure.unit), "" if ratio is None else f"{ratio:.3g} x"


def lines(figure: Figure) -> Iterator[tuple[str, ...]]:
    """The lines of a figure: one for each that it is compared with."""
    own = (f"  {figure.name}", amount(figure.value, figure.unit), target(figure), WORDS[figure.met])
    others: list[Beside | None] = [*figure.beside] or [None]
    for number, other in enumerate(others):
        yield (own if number == 0 else ("",) * len(own)) + compared(figure, other)


def rows(figures: list[Figure]) -> Iterator[tuple[str, ...]]:
    """All lines, with one that names each section."""
    yield HEAD
    for section, members in groupby(figures, key=lambda figure: figure.section):
        yield (section,) + ("",) * (len(HEAD) - 1)
        for figure in members:
            yield from lines(figure)


def render(figures: list[Figure]) -> str:
    """The table, and how many targets are met."""
    cells = list(rows(figures))
    widths = [max(len(row[column]) for row in cells) for column in range(len(HEAD))]
    text = ["  ".join(cell.rjust(width) if column in RIGHT else cell.ljust(width)
                      for column, (cell, width) in enumerate(zip(row, widths))).rstrip() for row in cells]
    targets = [figure.met for figure in figures if figure.met is not None]
    return "\n".join(text) + f"\n\n{sum(targets)} of {len(targets)} targets met"
