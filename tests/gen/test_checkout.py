# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""Checkouts: what sources of rdma-core install, as its build files have it; and the linker's version scripts."""

from __future__ import annotations

import os
import shutil
import subprocess
import unittest
from pathlib import Path
from unittest import mock

from gen.errors import GenError
from gen.reach import checkout, releases, symbols, trees, version_scripts
from tests.gen.project import InFolder

SOURCES = {
    "CMakeLists.txt": 'project(rdma-core C)\nset(PACKAGE_VERSION "70.1")\nset(PABI "69")\n# set(PABI "1")\n',
    "kernel/rdma/user.h": "/* of the kernel */\n",
    "libacme/CMakeLists.txt": "publish_headers(infiniband\n  acme.h # the one\n  ../kernel/rdma/user.h\n  )\n"
                              "publish_internal_headers(infiniband\n  driver.h\n  )\n"
                              'rdma_library(acme "${CMAKE_CURRENT_BINARY_DIR}/libacme.map"\n  # versions\n  3 3.2.${PACKAGE_VERSION}\n  a.c\n  )\n',
    "libacme/acme.h": "int acme_open(void);\n",
    "libacme/driver.h": "int acme_driver(void);\n",
    "libacme/libacme.map.in": "/* first */\nACME_1.0 {\n\tglobal:\n\t\tacme_open;\n\t\tacme_both;\n\tlocal: *;\n};\n"
                              "ACME_1.1 {\n\tglobal:\n\t\tacme_both;\n} ACME_1.0;\n"
                              "ACME_PRIVATE_@PABI@ {\n\tglobal:\n\t\tacme_driver;\n};\n",
    "providers/roadrunner/CMakeLists.txt": "rdma_shared_provider(runner librunner.map\n\t1 1.0.${PACKAGE_VERSION}\n\tr.c\n)\n"
                                           "rdma_provider(coyote c.c)\npublish_headers(rdma\n\trunner_dv.h\n)\n",
    "providers/roadrunner/librunner.map": "RUNNER_1.0 {\n\tglobal: runner_run; runner_stop;\n\tlocal: *;\n};\n",
    "providers/roadrunner/runner_dv.h": "int runner_run(void);\n",
}


class OfSources(InFolder):
    def setUp(self) -> None:
        super().setUp()
        for name, text in SOURCES.items():
            self.put(f"sources/{name}", text)
        self.sources = self.folder / "sources"

    def git(self, *arguments: str) -> None:
        subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a@example", *arguments], cwd=self.sources, check=True,
                       capture_output=True)

    def repository(self, *tags: str) -> None:
        self.git("init", "-q")
        self.git("add", ".")
        self.git("commit", "-q", "-m", "all")
        for tag in tags:
            self.git("tag", tag)


class Install(OfSources):
    def test_headers_are_where_the_build_files_put_them(self) -> None:
        self.assertEqual(checkout.install(self.sources, self.folder / "out"), 70)
        include = self.folder / "out/usr/include"
        self.assertEqual(sorted(p.relative_to(include).as_posix() for p in include.rglob("*.h")),
                         ["infiniband/acme.h", "infiniband/user.h", "rdma/runner_dv.h"])

    def test_functions_have_the_library_and_the_version_of_the_version_script(self) -> None:
        checkout.install(self.sources, self.folder / "out")
        found = symbols.read(sorted((self.folder / "out/symbols").iterdir()))
        self.assertEqual({s.name: (s.library, s.version, s.private) for s in found.values()},
                         {"acme_open": ("libacme.so.3", "ACME_1.0", False), "acme_both": ("libacme.so.3", "ACME_1.1", False),
                          "acme_driver": ("libacme.so.3", "ACME_PRIVATE_69", True),
                          "runner_run": ("librunner.so.1", "RUNNER_1.0", False),
                          "runner_stop": ("librunner.so.1", "RUNNER_1.0", False)})

    def test_what_is_neither_sources_nor_headers_is_told_what_it_lacks_or_where_headers_are(self) -> None:
        self.put("prefix/include/infiniband/verbs.h", "")
        (self.folder / "empty").mkdir()
        for tree, words in (("prefix", "prefix: holds no infiniband/\n  did you mean .*/prefix/include\\?"), ("prefix/include/infiniband", "did you mean .*/prefix/include\\?"),
                            ("empty", "empty: neither headers, which are in infiniband/ and rdma/, nor rdma-core's sources, which have a CMakeLists.txt")):
            self.assertRegex(self.fails(lambda tree=tree: trees.put(66, self.folder / "out", self.folder / tree)), words)

    def test_other_sources_are_refused(self) -> None:
        self.put("other/main.c", "")
        self.assertIn("not the sources of rdma-core", self.fails(lambda: checkout.install(self.folder / "other", self.folder / "out")))
        self.put("other/CMakeLists.txt", "project(other)\n")
        self.assertIn("no PACKAGE_VERSION", self.fails(lambda: checkout.install(self.folder / "other", self.folder / "out")))

    def test_a_header_that_is_not_there_is_named(self) -> None:
        (self.sources / "libacme/acme.h").unlink()
        self.assertRegex(self.fails(lambda: checkout.install(self.sources, self.folder / "out")), "acme.h: cannot read")


