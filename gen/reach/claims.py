# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""Which release a tree of headers says that it is of: what it is told to be is believed, and told where the tree says otherwise."""

from __future__ import annotations

import re
from pathlib import Path

from ..paths import real
from .headers import RELEASE

# Of rdma-core's sources, in which headers may lie one or two folders down, as in build/include.
FILES = {
    "CMakeLists.txt": re.compile(r'^\s*set\(PACKAGE_VERSION "(\d+)\.', re.M),
    "debian/changelog": re.compile(r"\Ardma-core \((\d+)\."),
    "redhat/rdma-core.spec": re.compile(r"^Version:\s*(\d+)\.", re.M),
}
BESIDE = ("lib*/pkgconfig/libibverbs.pc", "lib*/*/pkgconfig/libibverbs.pc")  # of what is installed


def against(root: Path | None, release: int | None) -> str:
    """What a tree has to say against a release; "" where nothing."""
    if root is None or release is None:
        return ""
    said, where = _said(root)
    return f"is taken for release {release}, and {where} says {said}" if said not in (0, release) else ""


def _said(root: Path) -> tuple[int, str]:
    """The release, and who says so; 0 for none."""
    for folder in (real(root), *real(root).parents[:2]):
        for name, pattern in FILES.items():
            text = (folder / name).read_text(encoding="utf-8", errors="replace") if (folder / name).is_file() else ""
            if match := pattern.search(text):
                return int(match[1]), str(folder / name)
    for path in (p for place in BESIDE for p in root.parent.glob(place)):
        if match := RELEASE.search(path.read_text(encoding="utf-8", errors="replace")):
            return int(match[1]), str(path)
    return 0, ""
