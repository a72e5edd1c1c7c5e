# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""Texts that take little more than half their length: a byte that no text has stands for a pair of bytes, and those may too.

Any table of pairs packs any texts; gen/pairs.txt was made from those of then, and can be made anew when they have changed much:

  python3 -m gen.packing
"""

from __future__ import annotations

import argparse
import re
from collections import Counter
from functools import cache
from pathlib import Path

from . import textfile
from .errors import GenError
from .kept import kept

PATH = Path(__file__).parent / "pairs.txt"
ANEW = "make it anew with: python3 -m gen.packing"
UNPACKABLE = re.compile("[^\\0 -~]")
CODES = [code for code in range(1, 256) if not 32 <= code < 127]


@cache
def pairs() -> list[tuple[int, int, int]]:
    """A code, and the two bytes that it stands for; each only of codes before it."""
    rows = [(n, line) for n, line in enumerate(textfile.read(PATH).splitlines(), 1) if not line.startswith("#")]
    if len(rows) != len(CODES):
        raise GenError(f"has {len(rows)} pairs, and there are {len(CODES)} codes", file=PATH, line=rows[-1][0] if rows else 1, hint=ANEW)
    return [(code, *_pair(number, line, code)) for code, (number, line) in zip(CODES, rows)]


def _pair(number: int, line: str, code: int) -> tuple[int, int]:
    known = {*range(32, 127), *CODES[:CODES.index(code)]}
    words = line.split()
    found = [int(word) for word in words if word.isascii() and word.isdecimal()]
    if len(words) != 2 or len(found) != 2 or not known.issuperset(found):
        raise GenError(f"{line!r}: must be two bytes of ASCII, or codes of lines before", file=PATH, line=number, hint=ANEW)
    return found[0], found[1]


def pack(text: str) -> bytes:
    """A text that may hold NULs, which stay."""
    if wrong := UNPACKABLE.search(text):
        raise GenError(f"a text has {wrong[0]!r}, which is a code of gen/pairs.txt", hint="plain ASCII, please")
    return kept("packed", [text.encode(), PATH.read_bytes()], lambda: _packed(text.encode()), ("packing",))


def _packed(text: bytes) -> bytes:
    for code, a, b in pairs():
        text = text.replace(bytes((a, b)), bytes((code,)))
    return text


def unpack(packed: bytes) -> str:
    """The text again, as runtime/src/know/meaning.c does it."""
    for code, a, b in reversed(pairs()):
        packed = packed.replace(bytes((code,)), bytes((a, b)))
    return packed.decode()


def _best(text: str) -> list[tuple[int, int]]:
    """The commonest pair of bytes, and what is the commonest once that is one byte, and so on."""
    tokens, found = list(text.encode()), []
    for code in CODES:
        counts = Counter(pair for pair in zip(tokens, tokens[1:]) if 0 not in pair)
        pair = max(counts, key=lambda p: (counts[p], p))
        found.append(pair)
        tokens = list(bytes(tokens).replace(bytes(pair), bytes((code,))))
    return found


def main() -> None:
    from .arguments import add_source_arguments  # noqa: PLC0415  who packs does not plan
    from .planning import build  # noqa: PLC0415
    parser = argparse.ArgumentParser(description=__doc__)
    add_source_arguments(parser)
    best = _best(build(parser.parse_args()).describe.texts)
    PATH.write_text("# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB\n# Made by python3 -m gen.packing, which tells.\n" +
                    "".join(f"{a} {b}\n" for a, b in best))


if __name__ == "__main__":
    main()
