# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""Where things of the project lie."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).parent.parent
GEN = ROOT / "gen"
GENERATED = ROOT / "generated"
GROUPS = GEN / "groups.toml"
LORE = GEN / "lore"
