# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""The header groups of groups.toml."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from ..errors import GenError, close
from ..fast.record import field, value
from ..fast.typed import Any
from ..files import tomlfile
from ..paths import GROUPS
from .values import Keys, List, Map, NoNames, Number, Place, Text

# How a function tells of a failure; gen/lore/calls.toml says what each means.
# And of which kinds what it returns may be; none where any will do.
CONVENTIONS: dict[str, tuple[str, ...]] = {"null": ("pointer", "function"), "minus-one": ("int",), "errno-returned": ("int", "uint"), "negative-errno": ("int",), "count": ("int",),
                                           "own": ("int",), "text": ("pointer",), "none": ()}
OF_NUMBERS = tuple(name for name, kinds in CONVENTIONS.items() if "int" in kinds or not kinds)


@value
class HeaderGroup:
    name: str
    headers: list[str]
    library: str
    package: str = ""
    errors: str = "errno-returned"
    first: int = 0
    until: int = 0
    newer: dict[str, int] = field(default_factory=dict)  # headers that came later, and when
    older: dict[str, int] = field(default_factory=dict)  # headers that went before the others, and the last release that has each
    wants: list[str] = field(default_factory=list)
    prefix: str = ""  # of its functions, which methods are without
    kernel: str = ""  # what those of the kernel's names begin with that comments have in place of the group's
    word: str = ""  # that kinds and methods of it have instead, such as mlx5; none for those of libibverbs
    provider: str = ""  # the library that a context must be of before one of its functions is called

    def is_in(self, release: int) -> bool:
        return self.first <= release and (not self.until or release <= self.until)

    def first_of(self, header: str) -> int:
        """The oldest release that has a header; 0 where all that we know have it."""
        return max(self.first, self.newer.get(header, 0))

    def last_of(self, header: str) -> int:
        """The last release that has a header; 0 where the newest has it."""
        return min(filter(None, (self.until, self.older.get(header, 0))), default=0)

    def has(self, header: str, release: int) -> bool:
        last = self.last_of(header)
        return self.first_of(header) <= release and (not last or release <= last)

    def until_word(self, header: str) -> str:
        """The key that says which release is the last that has a header: of the first, and so of the group, it is another."""
        return "older" if header in self.headers[1:] else "until"


HEADERS = List(Text("a header as #include names it", re.compile(r"\w[\w.-]*(?:/\w[\w.-]*)*", re.A)), must="a list of headers")
NAME = re.compile(r"[A-Za-z_]\w*", re.A)
SONAME = re.compile(r"lib[\w+-]+\.so\.\d+(\.\d+)*", re.A)
GROUP = Keys({
    "headers": HEADERS,
    "library": Text("the soname of a library, such as libibverbs.so.1", SONAME),
    "package": Text("the name of a package, without quotes", re.compile(r'[^"\\]+')),
    "errors": Text("a convention of gen/lore/calls.toml that an int can have", known=OF_NUMBERS),
    "first": Number("a release of rdma-core", 1, 999),
    "until": Number("the last release that has the headers", 1, 999),
    "newer": Map(Text("a header of the group", re.compile(r"\w[\w./-]*", re.A)), Number("the first release that has a header", 1, 999),
                 must="the first release for each of some headers"),
    "older": Map(Text("a header of the group", re.compile(r"\w[\w./-]*", re.A)), Number("the last release that has a header", 1, 999),
                 must="the last release for each of some headers"),
    "wants": List(Text("a structure", NAME), empty=True, must="a list of structures"),
    "prefix": Text("what the names of its functions begin with", NAME),
    "kernel": Text("what the kernel's names begin with", NAME),
    "word": Text("what the names of its kinds begin with", re.compile(r"[a-z][a-z0-9]*")),
    "provider": Text("the name of a provider's library, such as libmlx5", re.compile(r"lib\w+", re.A)),
}, ("headers", "library"))
REFRESH = "make facts with: python3 -m gen scan --refresh; of a release that was taken in: ./dev release NN; of one tree: --headers DIR or --installed"
WHY = Text("why nothing is read of a header")


def _check_headers(doc: tomlfile.Document, groups: list[HeaderGroup]) -> None:
    """A header belongs to one group."""
    group_of: dict[str, str] = {}
    for group in groups:
        for header in group.headers:
            if header in group_of:
                raise doc.error(f"group.{group.name}", "headers", f"{header}: is in {group_of[header]} as well")
            group_of[header] = group.name


def _check_apart(doc: tomlfile.Document, groups: list[HeaderGroup]) -> None:
    """By these, functions, kinds and devices are known to be of a group, and of that alone."""
    seen: dict[tuple[str, str], str] = {}
    for group in groups:
        for key in ("prefix", "word", "provider"):
            said = getattr(group, key)
            if said and seen.setdefault((key, said), group.name) != group.name:
                raise doc.error(f"group.{group.name}", key, f"{group.name}: {key}: {said}: is that of {seen[key, said]} as well")


def _group(doc: tomlfile.Document, name: str, entry: Any) -> HeaderGroup:
    place = Place(doc, "group", name, entry)
    if not NAME.fullmatch(name):
        raise place.wrong(f"{name!r}: must be a name such as mlx5dv")
    if not isinstance(entry, dict):
        raise place.wrong(f"a header group is a table of its own: [group.{name}]")
    GROUP.check(NoNames(), place, entry)
    return HeaderGroup(name, **entry)


