# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""The part of lore that documents: what parameters and the fields of structures mean."""

from __future__ import annotations

from fnmatch import fnmatchcase

from ..files import tomlfile
from .checks import Checks
from .model import close

OUT = "out"  # the last parameter of a function that stands for a call which returns its result


class WordTables(Checks):
    """What the checker of lore does with this table."""

    def _table_says(self, doc: tomlfile.Document, key: str, text: str) -> None:
        owner, _, name = key.partition(".")
        if "*" in owner:  # of all calls alike
            if not any(name in [OUT, *(p.name for p in c.params)] for c in self.calls.values() if fnmatchcase(c.name, owner)):
                raise doc.error("says", key, f"{key}: no call of such a name has such a parameter")
        elif owner in self.calls and owner not in self.structs:  # C has one name for both
            known = [OUT, *(p.name for p in self.calls[owner].params)]
            if name not in known:
                raise doc.error("says", key, f"{key}: no such parameter", close(name, known))
        elif owner.startswith("vx_"):  # what only the library has: its init structures, what its handles tell
            self.late.append(lambda: self._of_kind(doc, key, owner.removeprefix("vx_").removesuffix("_init")))
        else:
            self._field(doc, "says", key, key)

    def _of_kind(self, doc: tomlfile.Document, key: str, kind: str) -> None:
        if kind not in self.lore.object:
            raise doc.error("says", key, f"{key}: no such kind of object", close(kind, self.lore.object))
