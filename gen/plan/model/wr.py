# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""The data path: what templates are given of work requests, posts, and what is read of a completion."""

from __future__ import annotations

import re
from typing import Any

from ...fast.record import field, record

CALLED = re.compile(r"\(\*+(\w+)|(\w+)(?:\[\w*\])*$")  # a pointer to a function or an array, and all else


def called(declaration: str) -> str:
    """The name of what is declared."""
    found = CALLED.search(declaration)
    return found[1] or found[2] if found else ""


@record
class Inline:
    """A function of libverbsx, and the call of rdma-core that it makes."""

    name: str
    call: str
    guard: str
    params: list[tuple[str, str]] = field(default_factory=list)  # as declared, and as passed on; without what it is of
    entry: dict[str, Any] = field(default_factory=dict)
    result: str = "void"
    pages: str = ""
    says: str = ""
    fail: str = ""  # the function that explains why it did
    made: str = ""  # the call that is made, where it is another one
    lkey: str = ""  # of its buffer, which it is given as a list of one; empty: it is given none
    fits: str = ""  # that its length is one of an entry; empty: it has none
    raw: bool = False  # not by the front
    kind: str = ""
    counts: bool = False  # what it returns is a number where it is not negative
    pointer: str = ""  # in the structure of rdma-core
    does: str = ""
    words: list[tuple[str, str]] = field(default_factory=list)

    @property
    def widest(self) -> int:
        return max((len(name) for name, _ in self.words), default=0)

    @property
    def declaration(self) -> str:
        return "".join(f", {declaration}" for declaration, _ in self.params)

    @property
    def arguments(self) -> str:
        return "".join(f", {argument}" for _, argument in self.params if argument)

    @property
    def names(self) -> str:
        """As a macro has them, of which each stands for one argument."""
        return "".join(f", {called(declaration)}" for declaration, _ in self.params)

    @property
    def literal(self) -> str:
        """The last parameter, where it may be a compound literal, which has commas and so is several of a macro; empty: it may not."""
        declaration, argument = self.params[-1] if self.params else ("", "")
        name = called(declaration)
        return name if ("*" in declaration or "[" in declaration) and argument == name else ""

    @property
    def names_variadic(self) -> str:
        """As a macro has them that takes a compound literal."""
        return f"{self.names.rpartition(',')[0]}, ..." if self.literal else self.names

    @property
    def arguments_variadic(self) -> str:
        return f"{self.arguments.rpartition(',')[0]}, __VA_ARGS__" if self.literal else self.arguments


def _wrongs(why: str, pointers: list[str], aligned: str) -> list[str]:
    """Conditions in C: pointers that must be there, and the address of 8 bytes that a peer has."""
    names = {p: p.rpartition(">")[2].rpartition(".")[2] for p in pointers}
    return [*(f'(!{p} && vx_says({why}, "{name} is NULL"))' for p, name in names.items()), *([f"vx_address_wrong({why}, {aligned})"] if aligned else [])]


@record
class Read(Inline):
    """What is read of a completion."""

    flag: str = "0"  # without which the CQ does not have it
    statuses: str = "UINT32_MAX"  # of completions that have it, a bit each, in C
    filled: str = ""  # the parameter that it goes into, where it is not returned


@record
class Entries:
    """A list whose entries have sums of fields that go into so many bits."""

    struct: str
    list: str
    count: str
    fields: list[str]
    bits: int
    in_all: bool = False
    before: int = 0

    @property
    def most(self) -> int:
        return (1 << self.bits) - 1


