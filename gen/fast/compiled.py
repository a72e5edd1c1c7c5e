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


Codes = dict[str, bytes]  # by paths of sources, in marshal's format


def codes(name: str, texts: Mapping[str, bytes], make: Compile, parts: list[bytes]) -> Codes:
    """What each source compiles to; only those that changed since the last run are compiled.

    All else that the code depends on is in `parts`.
    """
    found, compile_others = begun(name, texts, make, parts)
    return found | (compile_others() if compile_others else {})


def begun(name: str, texts: Mapping[str, bytes], make: Compile, parts: list[bytes]) -> tuple[Codes, Callable[[], Codes] | None]:
    """What is there of an earlier run, and what compiles all others, if there are some, and keeps all for the next run."""
    key = kept.digest([*kept.of_code(["fast/compiled"]), *parts])
    data = kept.read(name, key)
    before: dict[str, tuple[bytes, bytes]] = marshal.loads(data) if data else {}
    digests = {path: hashlib.sha256(source).digest() for path, source in texts.items()}
    same = {path: before[path] for path, digest in digests.items() if path in before and before[path][0] == digest}

    def compile_others() -> Codes:
        made = {path: (digest, _code(make(path, texts[path]))) for path, digest in digests.items() if path not in same}
        kept.write(name, key, marshal.dumps({path: same.get(path) or made[path] for path in texts}))
        return _whole(made)

    return _whole(same), compile_others if same.keys() != before.keys() or len(same) < len(texts) else None


def _code(made: CodeType | None) -> bytes:
    return marshal.dumps(made) if made else b""


def _whole(found: Mapping[str, tuple[bytes, bytes]]) -> Codes:
    return {path: code for path, (_, code) in found.items() if code}


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
