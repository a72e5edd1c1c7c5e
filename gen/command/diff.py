# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""Report what differs between two releases of rdma-core, and whether an existing caller needs care.

  python3 -m gen diff 44 65                        two releases that facts are kept of
  python3 -m gen diff latest                       the newest of them, and the installed headers
  python3 -m gen diff latest DIR --release 66      or a tree of a release, as no libibverbs.pc tells which it is
  python3 -m gen diff 44 /usr/include              a release, and what a vendor installed
  python3 -m gen diff 65 new.json --format json    a facts file that `gen scan` made

One line for each thing that differs. It is safe if a program built with the old headers runs with the new library, and
its source builds with the new headers to the same effect; recompile, if source does and programs of before had better be
built anew; else unsafe. Where facts cannot tell, the answer is the careful one. gen/expected_changes.toml has what
somebody looked at and found harmless.

The exit status is a sum, of which 0 is that nothing differs:
  1  somebody who read the output has stopped
  2  bad input; nothing was compared
  4  something differs that is safe
  8  something differs for which programs are to be built anew
 16  something differs that is unsafe
 32  a line of the expected changes is about nothing that changed
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from ..api import facts as store
from ..api.facts import Facts
from ..diff import expected
from ..diff.changes import FORMATS, RECOMPILE, SAFE, UNSAFE
from ..diff.diff import diff
from ..errors import GenError
from ..know import groups
from ..paths import GROUPS
from ..reach import headers, unread
from .arguments import is_release, path, release
from .output import write

LATEST, INSTALLED = "latest", "installed"
BITS = {SAFE: 4, RECOMPILE: 8, UNSAFE: 16}
UNUSED = 32


def add_arguments(parser: argparse.ArgumentParser) -> None:
    says = "a release that facts are kept of, latest, installed, a facts file, or a folder that holds infiniband/ and rdma/"
    parser.add_argument("old", metavar="A", help=says)
    parser.add_argument("new", metavar="B", nargs="?", default=INSTALLED, help="the same, the newer one; default: installed")
    parser.add_argument("--release", type=release, metavar="NN", action="append", default=[],
                        help="of a folder; else libibverbs.pc tells it; of two folders give it twice, in their order")
    parser.add_argument("--expected", type=path, metavar="FILE",
                        help="changes that are all right; default: gen/expected_changes.toml, if A is latest")
    parser.add_argument("--format", choices=FORMATS, default="text", help="default: text")
    parser.add_argument("--output", type=path, metavar="FILE", help="default: the standard output")


def run(args: argparse.Namespace) -> int:
    order = [header for group in groups.load() for header in group.headers]
    sides = [args.old, args.new]
    for side in sides:
        _check_there(side)
    old, new = (_facts_of(side, given) for side, given in zip(sides, _releases(sides, args.release)))
    found = diff(old, new, order, _unread(*sides))
    file = args.expected or (expected.PATH if args.old == LATEST else None)
    unused = expected.take_out(found, file) if file else []
    write(FORMATS[args.format](found), args.output)
    for line in unused:
        print(line, file=sys.stderr)
    return sum(BITS[v] for v in found.count("verdict")) + UNUSED * bool(unused)


def _releases(sides: list[str], given: list[int]) -> list[int | None]:
    """The release that was given for each side: for none, or for all that are folders."""
    folders = sum(map(_is_folder, sides))
    if given and len(given) != folders:
        raise GenError(f"--release is given for {len(given)} of {folders} folders of headers",
                       hint="give it once for each folder, in their order, or leave it to libibverbs.pc")
    left = iter(given)
    return [next(left, None) if _is_folder(side) else None for side in sides]


def _check_there(what: str) -> None:
    if what not in (LATEST, INSTALLED) and not is_release(what) and not Path(what).exists():
        raise GenError("cannot read: No such file or directory", file=what,
                       hint=f"name a release ({', '.join(map(str, headers.committed_paths()))}), {LATEST}, {INSTALLED}, a facts file, or a folder of headers")


def _is_folder(what: str) -> bool:
    return what not in (LATEST, INSTALLED) and not is_release(what) and Path(what).is_dir()


def _facts_of(what: str, release: int | None) -> Facts:
    """The facts that an argument stands for; the release is that of a folder where it is known."""
    if what == LATEST:
        return store.load(_committed(max(headers.committed_paths())))
    if is_release(what):
        return store.load(_committed(int(what)))
    if what == INSTALLED or _is_folder(what):
        return headers.read(None if what == INSTALLED else Path(what), release, groups.load(), known=headers.known_symbols)
    return store.load(Path(what))


def _unread(old: str, new: str) -> list[str]:
    """Headers of no group that come with a folder, which facts do not tell of."""
    before, now = (unread.headers_of(None if side == INSTALLED else Path(side), GROUPS, groups.load()) if side == INSTALLED or _is_folder(side) else {}
                   for side in (old, new))
    return [header for header in now if header not in before]


def _committed(release: int) -> Path:
    known = headers.committed_paths()
    if release not in known:
        raise GenError(f"no facts are kept of release {release}, only of {', '.join(map(str, known))}",
                       hint="name a facts file or a folder of headers instead")
    return known[release]
