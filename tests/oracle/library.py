# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""What the tables of a libverbsx tell that is built against a release's headers."""

from __future__ import annotations

import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def dump(include: Path, release: int, folder: Path) -> str:
    """The text that dump.c prints, linked with the library."""
    library, program = build(include, release, folder / "library"), folder / "dump"
    folders = [ROOT / "runtime/include", ROOT / "runtime/src", library / "include"]
    subprocess.run(["gcc", "-std=c11", "-Wall", "-Wextra", "-Werror", *(f"-I{f}" for f in folders),
                    Path(__file__).with_name("dump.c"), library / "libverbsx.a", "-o", program], check=True)
    return subprocess.run([program], check=True, capture_output=True, text=True).stdout


def build(include: Path, release: int, folder: Path) -> Path:
    """The folder in which the committed code was built."""
    options = {"CMAKE_BUILD_TYPE": "Debug", "VERBSX_RDMA_CORE": release, "VERBSX_RDMA_INCLUDE": include,
               "VERBSX_BUILD_TESTS": "OFF", "VERBSX_BUILD_EXAMPLES": "OFF", "VERBSX_BUILD_EMU": "OFF"}
    defined = [f"-D{name}={value}" for name, value in options.items()]
    subprocess.run(["cmake", "-S", ROOT, "-B", folder, *defined], check=True, stdout=subprocess.DEVNULL)
    subprocess.run(["cmake", "--build", folder, "--target", "verbsx-static"], check=True,
                   stdout=subprocess.DEVNULL)
    return folder
