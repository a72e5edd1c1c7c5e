# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""docs/guide.md and examples/README.md say the truth: python3 guide.py PROJECT COMPILER...

Functions and structures that the guide names are in the headers. What it quotes of a failure is what tests/unit/object/border.c expects, but for the numbers of releases.
Each picture in the guide is one of generated/docs.
Each block of C in the guide is a piece of one of the examples, one of C++ of what tests/unit compiles, and each other block a piece of what one of
them prints, as golden/ has it. A line of "..." stands for what is left out. What begins with a #define compiles as it stands. The README has a row for each
example, with the words that it begins with; their numbers have no gap; those that need another device say how they get it.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

BLOCK = re.compile(r"^```(c?|cpp|mermaid)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
COMMENT = re.compile(r"^/\* (?!SPDX)(.*) \*/$", re.MULTILINE)
ROW = re.compile(r"^\| \[(.*)\]\(\1\) \| (.*) \| .*\|$", re.MULTILINE)
QUOTE = re.compile(r'"(vx_\w+: [^"]*)"')
LITERALS = re.compile(r'"\s*(VERBSX_VERSION)?\s*"')
RELEASES = re.compile(r"(libverbsx|rdma-core) (\d[\d.]*|VERBSX_VERSION|%d)")
HEADERS = ("errno.h", "stdio.h", "stdlib.h", "string.h", "verbsx/verbsx.h")
OURS = re.compile(r"\bvx_\w+")
MEANT = re.compile(r"`(?:struct )?(vx_[a-z0-9_]*[a-z0-9])(?=\(|`| \*)")  # in text: `vx_qp_create()`, `struct vx_path`
NAMED = re.compile(r"`(examples/[\w-]+\.[ch])`")


def pieces(block: str) -> list[str]:
    """What stands between the lines of dots."""
    return [piece for piece in re.split(r"^\.\.\.\n", block, flags=re.MULTILINE) if piece]


def is_of(text: str, block: str) -> bool:
    """Whether a text has all pieces of a block, as whole lines and in their order."""
    at = 0
    for piece in pieces(block):
        found = ("\n" + text).find("\n" + piece, at)
        if found < 0:
            return False
        at = found + len(piece)
    return True


def read(paths: list[Path]) -> list[str]:
    return [path.read_text() for path in paths]


def unlisted(folder: Path) -> list[str]:
    """Rows of the README that no example has, and examples that no row has."""
    rows = set(ROW.findall((folder / "README.md").read_text()))
    programs = {(path.name, COMMENT.findall(path.read_text())[0]) for path in folder.glob("[0-9][0-9]-*.c")}
    return [f"examples/README.md: {name}: {text}\n" for name, text in sorted(rows ^ programs)]


def misnumbered(folder: Path) -> list[str]:
    """Examples whose numbers are not those from 1 on, one each."""
    names = sorted(path.name for path in folder.glob("[0-9][0-9]-*.c"))
    return [f"examples/{name}: its number is not {number}\n" for number, name in enumerate(names, 1) if int(name[:2]) != number]


def unequipped(project: Path) -> list[str]:
    """Examples that do not tell which device they need."""
    lines = (project / "tests/examples/devices.txt").read_text().splitlines()
    needs = [line.split(" ", 1) for line in lines if not line.startswith("#")]
    return [f"examples/{name}.c: no word of vx emu -c {config}\n" for name, config in needs
            if f"vx emu -c {config} -- example-{name} " not in (project / f"examples/{name}.c").read_text()]


def misquoted(project: Path, guide: str) -> list[str]:
    """What no test expects of a failure, though the guide has it in its own sentences."""
    expected = LITERALS.sub(lambda m: m[1] or "", (project / "tests/unit/object/border.c").read_text())
    quotes = QUOTE.findall(" ".join(BLOCK.sub("", guide).split()))
    return [f"docs/guide.md: {quote}\n" for quote in quotes if RELEASES.sub(r"\1", quote) not in RELEASES.sub(r"\1", expected)]


def undeclared(project: Path, guide: str) -> list[str]:
    """Functions and structures that the guide names and no header has."""
    headers = read([*project.glob("runtime/include/verbsx/*.h"), *project.glob("generated/include/verbsx/*.h")])
    known = set(OURS.findall("\n".join(headers)))
    return [f"docs/guide.md: no header has {name}\n" for name in sorted(set(MEANT.findall(BLOCK.sub("", guide))) - known)]


def uncompiled(blocks: list[tuple[str, str]], compiler: list[str]) -> list[str]:
    """What a compiler says of the block that can stand alone, the one that begins with a #define, behind must()."""
    must = next(block for _, block in blocks if "void must(int rc)" in block)
    whole = next(block for _, block in blocks if block.startswith("#define"))
    text = "".join(f"#include <{name}>\n" for name in HEADERS) + must + whole
    command = [*compiler, "-std=c11", "-fsyntax-only", "-Wall", "-Wextra", "-Wno-unused-function", "-Werror", "-x", "c", "-"]
    return subprocess.run(command, input=text, text=True, stderr=subprocess.PIPE, check=False).stderr.splitlines()


def main(project: Path, compiler: list[str]) -> int:
    """Print what is not so; 1 where anything is."""
    guide = (project / "docs/guide.md").read_text()
    sources = read([*project.glob("examples/*.c"), *project.glob("examples/*.h"), *project.glob("tests/unit/object/*.cpp")])
    printed = read([*project.glob("tests/examples/golden/*.txt")])
    blocks = BLOCK.findall(guide)
    of = {"c": sources, "cpp": sources, "mermaid": read([*project.glob("generated/docs/*.md")]), "": printed}
    wrong = [block for language, block in blocks if not any(is_of(text, block) for text in of[language])]
    wrong += [f"{name}: no such file\n" for name in NAMED.findall(guide) if not (project / name).exists()]
    wrong += misquoted(project, guide) + undeclared(project, guide) + uncompiled(blocks, compiler)
    wrong += unlisted(project / "examples") + misnumbered(project / "examples") + unequipped(project)
    print(f"cases: {len(blocks)}")
    print(*wrong, sep="\n")
    return 1 if wrong or len(blocks) < 10 else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), sys.argv[2:]))
