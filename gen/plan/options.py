# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""Options: a call that takes a number for what it sets, and the address of a value of any type, as one function for each of them."""

from __future__ import annotations

from typing import Any

from ..facts import Call
from . import widths
from .method_model import Method

TAKEN = "value"


def option(name: str, entry: dict[str, Any], call: Call, kind: str, guard: str, page: str) -> Method:
    """The function that sets one. Its value is copied, as the call takes an address; of several, the count comes behind them."""
    c_type = entry["type"]
    many = c_type.endswith("*")
    params = [f"const {c_type}{TAKEN}s", "size_t count"] if many else [f"{widths.WIDE if c_type in widths.NARROW else c_type} {TAKEN}"]
    passed = entry.get("as", c_type)
    refuses = [(f"{TAKEN} > {widths.NARROW[c_type]}", f"{TAKEN} is more than {widths.MOST[widths.NARROW[c_type]]}")] if c_type in widths.NARROW else []
    given = [f"(void *)(uintptr_t){TAKEN}s", f"count * sizeof(*{TAKEN}s)"] if many else [f"&({passed}){{ ({passed}){TAKEN} }}", f"sizeof({passed})"]
    numbers = entry["args"]
    slots = ["VX_ARG(vx_%s_raw(%s))" % (kind, kind), *(f"(uint64_t){n}" for n in numbers), f"VX_ARG({TAKEN + 's' if many else '&' + TAKEN})", given[1]]
    return Method(f"vx_{kind}_{name}", call.name, ", ".join([f"struct vx_{kind} *{kind}", *params]), "", ", ".join([kind, *(["values", "count"] if many else [TAKEN])]),
                  ", ".join([f"vx_{kind}_raw({kind})", *numbers, *given]), "minus", call.result, guard, call.since, call.until,
                  [f"{TAKEN}s", "count"] if many else [TAKEN], ", ".join(slots), False, entry["does"],
                  [(f"{TAKEN}s" if many else TAKEN, entry["says"]), *([("count", "how many they are")] if many else [])], page,
                  counted=[(f"{TAKEN}s", "count")] if many else [], refuses=refuses)
