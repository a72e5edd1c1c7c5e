# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""How long it takes to scan headers, to write everything, and to find that there is nothing to write."""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from gen.fast import kept
from gen.reach.headers import release_of
from gen.scan import cursors
from tests.bench.figure import Beside, Figure
from tests.bench.run import Bench, Taken, in_turns

ROOT = Path(__file__).resolve().parents[2]
SECTION = "generator"
BINDGEN = "bindgen"
THREE = "#include <infiniband/verbs.h>\n#include <infiniband/mlx5dv.h>\n#include <rdma/rdma_cma.h>\n"


# Runs a command with a tree of headers that has one enumerator more than any had before: $1 is the tree.
NEVER_SEEN = """\
cp "$1/verbs.h.before" "$1/infiniband/verbs.h"
cat >> "$1/infiniband/verbs.h" << END
#ifndef NEVER_SEEN
#define NEVER_SEEN
enum ibv_never_seen { IBV_NEVER_SEEN_$$ };
#endif
END
shift
exec "$@"
"""


def own_tree(folder: Path) -> Path:
    """A copy of the installed headers."""
    tree = folder / "include"
    for part in ("infiniband", "rdma"):
        shutil.copytree(Path("/usr/include", part), tree / part)
    shutil.copy(tree / "infiniband/verbs.h", tree / "verbs.h.before")
    return tree


def own_templates(folder: Path) -> Path:
    """A project with templates of its own, that may be changed."""
    project = folder / "project"
    project.mkdir()
    for part in ("gen", "docs", "runtime"):
        (project / part).symlink_to(ROOT / part)
    shutil.copytree(ROOT / "templates", project / "templates")
    return project


def commands(folder: Path) -> dict[str, list[str | Path]]:
    """What is measured. What the generator writes and keeps is there already, as it is for who regenerates."""
    header, tree = folder / "three.h", own_tree(folder)
    header.write_text(THREE, encoding="utf-8")
    python = [sys.executable]
    emit = [*python, "-m", "gen", "emit", "--quiet", "--output"]
    project = own_templates(folder)
    changed = f"cd '{project}'; echo '{{# $$ #}}' >> templates/src/objects.c.j2; exec \"$@\""
    one_gone = f"rm -f {folder}/emitted/src/ids.h; exec \"$@\""  # else there would be nothing to do
    found = {"scan": [*emit, folder / "scanned", "--installed"],
             "code": [*emit, folder / "compiled", "--code", "--installed"],
             "never seen": ["sh", "-c", NEVER_SEEN, "sh", tree, *emit, folder / "seen", "--headers", tree,
                            "--release", str(release_of(None))],
             "emit": ["sh", "-c", changed, "sh", *emit, folder / "emitted again"],
             "rendered": ["sh", "-c", f"rm -f '{kept.folder()}'/pages-whole-*; {one_gone}", "sh", *emit, folder / "emitted"],
             "planned": ["sh", "-c", f"rm -f '{kept.folder()}/plan-whole' '{kept.folder()}'/pages-whole-*; {one_gone}", "sh", *emit, folder / "emitted"],
             "nothing": [*emit, folder / "left"],
             "jinja2": [*python, "-c", "import jinja2"],
             "python": [*python, "-c", "pass"],
             "gcc": ["gcc", "-fsyntax-only", "-x", "c", header]}
    if shutil.which(BINDGEN):  # reads by the libclang that we read by, too: of several it takes the newest, which may be too new for it
        ours = f"LIBCLANG_PATH=/usr/lib/llvm-{cursors.version().partition('.')[0]}/lib"
        found[BINDGEN] = ["env", ours, BINDGEN, header, "-o", folder / "three.rs"]
    return found


def rivals(taken: dict[str, Taken], clock: str) -> list[Beside]:
    """What else reads headers, on one of the clocks of Taken."""
    bindgen = getattr(taken[BINDGEN], clock) if BINDGEN in taken else None
    return [Beside(f"{BINDGEN}, verbs.h mlx5dv.h rdma_cma.h", bindgen),
            Beside("gcc -fsyntax-only of them (the floor)", getattr(taken["gcc"], clock))]


def figures(bench: Bench) -> Iterator[Figure]:
    """From the installed headers, from the committed facts of all releases, and where all is as it should be.

    Of installed headers most say what the facts say that are committed of their release, and a part of the work is then done while
    they are read; those that were never seen have nothing of the kind.
    """
    with tempfile.TemporaryDirectory() as folder:
        taken = in_turns(commands(Path(folder)), bench.pace.repeats)
    scan = "scan installed headers, emit all"
    yield Figure(SECTION, scan, taken["scan"].elapsed, "s", "<= 0.25", rivals(taken, "elapsed"))
    if BINDGEN in taken:
        yield Figure(SECTION, f"{scan}, times faster than {BINDGEN}", taken[BINDGEN].elapsed / taken["scan"].elapsed, "x", ">= 2.5")
    yield Figure(SECTION, f"{scan}, processor time", taken["scan"].processor, "s", "",
                 rivals(taken, "processor"))
    yield Figure(SECTION, "scan installed headers, emit what is compiled", taken["code"].elapsed, "s", "", rivals(taken, "elapsed"))
    yield Figure(SECTION, "scan headers never seen, emit all", taken["never seen"].elapsed, "s", "", rivals(taken, "elapsed"))
    yield Figure(SECTION, "emit all from committed facts, as after a change of a template", taken["emit"].elapsed, "s", "<= 0.35",
                 [Beside("python3 that imports jinja2 (the floor)", taken["jinja2"].elapsed)])
    yield Figure(SECTION, "render and emit all from committed facts, as after a change of a template that all use", taken["rendered"].elapsed, "s")
    yield Figure(SECTION, "plan and emit all from committed facts, as after a change of lore", taken["planned"].elapsed, "s")
    yield Figure(SECTION, "emit where nothing changed", taken["nothing"].elapsed, "s", "<= 0.1",
                 [Beside("python3 that does nothing (the floor)", taken["python"].elapsed)])
