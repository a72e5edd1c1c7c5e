# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""Each piece of C in the pages of enums and structures compiles: pages.py PROJECT OPTION...

The options are the compiler's. Declarations of an enum's page are declared once more, as headers have them; the lines of a
structure's page are a function, in which the value of a setter is the field itself.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

BLOCK = re.compile(r"^```c\n(.*?)^```$", re.MULTILINE | re.DOTALL)
SETTER = re.compile(r"^(vx_\w+?_set_(\w+)\((?:&\w+, )+)(.*)\);$", re.MULTILINE)
MACRO = re.compile(r"\b(vx_\w+_(?:name|snprint|at|parse))\(")  # which looks like what the page declares
HEADER = re.compile(r"^.*\bof `<([\w/.]+)>`", re.MULTILINE)  # that programs include to have what a page is about
STATEMENTS = re.compile(r"^(vx_(fprint|print)\(stdout|struct \w+ \w+ = )", re.MULTILINE)


# Structures are given to setters by their address.
BEGINNING = """#include <stdio.h>
#include <verbsx/verbsx.h>
#include <verbsx/parse.h>
#define VALUE(field) __builtin_choose_expr(__builtin_classify_type(field) == 12, &(field), (field))
"""


def called(setter: re.Match[str]) -> str:
    """A call of it with values: its field, or zero for each of several."""
    before, field, values = setter.groups()
    return before + (f"VALUE(attr.{field})" if values == "value" else re.sub(r"\w+", "0", values)) + ");"


def as_function(page: str, block: str) -> str:
    name = re.sub(r"\W", "_", page)
    lines = SETTER.sub(called, block)
    mask = "\tint mask = 0;\n" if "&mask" in lines else ""
    used = "\t(void)attr;\n" if " attr = " in lines else ""
    return f"void page_{name}(void *ptr);\nvoid page_{name}(void *ptr)\n{{\n{mask}{lines}{used}\t(void)ptr;\n}}\n"


def pieces(folder: Path) -> Iterator[str]:
    for page in sorted(folder.rglob("*.md")):
        for block in BLOCK.findall(page.read_text()):
            yield as_function(page.stem, block) if STATEMENTS.search(block) else MACRO.sub(r"(\1)(", block)


def includes(folder: Path) -> str:
    """The headers of all pages, behind ours: their order makes no difference."""
    found = {header for page in folder.rglob("*.md") for header in HEADER.findall(page.read_text())}
    return "".join(f"#include <{header}>\n" for header in sorted(found))


def main(project: Path, options: list[str]) -> int:
    docs = project / "generated/docs"
    found = list(pieces(docs))
    done = subprocess.run(["gcc", "-xc", "-std=gnu11", "-fsyntax-only", "-Wall", "-Werror", *options, "-"],
                          input=BEGINNING + includes(docs) + "".join(found), text=True)
    print(f"cases: {len(found)}")
    return done.returncode or len(found) < 400


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), sys.argv[2:]))
