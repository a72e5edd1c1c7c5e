# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""All that is to be said of a plan, once it is there: what it took for granted, and what it has nothing for."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from ...fast.record import changed
from ...reach.news import News
from ..model.object import Objects
from ..structs.guesses import Guesses
from ..structs.own_structs import plan_own
from ..structs.structs import plan_structs
from .again import add_again
from .calls import CallRemarks, add_addresses, add_numbers
from .fields import add_fields
from .macros import add_macros
from .masks import MaskRemarks
from .named import add_named
from .proposals import Proposals
from .requests import RequestRemarks, add_reads
from .values import ValueRemarks
from .words import WordRemarks

if TYPE_CHECKING:
    from ...api.merge import Api
    from .. import Plan


def say(plan: Plan, news: News, told_of: frozenset[str] | None = None, whole: Callable[[], Api] | None = None) -> None:
    """Add to the remarks of a plan; `told_of` are the libraries of which it is known what they export, None where all are.

    `whole` makes the API that its objects were planned of, where that was cut down since.
    """
    proposals = Proposals(plan.api, plan.lore, plan.groups, news, plan.remarks, whole)
    proposals.add()
    objects = proposals.objects(plan.objects)
    objects.ruled_out &= plan.objects.ruled_out  # a tree alone may lack what makes other calls methods
    if objects is not plan.objects:  # what their structures leave open, too: a person decides once
        plan_structs(plan.api, plan.lore, plan.enums, plan.remarks, plan_own(objects, plan.api, plan.lore))
    CallRemarks(plan.api, plan.lore, plan.groups, objects, news, plan.remarks, proposals.covered, told_of).add()
    add_numbers(plan.api, plan.lore, Guesses(plan.api, plan.lore, {e.name: e for e in plan.enums}), objects, news, plan.remarks)
    add_addresses(plan.api, [(t.name, p.name) for t in plan.trace.calls for p in t.params if p.is_an_address], news, plan.remarks)
    WordRemarks(plan.api, objects, plan.remarks).add()
    WordRemarks(plan.api, _lacks(objects, plan.objects), plan.remarks).add()
    ValueRemarks(plan.api, plan.lore, plan.enums, plan.remarks).add()
    MaskRemarks(plan.api, plan.lore, plan.enums, news, plan.remarks).add()
    RequestRemarks(plan.api, plan.lore, plan.enums, news, plan.remarks).add()
    add_reads(plan.api, plan.lore, plan.wr.reads, news, plan.remarks)
    add_fields(plan.api, plan.lore, plan.enums, plan.tables.structs, news, plan.remarks)
    add_macros(plan.api, plan.lore, plan.enums, news, plan.remarks)
    add_named(plan.api, plan.lore, news, plan.remarks)
    add_again(plan.api, plan.remarks)


def _lacks(some: Objects, others: Objects) -> Objects:
    """The kinds that are not there where proposed ones are: of those whose structures are no more in headers, older ones have them."""
    known = {k.name for k in some.kinds}
    return changed(others, kinds=[k for k in others.kinds if k.name not in known], ctx=[])
