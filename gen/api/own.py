# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""What the hand-written public headers of libverbsx declare: functions, and structures with what is said of their members."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

from ..errors import GenError
from ..fast import sources
from ..fast.kept import kept
from ..fast.record import field, value
from ..files import textfile
from ..paths import ROOT

CODE = ("api", "errors", "fast", "files", "paths")  # all rooms that they are read by
HEADERS = ROOT / "runtime/include/verbsx"
UNNAMED = "reserved_"  # begins the names of bytes that nobody writes and nothing shows
EVERY_KIND_HAS = ("create", "adopt", "borrow", "import", "raw")
DOCUMENTED = re.compile(r"/\*\*(?!<)((?:(?!\*/).)*)\*/\n(?:VX_EXPORT|static inline) ([^;{]*\))", re.DOTALL)
FUNCTION = re.compile(r"\b(vx_\w+)\((.*)\)$", re.DOTALL)
INIT = re.compile(r"^struct vx_(\w+)_init \{\n(.*?)^\};", re.DOTALL | re.MULTILINE)
STRUCT = re.compile(r"^(struct|union) (vx_\w+) \{\n(.*?)^\};", re.DOTALL | re.MULTILINE)
DECLARED = re.compile(r"^[a-z][\w *]*\b(vx_\w+)\(", re.MULTILINE)
TAG = re.compile(r"\b(?:struct|union|enum) (vx_\w+) \{")
ENUM = re.compile(r"^enum (vx_\w+) \{\n(.*?)^\};", re.DOTALL | re.MULTILINE)
NUMBER = re.compile(r"(0x[0-9a-f]+|\d+)(?: << (\d+))?")
COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
MEMBER = re.compile(r"^\t([^/;]+);(?:\s*/\*\*<(.*?)\*/)?", re.DOTALL | re.MULTILINE)
MARGIN = re.compile(r"^\s*\* ?", re.MULTILINE)  # of the lines of a comment
WORD = re.compile(r"\w+")
STANDS = re.compile(r"Stands for (?:as many )?(.*?)\.(?: |$)")
MEMBER_NAME = re.compile(r"(\w+)(?:\[\w*\])*$")
NEXT = re.compile(r"(?<=\.) (?=[A-Z@])")  # between two sentences


@value
class OwnFunction:
    header: str
    name: str
    params: list[str]  # less the handle that it is a method of
    page: str  # what it stands for
    does: str  # the first sentence of its comment


@value
class OwnMember:
    declaration: str
    words: str


@value
class OwnStruct:
    name: str
    union: bool
    members: list[str]  # as they are declared
    header: str = ""


@value
class OwnEnum:
    name: str
    values: dict[str, int]
    header: str


@value
class OwnHeaders:
    functions: list[OwnFunction] = field(default_factory=list)
    inits: dict[str, list[OwnMember]] = field(default_factory=dict)  # by kind
    structs: list[OwnStruct] = field(default_factory=list)
    enums: list[OwnEnum] = field(default_factory=list)
    says: dict[str, str] = field(default_factory=dict)  # by "structure.member"

    def members(self, name: str) -> list[str]:
        """The names of those of a structure."""
        return [MEMBER_NAME.findall(m)[0] for s in self.structs if s.name == name for m in s.members]

    def of(self, prefix: str) -> list[OwnFunction]:
        return [f for f in self.functions if f.name.startswith(f"vx_{prefix}_")]

    def of_kind(self, kind: str) -> list[OwnFunction]:
        """The functions of a kind, less those that every kind has."""
        alike = {f"vx_{kind}_{verb}" for verb in EVERY_KIND_HAS}
        return [f for f in self.of(kind) if f.name not in alike]


def _flat(comment: str) -> str:
    """The text of a comment in one line."""
    return " ".join(MARGIN.sub(" ", comment).split())


def _function(comment: str, declaration: str, path: Path, line: int) -> OwnFunction:
    found = FUNCTION.search(declaration)
    if not found:
        raise GenError(f"a comment before no function: {declaration}", file=path, line=line)
    name, given = found.groups()
    params = [p.split()[-1].lstrip("*").removesuffix("[]") for p in given.split(",") if p != "void"]
    owner = re.match(r"(?:const )?struct (vx_\w+) \*\w", given)
    if owner and name.startswith(f"{owner[1]}_"):
        params = params[1:]
    text = _flat(comment)
    stands = STANDS.search(text)
    return OwnFunction(path.name, name, params, stands[1] if stands else "", NEXT.split(text)[0])


def _struct(header: str, word: str, name: str, body: str) -> OwnStruct:
    members = [" ".join(m.split()) for m in COMMENT.sub("", body).split(";")]
    return OwnStruct(name, word == "union", [m for m in members if m], header)


def _enum(path: Path, text: str, name: str, body: str) -> OwnEnum:
    values: dict[str, int] = {}
    for declaration in COMMENT.sub("", body).split(","):
        enumerator, _, written = (part.strip() for part in declaration.partition("="))
        number = NUMBER.fullmatch(written)
        if written and not number:
            line = text.count("\n", 0, text.index(written, text.index(body))) + 1
            raise GenError(f"enum {name}: {written}: no number that is understood", file=path, line=line, hint="write it as 4, 0x10 or 1 << 3")
        if enumerator:
            after = max(values.values(), default=-1) + 1
            values[enumerator] = int(number[1], 0) << int(number[2] or 0) if number else after
    return OwnEnum(name, values, f"verbsx/{path.name}")


def _said(name: str, body: str) -> dict[str, str]:
    return {f"{name}.{WORD.findall(declaration)[-1]}": _flat(words) for declaration, words in MEMBER.findall(body) if words}


@cache
def private() -> tuple[frozenset[str], frozenset[str]]:
    """The functions and the tags that the runtime has for itself, by which nothing else may be called."""
    text = "\n".join(data.decode(errors="replace") for data in sources.private().values())
    return frozenset(DECLARED.findall(text)), frozenset(TAG.findall(text))


@cache
def headers() -> OwnHeaders:
    """Those of libverbsx, read once in a run, and kept for the next."""
    files = sources.contents(HEADERS)
    return kept("own", ["\0".join(files).encode(), *files.values()], lambda: read(HEADERS), CODE)


def read(folder: Path) -> OwnHeaders:
    """Those of a folder, in the order of their names."""
    out = OwnHeaders()
    for path in sorted(folder.glob("*.h")):
        text = textfile.read(path)
        out.functions += [_function(*match.groups(), path, text.count("\n", 0, match.start()) + 1) for match in DOCUMENTED.finditer(text)]
        for kind, body in INIT.findall(text):
            out.inits[kind] = [OwnMember(" ".join(d.split()), _flat(w)) for d, w in MEMBER.findall(body)]
        out.structs += [_struct(f"verbsx/{path.name}", *found) for found in STRUCT.findall(text)]
        out.enums += [_enum(path, text, *found) for found in ENUM.findall(text)]
        for _, name, body in STRUCT.findall(text):
            out.says |= _said(name, body)
    return out
