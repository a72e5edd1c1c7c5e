# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""Write what the guide's table "From raw verbs to libverbsx" has as C that is to be compiled: from_raw.py GUIDE RAW OURS

Each row becomes a function of what stands in its first column, in the file RAW, and one of its second, in OURS. The variables are
those of the headers raw_variables.h and our_variables.h.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

ROW = re.compile(r"^\| (.+?) \| (.+?) \|(?: .*)?\|$", re.MULTILINE)
CODE = re.compile(r"`([^`]+)`")
HEADING = "## From raw verbs to libverbsx\n"
FEWEST = 35


def read_rows(guide: str) -> list[tuple[list[str], list[str]]]:
    """The statements of each row, raw and ours."""
    section = guide.split(HEADING, 1)[1].split("\n## ", 1)[0]
    rows = [(CODE.findall(raw), CODE.findall(ours)) for raw, ours in ROW.findall(section)]
    return [row for row in rows if any(row)]


def write_functions(path: Path, header: str, rows: list[list[str]]) -> None:
    """A function a row."""
    parts = [f'#include "{header}"\n']
    for number, statements in enumerate(rows):
        name = f"{path.stem}_{number}"
        lines = "".join(f"\t{statement}\n" for statement in statements)
        parts.append(f"void {name}(void);\nvoid {name}(void)\n{{\n{lines}}}\n")
    path.write_text("\n".join(parts))


def main(guide: Path, raw: Path, ours: Path) -> int:
    """Fails for a table that has lost its rows."""
    rows = read_rows(guide.read_text())
    if len(rows) < FEWEST:
        sys.exit(f"{guide}: {len(rows)} rows below {HEADING.strip()!r}, where there were {FEWEST}")
    write_functions(raw, "raw_variables.h", [row[0] for row in rows])
    write_functions(ours, "our_variables.h", [row[1] for row in rows])
    return 0


if __name__ == "__main__":
    sys.exit(main(*map(Path, sys.argv[1:4])))
