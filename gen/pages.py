# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""What an earlier run rendered of the same plan: a template that changed since renders its page anew, and others do not."""

from __future__ import annotations

import marshal
from collections.abc import Callable
from pathlib import Path

from . import kept, sources
from .record import field, record

Texts = dict[str, str]  # by their paths below generated/


@record
class Pages:
    """Each text has a key of its own, of what it is made of beside the plan."""

    name: str = ""  # of the plan; "" of one that is not kept, so that nothing of it is
    key: bytes = b""
    known: dict[str, tuple[bytes, Texts]] = field(default_factory=dict)
    fresh: bool = False  # something was made that is not kept yet

    def of(self, what: str, key: bytes, make: Callable[[], Texts]) -> Texts:
        if self.known.get(what, (b"",))[0] != key:
            self.put(what, key, make())
        return self.known[what][1]

    def has(self, what: str, key: bytes) -> bool:
        return self.known.get(what, (b"",))[0] == key

    def put(self, what: str, key: bytes, texts: Texts) -> None:
        self.known[what], self.fresh = (key, texts), True

    def keep(self) -> None:
        if self.fresh and self.name:
            kept.write(f"pages-{self.name}", self.key, marshal.dumps(self.known))


def of_plan(name: str, key: bytes) -> Pages:
    """Those of a plan by the name and the key that it is kept by."""
    data = kept.read(f"pages-{name}", key) if name else None
    return Pages(name, key, marshal.loads(data) if data else {})


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