def _check_newer(doc: tomlfile.Document, groups: list[HeaderGroup]) -> None:
    """A group as a whole has a release of its own."""
    for group in groups:
        if group.until and group.until < group.first:
            raise doc.error(f"group.{group.name}", "until", f"{group.name}: until: {group.until} is before {group.first}, the first that has it")
        for word, whole in (("newer", "first"), ("older", "until")):
            for header in getattr(group, word):
                if header not in group.headers[1:]:
                    hint = f"of the first, and so of the group, tell it by: {whole}" if header in group.headers else close(header, group.headers)
                    raise doc.error(f"group.{group.name}", word, f"{group.name}: {word}: {header}: is none of the headers behind the first", hint)
        for header, last in group.older.items():
            if last < group.first_of(header):
                raise doc.error(f"group.{group.name}", "older", f"{group.name}: older: {header}: {last} is before {group.first_of(header)}, the first that has it")
            if group.until and last >= group.until:
                raise doc.error(f"group.{group.name}", "older", f"{group.name}: older: {header}: {last} is not before {group.until}, the last that has any of them")


def check_known(path: Path, groups: list[HeaderGroup], known: Mapping[str, Mapping[str, list[int]]], releases: list[int]) -> None:
    """Whether committed facts are of all these headers, and of no others of these groups.

    `known` has those that they are of, and of which of the releases that there are facts of.
    """
    doc = tomlfile.load(path)
    for group in groups:
        facts_of = known.get(group.name, {})
        for header in group.headers:
            if header not in facts_of:
                near = close(header, facts_of)
                raise doc.error(f"group.{group.name}", "headers", f"{group.name}: {header}: no facts are of this header",
                                f"{near} If the header is new, " + REFRESH if near else REFRESH)
            _check_since(doc, group, header, min(facts_of[header]), releases)
            _check_until(doc, group, header, max(facts_of[header]), releases)
        lacks = next((header for header in facts_of if header not in group.headers), None)
        if lacks:
            raise doc.error(f"group.{group.name}", "headers", f"{group.name}: lacks {lacks}, which facts are of", REFRESH)


def _check_since(doc: tomlfile.Document, group: HeaderGroup, header: str, since: int, releases: list[int]) -> None:
    first = group.first_of(header)
    if first > since:
        word = "newer" if header in group.newer and group.newer[header] == first else "first"
        raise doc.error(f"group.{group.name}", word, f"{group.name}: {word}: facts of release {since} are of {header}",
                        f"say in this group since when it is there: {since} or before")
    before = max((r for r in releases if r < since), default=0)
    if first <= before and before:
        raise doc.error(f"group.{group.name}", "headers", f"{group.name}: {header}: facts of releases before {since} are without it",
                        f'say in this group since when it is there: newer = {{ "{header}" = {since} }}')


def _check_until(doc: tomlfile.Document, group: HeaderGroup, header: str, until: int, releases: list[int]) -> None:
    last = group.last_of(header)
    if last and last < until:
        word = "older" if group.older.get(header) == last else "until"
        raise doc.error(f"group.{group.name}", word, f"{group.name}: {word}: facts of release {until} are of {header}",
                        f"say in this group which was the last that has it: {until} or one behind")
    after = min((r for r in releases if r > until), default=0)
    if after and not (last and last < after):
        word = group.until_word(header)
        raise doc.error(f"group.{group.name}", word if getattr(group, word) else "headers", f"{group.name}: {header}: facts of release {after} are without it",
                        "say in this group which was the last that has it: " + (f'older = {{ "{header}" = {until} }}' if word == "older" else f"until = {until}"))


def _tables(doc: tomlfile.Document) -> dict[str, Any]:
    """The groups, as far as they are tables of lists."""
    groups = doc.data.get("group")
    return {n: e for n, e in groups.items() if isinstance(e, dict) and isinstance(e.get("headers"), list)} if isinstance(groups, dict) else {}


def load(path: Path = GROUPS) -> list[HeaderGroup]:
    """The groups, in the order of the file."""
    doc = tomlfile.load(path)
    other = next((table for table in doc.data if table not in ("group", "unread")), None)
    if other is not None:
        raise doc.error("", other, f"{other}: this file has [group.NAME] and [unread] alone")
    unread = doc.data.get("unread", {})
    if not isinstance(unread, dict):
        raise doc.error("", "unread", "unread: must be a table: [unread]")
    for header, why in unread.items():
        WHY.check(NoNames(), Place(doc, "unread", header), why)
        if reading := next((name for name, entry in _tables(doc).items() if header in entry.get("headers", ())), ""):
            raise doc.error("unread", header, f"{header}: is read, as a header of group.{reading}")
    groups = doc.data.get("group")
    if not isinstance(groups, dict) or not groups:
        raise GenError("no header group in this file", file=path, line=doc.line("", "group") or doc.line("group", None),
                       hint="an entry is [group.NAME] with headers and library")
    found = [_group(doc, name, entry) for name, entry in groups.items()]
    _check_headers(doc, found)
    _check_newer(doc, found)
    _check_apart(doc, found)
    return found
