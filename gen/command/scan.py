# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""Read rdma-core's headers and write what they say as a facts file.

  python3 -m gen scan                               the installed headers, to the standard output
  python3 -m gen scan --headers DIR --output FILE   another tree (a folder that holds infiniband/ and rdma/)
  python3 -m gen scan --refresh                     the committed facts anew, from Debian's packages
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from ..api import facts as facts_module
from ..api.facts import Facts, items
from ..api.merge import Names
from ..diff.changes import SIGNS
from ..diff.diff import diff
from ..errors import GenError
from ..know import groups
from ..paths import GROUPS
from ..reach import claims, headers, releases, vanished
from .arguments import add_symbols, path, release
from .output import write


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--headers", type=path, metavar="DIR", help="a folder that holds infiniband/ and rdma/")
    parser.add_argument("--release", type=release, metavar="NN", help="of rdma-core; else libibverbs.pc tells it")
    add_symbols(parser)
    parser.add_argument("--groups", type=path, metavar="FILE", default=GROUPS, help="default: gen/groups.toml")
    parser.add_argument("--like", type=path, metavar="FILE", help="facts of the same release: where they are of other headers, nothing is written")
    parser.add_argument("--output", type=path, metavar="FILE", help="default: the standard output")
    parser.add_argument("--refresh", action="store_true",
                        help="fetch the packages of all supported releases and write gen/facts/")
    parser.add_argument("--cache", type=path, metavar="DIR", help="where --refresh keeps what it fetched")


def _refresh(args: argparse.Namespace) -> int:
    """Nothing is written before all of it is there: facts of some releases alone would be of other headers than the rest."""
    found = groups.load(args.groups)
    texts = {number: facts_module.to_json(headers.read(releases.header_tree(number, args.cache), number, found, releases.symbols(number, args.cache)))
             for number in sorted(releases.RELEASES)}
    for number, text in texts.items():
        path = headers.FACTS / f"rdma-core-{number}.json"
        write(text, path)
        print(f"{number} {path.name}", file=sys.stderr)
    return 0


def _refuse_both(args: argparse.Namespace) -> None:
    """What is of one tree alone, or of the packages of all releases, beside the other."""
    for name in ("headers", "release", "symbols", "like", "output") if args.refresh else ("cache",):
        if getattr(args, name):
            args.refuse(f"argument --{name}: " + ("not allowed with argument --refresh" if args.refresh else "is of --refresh alone"))


def _refuse_others(kept: Path, facts: Facts) -> None:
    """Headers that have something else than those of which facts of their release are kept are most likely of another release."""
    try:
        before = facts_module.load(kept)
    except GenError:
        return  # it is damaged, and to be made anew
    both, now = ({h for g in side.groups.values() for h in g.headers} for side in (before, facts))
    found = [c for c in diff(before, facts).changes if c.header in both & now]
    if found:
        some = "".join(f"\n    {c.header}: {SIGNS[c.change]} {c.kind} {c.name}" for c in found[:5]) + "\n    ..." * (len(found) > 5)
        raise GenError(f"facts of release {facts.release} are kept, and these headers differ from those in {len(found)} things:{some}", file=kept,
                       hint="are they of another release? If it is the file that is wrong, remove it first")
    calls = items(facts, "calls")
    lost = [c.name for c in items(before, "calls").values() if c.library and c.name in calls and not calls[c.name].library]
    if lost:
        raise GenError(f"facts of release {facts.release} are kept, which know the library of {lost[0]}" + f" and {len(lost) - 1} more" * (len(lost) > 1), file=kept,
                       hint="name the files that tell it, as before: --symbols FILE")


def run(args: argparse.Namespace) -> int:
    _refuse_both(args)
    if args.refresh:
        return _refresh(args)
    if said := claims.against(args.headers, args.release):
        print(f"{args.headers}: {said}", file=sys.stderr)
    release = args.release or headers.release_of(args.headers)
    found = groups.load(args.groups)
    facts = headers.read(args.headers, release, found, args.symbols, (lambda: headers.symbols_until(release)) if args.symbols else headers.known_symbols)
    vanished.refuse_moved(args.headers, release, Names.of(facts), [g for g in found if g.is_in(release)])
    if args.like:
        _refuse_others(args.like, facts)
    write(facts_module.to_json(facts), args.output)
    return 0
