# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""What committed facts and lore say of all releases; kept from one run to the next."""

from __future__ import annotations

from . import groups, headers, merge, own, paths, sources
from .facts import Facts
from .kept import kept
from .lore_model import Lore

# All modules that it is read by.
CODE = ("c_types", "compiled", "conditions", "cursors", "declarations", "errors", "facts", "facts_checks", "facts_schema", "groups", "growing", "headers",
        "json_lines", "kept", "known", "lore", "lore_checks", "lore_lines", "lore_mad", "lore_model", "lore_objects", "lore_parameters", "lore_prm",
        "lore_reasons", "lore_tables", "lore_values", "lore_words", "lore_wr", "merge", "own", "paths", "record", "same", "scan", "schema", "sources", "symbols",
        "textfile", "tomlfile", "version_scripts")


def order(found: list[groups.HeaderGroup], facts: list[Facts]) -> list[str]:
    """The groups that are wanted, and those that only facts know: lore speaks of all."""
    return list(dict.fromkeys([*(g.name for g in found), *(name for f in facts for name in f.groups)]))


def read(found: list[groups.HeaderGroup]) -> tuple[merge.Api, Lore]:
    """The API of all groups, with the releases that lore knows better, and lore."""
    return kept("known", parts(found), lambda: _read(found), CODE)


def parts(found: list[groups.HeaderGroup]) -> list[bytes]:
    """All that it is read of."""
    files = {**sources.contents(paths.LORE), **sources.contents(own.HEADERS), **sources.hooks()}
    names = "\0".join([*(g.name for g in found), *files])
    return [names.encode(), *headers.committed_bytes(), *files.values()]


def _read(found: list[groups.HeaderGroup]) -> tuple[merge.Api, Lore]:
    from . import lore  # takes a while to load: it has all checks of what is written

    facts = headers.committed()
    api = merge.merge(facts, order(found, facts))
    return api, lore.load(api)
