# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""Reasons in [method] of lore why the rules make no function of a call that are so no more."""

from __future__ import annotations

from collections.abc import Iterator

from ..errors import GenError
from ..plan import Plan
from ..plan.trace.wrapped import OWN, needs_no_reason
from ..promise.exports import functions


def obsolete(planned: Plan, files: dict[str, str]) -> Iterator[GenError]:
    """Those whose function is gone, and those of calls that something stands for without them; `files` has the rendered headers."""
    known = functions(files)
    by_rule = needs_no_reason(planned.api, planned.lore, planned.objects)
    for call, said in planned.lore.method.items():
        gone = [name for name in OWN.findall(said) if name.removesuffix("()") not in known]
        stands = by_rule.get(call, "")
        if gone or stands:
            path, line = planned.lore.places[f"method.{call}"]
            why = f"{gone[0]} is no more" if gone else f"{stands} stands for it by the rules"
            yield GenError(f"{call}: {said}: {why}", file=path, line=line, hint="say what is so now" if gone else "leave the line out")
