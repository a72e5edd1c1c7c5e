# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""What templates are told of methods."""

from __future__ import annotations

import re

from ...fast.record import field, record


@record
class Sized:
    """A structure that a method takes or fills, which crosses the border of the library with its size."""

    name: str  # of the parameter
    c_type: str  # without "const" and "*"
    size: str  # the parameter that has it
    fills: bool  # the call writes to it
    reads: bool
    array: bool = False  # it is the first of several
    optional: bool = False
    empty: bool = False  # NULL is one of zeros
    last_field: str = ""  # of the structure, as far as it is known
    known: str = ""  # in C: the bits of its comp_mask that have a place in it, of one that says what is wanted

    @property
    def may_lack(self) -> bool:
        """Whether the call is told that there is none: then nothing looks at the library's copy."""
        return self.optional and not self.empty

    @property
    def own(self) -> str:
        """The expression for the library's copy."""
        if self.array:
            return f"({self.c_type} *){self.name}"  # rdma-core changes nothing there
        return f"{self.name} ? &own_{self.name} : NULL" if self.may_lack else f"&own_{self.name}"


@record
class Mask:
    """What tells which fields count, or how; its bits that nobody knows are refused."""

    name: str
    unknown: str  # in C: these bits
    enum: str  # 1 + the place of its enum, 0 without one
    known: str = "0"  # in C: the others


@record
class Cleared:
    """Bytes that a call fills, of which a function of the runtime clears before what is read where it fails, and says whether they are enough."""

    name: str
    length: str  # how many there are
    by: str
    taken: str  # bytes that the call takes, which may be the same
    taken_length: str

    def arguments(self, before: str = "") -> str:
        return ", ".join(before + name for name in (self.taken, self.taken_length, self.name, self.length))


@record
class Method:
    name: str
    call: str
    declaration: str  # of the function that programs call
    sized: str  # of the one that it passes the sizes to; "" where there are none
    passed: str  # what it passes
    arguments: str
    outcome: str  # returned errno null minus negative fd value
    result: str  # C type of what the call returns
    guard: str
    since: int
    until: int
    params: list[str]
    slots: str  # its arguments, each as an integer of 64 bits
    checked: bool  # lore may refuse it
    does: str = ""
    words: list[tuple[str, str]] = field(default_factory=list)  # of its parameters
    page: str = ""
    needed: list[str] = field(default_factory=list)  # pointers that must not be NULL
    structs: list[Sized] = field(default_factory=list)
    provider: str = ""  # the library that the context must be of
    vendor: str = ""  # the header group of the vendor's whose header declares it; "" of what every program has
    asks_device: str = ""  # the call that says whether a device is of it, where there is no context yet
    present: str = ""  # the preprocessor condition under which a program has the headers that it is of; "" for any
    moves: str = ""  # the parameter under which the object is afterwards
    depends: list[str] = field(default_factory=list)  # handles that the object depends on afterwards
    before: str = ""  # the function of the runtime that is told of it before it is made
    then: str = ""  # the one that is told of it after, whether or not it failed
    by: str = ""  # the one that makes the call
    marks: str = ""  # what of that the handle keeps it makes true
    swapped: list[tuple[str, str]] = field(default_factory=list)  # numbers that come in the byte order of the network, and their bits
    result_bits: str = ""  # of a result that comes in the byte order of the network
    units: list[tuple[str, int]] = field(default_factory=list)  # numbers that are told in another unit
    refuses: list[tuple[str, str]] = field(default_factory=list)  # conditions in C, and why the call would do harm then
    counted: list[tuple[str, str]] = field(default_factory=list)  # pointers, and how many are there: NULL for 0
    handles: list[tuple[str, str]] = field(default_factory=list)  # other objects that it takes, and their kinds
    masks: list[Mask] = field(default_factory=list)
    beyond: list[str] = field(default_factory=list)  # conditions in C: what has more bits than a packet
    knows: list[tuple[str, str]] = field(default_factory=list)  # of what the handle keeps: how the parameters tell it, in C
    narrow: list[tuple[str, str]] = field(default_factory=list)  # numbers that the call takes in fewer bits, and the most that fits
    asks: str = ""  # a port that the call takes without a look
    cleared: list[Cleared] = field(default_factory=list)
    opens: bool = False  # files, which a thread that is cancelled meanwhile would leave open

    @property
    def too_wide(self) -> str:
        """In C: that a number does not fit into what the call takes."""
        return " || ".join(f"{name} > {most}" for name, most in self.narrow)

    @property
    def placed(self) -> list[str]:
        """Structures that it fills: that there is a place for one is looked at with the size of that."""
        return [s.name for s in self.structs if s.fills and not s.array]

    def own(self, name: str) -> str:
        """What the library passes on of a parameter."""
        return next((s.own for s in self.structs if s.name == name), name)

    @property
    def passed_by_type(self) -> str:
        """What is passed by a macro: with the sizes of types, as NULL may be given to it."""
        types = {s.name: s.c_type for s in self.structs}
        passed = re.sub(r"sizeof\(\*(\w+)\)", lambda m: f"sizeof({types[m[1]]})", self.passed)
        return re.sub(rf"\b{self.params[-1]}\b(?!\))", "__VA_ARGS__", passed)

    @property
    def given_variadic(self) -> str:
        """What it is called with; the last may be a compound literal, which has commas."""
        return ", ".join([*re.sub(r", sizeof\(\*\w+\)", "", self.passed).split(", ")[:-1], "..."])

    @property
    def widest(self) -> int:
        """The length of the longest parameter with words."""
        return max((len(name) for name, _ in self.words), default=0)
