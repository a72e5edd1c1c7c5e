# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""What a parameter, or what a call returns, is by its type in C: read once, for all that asks."""

from __future__ import annotations

import re
from functools import cache

from ..fast.record import value

WORD = re.compile(r"[A-Za-z_]\w*")  # of the text of a type: keywords and names
TYPE = re.compile(r"(const )?(?:(struct|union|enum) )?((?:unsigned )?\w+)(?: (\*(?:const )?\*|\*+))?(\[\d*\])?")
TO_FUNCTIONS = re.compile(r"\(\*+(?:\[\d*\])*\)\(")
TO_FUNCTION = re.compile(r"[^()]*\(\*(?: ?const)?(?:\[\d*\])*\)\(.*")  # or an array of such pointers
KINDS = {"bool": "bool|_Bool", "char": "char", "void": "void", "record": r"(?:struct|union)(?: \w+)?", "enum": r"enum(?: \w+)?",
         "int": r"short|int|long(?: long)?|signed char|ssize_t|(?:int|__s)(?:8|16|32|64)(?:_t)?",
         "uint": r"unsigned(?: char| short| int| long| long long)?|size_t|(?:uint|__be|__le|__u)(?:8|16|32|64)(?:_t)?"}
OF_KIND = {kind: re.compile(names) for kind, names in KINDS.items()}
NUMBER = re.compile(r"(?:unsigned )?(?:int|long|char)|s?size_t|(__be|u?int)(\d+)(?:_t)?")


@value
class CType:
    """A type as the headers spell it: "const struct ibv_gid *"; of what is none of these, a pointer to a function say, nothing is known."""

    const: bool = False  # what it points to is
    word: str = ""  # struct, union, enum
    name: str = ""  # its tag, or that of a type without one
    stars: str = ""
    array: str = ""  # "[6]"

    @property
    def to_struct(self) -> str:
        """The structure that it points to, be it by other pointers; "" for none."""
        return self.name if self.word == "struct" and self.stars else ""

    @property
    def to_one(self) -> str:
        """The structure or union that it points to itself."""
        return self.name if self.word in ("struct", "union") and self.stars == "*" and not self.array else ""

    @property
    def to_a_struct(self) -> str:
        return self.to_one if self.word == "struct" else ""

    def is_to(self, struct: str) -> bool:
        """Whether it points to a structure of this name, which may be that of none."""
        return bool(struct) and self.to_a_struct == struct

    @property
    def to_a_pointer(self) -> bool:
        return self.stars.endswith("**")

    @property
    def is_pointer(self) -> bool:
        """As a parameter, where arrays are pointers as well."""
        return bool(self.stars or self.array)

    @property
    def is_whole(self) -> bool:
        """Whether it is a structure or union itself, of which C makes no number."""
        return self.word in ("struct", "union") and not self.is_pointer

    @property
    def target(self) -> str:
        """What it points to, without its const."""
        return f"{self.word} {self.name}".lstrip() + (f" {self.stars[1:]}" if self.to_a_pointer else "")

    @property
    def is_bytes(self) -> bool:
        """So many of them: "uint8_t[6]"."""
        return self.name == "uint8_t" and len(self.array) > len("[]") and not (self.const or self.stars)

    @property
    def is_number(self) -> bool:
        """Whether it is, or points to, an integer of a usual type."""
        return not self.const and not self.word and bool(NUMBER.fullmatch(self.name))

    @property
    def bits(self) -> int:
        """Of an integer that says how many; else 0."""
        found = NUMBER.fullmatch(self.name)
        return int(found[2]) if found and found[2] else 0

    @property
    def swapped(self) -> int:
        """The bits of one in network byte order, or of what it points to; else 0."""
        return self.bits if self.name.startswith("__be") else 0

    @property
    def is_swapped(self) -> bool:
        """Whether it is a number in that order itself."""
        return bool(self.swapped) and not self.is_pointer


def is_function(text: str) -> bool:
    """Whether a type is a pointer to functions, or an array of such."""
    return bool(TO_FUNCTIONS.search(text))


@cache
def kinds(text: str) -> tuple[str, ...]:
    """Of which kinds that facts know a type can be, or the elements of an array; none where the text alone does not tell, as of a typedef's name."""
    if "(" in text:
        return ("function",) if TO_FUNCTION.fullmatch(text) else ()
    text, _, dimensions = text.removeprefix("const ").partition("[")
    text = text.strip()
    if "[" in dimensions:
        return ()
    if text.endswith("*"):  # the name of a type may be that of a function's
        return ("pointer",) if kinds(text[:-1].strip()) else ("pointer", "function")
    return tuple(kind for kind, names in OF_KIND.items() if names.fullmatch(text))


@cache
def c_type(text: str) -> CType:
    found = TYPE.fullmatch(text)
    if not found:
        return CType()
    const, word, name, stars, array = (part or "" for part in found.groups())
    return CType(bool(const), word, name, stars.replace("const ", ""), array)
