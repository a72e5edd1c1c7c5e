# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""What is to be said of macros: values that are called as those of an enum, and what takes the place of a function."""

from __future__ import annotations

from ...api.facts import Macro
from ...api.merge import Api
from ...know.model import Lore
from ...know.remarks import Remarks
from ...reach.news import News
from ..enums.enums import EnumPlan


def add_macros(api: Api, lore: Lore, enums: list[EnumPlan], news: News, remarks: Remarks) -> None:
    named = {r.name for e in enums for r in e.rows}
    of_macros = [(e.rows[0].name[:e.prefix], e.name) for e in enums if not e.own and e.prefix and any(r.has("MACRO") for r in e.rows)]
    calls = api.calls()
    for group in api.groups.values():
        for macro in group.macros.values():
            if macro.name in named or macro.name in calls or macro.name in lore.skip or not news.named("macros", macro):
                continue
            if macro.kind == "value":
                _value(group.name, macro, of_macros, remarks)
            elif macro.kind == "function" and macro.name.islower() and not macro.name.startswith("_"):
                remarks.lore(group.name, macro.header, macro.name, "a macro with parameters, called as functions are: nothing stands for it", "skip",
                             f'{macro.name} = "programs have it as it is"')


def _value(group: str, macro: Macro, of_macros: list[tuple[str, str]], remarks: Remarks) -> None:
    """Of enums whose names begin so, the one with the longest."""
    alike = [(prefix, enum) for prefix, enum in of_macros if macro.name.startswith(prefix)]
    if alike:
        enum = max(alike, key=lambda found: len(found[0]))[1]
        remarks.lore(group, macro.header, macro.name, f"a macro that is called as those of enum {enum} are, of which it is none yet", "macro", f'{macro.name} = "{enum}"')
    elif not macro.text:
        remarks.add(macro.header, macro.name, "a macro of a number, of no enum: its value has no name in texts", note=True)
