# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""Headers of rdma-core that no header group has, and of which gen/groups.toml does not say why."""

from __future__ import annotations

import json
import re
from fnmatch import fnmatch
from pathlib import Path

from ..files import tomlfile
from ..know import places
from ..know.groups import HeaderGroup
from ..know.remarks import Remarks

FILE = "gen/groups.toml"
FOLDERS = ("infiniband", "rdma")
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*[<"]([^>"\n]+)[>"]', re.M)


def add(root: Path | None, path: Path, groups: list[HeaderGroup], remarks: Remarks, release: int) -> None:
    """Look at what the headers of the groups of a release include, and at what else lies beside them."""
    known = {h for g in groups for h in g.headers}
    reasons = tomlfile.load(path).data.get("unread", {})
    included = {h: g for g in reversed(groups) for own in g.headers for h in _included(root, own)}
    for header in sorted({*included, *_beside(root)}):
        if header in known or any(fnmatch(header, pattern) for pattern in reasons):
            continue
        if header in included:
            group = included[header]
            remarks.add(header, header, f"of no group, and a header of {group.name} includes it: nothing of it is read", FILE,
                        f"group.{group.name}", f"headers = {json.dumps([*group.headers, header])}\n{_newer(group, header, release)}")
        else:
            name = re.sub(r"\W", "_", Path(header).stem)
            remarks.add(header, header, "of no group: nothing of it is read", FILE, "group",
                        f'{name} = {{ headers = ["{header}"], library = "{groups[0].library}", first = {release} }}')


def _newer(group: HeaderGroup, header: str, release: int) -> str:
    rows = ", ".join(f'"{h}" = {since}' for h, since in {**group.newer, header: release}.items())
    return f"newer = {{ {rows} }}"


def _included(root: Path | None, header: str) -> list[str]:
    """What of rdma-core a header includes."""
    path = places.find(root, header)
    names = INCLUDE.findall(places.source(path)) if path else []
    return [n for n in names if n.startswith(FOLDERS) and places.find(root, n)]


def _beside(root: Path | None) -> set[str]:
    folders = [root] if root else places.INCLUDED
    return {f"{part}/{p.name}" for f in folders for part in FOLDERS for p in (f / part).glob("*.h")}
