# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""How far the numbers of runtime/src/text/table.h reach: names grow to 32 bits when they must, all else stops."""

from __future__ import annotations

from collections.abc import Iterable

from ..errors import GenError
from .calls.calls import CallsPlan
from .enums.enums import EnumPlan
from .explain.describe import Describe
from .structs.structs import StructTables
from .trace.trace import TracePlan

SHORT_NAME = 2**16 - 1  # what a pool of names may have for names of 16 bits
ROWS = 2**16 - 1
REF = 2**11 - 2  # of vx_field.ref, less what stands for handles
RULES = 2**10
SLACK = 4096  # texts that a template puts into a pool beside


def _size(names: Iterable[str]) -> int:
    return sum(len(name.encode()) + 1 for name in names)


def wide_names(enum_names: Iterable[str], struct_names: Iterable[str], calls: CallsPlan, describe: Describe) -> bool:
    """Whether some pool is so large that names take 32 bits."""
    short = SHORT_NAME - SLACK
    if max(_size(enum_names), _size(struct_names), _size([*(r.name for r in calls.rows), *calls.texts.values()])) > short:
        return True
    return _size([*describe.pool.text_of.values(), *describe.sentences.text_of.values()]) > short  # what lies behind has numbers of its own


def check(enums: list[EnumPlan], tables: StructTables, trace: TracePlan) -> None:
    """Stop where there are more rows of a kind than numbers for them."""
    fields = sum(len(s.fields) for s in tables.structs) + sum(len(c.params) + 1 for c in trace.signatures)
    for what, count, most in (("enumerators", sum(len(e.rows) for e in enums), ROWS), ("values of enums", sum(len(e.slots) for e in enums), ROWS),
                              ("enums", len(enums), REF), ("structures and calls", len(tables.structs) + len(trace.signatures), REF),
                              ("fields and parameters", fields, ROWS), ("rules of fields", len(tables.rules), RULES - 1)):
        if count > most:
            raise GenError(f"{count} {what}: the tables have numbers for {most}", hint="fewer header groups, or larger numbers in runtime/src/text/table.h")
