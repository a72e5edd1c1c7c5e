# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""./dev release: a release that is taken in becomes what is committed, and one that cannot be changes nothing."""

from __future__ import annotations

import shutil
import subprocess
import unittest
from pathlib import Path

from gen.reach import headers, releases
from tests.gen.mutations.tree import symbols
from tests.gen.project import NEWEST, ROOT, InFolder, contents, differences, header_tree

PARTS = ("cmake", "docs", "gen", "generated", "runtime", "templates", "tests", "CMakeLists.txt", "LICENSE", "LICENSES", "dev")
MADE = ("gen/facts", "gen/abi", "generated", "tests/oracle")


class Release(InFolder):
    def setUp(self) -> None:
        super().setUp()
        self.headers = header_tree(NEWEST)
        self.project = self.folder / "project"
        self.project.mkdir()
        skip = shutil.ignore_patterns("__pycache__", "emu", "build")
        for part in PARTS:
            if (ROOT / part).is_dir():
                shutil.copytree(ROOT / part, self.project / part, ignore=skip)
            else:
                shutil.copy2(ROOT / part, self.project / part)
        (self.project / f"gen/facts/rdma-core-{NEWEST}.json").unlink()

    def dev(self, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
        return subprocess.run(["./dev", "release", *map(str, arguments)], cwd=self.project, capture_output=True, text=True)

    def made(self) -> dict[str, bytes]:
        return {f"{part}/{name}": data for part in MADE for name, data in contents(self.project / part).items() if "__pycache__" not in name}

    def test_the_newest_one_taken_in_anew_is_what_is_committed(self) -> None:
        before, newest = headers.committed()[-2:]
        scripts = [] if NEWEST in releases.RELEASES else symbols()[1::2]  # of Debian's the libraries lie beside the headers
        told = [word for path in scripts if Path(path).stem in newest.told for word in ("--symbols", path)]
        done = self.dev(NEWEST, "--tree", self.headers, *told)
        self.assertEqual(done.returncode, 0, done.stderr)
        for part in ("gen/facts", "gen/abi", "generated"):
            self.assertEqual(differences(self.project / part, ROOT / part), [])
        notes = (self.project / f"docs/releases/{NEWEST}.md").read_text()
        self.assertTrue(notes.startswith("<!-- SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB -->\n"))
        new, old = ({name for g in facts.groups.values() for name in g.calls} for facts in (newest, before))
        self.assertEqual([name for name in new - old if name not in notes], [])
        self.assertIn("differences: 0", (self.project / f"build/release/{NEWEST}/oracle.log").read_text())
        self.assertRegex(done.stderr, rf"rdma-core {NEWEST} is taken in, after \d+ s")
        self.assertIn("Nothing is left to be decided", done.stderr)

    def test_headers_that_do_not_compile_change_nothing(self) -> None:
        tree = self.folder / "include"
        shutil.copytree(self.headers, tree)
        verbs = tree / "infiniband/verbs.h"
        verbs.write_text(verbs.read_text()[:20000])
        before = self.made()
        done = self.dev(NEWEST, "--tree", tree)
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, r"verbs\.h:\d+: ")
        self.assertEqual(self.made(), before)
        self.assertFalse((self.project / "docs/releases").exists())

    def test_what_cannot_be_a_release_is_refused(self) -> None:
        for arguments in ((), ("sixty",), ("0",), (NEWEST, "--tree"), (NEWEST, "--tree", "/nowhere"), (NEWEST, "--fast")):
            with self.subTest(arguments):
                self.assertEqual(self.dev(*arguments).returncode, 2)
        self.assertIn("older than all", self.dev(20).stderr)


if __name__ == "__main__":
    unittest.main()
