# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""How long it takes to scan headers and write everything."""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from tests.bench.figure import Beside, Figure
from tests.bench.run import Bench, quiet, seconds

SECTION = "generator"
THREE = "#include <infiniband/verbs.h>\n#include <infiniband/mlx5dv.h>\n#include <rdma/rdma_cma.h>\n"


def emit_seconds(bench: Bench, folder: Path, *options: str) -> float:
    """One run of the generator; what it writes is there already, as it is for who regenerates."""
    command = [sys.executable, "-m", "gen", "emit", "--quiet", "--output", folder, *options]
    return seconds(lambda: quiet(command), bench.pace.repeats)


def bindgen_seconds(bench: Bench, header: Path) -> float | None:
    """One run of bindgen; None where it is not installed."""
    if not shutil.which("bindgen"):
        return None
    return seconds(lambda: quiet(["bindgen", header, "-o", header.with_suffix(".rs")]), bench.pace.repeats)


def figures(bench: Bench) -> Iterator[Figure]:
    """From the installed headers, and from the committed facts of all releases."""
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        header = folder / "three.h"
        header.write_text(THREE, encoding="utf-8")
        parsed = seconds(lambda: quiet(["gcc", "-fsyntax-only", "-x", "c", header]), bench.pace.repeats)
        yield Figure(SECTION, "scan installed headers, emit all", emit_seconds(bench, folder / "a", "--installed"),
                     "s", "<= 0.4", [
                         Beside("bindgen, verbs.h mlx5dv.h rdma_cma.h", bindgen_seconds(bench, header)),
                         Beside("gcc -fsyntax-only of them (the floor)", parsed)])
        yield Figure(SECTION, "emit all from committed facts", emit_seconds(bench, folder / "b"), "s")
