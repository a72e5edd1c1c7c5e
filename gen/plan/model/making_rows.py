# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""Kinds whose making is a row of steps for the runtime: what is refused before, and in what order."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...errors import GenError
from ...fast.record import field, record
from ...know.model import MASK

if TYPE_CHECKING:
    from .init import Need
    from .object import Kind

# Room that the runtime has, as is asserted where it is compiled: for handles that one object depends on, and bytes of what the call takes
MOST_USED = 8
MOST_ATTR = 256


@record
class Row:
    """How one kind is made."""

    kind: Kind
    head: list[str]  # what is said once, in C
    steps: list[str]  # initializers
    looks_for: str  # what no step says and C has to look at: needs, cleared, late; "": nothing


@record
class Rows:
    kinds: dict[str, Row] = field(default_factory=dict)
    texts: dict[str, int] = field(default_factory=dict)  # by what it says, the place
    most_used: int = MOST_USED

    def text(self, says: str) -> str:
        """A text, in C."""
        return f"T({self.texts.setdefault(says, len(self.texts))})"


def _odd(kind: Kind) -> list[str]:
    """What of the things to look at only C says."""
    found = {"needs": any(n.when for n in kind.needs), "cleared": kind.cleared, "late": kind.refuses or kind.crashes}
    return [name for name, there in found.items() if there]


def is_row(kind: Kind, lent: set[str]) -> bool:
    """Whether steps make one. What programs make many of, what is large, and what takes steps that no other kind does, has code of its own."""
    own_code = (kind.often or kind.name in lent or kind.lends or kind.exclusions or kind.begin or kind.end or kind.gathered or kind.once
                or kind.also_last or kind.points or kind.holds or kind.ports or (kind.crashes and kind.provider) or kind.attr_size > MOST_ATTR
                or len({bool(n.when) for n in kind.needs}) > 1)
    return bool(kind.ways) and not own_code and len(_odd(kind)) < 2


def _at(kind: Kind, path: str) -> str:
    return f"AT({kind.name}, {path})"


def _size(kind: Kind, path: str) -> str:
    return f"SIZE({kind.name}, {path})"


class _Steps:
    """Collects the steps of a kind."""

    def __init__(self, kind: Kind, rows: Rows) -> None:
        self.kind = kind
        self.rows = rows
        self.out: list[str] = []

    def add(self, op: str, path: str, size: str, says: str, other: str = "0", bits: str = "0") -> None:
        place = f"{_at(self.kind, path)}, {size}" if path else "0, 0"
        self.out.append(f"{{ VX_STEP_{op}, {place}, {self.rows.text(says) if says else 0}, {other}, {bits} }}")

    def masks(self, *, first: bool) -> None:
        """Of a kind with a parent comp_mask comes before that, and all others after it."""
        for m in self.kind.masks:
            if (m.name == MASK and bool(self.kind.parent)) == first:
                self.add("BITS", m.name, _size(self.kind, m.name), m.name, m.enum, m.known)

    def look(self, what: str) -> None:
        if what in _odd(self.kind):
            self.add("LOOK", "", "", "")

    def need(self, n: Need) -> None:
        if not n.when:
            says = n.name if n.pointer else f"{n.name} {n.says}"
            self.add("NULL" if n.pointer else "ZERO", n.name, _size(self.kind, n.name), says)

    def all(self) -> list[str]:
        kind = self.kind
        self.masks(first=True)
        self.add("PARENT", "", "", "")
        for name in kind.unused:
            self.add("LATER", name, _size(kind, name), name)
        self.masks(first=False)
        self.look("needs")
        for n in kind.needs:
            self.need(n)
        for none in (n for n in kind.nones if not n.says):
            self.add("NONE", none.path, _size(kind, none.path), none.path)
        for f in (f for f in kind.uses if f.bit and not f.null):
            self.add("MASKED", f.name, _size(kind, kind.selector), f.name, self.rows.text(f.bit), f.bit)
        for name, length in kind.blobs:
            self.add("BLOB", name, _size(kind, length), name, _at(kind, length))
        self.look("cleared")
        for f in kind.uses:
            self.add("HANDLE", f.name, "0", f"vx_{kind.name}_create, {f.name}", f"VX_OBJECT_{f.kind.upper()}", "0" if f.name in kind.reads else "1")
        self.look("late")
        return self.out


def _check_room(kind: Kind) -> None:
    used = 1 + sum(f.name not in kind.reads for f in kind.uses)  # with its parent
    if used > MOST_USED:
        raise GenError(f"{kind.name}: depends on {used} handles, and what makes it has room for {MOST_USED}",
                       hint="VX_MOST_USED, in make_by_row.h")


def rows(kinds: list[Kind], lent: set[str]) -> Rows:
    """All kinds that are made by steps."""
    out = Rows()
    for kind in (k for k in kinds if is_row(k, lent)):
        _check_room(kind)
        head = [out.text(f"vx_{kind.name}_create"), out.text(kind.last_field), out.text(kind.provider) if kind.provider else "0"]
        out.kinds[kind.name] = Row(kind, head, _Steps(kind, out).all(), next(iter(_odd(kind)), ""))
    return out
