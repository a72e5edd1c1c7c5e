# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""What the table of structures holds: of each field its kind, its form, and when it is valid."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...api.facts import Field, Struct
from ...api.merge import Api
from ...fast.record import changed, field, record
from ...know.model import MASK, WIDTHS, Lore
from ...know.remarks import LORE, Remarks, entry as entry_of
from ..enums.enums import EnumPlan
from ..when.guards import lives
from ..when.rules import Condition, Conditions, Rule, RuleBook
from .guesses import IS_MASK, Guesses
from .own_structs import GROUP, OwnTable


@record
class FieldPlan:
    name: str
    path: str  # from the start of the structure that C can name: "wr.rdma.rkey"
    c_type: str
    kind: str  # of enum vx_kind
    form: str = ""  # of enum vx_form; "" is plain
    flags: list[str] = field(default_factory=list)  # of enum vx_field_flags
    ref: str = ""  # ENUM_x, STRUCT_x or CODE_x
    enum: str = ""  # of a code, whose values are those of an enum as well
    handle: str = ""  # HANDLE_x, of a pointer to an object
    shape: str = "FIELD"  # FIELD, ARRAY or FLEXIBLE
    rule: str = ""
    length: int = 0
    most: int = 0  # bytes of an array that length counts; 0: as many as that says
    since: int = 0
    until: int = 0
    bytes: int = 0  # size in the newest headers
    unit: int = 0  # of one element there
    valid: str = ""  # the rule in words
    means: str = ""  # enum, form or code in words
    note: str = ""
    says: str = ""  # what the field is for
    beyond: str = ""  # why no row of a table can say where it lies
    guard: str = ""  # preprocessor condition, see rows.py
    row: str = ""  # C initializer


@record
class StructPlan:
    id: str  # ibv_send_wr, ibv_send_wr__wr
    name: str
    c_type: str  # struct ibv_send_wr, of a nested one that of the structure around it
    compiled: str  # the same as compilers see it, which is another where a macro of the headers renames it
    at: str  # path of a nested one in c_type
    group: str
    header: str
    size: int
    since: int
    until: int = 0
    fields: list[FieldPlan] = field(default_factory=list)
    flags: list[str] = field(default_factory=list)  # of enum vx_struct_flags
    first: int = 0
    width: int = 0
    note: str = ""
    guard: str = ""
    number: int = 0  # of gen/abi/ids.toml; 0: nested, or only this machine's headers have it
    like: str = ""  # the structure that a nested one has the published members of
    of_vendor: bool = False  # whose headers programs include by themselves
    present: str = ""  # the preprocessor condition under which a program has its header; none does without the first
    core: bool = False  # in the first part of the tables, see StructTables.core

    @property
    def typedef(self) -> bool:
        """It has no tag."""
        return " " not in self.c_type

    @property
    def there(self) -> str:
        """The preprocessor condition under which a program has it."""
        return "0" if self.of_vendor else " && ".join(filter(None, (self.guard, self.present))) or "1"

    @property
    def reached(self) -> str:
        """What gives its description, in C."""
        by = "vx_struct_by_id" if self.core else "vx_struct_by_any_id"
        return f"{by}({self.number})" if self.number else f'vx_struct_find("{self.name}")'

    @property
    def own(self) -> bool:
        return self.group == GROUP

    @property
    def beyond(self) -> bool:
        """It is so large that no row has its size."""
        return self.size > MOST_BYTES

    @property
    def flags_in_c(self) -> str:
        return " | ".join(f"VX_STRUCT_{flag}" for flag in self.flags) or "0"

    @property
    def nested(self) -> bool:
        return "NESTED" in self.flags

    @property
    def union(self) -> bool:
        return "UNION" in self.flags


LONG = ("size_t", "off_t")  # 64 bits only where pointers have as many
MOST_BYTES = 2**15 - 1  # of a structure, as rules count with a sign
MOST_OF_ELEMENT = 2**11 - 1  # bytes
MOST_ELEMENTS = 2**10 - 2  # as one more stands for an array without a size
NO_ENUM = "ENUMS"  # of generated/src/ids.h: the enum without enumerators
OWN_HANDLE = "VX_REF_OWN_HANDLE"  # of runtime/src/text/table.h


def plain_path(path: str) -> str:
    """A path as lore writes it: what is said of an element holds for each."""
    return path.replace("[0]", "")


