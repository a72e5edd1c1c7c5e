# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""Which releases have an item, as the preprocessor asks."""

from __future__ import annotations


def lives(*items: tuple[int, int]) -> tuple[int, int]:
    """The first and the last release that have all of these, of each the same; 0 for no last."""
    first = last = 0
    for since, until in items:
        first = max(first, since)
        last = min(last, until) if last and until else last or until
    return first, last


def any_lives(*items: tuple[int, int]) -> tuple[int, int]:
    """The first and the last release that have any of these, of at least one."""
    return min(since for since, _ in items), 0 if any(not until for _, until in items) else max(until for _, until in items)


def guard(since: int, until: int, oldest: int, newest: int) -> str:
    """The preprocessor condition under which the headers have an item; "" where all releases do."""
    parts = [f"VX_RDMA_CORE >= {since}"] if since > oldest else []
    if until and until < newest:
        parts.append(f"VX_RDMA_CORE <= {until}")
    return " && ".join(parts)
