# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""Kinds of librdmacm and mlx5dv, each a line of lore: they are generated, and compile against the headers of every release."""

from __future__ import annotations

import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

from gen import groups, headers, lore, merge, render
from gen.plan import Plan, build
from tests.gen import words_of_kinds
from tests.gen.project import RELEASES, ROOT, InFolder, header_tree

MORE = Path(__file__).parent / "lore/more_kinds.toml"
SOURCES = ("src/objects.c", "src/kinds.c", "src/methods.c")
STRICT = ("-std=gnu11", "-fsyntax-only", "-Wall", "-Wextra", "-Wshadow", "-Wstrict-prototypes", "-Wmissing-prototypes",
          "-Wwrite-strings", "-Werror")
CONFIG = '#define VERBSX_VERSION "0"\n#define VERBSX_LOADER 1\n#define VERBSX_TRACING 0\n#define VERBSX_CHECKS 0\n'


class MoreKinds(InFolder):
    plan: Plan
    maxDiff = None

    @classmethod
    def setUpClass(cls) -> None:
        order = groups.load()
        api = merge.merge(headers.committed(), [g.name for g in order])
        folder = Path(cls.enterClassContext(tempfile.TemporaryDirectory()))
        for path in (*lore.FOLDER.glob("*.toml"), MORE):
            shutil.copy(path, folder)
        cls.plan = build(api, lore.load(api, folder), order)
        cls.texts = render.render(cls.plan)
        cls.kinds = {k.name: k for k in cls.plan.objects.kinds}

    def test_every_one_is_there(self) -> None:
        named = {line.split(" = ")[0] for line in MORE.read_text().splitlines() if " = { title" in line}
        self.assertGreater(len(named), 50)
        self.assertLessEqual(named, set(self.kinds))

    def test_each_function_of_a_vendors_header_asks_whose_the_device_is(self) -> None:
        """Before anything of the vendor is called: that casts without looking."""
        gates = {g.prefix: g.provider for g in self.plan.groups if g.provider}
        made = [(f"create_{k.name}", k.call) for k in self.plan.objects.kinds if k.provider]
        asked = [(m.name, m.call) for k in self.plan.objects.types for m in k.methods if m.provider]
        self.assertGreater(len(made), 20)
        for function, call in [*made, *asked]:
            with self.subTest(function=function):
                text = self.source_of(function)
                prefix = next(p for p in gates if call.startswith(p))
                before, gate, after = text.partition("vx_needs_provider(")
                self.assertIn(f'"{gates[prefix]}") < 0)', after)
                self.assertNotRegex(before, rf"\b{prefix}\w+\(")

    def test_all_compile_against_the_headers_of_every_release(self) -> None:
        for name, text in self.texts.items():
            if name.startswith(("include/", "src/")):
                self.put(f"generated/{name}", text)
        self.put("generated/include/verbsx/config.h", f"#pragma once\n{CONFIG}")
        for release in RELEASES:
            include = header_tree(release)
            for source in SOURCES:
                with self.subTest(release=release, source=source):
                    self.compiles(self.folder / "generated" / source, include, release)

    def compiles(self, source: Path, include: Path, release: int) -> None:
        own = (self.folder / "generated/include", self.folder / "generated/src", ROOT / "runtime/include", ROOT / "runtime/src")
        done = subprocess.run(["gcc", *STRICT, f"-DVX_RDMA_CORE={release}", *(f"-I{f}" for f in own), "-isystem", include,
                               source], capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_the_table_of_what_they_need_is_up_to_date(self) -> None:
        self.assertEqual(words_of_kinds.TABLE.read_text(), words_of_kinds.table(), "python3 -m tests.gen.words_of_kinds")

    def source_of(self, function: str) -> str:
        """The text of a generated function, which may take a size as well."""
        text = self.texts["src/objects.c"] + self.texts["src/methods.c"]
        found = re.search(rf"\b{function}(_sized)?\(.*?\n}}\n", text, re.DOTALL)
        self.assertIsNotNone(found, function)
        return found[0]


if __name__ == "__main__":
    unittest.main()
