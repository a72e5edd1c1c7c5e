# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""What the generator keeps of this checkout, lent to a copy of it: else each copy compiles and reads all anew.

It is kept by what it was made from, so that a copy which differs makes what differs, as this checkout would. Code alone is kept by where
it is, and is told where it is now.
"""

from __future__ import annotations

import hashlib
import marshal
import os
from contextlib import suppress
from pathlib import Path
from types import CodeType

from gen.fast import kept
from gen.fast.sources import ROOT

CODE = ("modules", "templates")
NOT = ("of", "left-")  # where it is of, and what was left in folders of this checkout


def folder_of(project: Path) -> Path:
    """Where what is kept of a copy is, as gen/fast/kept.py has it."""
    root = os.path.realpath(project)
    return Path(os.path.dirname(kept.folder() or os.devnull), hashlib.sha256(os.fsencode(f"{root}/gen")).hexdigest()[:16])


def lend(project: Path) -> None:
    ours = kept.folder()
    if ours is None:
        return
    root, theirs = os.path.realpath(project), str(folder_of(project))
    with suppress(FileExistsError):
        os.mkdir(theirs, 0o700)
        os.symlink(f"{root}/gen", f"{theirs}/of")
    for name in os.listdir(ours):
        if not name.startswith(NOT) and "." not in name:  # which is not whole yet
            with suppress(OSError):
                _lend(f"{ours}/{name}", f"{theirs}/{name}", root)


def _lend(ours: str, theirs: str, root: str) -> None:
    if os.path.basename(ours) not in CODE:
        os.link(ours, theirs)  # as nobody writes into what is kept: kept.write() puts another file in its place, which test_kept holds
        return
    data = Path(ours).read_bytes()
    moved = marshal.dumps({_moved(path, root): (digest, _code(code, root)) for path, (digest, code) in marshal.loads(data[2 * kept.DIGEST:]).items()})
    Path(theirs).write_bytes(data[:kept.DIGEST] + hashlib.sha256(moved).digest() + moved)


def _moved(path: str, root: str) -> str:
    return root + path.removeprefix(ROOT) if path.startswith(f"{ROOT}/") else path


def _code(code: bytes, root: str) -> bytes:
    return marshal.dumps(_at(marshal.loads(code), root)) if code else code


def _at(code: CodeType, root: str) -> CodeType:
    consts = tuple(_at(c, root) if isinstance(c, CodeType) else c for c in code.co_consts)
    return code.replace(co_filename=_moved(code.co_filename, root), co_consts=consts)
