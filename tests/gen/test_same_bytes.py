# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""The same bytes whatever the hash seed, the folder of the project, the umask and the language."""

from __future__ import annotations

import re
import unittest

from tests.gen.project import ALL, InFolder, ROOT, contents, copy_project, differences, header_tree, run_gen


class SameBytes(InFolder):
    def emitted(self, name: str, project: str = "", umask: int = 0o022, **environment: str) -> list[str]:
        """What emit writes that differs from what is committed."""
        root = self.folder / project if project else ROOT
        run_gen(root, "emit", "--quiet", "--output", self.folder / name, umask=umask, **self.nothing_kept(name), **environment)
        return differences(self.folder / name, ROOT / "generated")

    def nothing_kept(self, name: str) -> dict[str, str]:
        """For a run that makes everything itself."""
        return {"XDG_CACHE_HOME": str(self.folder / f"cache of {name}")}

    def test_whatever_is_around_it(self) -> None:
        """Everything differs from what it mostly is, and each time: what depends on any of it is found, if not which."""
        for seed, project, umask, language in (
                ("4711", "a/folder whose name/is so much/longer than/the other", 0o077, {"LC_ALL": "C", "LANG": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}),
                ("0", "", 0o022, {"LC_ALL": "C.UTF-8", "LANG": "C.UTF-8"}),
                ("1", "p", 0o027, {"LC_ALL": "C"}))[:3 if ALL else 1]:
            with self.subTest(seed=seed, project=project, umask=f"{umask:o}", language=language):
                if project:
                    copy_project(self.folder / project)
                self.assertEqual(self.emitted(f"out{seed}", project, umask, PYTHONHASHSEED=seed, **language), [])
                files = (p for p in (self.folder / f"out{seed}").rglob("*") if p.is_file())
                self.assertEqual({p.stat().st_mode & 0o777 for p in files}, {0o644})

    def test_from_a_header_tree_too(self) -> None:
        """Also where another run, of any hash seed, kept what it read and planned."""
        arguments = ("emit", "--quiet", *([] if ALL else ["--code"]), "--headers", header_tree(56), "--release", "56", "--output")
        for seed, project in (("1", "another/much longer/path"), ("0", "p"))[:2 if ALL else 1]:
            run_gen(copy_project(self.folder / project), *arguments, self.folder / f"out{seed}", PYTHONHASHSEED=seed, **self.nothing_kept(f"out{seed}"))
            run_gen(ROOT, *arguments, self.folder / "kept")
            self.assertEqual(differences(self.folder / f"out{seed}", self.folder / "kept"), [])

    def test_no_machine_is_named(self) -> None:
        folders = "|".join(re.escape(folder) for folder in ("/home", "/root", "/usr", "/tmp", str(ROOT)))
        absolute = re.compile(rf"(?<![\w.-])({folders})/".encode())
        for name, content in contents(ROOT / "generated").items():
            self.assertIsNone(absolute.search(content), name)


if __name__ == "__main__":
    unittest.main()
