# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""Write generated/ from the committed facts and lore; the same bytes on every machine.

  python3 -m gen emit                                generated/ of the project
  python3 -m gen emit --installed --output DIR       from the installed headers, for these alone
  python3 -m gen emit --headers DIR --output DIR     from another tree (a folder that holds infiniband/ and rdma/)
  python3 -m gen emit --groups FILE --headers DIR .. with other header groups

A file is written only when its content changes, and all or nothing: an error leaves the folder as it was.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from . import folder, groups, headers, ids, json_types, lore, merge, output, own, plan, render, shapes
from .errors import GenError
from .facts import Facts
from .kept import kept
from .plan.printed import definitions

GENERATED = Path(__file__).parent.parent / "generated"


def add_source_arguments(parser: argparse.ArgumentParser) -> None:
    source = parser.add_mutually_exclusive_group()
    source.add_argument("--headers", type=Path, metavar="DIR", help="scan this tree instead of using committed facts")
    source.add_argument("--installed", action="store_true", help="scan the installed headers instead")
    parser.add_argument("--release", type=int, metavar="NN", help="of the tree; else libibverbs.pc tells it")
    parser.add_argument("--groups", type=Path, metavar="FILE", default=groups.DEFAULT, help="default: gen/groups.toml")
    parser.add_argument("--output", type=Path, metavar="DIR", default=GENERATED, help="default: generated/")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_source_arguments(parser)
    parser.add_argument("--quiet", action="store_true", help="do not list what was guessed")


def _order(found: list[groups.HeaderGroup], facts: list[Facts]) -> list[str]:
    """The groups that are wanted, and those that only facts know: lore speaks of all."""
    return list(dict.fromkeys([*(g.name for g in found), *(name for f in facts for name in f.groups)]))


def _from_tree(args: argparse.Namespace, found: list[groups.HeaderGroup]) -> plan.Plan:
    """The API of one tree: what it has, with the releases that the committed facts know of."""
    older = headers.committed()
    facts = headers.read(args.headers, args.release, found, older=older)
    names = merge.Names.of(facts)
    others = [f for f in older if f.release != facts.release]
    for same in older:
        if same.release == facts.release:
            merge.add_missing(facts, same)
    merge.agree(others, facts)
    api = merge.merge([*others, facts], _order(found, [facts, *others]))
    known = lore.load(api)
    objects = plan.plan_objects(api, known, found)
    merge.keep_only(api, names, facts.release)
    merge.keep_groups(api, [g.name for g in found])
    return plan.build(api, known, found, objects)


def _merged(found: list[groups.HeaderGroup]) -> merge.Api:
    facts = headers.committed()
    return merge.merge(facts, _order(found, facts))


def build(args: argparse.Namespace) -> plan.Plan:
    found = groups.load(args.groups)
    if args.headers or args.installed:
        return _from_tree(args, found)
    api = kept("api", [*headers.committed_bytes(), *(g.name.encode() for g in found)], lambda: _merged(found),
               (*headers.CODE, "merge"))
    known = lore.load(api)
    merge.keep_groups(api, [g.name for g in found])
    planned = plan.build(api, known, found)
    if is_whole(args):
        _number(planned)
        found = shapes.shapes(planned.objects.kinds, api.structs(), own.headers().structs)
        shapes.complete(found, planned.shapes)
        json_types.complete(json_types.types(definitions(planned)), planned.json_types)
    return planned


def _number(planned: plan.Plan) -> None:
    """Numbers for what is new; those of kinds are the ones that they were planned with."""
    ids.complete("kind", plan.kind_names(planned.lore), planned.ids.kind)
    for what, items in (("enum", planned.enums), ("struct", planned.named)):
        table = getattr(planned.ids, what)
        ids.complete(what, [item.name for item in items], table)
        ids.give(items, table)


def is_whole(args: argparse.Namespace) -> bool:
    """Whether all is planned that the project knows, so that what is new may have a number."""
    return not args.headers and not args.installed and args.groups == groups.DEFAULT


def run(args: argparse.Namespace) -> int:
    if (args.headers or args.installed) and args.output.resolve() == GENERATED.resolve():
        raise GenError("generated/ is made from the committed facts", hint="name another folder: --output DIR")
    planned = build(args)
    written, removed = folder.write(render.render(planned), args.output)
    if is_whole(args) and args.output.resolve() == GENERATED.resolve():
        output.write(planned.ids.text(), ids.PATH)
        output.write(shapes.text(planned.shapes), shapes.PATH)
        output.write(json_types.text(planned.json_types), json_types.PATH)
    if not args.quiet:
        for guess in planned.guesses:
            print(f"guessed: {guess}", file=sys.stderr)
    print(f"{written} files written, {removed} removed", file=sys.stderr)
    return 0
