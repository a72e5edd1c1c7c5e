# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""What was guessed, left out, or could not be done: by header and line, with what to write where. Nothing is silent."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator

from ..fast.record import changed, constant, field, record

FOLDER = "gen/lore/"
LORE = FOLDER + "{}.toml"
LICENCE = "# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB"  # with which each file begins


@constant
class Remark:
    """One thing that a person should look at, or may want to know."""

    header: str  # as programs include it
    name: str  # what it is about, such as ibv_qp_attr.qp_state
    what: str  # was done with it, or was not
    file: str = ""  # where lore would settle it, and the table there
    table: str = ""
    write: str = ""  # a line to begin with: it says what was assumed
    line: int = 0  # in the header; 0 where only facts are at hand
    note: bool = False  # there is nothing to decide

    @property
    def place(self) -> str:
        return f"{self.header}:{self.line}" if self.line else self.header


@record
class Remarks:
    """All that plan, merge and lore have to say."""

    said: list[Remark] = field(default_factory=list)

    def add(self, header: str, name: str, what: str, file: str = "", table: str = "", write: str = "",
            note: bool = False) -> None:
        self.said.append(Remark(header, name, what, file, table, write, note=note))

    def lore(self, group: str, header: str, name: str, what: str, table: str, write: str) -> None:
        """One that a line in the lore of a header group settles."""
        self.add(header, name, what, LORE.format(group), table, write)

    @property
    def unsettled(self) -> list[Remark]:
        """Those that a person should decide."""
        return [r for r in self.said if not r.note]

    def in_order(self, headers: Iterable[str] = ()) -> None:
        """By header, in the order of the header groups, then by line; each once."""
        order = {h: n for n, h in enumerate(headers)}
        self.said = sorted(dict.fromkeys(self.said), key=lambda r: (order.get(r.header, len(order)), r.header, r.line, r.name, r.what))

    def placed(self, place: dict[tuple[str, str], int]) -> None:
        """Take the lines of headers, by header and name."""
        self.said = [changed(r, line=place.get((r.header, r.name), r.line)) for r in self.said]


def entry(name: str, value: object) -> str:
    """A line of lore about something by its name; a path is quoted, as TOML would take it for tables."""
    return f'"{name}" = {value}' if "." in name else f"{name} = {value}"


# ---- as text ----


def text(remarks: Iterable[Remark]) -> Iterator[str]:
    """As compilers print: where, what about, what was done; indented what settles it."""
    for r in remarks:
        yield f"{r.place}: {r.name}: {r.what}"
        if r.write:
            yield f"    {r.file}: [{r.table}] " + r.write.replace("\n", "\n        ")


def counts(remarks: Remarks) -> str:
    """In a line: how much of it is to be decided."""
    decide = len(remarks.unsettled)
    return f"{decide} to decide, {len(remarks.said) - decide} noted"


def counts_unlisted(remarks: Remarks, options: str) -> str:
    """Where nothing of it was listed: also how to see it, by the options that say what it is of."""
    return f"{counts(remarks)}: {' '.join(['./dev report', options]).strip()} lists the former, with --all both"


def counts_listed(remarks: Remarks, everything: bool) -> str:
    """Behind what is to be decided, or all: also how to see the rest."""
    rest = "" if everything or len(remarks.said) == len(remarks.unsettled) else ": --all lists these as well"
    return counts(remarks) + rest


# ---- as lore, to paste ----


def lore(remarks: Iterable[Remark]) -> str:
    """All lines at once, as one file for gen/lore: tables may stand in any. What belongs into another file is a comment there.

    Above them stands where each belongs in the long run, and what it settles.
    """
    tables: dict[str, dict[str, dict[str, list[str]]]] = {}
    for r in remarks:
        if r.write:
            table = r.table if r.file.startswith(FOLDER) else ""
            place = tables.setdefault(table, {}).setdefault(f"# {r.file}: [{r.table}]", {})
            place.setdefault(r.write, []).append(f"# {r.place}: {r.name}: {r.what}")
    elsewhere = tables.pop("", {})
    parts = ["\n".join([f"[{table}]", *_lines(tables[table])]) for table in sorted(tables)]
    parts += ["\n".join(line if line.startswith("#") else f"# {line}" for line in _lines({place: lines})) for place, lines in elsewhere.items()]
    return "\n".join(f"{part}\n" for part in [LICENCE, *parts]) if parts else ""


def _lines(places: dict[str, dict[str, list[str]]]) -> Iterator[str]:
    for place, lines in places.items():
        yield place
        for write, says in lines.items():
            yield from dict.fromkeys(says)
            yield from write.split("\n")


# ---- as JSON ----


def to_json(remarks: Iterable[Remark]) -> str:
    """For programs: one line for each."""
    lines = [json.dumps({k: v for k, v in vars(r).items() if v}, ensure_ascii=False) for r in remarks]
    return "[\n" + ",\n".join(f" {line}" for line in lines) + "\n]\n" if lines else "[]\n"
