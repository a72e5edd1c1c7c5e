# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""Where a command's result goes: a file, or the standard output."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from pathlib import Path

from ..errors import GenError
from ..paths import real


def write(text: str, path: Path | None) -> None:
    """Write a result to a file, all of it or nothing, or to the standard output if none is named."""
    try:
        if path is None:
            sys.stdout.write(text)
            sys.stdout.flush()
        elif path.exists() and not path.is_file():  # a terminal, or a pipe
            path.write_text(text, encoding="utf-8")
        else:
            _replace(text, path)
    except BrokenPipeError:
        raise
    except OSError as error:
        raise GenError(f"cannot write: {error.strerror}", path or "standard output") from error


def _replace(text: str, link: Path) -> None:
    path = real(link)
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        temporary.write_text(text, encoding="utf-8")
        os.replace(temporary, path)
    except OSError:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)
        raise
