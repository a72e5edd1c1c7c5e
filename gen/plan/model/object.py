# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""What templates are told of objects: their kinds, and how each is made."""

from __future__ import annotations

import re

from ...api.merge import object_name
from ...fast.record import field, record
from ...know.model import MASK
from ...promise import shapes
from .elements import Elements
from .filling import Filling, fillings
from .init import InitField, Need, Refusal
from .making import Ending, Way
from .making_rows import Rows, rows
from .method import Cleared, Mask, Method
from .none import NoneField

ROOT = "ctx"
COMMON = "verbsx/objects.h"
WORD = re.compile(r"\w+")


@record
class Kept:
    """What a handle has a copy of, as nothing in the raw object tells it."""

    name: str
    declaration: str
    value: str  # where it comes from, in C; "" where the call fills it
    owner: str = ""  # the structure whose field says how it is printed
    field: str = ""
    words: str = ""

    label: str = ""  # the name to print it by, where that is not the field's
    guard: str = ""  # of the field of attr that it comes from

    def called(self, name: str) -> str:
        """The declaration under another name."""
        return re.sub(rf"\b{self.name}$", name, self.declaration)


@record
class Lent:
    """An object that another one hands out: a field of its raw one."""

    name: str  # of the function that hands it out
    field: str
    kind: str
    title: str


