# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""Tables of what runs compile in passing, to which each adds what is new to it.

What another process of a run compiled is told to the first, which keeps it: else that would be compiled in each run.
"""

from __future__ import annotations

import marshal
from collections.abc import Iterable

from . import kept
from .typed import Any

MOST = 1000  # entries that are kept: those of sources as they once were are among them


class Growing:
    """By keys that say all that an entry depends on; both are what marshal knows."""

    def __init__(self, name: str, modules: Iterable[str] = ()) -> None:
        self.name, self.modules = name, modules  # the latter make entries
        self.known: dict[Any, Any] | None = None  # those of earlier runs, once somebody asks
        self.new: dict[Any, Any] = {}

    def _key(self) -> bytes:
        return kept.digest(kept.of_code(self.modules))

    def get(self, key: Any) -> Any:
        """What was made in this run or in an earlier one, if it was."""
        if self.known is None:
            data = kept.read(self.name, self._key())
            self.known = marshal.loads(data) if data else {}
        return self.known.get(key) or self.new.get(key)

    def keep(self) -> None:
        """For the next run."""
        if self.new:
            whole = {**(self.known or {}), **self.new}
            kept.write(self.name, self._key(), marshal.dumps(whole if len(whole) <= MOST else self.new))


RECORDS = Growing("records")
EXPRESSIONS = Growing("expressions", ["fast/expressions"])
ALL = (RECORDS, EXPRESSIONS)


def keep() -> None:
    for table in ALL:
        table.keep()


def told() -> bytes:
    """What this process is the first to have made."""
    return marshal.dumps([table.new for table in ALL])


def hear(data: bytes) -> None:
    """What another process of this run told."""
    for table, new in zip(ALL, marshal.loads(data), strict=True):
        table.new |= new
