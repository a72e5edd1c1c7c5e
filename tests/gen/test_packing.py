# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""What explains, in a third of its length."""

from __future__ import annotations

import re
import tomllib
import unittest

from gen.errors import GenError
from gen.plan.text import packing
from tests.gen.project import ROOT

LITERAL = re.compile(r'"((?:[^"\\]|\\.)*)"')


class Packing(unittest.TestCase):
    def test_what_is_packed_is_unpacked(self) -> None:
        for text in ("", "Z", "\0", "The device may write to it.\0\0", "~" * 1000, "no memory " * 50, "".join(map(chr, range(128))) * 3):
            with self.subTest(text[:20]):
                self.assertEqual(packing.unpack(packing.pack({"a": text, "b": text[1:]})), text + text[1:])

    def test_what_is_repeated_is_told_by_where_it_was(self) -> None:
        self.assertLess(len(packing.pack({"a": "the device has none of these; " * 100}).data), 40)

    def test_no_code_is_longer_than_the_library_reads_at_once(self) -> None:
        seldom = "".join(chr(40 + n) * 2**n for n in range(17))  # Huffman's would be 16 bits long
        packed = packing.pack({"".join(sorted(seldom[i::17])): seldom[i::17] for i in range(17)})
        self.assertLessEqual(len(packed.letters.counts), packing.LONGEST)
        longest = re.search(r"VX_LONGEST_CODE (\d+)", (ROOT / "runtime/src/know/tables.h").read_text())[1]
        self.assertEqual(packing.LONGEST, int(longest))

    def test_every_text_is_in_the_library_as_lore_has_it(self) -> None:
        source = (ROOT / "generated/src/meanings.c").read_text()
        lines = re.findall(r'^\t"((?:\\\d{3})*)"$', source, re.M)
        data = bytes(int(code, 8) for line in lines for code in line.split("\\")[1:])
        codes = [packing.Code(*([int(n) for n in row.split(", ")] for row in rows))
                 for rows in re.findall(r"_code = {\n\t{ ([\d, ]+) },\n\t{ ([\d, ]+) },", source)]
        size = int(re.search(r"vx_texts_size = (\d+);", source)[1])
        texts = packing.unpack(packing.Packed(size, data, *codes))
        self.assertGreater(len(texts), 110000)
        self.assertLess(len(data), 0.35 * len(texts))
        literals = [t for name in ("describe_texts", "sentences", "meaning_texts")
                    for line in (ROOT / f"generated/src/{name}.inc").read_text().splitlines() if line.endswith(")")
                    for t in LITERAL.findall(line) if t != "\\0"]
        mailboxes = tomllib.loads((ROOT / "gen/lore/mlx5prm.toml").read_text())["prm"].values()
        fields = " ".join(name for layout in mailboxes for name, place in layout.items() if isinstance(place, list))
        self.assertEqual(texts.split("\0")[:-1], ["", *(t.replace('\\"', '"') for t in literals), fields])

    def test_what_is_no_ascii_is_refused(self) -> None:
        with self.assertRaisesRegex(GenError, "plain ASCII"):
            packing.pack({"a": "4 \u00b5s"})