@unittest.skipUnless(shutil.which("git"), "git is not installed")
class Repository(OfSources):
    def tree(self, release: int) -> Path:
        with mock.patch.dict(os.environ, {checkout.VARIABLE: str(self.sources)}):
            return releases.header_tree(release, self.folder / "cache")

    def test_a_release_that_debian_has_not_is_taken_from_its_tag(self) -> None:
        self.repository("v69.0", "v70.0", "v70.1", "v71.0-rc1")
        self.put("sources/libacme/acme.h", "not committed")
        self.assertEqual((self.tree(70) / "infiniband/acme.h").read_text(), SOURCES["libacme/acme.h"])
        self.assertEqual(checkout.tags(self.sources), {69: "v69.0", 70: "v70.0"})

    def test_a_release_without_a_tag_is_refused_and_leaves_nothing(self) -> None:
        self.repository("v69.0", "v70.0")
        self.assertIn("release 72 is not tagged there\n  the newest tag is 70", self.fails(lambda: self.tree(72)))
        self.assertFalse((self.folder / "cache/72").exists())

    def test_gits_own_words_are_shown(self) -> None:
        self.assertRegex(self.fails(lambda: self.tree(70)), "sources: git tag failed: .*not a git repository")

    def test_a_commit_is_read_and_not_what_lies_beside_it(self) -> None:
        self.repository()
        self.put("sources/libacme/acme.h", "not committed")
        for ref, text in (("HEAD", SOURCES["libacme/acme.h"]), ("", "not committed")):
            with self.subTest(ref=ref):
                out = self.folder / f"out{ref}"
                checkout.install_from(self.sources, ref, out)
                self.assertEqual((out / "usr/include/infiniband/acme.h").read_text(), text)


class VersionScripts(unittest.TestCase):
    def test_names_are_global_until_something_else_is_said(self) -> None:
        self.assertEqual(version_scripts.parse("V_1.0 { a; b; local: c; *; global: d; };"), [("a", "V_1.0"), ("b", "V_1.0"), ("d", "V_1.0")])

    def test_what_is_none_is_refused(self) -> None:
        for text in ("int main(void) { return 0; }", "V_1 { a;", "V_1 { a; }"):
            with self.subTest(text), self.assertRaisesRegex(GenError, "libx.map:1: not a version script"):
                version_scripts.parse(text, Path("libx.map"))
        with self.assertRaisesRegex(GenError, "libx.map:4: not a version script: V-2"):
            version_scripts.parse("/* a\n b */ V_1 { a; };\n# more\nV-2 { a; };", Path("libx.map"))

    def test_what_no_linker_takes_is_refused_with_its_line(self) -> None:
        for text, line, words in (("V_1 { a; };\n\nV_1 { b; };", 3, "V_1 stands here twice\n  put both into one: the first is in line 1"), ("V_1 { a; }; V_1 { b; };", 1, "V_1 stands here twice"),
                                  ("V_1 { a; } V_2;\nV_2 { b; } V_1;", 1, "V_1 is made of V_2, which is no version before it"), ("V_1 { a; }\nV_1;", 2, "V_1 is made of V_1"),
                                  ("V_1 { a; };\nV_2 { b; } V_1\n nope;", 3, "V_2 is made of nope"), ("V_1 {\n a;\n b-x$;\n};", 3, "b-x$: no name of a function"),
                                  ("V_1 { global:\n 1a; };", 2, "1a: no name"), ("V_1 { a; };\n/* for ever\nV_2 { b; };", 2, "a comment that does not end\n  close it"),
                                  ("V_1 {\n a; /* for ever\n};", 2, "a comment that does not end")):
            with self.subTest(text), self.assertRaises(GenError) as caught:
                version_scripts.parse(text, Path("libx.map"))
            self.assertIn(f"libx.map:{line}: not a version script: {words}", str(caught.exception))
        self.assertEqual(version_scripts.parse("V_1 { a; local: b-x; *; };\nV_2 { c; d*; e[12]; } V_1;\nV_3 { f; } V_1 V_2;"), [("a", "V_1"), ("c", "V_2"), ("f", "V_3")])


if __name__ == "__main__":
    unittest.main()
