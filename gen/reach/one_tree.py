# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""The API of one tree of headers, whatever it calls itself: a distribution may have added what newer releases brought,
and what lies in git is not yet what its number says.

How a thing looks is the tree's word. Lore speaks of all releases, and is checked with these; what the tree lacks is left out.
A thing that the tree has is as old as the tree at most, and one that it lacks is newer, unless the tree is newer than all that is known.
"""

from __future__ import annotations

from ..api import merge
from ..api.facts import Call, Facts, Param, Prototype
from ..api.merge import Api, Names
from ..errors import GenError
from ..fast.kept import digest, kept
from ..fast.record import changed
from ..know.groups import HeaderGroup
from ..know.model import Lore
from . import dates, headers, known
from .looked_for import look_for


def of_release(release: int, names: Names, found: list[HeaderGroup]) -> tuple[Api, Lore]:
    """The same of a tree that says what the committed facts of its release say, or less; kept from one run to the next."""
    has = "\0".join(sorted(names.names)).encode()
    return kept(f"tree-{release}-{digest([has]).hex()[:8]}", [has, *known.parts(found)],
                lambda: beside(headers.committed_of(release) or Facts(release), names, found), known.CODE)


def beside(tree: Facts, names: Names, found: list[HeaderGroup]) -> tuple[Api, Lore]:
    """The API of all releases with everything as the tree has it, and lore."""
    others = headers.committed()
    merge.agree(others, tree)
    api, said = _newest(tree, others, found) if all(f.release < tree.release for f in others) else _known(tree, others, names, found)
    api.of_tree = tree.release
    return api, said


def _known(tree: Facts, others: list[Facts], names: Names, found: list[HeaderGroup]) -> tuple[Api, Lore]:
    """Of a release that is known, or between those that are: what it lacks is to come."""
    last = max([tree.release, *(f.release for f in others)]) + 1
    api = merge.merge([*others, changed(tree, release=last)], known.order(found, [tree, *others]))
    committed, said, since = _lore(api, found, tree)
    api.releases = sorted({*(f.release for f in others), tree.release})
    _date(api, since, names, tree.release)
    for name, call in api.calls().items():
        if name in names.names:
            _declare(call, committed.calls().get(name, call), tree.release)
    return api, said


def _newest(tree: Facts, others: list[Facts], found: list[HeaderGroup]) -> tuple[Api, Lore]:
    """A release after all that are known: what it lacks is gone."""
    from ..know import lore  # takes a while to load

    api = merge.merge([*others, tree], known.order(found, [tree, *others]))
    said = lore.load(api)
    look_for(api, said, found)
    return api, said


def _lore(api: Api, found: list[HeaderGroup], tree: Facts) -> tuple[Api, Lore, dict[str, int]]:
    """The API of the committed releases, what lore says, which may speak of what the tree alone has, and since when a thing is there."""
    try:
        committed, said = known.read(found)
        return committed, said, {name: d.item.since for name, d in dates.dated(committed).items()}
    except GenError:
        from ..know import lore

        others = headers.committed()
        committed = merge.merge(others, known.order(found, others))
        _date_as_committed(api, committed, tree.release)
        api.told = {tree.release: tree.told}  # of what it alone has nobody else tells
        said = lore.load(api, others=committed)
        look_for(api, said, found)
        return committed, said, {name: d.item.since for name, d in dates.dated(api).items()}


def _date_as_committed(api: Api, committed: Api, release: int) -> None:
    """Lore tells of committed releases when things came and went, and the tree is none of those; what it alone has is as old as it is."""
    there = {name: d.item for name, d in dates.dated(committed).items()}
    for name, d in dates.dated(api).items():
        known_as = there.get(name)
        d.item.since, d.item.until = (known_as.since, known_as.until) if known_as else (release, 0)
    api.releases = committed.releases


def _date(api: Api, since_of: dict[str, int], names: Names, release: int) -> None:
    tag_of = {m.name: m.text for m in api.macros().values() if m.kind == "alias"}
    for name, d in dates.dated(api).items():
        whole, dot, rest = name.partition(".")
        has = name in names.names or tag_of.get(whole, whole) + dot + rest in names.names
        since = since_of.get(name, release)
        d.item.since = min(since, release) if has else max(since, release + 1)
        d.item.until = d.item.before = 0  # it is not gone, but there, or to come
    for enum in api.enums().values():
        if not enum.named:
            enum.since, enum.until = min(v.since for v in enum.values), 0


def _declare(call: Call, committed: Call, release: int) -> None:
    """A function takes what the tree declares, by the names that lore knows; for who passes something else it is not there."""
    declared = call.prototypes[-1] if call.prototypes else Prototype(release, call.result, call.params)
    if call.exported:
        call.exported, call.library = [], call.library if call.kind == "extern" else ""
    if len(declared.params) == len(committed.params):
        declared.params = [Param(old.name, new.type) for old, new in zip(committed.params, declared.params, strict=True)]
    call.until, call.prototypes = 0, []
    if merge.takes_the_same(committed, declared):
        call.result, call.params = declared.result, declared.params
    else:
        call.result, call.params, call.until = committed.result, committed.params, release - 1
        call.prototypes = [Prototype(call.since, call.result, call.params, call.until), changed(declared, since=release, until=0)]
