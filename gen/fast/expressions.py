# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""Regular expressions that were compiled in an earlier run: a run has a hundred and fifty, of modules of all sorts, and takes longer to
compile them than for all that it does with them.

Python compiles an expression, in Python, to what its C module then makes an object of and looks through before it does. What comes
between is kept, by the expression, its flags, and all that kept.py goes by. A Python that does this in another way does it itself.
"""

from __future__ import annotations

import re
from _thread import _local  # threading takes a while to load

from . import kept
from .growing import EXPRESSIONS
from .typed import Any

NOT_KEPT = re.DEBUG | re.LOCALE  # which print, or depend on more than themselves

Made = tuple[Any, ...]  # the arguments of _sre.compile() behind the expression


class _Told(_local):
    """Stands for Python's C module in the compiler, and knows what that handed it last, in each thread."""

    def __init__(self, c_module: Any) -> None:
        self.c_module = c_module
        self.made: Made = ()

    def __getattr__(self, name: str) -> Any:
        return getattr(self.c_module, name)

    def compile(self, pattern: Any, flags: int, code: list[int], *groups: Any) -> re.Pattern[Any]:
        self.made = (int(flags), [int(word) for word in code], *groups)  # of numbers that have names
        return self.c_module.compile(pattern, flags, code, *groups)


def install() -> None:
    """Let expressions come from here; where nothing can be kept, or Python is another, each is compiled."""
    compiler: Any = getattr(re, "_compiler", None)
    if kept.folder() is None or not hasattr(compiler, "_sre"):
        return
    make, told = compiler.compile, _Told(compiler._sre)
    compiler._sre = told

    def compile(pattern: Any, flags: int = 0) -> re.Pattern[Any]:
        if not isinstance(pattern, str) or flags & NOT_KEPT:
            return make(pattern, flags)
        key = pattern, int(flags)
        made = EXPRESSIONS.get(key)
        if made:
            return told.c_module.compile(pattern, *made)
        found = make(pattern, flags)
        EXPRESSIONS.new[key] = told.made
        return found

    compiler.compile = compile
