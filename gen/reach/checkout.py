# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""What a release of rdma-core installs, from its sources: a git repository with its tags, or a folder with the files.

Which headers go where, and which functions a library exports, is read off the build files that install them.
"""

from __future__ import annotations

import io
import os
import re
import shutil
import subprocess
import tarfile
import tempfile
from collections.abc import Iterator
from pathlib import Path

from ..errors import GenError
from ..paths import real

# names a git repository of rdma-core, for the releases that Debian has not
VARIABLE = "VERBSX_RDMA_CORE_REPOSITORY"
READ = ("*CMakeLists.txt", "*.h", "*.map*")
BUILD_FILE = "CMakeLists.txt"
TAG = re.compile(r"v(\d+)\.0")
COMMAND = re.compile(r"^[ \t]*(publish_headers|rdma_library|rdma_shared_provider)\(([^)]*)\)", re.M)
COMMENT = re.compile(r"#.*")
SET = re.compile(r'^[ \t]*set\((\w+) "([^"$]*)"\)', re.M)
PLACEHOLDER = re.compile(r"@(\w+)@")


def repository() -> Path | None:
    """The repository that the environment names."""
    name = os.environ.get(VARIABLE)
    return Path(name) if name else None


# ---- git ----


def _git(folder: Path, *arguments: str) -> bytes:
    command = ["git", "-c", "safe.directory=*", "-C", str(folder), *arguments]
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True)
    except FileNotFoundError as e:
        raise GenError("git not found", hint="apt-get install git, or name a folder of headers") from e
    if done.returncode != 0:
        said = done.stderr.decode(errors="replace").strip() or f"exit status {done.returncode}"
        raise GenError(f"git {arguments[0]} failed: {said}", file=folder)
    return done.stdout


def is_repository(folder: Path) -> bool:
    """A bare repository, or one beside its files."""
    return (folder / ".git").exists() or ((folder / "HEAD").is_file() and (folder / "objects").is_dir())


def tags(folder: Path) -> dict[int, str]:
    """The tag of each release in a repository, the oldest first."""
    named = (TAG.fullmatch(name) for name in _git(folder, "tag", "--list", "v*").decode().split())
    return {int(match[1]): match[0] for match in sorted(filter(None, named), key=lambda match: int(match[1]))}


def _extracted(folder: Path, ref: str, to: Path) -> None:
    """Those files of a commit that are read here."""
    packed = _git(folder, "archive", "--format=tar", f"{ref}^{{commit}}", "--", *READ)
    with tarfile.open(fileobj=io.BytesIO(packed)) as files:
        for member in files:
            path = to / member.name
            if member.isfile() and (content := files.extractfile(member)) and to in real(path).parents:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(content.read())


# ---- the sources ----


def _build_files(sources: Path) -> dict[Path, str]:
    found = sorted(sources.rglob(BUILD_FILE))
    if sources / BUILD_FILE not in found:
        raise GenError(f"no {BUILD_FILE}", file=sources, hint="these are not the sources of rdma-core")
    return {path: COMMENT.sub("", path.read_text(encoding="utf-8", errors="replace")) for path in found}


def _commands(text: str) -> Iterator[tuple[str, list[str]]]:
    for name, words in COMMAND.findall(text):
        yield name, [word.strip('"') for word in words.split()]


def _variables(builds: dict[Path, str], sources: Path) -> dict[str, str]:
    return dict(SET.findall(builds[sources / BUILD_FILE]))


def release_of(sources: Path) -> int:
    """The release that sources become."""
    version = _variables({sources / BUILD_FILE: _build_files(sources)[sources / BUILD_FILE]}, sources).get("PACKAGE_VERSION", "")
    major = version.partition(".")[0]
    if not major.isdigit():
        raise GenError("no PACKAGE_VERSION", file=sources / BUILD_FILE, hint="these are not the sources of rdma-core")
    return int(major)


def _put_headers(builds: dict[Path, str], include: Path) -> None:
    for path, text in builds.items():
        for name, words in _commands(text):
            if name != "publish_headers" or not words:
                continue
            place = include / words[0]
            place.mkdir(parents=True, exist_ok=True)
            for header in words[1:]:
                shutil.copyfile(path.parent / header, place / Path(header).name)


def _version_script(folder: Path, name: str) -> Path:
    """The linker's version script of a library; some are made of a template."""
    return next((p for p in (folder / name, folder / f"{name}.in") if p.is_file()), folder / name)


def _put_symbols(builds: dict[Path, str], variables: dict[str, str], symbols: Path) -> None:
    """The version script of each library, called as that is when a program asks for it."""
    symbols.mkdir(parents=True)
    for path, text in builds.items():
        for name, words in _commands(text):
            if name == "publish_headers" or len(words) < 3 or not words[2].isdigit():
                continue
            script = _version_script(path.parent, Path(words[1]).name).read_text(encoding="utf-8")
            filled = PLACEHOLDER.sub(lambda match: variables.get(match[1], match[0]), script)
            (symbols / f"lib{words[0]}.so.{words[2]}.map").write_text(filled, encoding="utf-8")


def install(sources: Path, to: Path) -> int:
    """Put into usr/include and symbols of a folder what sources have; the release that they are of."""
    builds = _build_files(sources)
    variables = _variables(builds, sources)
    try:
        _put_headers(builds, to / "usr/include")
        _put_symbols(builds, variables, to / "symbols")
    except OSError as e:
        raise GenError(f"cannot read: {e.strerror}", file=e.filename,
                       hint=f"a {BUILD_FILE} of these sources installs it") from e
    return release_of(sources)


def install_from(folder: Path, ref: str, to: Path) -> int:
    """The same for a commit of a repository, or for files as they lie there where no commit is named."""
    if not ref:
        return install(folder, to)
    with tempfile.TemporaryDirectory(prefix="verbsx-sources-") as name:
        sources = real(Path(name))
        _extracted(folder, ref, sources)
        return install(sources, to)
