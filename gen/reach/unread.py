# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""Headers of rdma-core that no header group has, and of which gen/groups.toml does not say why."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Sequence
from fnmatch import fnmatch
from pathlib import Path

from ..files import tomlfile
from ..know import places
from ..know.groups import HeaderGroup
from ..know.remarks import Remarks
from . import symbols

FILE = "gen/groups.toml"
FOLDERS = ("infiniband", "rdma")
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*[<"]([^>"\n]+)[>"]', re.M)
CALLED = re.compile(r"\b([A-Za-z_]\w*)[ \t]*\(")
OTHERS = ("prefix", "word", "provider")  # what no two groups share


def add(root: Path | None, path: Path, groups: list[HeaderGroup], remarks: Remarks, release: int, symbol_files: Sequence[Path] = ()) -> None:
    """Look at what the headers of the groups of a release include, and at what else lies beside them; files of symbols tell what libraries export."""
    _without_provider(groups, remarks)
    for header, group in headers_of(root, path, groups).items():
        if group:
            remarks.add(header, header, f"of no group, and a header of {group.name} includes it: nothing of it is read", FILE,
                        f"group.{group.name}", f"headers = {json.dumps([*group.headers, header])}\n{_newer(group, header, release)}")
        else:
            remarks.add(header, header, "of no group: nothing of it is read (what each key decides, the top of the file says)",
                        FILE, "group", _group(root, groups, header, release, symbol_files))


def headers_of(root: Path | None, path: Path, groups: list[HeaderGroup]) -> dict[str, HeaderGroup | None]:
    """Those that are of no group, each with the group of which a header includes it."""
    known = {h for g in groups for h in g.headers}
    reasons = tomlfile.load(path).data.get("unread", {})
    included = {h: g for g in reversed(groups) for own in g.headers for h in includes_of(root, own)}
    return {header: included.get(header) for header in sorted({*included, *_beside(root)})
            if header not in known and not any(fnmatch(header, pattern) for pattern in reasons)}


def _without_provider(groups: list[HeaderGroup], remarks: Remarks) -> None:
    """Groups that are called, or packed, as those of vendors are, and have their functions called for the devices of all others."""
    packages = {g.package for g in groups if g.provider and g.package}
    for g in groups:
        if not g.provider and (g.package in packages or _word(groups, g.name)):
            remarks.add(g.headers[0], f"group.{g.name}", "like those of vendors, and has no provider: its functions are called with contexts of all devices", FILE,
                        f"group.{g.name}", f"provider = {json.dumps(g.library.partition('.')[0])}")


def _group(root: Path | None, groups: list[HeaderGroup], header: str, release: int, symbol_files: Sequence[Path]) -> str:
    """The line for a header by itself: in the library that exports what it declares, or that is called as those of vendors are."""
    name = re.sub(r"\W", "_", Path(header).stem)
    found = places.find(root, header)
    called = set(CALLED.findall(places.source(found))) if found else set()
    known = symbols.read(symbol_files, {g.library for g in groups})
    exported = [known[n] for n in sorted(called & known.keys()) if not known[n].private]
    new = [s for s in exported if s.library not in {g.library for g in groups}] or exported
    word = _word(groups, name)
    library = new[0].library if new else f"lib{word}.so.1" if word else groups[0].library
    mine = [s.name for s in new if s.library == library]
    begins = name if not mine or all(n.startswith(f"{name}_") for n in mine) else os.path.commonprefix(mine).rpartition("_")[0]
    vendor = next((g for g in groups if g.provider), None) if library not in {g.library for g in groups if not g.provider} else None
    entry: dict[str, object] = {"headers": [header], "library": library, "package": vendor.package if vendor else "", "first": release,
                                "prefix": f"{begins}_" if begins else "",
                                "word": re.sub(r"[\W_]", "", word or name).lower() if vendor else "", "provider": library.partition(".")[0] if vendor else ""}
    return f"{name} = {{ {', '.join(f'{k} = {json.dumps(v)}' for k, v in entry.items() if v and not _is_anothers(groups, k, v))} }}"


def _word(groups: list[HeaderGroup], name: str) -> str:
    """The vendor that a header is called after, if it ends as those of other vendors do."""
    ends = {g.name.removeprefix(g.word) for g in groups if g.provider and g.word and g.name.startswith(g.word)}
    found = [name.removesuffix(end) for end in sorted(ends, key=len, reverse=True) if end and name.endswith(end)]
    return next((word for word in found if re.fullmatch("[a-z][a-z0-9]*(_[a-z0-9]+)*", word)), "")


def _is_anothers(groups: list[HeaderGroup], key: str, said: object) -> bool:
    return key in OTHERS and said in [getattr(g, key) for g in groups]


def _newer(group: HeaderGroup, header: str, release: int) -> str:
    rows = ", ".join(f'"{h}" = {since}' for h, since in {**group.newer, header: release}.items())
    return f"newer = {{ {rows} }}"


def includes_of(root: Path | None, header: str) -> list[str]:
    """What of rdma-core a header includes."""
    path = places.find(root, header)
    names = INCLUDE.findall(places.source(path)) if path else []
    return [n for n in names if n.startswith(FOLDERS) and places.find(root, n)]


def _beside(root: Path | None) -> set[str]:
    folders = [root] if root else places.INCLUDED
    return {f"{part}/{p.name}" for f in folders for part in FOLDERS for p in (f / part).glob("*.h")}
