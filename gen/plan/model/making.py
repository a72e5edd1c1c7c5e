# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""The calls that make and end an object: on what condition, with what arguments, and how the object comes back."""

from __future__ import annotations

import re
from collections.abc import Callable

from ...api.facts import Call, Param
from ...errors import GenError
from ...fast.record import field, record
from ..calls.calls import declared
from .elements import Elements, of_parameter

# A word of args: NAME, PREFIX:NAME, PREFIX:NAME/COUNT.
WORD = re.compile(r"(?:(init|ref|copy|out|handles|elements|blob):)?([A-Za-z_][\w.]*)(?:/(\w+))?")
# What conditions are made of: paths, numbers, and signs of C.
TOKEN = re.compile(r"\s*([A-Za-z_][\w.]*|\d+|\|\||&&|[=!]=|[!&|<>(),~])")
C_WORDS = ("uintptr_t", "init", "parent")
SPECIAL = ("parent", "ctx", "out", "attr", "also", "also_size", "gathered")  # words that are no members


@record
class Way:
    """A call that makes an object, and when it is the one."""

    call: str
    when: str = ""  # in C; "" for all that is left
    arguments: list[str] = field(default_factory=list)  # in C
    returns: str = "raw"  # raw: a pointer to it; code: 0 or not
    made: str = "raw"  # where the object is then, in C: what is returned, what was filled, or a part of the parent
    out: bool = False  # it fills a pointer
    number: str = ""  # of the fields that the handle keeps, the one that it fills: the object is a number
    result: str = ""  # or the one that is what the call returns
    given: dict[str, str] = field(default_factory=dict)  # field of attr -> what it is where it would be 0
    signature: str = ""  # the call as which a failure is explained
    slots: str = ""  # and what it was given, in C
    since: int = 0
    until: int = 0
    guard: str = ""


@record
class Ending:
    """The call that ends an object."""

    call: str
    arguments: list[str] = field(default_factory=list)
    void: bool = False  # it cannot fail
    keeps: bool = False  # it is told what the handle keeps
    guard: str = ""


@record
class Member:
    """What a word of args makes of the init structure: a field with a C type, or a list of handles and their count."""

    name: str
    declaration: str
    param: str = ""
    kind: str = ""
    count: str = ""  # the field that counts the handles of a list


