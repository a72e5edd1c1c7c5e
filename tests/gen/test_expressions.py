# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""An expression that is kept matches as one that Python compiles, and one that cannot be kept is compiled."""

from __future__ import annotations

import re
import subprocess
import sys
import unittest
from pathlib import Path

from gen.fast import kept
from tests.gen.project import ROOT, OwnCache

# Compiles some expressions, prints what they say of a text and of themselves, and how often Python's compiler was at work.
PROGRAM = r"""
import re
from gen.fast import expressions, growing
whole = re._compiler.compile
made = []
def counted(pattern, flags=0):
    made.append(pattern)
    return whole(pattern, flags)
re._compiler.compile = counted
expressions.install()
for pattern, flags in (("(?P<name>a+)(b|c)?", 0), ("(?P<name>A+)(b|c)?", re.I), ("^x.y$", re.S | re.M), (rb"(a)+", 0), ("(?x) a  b", 0)):
    found = re.compile(pattern, flags)
    text = "aab x\ny" if isinstance(pattern, str) else b"aab x"
    print(found, found.flags, found.groups, dict(found.groupindex), [m.groups() + m.span() for m in found.finditer(text)])
growing.keep()
print(len(made))
"""

# Two threads compile at once; each thing that is kept is to be of the expression by which it is kept.
TOGETHER = r"""
import re
import sys
import threading
from gen.fast import expressions, growing
whole = re._compiler._code
expressions.install()
sys.setswitchinterval(1e-6)
def compile_many(of):
    for n in range(300):
        re.compile(f"{of}{n}")
threads = [threading.Thread(target=compile_many, args=(of,)) for of in ("a", r"\d+", "[bc]*", "(?:de|f)?")]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
kept = growing.EXPRESSIONS.new
print(len(kept), [key for key, made in kept.items() if made[1] != list(map(int, whole(re._parser.parse(*key), key[1])))][:3])
"""


class Expressions(OwnCache):
    def run_program(self) -> tuple[list[str], int]:
        said = subprocess.run([sys.executable, "-c", PROGRAM], cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True).stdout.splitlines()
        return said[:-1], int(said[-1])

    @unittest.skipUnless(hasattr(re, "_compiler"), "this Python compiles expressions in another way")
    def test_match_as_they_did_when_they_were_compiled(self) -> None:
        first, compiled = self.run_program()
        self.assertEqual(compiled, 5)
        again, compiled = self.run_program()
        self.assertEqual((again, compiled), (first, 1))  # bytes are compiled each time

    @unittest.skipUnless(hasattr(re, "_compiler"), "this Python compiles expressions in another way")
    def test_are_kept_by_their_own_expressions_where_threads_compile_at_once(self) -> None:
        said = subprocess.run([sys.executable, "-c", TOGETHER], cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True).stdout
        self.assertEqual(said, "1200 []\n")

    def test_are_compiled_anew_where_what_is_kept_is_damaged(self) -> None:
        first, _ = self.run_program()
        file = Path(kept.folder()) / "expressions"
        file.write_bytes(file.read_bytes()[:-1] + b"?")
        self.assertEqual(self.run_program(), (first, 5))


if __name__ == "__main__":
    unittest.main()
