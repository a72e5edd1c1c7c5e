# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""The header groups of groups.toml."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from . import tomlfile
from .errors import GenError
from .record import field, value
from .sources import GROUPS

# How a function tells of a failure; gen/lore/calls.toml says what each means.
CONVENTIONS = ("null", "minus-one", "errno-returned", "negative-errno", "count", "own", "text", "none")


@value
class HeaderGroup:
    name: str
    headers: list[str]
    library: str
    package: str = ""
    errors: str = "errno-returned"
    first: int = 0
    wants: list[str] = field(default_factory=list)
    prefix: str = ""  # of its functions, which methods are without
    word: str = ""  # that kinds and methods of it have instead, such as mlx5; none for those of libibverbs
    provider: str = ""  # the library that a context must be of before one of its functions is called


TYPES: dict[str, tuple[type, str]] = {
    "headers": (list, "a list of headers"),
    "library": (str, "the soname of a library"),
    "package": (str, "the name of a package"),
    "errors": (str, "a convention of gen/lore/calls.toml"),
    "first": (int, "a release of rdma-core"),
    "wants": (list, "a list of structures"),
    "prefix": (str, "what the names of its functions begin with"),
    "word": (str, "what the names of its kinds begin with"),
    "provider": (str, "the name of a provider's library, such as libmlx5"),
}


def _suits(kind: type, value: Any) -> bool:
    if kind is list:
        return isinstance(value, list) and all(isinstance(item, str) and item for item in value)
    return type(value) is kind


def _group(doc: tomlfile.Document, name: str, entry: Any) -> HeaderGroup:
    where = f"group.{name}"
    if not isinstance(entry, dict):
        raise doc.error("group", name, f"{name}: a header group is a table of its own: [{where}]")
    for key, value in entry.items():
        if key not in TYPES:
            raise doc.error(where, key, f"{key}: a header group has no such key", hint="known: " + ", ".join(TYPES))
        kind, says = TYPES[key]
        if not _suits(kind, value):
            raise doc.error(where, key, f"{key}: must be {says}")
    for key in ("headers", "library"):
        if not entry.get(key):
            raise doc.error(where, None, f"header group {name} lacks {key}")
    if entry.get("errors", "none") not in CONVENTIONS:
        raise doc.error(where, "errors", f"{entry['errors']}: no such convention", "known: " + ", ".join(CONVENTIONS))
    return HeaderGroup(name, **entry)


def _check_headers(doc: tomlfile.Document, groups: list[HeaderGroup]) -> None:
    """A header belongs to one group."""
    group_of: dict[str, str] = {}
    for group in groups:
        for header in group.headers:
            if header in group_of:
                raise doc.error(f"group.{group.name}", "headers", f"{header}: is in {group_of[header]} as well")
            group_of[header] = group.name


def load(path: Path = GROUPS) -> list[HeaderGroup]:
    """The groups, in the order of the file."""
    doc = tomlfile.load(path)
    groups = doc.data.get("group")
    if not isinstance(groups, dict) or not groups:
        raise GenError("no header group in this file", file=path,
                       hint="an entry is [group.NAME] with headers and library")
    found = [_group(doc, name, entry) for name, entry in groups.items()]
    _check_headers(doc, found)
    return found
