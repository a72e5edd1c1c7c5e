# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""How tables of lore, and groups, are described: what a value must be, and what the names in it refer to."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from ..errors import GenError, close
from ..fast.record import record
from ..fast.typed import Any, Protocol
from ..files import tomlfile

ODD = re.compile(r"[^ -~]|[?][?][=/'()!<>-]")  # trigraphs are other letters in C11
END = "*/"  # of a comment of C
BLANK = re.compile(r"[.?…\s]+")  # where the report proposes lore that a person has to complete

BLANKS = re.compile(r'"[.?…\s]+"')


@record
class Place:
    """Where something of lore stands: an entry of a table, and the keys that lead to it within that."""

    doc: tomlfile.Document
    table: str
    key: str
    entry: Any = None
    path: tuple[str, ...] = ()

    def below(self, name: str) -> Place:
        return Place(self.doc, self.table, self.key, self.entry, (*self.path, name))

    def line(self) -> tuple[tomlfile.Document, str, str | None]:
        """As the checks of names have it."""
        return (self.doc, f"{self.table}.{self.key}", self.path[0]) if self.path else (self.doc, self.table, self.key)

    def wrong(self, message: str, hint: str | None = None) -> GenError:
        _, table, key = self.line()
        return self.doc.error(table, key, f"{': '.join((self.key, *self.path))}: {message}", hint)


class Checker(Protocol):
    """What knows the names of an API; a check of names is a method that takes a line and a name."""

    late: list[Callable[[], None]]

    def of_struct(self, place: Place, key: str, name: str) -> None:
        """A field of the structure that another key of the same entry names."""


class NoNames:
    """Of files in which nothing refers to an API."""

    late: list[Callable[[], None]] = []

    def of_struct(self, place: Place, key: str, name: str) -> None:
        raise NotImplementedError


class What(Protocol):
    """What a value must be."""

    must: str

    def check(self, checker: Checker, place: Place, value: Any) -> None: ...


@record
class Text:
    """A text."""

    must: str = "a text"
    looks: re.Pattern[str] | None = None
    names: str = ""  # the check of names that it has to pass
    of: str = ""  # it is a field of the structure that this key of the same entry names
    late: bool = False  # what it names may stand in a later file
    known: tuple[str, ...] = ()  # all that it may be
    empty: bool = False  # nothing is an answer as well
    printed: bool = False  # it stands in no comment of C, and so may have what ends one, as paths do
    whole: Callable[[str], str] | None = None  # tells what is wrong with one that looks right, or ""

    def check(self, checker: Checker, place: Place, value: Any) -> None:
        if type(value) is not str:
            raise place.wrong(f"must be {self.must}")
        if not value:
            if not self.empty:
                raise place.wrong(f"must be {self.must}, and is empty")
            return
        if BLANK.fullmatch(value):
            raise place.wrong(f"{value!r}: still the blank of the report's proposal", f"say it: {self.must}{place.doc.others(BLANKS, place.doc.line(*place.line()[1:]))}")
        if odd := ODD.search(value):
            raise place.wrong(f"has {odd[0]!r}, which no text here may have", "plain ASCII, in one line")
        if END in value and not self.printed:
            raise place.wrong(f"has {END}, which would end the comment that it stands in")
        if self.looks and not self.looks.fullmatch(value):
            raise place.wrong(f"{value!r}: must be {self.must}")
        if self.whole and (why := self.whole(value)):
            raise place.wrong(f"{value!r}: must be {self.must}: {why}")
        if self.known and value not in self.known:
            raise place.wrong(f"{value}: must be {self.must}", close(value, self.known) or f"known: {', '.join(self.known)}")
        if self.of:
            checker.of_struct(place, self.of, value)
        if self.late:
            checker.late.append(lambda: self._named(checker, place, value))
        elif self.names:
            self._named(checker, place, value)

    def _named(self, checker: Checker, place: Place, name: str) -> None:
        try:
            getattr(checker, self.names)(*place.line(), name)
        except GenError as e:
            if e.file != place.doc.path:  # of what was read to know the names
                raise
            raise place.wrong(e.message.removeprefix(f"{place.key}: "), e.hint) from e


@record
class Number:
    must: str = "a number"
    least: int = -2**63
    most: int = 2**63 - 1

    def check(self, checker: Checker, place: Place, value: Any) -> None:
        if type(value) is not int:
            raise place.wrong(f"must be {self.must}")
        if not self.least <= value <= self.most:
            raise place.wrong(f"{value}: must be {self.must}, from {self.least} " + ("on" if self.most == 2**63 - 1 else f"to {self.most}"))


@record
class Truth:
    must: str = "true or false"
    either: bool = False

    def check(self, checker: Checker, place: Place, value: Any) -> None:
        if type(value) is not bool or not (value or self.either):
            raise place.wrong(f"must be {self.must}")


@record
class List:
    item: What
    empty: bool = False
    must: str = "a list"

    def check(self, checker: Checker, place: Place, value: Any) -> None:
        if type(value) is not list:
            raise place.wrong(f"must be {self.must}, each {self.item.must}")
        if not value and not self.empty:
            raise place.wrong("says nothing", "leave it out, or say something")
        for item in value:
            self.item.check(checker, place, item)


@record
class Map:
    """A table with keys of one sort, and values of one."""

    key: Text
    value: What
    empty: bool = False
    must: str = "a table"

    def check(self, checker: Checker, place: Place, value: Any) -> None:
        if type(value) is not dict:
            raise place.wrong(f"must be {self.must}")
        if not value and not self.empty:
            raise place.wrong("says nothing", "leave it out, or say something")
        for name, part in value.items():
            below = place.below(name)
            self.key.check(checker, below, name)
            self.value.check(checker, below, part)


@record
class Keys:
    """A table with certain keys."""

    known: Mapping[str, What]
    needs: tuple[str, ...] = ()
    must: str = "a table"

    def check(self, checker: Checker, place: Place, value: Any) -> None:
        if type(value) is not dict:
            raise place.wrong(f"must be {self.must}", f"such as {{ {next(iter(self.known))} = ... }}")
        if not value:
            raise place.wrong("says nothing", f"known: {', '.join(self.known)}")
        for name, part in value.items():
            if name not in self.known:
                raise place.below(name).wrong("no such key", close(name, self.known) or f"known: {', '.join(self.known)}")
            self.known[name].check(checker, place.below(name), part)
        for name in self.needs:
            if name not in value:
                raise place.wrong(f"lacks {name}")


@record
class Either:
    """One or the other, told apart by the type of TOML."""

    ways: Mapping[type, What]
    must: str

    def check(self, checker: Checker, place: Place, value: Any) -> None:
        if type(value) not in self.ways:
            raise place.wrong(f"must be {self.must}")
        self.ways[type(value)].check(checker, place, value)


@record
class Table:
    """A table of lore: what its keys are, and what each says."""

    key: Text
    value: What
    parts: bool = False  # several files may have a part of an entry
