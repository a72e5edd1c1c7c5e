# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""What tools that explain read lines and values by: the patterns of lore, transitions of a QP, and how large a field may be."""

from __future__ import annotations


from ...api.facts import Struct
from ...fast.record import record
from ...know.lines import ARROW
from ...know.model import Lore, find_field
from ...know.reasons import owned

Pattern = tuple[str, str]  # and what it stands for, with "|" between


@record
class Move:
    """A transition of a QP of some types."""

    source: str
    target: str
    types: str
    needed: str
    allowed: str


@record
class Bound:
    """The most that a field may be: a number, or what a field of another structure says."""

    path: str
    number: int
    source: str


def _owners(structs: dict[str, Struct], path: str) -> list[str]:
    """A path from the outermost structure, and one from the innermost that has a tag: ibv_qp_cap.max_send_wr."""
    struct, _, rest = path.partition(".")
    around, _, name = rest.rpartition(".")
    inner = find_field(structs, struct, around) if around else None
    return [path, f"{inner.ref}.{name}"] if inner and inner.ref in structs else [path]


def _joined(names: list[str], prefix: str = "") -> str:
    return "|".join(prefix + name for name in names)


class LineWords:
    def __init__(self, lore: Lore, structs: dict[str, Struct]) -> None:
        self.messages = lore.lines.message
        self.beside = lore.lines.beside
        self.counters = lore.lines.counter
        self.changes = lore.lines.change
        self.phrases: list[Pattern] = [(text, _joined(names)) for text, names in lore.lines.phrase.items()]
        self.spelled: list[Pattern] = list(lore.lines.spelled.items())
        self.likely = list(lore.lines.likely)
        self.numbers: list[Pattern] = [(text, _joined(names)) for text, names in lore.lines.number.items()]
        self.alone: list[Pattern] = [(text, _joined(names)) for text, names in lore.lines.alone.items()]
        self.words: list[Pattern] = [(text, _joined(names)) for text, names in lore.lines.word.items()]
        self.usual_vendor_errs = [(number, e["status"]) for number, e in sorted(lore.lines.vendor_err.items()) if not e.get("seldom")]
        self.vendor_errs = [(number, e["status"], e["where"]) for number, e in sorted(lore.lines.vendor_err.items())]
        bit = lore.reasons.prefix.get("bit", "")
        self.moves = [Move(source, target, types, _joined(masks[0], bit), _joined(masks[1], bit))
                      for key, rows in lore.reasons.transition.items()
                      for sources, _, target in [key.partition(ARROW)]
                      for source in sources.split()
                      for types, masks in rows.items()]
        limits = {path: limit for key, limit in lore.reasons.limit.items() for whole in owned(key) for path in _owners(structs, whole)}
        self.bounds = [Bound(path, limit if isinstance(limit, int) else 0, limit if isinstance(limit, str) else "")
                       for path, limit in sorted(limits.items()) if path.partition(".")[0] in structs]
