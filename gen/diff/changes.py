# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""What differs between two releases, and how that reads as text, Markdown and JSON."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from dataclasses import asdict, dataclass, field

ADDED, REMOVED, CHANGED = "added", "removed", "changed"
SIGNS = {ADDED: "+", REMOVED: "-", CHANGED: "~"}

# What a change means to a program that exists: nothing; it must be built anew before it meets what is new;
# its source may no longer compile, or means something else.
SAFE, RECOMPILE, UNSAFE = "safe", "recompile", "unsafe"
VERDICTS = (SAFE, RECOMPILE, UNSAFE)

Judgement = tuple[str, str, str]  # verdict, why, detail
KINDS = ("header", "enum", "enumerator", "struct", "field", "function", "macro", "typedef", "variable")  # in the order of reports


@dataclass(frozen=True)
class Change:
    """One thing that differs."""

    header: str
    kind: str  # of KINDS
    name: str
    change: str  # added removed changed
    verdict: str
    why: str
    detail: str = ""


@dataclass
class Report:
    """All that differs between two releases, by header in the order of the header groups."""

    old: int
    new: int
    changes: list[Change] = field(default_factory=list)
    expected: list[Change] = field(default_factory=list)  # those that somebody has said why they are all right

    def headers(self) -> list[str]:
        return list(dict.fromkeys(change.header for change in self.changes))

    def of(self, header: str) -> list[Change]:
        return [change for change in self.changes if change.header == header]

    def count(self, attribute: str) -> Counter[str]:
        return Counter(getattr(change, attribute) for change in self.changes)


def summary(report: Report) -> list[str]:
    """How much differs, and what that means to a caller."""
    changes, verdicts = report.count("change"), report.count("verdict")
    lines = [f"rdma-core {report.old} -> {report.new}: " + ", ".join(f"{changes[c]} {c}" for c in SIGNS),
             "for an existing caller: " + ", ".join(f"{verdicts[v]} {v}" for v in VERDICTS)]
    return lines + [f"{len(report.expected)} more are expected"] * bool(report.expected)


# ---- text ----


def text(report: Report) -> str:
    """For a terminal: a line for each change, in columns."""
    blocks = ["\n".join(summary(report))]
    for header in report.headers():
        lines = [_text_line(change) for change in report.of(header)]
        blocks.append("\n".join([header, *lines]))
    return "\n\n".join(blocks) + "\n"


def _text_line(change: Change) -> str:
    head = f"  {SIGNS[change.change]} {change.kind:<10} {change.name}"
    says = "; ".join(part for part in (change.detail, _judgement(change)) if part)
    return f"{head:<64}  {says}"


def _judgement(change: Change) -> str:
    return f"{change.verdict}: {change.why}" if change.why else change.verdict


# ---- Markdown ----


def markdown(report: Report) -> str:
    """For a pull request: a table for each header."""
    title, *rest = summary(report)
    blocks = [f"# {title}", *rest]
    for header in report.headers():
        rows = [_markdown_row(change) for change in report.of(header)]
        blocks.append("\n".join([f"## {header}", "", "| change | what | name | detail | existing callers |",
                                 "|---|---|---|---|---|", *rows]))
    return "\n\n".join(blocks) + "\n"


def _markdown_row(change: Change) -> str:
    verdict = _judgement(change)
    if change.verdict != SAFE:
        verdict = f"**{change.verdict}**" + verdict.removeprefix(change.verdict)
    cells = (change.change, change.kind, f"`{change.name}`", change.detail, verdict)
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


# ---- JSON ----


def to_json(report: Report) -> str:
    """For programs: the counts, and one line for each change."""
    head = {"old": report.old, "new": report.new, "counts": {c: report.count("change")[c] for c in SIGNS},
            "verdicts": {v: report.count("verdict")[v] for v in VERDICTS}, "expected": len(report.expected)}
    lines = ",\n".join("  " + json.dumps(asdict(change), ensure_ascii=False) for change in report.changes)
    changes = f"[\n{lines}\n ]" if lines else "[]"
    fields = [f" {json.dumps(key)}: {json.dumps(value)}" for key, value in head.items()]
    return "{\n" + ",\n".join([*fields, f' "changes": {changes}']) + "\n}\n"


FORMATS: dict[str, Callable[[Report], str]] = {"text": text, "markdown": markdown, "json": to_json}
