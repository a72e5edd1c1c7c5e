# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""Hold gen/lore/since.toml against the headers of all releases, and print a line for each of its lines that is wrong or missing.

  VERBSX_RDMA_CORE_REPOSITORY=~/rdma-core python3 -m gen since

The headers of releases that no facts are committed of are taken from that git repository, which must have their tags. The exit
status is 1 where something is wrong.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from ..api import facts as store, merge
from ..api.facts import Facts
from ..know import groups
from ..know.groups import HeaderGroup
from ..reach import dates, headers, known, releases
from .arguments import path


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--cache", type=path, metavar="DIR", help="where the headers are kept")


def _facts(release: int, found: list[HeaderGroup], cache: Path | None) -> Facts:
    if path := headers.committed_paths().get(release):
        return store.load(path)
    return headers.read(releases.header_tree(release, cache), release, found, releases.symbols(release, cache))


def run(args: argparse.Namespace) -> int:
    found = groups.load()
    committed = headers.committed_paths()
    facts = [_facts(release, found, args.cache) for release in range(min(committed), max(committed) + 1)]
    order = known.order(found, facts)
    _, lore = known.read(found)
    exact, few = dates.of_all(facts, order), merge.merge(headers.committed(), order)
    wrong = [*dates.since(exact, few, lore.since).wrong(), *dates.until(exact, few, lore.until).wrong()]
    print(*wrong, sep="\n", end="\n" if wrong else "")
    for line in dates.nowhere(exact, few):
        print(f"in no release that facts are kept of: {line}")
    print(f"{len(dates.dated(exact))} names in {len(facts)} releases, {len(wrong)} lines wrong or missing", file=sys.stderr)
    return 1 if wrong else 0
