# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""A tree of headers, or the installed ones, as facts: which release they are of, and which symbols go with them."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from ..api import facts as facts_module
from ..api.facts import Facts
from ..errors import GenError
from ..fast import compiled
from ..fast.kept import kept
from ..fast.record import changed
from ..files import json_lines, textfile
from ..know.groups import HeaderGroup
from ..paths import GEN
from . import symbols

HOLDS = "infiniband"  # a folder of headers
PLACES = ("include", "usr/include", "build/include", "usr/local/include")  # of such folders, below what somebody may name instead
FACTS = GEN / "facts"
# What makes facts of their files, and symbols of facts.
CODE = ("api", "errors", "fast", "files", "paths", "reach")
FACTS_FILE = re.compile(r"rdma-core-(\d+)\.json")
RELEASE = re.compile(r"^(?:Version: )?\d+\.\d+\.(\d+)\.\d+", re.M)  # libibverbs 1.14.44.0 is of rdma-core 44


def committed_paths() -> dict[int, Path]:
    """The facts files that are committed, by release."""
    found: dict[int, Path] = {}
    for path in sorted(FACTS.glob("*.json")):
        match = FACTS_FILE.fullmatch(path.name)
        if not match:
            raise GenError("by its name this is of no release", file=path, hint="facts of release 44 are in rdma-core-44.json")
        if found.setdefault(int(match[1]), path) != path:
            raise GenError(f"{found[int(match[1])].name} is of release {int(match[1])} as well", file=path, hint="take one of them away")
    if not found:
        raise GenError("no facts here", file=FACTS, hint="make them with: python3 -m gen scan --refresh")
    return found


def committed_bytes() -> list[bytes]:
    return [textfile.read_bytes(p) for _, p in sorted(committed_paths().items())]


def committed() -> list[Facts]:
    return [facts for release in sorted(committed_paths()) if (facts := committed_of(release))]


def committed_of(release: int) -> Facts | None:
    path = committed_paths().get(release)
    return kept(f"facts-{release}", [textfile.read_bytes(path)], lambda: _load(path, release), CODE) if path else None


def _load(path: Path, release: int) -> Facts:
    facts = facts_module.load(path)
    if facts.release != release:
        raise GenError(f"release: {facts.release}: the name of the file says {release}", file=path,
                       line=json_lines.line_of(textfile.read(path), ["release"]), hint=facts_module.AGAIN)
    return facts


def known_symbols() -> dict[str, symbols.Symbol]:
    """A function keeps its symbol, so what facts of any release know holds for headers that come without symbols."""
    return kept("symbols", committed_bytes(), _known_symbols, CODE)


def symbols_until(release: int) -> dict[str, symbols.Symbol]:
    """Those of functions that a release can have."""
    return {name: s for name, s in known_symbols().items() if (s.since or 0) <= release}


def _known_symbols() -> dict[str, symbols.Symbol]:
    calls = [c for f in committed() for g in f.groups.values() for c in g.calls.values() if c.library]
    return {c.name: symbols.Symbol(c.name, c.library, c.version, c.introduced) for c in calls}


def _installed_version() -> str:
    """What pkg-config prints, run without subprocess, which takes longer to load."""
    ours, theirs = os.pipe()
    quiet = os.open(os.devnull, os.O_WRONLY)
    try:
        child = os.posix_spawnp("pkg-config", ["pkg-config", "--modversion", "libibverbs"], os.environ,
                                file_actions=[(os.POSIX_SPAWN_DUP2, theirs, 1), (os.POSIX_SPAWN_DUP2, quiet, 2)])
    except OSError:
        child = 0  # there is none
    finally:
        os.close(theirs)
        os.close(quiet)
    with open(ours, encoding="utf-8", errors="replace") as pipe:
        text = pipe.read()
    if child:
        os.waitpid(child, 0)
    return text


