# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""What headers say in comments of what they declare; kept from one run to the next."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..api.own import MARGIN, UNNAMED
from ..fast.kept import kept
from ..fast.record import value

CODE = ("api", "errors", "fast", "files", "paths", "scan")  # all rooms that they are read by
COMMENT = re.compile(r"^/\*\*(?!<)((?:(?!\*/).)*)\*/\n", re.DOTALL | re.MULTILINE)
FUNCTION = re.compile(r"(?:VX_EXPORT |static inline )?(?:VX_(?:CONST|DIRECT) )*([^;{#]*?\b(vx_\w+)\([^;{]*\))\s*[;{]")
RECORD = re.compile(r"(struct|union|enum) (vx_\w+) \{\n(.*?)^\}", re.DOTALL | re.MULTILINE)
MACRO = re.compile(r"(?:#if.*?)?#define ((?:VX|vx)_\w+(?:\([^)]*\))?)", re.DOTALL)
TYPE = re.compile(r"typedef ([^;]*?\b(vx_\w+)\b[^;]*);")
MEMBER = re.compile(r"(?:/\*\*(?!<)((?:(?!\*/).)*)\*/\s*)?([^;/{}]+[^;/{}\s]);(?:[ \t]*/\*\*<((?:(?!\*/).)*)\*/)?", re.DOTALL)
ENUMERATOR = re.compile(r"(?:/\*\*(?!<)((?:(?!\*/).)*)\*/\s*?\n)?^\t(VX_\w+)(?: = [^,/\n]*)?,?(?:[ \t]*/\*\*<((?:(?!\*/).)*)\*/)?",
                        re.DOTALL | re.MULTILINE)
NAME = re.compile(r"(\w+)(?:\[\w*\]|\)\(.*\)| : \d+)?$", re.DOTALL)


@value
class Documented:
    """Something that a program may name."""

    kind: str  # as a reader is told
    name: str  # of a field with that of its structure before a dot
    header: str
    declared: str  # as C has it
    says: str
    takes: str = ""  # its parameters, each with what it is
    returns: str = ""


def _flat(text: str) -> str:
    """A comment in one line; a parameter in it is a word like others."""
    return " ".join(MARGIN.sub(" ", text).replace("@p ", "").split())


def _spoken(comment: str) -> tuple[str, str, str]:
    """What a comment says, of the parameters, and of the result."""
    says, takes, returns = [], [], []
    for paragraph in re.split(r"\n\s*\*[ \t]*\n", comment):
        before, *tagged = re.split(r"@(?=param|return)", paragraph)
        says.append(_flat(before))
        for tag in map(_flat, tagged):
            word, _, text = tag.partition(" ")
            (returns if word == "return" else takes).append(text.replace(" ", ": ", 1) if word == "param" else text)
    return " ".join(filter(None, says)), "; ".join(takes), " ".join(returns)


def _members(header: str, name: str, body: str) -> Iterator[Documented]:
    for before, declared, behind in MEMBER.findall(body):
        found = NAME.search(declared.strip())
        if found and not found[1].startswith(UNNAMED):
            yield Documented("field", f"{name}.{found[1]}", header, _flat(declared), _flat(before or behind))


def _record(header: str, says: str, word: str, name: str, body: str) -> Iterator[Documented]:
    yield Documented(word, name, header, f"{word} {name}", says)
    if word == "enum":
        yield from (Documented("enumerator", e, header, f"enum {name}", _flat(before or behind)) for before, e, behind in ENUMERATOR.findall(body))
    else:
        yield from _members(header, name, body)


def _documented(header: str, text: str) -> Iterator[Documented]:
    for comment in COMMENT.finditer(text):
        (says, takes, returns), at = _spoken(comment[1]), comment.end()
        if function := FUNCTION.match(text, at):
            yield Documented("function", function[2], header, _flat(function[1]), says, takes, returns)
        elif record := RECORD.match(text, at):
            yield from _record(header, says, *record.groups())
        elif macro := MACRO.match(text, at):
            yield Documented("macro", macro[1].partition("(")[0], header, macro[1], says, takes, returns)
        elif named := TYPE.match(text, at):
            yield Documented("type", named[2], header, _flat(named[1]), says)


def read(headers: dict[str, str]) -> list[Documented]:
    """All that headers document, in the order of their names; they are given by these, with their texts."""
    parts = [part.encode() for header in sorted(headers.items()) for part in header]
    return kept("comments", parts, lambda: [item for name in sorted(headers) for item in _documented(f"verbsx/{name}", headers[name])], CODE)
