# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""Compiled code that is kept is that of what the source says now."""

from __future__ import annotations

import marshal
import os
import subprocess
import sys
import unittest
from pathlib import Path

import jinja2

from gen.fast import compiled, kept
from gen.write import filters
from gen.write.filters import FILTERS
from gen.write.templating import environment
from tests.gen.project import OwnCache, contents, copy_project


class Codes(OwnCache):
    def setUp(self) -> None:
        super().setUp()
        self.compiled: list[str] = []

    def codes(self, part: bytes = b"", **sources: str) -> dict[str, object]:
        """The value of each expression."""
        def make(path: str, source: bytes) -> object:
            self.compiled.append(path)
            return compile(source, path, "eval") if source != b"wrong" else None

        found = compiled.codes("code", {n: s.encode() for n, s in sources.items()}, make, [part])
        return {name: eval(marshal.loads(code)) for name, code in found.items()}

    def test_only_what_changed_is_compiled(self) -> None:
        self.assertEqual(self.codes(a="1", b="2"), {"a": 1, "b": 2})
        self.assertEqual(self.codes(a="1", b="3"), {"a": 1, "b": 3})
        self.assertEqual(self.compiled, ["a", "b", "b"])

    def test_what_is_gone_is_forgotten(self) -> None:
        self.codes(a="1", b="2")
        self.assertEqual(self.codes(a="1"), {"a": 1})
        self.codes(a="1", b="2")
        self.assertEqual(self.compiled, ["a", "b", "b"])

    def test_all_is_compiled_anew_where_what_it_depends_on_differs(self) -> None:
        self.codes(b"1", a="1")
        self.codes(b"2", a="1")
        self.assertEqual(self.compiled, ["a", "a"])

    def test_what_does_not_compile_is_left_out(self) -> None:
        self.assertEqual(self.codes(a="1", b="wrong"), {"a": 1})
        self.assertEqual(self.codes(a="1", b="2 + 1"), {"a": 1, "b": 3})

    def test_what_is_damaged_is_compiled_anew(self) -> None:
        self.codes(a="1")
        file = Path(kept.folder()) / "code"
        for data in (b"", file.read_bytes()[:-1], b"foreign" * 20):
            file.write_bytes(data)
            self.assertEqual(self.codes(a="1"), {"a": 1})
        self.assertEqual(self.compiled, ["a"] * 4)


class Modules(OwnCache):
    def setUp(self) -> None:
        super().setUp()
        self.project = copy_project(self.folder / "project")

    def run_gen(self, *arguments: str) -> str:
        done = subprocess.run([sys.executable, "-m", "gen", *arguments], cwd=self.project, capture_output=True, text=True,
                              env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"})
        return done.stdout + done.stderr

    def test_nothing_is_written_beside_them(self) -> None:
        before = contents(self.project)
        self.run_gen("emit", "--help")
        self.assertEqual(contents(self.project), before)

    def test_a_module_is_what_its_source_says_now(self) -> None:
        """Not what it said when it was as long and as old."""
        source = self.project / "gen/command/check.py"
        times = source.stat()
        self.assertIn("Compare", self.run_gen("check", "--help"))
        source.write_text(source.read_text().replace("Compare", "Confuse"))
        os.utime(source, ns=(times.st_atime_ns, times.st_mtime_ns))
        self.assertIn("Confuse", self.run_gen("check", "--help"))

    def test_those_of_others_are_covered_as_they_are_now(self) -> None:
        """What a module says is what its source says, wherever its package lies."""
        for number in (1, 2):
            self.put("site/others/__init__.py", "")
            self.put("site/others/part.py", f"number = {number}\n")
            done = subprocess.run([sys.executable, "-c", "from gen.fast import compiled; compiled.cover('others'); import others.part as p; "
                                   "print(p.number, type(p.__loader__).__name__)"], cwd=self.project, capture_output=True, text=True,
                                  env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1", "PYTHONPATH": str(self.folder / "site")})
            self.assertEqual(done.stdout + done.stderr, f"{number} Loader\n")

    def test_an_error_of_syntax_stops_only_who_needs_the_module(self) -> None:
        (self.project / "gen/command/check.py").write_text("oh no\n")
        self.assertIn("SyntaxError", self.run_gen("check"))
        self.assertIn("Write generated/", self.run_gen("emit", "--help"))


class Templates(OwnCache):
    def page(self, text: str, **others: str) -> str:
        for name, content in {"page": text, **others}.items():
            self.put(f"templates/{name}.j2", content)
        return environment(self.folder / "templates").get_template("page.j2").render(value="a|b")

    def test_are_what_their_text_says_now(self) -> None:
        for text, page in (("one", "one"), ("{{ value }}", "a|b"), ("{{ value | cell }}", r"a\|b"), ("one", "one")):
            self.assertEqual([self.page(text), self.page(text)], [page, page])

    def test_use_others_as_these_are_now(self) -> None:
        for text in ("one", "two"):
            self.assertEqual(self.page('{% include "other.j2" %}', other=text), text)

    def test_one_that_is_wrong_is_told_with_its_line(self) -> None:
        for text in ("\n{% if %}", "\n{{ 1 | gone }}"):
            with self.assertRaises(jinja2.TemplateSyntaxError) as caught:
                self.page(text)
            self.assertEqual(caught.exception.lineno, 2)

    def test_depend_on_no_other_code_than_is_said(self) -> None:
        """A filter may be called when a template is compiled."""
        self.assertEqual({f.__module__ for f in FILTERS.values()}, {"builtins", "gen.write.filters"})
        self.assertNotIn("from .", Path(filters.__file__).read_text())


if __name__ == "__main__":
    unittest.main()
