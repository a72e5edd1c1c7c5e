# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""Whether generated/ compiles against the headers of releases: python3 -m tests.gen.compiles FOLDER NN=INCLUDE...

Sources as C, public headers as C and C++; FOLDER is for what that takes.
"""

from __future__ import annotations

import sys
from pathlib import Path

from tests.gen.project import ROOT, compile_all, compile_public


def complaints(generated: Path, include: Path, release: int, folder: Path) -> str:
    scratch = folder / str(release)
    return compile_all(generated, [include], release, scratch, alone=True) + compile_public(generated, [include], release, scratch)


def main(folder: str, *trees: str) -> int:
    failed = False
    for tree in trees:
        release, _, include = tree.partition("=")
        said = complaints(ROOT / "generated", Path(include), int(release), Path(folder))
        print(f"{release}: {said or 'compiles'}")
        failed = failed or bool(said)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
