# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""A record is what a dataclass would be, and its code is that of what its class says now."""

from __future__ import annotations

import pickle
import unittest
from pathlib import Path
from unittest import mock

from gen.fast import growing, kept, record
from gen.fast.growing import Growing
from gen.fast.record import changed, constant, field, value
from tests.gen.project import OwnCache


@value
class Base:
    name: str
    size: int = 4
    parts: list[str] = field(default_factory=list)

    @property
    def twice(self) -> int:
        return 2 * self.size


@value
class Derived(Base):
    last: int = 7


@record.record
class Plain:
    name: str


@constant
class Key:
    name: str
    number: int = 0


class Record(OwnCache):
    def test_takes_attributes_by_place_or_by_name(self) -> None:
        for item in (Base("a", 5, ["b"]), Base(parts=["b"], size=5, name="a")):
            self.assertEqual((item.name, item.size, item.parts, item.twice), ("a", 5, ["b"], 10))

    def test_refuses_what_it_has_not_and_wants_what_has_no_default(self) -> None:
        self.assertRaises(TypeError, Base)
        self.assertRaises(TypeError, Base, "a", gone=1)
        self.assertRaises(TypeError, Base, "a", 1, [], 2)

    def test_has_what_its_base_has_first(self) -> None:
        item = Derived("a", 1, [], 2)
        self.assertEqual((item.name, item.last, Derived("a").last), ("a", 2, 7))

    def test_has_parts_of_its_own(self) -> None:
        one, other = Base("a"), Base("a")
        one.parts.append("b")
        self.assertEqual(other.parts, [])

    def test_is_compared_only_if_its_class_says_so(self) -> None:
        self.assertEqual(Base("a"), Base("a"))
        self.assertNotEqual(Base("a"), Base("b"))
        self.assertNotEqual(Base("a"), Derived("a"))
        self.assertNotEqual(Plain("a"), Plain("a"))

    def test_is_a_key_only_if_its_class_says_so(self) -> None:
        self.assertEqual({Key("a"): 1}[Key("a", 0)], 1)
        self.assertRaises(TypeError, hash, Base("a"))

    def test_tells_what_it_has(self) -> None:
        self.assertEqual(repr(Base("a")), "Base(name='a', size=4, parts=[])")

    def test_outlives_a_run(self) -> None:
        self.assertEqual(pickle.loads(pickle.dumps(Derived("a", parts=["b"]))), Derived("a", parts=["b"]))

    def test_is_changed_in_a_copy(self) -> None:
        item = Base("a")
        self.assertEqual((changed(item, size=1), item), (Base("a", 1), Base("a")))


class Codes(OwnCache):
    def setUp(self) -> None:
        super().setUp()
        self.next_run()

    def next_run(self) -> None:
        patched = mock.patch.object(record, "RECORDS", Growing("records"))
        patched.start()
        self.addCleanup(patched.stop)

    def made(self, number: int = 1) -> object:
        @value
        class Thing:
            a: int
            b: int = number

        return Thing(0)

    def test_are_compiled_once(self) -> None:
        for new in (1, 0):
            self.made()
            self.assertEqual(len(record.RECORDS.new), new)
            record.RECORDS.keep()
            self.next_run()

    def test_have_no_defaults(self) -> None:
        for number in (1, 2):
            self.assertEqual(self.made(number).b, number)

    def test_of_classes_that_are_gone_do_not_gather(self) -> None:
        for number in range(growing.MOST + 5):
            record._code(f"a{number} = 1")
        record.RECORDS.keep()
        self.next_run()
        self.made()
        record.RECORDS.keep()
        self.next_run()
        self.made()
        self.assertEqual(len(record.RECORDS.known or {}), 1)

    def test_that_are_damaged_are_compiled_anew(self) -> None:
        self.made()
        record.RECORDS.keep()
        self.next_run()
        (Path(kept.folder()) / "records").write_bytes(b"foreign")
        self.made()
        self.assertEqual(len(record.RECORDS.new), 1)


if __name__ == "__main__":
    unittest.main()
