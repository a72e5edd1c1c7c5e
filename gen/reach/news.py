# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""What nobody can have looked at yet: what the newest release brought, or a tree that committed facts do not know."""

from __future__ import annotations

from collections.abc import Iterator

from ..api.facts import Call, Facts, Group, Macro, Named, Struct
from ..know.model import find_field


class News:
    def __init__(self, newest: int, committed: list[Facts] | None = None) -> None:
        self.newest = newest
        self.committed = committed  # None where the API is of nothing else

    def call(self, call: Call) -> bool:
        return call.since >= self.newest or not self._has("calls", call.name)

    def struct(self, struct: Struct) -> bool:
        return struct.since >= self.newest or not self._has("structs", struct.name)

    def field(self, struct: Struct, name: str, since: int) -> bool:
        """A field by its path."""
        if self.struct(struct) or since >= self.newest or self.committed is None:
            return self.struct(struct) or since >= self.newest
        known = [g.structs for g in self._groups() if struct.name in g.structs]
        return bool(known) and all(find_field(structs, struct.name, name) is None for structs in known)

    def named(self, kind: str, item: Named | Macro) -> bool:
        """A typedef, a variable or a macro, of either kind."""
        return item.since >= self.newest or not self._has(kind, item.name)

    def _has(self, kind: str, name: str) -> bool:
        """Whether facts have an item, or a macro that renames one."""
        return self.committed is None or any(name in getattr(g, kind) or name in g.macros for g in self._groups())

    def _groups(self) -> Iterator[Group]:
        return (g for facts in self.committed or [] for g in facts.groups.values())
