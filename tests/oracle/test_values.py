# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""The oracle sees every sort of value that is not what the bytes say."""

from __future__ import annotations

import tempfile
import unittest
from pathlib import Path

from . import dwarf, headers
from .model import Witness
from .values import Checker

HEADER = """\
#include <stdint.h>
#include <time.h>
typedef uint16_t __be16;
enum toy_color { TOY_RED = -1, TOY_GREEN = 1, TOY_BLUE = 4 };
struct toy_inner { int8_t sign; uint8_t mac[6]; uint8_t truth; };
struct toy_key { uint8_t bytes[2]; };
struct toy {
	uint16_t little;
	__be16 big;
	enum toy_color color;
	struct { uint8_t list[2]; char text[4]; uint16_t flags; } part;
	struct toy_inner inner[2];
	void *pointer;
	struct toy_key key;
	struct timespec when;
};
"""
BYTES = "01020102ffffffff" "030441c200000500" "fe00010203040501" "0000000000000002" "0000000000000000" "5a5a000000000000" \
        "0100000000000000" "feffffffffffffff"
RIGHT = (
    '{"little": 513, "big": 258, "color": {"value": -1, "name": "TOY_RED"}, '
    '"part": {"list": [3, 4], "text": "A\\u00c2", "flags": {"value": 5, "names": ["TOY_GREEN", "TOY_BLUE"], "unknown": 0}}, '
    '"inner": [{"sign": -2, "mac": "00:01:02:03:04:05", "truth": true}, '
    '{"sign": 0, "mac": "000000000000", "truth": {"value": 2, "text": "two"}}], "pointer": null, "key": {"bytes": "<2 bytes>"}, '
    '"when": {"tv_sec": "1", "tv_nsec": "-2"}}')
WRONG = [
    ("513", "258", "toy.little: 0102 prints as 258"),
    ("258", "513", "toy.big: 0102 prints as 513"),
    ('"TOY_RED"', '"TOY_BLUE"', "toy.color: ffffffff prints as 'TOY_BLUE'"),
    ('"value": -1', '"value": 4294967295', "toy.color: ffffffff prints as 4294967295"),
    ('"TOY_RED"', '"toy_color(-2)"', "toy.color: ffffffff prints as 'toy_color(-2)'"),
    ('"TOY_RED"', "null", "toy.color: ffffffff prints without its name"),
    ("[3, 4]", "[3, 3]", "toy.part.list: 04 prints as 3"),
    ("A\\u00c2", "A\\u00c3", "toy.part.text: 41c20000 prints as 'AÃ'"),
    ('"value": 5', '"value": 4', "toy.part.flags: 0500 prints as 4"),
    ('"TOY_GREEN", ', "", "toy.part.flags: 0500 prints as ['TOY_BLUE']"),
    ("-2", "254", "toy_inner.sign: fe prints as 254"),
    ("00:01", "01:01", "toy_inner.mac: 000102030405 prints as '01:01:02:03:04:05'"),
    ("true", "false", "toy_inner.truth: 01 prints as False"),
    ('"value": 2', '"value": 3', "toy_inner.truth: 02 prints as 3"),
    ("null", '{"address": "0x1"}', "toy.pointer: 0000000000000000 prints as '0x1'"),
    ('"unknown": 0', '"unknown": 8', "toy.part.flags: 0500 prints as ['TOY_GREEN', 'TOY_BLUE', '0x8']"),
    ("null", '"set"', "toy.pointer: 0000000000000000 prints as 'set'"),
    ('"tv_sec": "1"', '"tv_sec": "0"', "toy.when: 0100000000000000feffffffffffffff prints as {'tv_sec': '0', 'tv_nsec': '-2'}"),
    ("<2 bytes>", "5a5a", "toy_key.bytes: 5a5a prints as '5a5a'"),
]


def toy_witness(folder: Path) -> Witness:
    """What the compiler says of the header above."""
    header = folder / "toy.h"
    header.write_text(HEADER)
    return dwarf.read(headers.compiled(folder, ["toy.h"], folder), {header})


class PrintedValues(unittest.TestCase):
    """A structure with values of every sort."""

    @classmethod
    def setUpClass(cls) -> None:
        with tempfile.TemporaryDirectory() as folder:
            cls.headers = toy_witness(Path(folder))

    def found(self, document: str) -> list[str]:
        return list(Checker(self.headers).line(f"toy {BYTES} {document}"))

    def test_right_values_are_right(self) -> None:
        self.assertEqual(self.found(RIGHT), [])

    def test_each_wrong_value_is_named_and_nothing_else(self) -> None:
        for old, new, wrong in WRONG:
            with self.subTest(old=old, new=new):
                self.assertIn(old, RIGHT)
                self.assertEqual(self.found(RIGHT.replace(old, new, 1)), [wrong])


if __name__ == "__main__":
    unittest.main()
