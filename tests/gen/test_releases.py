# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""Releases: which mirror is used, and what becomes of the packages. No network: apt-get here is a script."""

from __future__ import annotations

import contextlib
import io
import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path
from unittest import mock

from gen.errors import GenError
from gen.reach import releases
from tests.gen.project import ROOT

DEB822 = """\
# the machine's own
Types: deb
Enabled: no
URIs: http://disabled.example/debian
Suites: bookworm
Components: main

Types: deb
URIs: http://security.example/debian-security
Suites: bookworm-security
Components: main

Types: deb deb-src
# a comment inside
URIs:
 http://one.example/debian
 http://two.example/debian
Suites: bookworm bookworm-updates
Components: main contrib
Signed-By: /usr/share/keyrings/debian-archive-keyring.gpg
"""
ONE_LINE = """\
# deb http://comment.example/debian bookworm main
deb-src http://src.example/debian bookworm main
deb [arch=amd64 signed-by=/etc/vendor.gpg] http://vendor.example/apt bookworm main
deb [arch=amd64] http://one.example/debian bookworm main contrib # here
"""
# Packs what a download would give, and keeps its configuration for the test to look at.
APT_GET = """\
#!/bin/sh
echo "$@" >>"$FAKE/calls"
case "$*" in
*" update") cp "$3" "$FAKE/apt.conf"; cp "${3%/*}"/sources/* "$FAKE/sources" ;;
*) cp "$FAKE"/debs/* . || exit 100 ;;
esac
"""

# What programs need to run on a release, in the order in which it is asked for
RUNTIME = ["ibverbs-providers", "ibverbs-utils", "libibverbs1", "libc6", "libnl-3-200", "libnl-route-3-200"]


class Folder(unittest.TestCase):
    def setUp(self) -> None:
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.root = Path(temporary.name)

    def etc(self, **files: str) -> Path:
        etc = self.root / "etc"
        (etc / "sources.list.d").mkdir(parents=True, exist_ok=True)
        for name, text in files.items():
            (etc / "sources.list.d" / name.replace("_", ".")).write_text(text)
        return etc


class Mirror(Folder):
    def test_the_first_debian_stanza_gives_the_mirror(self) -> None:
        self.assertEqual(releases.debian_uris(self.etc(debian_sources=DEB822)),
                         "http://one.example/debian http://two.example/debian")

    def test_the_one_line_format_is_read_too(self) -> None:
        self.assertEqual(releases.debian_uris(self.etc(debian_list=ONE_LINE)), "http://one.example/debian")

    def test_sources_list_comes_before_its_folder(self) -> None:
        etc = self.etc(debian_sources=DEB822)
        (etc / "sources.list").write_text("deb http://first.example/debian/ sid main\n")
        self.assertEqual(releases.debian_uris(etc), "http://first.example/debian/")

    def test_without_a_debian_mirror_it_says_so(self) -> None:
        etc = self.etc(other_list="deb http://other.example/ubuntu noble main\n", readme_txt=ONE_LINE)
        with self.assertRaisesRegex(GenError, "no entry for Debian's archive"):
            releases.debian_uris(etc)


