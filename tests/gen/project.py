# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""What several tests of the generator need: small headers, a copy of the project, commands as a user runs them."""

from __future__ import annotations

import contextlib
import functools
import gc
import io
import os
import pickle
import pkgutil
import shutil
import subprocess
import sys
import tempfile
import unittest
from collections.abc import Callable, Iterator
from pathlib import Path
from unittest import mock

from gen import __main__ as command
from gen.api import merge
from gen.api.facts import Enum, Facts, Field, Group
from gen.api.merge import Api
from gen.errors import GenError
from gen.fast import aside, kept
from gen.know import lore
from gen.know.groups import HeaderGroup
from gen.know.lore import Lore
from gen.plan.documents.api import to_json
from gen.reach import headers, releases
from gen.scan.scan import Tree, scan
from gen.write import filled, pages
from tests.gen import lent, together

ROOT = Path(__file__).resolve().parents[2]
RELEASES = tuple(sorted(headers.committed_paths()))
NEWEST = RELEASES[-1]
NEXT = NEWEST + 1
ALL = os.environ.get("GEN_TESTS") == "all"  # rather than samples: tests gen.*_long

gc.disable()  # as in each run of the generator: what it would look for again and again are plans, which take less room than that takes time


def header_tree(release: int) -> Path:
    """The headers of a release: where headers.trees found them, else from the cache, the network or who has taken them in here; a test that can have
    none is skipped."""
    taken_in = ROOT / f"build/release/{release}/tree/usr/include"
    if found := _fetched(release):
        return found
    if release not in releases.RELEASES and taken_in.is_dir():
        return taken_in
    try:
        return releases.header_tree(release)
    except GenError as e:
        raise unittest.SkipTest(f"rdma-core {release} is neither cached nor to be had: {e}") from e


def _fetched(release: int) -> Path | None:
    """The headers of a release in the folder that the test headers.trees wrote down, if it ran."""
    trees = Path(os.environ.get("GEN_TREES", os.devnull))
    lines = trees.read_text(encoding="utf-8").splitlines() if trees.exists() else []
    folders = (Path(line.partition(" ")[2]) / "usr/include" for line in lines if line.partition(" ")[0] == str(release))
    return next(filter(Path.is_dir, folders), None)


def releases_cache() -> Path | None:
    """Where headers.trees keeps the releases, if it ran: what was fetched for it is not fetched again."""
    folders = {found.parents[2] for release in RELEASES if (found := _fetched(release)) and found.parents[1].name == str(release)}
    return folders.pop() if len(folders) == 1 else None


def with_next(release: int) -> list[Facts]:
    """The committed facts, and a next release that has what the newest has: all of them the caller's own."""
    facts, again = headers.committed(), headers.committed_of(NEWEST)
    assert again
    return [*facts, Facts(release, again.groups)]


@functools.cache
def values_of(enum: str) -> frozenset[int]:
    """Those that the newest release has in an enum."""
    facts = headers.committed_of(NEWEST)
    assert facts
    return frozenset(v.value for g in facts.groups.values() if enum in g.enums for v in g.enums[enum].values)


class InFolder(unittest.TestCase):
    """A test with an empty folder of its own."""

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def put(self, name: str, text: str) -> Path:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    def fails(self, action: Callable[[], object]) -> str:
        """What an action that must fail says."""
        with self.assertRaises(GenError) as caught:
            action()
        return str(caught.exception)


class OwnCache(InFolder):
    """A test that nothing is kept for from other runs of the generator."""

    def setUp(self) -> None:
        super().setUp()
        patched = mock.patch.dict(os.environ, {"XDG_CACHE_HOME": str(self.folder / "cache")})
        patched.start()
        self.addCleanup(patched.stop)
        kept.folder.cache_clear()
        self.addCleanup(kept.folder.cache_clear)


