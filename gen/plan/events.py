# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""Asynchronous events: what each is about."""

from __future__ import annotations


from ..errors import GenError
from ..lore_model import Lore
from ..merge import Api
from ..record import record
from .object_model import Objects

ENUM = "ibv_event_type"
BESIDE_OBJECTS = {"port": "VX_ABOUT_PORT", "device": "VX_ABOUT_DEVICE"}


@record
class Event:
    name: str
    value: int
    about: str  # an expression of C


def plan_events(api: Api, lore: Lore, objects: Objects) -> list[Event]:
    """In the order of their values. One that nobody has classified would be taken for a stranger's: that stops."""
    enum = api.enums().get(ENUM)
    kinds = {k.name for k in objects.types}
    events = []
    for value in sorted(enum.values if enum else [], key=lambda v: v.value):
        about = lore.event.get(value.name, "")
        if about not in BESIDE_OBJECTS and about not in kinds:
            raise GenError(f"{value.name}: lore does not say what this event is about",
                           hint='a line in [event] of gen/lore/events.toml: a kind of object, "port" or "device"')
        events.append(Event(value.name, value.value, BESIDE_OBJECTS.get(about, f"VX_OBJECT_{about.upper()}")))
    return events
