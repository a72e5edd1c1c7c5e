# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""What is to be said of fields: numbers that are new, and of which nobody has said what they count."""

from __future__ import annotations

from ...api.merge import Api
from ...know.model import WIDTHS, Lore
from ...know.remarks import Remarks
from ...reach.news import News
from ..enums.enums import EnumPlan
from ..structs.guesses import Guesses
from ..structs.structs import FieldPlan, StructPlan, plain_path

NUMBERS = ("UINT", "INT")


def add_fields(api: Api, lore: Lore, enums: list[EnumPlan], structs: list[StructPlan], news: News, remarks: Remarks) -> None:
    known, guesses = api.structs(), Guesses(api, lore, {e.name: e for e in enums})
    said = {r.name for r in remarks.said if r.table == "field"}
    for s in structs:
        top = known.get(s.id.partition("__")[0])
        for f in s.fields if top and not s.own else ():
            key = f"{top.name}.{plain_path(f.path)}"
            if f.kind == "BYTES" and key not in lore.field and (form := _form_of(f)) and news.field(top, f.path.partition(".")[0], f.since):
                remarks.lore(s.group, s.header, key, "printed as bytes, and called as what has a form of as many", "field", f'"{key}" = {{ form = "{form}" }}')
            silent = f.kind in NUMBERS and not f.form and key not in lore.field and not lore.by_name(f.name) and key not in said
            if silent and news.field(top, f.path.partition(".")[0], f.since):
                remarks.lore(s.group, s.header, key, "printed as a number: nobody says of what (form: one of FORMS in gen/know/model.py)", "field",
                             f'"{key}" = {{ {guesses.line(f.name, key)} }}')


def _form_of(f: FieldPlan) -> str:
    """A form by a word of the name, where the field is as wide."""
    return next((form for form in f.name.split("_") if WIDTHS.get(form) == f.bytes), "")
