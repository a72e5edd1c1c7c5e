# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""The header groups of groups.toml."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from . import tomlfile
from .errors import GenError

DEFAULT = Path(__file__).parent / "groups.toml"


@dataclass
class HeaderGroup:
    name: str
    headers: list[str]
    library: str
    package: str = ""
    errors: str = "errno-returned"
    first: int = 0
    wants: list[str] = field(default_factory=list)


TYPES: dict[str, tuple[type, str]] = {
    "headers": (list, "a list of headers"),
    "library": (str, "the soname of a library"),
    "package": (str, "the name of a package"),
    "errors": (str, "a convention of gen/lore/calls.toml"),
    "first": (int, "a release of rdma-core"),
    "wants": (list, "a list of structures"),
}


def _group(doc: tomlfile.Document, name: str, entry: dict[str, Any]) -> HeaderGroup:
    where = f"group.{name}"
    for key, value in entry.items():
        if key not in TYPES:
            raise doc.error(where, key, f"{key}: a header group has no such key",
                            hint="known: " + ", ".join(TYPES))
        kind, says = TYPES[key]
        if not isinstance(value, kind):
            raise doc.error(where, key, f"{key}: must be {says}")
    for key in ("headers", "library"):
        if not entry.get(key):
            raise doc.error(where, None, f"header group {name} lacks {key}")
    return HeaderGroup(name, **entry)


def load(path: Path = DEFAULT) -> list[HeaderGroup]:
    """The groups, in the order of the file."""
    doc = tomlfile.load(path)
    groups = doc.data.get("group")
    if not isinstance(groups, dict) or not groups:
        raise GenError("no header group in this file", file=path, hint="an entry is [group.NAME] with headers and library")
    return [_group(doc, name, entry) for name, entry in groups.items()]
