# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""How long it takes to scan headers, to write everything, and to find that there is nothing to write."""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from tests.bench.figure import Beside, Figure
from tests.bench.run import Bench, Taken, in_turns

SECTION = "generator"
THREE = "#include <infiniband/verbs.h>\n#include <infiniband/mlx5dv.h>\n#include <rdma/rdma_cma.h>\n"


def commands(folder: Path) -> dict[str, list[str | Path]]:
    """What is measured. What the generator writes and keeps is there already, as it is for who regenerates."""
    header = folder / "three.h"
    header.write_text(THREE, encoding="utf-8")
    python = [sys.executable]
    emit = [*python, "-m", "gen", "emit", "--quiet", "--output"]
    one_gone = f"rm -f {folder}/emitted/src/ids.h; exec \"$@\""  # else there would be nothing to do
    found = {"scan": [*emit, folder / "scanned", "--installed"],
             "emit": ["sh", "-c", one_gone, "sh", *emit, folder / "emitted"],
             "nothing": [*emit, folder / "left"],
             "jinja2": [*python, "-c", "import jinja2"],
             "python": [*python, "-c", "pass"],
             "gcc": ["gcc", "-fsyntax-only", "-x", "c", header]}
    if shutil.which("bindgen"):
        found["bindgen"] = ["bindgen", header, "-o", folder / "three.rs"]
    return found


def rivals(taken: dict[str, Taken], clock: str) -> list[Beside]:
    """What else reads headers, on one of the clocks of Taken."""
    bindgen = getattr(taken["bindgen"], clock) if "bindgen" in taken else None
    return [Beside("bindgen, verbs.h mlx5dv.h rdma_cma.h", bindgen),
            Beside("gcc -fsyntax-only of them (the floor)", getattr(taken["gcc"], clock))]


def figures(bench: Bench) -> Iterator[Figure]:
    """From the installed headers, from the committed facts of all releases, and where all is as it should be."""
    with tempfile.TemporaryDirectory() as folder:
        taken = in_turns(commands(Path(folder)), bench.pace.repeats)
    scan = "scan installed headers, emit all"
    yield Figure(SECTION, scan, taken["scan"].elapsed, "s", "<= 0.4", rivals(taken, "elapsed"))
    yield Figure(SECTION, f"{scan}, processor time", taken["scan"].processor, "s", "",
                 rivals(taken, "processor"))
    yield Figure(SECTION, "emit all from committed facts", taken["emit"].elapsed, "s", "<= 0.35",
                 [Beside("python3 that imports jinja2 (the floor)", taken["jinja2"].elapsed)])
    yield Figure(SECTION, "emit where nothing changed", taken["nothing"].elapsed, "s", "<= 0.15",
                 [Beside("python3 that does nothing (the floor)", taken["python"].elapsed)])
