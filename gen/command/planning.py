# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""What the arguments of a command ask for, as a plan: of all releases that facts are committed of, or of one tree of headers."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from functools import cache

from ..errors import GenError
from ..fast import kept, sources
from ..fast.aside import Aside
from ..fast.record import record
from ..fast.typed import TypeVar
from ..know import groups  # and no more before another process begins to read headers
from ..reach import tree
from .arguments import is_whole

TYPE_CHECKING = False  # typing takes a while to load
if TYPE_CHECKING:
    import argparse

    from ..know.remarks import Remarks
    from ..plan import Plan


@record
class Planned:
    """A plan, and what is wanted of it where nothing is rendered anew: one that was kept is loaded by who asks for it."""

    plan: Callable[[], Plan]
    vendors: list[str]  # headers that it has
    remarks: Remarks
    kept_by: tuple[str, bytes] = ("", b"")  # the name and the key of what it is kept by from one run to the next
    finish: Callable[[], None] = lambda: None  # find out what else is to be said of it, and let the next run have it, if this one has made it


def _head(plan: Plan) -> tuple[list[str], Remarks]:
    return [v.header for v in plan.objects.vendors], plan.remarks


ABI = f"{sources.GEN}/abi"
T = TypeVar("T")
Say = Callable[[], "Remarks"]  # what looks at the headers that a plan is of, and knows then all that is to be said
Use = Callable[[Planned, Say], T]


def _from_tree(reading: Aside[tree.Tree], args: argparse.Namespace, found: list[groups.HeaderGroup], use: Use[T]) -> T:
    """The API of one tree: what it has, with the releases that the committed facts know of.

    Most trees say what the facts say that are committed of their release. What follows from these is planned and used while another
    process reads the headers, and counts if they do say so. Where lore speaks of what they alone have, nothing follows before.
    """
    expected, made = tree.expected(args.headers, args.release), list[T]()
    if expected and not reading.is_done():
        with suppress(GenError):
            made = [use(*_planned(expected, args, found))]
    there = reading.result()
    return made[0] if made and there == expected else use(*_planned(there, args, found))


def _planned(there: tree.Tree, args: argparse.Namespace, found: list[groups.HeaderGroup]) -> tuple[Planned, Say]:
    from ..api import facts
    from ..reach import vanished

    has = tree.groups_of(found, args.headers, there.release)
    if vanished.lacks(there):
        vanished.refuse_moved(args.headers, there.release, there.names, has)
    if there.facts:
        linked = getattr(args, "linked", False)
        what = f"{facts.to_json(there.facts)} {sorted(there.names.names)} {has} {sorted(there.told_of)} {linked}"
        whole = list[bytes]()
        planned = _kept(f"other-{there.release}", what, found, lambda: _plan_tree(there, found, has, linked, whole), lambda plan: _say_of_unknown(plan, there, whole))
    else:
        planned = _kept(f"tree-{there.release}", f"{sorted(there.names.names)} {has}", found, lambda: _plan_known_tree(there, found, has))
    return planned, lambda: _look_at_tree(planned, there, args, found)


def _plan_tree(there: tree.Tree, found: list[groups.HeaderGroup], has: list[groups.HeaderGroup], linked: bool = False, whole: list[bytes] | None = None) -> Plan:
    """The API is cut down for it; a copy of what it was before is left in `whole`."""
    import pickle

    from .. import plan
    from ..api import merge
    from ..reach import looked_for, one_tree

    api, said = (one_tree.beside(there.facts, there.names, found) if there.facts
                 else one_tree.of_release(there.release, there.names, found))
    if linked:
        looked_for.refuse(api, said)
    if whole is not None:
        whole.append(pickle.dumps(api, pickle.HIGHEST_PROTOCOL))
    objects = plan.plan_objects(api, said, found)
    merge.keep_only(api, there.names, there.release)
    merge.keep_groups(api, [g.name for g in has])
    return plan.build(api, said, has, objects)


def _plan_known_tree(there: tree.Tree, found: list[groups.HeaderGroup], has: list[groups.HeaderGroup]) -> Plan:
    """With all that is to be said of it, which is no other where committed facts know the tree."""
    from ..plan.remarks import say
    from ..reach import headers
    from ..reach.news import News

    plan = _plan_tree(there, found, has)
    say.say(plan, News(max(headers.committed_paths())))
    return plan


def _kept(name: str, what: str, found: list[groups.HeaderGroup], make: Callable[[], Plan], say: Callable[[Plan], None] = lambda _: None) -> Planned:
    """A plan of an earlier run, if nothing that plans are made of has changed: then only what is made of it has, such as a template.

    What there is to `say` of it takes a while, and is kept with it.
    """
    key = kept.digest([f"{what} {found}".encode(), *plan_parts(found)])
    head: list[tuple[list[str], Remarks]] = kept.found_objects(f"head-{name}", key)
    made: list[Plan] = []

    @cache
    def plan() -> Plan:
        of_before: list[Plan] = kept.found_objects(f"plan-{name}", key) if head else []
        if not of_before:
            made.append(make())
        return (of_before or made)[0]

    def finish() -> None:
        if not head:
            say(plan())
        for new in made:
            new.asserted, new.describe.packed  # take a while, and are kept with it
            kept.keep(f"plan-{name}", key, new)
        if not head:
            kept.keep(f"head-{name}", key, _head(plan()))

    return Planned(plan, *(head[0] if head else _head(plan())), (name, key), finish)


