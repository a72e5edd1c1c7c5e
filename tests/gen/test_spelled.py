# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""Which enums headers write as bits, whatever the values of these are."""

from __future__ import annotations

import unittest

from tests.gen.project import OfHeaders


class Spelled(OfHeaders):
    def test_bits_that_are_written_as_shifts_are_told_from_values(self) -> None:
        for text in ("A = 1 << 0, B = 1 << 1", "A = 1<<0", "A = 0, B = (1U << 0), C = (1U << 1)", "A, B = 1 << 0, C = 0x1 << 1", "A = 1, B = 1 << 1, C = A | B",
                     "A = (int)1 << 0, B = ((unsigned long)1) << (1)", "A = INT32_C(1) << 0, B = INT32_C(1) << (0 + 1)", "A = BIT(0), B = BIT(1)", "A = BIT(FIRST), B = BIT(SECOND)",
                     "A = ONE, B = (TWO)", "A = 1 << 0, B = A << 1, C = B, D = 3", "A = 1 << FIRST, B = 1 << SECOND, ALL = 0x3", "A = OTHER_A, B = OTHER_B",
                     "A __attribute__((deprecated)) = 1 << 0, /* 1 */\n#define A A\nB = 1 << 1 // 2\n"):
            self.assertTrue(self.shifted(text), text)

    def test_numbers_and_what_only_has_a_shift_in_it_are_no_shifts(self) -> None:
        for text in ("A = 1, B = 2", "A, B, C", "A = 0x1, B = 0x2", "A = 1", "A = 1 << 0, B", "A = 1 << 0, B = 2", "A = 4 << 10, B = 1 << 20", "A = (1 << 1) - 1, B = (1 << 1) | 0 * 4",
                     "A, B, C = 1 << 7, D", "A = 1 << 0, B = 5", "A = 0 << 1", "A = 1 /* << 0 */, B = 2 /* 1 << 1 */", "A = sizeof(char), B = sizeof(short)", "A = FIRST + 1, B = A + 1",
                     "A = 1, A2 = 1", "A = LATE_A, B = LATE_B", "A = 1 << 0, B = -1", "A = NEXT(0), B = NEXT(NEXT(0))"):
            self.assertFalse(self.shifted(text), text)

    def shifted(self, text: str) -> bool:
        before = ("#include <stdint.h>\n#define BIT(n) (1ULL << (n))\n#define NEXT(n) ((n) + 1 + 0 * sizeof(char))\n#define FIRST 0\n#define SECOND 1\n#define ONE (1 << 0)\n#define TWO (ONE << 1)\n"
                  "enum other { OTHER_A = 1 << 0, OTHER_B = 1 << 1 };\n")
        return self.scanned(f"{before}enum {{ LATE_A = 1, LATE_B }};\nenum acme {{ {text} }};").enums["acme"].shifts


if __name__ == "__main__":
    unittest.main()
