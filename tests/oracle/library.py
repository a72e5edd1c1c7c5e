# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""What a libverbsx tells that is built against a release's headers: its tables, and what it prints."""

from __future__ import annotations

import argparse
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def add_option(parser: argparse.ArgumentParser) -> None:
    """For a command that builds below FOLDER what somebody may have built already."""
    parser.add_argument("--library", metavar="DIR", type=Path, help="where one was built with the release's headers; else in FOLDER")


def prepare(folder: Path, built: Path | None) -> None:
    """The folder of a command, in which a library is found that was built elsewhere."""
    folder.mkdir(parents=True, exist_ok=True)
    if built:
        link = folder / "library"
        link.unlink(missing_ok=True)
        link.symlink_to(built.absolute(), target_is_directory=True)


def dump(include: Path, release: int, folder: Path) -> str:
    """The tables, as dump.c prints them."""
    return output(include, release, folder, "dump")


def show(include: Path, release: int, folder: Path, seed: int, rounds: int) -> str:
    """Structures and what they print as, by show.c."""
    return output(include, release, folder, "show", str(seed), str(rounds))


def output(include: Path, release: int, folder: Path, name: str, *arguments: str) -> str:
    """What the program NAME.c prints, linked with the library."""
    library, program = build(include, release, folder / "library"), folder / name
    folders = [ROOT / "runtime/include", ROOT / "runtime/src", ROOT / "generated/src", library / "include"]
    flags = ["-std=c11", "-Wall", "-Wextra", "-Werror", *(f"-I{folder}" for folder in folders)]
    source = Path(__file__).with_name(f"{name}.c")
    subprocess.run(["gcc", *flags, source, library / "libverbsx-open.a", "-o", program], check=True)
    return subprocess.run([program, *arguments], check=True, capture_output=True, text=True).stdout


def build(include: Path, release: int, folder: Path) -> Path:
    """The folder in which the committed code was built: one that prepare() was given is as it should be."""
    if folder.is_symlink():
        return folder
    options = {"CMAKE_BUILD_TYPE": "Debug", "VERBSX_RDMA_CORE": release, "VERBSX_RDMA_INCLUDE": include,
               "VERBSX_BUILD_TESTS": "OFF", "VERBSX_BUILD_EXAMPLES": "OFF", "VERBSX_BUILD_EMU": "OFF"}
    defined = [f"-D{name}={value}" for name, value in options.items()]
    subprocess.run(["cmake", "-S", ROOT, "-B", folder, *defined], check=True, stdout=subprocess.DEVNULL)
    subprocess.run(["cmake", "--build", folder, "--target", "verbsx-open"], check=True,
                   stdout=subprocess.DEVNULL)
    return folder