def plan_parts(found: list[groups.HeaderGroup]) -> list[bytes]:
    """All that a plan is made of and by: all modules, as nobody would keep a list of those that have no part in it."""
    from ..reach import known

    files = {**sources.modules(), **sources.contents(ABI)}
    return ["\0".join(files).encode(), *files.values(), *known.parts(found)]


def _look_at_tree(planned: Planned, there: tree.Tree, args: argparse.Namespace, found: list[groups.HeaderGroup]) -> Remarks:
    from ..know import places
    from ..reach import claims, moved, unread, vanished

    planned.finish()
    remarks = planned.remarks
    if said := claims.against(args.headers, args.release):
        remarks.add(str(args.headers), f"--release {args.release}", said)
    moved.add(there, lambda: planned.plan().lore, remarks)
    if vanished.lacks(there):
        vanished.add(there, tree.groups_of(found, args.headers, there.release), planned.plan().lore, remarks)
    unread.add(args.headers, args.groups, found, remarks, there.release, args.symbols or ())
    if getattr(args, "quiet", False):  # they are counted, and nobody sees their lines
        remarks.in_order(_order(found))
    else:
        places.place(remarks, args.headers, _order(found))
    return remarks


def _say_of_unknown(plan: Plan, there: tree.Tree, whole: list[bytes]) -> None:
    import pickle

    from ..plan.remarks import say
    from ..reach import headers
    from ..reach.news import News

    say.say(plan, News(max(headers.committed_paths()), headers.committed()), there.told_of, lambda: pickle.loads(whole[0]))


def _whole(args: argparse.Namespace, found: list[groups.HeaderGroup]) -> tuple[Planned, Say]:
    planned = _kept("whole", f"{is_whole(args)}", found, lambda: _plan_whole(args, found))

    def say() -> Remarks:
        planned.finish()  # which takes a while: aside, as all that is to be said
        return planned.remarks

    return planned, say


def _plan_whole(args: argparse.Namespace, found: list[groups.HeaderGroup]) -> Plan:
    from .. import plan
    from ..api import merge, own
    from ..plan.remarks import say
    from ..plan.documents.printed import definitions
    from ..promise import json_types, shapes
    from ..reach import known
    from ..reach.news import News

    api, lore = known.read(found)
    groups.check_known(args.groups, found, {g.name: g.header_in for g in api.groups.values()}, api.releases)
    merge.keep_groups(api, [g.name for g in found])
    planned = plan.build(api, lore, found)
    if is_whole(args):
        _number(planned)
    say.say(planned, News(planned.api.newest), frozenset(planned.api.told[planned.api.newest]))
    if is_whole(args):
        undecided = _undecided(planned)
        found_shapes = shapes.shapes(planned.objects.kinds, api.structs(), own.headers().structs, planned.shapes)
        shapes.complete(found_shapes, planned.shapes, undecided)
        json_types.complete(json_types.types(definitions(planned)), planned.json_types, undecided, {s.name: s.header for s in api.structs().values()})
    planned.remarks.in_order(_order(found))
    return planned


def _order(found: list[groups.HeaderGroup]) -> list[str]:
    return [h for g in found for h in g.headers]


def _undecided(planned: Plan) -> set[str]:
    """Fields that lore has yet to say something about, also those of init structures that are made of them: nothing is promised of these."""
    names = {r.name for r in planned.remarks.unsettled}
    return names | {f"vx_{k.name}_init.{name.partition('.')[2]}" for k in planned.objects.kinds for name in names if name.startswith(f"{k.attr}.")}


def build(args: argparse.Namespace) -> Plan:
    """A plan, and all that is to be said of it."""
    def whole(planned: Planned, say: Say) -> Plan:
        plan = planned.plan()
        plan.remarks = say()
        return plan

    return begin(args, whole)


def begin(args: argparse.Namespace, use: Use[T]) -> T:
    """What is made of a plan that can be rendered, and of what finds out what is to be said of it."""
    if args.release and not (args.headers or args.installed):
        raise GenError(f"--release {args.release} is of headers that are scanned", hint="give --headers DIR or --installed with it")
    if args.symbols and not (args.headers or args.installed):
        raise GenError("--symbols are of headers that are scanned", hint="give --headers DIR or --installed with it")
    found = groups.load(args.groups)
    if not args.headers and not args.installed:
        return use(*_whole(args, found))
    with Aside(lambda: tree.read(args.headers, args.release, found, args.symbols)) as reading:
        return _from_tree(reading, args, found, use)


def _number(planned: Plan) -> None:
    """Numbers for what is new; those of kinds are the ones that they were planned with."""
    from ..plan import kind_names
    from ..promise import ids

    ids.complete("kind", kind_names(planned.lore), planned.ids.kind)
    for what, items in (("enum", planned.enums), ("struct", planned.named)):
        table = getattr(planned.ids, what)
        ids.complete(what, [item.name for item in items], table)
        ids.give(items, table)
