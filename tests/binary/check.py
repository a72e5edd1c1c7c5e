# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""What the library is as a file: python3 check.py exports | static | versions | size | growth | relocations ... LIBRARY

exports      the shared library exports what the public headers mark with VX_EXPORT, and nothing else
static       the static library has these, and no other names that begin with vx_
versions     each with the version of libverbsx that gen/abi/functions.toml has for it
size         it is smaller than it may be
growth       so is what a static program grows by that names and prints, without what is known of vendors
relocations  no table needs a relocation when the library is loaded, and nothing is in thread-local storage, which may end
             a program that opens the library when memory has run out
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterator
from pathlib import Path

from elftools.elf.elffile import ELFFile
from elftools.elf.relocation import RelocationSection

# What VX_EXPORT expands to in the library, and perhaps VX_CONST, VX_DIRECT or VX_RARE, then a declaration up to its parenthesis.
EXPORTED = re.compile(r'__attribute__\(\(visibility\("default"\)\)\)(?:\s*__attribute__\(\((?:const|cold|noplt)\)\))*'
                      r'[^;{}()]*?\b(\w+)\s*(?:\(|;|\[)')
VERSION = "VERBSX_"
# Bytes, stripped: 400,000 of them without paths and the data path; 30,000 look at what is posted, 20,000 trace it, 25,000 know the subnet
# (end ports, its administrator), 60,000 are the kinds and methods of librdmacm, its servers and clients, their descriptions, and why
# they fail; 129,000 are those of mlx5dv, 46 kinds and 90 methods with what traces them; 15,000 build the mailboxes of its commands and
# tell what devices answer, 480 names of fields, 110 of commands; 10,000 look at what is read of checked completions, and ask for tables
# of paths; 17,000 are what EFA, hns, ionic, MANA and mlx4 have of their own.
LARGEST = 800_000
MOST_GROWTH = 120_000
# Of the tables of structures that a program which prints libibverbs' own does without; the linker's map has them by section.
OF_OTHERS = re.compile(r"\.rodata\.(vx_more_\w+)")
PROGRAMS = Path(__file__).parent.parent / "bench/c"
SHF_ALLOC, SHF_TLS = 0x2, 0x400
# Where a linker puts relocated words that are nobody's table, and the C runtime's own word.
LINKERS_OWN = {".init_array", ".fini_array", ".got", ".got.plt"}
C_RUNTIME = "__dso_handle"


# ---- exports ----

def declared(compiler: str, include: list[Path]) -> set[str]:
    """The names that the public headers mark with VX_EXPORT."""
    headers = sorted(path.name for folder in include for path in (folder / "verbsx").glob("*.h"))
    text = "".join(f"#include <verbsx/{name}>\n" for name in headers)
    command = [compiler, "-E", "-P", "-x", "c", "-DVERBSX_BUILDING", *(f"-I{folder}" for folder in include), "-"]
    result = subprocess.run(command, input=text, stdout=subprocess.PIPE, text=True, check=True)
    return set(EXPORTED.findall(result.stdout))


def exported(elf: ELFFile) -> set[str]:
    """The names that a shared library defines for others, less the symbol that stands for its version."""
    symbols = elf.get_section_by_name(".dynsym").iter_symbols()
    return {symbol.name for symbol in symbols
            if symbol["st_shndx"] != "SHN_UNDEF" and not symbol.name.startswith(VERSION)}


def versions_of(elf: ELFFile) -> dict[str, str]:
    """The version of each exported name; "" for none."""
    names = {index: next(auxiliaries).name
             for index, auxiliaries in numbered(elf.get_section_by_name(".gnu.version_d"))}
    versions, found = elf.get_section_by_name(".gnu.version"), {}
    for number, symbol in enumerate(elf.get_section_by_name(".dynsym").iter_symbols()):
        index = versions.get_symbol(number)["ndx"]
        if symbol["st_shndx"] != "SHN_UNDEF" and not symbol.name.startswith(VERSION):
            found[symbol.name] = names.get(index, "")
    return found


def numbered(section) -> Iterator[tuple[int, Iterator]]:
    """The definitions of versions by their number."""
    for definition, auxiliaries in section.iter_versions():
        yield definition["vd_ndx"], auxiliaries


