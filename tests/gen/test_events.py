# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""Asynchronous events: what each is about, and one that nobody has classified."""

from __future__ import annotations

import unittest

from gen.errors import GenError
from gen.know import groups
from gen.know.remarks import Remarks
from gen.plan.explain.events import Event, plan_events
from gen.plan.objects.objects import plan_objects
from gen.reach import known


class Events(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        found = groups.load()
        cls.api, cls.lore = known.read(found)
        cls.objects = plan_objects(cls.api, cls.lore, found)

    def events(self) -> list[Event]:
        self.remarks = Remarks()
        return plan_events(self.api, self.lore, self.objects, self.remarks)

    def test_what_each_is_about(self) -> None:
        about = {e.name: e.about for e in self.events()}
        self.assertEqual(about["IBV_EVENT_CQ_ERR"], "VX_OBJECT_CQ")
        self.assertEqual(about["IBV_EVENT_LID_CHANGE"], "VX_ABOUT_PORT")
        self.assertEqual(about["IBV_EVENT_DEVICE_FATAL"], "VX_ABOUT_DEVICE")

    def test_all_of_committed_releases_are_classified(self) -> None:
        self.events()
        self.assertEqual(self.remarks.said, [])

    def test_one_that_nobody_has_classified_is_told_and_in_no_table(self) -> None:
        """With what its name says that it is about."""
        about = {name: self.lore.event[name] for name in ("IBV_EVENT_WQ_FATAL", "IBV_EVENT_QP_FATAL", "IBV_EVENT_PORT_ERR", "IBV_EVENT_SRQ_ERR", "IBV_EVENT_CQ_ERR",
                                                          "IBV_EVENT_DEVICE_FATAL")}
        for name, what in about.items():
            with self.subTest(name):
                del self.lore.event[name]
                self.addCleanup(self.lore.event.__setitem__, name, what)
                self.assertNotIn(name, {e.name for e in self.events()})
                self.assertIn((name, f'{name} = "{what}"'), [(r.name, r.write) for r in self.remarks.said])

    def test_one_whose_name_says_nothing_is_taken_for_the_devices(self) -> None:
        self.addCleanup(self.lore.event.__setitem__, "IBV_EVENT_COMM_EST", self.lore.event.pop("IBV_EVENT_COMM_EST"))
        self.events()
        self.assertEqual([r.write for r in self.remarks.said], ['IBV_EVENT_COMM_EST = "device"'])

    def test_one_that_is_about_nothing_that_is_known_stops(self) -> None:
        self.addCleanup(self.lore.event.__setitem__, "IBV_EVENT_WQ_FATAL", self.lore.event["IBV_EVENT_WQ_FATAL"])
        self.lore.event["IBV_EVENT_WQ_FATAL"] = "weather"
        with self.assertRaisesRegex(GenError, "IBV_EVENT_WQ_FATAL: lore says that it is about weather"):
            self.events()


if __name__ == "__main__":
    unittest.main()
