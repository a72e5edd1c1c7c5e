# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""Views: a call that fills what a provider's headers have of several objects at once, as one function for each kind of them."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from ...api.facts import Call, Struct
from ...know.model import MASK
from ..model.method import Method, Sized
from ..model.object import Kind

PARAM = "view"
OBJECT, VIEW = "in", "out"  # the members of what the structure that the call takes has of each object


def view(member: str, entry: dict[str, Any], call: Call, takes: Struct, kind: Kind, word: str, known: str, guard: Callable[[int, int], str]) -> Method:
    """The function that fills the view of one kind. Where its mask says what is wanted, that comes from the program."""
    place = next(f for f in takes.fields if f.name == member)
    filled = next(f for f in place.fields if f.name == VIEW)
    sized = Sized(PARAM, f"struct {filled.ref}", "size", True, bool(known), last_field="", known=known)
    name = f"vx_{word}_{kind.name.removeprefix(f'{word}_')}_view"
    raw = f"vx_{kind.name}_raw({kind.called})"
    given = f"&({takes.c_type}){{ .{member} = {{ .{OBJECT} = {raw}, .{VIEW} = {sized.own} }} }}"
    declared = f"const struct vx_{kind.name} *{kind.called}, struct {filled.ref} *{PARAM}"
    says = f"where it goes, and in {MASK} what is asked for beyond what is always there" if known else "where it goes"
    return Method(name, call.name, declared, f"{declared}, size_t size", f"{kind.called}, {PARAM}, sizeof(*{PARAM})", f"{given}, {entry['flag']}",
                  "errno", call.result, guard(place.since, place.until), place.since, place.until, [PARAM], f"VX_ARG(NULL), (uint64_t){entry['flag']}", False,
                  entry["does"], [(PARAM, says)], "", [PARAM], [sized],
                  refuses=[(re.sub(rf"\b{member}\.", f"{raw}->", condition), why) for why, condition in entry.get("refuses", {}).items()])
