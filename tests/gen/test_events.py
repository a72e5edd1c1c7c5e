# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""Asynchronous events: every one is classified, or generation stops."""

from __future__ import annotations

import unittest

from gen import groups, headers, lore, merge
from gen.errors import GenError
from gen.plan.events import plan_events
from gen.plan.objects import plan_objects


class Events(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        found = groups.load()
        cls.api = merge.merge(headers.committed(), [g.name for g in found])
        cls.lore = lore.load(cls.api)
        cls.objects = plan_objects(cls.api, cls.lore, found)

    def test_what_each_is_about(self) -> None:
        about = {e.name: e.about for e in plan_events(self.api, self.lore, self.objects)}
        self.assertEqual(about["IBV_EVENT_CQ_ERR"], "VX_OBJECT_CQ")
        self.assertEqual(about["IBV_EVENT_LID_CHANGE"], "VX_ABOUT_PORT")
        self.assertEqual(about["IBV_EVENT_DEVICE_FATAL"], "VX_ABOUT_DEVICE")

    def test_one_that_nobody_has_classified_stops(self) -> None:
        known = self.lore.event.pop("IBV_EVENT_WQ_FATAL")
        try:
            with self.assertRaisesRegex(GenError, "IBV_EVENT_WQ_FATAL: lore does not say what this event is about"):
                plan_events(self.api, self.lore, self.objects)
        finally:
            self.lore.event["IBV_EVENT_WQ_FATAL"] = known


if __name__ == "__main__":
    unittest.main()
