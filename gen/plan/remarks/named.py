# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""What is to be said of typedefs and variables, which nothing is generated of."""

from __future__ import annotations

import re

from ...api.facts import Named
from ...api.merge import Api
from ...know.model import Lore
from ...know.remarks import Remarks
from ...reach.news import News

WORD = re.compile(r"\w+")


def add_named(api: Api, lore: Lore, news: News, remarks: Remarks) -> None:
    for group in api.groups.values():
        for item in group.typedefs.values():
            if news.named("typedefs", item):
                remarks.add(item.header, item.name, f"a typedef of {item.type}: fields and parameters that have it are what it stands for", note=True)
        for item in group.variables.values():
            if news.named("variables", item) and not _is_left(item, lore):
                remarks.lore(group.name, item.header, item.name, f"a variable, {item.type}: nothing stands for it", "skip",
                             f'{item.name} = "programs that want it link with rdma-core"')


def _is_left(item: Named, lore: Lore) -> bool:
    """Whether lore says why nothing is made of it, or of all that are of its type."""
    return any(word in lore.skip for word in (item.name, *WORD.findall(item.type)))
