# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""A copy of the newest headers that may be changed, and what is expected of a change."""

from __future__ import annotations

import atexit
import functools
import itertools
import re
import shutil
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

from gen.reach import headers, releases
from tests.gen.project import NEWEST, header_tree, releases_cache, values_of

VERBS, CMA, MLX5 = "infiniband/verbs.h", "rdma/rdma_cma.h", "infiniband/mlx5dv.h"


@functools.cache
def symbols() -> list[str | Path]:
    """Arguments that tell what the libraries of the newest release export: nothing of what a change brings."""
    scripts = releases.symbols(NEWEST, releases_cache()) if NEWEST in releases.RELEASES else _scripts()
    return [word for path in scripts for word in ("--symbols", path)]


def _scripts() -> list[Path]:
    """As version scripts, of a release that is none of Debian's: what its facts have."""
    folder = Path(tempfile.mkdtemp())
    atexit.register(shutil.rmtree, folder)
    found: dict[str, dict[str, list[str]]] = {}
    for symbol in headers.symbols_until(NEWEST).values():
        found.setdefault(symbol.library, {}).setdefault(symbol.version, []).append(symbol.name)
    for library, versions in found.items():
        nodes = (f"{version} {{ global: {' '.join(f'{name};' for name in names)} }};\n" for version, names in versions.items())
        (folder / f"{library}.map").write_text("".join(nodes), encoding="utf-8")
    return sorted(folder.iterdir())


LIBRARIES = {VERBS: "libibverbs.so.1", CMA: "librdmacm.so.1", MLX5: "libmlx5.so.1"}
NUMBERED = re.compile(r"(?!ibv_nowhere)\w*[a-z_]\d+(?:_\w*)?$")  # by Tree.name(); others may be called as something of ours, which is refused
NUMBER = re.compile(r"= (1 << )?(\d+|0x[0-9A-Fa-f]+)$")
CALLED = re.compile(r"\b((?:ibv|rdma|mlx5dv)_\w+)\(")


def exporting(tree: Tree, folder: Path) -> list[str | Path]:
    """Arguments that tell of libraries which export each function that changes brought, but for those that none is to have."""
    found: list[str | Path] = []
    for header, library in LIBRARIES.items():
        new = set(CALLED.findall(tree.text(header))) - set(CALLED.findall((header_tree(NEWEST) / header).read_text(encoding="utf-8")))
        names = sorted({*filter(NUMBERED.match, new), *tree.exported.get(header, [])})
        if names:
            script = folder / f"{library}.map"
            script.write_text("NEXT_1 {\n\tglobal:\n" + "".join(f"\t\t{name};\n" for name in names) + "};\n", encoding="utf-8")
            found += ["--symbols", script]
    return found


def _unused(tag: str, number: re.Match[str]) -> str:
    """The number, or the next one that no enumerator of the newest release has."""
    first = int(number[2], 0)
    found = next(n for n in itertools.count(first) if (1 << n if number[1] else n) not in values_of(tag))
    return number[0] if found == first else f"= {number[1] or ''}{found}"


@dataclass
class Expected:
    """What must be seen of a change.

    names    that generated files must have: enumerators, fields, calls, functions of libverbsx
    gone     that the API of the changed tree alone must not have any more
    told     expressions that the report must match
    changes  what `gen diff` must say, as "+ enumerator NAME"; a change reports these and nothing else
    refused  an expression: generation stops, with this
    """

    names: list[str] = field(default_factory=list)
    gone: list[str] = field(default_factory=list)
    told: list[str] = field(default_factory=list)
    changes: list[str] = field(default_factory=list)
    refused: str = ""

    def add(self, other: Expected) -> None:
        self.names += other.names
        self.gone += other.gone
        self.told += other.told
        self.changes += other.changes
        self.refused = self.refused or other.refused


class Tree:
    """Headers below a folder, and numbers that make the names of changes their own."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.number = 0
        self.exported: dict[str, list[str]] = {}  # header -> functions that were there, and that its library is known to have now
        shutil.copytree(header_tree(NEWEST), root)

    def name(self, word: str) -> str:
        """A name that nothing else has."""
        self.number += 1
        return f"{word}{self.number}"

    def text(self, header: str) -> str:
        return (self.root / header).read_text(encoding="utf-8")

    def write(self, header: str, text: str) -> None:
        (self.root / header).write_text(text, encoding="utf-8")

    def replace(self, header: str, old: str, new: str) -> None:
        """Replace what is there exactly once."""
        text = self.text(header)
        if text.count(old) != 1:
            raise LookupError(f"{header} has {text.count(old)} times: {old}")
        self.write(header, text.replace(old, new))

    def append(self, header: str, declaration: str) -> None:
        """Before what closes the header: for C++ its linkage, else its guard."""
        text = self.text(header)
        at = max(text.rfind("#ifdef __cplusplus"), text.rfind("#ifdef  __cplusplus"))
        if at < len(text) // 2:
            at = text.rfind("#endif")
        self.write(header, f"{text[:at]}\n{declaration}\n\n{text[at:]}")

    def body(self, header: str, keyword: str, tag: str) -> tuple[str, int, int]:
        """The text of a header, and where a structure's or an enum's body begins and ends."""
        text = self.text(header)
        start = re.search(rf"^{keyword} {tag}\s*\{{", text, re.M)
        if not start:
            raise LookupError(f"{header} has no {keyword} {tag}")
        depth, at = 1, start.end()
        while depth:
            depth += {"{": 1, "}": -1}.get(text[at], 0)
            at += 1
        return text, start.end(), at - 1

    def last_field(self, header: str, tag: str, declaration: str) -> None:
        text, _, end = self.body(header, "struct", tag)
        self.write(header, f"{text[:end]}\t{declaration}\n{text[end:]}")

    def first_field(self, header: str, tag: str, declaration: str) -> None:
        text, begin, _ = self.body(header, "struct", tag)
        self.write(header, f"{text[:begin]}\n\t{declaration}{text[begin:]}")

    def enumerator(self, header: str, tag: str, declaration: str, first: bool = False) -> None:
        text, begin, end = self.body(header, "enum", tag)
        declaration = NUMBER.sub(lambda number: _unused(tag, number), declaration)
        if first:
            self.write(header, f"{text[:begin]}\n\t{declaration},{text[begin:]}")
            return
        body = text[begin:end].rstrip()
        body += "" if body.endswith((",", "*/")) else ","
        self.write(header, f"{text[:begin]}{body}\n\t{declaration},\n{text[end:]}")
