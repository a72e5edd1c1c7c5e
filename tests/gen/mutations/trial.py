# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""One trial: a changed tree of headers goes the way that a new release goes, and that a vendor's tree goes.

The tree alone: scanned and emitted as a build with -DVERBSX_REGENERATE=ON does it. As a release: its facts beside the
committed ones, all of generated/ from them, compiled against the changed headers, the newest and the oldest release.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from gen.api import facts as facts_module
from gen.reach import headers
from tests.gen import together
from tests.gen.project import CONFIG, NEWEST, NEXT, RELEASES, ROOT, copy_project, header_tree

from .classes import apply
from .tree import Expected, Tree, exporting, symbols

ANYTHING_ELSE = "~ ..."
FAILED = 3  # bits of the exit status of `gen diff`; the others say what differs
STRICT = ("-Wall", "-Wextra", "-Werror")


@dataclass
class Trial:
    """Changes, and what did not hold of them."""

    sentences: list[str]
    seed: int
    folder: Path
    all_sources: bool = True  # compiled against the newest release, too, else those that tell the next from it
    failures: list[str] = field(default_factory=list)

    def run(self) -> list[str]:
        tree = Tree(self.folder / "headers")
        try:
            expected = apply(tree, self.sentences, Random(self.seed))
        except LookupError as e:
            return [f"the change itself: {e}"]
        if not self._is_c(tree):
            return self.failures
        project = copy_project(self.folder / "project")
        facts = project / "gen/facts" / f"rdma-core-{NEXT}.json"
        libraries = [*symbols(), *exporting(tree, self.folder)] if tree.exported or self.seed % 2 else []
        scanned = self._gen(project, "scan", "--headers", tree.root, "--release", NEXT, *libraries, "--output", facts)
        if not self._went(scanned, "scan", Expected()):
            return self.failures
        self._check_diff(project, facts, expected)
        self._as_release(project, tree, expected)
        facts.unlink()
        self._alone(project, tree, expected)
        return self.failures

    def _fail(self, where: str, text: str) -> None:
        self.failures.append(f"{where}: {text.strip()}")

    def _is_c(self, tree: Tree) -> bool:
        """A change that is no C and C++ by itself says nothing about the generator."""
        for language, standard in (("c", "gnu11"), ("c++", "gnu++17")):
            said = _compile(language, standard, [], '#include <infiniband/verbs.h>\n#include <rdma/rdma_cma.h>\n'
                            '#include <infiniband/mlx5dv.h>\n', [tree.root], strict=False)
            if said:
                self._fail(f"the change itself, as {language}", said)
        return not self.failures

    def _gen(self, project: Path, *arguments: object) -> subprocess.CompletedProcess[str]:
        return subprocess.run([sys.executable, "-m", "gen", *map(str, arguments)], cwd=project, capture_output=True,
                              text=True)

    def _went(self, done: subprocess.CompletedProcess[str], where: str, expected: Expected) -> bool:
        """Whether a command succeeded as it was to, or was refused as it was to be."""
        if "Traceback" in done.stderr:
            self._fail(where, done.stderr[-1500:])
        elif expected.refused:
            if done.returncode != 2 or not re.search(expected.refused, done.stderr):
                self._fail(where, f"not refused as /{expected.refused}/: {done.stderr[-400:]}")
        elif done.returncode:
            self._fail(where, done.stderr[-1000:])
        return done.returncode == 0 and not expected.refused

    def _check_diff(self, project: Path, facts: Path, expected: Expected) -> None:
        done = self._gen(project, "diff", NEWEST, facts, "--format", "json")
        if "Traceback" in done.stderr or done.returncode & FAILED:
            self._fail("diff", done.stderr[-1000:])
            return
        signs = {"added": "+", "removed": "-", "changed": "~"}
        found = {f"{signs[c['change']]} {c['kind']} {c['name']}" for c in json.loads(done.stdout)["changes"]}
        wanted = set(expected.changes) - {ANYTHING_ELSE} - _made_up_for(expected, facts)
        if missing := wanted - found:
            self._fail("diff", f"does not tell {sorted(missing)}, but {sorted(found - wanted)[:5]}")
        elif ANYTHING_ELSE not in expected.changes and (more := found - wanted):
            self._fail("diff", f"tells what did not change: {sorted(more)[:5]}")

    def _as_release(self, project: Path, tree: Tree, expected: Expected) -> None:
        out = self.folder / "release"
        done = self._gen(project, "emit", "--output", out)
        if not self._went(done, "emit as a release", expected):
            return
        self._check_names(out, expected.names, [], "emit as a release")
        sources = sorted((out / "src").glob("*.c"))
        new = sources if self.all_sources else [s for s in sources if f"VX_RDMA_CORE >= {NEXT}" in s.read_text(encoding="utf-8")]
        if not new:
            self._fail("emit as a release", f"no source has anything of release {NEXT} only")
        self._compile_all(out, header_tree(NEWEST), NEWEST, "as a release", new)
        self._compile_all(out, header_tree(RELEASES[0]), RELEASES[0], "as a release", sources)
        self._compile_all(out, tree.root, NEXT, "as a release", sources)

    def _alone(self, project: Path, tree: Tree, expected: Expected) -> None:
        out = self.folder / "alone"
        done = self._gen(project, "emit", "--headers", tree.root, "--release", NEXT, *symbols(), *self._exported(tree), "--output", out)
        by_lore = expected.refused.startswith("lore/")  # rather than by what is promised, which a tree alone does not change
        if not self._went(done, "emit alone", expected if by_lore else Expected()):
            return
        self._check_names(out, expected.names, expected.gone, "emit alone")
        for pattern in expected.told:
            if not re.search(pattern, done.stderr):
                self._fail("report", f"/{pattern}/ is not in: {done.stderr[-600:]}")
        self._compile_all(out, tree.root, NEXT, "alone", sorted((out / "src").glob("*.c")))

    def _exported(self, tree: Tree) -> list[str | Path]:
        """In every other trial libraries are known to export what changes brought."""
        return exporting(tree, self.folder) if self.seed % 2 else []

    def _check_names(self, out: Path, names: list[str], gone: list[str], where: str) -> None:
        words = set(re.findall(r'"(\w+)"', (out / "api.json").read_text(encoding="utf-8")))
        words |= set(re.findall(r"^\t+(vx_\w+);", (out / "src/libverbsx.map").read_text(encoding="utf-8"), re.M))
        if missing := [name for name in names if name not in words]:
            self._fail(where, f"api.json and libverbsx.map lack {missing[:5]}")
        if left := [name for name in gone if name in words]:
            self._fail(where, f"api.json still has {left[:5]}")

    def _compile_all(self, out: Path, headers: Path, release: int, where: str, sources: list[Path]) -> None:
        """Sources as C, all public headers as C11 and C++17."""
        config = self.folder / f"config-{release}"
        (config / "verbsx").mkdir(parents=True, exist_ok=True)
        (config / "verbsx/config.h").write_text(CONFIG.format(release=release))
        public = [config, out / "include", ROOT / "runtime/include"]
        private = [*public, out / "src", ROOT / "runtime/src"]
        said = {"c": together.complaints(sources, config / "together", lambda these: _compile("c", "gnu11", private, None, [headers], sources=these))}
        for language, standard in (("c", "c11"), ("c++", "c++17")):
            said[f"{language} of programs"] = _compile(language, standard, public, '#include <verbsx/verbsx.h>\n', [headers])
        for language, text in said.items():
            if text:
                self._fail(f"{where}, {language} against {release}", text)


