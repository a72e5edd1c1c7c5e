# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""What lore is made of: its tables as plain data, the words that entries use, and how they name fields."""

from __future__ import annotations

import re
from fnmatch import fnmatchcase
from functools import cached_property
from pathlib import Path

from ..api.facts import Enum, Field, Struct
from ..errors import close as close
from ..fast import record
from ..fast.typed import Any

INDEX = re.compile(r"\[\d+\]$")  # of an element of an array

# The ways to write a number or a blob, and how that looks.
FORMS = {
    "plain": "",
    "hex": "addresses, keys, masks without names; no second value",
    "page_sizes": 'bit n: 2^n bytes: "4 KiB|2 MiB (0x201000)", "4 KiB..8 EiB"',
    "default": 'of an init structure, 0 is another number: "default (0)"',
    "vx_none": 'the same, and VX_NONE is a 0 that is meant: "VX_NONE (2147483648)"',
    "log2": '2^n: "1024 (10)"',
    "ack_timeout": '4.096 us * 2^n, 0 for ever: "67.1 ms (14)", "infinite (0)"',
    "delay": '4.096 us * 2^n, 0 is 4.096 us: "67.1 ms (14)"',
    "retry": '7 is for ever: "infinite (7)"',
    "rate_kbps": 'kbit/s, 0 unlimited: "1.50 Gb/s (1500000)"',
    "kbps": 'kbit/s: "1.50 Gb/s (1500000)", "0"',
    "clock_khz": '"156 MHz (156250)", 0 "not supported (0)"',
    "bytes": 'a size in bytes: "4 KiB (4096)"',
    "ns": 'nanoseconds: "1.50 ms (1500000)"',
    "guid": "8 bytes: 5054:00ff:fe12:3456",
    "gid": "16 bytes, as an IPv6 address",
    "mac": "6 bytes",
    "ipv4": "4 bytes",
    "ipv6": "16 bytes",
    "timespec": '16 bytes where long has 8: "tv_sec=1 tv_nsec=500"',
    "sockaddr": 'by its family: "192.0.2.1:4791", "[fe80::1]:4791", AF_IB',
    "errno": '0, or a negative errno: "-ENOMEM (-12)"',
    "fd": '-1 "none (-1)"',
    "mode": "open(2) flags: O_CREAT|O_EXCL",
    "version": "major.minor.sub of 64 bits as firmware has it",
}
# What the forms of addresses and times take, in bytes.
WIDTHS = {"guid": 8, "gid": 16, "mac": 6, "ipv4": 4, "ipv6": 16, "timespec": 16}
INTEGERS = ("uint", "int", "enum", "bool", "char")


MASK = "comp_mask"  # of init structures too: which fields count
NO_BITS = {"zero": True}  # what lore says of flags and masks that have none yet
IDENTIFIER = re.compile(r"[A-Za-z_]\w*", re.A)


@record.record
class Reasons:
    """What explains failures, and what is refused before: limits, faults, suspects and transitions of QPs and WQs."""

    limit: dict[str, str | int] = record.field(default_factory=dict)
    index: dict[str, str] = record.field(default_factory=dict)
    called: dict[str, str] = record.field(default_factory=dict)
    count: dict[str, str] = record.field(default_factory=dict)
    fault: dict[str, dict[str, list[str]]] = record.field(default_factory=dict)
    refuse: dict[str, dict[str, list[str]]] = record.field(default_factory=dict)
    suspect: dict[str, list[str]] = record.field(default_factory=dict)
    product: dict[str, list[str]] = record.field(default_factory=dict)
    explain: dict[str, dict[str, str]] = record.field(default_factory=dict)
    source: dict[str, dict[str, str]] = record.field(default_factory=dict)
    exclude: dict[str, dict[str, list[str]]] = record.field(default_factory=dict)
    locks: dict[str, bool] = record.field(default_factory=dict)
    prefix: dict[str, str] = record.field(default_factory=dict)
    transition: dict[str, dict[str, list[list[str]]]] = record.field(default_factory=dict)
    ignored: dict[str, list[str]] = record.field(default_factory=dict)
    unlisted: dict[str, str] = record.field(default_factory=dict)
    nameless: list[str] = record.field(default_factory=list)  # types of vendors for which no headers of rdma-core have a name
    wq_transition: dict[str, list[str]] = record.field(default_factory=dict)


