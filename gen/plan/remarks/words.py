# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""What is to be said of the documentation: functions and fields that programs get, and of which lore has no words."""

from __future__ import annotations

import re

from ...api.merge import Api
from ...know.model import find_field
from ...know.remarks import LORE, Remarks
from ...know.words import OUT
from ..model.object import InitField, Kind, Method, Objects

WORDS = LORE.format("words")
SINCE = re.compile(r"since rdma-core \d+")  # what is known of a field in any case


class WordRemarks:
    def __init__(self, api: Api, objects: Objects, remarks: Remarks) -> None:
        self.calls = api.calls()
        self.structs = api.structs()
        self.objects = objects
        self.remarks = remarks
        self.fields: dict[tuple[str, str], list[str]] = {}  # by header and what lore knows them by, the init structures that have them

    def add(self) -> None:
        for method in [*self.objects.ctx, *(m for k in self.objects.types for m in k.methods)]:
            if method.call in self.calls:  # else it is of another release than these headers are
                self._method(method)
        for kind in self.objects.kinds:
            if kind.call in self.calls and not kind.does:
                self._does(kind.call, f"{kind.article} {kind.title} is, which vx_{kind.name}_create() makes")
            for f in kind.fields if not kind.by_hand else ():
                if not SINCE.sub("", f.words):
                    self.fields.setdefault(self._field(kind, f), []).append(f"vx_{kind.name}_init")
        for (header, key), (first, *others) in self.fields.items():
            also = f", and of {', '.join(others)}" if others else ""
            self._says(header, key, f"a field of struct {first}{also}")

    def _method(self, method: Method) -> None:
        if not method.does:
            self._does(method.call, f"{method.name}() does")
        said, known = dict(method.words), {OUT, *(p.name for p in self.calls[method.call].params)}
        for name in method.params:
            if name not in said and name in known:
                self._says(self.calls[method.call].header, f"{method.call}.{name}", f"a parameter of {method.name}()")

    def _does(self, call: str, what: str) -> None:
        self.remarks.add(self.calls[call].header, call, f"nothing says what {what}", WORDS, "does", f'{call} = "..."')

    def _field(self, kind: Kind, f: InitField) -> tuple[str, str]:
        """A header, and what lore knows a field by: where it is one of a structure of the headers, for all that have it."""
        *around, name = (f.path or f.name).split(".")
        inside = find_field(self.structs, kind.attr, ".".join(around)) if around else None
        owner = self.structs.get(inside.ref if inside else kind.attr)
        if owner and any(x.name == name for x in owner.fields):
            return owner.header, f"{owner.name}.{name}"
        return self.calls[kind.call].header if kind.call in self.calls else "", f"vx_{kind.name}_init.{f.name}"

    def _says(self, header: str, key: str, what: str) -> None:
        self.remarks.add(header, key, f"{what}, of which nothing says what it is", WORDS, "says", f'"{key}" = "?"')
