# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""Items of two releases by name: what one of them lacks, and what both have and somebody finds changed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from .changes import ADDED, CHANGED, REMOVED, SAFE, UNSAFE, Change, Judgement


def compare(kind: str, old: dict[str, Any], new: dict[str, Any], describe: Callable[[Any], str],
            judge: Callable[[Any, Any], Judgement | None]) -> Iterator[Change]:
    """Every item that one side lacks, and every one that both have and `judge` finds changed."""
    for name in old.keys() - new.keys():
        yield Change(old[name].header, kind, name, REMOVED, UNSAFE, "gone", describe(old[name]))
    for name in new.keys() - old.keys():
        yield Change(new[name].header, kind, name, ADDED, SAFE, "new", describe(new[name]))
    for name in new.keys() & old.keys():
        if judgement := judge(old[name], new[name]):
            yield Change(new[name].header, kind, name, CHANGED, *judgement)


def never(_old: Any, _new: Any) -> None:
    """The judge of what cannot change."""