@record.record
class Lines:
    """What lines of logs have in them: by a pattern what says all of a line, what words stand for, and what a number is."""

    message: dict[str, dict[str, str]] = record.field(default_factory=dict)
    beside: dict[str, dict[str, str]] = record.field(default_factory=dict)
    counter: dict[str, dict[str, str]] = record.field(default_factory=dict)
    change: dict[str, dict[str, str]] = record.field(default_factory=dict)
    phrase: dict[str, list[str]] = record.field(default_factory=dict)
    spelled: dict[str, str] = record.field(default_factory=dict)
    likely: dict[str, list[str]] = record.field(default_factory=dict)
    number: dict[str, list[str]] = record.field(default_factory=dict)
    alone: dict[str, list[str]] = record.field(default_factory=dict)
    word: dict[str, list[str]] = record.field(default_factory=dict)
    vendor_err: dict[int, dict[str, Any]] = record.field(default_factory=dict)


@record.record
class Gone:
    """What lore speaks of and newer headers have no more."""

    header: str
    name: str
    until: int
    place: str  # of the lore


@record.record
class Lore:
    """The tables, as plain dicts; keys are checked, values have the right types."""

    unnamed: dict[str, str] = record.field(default_factory=dict)
    enum: dict[str, dict[str, Any]] = record.field(default_factory=dict)
    macro: dict[str, str] = record.field(default_factory=dict)
    field: dict[str, dict[str, Any]] = record.field(default_factory=dict)
    name: dict[str, dict[str, Any]] = record.field(default_factory=dict)
    struct: dict[str, dict[str, Any]] = record.field(default_factory=dict)
    guard: dict[str, dict[str, list[str]]] = record.field(default_factory=dict)
    choice: dict[str, dict[str, list[str | int] | str]] = record.field(default_factory=dict)
    code: dict[str, dict[int | str, str]] = record.field(default_factory=dict)
    rule_type: dict[str, str] = record.field(default_factory=dict)
    rule_kind: dict[str, str] = record.field(default_factory=dict)
    form_words: dict[str, list[str]] = record.field(default_factory=dict)
    special: dict[str, dict[str, Any]] = record.field(default_factory=dict)
    open_flag: dict[str, dict[str, Any]] = record.field(default_factory=dict)
    since: dict[str, int] = record.field(default_factory=dict)
    until: dict[str, int] = record.field(default_factory=dict)
    default: dict[str, dict[str, Any]] = record.field(default_factory=dict)
    call: dict[str, dict[str, Any]] = record.field(default_factory=dict)
    meaning: dict[str, dict[str, str]] = record.field(default_factory=dict)
    errno: dict[str, dict[str, str]] = record.field(default_factory=dict)
    man: dict[str, str] = record.field(default_factory=dict)
    object: dict[str, dict[str, Any]] = record.field(default_factory=dict)
    places: dict[str, tuple[Path, int | None]] = record.field(default_factory=dict)  # where each kind of object stands, each name of a method, and each reason for none
    asked: dict[str, tuple[Path, int | None]] = record.field(default_factory=dict)  # and where what it is asked for does
    flow: dict[str, dict[str, Any]] = record.field(default_factory=dict)
    owner: dict[str, str] = record.field(default_factory=dict)
    named: dict[str, str] = record.field(default_factory=dict)
    opening: dict[str, str] = record.field(default_factory=dict)
    given: dict[str, str] = record.field(default_factory=dict)
    option: dict[str, dict[str, Any]] = record.field(default_factory=dict)
    view: dict[str, dict[str, dict[str, str]]] = record.field(default_factory=dict)
    picture: dict[str, dict[str, list[str]]] = record.field(default_factory=dict)
    unit: dict[str, int] = record.field(default_factory=dict)
    before: dict[str, dict[str, str]] = record.field(default_factory=dict)
    counting: dict[str, str] = record.field(default_factory=dict)
    unasked: dict[str, str] = record.field(default_factory=dict)
    none: dict[str, str] = record.field(default_factory=dict)
    begins: dict[str, list[str]] = record.field(default_factory=dict)
    alike: dict[str, str] = record.field(default_factory=dict)
    instead: dict[str, str] = record.field(default_factory=dict)
    query: dict[str, dict[str, Any]] = record.field(default_factory=dict)
    root: dict[str, dict[str, Any]] = record.field(default_factory=dict)
    own: dict[str, dict[str, Any]] = record.field(default_factory=dict)
    method: dict[str, str] = record.field(default_factory=dict)
    event: dict[str, str] = record.field(default_factory=dict)
    parameter: dict[str, dict[str, Any]] = record.field(default_factory=dict)
    does: dict[str, str] = record.field(default_factory=dict)
    says: dict[str, str] = record.field(default_factory=dict)
    form: dict[str, str] = record.field(default_factory=dict)
    variable: dict[str, str] = record.field(default_factory=dict)
    term: dict[str, str] = record.field(default_factory=dict)
    wr: dict[str, dict[str, Any]] = record.field(default_factory=dict)
    wr_set: dict[str, dict[str, Any]] = record.field(default_factory=dict)
    inline: dict[str, dict[str, Any]] = record.field(default_factory=dict)
    mend: dict[str, dict[str, Any]] = record.field(default_factory=dict)
    reasons: Reasons = record.field(default_factory=Reasons)
    lines: Lines = record.field(default_factory=Lines)
    mad: dict[str, dict[str, list[int]]] = record.field(default_factory=dict)
    wqe: dict[str, list[str]] = record.field(default_factory=dict)
    prm: dict[str, dict[str, Any]] = record.field(default_factory=dict)
    mad_record: dict[str, int] = record.field(default_factory=dict)
    path: dict[str, int] = record.field(default_factory=dict)
    path_form: dict[str, str] = record.field(default_factory=dict)
    path_attr: dict[str, str] = record.field(default_factory=dict)
    handshake: dict[str, dict[str, Any]] = record.field(default_factory=dict)
    role: dict[str, list[str]] = record.field(default_factory=dict)
    vendor_type: dict[str, str] = record.field(default_factory=dict)
    skip: dict[str, str] = record.field(default_factory=dict)
    gone: list[Gone] = record.field(default_factory=list)

    @cached_property
    def says_of_several(self) -> list[tuple[str, str]]:
        """What is said of all whose names fit a pattern."""
        return [(name, said) for name, said in self.says.items() if "*" in name]

    def by_name(self, field: str) -> dict[str, Any]:
        """What is said of all fields of a name, or of all whose names fit a pattern."""
        return self.name.get(field) or next((said for name, said in self.name.items() if "*" in name and fnmatchcase(field, name)), {})

    @property
    def context(self) -> str:
        """The structure that all objects are made of."""
        return next((str(entry["raw"]) for entry in self.root.values()), "")

    @property
    def device(self) -> str:
        """What that is opened of."""
        return next((str(entry.get("opens", "")) for entry in self.root.values()), "")

    def names(self, part: str) -> tuple[str, ...]:
        """What plays a part, in the order of lore."""
        return tuple(self.role.get(part, ()))

    @property
    def context_member(self) -> str:
        """What raw objects call their pointer to the context."""
        return next(iter(self.names("context")), "")

    def of(self, table: str) -> dict[Any, Any]:
        """A table by its name."""
        return next(getattr(part, table) for part in (self, self.reasons, self.lines) if hasattr(part, table))