def check_there(root: Path | None) -> None:
    if os.fsencode(root or "") != str(root or "").encode(errors="replace"):
        raise GenError("a name that is no UTF-8, which libclang does not take", file=root, hint="name the folder by a link")
    if root is not None and not root.is_dir():
        raise GenError("no such folder", file=root, hint="name one that holds infiniband/ and rdma/")
    if root is not None and not (root / HOLDS).is_dir():
        near = next((p for p in (*(root / place for place in PLACES), root.parent) if (p / HOLDS).is_dir()), None)
        if near:
            raise GenError("holds no infiniband/", file=root, hint=f"did you mean {near}?")


def release_of(root: Path | None) -> int:
    """The release of rdma-core that headers belong to, as libibverbs.pc beside them says."""
    check_there(root)
    if root is None:
        text = _installed_version()
    else:
        found = sorted(root.parent.glob("lib*/**/libibverbs.pc"))
        text = found[0].read_text(encoding="utf-8", errors="replace") if found else ""
    match = RELEASE.search(text)
    if match is None:
        place = "the installed headers" if root is None else str(root)
        raise GenError(f"{place}: libibverbs.pc does not say which release of rdma-core this is",
                       hint="name it: --release NN")
    return int(match[1])


def _libraries(root: Path | None, names: set[str]) -> list[Path]:
    folders = [Path("/usr/lib"), Path("/lib")] if root is None else [root.parent / "lib"]
    return sorted({p for f in folders if f.is_dir() for name in names
                   for p in (*f.glob(name), *f.glob(f"*/{name}"))})


def libraries_told_of(root: Path | None, groups: list[HeaderGroup], symbol_files: list[Path]) -> frozenset[str]:
    """The libraries of which it is known what they export: those of .symbols files, and those that lie beside the headers."""
    known = {g.library for g in groups}
    told = {s.library for s in symbols.read(symbol_files, known).values()}
    return frozenset(told | {p.name for p in _libraries(root, known)})


def _apply(facts: Facts, known: Mapping[str, symbols.Symbol]) -> None:
    for group in facts.groups.values():
        for call in group.calls.values():
            symbol = known.get(call.name)
            if call.kind == "extern" and symbol and not symbol.private:
                call.library, call.version, call.introduced = symbol.library, symbol.version, symbol.since or 0


def begin(root: Path | None) -> None:
    """Let libclang be loaded, while all else is done that comes before it is wanted."""
    check_there(root)
    compiled.cover("clang")
    from clang import cindex

    from ..fast import library

    library.tell("clang", cindex.conf.get_filename)


def read(root: Path | None, release: int | None, groups: list[HeaderGroup], symbol_files: list[Path] | None = None,
         known: Callable[[], Mapping[str, symbols.Symbol]] = dict, all_groups: Iterable[HeaderGroup] = ()) -> Facts:
    """Scan a tree, the compiler's own folders when `root` is None; `all_groups` are also those that it has no headers of.

    Symbols are the `known` ones, which are asked for while libclang parses, and those of the .symbols files that are given; for functions
    that have none of these they are those of the libraries themselves.
    """
    check_there(root)
    compiled.cover("clang")
    from ..scan import scan  # libclang takes a while to load, and most commands do without

    before: dict[str, symbols.Symbol] = {}
    facts = scan.scan(groups, scan.Tree(root), release or release_of(root), lambda: before.update(known()))
    libraries = {g.library for g in groups}
    of_groups = libraries | {g.library for g in all_groups}
    told = symbols.read(symbol_files or [], of_groups)
    all_known = symbols.merge([*before.values(), *(changed(s, since=before.get(name, s).since) for name, s in told.items())])  # what is known is as old as it was
    calls = [c for g in facts.groups.values() for c in g.calls.values() if c.kind == "extern"]
    if other := next((told[c.name] for c in calls if c.name in told and not told[c.name].private and told[c.name].library not in of_groups), None):
        raise symbols.of_no_group(symbol_files or [], other)
    if any(c.name not in all_known for c in calls):
        found = symbols.from_libraries(_libraries(root, libraries))
        all_known, told = {**found, **all_known}, {**found, **told}
    _apply(facts, all_known)
    facts.told = sorted({s.library for s in told.values()} & libraries)
    return facts
