# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""The part of lore that explains failures, or refuses: limits, faults, suspects and the transitions of a QP and a WQ."""

from __future__ import annotations

import errno
import re
from typing import Any

from ..api.facts import Field
from ..fast.record import value
from ..files import tomlfile
from .checks import Checks
from .model import close

# How a condition compares, and the operation of enum vx_rule_op.
SIGNS = {"is not": "NONE_OF", "is beyond": "BEYOND", "is": "ONE_OF", "has more than": "", "has": "ANY_BIT", "lacks": "NO_BIT"}
CONDITION = re.compile(rf"(\S+) ({'|'.join(SIGNS)}) (.+)")
MASKS = {"has": "MASK", "lacks": "NO_MASK"}  # and of a mask beside a structure
COMPARED = {"is": "SAME", "is not": "OTHER", "is beyond": "MORE", "has more than": "EXTRA"}  # how with another field, of enum vx_source
TRANSITION = re.compile(r"((?:\w+ )+)-> (\w+)")
OR = " or "
PART = re.compile(r" (of|by) ")
ALL = "all"
# When a row is looked for, of enum vx_phase: by a condition that says so, else by the table that it stands in.
SAID = {"at once": "AT_ONCE", "otherwise": "OTHERWISE"}
PHASES = {"refuse": "BEFORE", "fault": "USUAL", "count": "COUNT", "product": "PRODUCT"}
BRACES = re.compile(r"\{([\w.]+)\}")
SET = " is not 0"
BEYOND = " beyond "
TIMES = " * "
MOST_PARTS, LONGEST_PART, MOST_ERRNOS = 32, 23, 4  # of struct vx_part and struct vx_fault, runtime/src/reason/reason_tables.h
TYPES = 29  # of QPs: a row has a bit for each number below, in 32 with those of vendors and WQs


@value
class Words:
    """A condition taken apart."""

    subject: str
    sign: str
    values: list[str]

    @property
    def other(self) -> str:
        """The path of the field that it is compared with; "" where values are."""
        match = BRACES.fullmatch(self.values[0])
        return match[1] if match and len(self.values) == 1 and self.sign in COMPARED else ""


def owned(key: str) -> list[str]:
    """Of "ibv_reg_mr ibv_rereg_mr.length" one path for each owner."""
    owners, _, path = key.partition(".")
    return [f"{owner}.{path}" for owner in owners.split()]


def words(text: str) -> Words | None:
    match = CONDITION.fullmatch(text)
    return Words(match[1], match[2], match[3].split(OR)) if match else None


def alternatives(conditions: list[str]) -> list[list[str]]:
    """The sets of conditions that "or" stands between."""
    found: list[list[str]] = [[]]
    for condition in conditions:
        if condition == OR.strip():
            found.append([])
        else:
            found[-1].append(condition)
    return found


def asked(condition: str, owner: str) -> str:
    """In C, what tells whether to look for a refusal at all, by its first condition; "" of one that is not cheap to ask."""
    found = words(condition)
    if found and found.sign == "is" and found.subject != "provider":
        return " || ".join(f"{owner}.{found.subject} == {value}" for value in found.values)
    return f"{owner}.{condition.removesuffix(SET)}" if condition.endswith(SET) else ""


