# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""Pools of names: one that another ends with needs no place of its own."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable

from ...fast.record import record


@record
class PoolName:
    name: str
    end_of: str = ""  # the longer name that has it at its end
    more: bool = False  # it lies in the second pool


def _pool(names: Iterable[str]) -> list[PoolName]:
    backwards = sorted(name[::-1] for name in set(names))
    whole: list[str] = []
    ends: list[PoolName] = []
    for name, following in zip(reversed(backwards), ["", *reversed(backwards)]):
        if following.startswith(name):
            ends.append(PoolName(name[::-1], whole[-1]))
        else:
            whole.append(name[::-1])
    return [*map(PoolName, sorted(whole)), *sorted(ends, key=lambda n: n.name)]


def pool_names(names: Iterable[str], more: Iterable[str] = ()) -> list[PoolName]:
    """All names, sorted, and behind them those of `more` that the first pool does not have, of the second; those that are the end of
    another come behind all that are not."""
    first = _pool(names)
    backwards = sorted(n.name[::-1] for n in first if not n.end_of)
    ends: list[PoolName] = []
    left: list[str] = []
    for name in sorted(set(more) - {n.name for n in first}):
        at = bisect_left(backwards, name[::-1])
        if at < len(backwards) and backwards[at].startswith(name[::-1]):
            ends.append(PoolName(name, backwards[at][::-1]))
        else:
            left.append(name)
    second = [PoolName(n.name, n.end_of, True) for n in _pool(left)]
    return sorted([*first, *ends, *second], key=lambda n: (bool(n.end_of), n.more, n.name))
