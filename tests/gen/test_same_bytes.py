# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""The same bytes whatever the hash seed, the folder of the project, the umask and the language."""

from __future__ import annotations

import re
import unittest

from tests.gen.project import InFolder, ROOT, contents, copy_project, differences, header_tree, run_gen


class SameBytes(InFolder):
    def emitted(self, name: str, project: str = "", umask: int = 0o022, **environment: str) -> list[str]:
        """What emit writes that differs from what is committed."""
        root = self.folder / project if project else ROOT
        run_gen(root, "emit", "--quiet", "--output", self.folder / name, umask=umask, **environment)
        return differences(self.folder / name, ROOT / "generated")

    def test_for_any_hash_seed(self) -> None:
        for seed in ("0", "1", "4711"):
            with self.subTest(seed):
                self.assertEqual(self.emitted(f"out{seed}", PYTHONHASHSEED=seed), [])

    def test_in_any_folder(self) -> None:
        for project in ("p", "a/folder whose name/is so much/longer than/the other"):
            with self.subTest(project):
                copy_project(self.folder / project)
                self.assertEqual(self.emitted(f"out{len(project)}", project), [])

    def test_under_any_umask(self) -> None:
        for umask in (0o022, 0o077):
            with self.subTest(f"{umask:o}"):
                self.assertEqual(self.emitted(f"out{umask:o}", umask=umask), [])
                files = (p for p in (self.folder / f"out{umask:o}").rglob("*") if p.is_file())
                modes = {p.stat().st_mode & 0o777 for p in files}
                self.assertEqual(modes, {0o644})

    def test_in_any_language(self) -> None:
        for number, environment in enumerate(({"LC_ALL": "C", "LANG": "C", "PYTHONUTF8": "0",
                                               "PYTHONCOERCECLOCALE": "0"},
                                              {"LC_ALL": "C.UTF-8", "LANG": "C.UTF-8"})):
            with self.subTest(environment):
                self.assertEqual(self.emitted(f"out{number}", **environment), [])

    def test_from_a_header_tree_too(self) -> None:
        tree = header_tree(56)
        for seed, project in (("0", "p"), ("1", "another/much longer/path")):
            copy_project(self.folder / project)
            run_gen(self.folder / project, "emit", "--quiet", "--headers", tree, "--release", "56",
                    "--output",
                    self.folder / f"out{seed}", PYTHONHASHSEED=seed)
        self.assertEqual(differences(self.folder / "out0", self.folder / "out1"), [])

    def test_no_machine_is_named(self) -> None:
        folders = "|".join(re.escape(folder) for folder in ("/home", "/root", "/usr", "/tmp", str(ROOT)))
        absolute = re.compile(rf"(?<![\w.-])({folders})/".encode())
        for name, content in contents(ROOT / "generated").items():
            self.assertIsNone(absolute.search(content), name)


if __name__ == "__main__":
    unittest.main()
