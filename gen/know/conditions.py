# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""Conditions that lore writes in C: whether one is whole, so that it stays what it is wherever a template puts it."""

from __future__ import annotations

import re

TOKEN = re.compile(r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|\w+|->|<<|>>|[<>=!]=|&&|\|\||\S""")
CLOSES = {"(": ")", "[": "]"}
BEFORE_ONE = {"!", "~", "-", "+", "*", "&"}  # operators that may begin something
OPERATORS = BEFORE_ONE | {"->", "<<", ">>", "<", ">", "<=", ">=", "==", "!=", "&&", "||", "/", "%", "|", "^", "?", ":", ",", ".", "="}


def wrong(text: str) -> str:
    """What is wrong with a condition; "" where brackets are in pairs and every operator has something on its sides."""
    open_now: list[str] = []
    before = "("  # as if all of it stood in brackets
    for token in (*TOKEN.findall(text), ""):
        ends = not token or token in CLOSES.values()
        if before in OPERATORS and ends:
            return f"{before} has nothing behind it"
        if token in OPERATORS - BEFORE_ONE and before in CLOSES:
            return f"{token} has nothing before it"
        if token in CLOSES:
            open_now.append(token)
        elif token in CLOSES.values() and (not open_now or CLOSES[open_now.pop()] != token):
            return f"{token} closes nothing"
        before = token
    return f"{open_now[-1]} is not closed" if open_now else ""
