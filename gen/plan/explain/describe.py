# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""What explains rather than prints: C types, conditions in words, meanings, man pages."""

from __future__ import annotations

import re
from functools import cached_property

from ...fast.record import constant, field, record
from ...know.model import FORMS, Lore
from ..enums.enums import EnumPlan
from ..enums.prm import plan_prm
from ..structs.structs import StructTables
from ..text.packing import Packed, pack

OCTAL = [f"\\{byte:03o}" for byte in range(256)]
A_LINE = 40  # bytes of what is packed
UNSAFE = re.compile(r"\W+")


class TextPool:
    """Texts by a readable id, each once; a template makes one string of them."""

    def __init__(self) -> None:
        self.id_of: dict[str, str] = {}
        self.text_of: dict[str, str] = {}
        self.last: dict[str, int] = {}  # numbers that were added to names

    def add(self, text: str) -> str:
        """The id of a text; "" for none."""
        if not text or text in self.id_of:
            return self.id_of.get(text, "")
        base = UNSAFE.sub("_", text.replace("*", "p").replace("|", "or")).strip("_")[:40].rstrip("_")
        name, number = base, self.last.get(base, 1)
        while name in self.text_of:
            number += 1
            name = f"{base}_{number}"
        self.last[base] = number
        self.id_of[text] = name
        self.text_of[name] = text
        return name

    @property
    def joined(self) -> str:
        return "".join(f"{text}\0" for _, text in sorted(self.text_of.items()))

    def rows(self) -> list[tuple[str, str]]:
        return sorted(self.text_of.items())


@record
class Meaning:
    """What a name stands for: three texts in a row, under the name itself in the pool."""

    name: str
    texts: list[str]


@constant
class FieldNote:
    type: str  # ids in the pool
    valid: str
    since: int


@record
class Texts:
    """Of what a table has by its index: the text there is to some, ids in the pool."""

    rows: int
    text_of: dict[str, str]


@record
class Describe:
    sentences: TextPool  # of why calls fail
    pool: TextPool = field(default_factory=TextPool)
    notes: dict[FieldNote, int] = field(default_factory=dict)  # each once, with its index
    fields: dict[str, list[int]] = field(default_factory=dict)  # by id of the structure
    meanings: list[Meaning] = field(default_factory=list)
    meant: list[tuple[str, str]] = field(default_factory=list)  # every enumerator that means something, and by whose meaning
    errnos: list[Meaning] = field(default_factory=list)
    forms: dict[str, str] = field(default_factory=dict)
    tables: dict[str, Texts] = field(default_factory=dict)  # by what comes behind vx_ in their names
    parts: str = ""  # of mailboxes: the names of all parts of layouts, a blank between

    @property
    def texts(self) -> dict[str, str]:
        """All that vx_texts has, in its order, a NUL before all and behind each."""
        meant = [text for x in self.meanings + self.errnos for text in x.texts] + [self.parts]
        return {"nothing": "\0", "types": self.pool.joined, "sentences": self.sentences.joined, "meanings": "".join(f"{text}\0" for text in meant)}

    @cached_property
    def packed(self) -> Packed:
        return pack(self.texts)

    @property
    def literals(self) -> list[str]:
        """What is packed, as C strings."""
        data = self.packed.data
        return [f'"{"".join(map(OCTAL.__getitem__, data[at : at + A_LINE]))}"' for at in range(0, len(data), A_LINE)]

    def note(self, note: FieldNote) -> int:
        return self.notes.setdefault(note, len(self.notes))


def _meaning(name: str, entry: dict[str, str]) -> Meaning:
    return Meaning(name, [entry.get(key, "") for key in ("says", "causes", "remedy")])


def _meant(enums: list[EnumPlan], meanings: list[Meaning]) -> list[tuple[str, str]]:
    """A second name of a value means what the first one does, unless it has a meaning of its own."""
    out = {m.name: m.name for m in meanings}
    for e in enums:
        of_value = {r.value: r.name for r in reversed(e.rows) if out.get(r.name) == r.name}
        out |= {r.name: of_value[r.value] for r in e.rows if r.has("ALIAS") and r.name not in out and r.value in of_value}
    return sorted(out.items())


def _texts(pool: TextPool, indices: dict[str, str], said: dict[str, str]) -> Texts:
    """What is said of those that have a name; indices are enumerators by it."""
    return Texts(len(indices), {indices[name]: pool.add(said[name]) for name in indices if said.get(name)})


def plan_describe(lore: Lore, enums: list[EnumPlan], tables: StructTables, calls: list[str],
                  standing: dict[str, str], sentences: TextPool) -> Describe:
    out = Describe(sentences)
    for s in tables.structs:
        out.fields[s.id] = [out.note(FieldNote(out.pool.add(f.c_type), out.pool.add(f.valid), f.since)) for f in s.fields]
    known = {r.name for e in enums for r in e.rows}
    out.meanings = [_meaning(n, e) for n, e in sorted(lore.meaning.items()) if n in known]
    out.meant = _meant(enums, out.meanings)
    out.errnos = [_meaning(n, e) for n, e in lore.errno.items()]
    out.forms = {form: out.pool.add(form) for form in FORMS if form != "plain"}
    out.parts = " ".join(p.name for layout in plan_prm(lore).layouts for p in layout.parts)
    of_calls = {name: f"CALL_{name}" for name in calls}
    own_pages = {page.partition("(")[0]: page for page in lore.man.values()}  # which tell about something else as well
    out.tables = {
        "struct_pages": _texts(out.pool, {s.id if s.nested else s.name: f"STRUCT_{s.id}" for s in tables.structs}, lore.man),
        "enum_pages": _texts(out.pool, {e.name: f"ENUM_{e.name}" for e in enums}, lore.man),
        "call_pages": _texts(out.pool, of_calls, own_pages | lore.man),
        "call_wrappers": _texts(out.pool, of_calls, standing),
    }
    return out
