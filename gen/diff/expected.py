# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""Changes of rdma-core that somebody has looked at, and the reason why they are all right: gen/expected_changes.toml."""

from __future__ import annotations

from fnmatch import fnmatchcase
from pathlib import Path

from ..files import tomlfile
from ..paths import GEN
from .changes import KINDS, SIGNS, Change, Report

PATH = GEN / "expected_changes.toml"
TABLE = "expected"


def take_out(report: Report, path: Path = PATH) -> list[str]:
    """Take what is expected out of a report; what the file says for nothing."""
    doc = tomlfile.load(path)
    patterns = _patterns(doc)
    used: set[str] = set()
    left = []
    for change in report.changes:
        hits = {p for p in patterns if fnmatchcase(line(change), p)}
        used |= hits
        (report.expected if hits else left).append(change)
    report.changes = left
    return [str(doc.error(TABLE, p, f"{p}: nothing of it changed", hint="take the line away")) for p in patterns if p not in used]


def line(change: Change) -> str:
    """A change as the file names it."""
    return f"{SIGNS[change.change]} {change.kind} {change.name}"


def _patterns(doc: tomlfile.Document) -> list[str]:
    table = doc.data.get(TABLE, {})
    other = next((name for name in doc.data if name != TABLE), None if isinstance(table, dict) else TABLE)
    if other is not None:
        raise doc.error("", other, f"{other}: this file has one table, [{TABLE}]")
    for pattern, why in table.items():
        words = pattern.split(" ")
        if len(words) != 3 or words[0] not in SIGNS.values() or words[1] not in KINDS:
            raise doc.error(TABLE, pattern, f"{pattern!r}: is no change", hint='such as "~ field ibv_qp_attr.qp_state"; of the name a pattern will do')
        if not isinstance(why, str) or not why.strip():
            raise doc.error(TABLE, pattern, f"{pattern}: lacks the reason why that is all right")
    return list(table)
