# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""What is the same in several releases, though a newer one has it elsewhere, or by another name: in the facts of each it gets the place and
the name that programs know."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Iterator, Mapping

from .facts import Enum, Facts, Field, Group
from .facts_schema import KINDS

TAG = re.compile(r"\b(struct|union|enum) (\w+)")


def settle(facts: list[Facts]) -> None:
    """Of releases in their order."""
    _tags(facts)
    _homes(facts)
    _declared(facts)
    _fields(facts)
    for group in dict.fromkeys(name for fact in facts for name in fact.groups):
        _unnamed(facts, group)


def walk(fields: list[Field]) -> Iterator[Field]:
    for f in fields:
        yield f
        yield from walk(f.fields)


def rename(groups: Iterable[Group], names: Mapping[str, str]) -> None:
    """Call enums and structures otherwise, wherever they are spoken of."""
    def public(match: re.Match[str]) -> str:
        return f"{match[1]} {names.get(match[2], match[2])}"

    for group in groups if names else ():
        for items in (group.enums, group.structs):
            for old in [n for n in items if n in names]:
                item = items.pop(old)
                item.name = names[old]
                items[item.name] = item
        for struct in group.structs.values():
            for f in walk(struct.fields):
                f.ref, f.hint = names.get(f.ref, f.ref), names.get(f.hint, f.hint)
                f.type = TAG.sub(public, f.type)
        for call in group.calls.values():
            for form in (call, *call.prototypes):
                form.result = TAG.sub(public, form.result)
                for p in form.params:
                    p.type = TAG.sub(public, p.type)


def stand_ins(fact: Facts, tags: Container[str]) -> dict[str, str]:
    """Tags by those that macros let programs write in their place, where that is one that other headers declare: `tags`."""
    here = tags_of(fact)
    macros = (m for g in fact.groups.values() for m in g.macros.values())
    return {m.text: m.name for m in macros if m.kind == "alias" and m.text in here and m.name not in here and m.name in tags}


def tags_of(fact: Facts) -> set[str]:
    return {name for g in fact.groups.values() for items in (g.enums, g.structs) for name in items}


def _tags(facts: list[Facts]) -> None:
    """What one release declares by a name, and another by a second one that a macro of the first name stands for, has the first in both."""
    tags, before = set[str]().union(*map(tags_of, facts)), set[str]()
    for fact in facts:
        rename(fact.groups.values(), {tag: name for tag, name in stand_ins(fact, tags).items() if tag not in before})
        before |= tags_of(fact)


def _unnamed(facts: list[Facts], group: str) -> None:
    """Call an unnamed enum in each release as the oldest does that has one of its enumerators, also in one that gives it a tag."""
    key_of: dict[str, str] = {}
    values_of: dict[str, set[str]] = {}
    tags: set[str] = set()
    for fact in facts:
        renamed: dict[str, str] = {}
        enums = fact.groups[group].enums if group in fact.groups else {}
        for key, enum in list(enums.items()):
            names = {v.name for v in enum.values}
            known = next((key_of[v.name] for v in enum.values if v.name in key_of), key)
            if enum.named and (key in tags or known == key or not values_of[known] <= names):
                tags.add(key)
                continue
            enum.name, values_of[known] = known, names
            if known != key:
                del enums[key]
                whole = enums.setdefault(known, Enum(known, enum.header, shifts=enum.shifts))
                whole.values += enum.values  # it may be another part of what was one
                whole.shifts = whole.shifts and enum.shifts
            key_of.update({v.name: known for v in enum.values})
            renamed[key] = known
        for struct in fact.groups[group].structs.values() if group in fact.groups else ():
            for f in walk(struct.fields):
                f.ref, f.hint = renamed.get(f.ref, f.ref), renamed.get(f.hint, f.hint)


def _homes(facts: list[Facts]) -> None:
    """What has gone to a header of another group is of that group in all releases."""
    homes: dict[tuple[str, str], list[str]] = {}
    for fact in facts:
        of_this: dict[tuple[str, str], list[str]] = {}
        for group in fact.groups.values():
            for kind in KINDS:
                for name in getattr(group, kind):
                    of_this.setdefault((kind, name), []).append(group.name)
        homes |= of_this
    for fact in facts:
        for group in list(fact.groups.values()):
            for kind in KINDS:
                items = getattr(group, kind)
                for name in [name for name in items if group.name not in homes[kind, name]]:
                    home = homes[kind, name][0]
                    getattr(fact.groups.setdefault(home, Group(home, [])), kind).setdefault(name, items.pop(name))


def _declared(facts: list[Facts]) -> None:
    """A structure that headers have defined and now only declare is gone: what it was there stays as it was."""
    defined: set[str] = set()
    for fact in facts:
        for group in fact.groups.values():
            for name in [s.name for s in group.structs.values() if s.opaque and s.name in defined]:
                del group.structs[name]
            defined.update(s.name for s in group.structs.values() if not s.opaque)


def _fields(facts: list[Facts]) -> None:
    """A field that has another name now, and a macro for the one that programs know, goes on being called that."""
    before: dict[str, set[str]] = {}
    for fact in facts:
        names = {m.text: m.name for g in fact.groups.values() for m in g.macros.values() if m.kind == "alias"}
        for s in (s for g in fact.groups.values() for s in g.structs.values()):
            known = before.setdefault(s.name, set())
            for f in s.fields:
                if f.name in names and f.name not in known and names[f.name] in known:
                    f.name = names[f.name]
            known.update(f.name for f in s.fields)


def cut(of_releases: list[dict[str, Field]]) -> set[str]:
    """Take away what was a field and is bits of one now, which is something else: C tells no offset of it. Older releases keep what they have."""
    whole: set[str] = set()
    found: set[str] = set()
    for fields in of_releases:
        bits = [name for name, f in fields.items() if name in whole and f.bits is not None]
        for name in bits:
            del fields[name]
        found.update(bits)
        whole.update(name for name, f in fields.items() if f.bits is None)
    return found
