# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""Which library exports a function, at which symbol version, and since which release of rdma-core.

Debian's .symbols files say all three. The libraries themselves say the first two, and so do the linker's version
scripts that they are made with; the release then follows from the version node where some .symbols file knows it.
"""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path

from ..errors import GenError
from ..fast.record import constant
from ..files import textfile
from ..know.groups import SONAME
from . import version_scripts

# rdma-core began with release 12; the libraries that it took over had versions such as 1.1.6.
FIRST_RELEASE = 12
BEFORE_RDMA_CORE = 0

LIBRARY = re.compile(r"(\S+\.so\S*) \S+.*")
ENTRY = re.compile(r" (\S+)@(\S+) (\d+)\S*(?: \d+)?")
NAMED = re.compile(r"[A-Za-z_][\w.]*", re.A)
OTHER = re.compile(r"[*|#].*|\s*")
PRIVATE = re.compile(r".*_PRIVATE(_\d+)?")
TOLD = re.compile(r"\(SONAME\).*\[(.+)\]")
EXPORTED = re.compile(r"\s(?:FUNC|IFUNC)\s+(?:GLOBAL|WEAK)\s+DEFAULT\s+\d+ ([^\s@]+)@@?(\S+)")


@constant
class Symbol:
    """An exported function."""

    name: str
    library: str  # soname
    version: str  # the one that a program built today binds to
    since: int | None  # release that introduced the function, at whatever version; None where nobody says
    private: bool = False  # exported to rdma-core's own libraries only: never to be called


# ---- .symbols files ----


def read(paths: Iterable[Path], libraries: Collection[str] = ()) -> dict[str, Symbol]:
    """The functions of .symbols files and version scripts, by name; `libraries` are the sonames of those that are known."""
    return merge(entry for path in paths for entry in _entries(path, libraries) if not is_node(entry))


def of_no_group(paths: Iterable[Path], said: Symbol) -> GenError:
    """What is wrong with files that say of a declared function that another library than the groups' exports it: nothing could be made of it."""
    word = re.compile(rf"\b{said.name}\b")
    path, line = next(((path, number) for path in paths for number, line in enumerate(textfile.read(path).splitlines(), 1) if word.search(line)), (None, None))
    return GenError(f"{said.name}: is exported by {said.library}, which is the library of no group", path, line,
                    hint=f'if it is, the group that declares it has to say so in gen/groups.toml: library = "{said.library}"')


def _entries(path: Path, libraries: Collection[str]) -> list[Symbol]:
    text = textfile.read(path)
    if path.suffix != version_scripts.SUFFIX:
        found = parse(text, path)
    else:
        library = _library_of(path, libraries)
        found = [symbol(name, library, version, None) for name, version in version_scripts.parse(text, path)]
    if not found:
        raise GenError("has no symbol in it", file=path, line=1, hint="patterns tell no names: write those of the functions" if version_scripts.has_patterns(text) else "is it whole, and a .symbols file of Debian's, or a version script (.map)?")
    return found


def _library_of(path: Path, libraries: Collection[str]) -> str:
    """The soname of the library that a version script is of: the file is called by it, or as rdma-core's own are, without the number."""
    name = path.name.removesuffix(version_scripts.SUFFIX)
    if SONAME.fullmatch(name):
        return name
    known = sorted(library for library in libraries if library.partition(".so.")[0] == name.removesuffix(".so"))
    if len(known) != 1:
        raise GenError("is called by no library, so that nothing says which one exports these functions", file=path, line=1,
                       hint=f"call it by the soname, such as {name if name.startswith('lib') else f'lib{name}'}.so.1{version_scripts.SUFFIX}; of a library "
                            "that gen/groups.toml has, the part before .so will do")
    return known[0]


def nodes(paths: Iterable[Path]) -> dict[str, int]:
    """The release of each public version node in .symbols files."""
    entries = (entry for path in paths for entry in parse(textfile.read(path), path))
    return {entry.version: entry.since for entry in entries if is_node(entry) and entry.since is not None}


