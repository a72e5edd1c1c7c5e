# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""Headers and tables of one release, and all that they differ in."""

from __future__ import annotations

from pathlib import Path

from gen.know import groups
from gen.reach import dates, known

from . import coverage, headers, library, promised, tables
from .compare import differences
from .model import Witness


def witnesses(include: Path, release: int, folder: Path) -> tuple[Witness, Witness]:
    """What the compiler says of the headers, and what a library says that is built with them."""
    folder.mkdir(parents=True, exist_ok=True)
    table = tables.read(library.dump(include, release, folder))
    return headers.read(include, release, table, folder), table


def gone_before(release: int) -> set[str]:
    """What some release before had last: facts and lore say so, and DWARF whether it is true."""
    api, _ = known.read(groups.load())
    gone = {name for name, d in dates.dated(api).items() if 0 < d.item.until < release}
    return gone | {v.name for e in api.enums().values() if 0 < e.until < release for v in e.values}


def all_differences(header: Witness, table: Witness, release: int) -> list[str]:
    return [*differences(header, table, release, gone_before(release)), *promised.differences(header, promised.read()), *coverage.lost(header, release)]
