# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""The headers of one release, with what is known of its symbols, put into a folder.

    python3 -m gen.reach.trees NN FOLDER [--tree DIR]

DIR is a folder that holds infiniband/ and rdma/, or rdma-core's sources: a git repository, of which the tag of the release is
read if it has that, or files. Without it the release is fetched as gen.reach.releases does. Afterwards FOLDER has usr/include, and
symbols or usr/lib if there are any.
"""

from __future__ import annotations

import argparse
import shutil
import sys
from pathlib import Path

from ..errors import GenError, report
from ..paths import real
from . import checkout, headers, releases

PARTS = ("infiniband", "rdma")


def put(release: int, folder: Path, tree: Path | None) -> str:
    """Fill a folder that is not there; what it was filled from."""
    if tree is None:
        fetched = releases.tree(release)
        _copy(fetched / "usr/include", folder)
        return str(fetched)
    if not tree.is_dir():
        raise GenError("no such folder", tree)
    if (tree / PARTS[0]).is_dir():
        _copy(tree, folder)
        return str(tree)
    if not checkout.is_repository(tree) and not (tree / checkout.BUILD_FILE).is_file():
        headers.check_there(tree)
        raise GenError(f"neither headers, which are in infiniband/ and rdma/, nor rdma-core's sources, which have a {checkout.BUILD_FILE}", tree)
    return _check_out(release, folder, tree)


def _copy(include: Path, folder: Path) -> None:
    """Headers, and beside them the symbols where a release was fetched, or the libraries where it is installed."""
    for part in PARTS:
        if (include / part).is_dir():
            shutil.copytree(include / part, folder / "usr/include" / part)
    beside = include.parent.parent / "symbols"
    if beside.is_dir():
        shutil.copytree(beside, folder / "symbols")
    elif (include.parent / "lib").is_dir():
        (folder / "usr/lib").symlink_to(real(include.parent / "lib"))


def _check_out(release: int, folder: Path, tree: Path) -> str:
    ref = ""
    if checkout.is_repository(tree):
        bare = not (tree / ".git").exists()
        ref = checkout.tags(tree).get(release, "HEAD" if bare else "")
    called = checkout.install_from(tree, ref, folder)
    other = f", which calls itself {called}" if called != release else ""
    return f"{ref or 'the files'} of {tree}{other}"


def main() -> int:
    parser = argparse.ArgumentParser(prog="gen.reach.trees", description="put the headers of a release into a folder")
    parser.add_argument("release", metavar="NN", type=int)
    parser.add_argument("folder", metavar="FOLDER", type=Path)
    parser.add_argument("--tree", metavar="DIR", type=Path, help="headers, or rdma-core's sources")
    args = parser.parse_args()
    try:
        print(put(args.release, args.folder, args.tree))
    except GenError as error:
        return report(error)
    return 0


if __name__ == "__main__":
    sys.exit(main())