def check_exports(elf: ELFFile, compiler: str, include: list[Path]) -> Iterator[str]:
    """What is wrong with the exports."""
    wanted, found = declared(compiler, include), exported(elf)
    print(f"{len(wanted)} declared, {len(found)} exported")
    if not wanted:
        yield "no declaration found in the headers"
    yield from (f"declared, not exported: {name}" for name in sorted(wanted - found))
    yield from (f"exported, not declared: {name}" for name in sorted(found - wanted))
    yield from (f"exported, does not begin with vx_: {name}" for name in sorted(found)
                if not name.startswith("vx_"))
    yield from (f"exported without a version: {name}" for name, version in versions_of(elf).items()
                if not version.startswith(VERSION))


def check_versions(elf: ELFFile, functions: Path, here: set[str]) -> Iterator[str]:
    """Where the library and the table of versions differ; some functions are declared with options of the build only."""
    with functions.open("rb") as file:
        wanted = {name: VERSION + version for name, version in tomllib.load(file).get("since", {}).items()}
    found = versions_of(elf)
    print(f"{len(wanted)} functions have a version")
    for name in sorted(wanted.keys() | found.keys()):
        if name not in wanted:
            yield f"{name}: has no version yet; ./dev abi gives it that of the libverbsx that is being worked on"
        elif name not in found and name in here:
            yield f"{name}: {wanted[name]}, and is not exported"
        elif wanted[name] != found.get(name, wanted[name]):
            yield f"{name}: {wanted[name]}, and exported as {found[name]}"


# ---- size ----

def check_size(library: Path) -> Iterator[str]:
    """Whether it is too large."""
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "stripped"
        subprocess.run(["strip", "-o", copy, library], check=True)
        size = copy.stat().st_size
    print(f"{size} bytes, stripped")
    if size > LARGEST:
        yield f"{size - LARGEST} bytes too large"


# ---- what a static program grows by ----

def built(source: Path, folder: Path, compiler: str, include: list[Path], *libraries: str | Path) -> tuple[int, str]:
    """The bytes of a program, stripped, and the linker's map of it."""
    program, listed = folder / source.stem, folder / "map"
    subprocess.run([compiler, "-O2", "-s", *(f"-I{path}" for path in include), source, "-o", program, f"-Wl,-Map,{listed}", *libraries], check=True)
    return program.stat().st_size, listed.read_text()


def check_growth(archive: Path, compiler: str, include: list[Path]) -> Iterator[str]:
    """Whether it is too much, or has tables that it does not need."""
    with tempfile.TemporaryDirectory() as folder:
        empty, _ = built(PROGRAMS / "program_empty.c", Path(folder), compiler, include)
        size, listed = built(PROGRAMS / "program_print.c", Path(folder), compiler, include, archive, "-ldl", "-pthread")
    print(f"{size - empty} bytes more than an empty program")
    if size - empty > MOST_GROWTH:
        yield f"{size - empty - MOST_GROWTH} bytes too large"
    yield from (f"linked, and not needed: {name}" for name in sorted(set(OF_OTHERS.findall(listed))))


# ---- the static library ----

def check_static(archive: Path, compiler: str, include: list[Path]) -> Iterator[str]:
    """The names that a program has to avoid and cannot use."""
    listed = subprocess.run(["nm", "-g", "--defined-only", "-P", archive], stdout=subprocess.PIPE, text=True, check=True)
    found = {line.split()[0] for line in listed.stdout.splitlines() if len(line.split()) > 2}
    wanted = declared(compiler, include)
    print(f"{len(found)} global names")
    yield from (f"declared, not in the static library: {name}" for name in sorted(wanted - found))
    yield from (f"global, and no API: {name}" for name in sorted(found - wanted) if name.startswith("vx_"))


# ---- relocations ----