@record
class Kind:
    name: str
    raw: str  # "" where rdma-core has no structure for it
    type: str
    id: int
    title: str  # as sentences have it
    parent: str  # kind; "" for none
    attr: str = ""
    also: str = ""  # a second structure that the call takes, of a vendor; the init structure points to it
    into: str = ""
    into_bit: str = ""
    also_last: str = ""  # the last field of also, where the call takes its size, so that it crosses the border of the library with that of a program's
    selector: str = ""  # the mask in attr, and in the init structure
    selector_type: str = ""  # its C type
    selector_words: str = ""
    masks: list[Mask] = field(default_factory=list)
    number: str = ""
    ways: list[Way] = field(default_factory=list)  # of making one; the last of them without a condition
    ending: Ending = field(default_factory=lambda: Ending(""))
    fields: list[InitField] = field(default_factory=list)
    methods: list[Method] = field(default_factory=list)
    since: int = 0
    until: int = 0
    guard: str = ""
    refused: list[str] = field(default_factory=list)  # fields of attr that lore may refuse where they are set
    where: list[tuple[str, str]] = field(default_factory=list)  # names of conditions, and these
    needs: list[Need] = field(default_factory=list)
    unset: list[tuple[str, str, str]] = field(default_factory=list)  # fields of attr, when they have no default, and their guards
    given: list[str] = field(default_factory=list)  # paths in attr that may be something before the init structure says it
    refuses: list[Refusal] = field(default_factory=list)
    exclusions: bool = False  # lore knows fields of the init structure that exclude each other
    begin: str = ""  # the function that completes the init structure, and fills what the handle keeps
    end: str = ""  # the one that undoes that
    stride: str = ""  # the parameter with the size of the elements of an array in the init structure
    elements: Elements | None = None  # a list of structures that name objects
    gather: str = ""  # the function that makes of the init structure what the call takes
    word: str = ""  # for it, in messages, where that is not its name
    provider: str = ""  # the library that a context must be of
    crashes: list[tuple[str, str, str]] = field(default_factory=list)  # a library, the function that must not be its own, and why
    bare: list[tuple[str, str, str]] = field(default_factory=list)  # the same, of one that no method has marked
    marked: str = ""  # what of that it keeps a method makes true
    told: dict[str, str] = field(default_factory=dict)  # a field of raw, and the enumerator by which what is adopted is one of this kind
    tells_apart: list[Kind] = field(default_factory=list)  # the kinds of its type that are told so
    counted: bool = False  # what is adopted may share its number with another, which nothing tells
    call: str = ""  # the one that it stands for
    page: str = ""  # that one's man page
    by_hand: str = ""  # "init": its init structure and header are the runtime's; "all": all of it is
    others: list[Method] = field(default_factory=list)  # functions that make one by other calls, which they resemble
    importing: Method | None = None  # the one of them that makes it of the handle that another process sent
    unimport: str = ""
    shows: list[str] = field(default_factory=list)  # fields of raw that are printed
    does: str = ""
    note: str = ""  # what else its documentation says
    names: str = ""  # what the handle keeps that messages tell beside its number
    once: bool = False  # rdma-core has it once, however often it is made
    attr_size: int = 0  # bytes of attr
    often: bool = False  # programs make and close many
    early: bool = False  # closed before all else that is closed together with it
    checked: str = ""  # the function of the runtime that puts before a new one what looks at what is posted to it
    looking: dict[str, str] = field(default_factory=dict)  # fields of attr, and the bit that each has as well then
    tapped: str = ""  # the function that puts before it what traces its data path
    extended: str = ""  # the condition in C under which something may have to stand before it
    busy: str = ""  # what may keep it from being destroyed
    keeps: list[Kept] = field(default_factory=list)
    tells: list[Kept] = field(default_factory=list)  # those that a program can ask for
    blobs: list[tuple[str, str]] = field(default_factory=list)  # fields that point to bytes, and those that have their number
    cleared: list[Cleared] = field(default_factory=list)  # fields that point to bytes
    listed: list[tuple[str, str, bool]] = field(default_factory=list)  # fields of attr that are lists, their counts, whether as powers
    lends: list[Lent] = field(default_factory=list)  # objects that it has a part in, which others own
    holds: list[Lent] = field(default_factory=list)  # of those of the parent, what it depends on
    present: str = ""  # the preprocessor condition under which a program has the headers that it is made by; "" for any
    vendor: str = ""  # the header group of the vendor's that it is made by; "" of what every program has
    header: str = COMMON  # of libverbsx, that declares it
    points: dict[str, str] = field(default_factory=dict)  # raw objects that the call keeps, behind a pointer of the init structure: their kinds
    reads: list[str] = field(default_factory=list)  # handles that the call only looks at, so that the object does not depend on them
    code: str = ""  # the function that makes a negative errno of what the call returns
    instead: dict[str, str] = field(default_factory=dict)  # functions of the runtime that make the calls by which one is made or ended
    before_end: str = ""  # the function of the runtime that is called before the one that ends it
    raw_context: bool = False  # the raw object has its context
    raw_parent: str = ""  # the field of raw that has its parent
    raw_uses: list[str] = field(default_factory=list)  # those that have what else it depends on
    adopts: list[Kept] = field(default_factory=list)  # what of it is told when one is adopted
    nones: list[NoneField] = field(default_factory=list)  # numbers in which VX_NONE means something, or is refused
    parent_title: str = ""
    kept_free: dict[str, list[str]] = field(default_factory=dict)  # members that are no fields, by the one before them; "" before all

    @property
    def members(self) -> list[str]:
        """Those of the init structure, as gen/abi knows them: the mask comes first, also where rdma-core has none."""
        mask = [] if self.by_hand else [f"{self.mask_type} {self.mask}"]
        also = [f"struct {self.also} *{self.also}"] if self.also else []  # before what may be followed by more one day
        return mask + also + self.kept_free.get("", []) + [d for f in self.fields for d in (f.recorded, *self.kept_free.get(f.name, []))]

    @property
    def mask(self) -> str:
        """What the init structure begins with."""
        return self.selector or MASK

    @property
    def mask_type(self) -> str:
        return self.selector_type or "uint32_t"

    @property
    def called(self) -> str:
        """What its functions call a handle of it."""
        return object_name(self.name)

    @property
    def masked(self) -> str:
        """The bits of comp_mask that nobody knows, and its enum, as arguments."""
        return next((f"{m.unknown}, {m.enum}" for m in self.masks if m.name == MASK), "0, 0")

    @property
    def unused(self) -> list[str]:
        """The members of the init structure that mean nothing yet."""
        names = {d: WORD.findall(d.partition("[")[0])[-1] for d in self.members}
        free = [d for members in self.kept_free.values() for d in members]
        return [name for d, name in names.items() if d in free or name.startswith(shapes.UNNAMED)]

    @property
    def unused_end(self) -> str:
        """That which ends it: another release may put members behind what is there."""
        return next((name for name in self.unused if WORD.findall(self.members[-1].partition("[")[0])[-1] == name), "")

    @property
    def exported(self) -> str:
        """The parameters of the exported function. Sizes come last where a macro passes them, for which what is before them is one argument."""
        init = f"{self.parameter}const struct vx_{self.name}_init *init, "
        out = f"struct vx_{self.type} **out"
        if self.also_last:
            return f"{init}{out}, size_t size, size_t also_size"
        return f"{init}size_t size, {f'size_t {self.stride}, ' if self.stride else ''}{out}"

    @property
    def article(self) -> str:
        """Of the title: "an MR", as it is spoken."""
        spoken = "AEFHILMNORSX" if self.title[:2].isupper() else "aeio"
        return "an" if self.title[0] in spoken else "a"

    @property
    def uses(self) -> list[InitField]:
        return [f for f in self.fields if f.kind and not f.count]

    @property
    def lists(self) -> list[InitField]:
        return [f for f in self.fields if f.count]

    @property
    def listed_kind(self) -> str:
        """The kind of the handles of a list, in C; 0 for any."""
        return "0" if self.lists[0].kind == "0" else f"VX_OBJECT_{self.lists[0].kind.upper()}"

    @property
    def parameter(self) -> str:
        """The parent, as the first parameter of what makes one."""
        return f"struct vx_{self.parent} *parent, " if self.parent else ""

    @property
    def adopted(self) -> str:
        """What is told of one that is adopted, as parameters."""
        return "".join(f"{a.declaration}, " for a in self.adopts)

    @property
    def init_words(self) -> str:
        if any(not n.when for n in self.needs):
            return "what it is to be like: without " + ", ".join(n.name for n in self.needs if not n.when) + " there is none"
        return f"NULL for all defaults; those of VX_DEFAULT({self.attr})" if self.attr else "NULL for all defaults"

    @property
    def last_field(self) -> str:
        """The last of the init structure, of which a program may know more."""
        return self.fields[-1].name if self.fields else MASK

    def is_given(self, path: str) -> bool:
        """Whether attr may have something there that a 0 of the init structure must not take away."""
        return any(f"{given}.".startswith(f"{path}.") for given in self.given)

    @property
    def ports(self) -> list[InitField]:
        """Those that rdma-core takes in fewer bits."""
        return [f for f in self.fields if f.cut]

    @property
    def asks_parent(self) -> bool:
        """Whether what the call takes is made of the parent as well."""
        return bool(self.into) or any(re.search(r"\bparent\b", condition) for _, condition, _ in self.unset)

    @property
    def says_none(self) -> list[NoneField]:
        return [n for n in self.nones if n.says]

    @property
    def filled(self) -> list[InitField]:
        return [f for f in self.fields if f.of_attr]

    @property
    def fillings(self) -> list[Filling]:
        return fillings(self)

    @property
    def more(self) -> list[Filling]:
        """What lies out of the way of those that make many."""
        return [f for f in self.fillings if f.seldom]

    @property
    def gathered(self) -> bool:
        """What the call takes is put together in memory of its own before."""
        return bool(self.gather or self.lists or self.elements)

    @property
    def adoptable(self) -> bool:
        return self.own_type and bool(self.raw)

    def any(self, what: str) -> bool:
        """Whether a way of making one has a property."""
        return any(getattr(w, what) for w in self.ways)

    @property
    def codes(self) -> bool:
        return any(w.returns == "code" for w in self.ways)

    @property
    def own_type(self) -> bool:
        return self.type == self.name


