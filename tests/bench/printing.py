# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""Structures as text."""

from __future__ import annotations

from collections.abc import Iterator

from tests.bench.figure import Beside, Figure
from tests.bench.run import Bench, tasks


def device(kind: str, taken: dict[str, float]) -> Iterator[Figure]:
    """The 40 fields of a device: what one of them takes."""
    section = f"printing a struct ibv_device_attr, a line or field, {kind} library"
    by_hand = [Beside("snprintf() by hand, a line", taken["device.by hand"])]
    yield Figure(section, "text", taken["device.text"], "ns", "<= 30", by_hand)
    yield Figure(section, "compact", taken["device.compact"], "ns", beside=by_hand)
    yield Figure(section, "JSON", taken["device.json"], "ns", beside=by_hand)


def completion(kind: str, taken: dict[str, float]) -> Iterator[Figure]:
    """A whole completion, of 12 valid fields."""
    section = f"printing a struct ibv_wc, all of it, {kind} library"
    by_hand = [Beside("snprintf() by hand, a line each", taken["wc.by hand"])]
    yield Figure(section, "text", taken["wc.text"], "ns", beside=by_hand)
    yield Figure(section, "compact", taken["wc.compact"], "ns", beside=by_hand)
    yield Figure(section, "JSON", taken["wc.json"], "ns", beside=by_hand)


def figures(bench: Bench) -> Iterator[Figure]:
    """From either library."""
    for kind in ("shared", "static"):
        taken = tasks(bench, f"print-{kind}", slow=10)
        yield from device(kind, taken)
        yield from completion(kind, taken)