def relocated(elf: ELFFile) -> Iterator[tuple[int, str]]:
    """Address and section of every word that is relocated when a library is loaded."""
    # The sections of thread-local storage have no address of their own.
    sections = [section for section in elf.iter_sections()
                if section["sh_flags"] & SHF_ALLOC and not section["sh_flags"] & SHF_TLS]
    for section in sections:
        if isinstance(section, RelocationSection):
            for relocation in section.iter_relocations():
                address = relocation["r_offset"]
                yield address, next(other.name for other in sections
                                    if other["sh_addr"] <= address < other["sh_addr"] + other["sh_size"])


def at_address(elf: ELFFile) -> dict[int, str]:
    """Names of the objects of a library by their address."""
    symbols = elf.get_section_by_name(".symtab")
    return {symbol["st_value"]: symbol.name for symbol in symbols.iter_symbols()} if symbols else {}


def check_library(elf: ELFFile) -> Iterator[str]:
    """The relocated words that are neither the linker's nor the C runtime's."""
    names, words = at_address(elf), list(relocated(elf))
    print(f"{len(words)} words are relocated when the library is loaded")
    for address, section in words:
        name = names.get(address, f"{address:#x}")
        if section not in LINKERS_OWN and name != C_RUNTIME:
            yield f"{name} in {section} is relocated"
    for section in elf.iter_sections():
        if section["sh_flags"] & SHF_TLS:
            yield f"{section.name} is thread-local storage"


def jump_tables(elf: ELFFile) -> set[str]:
    """The sections in which a compiler puts the tables of switches, which the linker makes relative, by function."""
    symbols = elf.get_section_by_name(".symtab").iter_symbols()
    return {f".rodata.{symbol.name}" for symbol in symbols if symbol["st_info"]["type"] == "STT_FUNC"}


def check_object(path: Path) -> Iterator[str]:
    """The sections of data in an object of generated code that need a relocation."""
    with path.open("rb") as file:
        elf = ELFFile(file)
        switches = jump_tables(elf)
        for section in elf.iter_sections():
            if not isinstance(section, RelocationSection):
                continue
            target = elf.get_section(section["sh_info"]).name
            if target.startswith((".data", ".rodata")) and target not in switches:
                yield f"{path.name}: {section.num_relocations()} relocations in {target}"


def check_relocations(elf: ELFFile, objects: list[Path]) -> Iterator[str]:
    """What is relocated and should not be."""
    generated = [path for path in objects if "generated" in path.parts]
    print(f"{len(generated)} objects of generated code")
    if not generated:
        yield "no object of generated code"
    for path in generated:
        yield from check_object(path)
    yield from check_library(elf)


# ---- the command line ----

def arguments() -> argparse.Namespace:
    """The parsed command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    exports, static, growth, versions = (commands.add_parser(name) for name in ("exports", "static", "growth", "versions"))
    for command in (exports, static, growth, versions):
        command.add_argument("--compiler", default="cc")
        command.add_argument("--include", required=True, help="folders, joined by ':'")
    exports.add_argument("library", type=Path)
    static.add_argument("library", type=Path)
    growth.add_argument("library", type=Path)
    versions.add_argument("--functions", type=Path, required=True)
    versions.add_argument("library", type=Path)
    size = commands.add_parser("size")
    size.add_argument("library", type=Path)
    relocations = commands.add_parser("relocations")
    relocations.add_argument("library", type=Path)
    relocations.add_argument("objects", type=Path, nargs="+")
    return parser.parse_args()


def main() -> int:
    """Print what is wrong; 1 where anything is."""
    args = arguments()
    if args.command in ("static", "growth"):
        check = check_static if args.command == "static" else check_growth
        wrong = list(check(args.library, args.compiler, [Path(name) for name in args.include.split(":")]))
        print(*wrong, sep="\n")
        return 1 if wrong else 0
    with args.library.open("rb") as file:
        elf = ELFFile(file)
        if args.command == "exports":
            wrong = list(check_exports(elf, args.compiler, [Path(name) for name in args.include.split(":")]))
        elif args.command == "versions":
            here = declared(args.compiler, [Path(name) for name in args.include.split(":")])
            wrong = list(check_versions(elf, args.functions, here))
        elif args.command == "size":
            wrong = list(check_size(args.library))
        else:
            wrong = list(check_relocations(elf, args.objects))
    print(*wrong, sep="\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
