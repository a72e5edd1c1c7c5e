# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""A release of which facts are kept is read anew: its headers are as they were, or they are taken for another's."""

from __future__ import annotations

import unittest
from pathlib import Path

from tests.gen.project import InFolder, gen

GROUP = '[group.verbs]\nheaders = [{}]\nlibrary = "libibverbs.so.1"\n'
VERBS = "struct ibv_context { int n; };\nint ibv_new(struct ibv_context *c);\n"


class Again(InFolder):
    def scan(self, text: str, *headers: str, like: bool = True, symbols: bool = True) -> tuple[int, str]:
        self.put("include/infiniband/verbs.h", text)
        self.put("include/infiniband/more.h", "enum ibv_more { IBV_MORE };\n")
        self.put("libibverbs.map", "IBVERBS_1.14 { global: ibv_new; };\n")
        groups = self.put("groups.toml", GROUP.format(", ".join(f'"infiniband/{h}.h"' for h in ("verbs", *headers))))
        args: list[str | Path] = ["--symbols", self.folder / "libibverbs.map"] if symbols else []
        args += ["--like", self.folder / "kept.json"] if like else []
        status, _, said = gen("scan", "--headers", self.folder / "include", "--groups", groups, "--release", "66", *args, "--output", self.folder / ("new.json" if like else "kept.json"))
        return status, said

    def setUp(self) -> None:
        super().setUp()
        self.assertEqual(self.scan(VERBS, like=False)[0], 0)

    def test_with_more_headers(self) -> None:
        self.assertEqual(self.scan(VERBS, "more"), (0, ""))
        self.assertIn("IBV_MORE", (self.folder / "new.json").read_text())

    def test_and_not_with_others(self) -> None:
        for text, change in ((VERBS + "enum ibv_side { IBV_LEFT };\n", "+ enum ibv_side"), ("struct ibv_context { int n; };\n", "- function ibv_new")):
            status, said = self.scan(text)
            self.assertEqual(status, 2)
            self.assertIn(f"kept.json: facts of release 66 are kept, and these headers differ from those in {1 + ('enum' in change)} things:\n    infiniband/verbs.h: {change}", said)
            self.assertFalse((self.folder / "new.json").exists())

    def test_and_not_without_what_was_known_of_libraries(self) -> None:
        status, said = self.scan(VERBS, symbols=False)
        self.assertEqual(status, 2)
        self.assertIn("which know the library of ibv_new\n  name the files that tell it, as before: --symbols FILE", said)

    def test_of_which_the_facts_are_damaged(self) -> None:
        self.put("kept.json", "{")
        self.assertEqual(self.scan(VERBS + "struct ibv_other { int n; };\n"), (0, ""))


if __name__ == "__main__":
    unittest.main()
