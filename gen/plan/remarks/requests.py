# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""What is to be said of work requests, and of unions such as they have: new opcodes that lore knows nothing of, and members that are valid at times."""

from __future__ import annotations

import json
from collections.abc import Iterator

from ...api.facts import Field, Struct
from ...api.merge import Api
from ...know.model import Lore, find_field
from ...know.remarks import LORE, Remarks
from ...know.wr import called_alike
from ...reach.news import News
from ..enums.enums import EnumPlan
from ..model.wr import Read
from .enums import EnumRemarks

Member = tuple[str, Field]  # with its path


class RequestRemarks(EnumRemarks):
    def __init__(self, api: Api, lore: Lore, enums: list[EnumPlan], news: News, remarks: Remarks) -> None:
        super().__init__(api, lore, enums, remarks)
        self.news = news
        self.facts_of = api.enums()
        self.valid: dict[str, dict[str, str]] = {}  # by structure and path, what decides when a member is valid
        for key, fields in (*lore.choice.items(), *lore.guard.items()):
            struct = key.partition(".")[0].removesuffix("()")
            paths = fields if key in lore.choice else [path for paths in fields.values() for path in paths]
            self.valid.setdefault(struct, {}).update({str(path): key for path in paths})

    def add(self) -> None:
        for enum in self.enums.values():
            self._opcodes(enum)
        for group in self.api.groups.values():
            for struct in group.structs.values():
                for members in _unions(struct.fields, "", struct.union):
                    self._members(group.name, struct, members)

    # ---- opcodes ----

    def _opcodes(self, enum: EnumPlan) -> None:
        """Those of which no builder is, nor a line of lore, in an enum of which others are."""
        known = {name for call, entry in self.lore.wr.items() for name in (call, entry.get("wr"))}
        names = [r.name for r in enum.rows if r.usable]
        if known.isdisjoint(names):
            return
        told = " ".join(r.write for r in self.remarks.said if r.table == "wr")
        for name in names:
            if name not in known and name not in self.lore.reasons.unlisted and f'"{name}"' not in told:
                self.remarks.add(enum.header, name, "an opcode that has no builder: what such a request needs nobody says, and checked QPs refuse it",
                                 LORE.format("wr"), "wr", self._opcode(enum, name))

    def _opcode(self, enum: EnumPlan, name: str) -> str:
        """The line that it takes: that of a request with data, of the first type of QPs, with the member of requests that is called alike."""
        like = next(entry for entry in self.lore.wr.values() if "into" in entry)
        request = like["into"].partition(".")[0]
        members = [path for members in _unions(self.structs[request].fields, "", False) for path, _ in members] if request in self.structs else []
        ending = next((path for path in members if name.lower().endswith(f"_{path.rpartition('.')[2]}")), "")
        word = ending.rpartition(".")[2] or name.lower().rpartition("_")[2]
        entry = {"data": "any", "types": like["types"][:1], "wc": called_alike(self.facts_of, like["wc"], word) or like["wc"],
                 **({"into": f"{request}.{ending}"} if ending else {})}
        return f"{name} = {{ {', '.join(f'{key} = {json.dumps(value)}' for key, value in entry.items())} }}"

    # ---- members of unions ----

    def _members(self, group: str, struct: Struct, members: list[Member]) -> None:
        """New ones of which nobody says when they are valid; one is what the bytes are, if nothing is said of any."""
        said = self.valid.get(struct.name, {})
        decided = [path for path, _ in members if path in said]
        known = [path for path, f in members if not self.news.field(struct, path, f.since)]
        if known and not decided and len({(f.type, f.count, f.bits) for _, f in members}) == 1:
            self._further_names(group, struct, known[0], [path for path, _ in members if path not in known])
            return
        open_to_doubt = [(path, f) for path, f in members if path not in said and not self._is_settled(struct, path)]
        for path, f in open_to_doubt if decided else open_to_doubt[1:]:
            if self.news.field(struct, path, f.since):
                table, line = self._when(struct, path, [said[p] for p in decided if not said[p].endswith("()")])
                self.remarks.lore(group, struct.header, f"{struct.name}.{path}", "a member of a union, of which nobody says when it is valid: it is always printed",
                                  table, self._with_what_it_is(line) if table == "field" else line)

    def _further_names(self, group: str, struct: Struct, first: str, others: list[str]) -> None:
        """Of a field: whoever reads what is printed is promised each that is shown."""
        for key in (f"{struct.name}.{path}" for path in others):
            if key not in self.lore.field and key not in self.lore.skip:
                self.remarks.said = [r for r in self.remarks.said if (r.table, r.name) != ("field", key)]
                self.remarks.lore(group, struct.header, key, f"another name of {struct.name}.{first}: both are printed, unless it never is (a line with form says that it is)",
                                  "field", f'"{key}" = {{ never = true }}')

    def _with_what_it_is(self, line: str) -> str:
        """The line of a field, which is one, with what else was asked of it."""
        key, _, entry = line.partition(" = { ")
        before = next((r for r in self.remarks.said if r.table == "field" and r.write.startswith(f"{key} = {{ ")), None)
        if not before:
            return line
        self.remarks.said.remove(before)
        return f"{before.write.removesuffix(' }')}, {entry}"

    def _is_settled(self, struct: Struct, path: str) -> bool:
        return "never" in self.lore.field.get(f"{struct.name}.{path}", {}) or f"{struct.name}.{path}" in self.lore.skip

    def _when(self, struct: Struct, path: str, keys: list[str]) -> tuple[str, str]:
        """The table, and the line: the value that is called as the member, of what decides about others, or of an enum of the structure; of the former also those
        that have the member's name in theirs, and are no other member's."""
        word, named = path.rpartition(".")[2].lower(), json.dumps(path) if "." in path else path
        for key in dict.fromkeys([*keys, *(f"{struct.name}.{f.name}" for f in struct.fields)]):
            values = self._values(key)
            if ending := next((v for v in values if v.lower().endswith(f"_{word}")), ""):
                return f'choice."{key}"', f'{named} = ["{ending}"]'
            others = [v for of in self.lore.choice.get(key, {}).values() if of != "else" for v in of]
            if within := [v for v in values if f"_{word}_" in v.lower() and v not in others] if key in keys else []:
                return f'choice."{key}"', f"{named} = {json.dumps(within)}"
        return "field", f'"{struct.name}.{path}" = {{ never = true }}'

    def _values(self, key: str) -> list[str]:
        """The names of what a field can hold."""
        found = find_field(self.structs, *key.split(".", 1)) if "." in key else None
        name = self.lore.field.get(key, {}).get("enum") or (found.ref if found and found.kind == "enum" else "")
        return [r.name for r in self.enums[name].rows if r.usable] if name in self.enums else []


def add_reads(api: Api, lore: Lore, reads: list[Read], news: News, remarks: Remarks) -> None:
    """What is read of completions that no flag is known to enable."""
    calls = api.calls()
    for read in reads:
        if read.flag == "0" and news.call(calls[read.call]) and not lore.inline.get(read.call, {}).get("always"):
            remarks.add(calls[read.call].header, read.call, "read of any extended CQ: no flag is called so, nor does the meaning of one say that it enables it "
                        '(where one does: flag = "...")', LORE.format("wr"), "inline", f"{read.call} = {{ always = true }}")


def _unions(fields: list[Field], at: str, is_union: bool) -> Iterator[list[Member]]:
    """The members of each union within, by their paths; one member alone shares its bytes with nothing."""
    sharing: dict[int, list[Member]] = {}
    for f in fields:
        if is_union or f.union:
            sharing.setdefault(f.union, []).append((f"{at}{f.name}", f))
    yield from (members for members in sharing.values() if len(members) > 1)
    for f in fields:
        yield from _unions(f.fields, f"{at}{f.name}.", f.type == "union")