@record
class Step(Inline):
    """A builder or a setter."""

    sets: bool = False
    flags: str = ""  # which are set for the caller
    raw_declaration: str = ""  # of the parameters, as rdma-core has them
    raw_names: list[str] = field(default_factory=list)
    fields: list[tuple[str, str]] = field(default_factory=list)  # of a request of ibv_post_send(3), and the parameter that each becomes
    types: str = "UINT16_MAX"  # of QPs, in C
    pointers: list[str] = field(default_factory=list)  # what it is given that must be there
    wc: str = ""  # the opcode of its completion, in C
    entries: Entries | None = None  # of a list that are looked at
    op: str = "UINT64_MAX"  # the bit that a builder needs; of setters that are counted, one each
    opcode_guard: str | None = None  # which releases have its opcode of ibv_post_send(3); None: it has none

    @property
    def raw_arguments(self) -> str:
        return "".join(f", {name}" for name in self.raw_names)

    @property
    def lacks(self) -> str:
        """What a builder leaves to be given, or what a setter gives, in C."""
        if self.sets:
            return {"data": "VX_ABOUT_DATA", "address": "VX_LACKS_ADDRESS", "mkey": "VX_LACKS_SETTERS"}.get(self.entry.get("gives", ""), "0")
        data = {"any": "VX_LACKS_DATA", "sge": "VX_LACKS_DATA | VX_DATA_WRITTEN", "8 bytes": "VX_ABOUT_DATA"}
        return "VX_LACKS_SETTERS" if "setters" in self.entry else data.get(self.entry.get("data", "none"), "0")

    @property
    def gives_keys(self) -> bool:
        """Whether it is a builder by which a key gets entries."""
        return not self.sets and ("entries" in self.entry or "setters" in self.entry)

    @property
    def slots(self) -> int:
        return 0 if self.sets else int(self.entry.get("slots", 1))

    @property
    def listed(self) -> bool:
        """Whether ibv_post_send(3) takes such a request."""
        return not self.sets and "into" in self.entry

    @property
    def setters(self) -> str:
        """How many follow, in C."""
        return str(self.entry.get("setters", "0"))

    @property
    def wrongs(self) -> list[str]:
        """Conditions in C that tell whether what it is given is wrong, and why, which goes into what a guard has for it."""
        entries = self.entries and f"vx_guard_sums_wrong(guard, &entries_{self.name}, {self.entries.count}, {self.entries.list})"
        refuses = [f'(({condition}) && vx_says(guard->why, "{why}"))' for why, condition in self.entry.get("refuses", {}).items()]
        mine = [("guard" if self.sets else "guard->why, guard->raw->pd", self.entry.get("at", []))] if "looks" in self.entry else []
        return [*_wrongs("guard->why", self.pointers, self.aligned), *([entries] if entries else []), *refuses,
                *(f"{self.entry['looks']}({', '.join([first, *at])})" for first, at in mine)]

    @property
    def wrongs_of_post(self) -> list[str]:
        """The same of a request of ibv_post_send(3)."""
        to = {name: f"wr->{path}" if value == name else f"&wr->{path}" for (path, value), name in zip(self.fields, self.raw_names)}
        found = _wrongs("why", [to[p] for p in self.pointers if p in to], to.get(self.aligned, ""))
        first = ["guard"] if self.sets else ["why", "pd"]
        return [*found, f"{self.entry['looks']}({', '.join([*first, *(to[name] for name in self.entry['at'])])})"] if "looks" in self.entry else found

    @property
    def is_not_quick(self) -> str:
        """When it has to be looked at, in C; "" where it always is, as it is not called often enough to matter."""
        if self.sets:
            return f"!vx_guard_knows_sge(guard, {', '.join(self.entry['at'])})" if self.entry.get("looks") == "vx_guard_sge_wrong" else ""
        unaligned = f" || {self.aligned} % 8" if self.aligned else ""
        return "" if self.pointers or "refuses" in self.entry or "looks" in self.entry else f"!(guard->open & {self.op}) || !vx_guard_has_room(guard, {self.slots}){unaligned}"

    @property
    def aligned(self) -> str:
        """The parameter with an address at which the peer has 8 bytes, which atomic operations want to begin at a multiple of that."""
        return str(self.entry.get("aligned", ""))

    @property
    def is_quick(self) -> bool:
        return bool(self.is_not_quick)


@record
class Post(Inline):
    """A list of requests that is posted."""

    request: str = ""  # the structure of one
    one: list[tuple[str, str]] = field(default_factory=list)  # of the function that posts one request: its parameters, and their words
    bad: str = ""  # the parameter that says which was refused
    list: str = ""


@record
class One:
    """A request that is posted in one line."""

    name: str
    params: list[str]
    opcode: str
    fields: list[tuple[str, str]]  # of the request, and what they become; without its identity, and its list of entries
    has_data: bool
    has_address: bool  # and nothing else that is not of all requests
    says: str
    guard: str
    words: list[tuple[str, str]] = field(default_factory=list)  # of its parameters

    @property
    def widest(self) -> int:
        return max(len(name) for name, _ in self.words)


@record
class VendorSteps:
    """The builders and setters that only one provider has."""

    word: str
    header: str
    present: str  # the condition under which that is there
    struct: str
    of: str  # the call that finds them
    steps: list[Step] = field(default_factory=list)


@record
class Mend:
    """A function of a provider that is wrong, and what makes a front of the object."""

    provider: str
    pointer: str
    before: int
    front: str
    kind: str


@record
class WrPlan:
    steps: list[Step] = field(default_factory=list)
    alone: list[Step] = field(default_factory=list)  # requests that have an opcode and no builder
    vendors: list[VendorSteps] = field(default_factory=list)
    posts: list[Post] = field(default_factory=list)
    ones: list[One] = field(default_factory=list)
    calls: list[Inline] = field(default_factory=list)  # others that lore makes inline
    of_groups: list[Inline] = field(default_factory=list)  # the same, of other libraries than libibverbs
    reads: list[Read] = field(default_factory=list)
    forwards: list[Read] = field(default_factory=list)  # those of them that have a pointer in the CQ
    mends: list[Mend] = field(default_factory=list)
    stands: dict[str, str] = field(default_factory=dict)  # call -> the function that stands for it
    flags: int = 0  # all that a request may be begun with

    def vendor(self, word: str) -> VendorSteps | None:
        """What a provider has of its own."""
        return next((v for v in self.vendors if v.word == word), None)

    @property
    def builders(self) -> list[Step]:
        return [s for s in self.steps if not s.sets]

    @property
    def opcodes(self) -> list[Step]:
        """Requests that ibv_post_send(3) has a name for: builders' as well."""
        return [s for s in [*self.builders, *self.alone] if s.opcode_guard is not None]

    @property
    def addresses(self) -> list[Step]:
        """Setters of where a request goes, those of vendors as well."""
        return [s for s in [*self.steps, *(s for v in self.vendors for s in v.steps)] if s.entry.get("gives") == "address"]

    @property
    def posted(self) -> list[Step]:
        """What a request of ibv_post_send(3) is made by, but for its data."""
        return [s for s in self.steps if "into" in s.entry]

    @property
    def unposted(self) -> list[Step]:
        """Builders of what ibv_post_send(3) does not know."""
        return [s for s in self.builders if "into" not in s.entry]

    @property
    def mended(self) -> dict[str, list[Mend]]:
        """By kind of object."""
        return {kind: [m for m in self.mends if m.kind == kind] for kind in sorted({m.kind for m in self.mends})}
