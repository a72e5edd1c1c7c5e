# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""Files of gen/abi as a whole: of one that is cut, what is lacking would be new to the next run, and get another number or version."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ..errors import GenError, close
from ..files import tomlfile

END = "# The end: a file without this line is cut.\n"


def load(path: Path, tables: Sequence[str] = ()) -> tomlfile.Document:
    """One that has its end, and these tables alone; any where none are named."""
    doc = tomlfile.load(path)
    for name in doc.data if tables else ():
        if name not in tables:
            raise doc.error("", name, f"{name}: this file has {', '.join(tables)} alone", close(name, tables))
    if not doc.text.endswith(f"\n{END}"):
        raise GenError("is cut: its last line is not that of its end", file=path, line=doc.text.count("\n") or 1,
                       hint=f"take it as it was committed: git checkout {path}; behind all that it has stands: {END.strip()}")
    return doc