class OfHeaders(InFolder):
    """A test that scans a header of a few lines, as the group "acme"."""

    def scanned(self, text: str, wants: list[str] | None = None, **others: str) -> Group:
        """The facts of acme.h; `others` are headers beside it, which are of no group."""
        self.put("acme.h", text)
        for name, content in others.items():
            self.put(f"{name}.h", content)
        return self.scan_all([HeaderGroup("acme", ["acme.h"], "libacme.so.1", wants=wants or [], prefix="ibv_",
                                          kernel="ib_")]).groups["acme"]

    def scan_all(self, groups: list[HeaderGroup]) -> Facts:
        return scan(groups, Tree(self.folder), 44)

    def fields(self, text: str) -> dict[str, Field]:
        """The fields of struct s in a header."""
        return {f.name: f for f in self.scanned(text).structs["s"].fields}

    def values(self, enum: Enum) -> dict[str, int]:
        return {v.name: v.value for v in enum.values}


class OfLore(InFolder):
    """Lore about a header of a few lines."""

    header = ""
    scanned: dict[str, bytes] = {}

    def setUp(self) -> None:
        super().setUp()
        self.enterContext(mock.patch.object(kept, "folder", lambda: None))  # nobody reads such lore again

    def api(self) -> Api:
        """One that is the caller's own; the header is read once."""
        if self.header not in self.scanned:
            self.put("acme.h", self.header)
            group = HeaderGroup("acme", ["acme.h"], "libacme.so.1")
            self.scanned[self.header] = pickle.dumps(merge.merge([scan([group], Tree(self.folder), 44)], ["acme"]))
        made: Api = pickle.loads(self.scanned[self.header])
        return made

    def load(self, text: str, **others: str) -> Lore:
        for name, content in {"one": text, **others}.items():
            self.put(f"lore/{name}.toml", content)
        return lore.load(self.api(), self.folder / "lore")

    def refused_at(self, line: int, text: str, *words: str) -> None:
        """A line stops the generator, with these words."""
        said = self.fails(lambda: self.load(text))
        self.assertTrue(said.startswith(f"{self.folder}/lore/one.toml:{line}: "), said)
        for word in words:
            self.assertIn(word, said)


def gen(*arguments: str | Path) -> tuple[int, str, str]:
    """Run a command in this process: exit status, standard output, standard error.

    Alone, as where there is but one core: what another process would begin before it is known to be wanted costs time that other tests
    need. Those that run_gen() runs are as users run them.
    """
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err), mock.patch.object(aside, "_cores", lambda: 1):
        try:
            status = command.main([str(a) for a in arguments])
        except SystemExit as e:  # argparse
            status = int(e.code or 0)
    return status, out.getvalue(), err.getvalue()


def emit_lean(headers: Path, release: int, output: Path, *more: str | Path) -> str:
    """`gen emit` of headers of no committed release, less the pages, which take a third of the time; what it said. It must succeed."""
    unkept = pages.Pages()
    with (mock.patch.object(filled.Filled, "to_read", lambda self, _: {"api.json": to_json(self.plan)}),
          mock.patch.object(pages, "Pages", lambda *_: unkept)):
        status, _, said = gen("emit", "--headers", headers, "--release", str(release), "--output", output, *more)
    if status:
        raise AssertionError(f"exit status {status}:\n{said}")
    return said


def run_gen(root: Path, *arguments: str | Path, umask: int = 0o022, **environment: str) -> str:
    """Run a command of a copy of the project in a process of its own; what it said. It must succeed."""
    done = subprocess.run([sys.executable, "-m", "gen", *map(str, arguments)], cwd=root, umask=umask,
                          env={**os.environ, **environment}, capture_output=True, text=True)
    if done.returncode:
        raise AssertionError(f"exit status {done.returncode}:\n{done.stderr}")
    return done.stderr


def copy_project(folder: Path) -> Path:
    """The generator and what it reads, elsewhere."""
    folder.mkdir(parents=True)
    for part in ("docs", "gen", "templates", "runtime/include", "runtime/src"):
        shutil.copytree(ROOT / part, folder / part, ignore=shutil.ignore_patterns("__pycache__", "*.c"))
    lent.lend(folder)
    return folder


