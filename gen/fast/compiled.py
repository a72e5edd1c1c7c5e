# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""Python code that was compiled in an earlier run: of the generator's own modules, and of whatever else is source.

Python would keep that of modules beside them, in a checkout that may not be written to, and by their times rather than by what they
say; many a machine has PYTHONDONTWRITEBYTECODE set besides.
"""

from __future__ import annotations

import hashlib
import marshal
import sys
from collections.abc import Callable, Mapping
from importlib.machinery import SOURCE_SUFFIXES, FileFinder, SourceFileLoader
from types import CodeType

from . import kept, sources
from .sources import GEN

Compile = Callable[[str, bytes], CodeType | None]  # None for what does not compile: who needs it will come upon it


def codes(name: str, texts: Mapping[str, bytes], make: Compile, parts: list[bytes]) -> dict[str, bytes]:
    """What each source compiles to, in marshal's format; only those that changed since the last run are compiled.

    All else that the code depends on is in `parts`.
    """
    key = kept.digest([*kept.of_code(["fast/compiled"]), *parts])
    data = kept.read(name, key)
    before: dict[str, tuple[bytes, bytes]] = marshal.loads(data) if data else {}
    now = {path: _code(path, source, make, before) for path, source in texts.items()}
    if now != before:
        kept.write(name, key, marshal.dumps(now))
    return {path: code for path, (_, code) in now.items() if code}


def _code(path: str, source: bytes, make: Compile, before: Mapping[str, tuple[bytes, bytes]]) -> tuple[bytes, bytes]:
    digest = hashlib.sha256(source).digest()
    if path in before and before[path][0] == digest:
        return before[path]
    made = make(path, source)
    return digest, marshal.dumps(made) if made else b""


def _compile(path: str, source: bytes) -> CodeType | None:
    try:
        return compile(source, path, "exec", dont_inherit=True)
    except SyntaxError:
        return None


def install() -> None:
    """Let the generator's modules come from here; where nothing can be kept, Python's own way is better."""
    if kept.folder() is not None:
        _cover(GEN, codes("modules", sources.modules(), _compile, []))


def cover(package: str) -> None:
    """Let modules of somebody else's come from here, too, if they are not loaded yet."""
    if kept.folder() is not None and package not in sys.modules:
        for folder in sources.package(package):
            _cover(folder, codes(f"modules-{package}", sources.code_of(folder), _compile, []))


def _cover(root: str, found: Mapping[str, bytes]) -> None:
    class Loader(SourceFileLoader):
        def get_code(self, fullname: str) -> CodeType | None:
            code = found.get(self.path)
            return marshal.loads(code) if code else super().get_code(fullname)

    def finder(folder: str) -> FileFinder:
        if folder != root and not folder.startswith(f"{root}/"):
            raise ImportError(f"not of {root}: {folder}")
        return FileFinder(folder, (Loader, SOURCE_SUFFIXES))

    sys.path_hooks.insert(0, finder)
    sys.path_importer_cache.pop(root, None)
