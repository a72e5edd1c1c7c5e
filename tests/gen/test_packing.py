# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""What explains, in little more than half its length."""

from __future__ import annotations

import re
import tomllib
import unittest

from gen import packing
from gen.errors import GenError
from tests.gen.project import ROOT

LITERAL = re.compile(r'"((?:[^"\\]|\\.)*)"')


class Packing(unittest.TestCase):
    def test_what_is_packed_is_unpacked(self) -> None:
        for text in ("", "Z", "\0", "The device may write to it.\0\0", "~" * 1000, "no memory " * 50):
            with self.subTest(text[:20]):
                self.assertEqual(packing.unpack(packing.pack(text)), text)

    def test_every_text_is_in_the_library_as_lore_has_it(self) -> None:
        source = (ROOT / "generated/src/meanings.c").read_text()
        lines = re.findall(r'^\t"((?:\\\d{3})*)"$', source, re.M)
        packed = bytes(int(code, 8) for line in lines for code in line.split("\\")[1:])
        texts = packing.unpack(packed)
        self.assertGreater(len(texts), 90000)
        self.assertLess(len(packed), 0.65 * len(texts))
        literals = [t for name in ("describe", "meaning")
                    for line in (ROOT / f"generated/src/{name}_texts.inc").read_text().splitlines() if line.endswith(")")
                    for t in LITERAL.findall(line) if t != "\\0"]
        mailboxes = tomllib.loads((ROOT / "gen/lore/mlx5prm.toml").read_text())["prm"].values()
        fields = " ".join(name for layout in mailboxes for name, place in layout.items() if isinstance(place, list))
        self.assertEqual(texts.split("\0")[:-1], [*(t.replace('\\"', '"') for t in literals), fields])

    def test_a_code_is_no_letter(self) -> None:
        with self.assertRaisesRegex(GenError, "plain ASCII"):
            packing.pack("4 \u00b5s")

    def test_each_pair_is_of_bytes_before_it(self) -> None:
        known = set(range(32, 127))
        for code, *pair in packing.pairs():
            self.assertLessEqual(set(pair), known)
            known.add(code)
