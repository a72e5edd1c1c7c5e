# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""What each kind of vendors' headers that was tried needs of lore, as a table: python3 -m tests.gen.words_of_kinds

It is kept in tests/gen/lore/more_kinds.md; the words are explained in gen/lore/objects.toml.
"""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent / "lore"
TABLE = FOLDER / "more_kinds.md"
EVERY = ("title", "raw", "parent", "create", "destroy", "attr")  # what a kind without anything special has
FORM = re.compile(r"^(init|ref|out|handles|blob):")
BEGINNING = """<!-- SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB -->
# What kinds need of lore

Made by `python3 -m tests.gen.words_of_kinds`, of more_kinds.toml: what the line of a kind has beyond its title, its raw structure,
its parent, one call that makes it, with attr or without, and one that ends it. gen/lore/objects.toml explains the words.

"""


def forms(args: list[str]) -> set[str]:
    """What is special among arguments: "out", "blob:", "=C"."""
    found = {m[0] for arg in args if (m := FORM.match(arg))}
    return found | {"=C" for arg in args if arg.startswith("=")} | {"out" for arg in args if arg == "out"}


def words(kind: dict[str, Any]) -> list[str]:
    """The words of a kind's line that not every kind has."""
    ways = kind.get("create", "")
    found = [word for word in kind if word not in EVERY]
    if "create" not in kind:
        found.append("no create")
    if isinstance(ways, list):
        found.append(f"{len(ways)} ways")
    if "raw" not in kind:
        found.append("no raw")
    if "parent" not in kind:
        found.append("no parent")
    all_args = [kind.get("args", []), *(way.get("args", []) for way in ways if isinstance(way, dict))]
    return sorted(found) + sorted({form for args in all_args for form in forms(args)})


def table() -> str:
    kinds = tomllib.loads((FOLDER / "more_kinds.toml").read_text())["object"]
    rows = {name: words(kind) for name, kind in kinds.items()}
    counts = Counter(word for found in rows.values() for word in found)
    lines = ["| kind | words |", "|---|---|", *(f"| {name} | {', '.join(found) or 'none'} |" for name, found in rows.items())]
    often = ["| word | kinds that need it |", "|---|---|", *(f"| {word} | {n} |" for word, n in sorted(counts.items()))]
    plain = sum(not found for found in rows.values())
    return f"{BEGINNING}{plain} of {len(rows)} need nothing special.\n\n" + "\n".join([*often, "", *lines]) + "\n"


if __name__ == "__main__":
    TABLE.write_text(table())