def _beyond(plan: StructPlan, item: FieldPlan, f: Field) -> str:
    """Why no row can say where a field lies: the numbers of struct vx_field of runtime/src/text/table.h are small."""
    elements = f.count if item.shape == "ARRAY" and f.count else 1
    if f.bits is not None:
        return "C tells no offset of a bit-field"
    if plan.size > MOST_BYTES:
        return f"what it is in has more than {MOST_BYTES} bytes"
    if elements > MOST_ELEMENTS:
        return f"it has more than {MOST_ELEMENTS} elements"
    return f"it has more than {MOST_OF_ELEMENT} bytes" if f.size // elements > MOST_OF_ELEMENT else ""


class _Planner:
    def __init__(self, api: Api, lore: Lore, enums: list[EnumPlan], remarks: Remarks, own: OwnTable) -> None:
        self.lore = lore
        self.own = own
        self.structs = api.structs() | {s.name: s for s in own.structs}
        self.parts = {s.name: {f.name: f.ref for f in s.fields} for s in own.structs}
        self.says = own.says | lore.says
        self.around = {key[:at] for key in (*own.zeros, *own.meant) for at, c in enumerate(key) if c == "."}  # what is within is decided
        self.enums = {e.name: e for e in enums}
        self.newest = api.newest
        self.guesses = Guesses(api, lore, self.enums)
        self.remarks = remarks
        self.values = {r.name: r.value for e in enums for r in e.rows}
        self.values |= {m.name: m.value or 0 for m in api.macros().values() if m.kind == "value"}
        self.tags = {m.name: m.text for m in api.macros().values() if m.kind == "alias"}
        self.conditions = Conditions(lore, self.structs, self.values)
        self.rules = RuleBook()
        self.done: list[StructPlan] = []

    # ---- structures ----

    def struct(self, group: str, s: Struct) -> None:
        entry = self.lore.struct.get(s.name, {})
        shown = max(s.since, min((f.since for f in s.fields), default=0))  # before that headers declared it only
        plan = StructPlan(s.name, s.name, s.c_type, s.c_type.replace(s.name, self.tags.get(s.name, s.name)), "", group, s.header, s.size,
                          shown, s.until, note=entry.get("note", ""))
        plan.flags = [flag for flag, on in (("UNION", s.union), ("GROWS_FRONT", "grows" in entry),
                                            ("ONE_VALUE", entry.get("one_value")), ("HIDDEN", entry.get("hidden")),
                                            ("FILLED", s.name in self.own.filled))
                      if on]
        self._fill(plan, s.fields, s.name)

    def _fill(self, plan: StructPlan, fields: list[Field], top: str) -> None:
        self.done.append(plan)
        names = [f.name for f in fields]
        for before, f in zip([None, *fields], fields):
            shares = before is not None and (plan.union or 0 < f.union == before.union)
            item = self._field(plan, f, top, shares)
            entry = self.lore.field.get(f"{top}.{plain_path(item.path)}", {})
            if "count" in entry and entry["count"] in names:
                item.length, item.most = 1 + names.index(entry["count"]), entry.get("in_bytes", 0)
            plan.fields.append(item)
        plan.width = max((len(f.name) for f in fields), default=0)

    def _nested(self, plan: StructPlan, f: Field, path: str, top: str, like: str) -> str:
        """A member without a tag becomes a table of its own, whose offsets start where it starts."""
        at = path if f.count is None else f"{path}[0]"
        sub = StructPlan(f"{plan.id}__{f.name}", f.name, plan.c_type, plan.compiled, at, plan.group, plan.header, f.size,
                         *lives((plan.since, plan.until), (f.since, f.until)))
        sub.like = like
        sub.flags = ["NESTED"] + (["UNION"] if f.type == "union" else [])
        self._fill(sub, f.fields, top)
        return sub.id

    # ---- fields ----

    def _field(self, plan: StructPlan, f: Field, top: str, shares: bool) -> FieldPlan:
        path = f"{plan.at}.{f.name}" if plan.at else f.name
        entry = self._entry(f"{top}.{plain_path(path)}", f)
        item = FieldPlan(f.name, path, f.type, "", since=max(f.since, plan.since), until=f.until, bytes=f.size,
                         unit=f.size // f.count if f.count else f.size or (8 if "64" in f.type else 1), note=entry.get("note", ""),
                         says=self._of_key(self.says, f"{top}.{plain_path(path)}") or "")
        says_more = f"{top}.{path}" in self.around
        if says_more and not f.fields:
            f = changed(f, fields=[changed(part, since=0) for part in self.structs[f.ref].fields])
        if f.bits is not None:
            item.kind = "BITS"
        elif f.fields:
            item.kind, item.ref = "STRUCT", f"STRUCT_{self._nested(plan, f, path, top, '' if says_more else f.ref)}"
            item.shape = "ARRAY" if f.count else "FIELD"
        else:
            self._decide(item, f, entry, f"{top}.{plain_path(path)}", plan)
        item.beyond = _beyond(plan, item, f)
        if item.beyond:
            if not self._tell_cut(f, plan, f"{top}.{plain_path(path)}"):
                self._tell_beyond(item.beyond, plan, f"{top}.{plain_path(path)}")
            return item
        self._tell_cut(f, plan, f"{top}.{plain_path(path)}")
        self._zero(item, f"{top}.{path}")
        self._flags(item, f, entry, shares)
        self._validity(item, entry, plan, top)
        self._meant(item, plan, top)
        return item

    def _entry(self, key: str, f: Field) -> dict[str, Any]:
        """Lore's entry for the field, else that for its name: of numbers, and where no comment names an enum."""
        struct, _, path = key.partition(".")
        entry = self._of_key(self.lore.field, key)
        if entry is not None:
            return entry
        if struct in self.own.names and f.target == "char":
            return {"text": True}
        by_name = self.lore.by_name(f.name)
        silent = f.kind in ("uint", "int") and f.hint not in self.enums
        return by_name if silent or "zero" in by_name else {}

    def _of_key(self, said: dict[str, Any], key: str) -> Any:
        """What is said of a field: of an own structure also by those that it is like, or that the field is in."""
        struct, _, path = key.partition(".")
        if key in said or struct not in self.parts:
            return said.get(key)
        inside = self.parts[struct].get(path.partition(".")[0])
        return said.get(f"{self.own.like.get(struct)}.{path}", said.get(f"{inside}.{path.rpartition('.')[2]}"))

    def _zero(self, item: FieldPlan, key: str) -> None:
        """What a 0 stands for that is not the default, where nothing else is to be said of the number."""
        form = self.own.zeros.get(key, "")
        if form and item.kind in ("UINT", "ENUM", "FLAGS") and item.form in ("", "hex"):
            item.form = form

    def _meant(self, item: FieldPlan, plan: StructPlan, top: str) -> None:
        """By which bit a 0 is meant, and not the default: of a number that is valid in any case."""
        bit = self.own.meant.get(f"{top}.{item.path}")
        if bit:
            item.flags.append("DEFAULT")
            item.rule = self.rules.add(plan.id, plan.c_type, plan.at, [Condition("ANY_BIT", MASK, [self.values[bit]], "")])

    def _decide(self, item: FieldPlan, f: Field, entry: dict[str, Any], key: str, plan: StructPlan) -> None:
        item.form = entry.get("form", "") if entry.get("form") != "plain" else ""
        if f.count is not None:
            item.shape = "ARRAY" if f.count else "FLEXIBLE"
        if f.kind == "record":
            self._record(item, f)
        elif f.kind == "function":
            item.kind = "FUNCTION"
        elif f.kind == "pointer":
            self._pointer(item, f, entry)
        elif f.kind == "other":
            item.kind = "BYTES"
        elif entry.get("bytes") or self._is_blob(f, entry):
            item.kind, item.shape = "BYTES", "FIELD"
        elif f.count is not None and (f.kind == "char" or entry.get("text")):
            item.kind, item.shape = "STRING", "FIELD" if f.count else "FLEXIBLE"
        else:
            self._number(item, f, entry, key, plan)
        item.means = item.means if item.kind == "CODE" else item.form or item.means

    @staticmethod
    def _is_blob(f: Field, entry: dict[str, Any]) -> bool:
        """An address, or an array of single bytes unless lore says what each of them is."""
        single = f.kind in ("uint", "int") and f.count is not None and 0 < f.size == f.count
        address = f.count is not None and entry.get("form") in WIDTHS
        return address or single and not any(key in entry for key in ("enum", "flags", "be", "text"))

    def _record(self, item: FieldPlan, f: Field) -> None:
        known = self.structs.get(f.ref)
        if known and not known.opaque:
            item.kind, item.ref = "STRUCT", f"STRUCT_{f.ref}"
        else:
            item.kind = "BYTES"

    def _pointer(self, item: FieldPlan, f: Field, entry: dict[str, Any]) -> None:
        """What is behind a pointer is only known where lore gives a count, or says that it is one."""
        target = self.structs.get(f.ref)
        item.kind = "POINTER"
        handle = entry.get("handle") or f.ref in self.own.handles
        if handle:
            item.kind, item.ref = "POINTER_POINTER" if "count" in entry else "POINTER", OWN_HANDLE
        elif entry.get("text"):
            item.kind = "TEXT_POINTER"
        elif item.form == "sockaddr":
            item.kind = "BYTES_POINTER"
        elif target and not target.opaque and f.target != "pointer" and ("count" in entry or "points" in entry):
            item.kind, item.ref = "STRUCT_POINTER", f"STRUCT_{f.ref}"
            item.flags += ["LIST"] if entry.get("points") == "list" else []
        elif entry.get("points") == "each":
            item.kind, item.ref = "STRUCT_POINTER", f"STRUCT_{f.pointed}"
            item.flags.append("EACH")
        elif "count" in entry:
            item.kind = "POINTER_POINTER" if f.target == "pointer" else "UINT_POINTER" if f.width > 1 else "BYTES_POINTER"
            item.ref = str(f.width) if item.kind == "UINT_POINTER" else ""

    def _number(self, item: FieldPlan, f: Field, entry: dict[str, Any], key: str, plan: StructPlan) -> None:
        if "enum" in entry or "flags" in entry:
            self._of_enum(item, entry.get("enum") or entry["flags"], "flags" in entry)
        elif "bitmap" in entry and entry["bitmap"] in self.enums:
            self._bitmap(item, entry["bitmap"])
        elif "code" in entry:
            item.kind, item.ref, item.means, item.form = "CODE", f"CODE_{entry['code']}", entry["code"], entry.get("form", "")
            item.enum = f.ref if f.kind == "enum" and f.ref in self.enums else ""
        elif entry.get("bool") or f.kind == "bool":
            item.kind = "BOOL"
        elif f.kind == "enum" and f.ref in self.enums:
            self._of_enum(item, f.ref, self.enums[f.ref].kind == "flags")
        elif f.hint in self.enums and not entry:
            word = "flags" if self.enums[f.hint].kind == "flags" else "bitmap" if f.bitmap else "enum"
            if word == "bitmap":
                self._bitmap(item, f.hint)
            else:
                self._of_enum(item, f.hint, word == "flags")
            self._guessed(plan, key, f"of {f.hint}, which the header's comment names", f'{word} = "{f.hint}"')
        else:
            item.kind = "INT" if f.kind in ("int", "char") else "UINT"
            self._doubt(f, entry, key, plan)
            if entry.get("set") or self._is_mask(f, entry, item):
                item.kind, item.ref, item.form = "FLAGS", NO_ENUM, "hex"

    @staticmethod
    def _bitmap(item: FieldPlan, enum: str) -> None:
        item.kind, item.ref, item.means = "BITMAP", f"ENUM_{enum}", f"bits of {enum}"

    @staticmethod
    def _is_mask(f: Field, entry: dict[str, Any], item: FieldPlan) -> bool:
        """A set of flags that have no names yet: when they get some, the field is still of the same type."""
        return item.kind == "UINT" and (f.name == MASK or f.name.endswith("flags") and not entry.keys() - {"zero"})

    def _of_enum(self, item: FieldPlan, name: str, flags: bool) -> None:
        if name not in self.enums:
            item.kind, item.form = "UINT", "hex"  # of a release that these headers are older than
            return
        item.kind, item.ref, item.means = ("FLAGS" if flags else "ENUM"), f"ENUM_{name}", name

    def _doubt(self, f: Field, entry: dict[str, Any], key: str, plan: StructPlan) -> None:
        """A number that its name says is more than a number, and nobody says what."""
        if self._is_anothers(key):
            return
        if not entry and any(word in f.name for word in ("flags", "caps", "_type", "state")):
            self._guessed(plan, key, "taken for a plain number", self.guesses.line(f.name, key))
        elif IS_MASK in f.name and self._of_key(self.lore.field, key) is None:  # by its name alone lore knows only how it looks
            self._guessed(plan, key, "a mask, of which nobody says whose bits it has: printed as a number", self.guesses.line(f.name, key))

    def _is_anothers(self, key: str) -> bool:
        """Whether a field of an own structure is that of one of rdma-core: what lore says of that is said of both."""
        struct, _, path = key.partition(".")
        first = path.partition(".")[0]
        like = self.structs.get(self.own.like.get(struct, ""))
        return first in self.parts.get(struct, {}) or like is not None and any(f.name == first for f in like.fields)

    def _guessed(self, plan: StructPlan, key: str, what: str, said: str) -> None:
        self.remarks.lore(plan.group, plan.header, key, what, "field", f'"{key}" = {{ {said} }}')

    def _tell_beyond(self, why: str, plan: StructPlan, key: str) -> None:
        if key not in self.lore.skip:
            self.remarks.lore(plan.group, plan.header, key, f"named, but not printed: {why}", "skip", entry_of(key, f'"not printed: {why}"'))

    def _tell_cut(self, f: Field, plan: StructPlan, key: str) -> bool:
        """Whether a release that is newer than all which have a field whole has it as bits: its last release is to be decided, as of one that is gone."""
        if not f.cut or f.cut >= self.newest:
            return False
        if key not in self.lore.until and all(key != g.name for g in self.lore.gone):
            self.remarks.add(plan.header, key, f"headers after release {f.cut} have it as a bit-field, of which C tells no offset: printed by what older ones have",
                             LORE.format("since"), "until", entry_of(key, f.cut))
        return True

    def _flags(self, item: FieldPlan, f: Field, entry: dict[str, Any], shares: bool) -> None:
        long = f.type.partition("[")[0] in LONG and not item.kind.endswith("POINTER")
        marks = (("BIG_ENDIAN", "__be" in f.type and f.kind != "function" or entry.get("be")),
                 ("ZERO", entry.get("zero")), ("LENGTH_POINTER", entry.get("power")), ("LENGTH_BYTES", entry.get("in_bytes")), ("UNION", shares),
                 ("SECRET", entry.get("secret")), ("LONG", long))
        item.flags += [flag for flag, on in marks if on]

    def _validity(self, item: FieldPlan, entry: dict[str, Any], plan: StructPlan, top: str) -> None:
        conditions = self.conditions.of(top, plain_path(item.path))
        hidden = item.kind == "STRUCT" and self.lore.struct.get(item.ref.removeprefix("STRUCT_"), {}).get("hidden")
        if hidden:
            conditions = [Condition("NEVER", "", [], "internal to rdma-core")]
        if entry.get("never"):
            conditions = [Condition("NEVER", "", [], entry.get("note", "another view of the same bytes"))]
        item.rule = self.rules.add(plan.id, plan.c_type, plan.at, conditions)
        item.valid = " and ".join(c.text for c in conditions)


