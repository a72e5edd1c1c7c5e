# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""What the public headers say of all that they declare, for tools that explain: a line each."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from . import own, shapes
from .plan import Plan
from .record import record

COMMENT = re.compile(r"^/\*\*(?!<)((?:(?!\*/).)*)\*/\n", re.DOTALL | re.MULTILINE)
FUNCTION = re.compile(r"(?:VX_EXPORT |static inline )?([^;{#]*?\b(vx_\w+)\([^;{]*\))\s*[;{]")
RECORD = re.compile(r"(struct|union|enum) (vx_\w+) \{\n(.*?)^\}", re.DOTALL | re.MULTILINE)
MACRO = re.compile(r"(?:#if.*?)?#define ((?:VX|vx)_\w+(?:\([^)]*\))?)", re.DOTALL)
TYPE = re.compile(r"typedef ([^;]*?\b(vx_\w+)\b[^;]*);")
MEMBER = re.compile(r"(?:/\*\*(?!<)((?:(?!\*/).)*)\*/\s*)?([^;/{}]+[^;/{}\s]);(?:[ \t]*/\*\*<((?:(?!\*/).)*)\*/)?", re.DOTALL)
ENUMERATOR = re.compile(r"(?:/\*\*(?!<)((?:(?!\*/).)*)\*/\s*?\n)?^\t(VX_\w+)(?: = [^,/\n]*)?,?(?:[ \t]*/\*\*<((?:(?!\*/).)*)\*/)?",
                        re.DOTALL | re.MULTILINE)
NAME = re.compile(r"(\w+)(?:\[\w*\]|\)\(.*\)| : \d+)?$", re.DOTALL)

INSTEAD = "The file to open in the place of {}. Not looked at by a program that is setuid or setgid."


@record
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
    return " ".join(own.MARGIN.sub(" ", text).replace("@p ", "").split())


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
        if found and not found[1].startswith(shapes.UNNAMED):
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


def _variables(plan: Plan) -> Iterator[Documented]:
    """The variables of the environment: those of lore, and one for each library of rdma-core."""
    libraries = {plan.calls.texts[x.variable]: plan.calls.texts[x.soname] for x in plan.calls.libraries}
    said = plan.lore.variable | {name: INSTEAD.format(soname) for name, soname in libraries.items()}
    yield from (Documented("variable", name, "", "", says) for name, says in said.items())


def _terms(plan: Plan) -> Iterator[Documented]:
    yield from (Documented("term", name, "", "", says) for name, says in plan.lore.term.items())


def _handles(plan: Plan) -> Iterator[Documented]:
    """The structures that programs only see pointers to."""
    made = {k.name: (k.title, f"vx_{k.name}_create()") for k in plan.objects.kinds if k.type == k.name}
    for name, (title, maker) in {"ctx": ("an open device", "vx_ctx_open()"), **made}.items():
        says = f"Handle: {title}. {maker} makes one, and vx_close() ends it with all that depends on it."
        yield Documented("struct", f"vx_{name}", "verbsx/objects.h", f"struct vx_{name}", says)


def in_headers(files: dict[str, str]) -> list[Documented]:
    """What the headers document: those that were rendered, and those of the runtime."""
    texts = {Path(name).name: text for name, text in files.items() if name.startswith("include/verbsx/")}
    texts |= {path.name: path.read_text(encoding="utf-8") for path in own.HEADERS.glob("*.h")}
    return [item for header, text in sorted(texts.items()) for item in _documented(f"verbsx/{header}", text)]


def read(plan: Plan, files: dict[str, str]) -> list[Documented]:
    """What libverbsx has by name, in its headers and in the environment; fields in the order of their structure."""
    found = {item.name: item for item in [*in_headers(files), *_variables(plan), *_handles(plan), *_terms(plan)]}
    return sorted(found.values(), key=lambda item: item.name.partition(".")[0])
