# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""What the arguments of a command ask for, as a plan: of all releases that facts are committed of, or of one tree of headers."""

from __future__ import annotations

import argparse

from . import groups, headers, ids, json_types, known, merge, own, places, plan, shapes
from .arguments import is_whole
from .plan.printed import definitions


def _from_tree(args: argparse.Namespace, found: list[groups.HeaderGroup]) -> plan.Plan:
    """The API of one tree: what it has, with the releases that the committed facts know of."""
    from . import lore

    older = headers.committed()
    facts = headers.read(args.headers, args.release, found, older=older)
    names = merge.Names.of(facts)
    others = [f for f in older if f.release != facts.release]
    for same in older:
        if same.release == facts.release:
            merge.add_missing(facts, same)
    merge.agree(others, facts)
    api = merge.merge([*others, facts], known.order(found, [facts, *others]))
    said = lore.load(api)
    objects = plan.plan_objects(api, said, found)
    merge.keep_only(api, names, facts.release)
    merge.keep_groups(api, [g.name for g in found])
    return plan.build(api, said, found, objects)


def build(args: argparse.Namespace) -> plan.Plan:
    found = groups.load(args.groups)
    order = [h for g in found for h in g.headers]
    if args.headers or args.installed:
        planned = _from_tree(args, found)
        places.place(planned.remarks, args.headers, order)
    else:
        planned = _of_all_releases(args, found)
        planned.remarks.in_order(order)
    return planned


def _of_all_releases(args: argparse.Namespace, found: list[groups.HeaderGroup]) -> plan.Plan:
    api, lore = known.read(found)
    merge.keep_groups(api, [g.name for g in found])
    planned = plan.build(api, lore, found)
    if is_whole(args):
        _number(planned)
        found = shapes.shapes(planned.objects.kinds, api.structs(), own.headers().structs, planned.shapes)
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