@record
class StructTables:
    structs: list[StructPlan]
    book: RuleBook

    @property
    def core(self) -> list[StructPlan]:
        """The first part of the tables, which a static program is linked with alone where it prints nothing else."""
        return [s for s in self.structs if s.core]

    @property
    def more(self) -> list[StructPlan]:
        return [s for s in self.structs if not s.core]

    def part(self) -> None:
        """The first part is the structures up to those of vendors and our own, which they do not refer to."""
        at = {f"STRUCT_{s.id}": i for i, s in enumerate(self.structs)}
        most = next((i for i, s in enumerate(self.structs) if s.of_vendor or s.own), len(self.structs))
        beyond = -1
        while beyond != most:
            beyond, most = most, next((i for i, s in enumerate(self.structs[:most]) if any(at.get(f.ref, 0) >= most for f in s.fields)), most)
        for s in self.structs[:most]:
            s.core = True

    @property
    def rules(self) -> list[Rule]:
        return self.book.rules

    def fields(self) -> Iterator[FieldPlan]:
        for s in self.structs:
            yield from s.fields


def plan_structs(api: Api, lore: Lore, enums: list[EnumPlan], remarks: Remarks, own: OwnTable) -> StructTables:
    """All structures of all groups and those of libverbsx, nested ones behind the one that holds them."""
    planner = _Planner(api, lore, enums, remarks, own)
    for group in api.groups.values():
        for name, s in sorted(group.structs.items()):
            if not s.opaque:
                planner.struct(group.name, s)
    for s in own.structs:
        planner.struct(GROUP, s)
    first = 0
    for plan in planner.done:
        plan.first = first
        first += len(plan.fields)
    return StructTables(planner.done, planner.rules)
