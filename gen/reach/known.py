# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""What committed facts and lore say of all releases; kept from one run to the next."""

from __future__ import annotations

from .. import paths
from ..api import merge, own
from ..api.facts import Facts
from ..fast import sources
from ..fast.kept import kept
from ..know import groups
from ..know.model import Lore
from . import headers
from .looked_for import look_for

# All rooms that it is read by.
CODE = ("api", "errors", "fast", "files", "know", "paths", "reach", "scan")


def order(found: list[groups.HeaderGroup], facts: list[Facts]) -> list[str]:
    """The groups that are wanted, and those that only facts know: lore speaks of all."""
    return list(dict.fromkeys([*(g.name for g in found), *(name for f in facts for name in f.groups)]))


def read(found: list[groups.HeaderGroup]) -> tuple[merge.Api, Lore]:
    """The API of all groups, with the releases that lore knows better, and lore."""
    return kept("known", parts(found), lambda: _read(found), CODE)


def parts(found: list[groups.HeaderGroup]) -> list[bytes]:
    """All that it is read of."""
    files = {**sources.contents(paths.LORE), **sources.contents(own.HEADERS), **sources.private()}
    names = "\0".join([*(g.name for g in found), *files])
    return [names.encode(), *headers.committed_bytes(), *files.values()]


def _read(found: list[groups.HeaderGroup]) -> tuple[merge.Api, Lore]:
    from ..know import lore  # takes a while to load: it has all checks of what is written

    facts = headers.committed()
    api = merge.merge(facts, order(found, facts))
    said = lore.load(api)
    look_for(api, said, found)
    return api, said