class OfProject(InFolder):
    """Tests of one copy of the project, which each of them finds as it was; what the generator keeps of it is so for all of them."""

    project: Path
    whole: dict[str, bytes]

    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        cls.project = copy_project(Path(cls.enterClassContext(tempfile.TemporaryDirectory())) / "project")
        cls.whole = contents(cls.project)

    def setUp(self) -> None:
        super().setUp()
        self.addCleanup(self._restore)

    def _restore(self) -> None:
        now = contents(self.project)
        for name in now.keys() - self.whole.keys():
            (self.project / name).unlink()
        for name, data in self.whole.items():
            if now.get(name) != data:
                (self.project / name).write_bytes(data)


def contents(folder: Path) -> dict[str, bytes]:
    """All files below a folder."""
    files = (p for p in sorted(folder.rglob("*")) if p.is_file())
    return {p.relative_to(folder).as_posix(): p.read_bytes() for p in files}


def differences(one: Path, two: Path) -> list[str]:
    """The files that two folders do not have alike."""
    a, b = contents(one), contents(two)
    return sorted(name for name in a.keys() | b.keys() if a.get(name) != b.get(name))


CONFIG = """\
#ifndef VX_RDMA_CORE
#define VX_RDMA_CORE {release}
#endif
#define VERBSX_VERSION "0"
#define VERBSX_LOADER 1
#define VERBSX_TRACING 1
#define VERBSX_CHECKS 0
"""


def compile_all(generated: Path, headers: list[Path], release: int, scratch: Path, alone: bool = ALL) -> str:
    """Compile all generated C against some headers; what the compiler complains of."""
    sources = sorted((generated / "src").glob("*.c"))
    return together.complaints(sources, scratch / "together", lambda these: compile_these(these, generated, headers, release, scratch), alone)


def compile_together(generated: Path, headers: list[Path], release: int, scratch: Path) -> str:
    """As compile_all(), which takes the time of both where this fails."""
    sources = sorted((generated / "src").glob("*.c"))
    return compile_these(together.written(sources, scratch / "together"), generated, headers, release, scratch)


def compile_these(sources: list[Path], generated: Path, headers: list[Path], release: int, scratch: Path) -> str:
    return _compile(["gcc", "-std=gnu11", *map(str, sources)], generated, headers, release, scratch)


def compile_public(generated: Path, headers: list[Path], release: int, scratch: Path) -> str:
    """Compile all public headers, generated and written, as C and as C++; what the compilers complain of."""
    text = "#include <verbsx/verbsx.h>\n"
    return "".join(_compile([compiler, f"-std={standard}", "-x", language, "-"], generated, headers, release, scratch, text)
                   for compiler, standard, language in (("gcc", "gnu11", "c"), ("g++", "c++17", "c++")))


def compile_text(text: str, generated: Path, headers: list[Path], release: int, scratch: Path) -> str:
    """Compile some C that includes what is generated; what the compiler complains of."""
    return _compile(["gcc", "-std=gnu11", "-x", "c", "-"], generated, headers, release, scratch, text)


def _compile(command: list[str], generated: Path, headers: list[Path], release: int, scratch: Path, text: str = "") -> str:
    config = scratch / "verbsx"
    config.mkdir(parents=True, exist_ok=True)
    (config / "config.h").write_text(CONFIG.format(release=release))
    include = [f"-I{p}" for p in (scratch, generated / "include", generated / "src", ROOT / "runtime/include",
                                  ROOT / "runtime/src")]
    done = subprocess.run([*command[:2], "-fsyntax-only", *together.QUICK, "-Wall", "-Wextra", "-Werror", *include,
                           *(f"-isystem{h}" for h in headers), *command[2:]], input=text, capture_output=True, text=True)
    return done.stderr


@contextlib.contextmanager
def failing(function: str, after: int, error: Exception) -> Iterator[None]:
    """Let a function of a module fail once, at its call number `after`."""
    real = pkgutil.resolve_name(function)
    calls = 0

    def stand_in(*args: object, **kwargs: object) -> object:
        nonlocal calls
        calls += 1
        if calls == after:
            raise error
        return real(*args, **kwargs)

    with mock.patch(function, stand_in):
        yield
