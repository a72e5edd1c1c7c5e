# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""Initializers and setters of the structures that a caller fills."""

from __future__ import annotations


from ...api.facts import Field
from ...api.merge import Api
from ...errors import GenError
from ...fast.record import field, record
from ...know.groups import HeaderGroup
from ...know.model import Lore, find_field, is_of_c
from ...promise import shapes
from .rows import guard
from .structs import StructPlan

SINGLE = ("uint", "int", "bool", "enum", "pointer")


@record
class Assignment:
    path: str
    value: str  # a C expression
    guard: str
    anywhere: str  # the same in headers of programs, which may be of any release that has the structure


@record
class Default:
    name: str
    c_type: str
    guard: str
    present: str  # that the header is there
    of_vendor: bool
    assignments: list[Assignment] = field(default_factory=list)


@record
class Argument:
    field: str
    name: str
    declaration: str
    value: str  # what is assigned


@record
class Setter:
    name: str
    struct: str
    c_type: str
    selector: str  # path of the mask; "" where it stands beside the structure
    bit: str
    guard: str
    present: str  # that the header is there
    of_vendor: bool
    arguments: list[Argument] = field(default_factory=list)


class _Planner:
    def __init__(self, api: Api, lore: Lore, groups: list[HeaderGroup]) -> None:
        self.prefixes = [g.prefix for g in groups if not g.word]
        self.lore = lore
        self.structs = api.structs()
        self.oldest, self.newest = api.oldest, api.newest
        lives = api.lives()
        self.enums = {name: e.since for name, e in api.enums().items()}
        self.since = {name: since for name, (since, _) in lives.items()}
        self.since |= {m.name: m.since for m in api.macros().values() if m.kind == "value"}
        self.until = {name: until for name, (_, until) in lives.items()}
        self.until |= {m.name: m.until for m in api.macros().values() if m.kind == "value"}
        self.values = {v.name: v.value for e in api.enums().values() for v in e.values}
        self.enum_of: dict[str, set[str]] = {}
        for e in api.enums().values():
            for v in e.values:
                self.enum_of.setdefault(v.name, set()).add(e.name)

    def guard(self, since: int, *untils: int) -> str:
        return guard(since, min(filter(None, untils), default=0), self.oldest, self.newest)

    def known(self, value: str | int) -> bool:
        """Whether these headers have all names of a value."""
        words = self.words(value) if isinstance(value, str) else []
        return all(w in self.since or is_of_c(w) for w in words)

    def takes(self, found: Field, value: str | int | bool) -> bool:
        """Whether a field is what lore knows: one tree of headers may have something else by its name."""
        of = [self.enum_of[w] for w in self.words(value) if w in self.enum_of] if isinstance(value, str) and found.kind == "enum" else []
        return (found.kind in SINGLE and (found.kind != "pointer" or value in ("NULL", 0)) and found.count is None
                and shapes.changeable(found.type) == found.type and all(found.ref in enums for enums in of))

    @staticmethod
    def words(value: str) -> list[str]:
        return [w.strip() for w in value.split("|")]

    def assignment(self, struct: str, path: str, value: str | int | bool) -> Assignment | None:
        found = find_field(self.structs, struct, path)
        if found is None or not self.known(value) or not self.takes(found, value):
            return None
        since = found.since
        if isinstance(value, str):
            since = max([since, *(self.since.get(w, 0) for w in self.words(value))])
        expression = self.expression(found, value)
        newer = since > max(self.structs[struct].since, self.oldest)
        gone = [self.until.get(w, 0) for w in self.words(value)] if isinstance(value, str) else []
        if found.until or any(gone):
            return Assignment(path, expression, self.guard(since, found.until, *gone), "")
        return Assignment(path, expression, self.guard(since), self.anywhere(struct, found, path, value) if newer else expression)

    def anywhere(self, struct: str, found: Field, path: str, value: str | int | bool) -> str:
        """A bit that is newer than its structure, by its value: it counts where the field that it stands for is there."""
        guarded = self.lore.guard.get(f"{struct}.{path}", {}).get(str(value), [])
        fields = [f for f in (find_field(self.structs, struct, p) for p in guarded) if f]
        if found.since > max(self.structs[struct].since, self.oldest) or len(fields) != 1:
            raise GenError(f"{struct}.{path}: a default that headers of {self.structs[struct].since} cannot have",
                           file="gen/lore/defaults.toml", hint="give none: who sets the field has it")
        return f"sizeof(v) > {fields[0].offset} ? {self.values[str(value)]:#x} : 0"

    def expression(self, found: Field, value: str | int | bool) -> str:
        if value == "sizeof":
            return "sizeof(v)"
        if isinstance(value, bool):
            return "true" if value and found.kind == "bool" else str(int(value))
        text = " | ".join(self.words(value)) if isinstance(value, str) else str(value)
        if found.kind == "enum" and ("|" in text or isinstance(value, int)):
            return f"(enum {found.ref})({text})"
        return text

    def default(self, plan: StructPlan) -> Default:
        out = Default(plan.name, plan.c_type, plan.guard, plan.present, plan.of_vendor)
        for path, value in self.lore.default[plan.name].items():
            item = self.assignment(plan.name, path, value)
            if item:
                out.assignments.append(item)
        return out

    def setters(self, plan: StructPlan) -> list[Setter]:
        out = []
        for key, bits in self.lore.guard.items():
            struct, _, selector = key.partition(".")
            if struct.removesuffix("()") != plan.name:
                continue
            prefix = _shared_prefix(list(bits))
            for bit, paths in bits.items():
                setter = self.setter(plan, selector, bit, paths, prefix)
                if setter and all(s.name != setter.name for s in out):
                    out.append(setter)
        return out

    def short(self, name: str) -> str:
        """The name of a structure in names of libverbsx: groups without a word have no prefix there, the others keep theirs."""
        return name.removeprefix(next((p for p in self.prefixes if p and name.startswith(p)), ""))

    def setter(self, plan: StructPlan, selector: str, bit: str, paths: list[str], prefix: str) -> Setter | None:
        fields = [find_field(self.structs, plan.name, p) for p in paths]
        if bit not in self.since or any(f is None or f.fields or f.count is not None for f in fields):
            return None
        found = [f for f in fields if f is not None]
        name = paths[0] if len(paths) == 1 else bit.removeprefix(prefix).lower()
        since = max([self.since[bit], plan.since, *(f.since for f in found)])
        arguments = [self.argument(plan, p, f, since, "value" if len(found) == 1 else f.name) for p, f in zip(paths, found)]
        return Setter(f"vx_{self.short(plan.name)}_set_{name.replace('.', '_')}", plan.name, plan.c_type, selector, bit,
                      self.guard(since, self.until[bit], plan.until, *(f.until for f in found)), plan.present, plan.of_vendor, arguments)

    def argument(self, plan: StructPlan, path: str, f: Field, since: int, name: str) -> Argument:
        """An enum that is newer than what is set had another name before, and the field knows both."""
        if f.kind == "enum" and self.enums.get(f.ref, 0) > max(since, self.oldest):
            return Argument(path, name, f"__typeof__((({plan.c_type} *)0)->{path}) {name}", name)
        return _argument(path, f, name)


def _shared_prefix(names: list[str]) -> str:
    low, high = min(names), max(names)
    same = next((i for i, (a, b) in enumerate(zip(low, high)) if a != b), min(len(low), len(high)))
    return low[: low.rfind("_", 0, same) + 1]


def _argument(path: str, f: Field, name: str) -> Argument:
    if f.kind == "record":
        return Argument(path, name, f"const {f.type} *{name}", f"*{name}")
    if "(*)" in f.type:
        name += "_function"  # free alone would hide the C library's
        return Argument(path, name, f.type.replace("(*)", f"(*{name})", 1), name)
    return Argument(path, name, f"{f.type}{'' if f.type.endswith('*') else ' '}{name}", name)


def plan_defaults(api: Api, lore: Lore, structs: list[StructPlan], groups: list[HeaderGroup]) -> tuple[list[Default], list[Setter]]:
    """For each structure that lore's [default] names: an initializer, and setters of its guarded fields."""
    planner = _Planner(api, lore, groups)
    named = [s for s in structs if not s.nested]
    with_default = [s for s in named if s.name in lore.default]
    defaults = [planner.default(s) for s in with_default]
    setters = [setter for s in with_default for setter in planner.setters(s)]
    return defaults, setters
