# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""What templates are told of the fields of init structures."""

from __future__ import annotations

from ...fast.record import field, record


@record
class Part:
    """A member of a structure that is filled one by one."""

    path: str  # in the init structure, and in attr
    union: bool = False  # it is copied when it is not all zero
    array: bool = False  # the same of an array
    guard: str = ""  # beside that of the field that it is in


@record
class InitField:
    """A member of an init structure, and how it gets into what rdma-core takes."""

    name: str
    declaration: str  # as a member
    kind: str = ""  # of the handle that it is
    bit: str = ""  # what makes it count
    usual: bool = False  # that is said by default
    null: bool = False  # with that bit NULL says something
    path: str = ""  # of the field of attr that it becomes, where that is not its name
    parts: list[Part] = field(default_factory=list)
    frozen: str = ""  # the structure that it has the published members of, as this has others now
    whole: bool = False  # a structure that is copied when it is not all zero
    array: bool = False  # the same of an array
    unnamed: bool = False  # and of a structure or union without a tag
    constant: bool = False  # in attr, or a part of it, so that its bytes are what is written
    shares: bool = False  # its bytes in attr with others: it is copied when it is set
    of_attr: bool = False  # it becomes a field of attr
    count: str = ""  # the field that counts the handles of a list
    guard: str = ""
    words: str = ""
    implies: list[str] = field(default_factory=list)  # statements about others, without which it would not be looked at
    cut: str = ""  # the type that it is cut to, as what rdma-core takes is narrower
    now: str = ""  # the type of the number in attr, where it was published as another
    asked: str = ""  # the call that tells why a number of more bits is none

    @property
    def into(self) -> str:
        """The field of attr that it becomes."""
        return self.path or self.name

    @property
    def is_seldom(self) -> bool:
        """Whether it is one that most programs leave alone: nothing looks at it before a bit says so."""
        return bool(self.bit and not self.usual or self.implies)

    @property
    def recorded(self) -> str:
        """The declaration by which gen/abi knows it."""
        return f"struct {self.frozen} {self.name}" if self.frozen else self.declaration

    @property
    def most(self) -> str:
        """That fits into it, in C."""
        return f"{self.cut.removesuffix('_t').upper()}_MAX"


@record
class Need:
    """A field of the init structure without which there is no object."""

    name: str
    when: str  # in C; "" for always
    pointer: bool
    lacks: str  # in C: that it is not there
    says: str  # the same in words

    @classmethod
    def of(cls, f: InitField, when: str) -> Need:
        if "*" in f.declaration:
            return cls(f.name, when, True, f"!init->{f.name}", "is NULL")
        if f.declaration.startswith(("struct ", "union ")):
            return cls(f.name, when, False, f"!vx_is_set(&init->{f.name}, sizeof(init->{f.name}))", "is all zero")
        return cls(f.name, when, False, f"!init->{f.name}", "is 0")


@record
class Refusal:
    """What of an init structure is refused."""

    when: str  # in C
    says: str  # as printf(3) has it
    values: str  # for that, in C
