# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""What a release's headers tell: compiled with debug information, and with a program that prints macros."""

from __future__ import annotations

import re
import subprocess
import tomllib
from collections.abc import Iterable, Set
from pathlib import Path

from . import dwarf
from .model import Enumerator, Enumerators, Witness

ROOT = Path(__file__).resolve().parents[2]
OWN = [ROOT / "runtime/include", ROOT / "generated/include"]  # libverbsx's headers
DEBUG = ["-gdwarf-4", "-fno-eliminate-unused-debug-types", "-fno-eliminate-unused-debug-symbols"]
DIRECTIVE = re.compile(r'# \d+ "(.*)".*|#(define|undef) (\w+)(?: ([A-Za-z_]\w*))?')


def macros_of(tables: Witness) -> list[str]:
    """The macros that the tables take for enumerators."""
    return [name for rows in tables.enums.values() for name, row in rows.items() if row.macro]


def read(include: Path, release: int, table: Witness, folder: Path) -> Witness:
    """All enums and structures of the headers in a tree, and the values of those macros of a table that are defined there."""
    names = headers_of(release)
    paths = {include / name for name in names}
    own = {path for place in OWN for path in place.glob("verbsx/*.h")}
    unit = compiled(include, [*names, *sorted(f"verbsx/{path.name}" for path in own)], folder)
    found = dwarf.read(unit, paths | own)
    renamed(found, renames(include, unit.with_suffix(".c"), paths), table)
    found.macros = values(include, names, macros_of(table), folder)
    return found


def headers_of(release: int) -> list[str]:
    """The headers that this project covers, as far as a release has them."""
    groups = tomllib.loads((ROOT / "gen/groups.toml").read_text())["group"].values()
    return [name for group in groups if group.get("first", 0) <= release for name in group["headers"]]


def left_out(include: Path, release: int) -> list[str]:
    """The headers in a tree that the project does not cover."""
    there = {str(path.relative_to(include))
             for part in ("infiniband", "rdma") for path in (include / part).glob("*.h")}
    return sorted(there - set(headers_of(release)))


def including(names: Iterable[str]) -> str:
    return "".join(f"#include <{name}>\n" for name in names)


def compiled(include: Path, names: list[str], folder: Path) -> Path:
    """An object file that knows every type in the headers."""
    source, result = folder / "types.c", folder / "types.o"
    source.write_text(including(names))
    subprocess.run(["gcc", *DEBUG, *folders(include, source), "-c", source, "-o", result], check=True)
    return result


def folders(include: Path, source: Path) -> list[str]:
    return [*(f"-I{place}" for place in [*OWN, source.parent / "library/include"]), "-isystem", str(include)]


def renames(include: Path, source: Path, paths: Set[Path]) -> dict[str, str]:
    """Public name -> what the compiler reads, from lines of these headers such as #define mlx5dv_port mlx5_ib_uapi_query_port."""
    text = subprocess.run(["gcc", "-E", "-dD", *folders(include, source), source], check=True, capture_output=True, text=True).stdout
    found: dict[str, str] = {}
    ours = False
    for line in filter(None, map(DIRECTIVE.fullmatch, text.splitlines())):
        file, word, public, name = line.groups()
        if file:
            ours = Path(file) in paths
        elif word == "define" and name and ours:
            found[public] = name
        else:
            found.pop(public, None)
    return found


def renamed(found: Witness, macros: dict[str, str], table: Witness) -> None:
    """Give what headers rename by a macro the name that programs use: of fields, the one that a table has."""
    public = {tag: name for name, tag in macros.items()}
    found.enums = {public.get(tag, tag): values for tag, values in found.enums.items()}
    found.records = {public.get(tag, tag): record for tag, record in found.records.items()}
    for tag, record in found.records.items():
        known = table.records[tag].fields if tag in table.records else {}
        written = {".".join(macros.get(word, word) for word in path.split(".")): path for path in known}
        record.fields = {written.get(path, path): place for path, place in record.fields.items()}
        for place in record.fields.values():
            place.tag = public.get(place.tag, place.tag)
            place.c_type = " ".join(public.get(word, word) for word in place.c_type.split(" "))


def values(include: Path, names: list[str], macros: Iterable[str], folder: Path) -> Enumerators:
    """The values of those macros that the headers define, printed by a program."""
    source, program = folder / "macros.c", folder / "macros"
    lines = "".join(f'#ifdef {m}\n\tprintf("{m} %lld\\n", (long long)({m}));\n#endif\n' for m in macros)
    source.write_text(f"#include <stdio.h>\n{including(names)}\nint main(void)\n{{\n{lines}\treturn 0;\n}}\n")
    subprocess.run(["gcc", "-isystem", include, source, "-o", program], check=True)
    output = subprocess.run([program], check=True, capture_output=True, text=True).stdout
    return {name: Enumerator(int(value)) for name, value in map(str.split, output.splitlines())}
