# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""Headers and tables of one release, and all that they differ in."""

from __future__ import annotations

import json
from pathlib import Path

from . import coverage, headers, library, promised, tables
from .compare import differences
from .model import Witness


def witnesses(include: Path, release: int, folder: Path) -> tuple[Witness, Witness]:
    """What the compiler says of the headers, and what a library says that is built with them."""
    folder.mkdir(parents=True, exist_ok=True)
    table = tables.read(library.dump(include, release, folder))
    return headers.read(include, release, headers.macros_of(table), folder), table


def gone_before(release: int) -> set[str]:
    """The enumerators and structures that some release before had last: generated/ says so, and DWARF whether it is true."""
    api = json.loads((headers.ROOT / "generated/api.json").read_text(encoding="utf-8"))
    items = [*api["structs"].items(), *((v["name"], v) for e in api["enums"].values() for v in e["values"])]
    return {name for name, item in items if item.get("until", release) < release}


def all_differences(header: Witness, table: Witness, release: int) -> list[str]:
    return [*differences(header, table, release, gone_before(release)), *promised.differences(header, promised.read()), *coverage.lost(header, release)]
