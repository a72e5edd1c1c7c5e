# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""What tools that explain read lines and values by: the patterns of lore, transitions of a QP, and how large a field may be."""

from __future__ import annotations

from dataclasses import dataclass

from ..lore_lines import ARROW
from ..lore_model import Lore
from ..lore_reasons import BIT

Pattern = tuple[str, str]  # and what it stands for, with "|" between


@dataclass
class Move:
    """A transition of a QP of some types."""

    source: str
    target: str
    types: str
    needed: str
    allowed: str


@dataclass
class Bound:
    """The most that a field may be: a number, or what a field of another structure says."""

    path: str
    number: int
    source: str


def _joined(names: list[str], prefix: str = "") -> str:
    return "|".join(prefix + name for name in names)


class LineWords:
    def __init__(self, lore: Lore) -> None:
        self.messages = lore.lines.message
        self.phrases: list[Pattern] = [(text, _joined(names)) for text, names in lore.lines.phrase.items()]
        self.numbers: list[Pattern] = [(text, _joined(names)) for text, names in lore.lines.number.items()]
        self.alone: list[Pattern] = [(text, _joined(names)) for text, names in lore.lines.alone.items()]
        self.vendor_errs = sorted(lore.lines.vendor_err.items())
        self.moves = [Move(source, target, types, _joined(masks[0], BIT), _joined(masks[1], BIT))
                      for key, rows in lore.reasons.transition.items()
                      for sources, _, target in [key.partition(ARROW)]
                      for source in sources.split()
                      for types, masks in rows.items()]
        self.bounds = [Bound(path, limit if isinstance(limit, int) else 0, limit if isinstance(limit, str) else "")
                       for path, limit in sorted(lore.reasons.limit.items()) if " " not in path]