def _made_up_for(expected: Expected, facts: Path) -> set[str]:
    """That a structure changed, of those that lost a field and got one, and have the size that they had."""
    now = {tag: s.size for group in facts_module.load(facts).groups.values() for tag, s in group.structs.items()}
    before = headers.committed_of(NEWEST)
    assert before
    lost = {change.removeprefix("- field ").partition(".")[0] for change in expected.changes if change.startswith("- field ")}
    return {f"~ struct {tag}" for group in before.groups.values() for tag, s in group.structs.items() if tag in lost and now.get(tag) == s.size}


def _compile(language: str, standard: str, include: list[Path], text: str | None, headers: list[Path],
             strict: bool = True, sources: list[Path] | None = None) -> str:
    """What the compiler complains of: of a text, or without one of sources."""
    command = ["gcc" if language == "c" else "g++", f"-std={standard}", "-fsyntax-only", *together.QUICK, *(STRICT if strict else ()),
               *(f"-I{p}" for p in include), *(f"-isystem{h}" for h in headers)]
    command += ["-x", language, "-"] if text is not None else list(map(str, sources or []))
    done = subprocess.run(command, input=text, capture_output=True, text=True)
    errors = [line for line in done.stderr.splitlines() if "error" in line]
    return "\n".join(errors[:6]) if done.returncode else ""
