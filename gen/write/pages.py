# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""What an earlier run rendered of the same plan: a template that changed since renders its page anew, and others do not."""

from __future__ import annotations

import marshal
from collections.abc import Callable, Iterable
from pathlib import Path

from ..fast import kept, sources
from ..fast.record import field, record

Texts = dict[str, str]  # by their paths below generated/


@record
class Pages:
    """Each text has a key of its own, of what it is made of beside the plan. Those of a folder are kept together: what is not asked for
    is not read, and what stays as it was is not written."""

    name: str = ""  # of the plan; "" of one that is not kept, so that nothing of it is
    key: bytes = b""
    folders: dict[str, dict[str, tuple[bytes, Texts]]] = field(default_factory=dict)  # by what was asked for
    fresh: set[str] = field(default_factory=set)  # folders of which something was made that is not kept yet

    def _known(self, what: str) -> dict[str, tuple[bytes, Texts]]:
        folder = _folder(what)
        if folder not in self.folders:
            data = kept.read(self._name(folder), self.key) if self.name else None
            self.folders[folder] = marshal.loads(data) if data else {}
        return self.folders[folder]

    def _name(self, folder: str) -> str:
        return f"pages-{self.name}-{folder}"

    def are_of_before(self, what: str) -> bool:
        """Whether an earlier run has left some of the same plan."""
        return bool(self._known(what))

    def of(self, what: str, key: bytes, make: Callable[[], Texts]) -> Texts:
        if not self.has(what, key):
            self.put(what, key, make())
        return self.texts(what)

    def has(self, what: str, key: bytes) -> bool:
        return self._known(what).get(what, (b"",))[0] == key

    def texts(self, what: str) -> Texts:
        return self._known(what)[what][1]

    def put(self, what: str, key: bytes, texts: Texts) -> None:
        self._known(what)[what] = key, texts
        self.fresh.add(_folder(what))

    def keep(self) -> None:
        for folder in self.fresh if self.name else ():
            kept.write(self._name(folder), self.key, marshal.dumps(self.folders[folder]))


def _folder(what: str) -> str:
    return what.partition("/")[0]


class Keys:
    """What tells whether a page would be what it was: by its template, those that others use, and what renders them."""

    def __init__(self, folder: Path) -> None:
        self.texts = sources.contents(folder)
        shared = [part for name in self.texts if name.rpartition("/")[2].startswith("_") for part in (name.encode(), self.texts[name])]
        self.shared = kept.digest([str(folder).encode(), *(code for package in sources.package("jinja2") for code in sources.code_of(package).values()), *shared])

    def of(self, begins: str) -> bytes:
        """Of the templates whose names begin like this: one, those of a folder, or all."""
        found = [part for name, text in self.texts.items() if name.startswith(begins) for part in (name.encode(), text)]
        return kept.digest([self.shared, *found])

    def of_all(self, templates: Iterable[str], texts: Texts) -> bytes:
        """Of these templates, and of texts that are read to render them."""
        parts = (part.encode() for name in sorted(texts) for part in (name, texts[name]))
        return kept.digest([*map(self.of, templates), *parts])