class ReasonTables(Checks):
    """What the checker of lore does with these tables."""

    def _bad(self, doc: tomlfile.Document, table: str, key: str | None, message: str, hint: str | None = None) -> Exception:
        return doc.error(table, key and key.replace(" ", ""), f"{key}: {message}" if key else message, hint)

    def _number_at(self, doc: tomlfile.Document, table: str, key: str, path: str, also: tuple[str, ...] = ()) -> Field:
        found = self._field(doc, table, key, path)
        if found.kind not in ("uint", "int", "enum", "bool", "char", "pointer", *also):
            raise self._bad(doc, table, key, f"{path} is no number but {found.type}", "a row looks at numbers, enumerators and pointers")
        return found

    def _table_source(self, doc: tomlfile.Document, key: str, entry: dict[str, str]) -> None:
        if sum(k in entry for k in ("ask", "part", "own")) != 1:
            raise self._bad(doc, "source", key, "needs allows, and one of ask, part and own")
        if "part" in entry:
            self._source_field(doc, "source", key, entry["part"])

    def _source_field(self, doc: tomlfile.Document, table: str, key: str, path: Any) -> None:
        known = self.lore.reasons.source
        if not isinstance(path, str) or path.partition(".")[0] not in known:
            raise self._bad(doc, table, key, f"{path}: must be a field of one of {', '.join(known)}", "or their like in [source]")
        self._field(doc, table, key, path)

    def _source(self, doc: tomlfile.Document, table: str, key: str, path: Any) -> None:
        self._source_field(doc, table, key, path)
        found = self._number_at(doc, table, key, path)
        if found.count is not None:
            raise self._bad(doc, table, key, f"{path} is no number but {found.type}")

    def _place_at(self, doc: tomlfile.Document, table: str, key: str, path: str, also: tuple[str, ...] = ()) -> None:
        """A field of a structure, or a parameter of a call, or a field of what that points to."""
        owner, _, rest = path.partition(".")
        if owner not in self.calls:
            self._number_at(doc, table, key, path, also)
            return
        name, _, inner = rest.partition(".")
        found = next((p for p in self.calls[owner].params if p.name == name), None)
        if found is None:
            names = [p.name for p in self.calls[owner].params]
            raise self._bad(doc, table, key, f"{owner} has no parameter {name}", f"its parameters: {', '.join(names)}")
        record = found.what.to_one
        if inner and not record:
            raise self._bad(doc, table, key, f"{path}: {found.type} points to no structure", f"{owner}.{name} alone is its value")
        if inner and record:
            self._number_at(doc, table, key, f"{record}.{inner}", also)

    def _table_limit(self, doc: tomlfile.Document, key: str, value: str | int) -> None:
        for path in owned(key):
            self._place_at(doc, "limit", key, path)
        if isinstance(value, str):
            self._source(doc, "limit", key, value)
        elif value >= 1 << 32:
            raise self._bad(doc, "limit", key, f"{value}: must be a number of 32 bits, or a field of a source")

    def _table_index(self, doc: tomlfile.Document, key: str, value: str) -> None:
        for path in owned(key):
            self._place_at(doc, "index", key, path)
        self._source(doc, "index", key, value)

    def _table_called(self, doc: tomlfile.Document, key: str, value: str) -> None:
        self._place_at(doc, "called", key, key)

    def _table_count(self, doc: tomlfile.Document, key: str, value: str) -> None:
        self._known_calls(doc, "count", key)
        self._source(doc, "count", key, value)

    def _known_calls(self, doc: tomlfile.Document, table: str, key: str) -> None:
        for call in key.split():
            if call not in self.calls:
                raise self._bad(doc, table, key, f"{call}: no such function", close(call, self.calls))

    def _table_fault(self, doc: tomlfile.Document, key: str, value: dict[str, list[str]]) -> None:
        self._sentences(doc, "fault", key, value)

    def _table_refuse(self, doc: tomlfile.Document, key: str, value: Any) -> None:
        self._sentences(doc, "refuse", key, value)
        for text, conditions in value.items():
            if key not in self.calls and not all(asked(way[0], "attr") for way in alternatives(conditions)):
                raise self._bad(doc, f"refuse.{key}", text, "the first condition must be \"FIELD is not 0\" or \"FIELD is VALUE\": "
                                                            "nothing is looked for where that is not so")
            for condition in filter(None, map(words, sum(alternatives(conditions), []))):
                for path in (condition.subject, condition.other):
                    if path.partition(".")[0] in (*self.lore.reasons.source, "errno", "mask"):
                        raise self._bad(doc, f"refuse.{key}", text, f"{path} is not known before the call")
        if key not in self.calls:
            self.late.append(lambda: self._is_made_of(doc, key))

    def _is_made_of(self, doc: tomlfile.Document, key: str) -> None:
        if not any(e.get("attr") == key and not e.get("by_hand") for e in self.lore.object.values()):
            raise self._bad(doc, f"refuse.{key}", None, f"{key}: no kind of object is made of it by the rule")

    def _sentences(self, doc: tomlfile.Document, kind: str, key: str, value: Any) -> None:
        table = f"{kind}.{key}".replace(" ", "")
        for owner in key.split():
            if owner not in self.calls:
                self._struct(doc, table, None, owner)
        for text, conditions in value.items():
            if not all(alternatives(conditions)):
                raise self._bad(doc, table, text, "a sentence without a condition", 'write ["otherwise"] for what is said of nothing better')
            errnos = [v for found in map(words, sum(alternatives(conditions), [])) if found and found.subject == "errno" for v in found.values]
            if len(errnos) > MOST_ERRNOS:
                raise self._bad(doc, table, text, f"{len(errnos)} errnos: a row has room for {MOST_ERRNOS}", "say it twice, in other words")
            for owner in key.split():
                for condition in sum(alternatives(conditions), []):
                    self._condition_of(doc, table, text, owner, condition)
                for path in BRACES.findall(text):
                    self._place_of(doc, table, text, owner, path)

    def _place_of(self, doc: tomlfile.Document, table: str, key: str, owner: str, path: str, also: tuple[str, ...] = ()) -> None:
        """What a sentence or a condition names: a field of a source, or of what it is about."""
        known = path.partition(".")[0] in self.lore.reasons.source
        self._place_at(doc, table, key, path if known else f"{owner}.{path}", also)

    def _condition_of(self, doc: tomlfile.Document, table: str, key: str, owner: str, text: str) -> None:
        found = words(text)
        if text in SAID:
            return
        if found is None:
            raise self._bad(doc, table, key, f'{text}: no condition such as "qp_type is IBV_QPT_RC or ..."')
        if found.subject in ("errno", "provider"):
            if found.sign != "is" or found.subject == "errno" and not all(hasattr(errno, v) for v in found.values):
                raise self._bad(doc, table, key, f"{text}: no such {found.subject}", 'such as "errno is EINVAL", "provider is libmlx5"')
            return
        if found.subject == "mask" and found.sign not in MASKS:
            raise self._bad(doc, table, key, f"{text}: a mask has bits", 'such as "mask has IBV_QP_STATE"')
        if found.sign == "has more than" and not found.other:
            raise self._bad(doc, table, key, f"{text}: bits are held against another field's", 'such as "flags has more than {other.flags}"; of numbers "has"')
        if found.sign == "is beyond" and len(found.values) != 1:
            raise self._bad(doc, table, key, f"{text}: is beyond one number", 'such as "cqe is beyond 128"')
        if found.subject != "mask":
            self._place_of(doc, table, key, owner, found.subject, also=("function",))
        if found.other and found.subject != "mask":
            self._place_of(doc, table, key, owner, found.other)
            return
        for value in found.values:
            if not re.fullmatch(r"\d+|0x[0-9a-f]+", value):
                self.late.append(lambda value=value: self._value(doc, table, key, value))

    def _value(self, doc: tomlfile.Document, table: str, key: str, name: str) -> None:
        if name not in self.lore.open_flag:
            self._enumerator(doc, table, key, name)

    def _table_exclude(self, doc: tomlfile.Document, key: str, entries: dict[str, list[str]]) -> None:
        below: list[str] = []
        if len(entries) > MOST_PARTS:
            raise self._bad(doc, f"exclude.{key}", None, f"{len(entries)} parts: rows have bits for {MOST_PARTS}")
        for part in reversed(entries):
            if len(PART.split(part)[0]) > LONGEST_PART:
                raise self._bad(doc, f"exclude.{key}", part, f"{PART.split(part)[0]}: longer than {LONGEST_PART} letters, which is what a row has for it")
            for name in entries[part]:
                if name != ALL and name not in below:
                    raise self._bad(doc, f"exclude.{key}", part, f"{name} is no part below it", close(name, below))
            below.append(PART.split(part)[0])

    def _table_suspect(self, doc: tomlfile.Document, key: str, value: list[str]) -> None:
        for text in value:
            name, _, usual = text.partition(BEYOND)
            self._number_at(doc, "suspect", key, f"{key}.{name}")
            for one in usual.split(OR) if usual else []:
                self._enumerator(doc, "suspect", key, one)

    def _table_product(self, doc: tomlfile.Document, key: str, value: list[str]) -> None:
        for text in value:
            names = text.split(TIMES)
            if len(names) < 2:
                raise self._bad(doc, "product", key, f"{text}: must be fields with {TIMES.strip()} between")
            for name in names:
                self._number_at(doc, "product", key, f"{key}.{name}")

    def _table_explain(self, doc: tomlfile.Document, key: str, value: dict[str, str]) -> None:
        self._known_calls(doc, "explain", key)

    def _prefix(self, what: str) -> str:
        """What the enumerators of transitions begin with, which lore has before them."""
        return self.lore.reasons.prefix.get(what, "")

    def _table_vendor_type(self, doc: tomlfile.Document, key: str, value: str) -> None:
        self.late.append(lambda: self._vendor_type(doc, key, value))

    def _vendor_type(self, doc: tomlfile.Document, key: str, value: str) -> None:
        self._are_there(doc, "vendor_type", key, [("type", value)])
        if self._prefix("type") + key not in self.enumerators:
            self.lore.reasons.nameless.append(key)

    def _table_transition(self, doc: tomlfile.Document, key: str, value: dict[str, list[list[str]]]) -> None:
        table = f"transition.{key}".replace(" ", "")
        match = TRANSITION.fullmatch(key)
        if not match:
            raise self._bad(doc, table, None, f'{key}: must be like "INIT -> RTR"')
        self.late.append(lambda: self._states_and_rows(doc, table, (*match[1].split(), match[2]), value))  # a later file may say the prefix

    def _states_and_rows(self, doc: tomlfile.Document, table: str, states: tuple[str, ...], value: dict[str, list[list[str]]]) -> None:
        for state in states:
            self._enumerator(doc, table, None, self._prefix("state") + state)
        for types, masks in value.items():
            self._transition_row(doc, table, types, masks)

    def _transition_row(self, doc: tomlfile.Document, table: str, types: str, masks: list[list[str]]) -> None:
        for name in types.split():
            self._type_of_qps(doc, table, types, name)
            if name not in self.lore.vendor_type:
                self._has_a_bit(doc, table, types, self._prefix("type") + name)
        if len(masks) != 2:
            raise self._bad(doc, table, types, "must be two lists: what is needed, what is allowed beside")
        for names in masks:
            for name in names:
                self._enumerator(doc, table, types, self._prefix("bit") + name)
        both = set(masks[0]) & set(masks[1])
        if both:
            raise self._bad(doc, table, types, f"{sorted(both)[0]} is both needed and allowed beside")

    def _type_of_qps(self, doc: tomlfile.Document, table: str, key: str, name: str) -> None:
        """One of rdma-core's, or of a vendor's."""
        if name not in self.lore.vendor_type:
            self._enumerator(doc, table, key, self._prefix("type") + name)

    def _has_a_bit(self, doc: tomlfile.Document, table: str, types: str, name: str) -> None:
        number = next((v.value for v in self.enumerators[name].values if v.name == name), 0) if name in self.enumerators else self.macros[name].value
        if number is None or not 0 <= number < TYPES:
            raise self._bad(doc, table, types, f"{name} is {number}, and rows have bits for types below {TYPES}",
                            f'say in [unlisted] why it has no row: {name} = "..."')

    def _table_unlisted(self, doc: tomlfile.Document, key: str, _: str) -> None:
        self.late.append(lambda: self._is_unlisted(doc, key))

    def _is_unlisted(self, doc: tomlfile.Document, key: str) -> None:
        """A state that transitions lead to and from, or a bit that one names, lacks nothing; a type may have some, and not all."""
        prefix, rows = self.lore.reasons.prefix, self.lore.reasons.transition
        ends = [(end.partition(" -> ")[0].split(), end.partition(" -> ")[2]) for end in rows]
        states = {word for sources, _ in ends for word in sources} & {target for _, target in ends}
        bits = {bit for of in rows.values() for masks in of.values() for names in masks for bit in names}
        if key in {*(prefix.get("state", "") + word for word in states), *(prefix.get("bit", "") + bit for bit in bits)}:
            raise doc.error("unlisted", key, f"{key}: is in transitions", "take the line away")
        listed = {*self.lore.flow, *self.lore.wr, *(str(entry["wr"]) for entry in self.lore.wr.values() if "wr" in entry),
                  *(prefix.get("state", "") + word for word in states), *(prefix.get("bit", "") + bit for bit in bits),
                  *(prefix.get("type", "") + word for of in rows.values() for types in of for word in types.split()),
                  *(prefix.get("wq_state", "") + word for word in self.lore.reasons.wq_transition)}
        enum = self.enumerators[key].name if key in self.enumerators else key
        if enum not in {self.enumerators[name].name for name in listed if name in self.enumerators}:
            raise doc.error("unlisted", key, f"{key}: is of enum {enum}, of which no table has any", "take the line away: it is about what transitions, [wr] and [flow] have of others")

    def _table_ignored(self, doc: tomlfile.Document, key: str, value: list[str]) -> None:
        self.late.append(lambda: self._are_there(doc, "ignored", key, [("type", key), *(("bit", bit) for bit in value)]))

    def _table_wq_transition(self, doc: tomlfile.Document, key: str, value: list[str]) -> None:
        self.late.append(lambda: self._are_there(doc, "wq_transition", key, [("wq_state", state) for state in (key, *value)]))

    def _are_there(self, doc: tomlfile.Document, table: str, key: str, names: list[tuple[str, str]]) -> None:
        for what, name in names:
            self._enumerator(doc, table, key, self._prefix(what) + name)