@record
class Maker:
    """What is known of a kind while its calls are read."""

    name: str
    parent: str  # kind; "" for none
    raw: str
    parent_raw: str
    attr: str
    also: str
    root_raw: str  # the structure that all are made of
    context_of_parent: str  # in C
    kind_of: dict[str, str]  # structure -> kind
    defaults: dict[str, str]
    wrong: Callable[..., GenError]
    members: list[Member] = field(default_factory=list)
    kept: list[str] = field(default_factory=list)
    blobs: list[tuple[str, str]] = field(default_factory=list)  # fields that point to bytes, and those that have their number
    retyped: Callable[[str], str] = str  # a type that all headers have
    sized: bool = False  # a call takes the size of also
    prefix: tuple[str, str] = ("", "")  # what names of its group begin with in rdma-core, and the group's word
    elements: Elements | None = None  # a list of structures that a call takes

    # ---- arguments ----

    def arguments(self, call: Call, words: list[str] | None, way: Way) -> list[str]:
        if words is None:
            words = self._by_rule(call)
        if len(words) != len(call.params):
            raise self.wrong(f"{call.name}: takes {len(call.params)} arguments, and args has {len(words)}")
        if "parent" not in words:
            self._is_no_parent(call, words)
        return [self._argument(call, p, w, way) for p, w in zip(call.params, words)]

    def _is_no_parent(self, call: Call, words: list[str]) -> None:
        """A word that args has nothing else for would be a member of the init structure, beside a parent that nothing takes."""
        for p, word in zip(call.params, words):
            if word.isidentifier() and word not in SPECIAL and p.what.is_to(self.parent_raw):
                raise self.wrong(f"{call.name}: {word}: the call takes what the parent is here", "did you mean parent?")

    def _by_rule(self, call: Call) -> list[str]:
        """Each parameter is what its type says; the first of the parent's type is the parent."""
        words: list[str] = []
        for p in call.params:
            known = self._known(p)
            words.append(known if known and known not in words else f"init:{p.name}")
        return words

    def _known(self, p: Param) -> str:
        if p.what.to_a_pointer:
            return "out" if self.raw and p.what.to_struct == self.raw else ""
        owners = {self.parent_raw: "parent", self.root_raw: "ctx", self.attr: "attr", self.also: "also", "": ""}
        return owners.get(p.what.to_a_struct, "")

    def _argument(self, call: Call, p: Param, word: str, way: Way) -> str:
        if word.startswith("="):
            return word[1:]
        match = WORD.fullmatch(word)
        if not match or bool(match[3]) != (match[1] in ("handles", "elements", "blob")):
            raise self.wrong(f"{call.name}: {word}: no such word of args")
        prefix, name, count = match.groups()
        if not prefix and name == "parent":
            self._takes_parent(call, p)
        if not prefix and name in SPECIAL:
            return self._special(call, name, way)
        if not prefix and name.startswith("attr."):
            return name
        if prefix == "out":
            if name not in self.kept:
                raise self.wrong(f"{call.name}: {word}: keeps has no {name}")
            way.number = name
            return f"&kept->{name}"
        if prefix == "handles":
            return self._handles(p, name, count)
        if prefix == "elements":
            return self._elements(p, name, count)
        if prefix == "blob":
            self.blobs.append((name, count))
            return self._member(p, name)
        if prefix == "ref":
            self._add(Member(name, declared(p.what.target, name), p.name))
            return f"&init->{name}"
        if prefix == "copy":
            value = self._member(p, name)
            return f"{value} ? ({'const ' if p.what.const else ''}{p.what.target}[]){{ *{value} }} : NULL"
        return self._member(p, name)

    def _takes_parent(self, call: Call, p: Param) -> None:
        """Where args has the parent, the call takes what that is."""
        if self.parent and not p.what.is_to(self.parent_raw):
            raise self.wrong(f"{call.name}: {p.name} is {p.type}, and the parent struct {self.parent_raw} *", "args has the words in the order of the call")

    def _special(self, call: Call, name: str, way: Way) -> str:
        if name == "parent" and not self.parent:
            raise self.wrong(f"{call.name}: has no parent")
        if name.startswith("also") and not self.also:
            raise self.wrong(f"{call.name}: {name}: the kind says no structure of a vendor", "also")
        if name == "out":
            way.out = True
        self.sized = self.sized or name == "also_size"
        if name == "also":
            return f"init->{self.also} ? init->{self.also} : &(struct {self.also}){{ 0 }}"
        return {"parent": f"vx_{self.parent}_raw(parent)", "ctx": self.context_of_parent, "out": "&made", "attr": "&attr",
                "gathered": "gathered->raw", "also_size": f"sizeof(struct {self.also})"}[name]

    def _handles(self, p: Param, name: str, count: str | None) -> str:
        kind = self.kind_of.get(p.what.to_struct, "")
        if not kind:
            raise self.wrong(f"handles:{name}: the parameter is no array of objects but {p.type}")
        self.members = [m for m in self.members if m.name != count]
        self._add(Member(name, f"struct vx_{kind} *const *{name}", p.name, kind, count))
        self._add(Member(count, f"size_t {count}"))
        return "gathered->raw"

    def _elements(self, p: Param, name: str, count: str | None) -> str:
        found = of_parameter(p, *self.prefix)
        if not found or not count:
            raise self.wrong(f"elements:{name}: the parameter is no array of structures but {p.type}")
        self.members = [m for m in self.members if m.name != count]
        self._add(Member(name, f"const struct {found[0]} *{name}", p.name))
        self._add(Member(count, f"size_t {count}"))
        self.elements = Elements(name, count, *found)
        return "gathered->raw"

    def _member(self, p: Param, name: str) -> str:
        kind = "" if p.what.const else self.kind_of.get(p.what.to_a_struct, "")
        value = f"init->{name}"
        if kind:
            self._add(Member(name, f"struct vx_{kind} *{name}", p.name, kind))
            return f"{value} ? vx_{kind}_raw({value}) : NULL"
        if p.what.is_swapped:  # numbers are in the byte order of the host
            self._add(Member(name, f"uint{p.what.swapped}_t {name}", p.name))
            return f"htobe{p.what.swapped}({value})"
        c_type = f"{p.type[:-2].rstrip()} *" if p.type.endswith("[]") else self.retyped(p.type)
        self._add(Member(name, declared(c_type, name), p.name))
        if p.name in self.defaults:
            return f"{value} ? {value} : {self.defaults[p.name]}"
        return value

    def _add(self, member: Member) -> None:
        if all(m.name != member.name for m in self.members):
            self.members.append(member)

    # ---- conditions ----

    def condition(self, text: str, names: set[str], constants: set[str] | dict[str, int],
                  wholes: set[str] | frozenset[str] = frozenset()) -> str:
        """A condition of lore in C: names of the init structure, "attr.NAME", constants, and signs."""
        out, at = "", 0
        while at < len(text.rstrip()):
            token = TOKEN.match(text, at)
            if not token:
                raise self.wrong(f"{text}: not a condition from here: {text[at:].strip()}")
            word, at = token[1], token.end()
            if not (word[0].isalpha() or word[0] == "_") or word in constants or word in C_WORDS or word.startswith(("attr.", "VX_", "vx_")):
                out += f" {word}" if word in ("&&", "||", "==", "!=", "&", "|", "<", ">") else f" {word}"
                continue
            if word.partition(".")[0] not in names:
                raise self.wrong(f"{text}: {word} is neither a field of the init structure nor a constant")
            out += f" vx_is_set(&init->{word}, sizeof(init->{word}))" if word in wholes else f" init->{word}"
        out = re.sub(r"\b(vx_\w+) \(", r"\1(", re.sub(r" ([),])", r"\1", out.strip()))
        return re.sub(r"([(!~]) ", r"\1", out).replace("! ", "!")
