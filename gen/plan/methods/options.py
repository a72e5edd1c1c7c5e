# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""Options: a call that takes a number for what it sets, and the address of a value of any type, as one function for each of them."""

from __future__ import annotations

from typing import Any

from ...api.c_types import c_type
from ...api.facts import Call
from ...api.merge import object_name
from ..calls import widths
from ..model.method import Method

TAKEN = "value"


def option(name: str, entry: dict[str, Any], call: Call, kind: str, guard: str, page: str) -> Method:
    """The function that sets one. Its value is copied, as the call takes an address; of several, the count comes behind them."""
    taken, called = entry["type"], object_name(kind)
    many = bool(c_type(taken).stars)
    params = [f"const {taken}{TAKEN}s", "size_t count"] if many else [f"{widths.WIDE if taken in widths.NARROW else taken} {TAKEN}"]
    passed = entry.get("as", taken)
    most = entry.get("most", widths.MOST[widths.NARROW[taken]] if taken in widths.NARROW else None)
    refuses = [(f"{TAKEN} > {entry.get('most', widths.NARROW.get(taken))}", f"{TAKEN} is more than {most}")] if most is not None else []
    given = [f"(void *)(uintptr_t){TAKEN}s", f"count * sizeof(*{TAKEN}s)"] if many else [f"&({passed}){{ ({passed}){TAKEN} }}", f"sizeof({passed})"]
    numbers = entry["args"]
    slots = ["VX_ARG(vx_%s_raw(%s))" % (kind, called), *(f"(uint64_t){n}" for n in numbers), f"VX_ARG({TAKEN + 's' if many else '&' + TAKEN})", given[1]]
    return Method(f"vx_{kind}_{name}", call.name, ", ".join([f"struct vx_{kind} *{called}", *params]), "", ", ".join([called, *(["values", "count"] if many else [TAKEN])]),
                  ", ".join([f"vx_{kind}_raw({called})", *numbers, *given]), "minus", call.result, guard, call.since, call.until,
                  [f"{TAKEN}s", "count"] if many else [TAKEN], ", ".join(slots), False, entry["does"],
                  [(f"{TAKEN}s" if many else TAKEN, entry["says"]), *([("count", "how many they are")] if many else [])], page,
                  counted=[(f"{TAKEN}s", "count")] if many else [], refuses=refuses)