def begins(lore: Lore, what: str, call: str) -> bool:
    """Whether a call is one of those that lore knows by how their names begin."""
    return call.startswith(tuple(lore.begins.get(what, ())))


def ways_of(entry: dict[str, Any]) -> list[dict[str, Any]]:
    """The calls that make an object of a kind, each as a table."""
    create = entry.get("create", [])
    return [{"call": create}] if isinstance(create, str) else create


# ---- names in the API ----


def sub_fields(api_structs: dict[str, Struct], item: Field) -> list[Field]:
    """The members of a field that is a structure, by its own list or by its tag."""
    if item.fields:
        return item.fields
    if item.kind == "record" and item.ref in api_structs:
        return api_structs[item.ref].fields
    return []


def find_field(api_structs: dict[str, Struct], struct: str, path: str) -> Field | None:
    """The field at "a.b.c" in a structure, or at "a.b[0]", or another of that array."""
    if struct not in api_structs:
        return None
    fields, found = api_structs[struct].fields, None
    for name in INDEX.sub("", path).split("."):
        found = next((f for f in fields if f.name == name), None)
        if found is None:
            return None
        fields = sub_fields(api_structs, found)
    return found


def own_path(api_structs: dict[str, Struct], struct: str, path: str) -> str:
    """What lore calls the field at "a.b" in a structure: by the structure that declares it."""
    words = path.split(".")
    for end in range(len(words) - 1, 0, -1):
        found = find_field(api_structs, struct, ".".join(words[:end]))
        if found and found.kind == "record" and not found.fields and found.ref in api_structs:
            return f"{found.ref}.{'.'.join(words[end:])}"
    return f"{struct}.{path}"


def range_of(item: Field) -> range:
    """The numbers that a field can hold; of an enum both what it has with a sign and without."""
    bits = 1 if item.kind == "bool" else item.bits or 8 * item.size
    return range(0 if item.kind in ("uint", "bool") else -2 ** (bits - 1), 2 ** (bits - (item.kind == "int")))


def first_of(enum: Enum) -> str:
    """The enumerator that an unnamed enum is known by: the first that it had, whatever a newer release puts before."""
    return enum.name.strip("()")


def is_of_c(word: str) -> bool:
    """Whether a word of a default is C's own, or the C library's."""
    return word in ("sizeof", "NULL") or word.startswith(("O_", "AF_"))
