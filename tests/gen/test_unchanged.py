# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""A run that has nothing to do is told from all others."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import unittest
from pathlib import Path
from unittest import mock

from gen.errors import GenError
from gen.fast import kept, sources, unchanged
from tests.gen.project import ROOT, InFolder, OwnCache, differences

def begin_anew() -> None:
    """As another run does."""
    sources.at_start.cache_clear()
    unchanged._digest_at_start.cache_clear()


WRITTEN = {"src/one.c": "one", "api.json": "two"}


class Left(OwnCache):
    """A run has read a folder and left another."""

    def setUp(self) -> None:
        super().setUp()
        self.put("in/lore/a.toml", "a")
        self.put("in/b.py", "b")
        self.put("jinja2/nodes.py", "nodes")
        self.write_all()
        self.modules: dict[str, bytes] = {}
        for name, value in (("FOLDERS", (self.folder / "in",)), ("_jinja2", lambda: [self.folder / "jinja2"]),
                            ("modules", lambda: self.modules)):
            patched = mock.patch.object(sources, name, value)
            patched.start()
            self.addCleanup(patched.stop)
        self.addCleanup(begin_anew)
        self.leave()

    def write_all(self) -> None:
        for name, text in WRITTEN.items():
            self.put(f"out/{name}", text)

    def leave(self) -> None:
        begin_anew()
        unchanged.leave(self.folder / "out", WRITTEN)

    def is_left(self) -> bool:
        """Whether the next run has nothing to do."""
        begin_anew()
        return unchanged.is_left(self.folder / "out")

    def test_when_nothing_changed(self) -> None:
        self.assertTrue(self.is_left())

    def test_by_content_and_not_by_time(self) -> None:
        for file in (p for p in self.folder.glob("*/**/*") if p.is_file() and "cache" not in p.parts):
            os.utime(file, (1, 1))
        self.assertTrue(self.is_left())

    def test_not_when_a_file_that_is_read_or_written_differs(self) -> None:
        """However long it is, and however old."""
        for name in ("in/lore/a.toml", "in/b.py", "jinja2/nodes.py", "out/src/one.c", "out/api.json"):
            with self.subTest(name):
                path = self.folder / name
                before, times = path.read_bytes(), path.stat()
                path.write_bytes(before.upper())
                os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))
                self.assertFalse(self.is_left())
                path.write_bytes(before)
                self.assertTrue(self.is_left())

    def test_not_when_a_file_is_new(self) -> None:
        for name in ("in/lore/new.toml", "in/new/new.j2", "jinja2/new.py", "out/new.c", "out/new/new.c"):
            with self.subTest(name):
                path = self.put(name, "")
                self.assertFalse(self.is_left())
                path.unlink()
                self.assertTrue(self.is_left())

    def test_not_when_a_file_is_gone(self) -> None:
        for name in ("in/lore/a.toml", "in/b.py", "jinja2/nodes.py", "out/src/one.c", "out/api.json"):
            with self.subTest(name):
                path = self.folder / name
                path.rename(self.folder / "away")
                self.assertFalse(self.is_left())
                (self.folder / "away").rename(path)
                self.assertTrue(self.is_left())

    def test_not_when_a_file_has_another_name(self) -> None:
        for name in ("in/b.py", "out/api.json"):
            with self.subTest(name):
                path = self.folder / name
                path.rename(path.with_suffix(".other"))
                self.assertFalse(self.is_left())
                path.with_suffix(".other").rename(path)

    def test_not_when_all_is_gone(self) -> None:
        (self.folder / "out").rename(self.folder / "away")
        self.assertFalse(self.is_left())

    def test_not_for_another_folder(self) -> None:
        self.assertFalse(unchanged.is_left(self.folder / "other"))

    def test_not_by_another_interpreter(self) -> None:
        with mock.patch.object(sys, "version", "4.0"):
            self.assertFalse(self.is_left())

    def test_hidden_and_compiled_files_are_nobodys_business(self) -> None:
        self.put("in/.b.py.swp", "")
        self.put("out/src/.one.c.swp", "")
        self.put("in/__pycache__/b.pyc", "")
        self.assertTrue(self.is_left())

    def test_not_when_what_is_read_changed_in_the_meantime(self) -> None:
        self.put("in/b.py", "new")
        begin_anew()
        sources.at_start()
        self.put("in/b.py", "newer")
        unchanged.leave(self.folder / "out", WRITTEN)
        self.assertFalse(self.is_left())
        self.put("in/b.py", "new")
        self.assertFalse(self.is_left())

    def test_not_when_a_module_changed_after_it_was_loaded(self) -> None:
        for text in (b"older", b"b"):
            self.modules = {str(self.folder / "in/b.py"): text}
            self.leave()
            self.assertEqual(self.is_left(), text == b"b")

    def test_not_when_what_is_kept_is_damaged(self) -> None:
        (file,) = Path(kept.folder()).glob("left-*")
        whole = file.read_bytes()
        for data in (whole[:-1], b"", bytes(len(whole)), b"foreign"):
            with self.subTest(data):
                file.write_bytes(data)
                self.assertFalse(self.is_left())

    def test_not_where_nothing_is_kept(self) -> None:
        with mock.patch.object(kept, "folder", lambda: None):
            self.leave()
            self.assertFalse(self.is_left())