@unittest.skipUnless(shutil.which("dpkg-deb"), "dpkg-deb is not installed")
class Fetch(Folder):
    def setUp(self) -> None:
        super().setUp()
        self.cache = self.root / "cache"
        for folder in ("bin", "debs"):
            (self.root / folder).mkdir()
        self.script(APT_GET)
        keyring = self.root / "keyring.gpg"
        keyring.touch()
        etc = self.etc(debian_sources=DEB822)
        environ = {"PATH": f"{self.root / 'bin'}:{os.environ['PATH']}", "FAKE": str(self.root)}
        for patch in (mock.patch.dict(os.environ, environ), mock.patch.object(releases, "KEYRING", keyring),
                      mock.patch.object(releases, "ETC", etc)):
            patch.start()
            self.addCleanup(patch.stop)

    def script(self, text: str) -> None:
        apt_get = self.root / "bin/apt-get"
        apt_get.write_text(text)
        apt_get.chmod(0o755)

    def package(self, name: str, version: str, files: dict[str, str], symbols: str = "") -> None:
        tree = self.root / "build" / name
        (tree / "DEBIAN").mkdir(parents=True)
        (tree / "DEBIAN/control").write_text(
            f"Package: {name}\nVersion: {version}\nArchitecture: all\n"
            "Maintainer: a <a@example>\nDescription: a\n")
        if symbols:
            (tree / "DEBIAN/symbols").write_text(symbols)
        for path, text in files.items():
            (tree / path).parent.mkdir(parents=True, exist_ok=True)
            (tree / path).write_text(text)
        subprocess.run(["dpkg-deb", "--root-owner-group", "-b", str(tree),
                        str(self.root / f"debs/{name}_{version}_all.deb")], check=True, capture_output=True)

    def packages(self, version: str) -> None:
        self.package("libibverbs-dev", version, {"usr/include/infiniband/verbs.h": "/* verbs */\n"})
        for package, library in (("libibverbs1", "libibverbs.so.1"), ("librdmacm1t64", "librdmacm.so.1")):
            self.package(package, version, {f"usr/lib/any/{library}": "elf"}, f"{library} a #MINVER#\n")

    def runtime_packages(self, version: str) -> None:
        """Of these, only the first three are rdma-core's, so that the others have versions of their own."""
        for i, name in enumerate(RUNTIME):
            self.package(name, version if i < 3 else "2.41-1", {f"usr/lib/{name}": "elf"})

    def calls(self) -> list[str]:
        path = self.root / "calls"
        return path.read_text().splitlines() if path.exists() else []

    def test_headers_libraries_and_symbols_are_where_they_are_looked_for(self) -> None:
        self.packages("65.0-1.1")
        header = releases.header_tree(65, self.cache) / "infiniband/verbs.h"
        self.assertEqual(header.read_text(), "/* verbs */\n")
        self.assertEqual(releases.library_dir(65, self.cache), self.cache / "65/usr/lib/any")
        names = [path.name for path in releases.symbols(65, self.cache)]
        self.assertEqual(names, ["libibverbs1", "librdmacm1"])

    def test_the_machines_mirror_is_used_with_the_suite_wanted(self) -> None:
        self.packages("65.0-1.1")
        releases.tree(65, self.cache)
        source = (self.root / "sources").read_text().splitlines()
        self.assertIn("URIs: http://one.example/debian http://two.example/debian", source)
        self.assertIn("Suites: sid", source)
        self.assertIn("librdmacm1t64", self.calls()[1].split())

    @unittest.skipUnless(os.path.exists("/usr/bin/apt-config"), "apt is not installed")
    def test_apt_sees_nothing_of_the_machine_but_its_mirror(self) -> None:
        self.packages("65.0-1.1")
        releases.tree(65, self.cache)
        seen = subprocess.run(["apt-config", "-c", str(self.root / "apt.conf"), "dump"], check=True,
                              capture_output=True, text=True).stdout
        for name in ("State", "State::lists", "State::status", "Cache", "Etc::sourceparts"):
            self.assertRegex(seen, rf'(?m)^Dir::{name} "{self.cache}/')
        self.assertNotRegex(seen, r'(?m)^APT::Update::(Pre|Post)-Invoke\S* "[^"]')

    def test_a_second_call_does_nothing(self) -> None:
        self.packages("65.0-1.1")
        releases.tree(65, self.cache)
        before = self.calls()
        releases.tree(65, self.cache)
        self.assertEqual(self.calls(), before)

    def test_a_suite_that_has_moved_on_is_an_error_and_leaves_nothing(self) -> None:
        self.packages("66.1-1")
        says = r"sid now has rdma-core 66\.1-1, not release 65\n.*stay as they are"
        with self.assertRaisesRegex(GenError, says):
            releases.tree(65, self.cache)
        self.assertEqual(list(self.cache.iterdir()), [])

    def test_release_6_is_not_release_65(self) -> None:
        self.packages("650.0-1")
        with self.assertRaises(GenError):
            releases.tree(65, self.cache)

    def test_apts_own_words_are_shown_when_it_fails(self) -> None:
        self.script("#!/bin/sh\necho 'E: no such suite' >&2\nexit 100\n")
        with self.assertRaisesRegex(GenError, "^apt-get update failed:\nE: no such suite"):
            releases.tree(65, self.cache)

    def test_a_release_that_debian_has_not_is_refused(self) -> None:
        with self.assertRaisesRegex(GenError, "release 50 .*33, 44, 56, 65"):
            releases.tree(50, self.cache)
        self.assertEqual(self.calls(), [])

    def test_the_command_prints_a_line_for_each_release(self) -> None:
        self.packages("65.0-1.1")
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            status = releases.main(["65", "--cache", str(self.cache)])
        self.assertEqual((status, out.getvalue()), (0, f"65 {self.cache / '65'}\n"))

    def test_what_programs_need_to_run_is_a_folder_of_its_own(self) -> None:
        self.runtime_packages("65.0-1.1")
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            status = releases.main(["65", "--cache", str(self.cache), "--runtime"])
        folder = self.cache / "65-runtime"
        self.assertEqual((status, out.getvalue()), (0, f"65 {folder}\n"))
        self.assertEqual([path.name for path in sorted((folder / "usr/lib").iterdir())], sorted(RUNTIME))
        self.assertEqual(self.calls()[1].split()[-len(RUNTIME):], RUNTIME)
        self.assertFalse((self.cache / "65").exists())

    def test_what_runs_is_refused_too_when_the_suite_has_moved_on(self) -> None:
        self.runtime_packages("66.0-1")
        with self.assertRaisesRegex(GenError, r"sid now has rdma-core 66\.0-1"):
            releases.runtime(65, self.cache)
        self.assertEqual(list(self.cache.iterdir()), [])

    def test_the_command_ends_with_2_on_an_error(self) -> None:
        err = io.StringIO()
        with contextlib.redirect_stderr(err):
            self.assertEqual(releases.main(["7", "--cache", str(self.cache)]), 2)
        self.assertIn("release 7", err.getvalue())


