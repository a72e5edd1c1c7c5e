# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""Where things of the project lie."""

from __future__ import annotations

import os
from pathlib import Path

ROOT = Path(__file__).parent.parent
GEN = ROOT / "gen"
GENERATED = ROOT / "generated"
GROUPS = GEN / "groups.toml"
LORE = GEN / "lore"


def real(path: Path) -> Path:
    """Where a path leads; one that goes round in a loop, to itself, which Path.resolve() has no answer to."""
    return Path(os.path.realpath(path))
