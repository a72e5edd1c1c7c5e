# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""Bad input, by the tables of bad_input/: a message with file and line, status 2, nothing written, never a traceback."""

from __future__ import annotations

import unittest

from gen import facts
from gen.errors import GenError
from tests.gen.bad_input import facts as bad_facts
from tests.gen.project import InFolder


class Facts(InFolder):
    def test_what_is_wrong_is_told_with_its_line(self) -> None:
        found = list(bad_facts.wrong())
        self.assertGreater(len(found), 150)
        for damage in found:
            with self.subTest(damage.name):
                text = bad_facts.text(damage.data)
                path = self.put("facts.json", text)
                with self.assertRaises(GenError) as caught:
                    facts.load(path)
                line = "" if "format" in damage.name else f":{bad_facts.line(text, damage.path)}"
                said = str(caught.exception)
                self.assertTrue(said.startswith(f"{path}{line}: "), said)
                self.assertIn(damage.words, said)
                self.assertIn("make it anew with", said)

    def test_a_key_that_stands_twice(self) -> None:
        whole = bad_facts.text(bad_facts.WHOLE).split("\n")
        for number, line in enumerate(whole):
            if line.endswith(",") and '": ' in line and not line.endswith(("{,", "[,")):
                path = self.put("facts.json", "\n".join([*whole[:number + 1], *whole[number:]]))
                with self.subTest(line):
                    self.assertIn(f"{path}:{number + 2}: ", self.fails(lambda: facts.load(path)))


if __name__ == "__main__":
    unittest.main()
