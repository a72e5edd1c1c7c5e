# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""Asynchronous events: what each is about."""

from __future__ import annotations

import os

from ...api.facts import Enum
from ...api.merge import Api
from ...errors import GenError
from ...fast.record import record
from ...know.model import Lore
from ...know.remarks import LORE, Remarks
from ..model.object import Objects

DEVICE = "device"
BESIDE_OBJECTS = {"port": "VX_ABOUT_PORT", DEVICE: "VX_ABOUT_DEVICE"}
KNOWN = 'a line in [event] of gen/lore/events.toml: a kind of object, "port" or "device"'


@record
class Event:
    name: str
    value: int
    about: str  # an expression of C


def plan_events(api: Api, lore: Lore, objects: Objects, remarks: Remarks) -> list[Event]:
    """In the order of their values. One that nobody has classified is given to who asks for events as it came, and is in no table."""
    enum = next((e for e in api.enums().values() if any(v.name in lore.event for v in e.values)), None)
    kinds = {k.name for k in objects.types}
    events = []
    for value in sorted(enum.values if enum else [], key=lambda v: v.value):
        about = lore.event.get(value.name, "")
        if about in BESIDE_OBJECTS or about in kinds:
            events.append(Event(value.name, value.value, BESIDE_OBJECTS.get(about, f"VX_OBJECT_{about.upper()}")))
        elif about and about not in {entry.get("type", name) for name, entry in lore.object.items()}:
            raise GenError(f"{value.name}: lore says that it is about {about}", hint=KNOWN)
        elif not about:
            remarks.add(enum.header, value.name, "an event that is about nobody knows what: it is handed out as it comes",
                        LORE.format("events"), "event", f'{value.name} = "{_likely(api, lore, enum, value.name) or DEVICE}"')
    return events


def _likely(api: Api, lore: Lore, enum: Enum, name: str) -> str:
    """What those are about whose names begin with the same words, or what an event points to that is called as one of them."""
    words = name.split("_")
    shared = len(os.path.commonprefix([v.name.split("_") for v in enum.values]))
    about = [what for other, what in lore.event.items() if other.split("_")[shared:shared + 1] == words[shared:shared + 1]]
    pointed = {inner.name for s in api.structs().values() if any(f.ref == enum.name for f in s.fields) for f in s.fields for inner in f.fields}
    return max(about, key=about.count) if about else next((w for w in map(str.lower, words[shared:]) if w in pointed or w in BESIDE_OBJECTS), "")
