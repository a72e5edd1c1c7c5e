# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""How headers write enumerators, where values do not tell what these are: `1 << 0` and `1 << 1` are bits, while 1 and 2 may be a count."""

from __future__ import annotations

import re
from collections.abc import Mapping

from ..api.facts import Enum
from ..api.facts_checks import are_bits, is_bit

ENUM = re.compile(r"\benum\b[^;{}]*\{([^{}]*)")
ENUMERATOR = re.compile(r"\s*(\w+)[^=]*=\s*(.*\S)\s*", re.S)  # it may have attributes
DIRECTIVE = re.compile(r"^[ \t]*#.*", re.M)
SHIFT = re.compile(r"(?:[\s(]|[A-Za-z_][\w\s]*[()])*(\w+)[\s)]*<<\s*(?:\([^()]*\))?[\w\s()]*")  # also of a cast, or of UINT64_C(1)
ONE = re.compile(r"(?:0[xX]0*)?1[uUlL]*")
CALL = re.compile(r"[\s(]*([A-Za-z_]\w*)\s*\(\s*(\w+)\s*\)[\s)]*")
NAME = re.compile(r"[\s(]*([A-Za-z_]\w*)[\s)]*")
DEEPEST = 9  # names that stand for names: what conditions of the preprocessor keep apart may go round in circles


def given(code: str) -> dict[str, str]:
    """What enumerators are said to be, in the text of a header without its comments."""
    parts = (part for body in ENUM.findall(code) for part in DIRECTIVE.sub("", body).split(",") if "=" in part)
    found = dict(m.groups() for m in map(ENUMERATOR.match, parts) if m)
    return {name: text for name, text in found.items() if not text.isdigit() or text == "1"}


class Spelling:
    """By what enumerators and macros are, and what macros with parameters are replaced by."""

    def __init__(self, texts: Mapping[str, str], functions: Mapping[str, str]) -> None:
        self.texts, self.functions = texts, functions

    def has_shifts(self, enum: Enum) -> bool:
        """Whether each enumerator that has one bit is 1, shifted, and others have none or several of these. The first bit may be 1 as it is,
        beside others."""
        if not are_bits([v.value for v in enum.values]):
            return False
        texts = {self.texts.get(v.name, ""): v.value for v in enum.values if is_bit(v.value)}
        return all(self._is_shift(text, value) for text, value in texts.items() if text != "1" or len(texts) == 1)

    def _is_shift(self, text: str, value: int, deep: int = 0) -> bool:
        if found := SHIFT.fullmatch(text):
            return bool(ONE.fullmatch(found[1])) or self._is_named(found[1], value, deep)
        if found := CALL.fullmatch(text):
            return found[2] == str(value.bit_length() - 1) or bool(SHIFT.fullmatch(self.functions.get(found[1], "")))
        found = NAME.fullmatch(text)
        return found is not None and self._is_named(found[1], value, deep)

    def _is_named(self, name: str, value: int, deep: int) -> bool:
        return deep < DEEPEST and self._is_shift(self.texts.get(name, ""), value, deep + 1)