class Cache(unittest.TestCase):
    def test_it_follows_xdg(self) -> None:
        with mock.patch.dict(os.environ, {"XDG_CACHE_HOME": "/x"}):
            self.assertEqual(releases.default_cache(), Path("/x/verbsx/releases"))


# ./dev release with steps that only say what they are; those that FAIL names fail.
STEPS = """\
source ./dev help >help
source gen/release.sh
need() { :; }
copy_project() { mkdir -p "$1"; }
take_over() { echo "taken over" >&2; }
python() {
	echo "$*" | cut -d' ' -f2,3 >>"$OLDPWD/ran"
	case $* in
	*gen.reach.trees*) mkdir -p build/release/66/tree ;;
	*gen.by_hand*) echo 'README.md:7: the newest is 66' ;;
	*'gen report'*) printf '%s\\n' 'a.h:1: acme: a guess' '    gen/lore/a.toml: [says] acme = "?"' "${GROUP:-}" '1 to decide, 0 noted' ;;
	esac
	for step in $FAIL; do
		[[ $2.$3 != *"$step"* ]] || { echo "a.h:7: error: $step will not" >&2 && return 1; }
	done
}
OLDPWD=$PWD
cmd_release ${ARGUMENTS:-66 --tree .}
"""


class Steps(Folder):
    """A step of ./dev release that fails: what can be told nevertheless is."""

    def release(self, fail: str, **said: str) -> tuple[int, str, list[str]]:
        for name in ("dev", "gen/release.sh"):
            (self.root / name).parent.mkdir(exist_ok=True)
            shutil.copy2(ROOT / name, self.root / name)
        (self.root / "gen/facts").mkdir(exist_ok=True)
        for release in (33, 65):
            (self.root / f"gen/facts/rdma-core-{release}.json").touch()
        (self.root / "ran").touch()
        done = subprocess.run(["bash", "-c", STEPS], cwd=self.root, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              env={**os.environ, "FAIL": fail, "VERBSX_RDMA_CORE_REPOSITORY": "", **said})
        return done.returncode, done.stdout, [line for line in (self.root / "ran").read_text().splitlines() if "gen.reach.releases" not in line]

    def test_all_that_succeed_are_taken_over(self) -> None:
        status, said, _ = self.release("")
        self.assertEqual(status, 0, said)
        self.assertIn("taken over", said)
        self.assertIn("a.h:1: acme: a guess", said)
        self.assertRegex(said, r"By hand, as a test asks: .*\nREADME\.md:7: the newest is 66\n.*: gen\.called and gen\.tortured that .*, gen\.words what new fields are\n")

    def test_of_headers_without_a_group_it_says_what_reads_them(self) -> None:
        """./dev report lists of a release that was taken in what its facts know."""
        again = "once gen/groups.toml has their lines, ./dev release 66 as now reads them"
        self.assertNotIn(again, self.release("")[1])
        self.assertRegex(self.release("", GROUP="    gen/groups.toml: [group] acme = { }")[1], rf"(?s)\[group\] acme = .*Headers of no group are listed here alone.*{again}")

    def test_of_what_no_library_exports_it_says_what_tells(self) -> None:
        tells = "if one does export it, ./dev release 66 needs that told, by --symbols FILE"
        self.assertNotIn(tells, self.release("")[1])
        self.assertIn(tells, self.release("", GROUP="a.h:7: acme_go: no library exports it, so nothing stands for it")[1])

    def test_arguments_that_cannot_be_are_refused_as_such(self) -> None:
        for arguments, words in (("20", "release 20 is older than all that facts are kept of"), ("66 --tree gen/release.sh", "--tree needs a folder, and gen/release.sh is a file"),
                                 ("66 --tree gone", "--tree needs a folder that there is"), ("--tree .", "release needs a number"), ("66 67", "release takes one number, and not 67 as well"), ("--tree gone 66", "--tree needs a folder that there is"), ("066", "release needs a number, such as 66"), ("1066", "release needs a number, such as 66"),
                                 ("66 --symbols gen", "--symbols needs a file, and gen is none"), ("66 --symbols gone", "--symbols needs a file that there is")):
            status, said, ran = self.release("", ARGUMENTS=arguments)
            self.assertEqual((status, ran), (2, []), said)
            self.assertIn(words, said)

    def test_each_that_fails_is_told_at_the_end_beside_what_is_to_be_decided(self) -> None:
        status, said, ran = self.release("gen.diff tests.gen.compiles")
        self.assertEqual(status, 1)
        self.assertNotIn("taken over", said)
        self.assertEqual(ran[-1], "tests.oracle 66")
        self.assertRegex(said, r"(?s)To be decided.*a\.h:1: acme: a guess.*2 steps failed, so nothing is changed here.*"
                               r"What is new since 65: a\.h:7: error: gen\.diff will not\n +.*/diff\.log\n +Compiling, as C and as C\+\+: .*/compile\.log\n")

    def test_what_lists_again_what_is_to_be_decided_reads_what_is_committed_or_else_the_headers(self) -> None:
        again = "then {}; ./dev report{} lists it again, with --lore"
        self.assertIn(again.format("./dev regen", ""), self.release("")[1])
        (self.root / "my.map").touch()
        said = self.release("gen.diff", ARGUMENTS="66 --tree . --symbols my.map")[1]
        self.assertIn(again.format("./dev release 66 as now", f" --headers build/release/66/tree/usr/include --release 66 --symbols {self.root}/my.map"), said)

    def test_what_needs_a_step_that_failed_is_not_tried(self) -> None:
        status, said, ran = self.release("gen.emit gen.report")
        self.assertEqual((status, ran[-1]), (1, "gen report"))
        self.assertNotIn("To be decided", said)
        self.assertRegex(said, r"(?s)2 steps failed, so nothing is changed here.*Generating: a\.h:7: error: gen\.emit will not\n.*Not tried, as they need it: Compiling, The tables against DWARF")
        self.assertIn("a.h:1: acme: a guess\n", self.release("gen.emit")[1])

    def test_files_are_those_of_who_calls(self) -> None:
        (self.root / "here/gen").mkdir(parents=True)
        (self.root / "here/gen/__main__.py").write_text("raise SystemExit(99)\n")  # modules are not
        (self.root / "here/my.json").write_bytes((ROOT / "gen/facts/rdma-core-65.json").read_bytes())
        call = f"source {ROOT}/dev help >help; need() {{ :; }}; "
        done = subprocess.run(["bash", "-c", call + "cmd_diff 65 my.json"], cwd=self.root / "here", capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stdout.partition(":")[0]), (0, "rdma-core 65 -> 65"), done.stderr)
        done = subprocess.run(["bash", "-c", f"cd here; source ../dev help >help; source gen/release.sh; need() {{ :; }}; cmd_release 66 --tree my.json"],
                              cwd=self.root, capture_output=True, text=True) if self.release("")[0] == 0 else done
        self.assertIn("--tree needs a folder, and my.json is a file", done.stderr)

    def test_without_facts_there_is_nothing_to_go_on_with(self) -> None:
        status, said, ran = self.release("gen.scan")
        self.assertEqual((status, ran[-1]), (1, "gen scan"))
        self.assertIn("a.h:7: error: gen.scan will not", said)


if __name__ == "__main__":
    unittest.main()