class Told(InFolder):
    """What a run is told in so few words that it need not be read with care."""

    def test_is_where_all_is_written_to(self) -> None:
        generated = str(ROOT / "generated")
        for words, folder in (("emit", generated), ("emit --quiet", generated), ("emit --output a", "a"),
                              ("emit --quiet --output a", "a"), ("emit --output a --quiet", "a")):
            with self.subTest(words):
                self.assertEqual(unchanged.output_of(words.split()), folder)

    def test_is_nothing_that_makes_less_of_other_things_or_elsewhere(self) -> None:
        for words in ("", "check", "--quiet emit", "emit --code", "emit --installed", "emit --output", "emit --output --quiet", "emit --output -a", "emit --output a b",
                      "emit --headers a", "emit --groups a", "emit --output=a", "emit --out a", "emit -h", "--help"):
            with self.subTest(words):
                self.assertIsNone(unchanged.output_of(words.split()))
        self.assertIsNone(unchanged.output_of(["emit", "--output", ""]))

    def test_is_found_before_what_takes_long_is_loaded(self) -> None:
        """What a run that has nothing to do loads is little; that of this folder was left by the first."""
        command = [sys.executable, "-X", "importtime", "-m", "gen", "emit", "--quiet", "--output", self.folder / "out"]
        for loads in (True, False):
            done = subprocess.run(command, cwd=ROOT, stderr=subprocess.PIPE, text=True, check=True)
            self.assertEqual([name for name in ("pathlib", "gen.fast.compiled") if f" {name}\n" in done.stderr],
                             ["pathlib", "gen.fast.compiled"] if loads else [])

    def test_is_told_of_as_ever_where_a_source_cannot_be_read(self) -> None:
        with mock.patch.object(sources, "at_start", side_effect=GenError("no")):
            unchanged._digest_at_start.cache_clear()
            self.assertFalse(unchanged.is_nothing_to_do(["emit"]))


READS = """\
import json, runpy, sys
opened = set()
def look(event, args):
    if event in ("open", "os.scandir", "os.listdir") and isinstance(args[0], str):
        opened.add(args[0])
import gen.fast.compiled
gen.fast.compiled.install()
sys.addaudithook(look)
sys.argv = ["gen", "emit", "--quiet", "--output", sys.argv[1]]
try:
    runpy.run_module("gen", run_name="main", alter_sys=True)["main"]()
finally:
    print(json.dumps(sorted(opened)))
"""


class Together(OwnCache):
    """Two runs at once that keep nothing yet."""

    def test_they_do_as_one_does_and_read_nothing_but_sources(self) -> None:
        """Whatever is read, one of them reads it: the other may find it kept."""
        runs = [subprocess.Popen([sys.executable, "-c", READS, self.folder / name], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
                for name in ("one", "two")]
        opened = {Path(ROOT, path) for run in runs for path in json.loads(run.communicate()[0])}
        self.assertEqual([run.returncode for run in runs], [0, 0])
        for name in ("one", "two"):
            with self.subTest(name):
                self.assertEqual(differences(self.folder / name, ROOT / "generated"), [])
        again = subprocess.run([sys.executable, "-m", "gen", "emit", "--quiet", "--output", self.folder / "two"], cwd=ROOT, stderr=subprocess.PIPE, text=True)
        self.assertEqual(again.stderr, "0 files written, 0 removed\n")
        of_project = [path for path in opened if path.is_relative_to(ROOT) and not path.is_relative_to(ROOT / "build")]
        self.assertIn(ROOT / "gen/lore/verbs.toml", of_project)
        self.assertEqual([p for p in of_project if not p.is_relative_to(self.folder) and "__pycache__" not in p.parts and p != ROOT
                          and not any(p.is_relative_to(folder) for folder in sources.FOLDERS)], [])


class Sources(unittest.TestCase):
    def test_have_jinja2(self) -> None:
        self.assertIn("jinja2/nodes.py", {"/".join(Path(path).parts[-2:]) for path in sources.read()})


if __name__ == "__main__":
    unittest.main()
