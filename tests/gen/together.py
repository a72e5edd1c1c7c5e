# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""Generated sources compiled as a few, each of which reads the headers once: that takes two fifths of the time.

A source that lacks a header is not found like this: those of the committed tree are compiled one by one wherever the library is built, and
by oracle.every_release; those of other trees by gen.trees_long and gen.groups_long.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

# Those that have a pool, a macro or an enum of the same name are apart; what is of no set is the first of all.
APART = ({"describe", "kinds", "more_structs", "structs"}, {"enums", "rare"}, {"limits", "mlx5_prm"}, {"mad_fields"}, {"meanings", "signatures"})
QUICK = ("-ftrack-macro-expansion=0",)  # a tenth of the time, which is for messages alone


def written(sources: list[Path], folder: Path) -> list[Path]:
    """Files that include all of these between them."""
    folder.mkdir(parents=True, exist_ok=True)
    apart = set().union(*APART)
    found = []
    for n, names in enumerate(({s.stem for s in sources} - apart, *APART)):
        chosen = [s for s in sources if s.stem in names]
        if chosen:
            found.append(folder / f"{n}.c")
            found[-1].write_text("".join(f'#include "{s.absolute()}"\n' for s in chosen), encoding="utf-8")
    return found


def complaints(sources: list[Path], folder: Path, compile: Callable[[list[Path]], str], alone: bool = False) -> str:
    """What a compiler complains of; where it does, of each source by itself, as that is what counts."""
    return compile(sources) if alone or compile(written(sources, folder)) else ""
