# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""Where a command's result goes: a file, or the standard output."""

from __future__ import annotations

import sys
from pathlib import Path

from .errors import GenError


def write(text: str, path: Path | None) -> None:
    """Write a result to a file, or to the standard output if none is named."""
    if path is None:
        sys.stdout.write(text)
        return
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise GenError(f"cannot write: {error.strerror}", path) from error
