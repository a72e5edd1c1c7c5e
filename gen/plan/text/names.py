# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""Pools of names: one that another ends with needs no place of its own."""

from __future__ import annotations

from collections.abc import Iterable
from ...fast.record import record


@record
class PoolName:
    name: str
    end_of: str = ""  # the longer name that has it at its end


def pool_names(names: Iterable[str]) -> list[PoolName]:
    """All names, sorted; those that are the end of another come behind all that are not."""
    backwards = sorted(name[::-1] for name in set(names))
    whole: list[str] = []
    ends: list[PoolName] = []
    for name, following in zip(reversed(backwards), ["", *reversed(backwards)]):
        if following.startswith(name):
            ends.append(PoolName(name[::-1], whole[-1]))
        else:
            whole.append(name[::-1])
    return [*map(PoolName, sorted(whole)), *sorted(ends, key=lambda n: n.name)]
