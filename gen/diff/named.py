# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""What differs between the typedefs and the variables of two releases."""

from __future__ import annotations

from collections.abc import Iterator

from ..api.facts import Facts, Named, items
from .changes import UNSAFE, Change, Judgement
from .compare import compare


def named(a: Facts, b: Facts) -> Iterator[Change]:
    for kind in ("typedef", "variable"):
        yield from compare(kind, items(a, f"{kind}s"), items(b, f"{kind}s"), _describe, _judge)


def _describe(item: Named) -> str:
    return item.type


def _judge(old: Named, new: Named) -> Judgement | None:
    return (UNSAFE, "another type", f"{old.type} -> {new.type}") if old.type != new.type else None