def parse(text: str, file: Path | None = None) -> list[Symbol]:
    """The entries of a .symbols file, in its order: functions, once for each version, and version nodes."""
    found: list[Symbol] = []
    library = ""
    for number, line in enumerate(text.splitlines(), 1):
        match = ENTRY.fullmatch(line)
        if match and not library:
            raise GenError(f"{match[1]}: stands before any library", file, number, hint="expected before: LIBRARY PACKAGE #MINVER#, as in the packages' own files")
        if match:
            name, version, release = match.groups()
            if not NAMED.fullmatch(name):
                raise GenError(f"{name}: no name of a function, nor of a version", file, number, hint="expected: NAME@VERSION RELEASE, as in the packages' own files")
            found.append(symbol(name, library, version, release_of(release)))
        elif match := LIBRARY.fullmatch(line):
            library = match[1]
        elif not OTHER.fullmatch(line):
            raise GenError(f"not a line of a .symbols file: {line.strip()}", file, number,
                           hint="expected: NAME@VERSION RELEASE, as in the packages' own files")
    return found


def release_of(major: str) -> int:
    """The release of rdma-core that a Debian version stands for, of which only the first number matters."""
    return int(major) if int(major) >= FIRST_RELEASE else BEFORE_RDMA_CORE


def symbol(name: str, library: str, version: str, since: int | None) -> Symbol:
    """A symbol; a private one has no release, its version node is renamed with each."""
    private = PRIVATE.fullmatch(version) is not None
    return Symbol(name, library, version, None if private else since, private)


def is_node(entry: Symbol) -> bool:
    """A version node appears among the symbols under its own name."""
    return entry.name == entry.version


def merge(entries: Iterable[Symbol]) -> dict[str, Symbol]:
    """One symbol for each function: of several versions the newest, since the oldest."""
    found: dict[str, Symbol] = {}
    for entry in entries:
        other = found.get(entry.name)
        found[entry.name] = newest(other, entry) if other else entry
    return found


def newest(a: Symbol, b: Symbol) -> Symbol:
    """Of two versions of a function the one that programs bind to; a public one before a private one."""
    last = max(a, b, key=lambda entry: (not entry.private, version_key(entry.version)))
    known = [entry.since for entry in (a, b) if entry.since is not None]
    return Symbol(last.name, last.library, last.version, min(known, default=None), last.private)


def version_key(version: str) -> tuple[int, ...]:
    """Puts MLX5_1.25.1 after MLX5_1.25, and MLX5_1.10 after MLX5_1.9."""
    return tuple(int(part) for part in re.findall(r"\d+", version.rpartition("_")[2]))


# ---- shared objects ----


def from_libraries(paths: Sequence[Path], releases: Mapping[str, int] | None = None) -> dict[str, Symbol]:
    """The functions that shared objects export; `releases` of version nodes are as nodes() gives them."""
    known = releases or {}
    return merge(entry for path in paths for entry in exports(readelf(path), path, known))


def exports(text: str, path: Path, releases: Mapping[str, int]) -> list[Symbol]:
    """The functions in what readelf says of a shared object."""
    soname = TOLD.search(text)
    if soname is None:
        raise GenError("not a shared library: it has no soname", path)
    return [symbol(name, soname[1], version, releases.get(version))
            for name, version in EXPORTED.findall(text)]


def readelf(path: Path) -> str:
    """The dynamic section and the dynamic symbols of a shared object."""
    import subprocess  # takes a while to load, and most commands do without

    command = ["readelf", "--wide", "--dynamic", "--dyn-syms", str(path)]
    try:
        done = subprocess.run(command, env={**os.environ, "LC_ALL": "C"}, capture_output=True, text=True)
    except FileNotFoundError as error:
        raise GenError("readelf not found", hint="apt-get install binutils") from error
    if done.returncode != 0:
        raise GenError(done.stderr.strip() or "readelf cannot read it", path)
    return done.stdout
