# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""Pages of an earlier run: they count for the same plan and the same templates alone."""

from __future__ import annotations

import re
import tempfile
import unittest
from pathlib import Path
from unittest import mock

from gen.fast import kept
from gen.write import pages, render
from tests.gen import lent
from tests.gen.project import OwnCache, contents, copy_project, run_gen

USED = re.compile(r"{%-? *(?:include|import|from|extends) \"([^\"]+)\"")  # by a template
PLAN = ("whole", bytes(kept.DIGEST))


class Pages(OwnCache):
    def ask(self, text: str, key: bytes = b"k", plan: tuple[str, bytes] = PLAN) -> str:
        """What a run makes of a page whose template and plan are these."""
        found = pages.Pages(*plan)
        out = found.of("a.j2", key, lambda: {"a": text})["a"]
        found.keep()
        return out

    def test_are_made_once(self) -> None:
        self.assertEqual([self.ask("1"), self.ask("2")], ["1", "1"])

    def test_are_made_anew_of_another_template(self) -> None:
        self.assertEqual([self.ask("1"), self.ask("2", b"other"), self.ask("3", b"other")], ["1", "2", "2"])

    def test_another_of_the_folder_stays(self) -> None:
        found = pages.Pages(*PLAN)
        for name in ("src/a", "src/b", "docs/"):
            found.put(name, b"k", {name: "1"})
        found.keep()
        found = pages.Pages(*PLAN)
        self.assertEqual(found.of("src/a", b"other", lambda: {"src/a": "2"}), {"src/a": "2"})
        found.keep()
        found = pages.Pages(*PLAN)
        self.assertEqual([found.has("src/a", b"other"), found.has("src/b", b"k"), found.has("docs/", b"k"), found.has("src/a", b"k")], [True, True, True, False])

    def test_are_made_anew_of_another_plan(self) -> None:
        self.assertEqual([self.ask("1"), self.ask("2", plan=("whole", b"x" * kept.DIGEST))], ["1", "2"])

    def test_of_a_plan_that_is_not_kept_nothing_is(self) -> None:
        self.assertEqual([self.ask("1", plan=("", b"")), self.ask("2", plan=("", b""))], ["1", "2"])

    def test_damaged_ones_are_made_anew(self) -> None:
        self.ask("1")
        file = Path(kept.folder()) / "pages-whole-a.j2"
        file.write_bytes(file.read_bytes()[:-1])
        self.assertEqual(self.ask("2"), "2")


class Keys(OwnCache):
    def setUp(self) -> None:
        super().setUp()
        for name in ("src/a.c.j2", "src/b.c.j2", "_macros.j2"):
            self.put(f"templates/{name}", "text")

    def keys(self) -> list[bytes]:
        """Of two templates, their folder, and all."""
        found = pages.Keys(self.folder / "templates")
        return [found.of("src/a.c.j2"), found.of("src/b.c.j2"), found.of("src/"), found.of("")]

    def differ(self, **changed: str) -> list[bool]:
        """Which do when some files have other texts."""
        before = self.keys()
        for name, text in changed.items():
            self.put(name, text)
        return [one != other for one, other in zip(before, self.keys())]

    def test_are_the_same_of_the_same(self) -> None:
        self.assertEqual(self.differ(), [False] * 4)

    def test_a_template_changes_its_own(self) -> None:
        self.assertEqual(self.differ(**{"templates/src/a.c.j2": "A"}), [True, False, True, True])

    def test_one_that_others_use_changes_all(self) -> None:
        self.assertEqual(self.differ(**{"templates/_macros.j2": "M"}), [True] * 4)

    def test_of_what_is_made_of_others_texts_has_these(self) -> None:
        found = pages.Keys(self.folder / "templates")
        keys = [found.of_all(["src/a.c.j2"], texts) for texts in ({}, {"a.h": "1"}, {"a.h": "2"}, {"b.h": "2"}, {"a.h": "2"})]
        self.assertEqual([keys.index(key) for key in keys], [0, 1, 2, 3, 2])

    def test_another_jinja2_changes_all(self) -> None:
        before = self.keys()
        with mock.patch.object(pages.sources, "code_of", return_value={"jinja2/environment.py": b"other"}):
            self.assertTrue(all(one != other for one, other in zip(before, self.keys())))


class Run(unittest.TestCase):
    """What is emitted again, after a run that kept all that it made."""

    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        cls.folder = Path(cls.enterClassContext(tempfile.TemporaryDirectory()))
        cls.project = copy_project(cls.folder / "project")
        cls.kept = lent.folder_of(cls.project)
        cls.before = cls.emitted()

    @classmethod
    def emitted(cls) -> dict[str, bytes]:
        run_gen(cls.project, "emit", "--quiet", "--output", cls.folder / "out")
        return contents(cls.folder / "out")

    def append(self, name: str, text: str) -> None:
        """To a template, while a test runs."""
        template = self.project / "templates" / name
        before = template.read_text(encoding="utf-8")
        template.write_text(before + text, encoding="utf-8")
        self.addCleanup(template.write_text, before, encoding="utf-8")

    def test_a_changed_template_changes_its_page_alone(self) -> None:
        self.append("src/ids.h.j2", "/* more */\n")
        after = self.emitted()
        self.assertEqual([name for name in after if self.before.get(name) != after[name]], ["src/ids.h"])
        self.assertTrue(after["src/ids.h"].endswith(b"/* more */\n"))

    def test_what_is_made_of_all_headers_follows_each(self) -> None:
        """A function that is declared in a page is exported, with its words."""
        self.append("include/verbsx/objects.h.j2", "/** Said of a new one. */\nVX_EXPORT void vx_new_one(void);\n")
        after = self.emitted()
        self.assertIn(b"vx_new_one;", after["src/libverbsx.map"])
        self.assertIn(b"Said of a new one", after["src/own_words.inc"])

    def test_a_plan_of_which_nothing_is_rendered_is_not_loaded(self) -> None:
        self.emitted()
        (self.folder / "out/src/ids.h").unlink()
        (self.kept / "plan-whole").unlink()
        self.assertEqual(self.emitted(), self.before)
        self.assertFalse((self.kept / "plan-whole").exists())

    def test_no_template_uses_one_that_is_a_page_itself(self) -> None:
        used = {name for path in render.TEMPLATES.rglob("*.j2") for name in USED.findall(path.read_text(encoding="utf-8"))}
        self.assertGreater(len(used), 1)
        self.assertEqual([name for name in used if not Path(name).name.startswith("_")], [])


if __name__ == "__main__":
    unittest.main()
