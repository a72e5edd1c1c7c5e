# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""The runner of tests sees each way to fail: python3 tests/runner/check.py SAMPLE"""

from __future__ import annotations

import re
import subprocess
import sys
import unittest

FAILED = re.compile(r"^\[FAIL\] (\w+)::(\w+): (.*)$", re.MULTILINE)
NAME = re.compile(r"^\|-- (\w+)$", re.MULTILINE)
SUITE = re.compile(r"^(\w+): (\d+) tests$", re.MULTILINE)

WHY = {
    "where_an_expectation_does_and_goes_on": "assertions failed: 2",
    "where_an_assertion_does_and_stops": "assertions failed: 1",
    "where_only_the_suite_notices": "assertions failed: 1",
    "where_nothing_can_be_made": "assertions failed: 1",
    "without_the_signal_that_was_said": "it was to end by signal 15",
    "by_an_exit_status": "exit status 3",
    "that_leaves_before_its_end": "it ended before its end",
    "by_a_signal": "CRASH! Segmentation fault",
    "asleep": "timed out",
}
program = ""


def run(*options: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([program, *options], capture_output=True, text=True, timeout=60)


class Runner(unittest.TestCase):
    def test_it_sees_each_way_to_fail_and_why(self) -> None:
        done = run("--verbose")
        self.assertEqual({name: why for _, name, why in FAILED.findall(done.stderr)}, WHY)
        self.assertEqual(done.returncode, 1)
        self.assertIn("Synthesis: Tested: 12 | Passing: 3 | Failing: 9 | Crashing: 1", done.stderr)
        self.assertIn("[SKIP] skips::for_a_reason: no device", done.stderr)

    def test_it_says_what_was_expected(self) -> None:
        said = run("--filter", "fails/where_an_expectation*").stderr
        self.assertRegex(said, r'sample\.c:\d+: Assertion Failed\n.*is false: "this", "that"\.')
        self.assertIn("goes_on: and 2\n", said)

    def test_one_at_a_time_is_no_different(self) -> None:
        self.assertEqual(set(FAILED.findall(run("-j1").stderr)), set(FAILED.findall(run("-j4").stderr)))

    def test_only_what_a_pattern_takes_is_run(self) -> None:
        done = run("--filter", "@(passes|skips)/*")
        self.assertEqual(done.returncode, 0)
        self.assertIn("Tested: 3 | Passing: 3", done.stderr)

    def test_a_pattern_that_takes_none_fails(self) -> None:
        done = run("--filter", "passes::*")
        self.assertEqual((done.returncode, done.stderr), (2, "no test is called passes::*\n"))

    def test_it_lists_all(self) -> None:
        listed = run("--list").stdout
        self.assertEqual(len(NAME.findall(listed)), sum(int(count) for _, count in SUITE.findall(listed)))
        self.assertEqual(len(NAME.findall(listed)), 14)


if __name__ == "__main__":
    program = sys.argv.pop()
    unittest.main()
