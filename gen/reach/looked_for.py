# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""Functions that lore makes objects by, and that no library is known to export: headers alone do not tell. Each is looked for while a
program runs, where its group's others are, at whatever version it is there; one that is not there fails with -EOPNOTSUPP.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..api.facts import Call
from ..api.merge import Api
from ..errors import GenError
from ..know.groups import HeaderGroup
from ..know.model import Lore, ways_of

CALLS = ("import", "unimport", "destroy")


def look_for(api: Api, lore: Lore, found: list[HeaderGroup]) -> None:
    """Say where they are looked for."""
    libraries = {g.name: g.library for g in found}
    wanted = set(_named(lore))
    for name, group in api.groups.items():
        for call in (group.calls[n] for n in wanted & group.calls.keys() if name in libraries):
            if call.kind == "extern" and not call.library:
                call.library = libraries[name]


def is_looked_for(call: Call) -> bool:
    """A library has a version of each that it is known to export."""
    return bool(call.library) and not call.version


def refuse(api: Api, lore: Lore) -> None:
    """Who links with libraries cannot wait until a program runs."""
    call = next((c for c in api.calls().values() if is_looked_for(c)), None)
    if call:
        kind = next(n for n, entry in lore.object.items() if call.name in _named_by(entry))
        path, line = lore.places[kind]
        raise GenError(f"{kind}: {call.name}: no library is known to export it, and this build links with those that do", path, line,
                       hint="give --symbols FILE (VERBSX_SYMBOLS of the build), a .symbols file or version script; or build with VERBSX_LOADER=ON")


def _named(lore: Lore) -> Iterator[str]:
    for entry in lore.object.values():
        yield from _named_by(entry)
    yield from (entry["call"] for entry in lore.query.values() if "call" in entry)


def _named_by(entry: dict[str, object]) -> list[str]:
    others = entry.get("other", {})
    return [*(way["call"] for way in ways_of(entry)), *(str(entry[key]) for key in CALLS if key in entry),
            *(others.values() if isinstance(others, dict) else ())]
