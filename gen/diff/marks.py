# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""What compilers are told of what stays as it is: that nobody should use it any more, or ignore what it returns."""

from __future__ import annotations

from typing import Protocol

from ..api.facts import Call
from .changes import RECOMPILE, SAFE, Judgement

WARNED = "who compiles with -Werror has to change the source"


class Marked(Protocol):
    @property
    def deprecated(self) -> bool: ...


def judge_marks(old: Marked, new: Marked) -> Judgement | None:
    """Of two that do not differ otherwise."""
    if new.deprecated != old.deprecated:
        return (RECOMPILE, f"deprecated: {WARNED}", "") if new.deprecated else (SAFE, "not deprecated any more", "")
    return None


def judge_result(old: Call, new: Call) -> Judgement | None:
    """Whether compilers look after the result of a function."""
    if new.unused != old.unused:
        return (RECOMPILE, f"warns of a result that nobody looks at: {WARNED}", "") if new.unused else (SAFE, "its result may be ignored", "")
    return None