@record
class Constant:
    """An enumerator by its value, where headers lack it."""

    name: str
    value: str  # in C
    guard: str


@record
class Told:
    """What a person may want to know of how objects were planned."""

    header: str
    name: str
    what: str


@record
class Vendor:
    """The header of libverbsx that has a vendor's kinds and methods."""

    group: str
    word: str
    header: str
    provider: str
    wants: list[str] = field(default_factory=list)  # headers of libverbsx with what lists in init structures are of


@record
class Part:
    """What goes into one header."""

    kinds: list[Kind]
    methods: list[list[Method]]  # those of devices, of contexts, and of each kind

    @property
    def types(self) -> list[Kind]:
        return [k for k in self.kinds if k.own_type]


@record
class Objects:
    kinds: list[Kind] = field(default_factory=list)
    ctx: list[Method] = field(default_factory=list)
    openings: list[Method] = field(default_factory=list)  # of a vendor, which make a context of a device
    roots: list[Kind] = field(default_factory=list)  # what is opened by hand, and ended and adopted like all others
    own: list[Kind] = field(default_factory=list)  # of libverbsx itself, made by hand under one of those
    forward: list[str] = field(default_factory=list)  # structures that only newer headers have
    taken: list[str] = field(default_factory=list)  # of these, what functions take that programs put into init structures
    elsewhere: list[Constant] = field(default_factory=list)  # enumerators that newer headers have no more, or older lack
    told: list[Told] = field(default_factory=list)
    left_out: dict[str, str] = field(default_factory=dict)  # call -> why it is no method
    clashing: dict[str, tuple[str, str]] = field(default_factory=dict)  # those of them whose name something else has: why, and what [named] could say
    ruled_out: set[str] = field(default_factory=set)  # those of them of which only a rule says so
    inline: dict[str, str] = field(default_factory=dict)  # call -> the inline function of the data path that stands for it
    groups: list[str] = field(default_factory=list)  # the header groups whose functions make objects and work on them
    vendors: list[Vendor] = field(default_factory=list)

    def part(self, vendor: str = "") -> Part:
        """Of a vendor's group, or what no vendor has."""
        methods = [self.openings, self.ctx, *(k.methods for k in self.types)]
        return Part([k for k in self.kinds if k.vendor == vendor], [[m for m in of if m.vendor == vendor] for of in methods])

    def keeper(self, kind: str, name: str) -> Kind | None:
        """The kind of that name, if its handles have a copy of that."""
        return next((k for k in self.kinds if k.name == kind for kept in k.keeps if kept.name == name), None)

    @property
    def lends(self) -> bool:
        return any(k.lends for k in self.kinds)

    @property
    def taken_by_rows(self) -> set[str]:
        """Kinds of which a row says all that adopting one takes, and which others do not lend."""
        lent = {k.name for k in self.lent}
        return {k.name for k in self.kinds if k.name not in lent
                and not (k.adopts or k.raw_uses or k.tells_apart or k.extended or k.tapped)}

    @property
    def made_by_rows(self) -> Rows:
        """Kinds of which a row says what making one takes."""
        return rows(self.kinds, {k.name for k in self.lent})

    @property
    def rare(self) -> set[str]:
        """Kinds whose code is to be small, as programs make few of them; others do not need it."""
        lent = {k.name for k in self.lent}
        return {k.name for k in self.kinds if not (k.often or k.name in lent or k.lends or k.holds or k.tells_apart)}

    @property
    def lent(self) -> list[Kind]:
        """The kinds that others lend, and those above them, which come first."""
        known, out = {k.name: k for k in self.kinds}, []
        for name in dict.fromkeys(lent.kind for k in self.kinds for lent in k.lends):
            chain: list[Kind] = []
            while name in known and known[name] not in chain:
                chain.insert(0, known[name])
                name = known[name].parent
            out += [k for k in chain if k not in out]
        return out

    @property
    def types(self) -> list[Kind]:
        return [k for k in self.kinds if k.own_type]

    @property
    def handles(self) -> list[Kind]:
        """The kinds by whose names handles have a type."""
        return self.types + self.own

    @property
    def all(self) -> list[Kind]:
        return self.kinds + self.own
