# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""Vendors' kinds and methods, which have headers of their own: who does without them need not have a vendor's header read."""

from __future__ import annotations

from collections.abc import Iterable

from ...api import own
from ...know.groups import HeaderGroup
from ..model.object import Kind, Objects, Vendor


def share(plan: Objects, groups: list[HeaderGroup], of_kind: dict[str, HeaderGroup], of_call: dict[str, HeaderGroup]) -> None:
    """Give each kind and method of a vendor's group to that vendor's header."""
    plan.vendors = [Vendor(g.name, g.word or g.name, f"verbsx/{g.word or g.name}.h", g.provider) for g in groups if g.provider]
    by_group = {v.group: v for v in plan.vendors}
    for kind in plan.kinds:
        if (group := of_kind.get(kind.name)) and (vendor := by_group.get(group.name)):
            kind.vendor, kind.header = vendor.group, vendor.header
            vendor.wants += [header for header in _lists(kind) if header not in vendor.wants]
    for method in [*plan.openings, *plan.ctx]:
        method.vendor = _vendor_of(method.call, of_call)
    for kind in plan.types:
        for method in kind.methods:
            method.vendor = _vendor_of(method.call, of_call) or kind.vendor


def _vendor_of(call: str, of_call: dict[str, HeaderGroup]) -> str:
    group = of_call.get(call)
    return group.name if group and group.provider else ""


def _lists(kind: Kind) -> Iterable[str]:
    """The headers of the runtime that have what its init structure lists."""
    return [s.header for s in own.headers().structs if kind.elements and s.name == kind.elements.own]
