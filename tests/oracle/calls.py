# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""Whether each enum and structure of the headers has functions of its own that work, in C and in C++."""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path

from gen.reach.releases import RELEASES, header_tree

from . import headers, library, tables
from .compare import WITHOUT_TABLE
from .model import Witness

RELEASE = max(RELEASES)
COMPILERS = {"c": ["gcc", "-xc", "-std=c11"], "c++": ["g++", "-xc++", "-std=c++17"]}


def source(enums: list[str], header: Witness) -> str:
    """A program that uses calls.h for everything that there is."""
    lines = [f"ENUM({tag});" for tag in enums]
    lines += [struct_line(tag, "union" if record.union else "struct")
              for tag, record in header.records.items() if tag not in WITHOUT_TABLE]
    typed = [f"TYPED({tag}, {f'enum {tag}' if tag in header.enums else 'int64_t'})" for tag in enums]
    return '#include "calls.h"\n\n' + "\n".join(typed) + "\n\nint main(void)\n{\n\t" + "\n\t".join(lines) + "\n\treturn finish();\n}\n"


def struct_line(tag: str, kind: str) -> str:
    """All names of a type at once; not by a macro, as headers rename some tags by macros."""
    pointers = [f"VX_TYPEOF(({const}{kind} {tag} *)NULL)" for const in ("", "const ")]
    return f'check_struct("{tag}", sizeof({kind} {tag}), VX_STRUCT({tag}), {", ".join(pointers)});'


def compiled(language: str, text: str, include: Path, folder: Path) -> Path:
    """The program, linked with the library that is in folder."""
    program = folder / f"calls-{language}"
    places = [Path(__file__).parent, library.ROOT / "runtime/include", library.ROOT / "generated/include",
              folder / "library/include"]
    flags = ["-Wall", "-Wextra", "-Werror", *(f"-I{place}" for place in places), "-isystem", include]
    files = ["-", "-xnone", folder / "library/libverbsx-open.a", "-o", program]
    subprocess.run([*COMPILERS[language], *flags, *files], input=text, text=True, check=True)
    return program


def main() -> int:
    """The command."""
    parser = argparse.ArgumentParser(prog="tests.oracle.calls", description=__doc__)
    parser.add_argument("folder", metavar="FOLDER", type=Path, help="where to build")
    library.add_option(parser)
    args = parser.parse_args()
    library.prepare(args.folder, args.library)
    include = header_tree(RELEASE)
    table = tables.read(library.dump(include, RELEASE, args.folder))
    text = source(list(table.part(own=False).enums), headers.read(include, RELEASE, table, args.folder))
    programs = [compiled(language, text, include, args.folder) for language in COMPILERS]
    failed = [program for program in programs if subprocess.run([program], check=False).returncode]
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
