# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""rdma-core's own Python tests on the emulated device, held beside what they should come to.

    LD_PRELOAD=libverbsx-emu.so upstream.py infiniband|ethernet|plaintext TESTS [--some | PATTERN]

Debian's python3-pyverbs brings the tests, in the folder TESTS. golden/upstream.txt has a line for each: its name, and whether it
is ok or skipped on an InfiniBand and on an Ethernet port, and with a device to which keys come in plaintext, where but those
that match PATTERN are run. With --some those are run that are ok in no column before, all of rdma_cm, and each third of the others. What is ok there has to be, and nothing may fail.
Tests of encryption want to be told keys, as wrapped by the import KEK of the device: golden/upstream-crypto.json has them.
GOLDEN_WRITE=1 writes what came out into the file.
"""

from __future__ import annotations

import gzip
import os
import random
import runpy
import sys
import tempfile
import unittest
from pathlib import Path

GOLDEN = Path(__file__).parent / "golden/upstream.txt"
CRYPTO = GOLDEN.with_name("upstream-crypto.json")
LICENSE = "# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB\n"
HEADING = "# test infiniband ethernet plaintext\n"
COLUMNS = ("infiniband", "ethernet", "plaintext")
SEED = 4  # the most of them are ok with it

Outcomes = dict[str, str]


class Recorder(unittest.TextTestResult):
    """A result that also keeps the outcome of each test by its name."""

    outcomes: Outcomes = {}

    def startTest(self, test: unittest.TestCase) -> None:
        """Have each test throw the same dice each time: some make what they try, and skip, depend on that."""
        random.seed(SEED)
        super().startTest(test)

    def keep(self, test: unittest.TestCase, outcome: str) -> None:
        self.outcomes[test.id().removeprefix("tests.")] = outcome

    def addSuccess(self, test: unittest.TestCase) -> None:
        super().addSuccess(test)
        self.keep(test, "ok")

    def addSkip(self, test: unittest.TestCase, reason: str) -> None:
        super().addSkip(test, reason)
        self.keep(test, "skipped")

    def addFailure(self, test, err) -> None:
        super().addFailure(test, err)
        self.keep(test, "failed")

    def addError(self, test, err) -> None:
        super().addError(test, err)
        self.keep(test, "failed")


def unpack(tests: Path, folder: Path) -> Path:
    """A copy of the tests, of which Debian has compressed most."""
    folder.mkdir()
    for path in tests.iterdir():
        if path.suffix == ".gz":
            (folder / path.stem).write_bytes(gzip.decompress(path.read_bytes()))
        elif path.is_file():
            (folder / path.name).write_bytes(path.read_bytes())
    return folder / "run_tests.py"


def run(tests: Path, pattern: list[str]) -> Outcomes:
    """Run all of them here, or those that match, on the first device."""
    unittest.TextTestRunner.resultclass = Recorder
    sys.dont_write_bytecode = True
    with tempfile.TemporaryDirectory() as work:
        program = unpack(tests, Path(work) / "tests")
        sys.argv = [str(program), "--dev", "mlx5_0", *(f"-k{one}" for one in pattern)]
        sys.path.insert(0, str(program.parent))
        try:
            runpy.run_path(str(program), run_name="__main__")
        except SystemExit:
            pass
    return Recorder.outcomes


def read() -> dict[str, Outcomes]:
    """The file, by column."""
    lines = GOLDEN.read_text().splitlines() if GOLDEN.exists() else []
    rows = [line.split() for line in lines if not line.startswith("#")]
    return {column: {row[0]: row[i] for row in rows if len(row) > i} for i, column in enumerate(COLUMNS, 1)}


def write(known: dict[str, Outcomes]) -> None:
    """The file anew; a test that is not known in a column is skipped there."""
    names = sorted(set().union(*known.values()))
    rows = [" ".join([name, *(known[column].get(name, "skipped") for column in COLUMNS)]) for name in names]
    GOLDEN.write_text(LICENSE + HEADING + "".join(f"{row}\n" for row in rows))


def complaints(expected: Outcomes, found: Outcomes) -> list[str]:
    """What is worse than it should be."""
    lost = [f"{name} is no longer ok: {found.get(name, 'gone')}"
            for name, outcome in expected.items() if outcome == "ok" and found.get(name) != "ok"]
    return lost + [f"{name} failed" for name, outcome in found.items()
                   if outcome == "failed" and expected.get(name) != "ok"]


def some_of(known: dict[str, Outcomes], column: str) -> Outcomes:
    """Of the tests of a column those that tell most of what the columns before it have not told."""
    names = [name for name, outcome in known[column].items() if outcome == "ok"]
    before = COLUMNS[:COLUMNS.index(column)]
    seen = [name for name in names if "cm" not in name and any(known[one].get(name) == "ok" for one in before)]
    return {name: "ok" for name in names if name not in seen or seen.index(name) % 3 == 0}


def main() -> int:
    column, tests, *pattern = sys.argv[1:]
    os.environ["MLX5_CRYPTO_TEST_INFO"] = str(CRYPTO)
    known = read()
    if pattern == ["--some"]:
        known[column] = some_of(known, column)
        pattern = [f"*{name}" for name in known[column]]
    found = run(Path(tests), pattern)
    if os.environ.get("GOLDEN_WRITE"):
        write(known | {column: found})
        known = read()
    bad = complaints(known[column], found)
    more = [name for name, outcome in found.items() if outcome == "ok" and known[column].get(name) != "ok"]
    print(*bad, sep="\n")
    print(*(f"{name} is ok as well, which {GOLDEN.name} does not have yet" for name in more), sep="\n")
    expected = list(known[column].values()).count("ok")
    print(f"{list(found.values()).count('ok')} ok of {len(found)}, {expected} expected")
    return 1 if bad or not found else 0


if __name__ == "__main__":
    sys.exit(main())
