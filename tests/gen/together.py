# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""Generated sources compiled as a few, each of which reads the headers once: that takes a fifth of the time.

A source that lacks a header is not found like this: those of the committed tree are compiled one by one wherever the library is built, and
by oracle.every_release; those of other trees by gen.trees_long and gen.groups_long.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

APART = ({"describe"}, {"signatures"})  # each has the enum of calls, which the loader has as well; what is of no set is the first of all
BEFORE = ("enums", "mad_fields", "meanings", "mlx5_prm", "path_rows")  # have names that are macros of what others include, or macros as those have
OWN = ("pool", "texts")  # structures that several have, each its own
MACRO = re.compile(r"^#\s*define (\w+)", re.M)
QUICK = ("-ftrack-macro-expansion=0",)  # a tenth of the time, which is for messages alone


def _order(source: Path) -> tuple[int, str]:
    return BEFORE.index(source.stem) if source.stem in BEFORE else len(BEFORE), source.stem


def _included(source: Path) -> str:
    """A source among others: what it calls its own is so, and its macros end with it."""
    own = [f"#define {name} {name}_of_{source.stem}" for name in OWN]
    end = sorted({*OWN, *MACRO.findall(source.read_text(encoding="utf-8"))})
    return "\n".join([*own, f'#include "{source.absolute()}"', *(f"#undef {name}" for name in end), ""])


def written(sources: list[Path], folder: Path) -> list[Path]:
    """Files that include all of these between them."""
    folder.mkdir(parents=True, exist_ok=True)
    apart = set().union(*APART)
    found = []
    for n, names in enumerate(({s.stem for s in sources} - apart, *APART)):
        chosen = sorted((s for s in sources if s.stem in names), key=_order)
        if chosen:
            found.append(folder / f"{n}.c")
            found[-1].write_text("".join(map(_included, chosen)), encoding="utf-8")
    return found


def complaints(sources: list[Path], folder: Path, compile: Callable[[list[Path]], str], alone: bool = False) -> str:
    """What a compiler complains of; where it does, of each source by itself, as that is what counts."""
    return compile(sources) if alone or compile(written(sources, folder)) else ""
