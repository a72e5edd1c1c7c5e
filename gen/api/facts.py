# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""What the headers of one release say, as records, and their JSON form.

Lists keep the order of the headers; what is looked up by name is a dict, sorted in the JSON. One item, enumerator or
field is one line of JSON, so that two releases diff well.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

from ..errors import GenError
from ..fast.record import attributes, field, value
from ..fast.typed import Any
from ..files import json_lines, textfile
from . import facts_checks, facts_schema, schema
from .c_types import CType, c_type
from .facts_schema import FORMAT, KINDS, REQUIRED

TOO_DEEP = re.compile(r"[\[{](?:\s*[\[{]){99}")
NO_NUMBER = re.compile(r"(?<=[:\[,]) *-?(?:\d{4000,}|\d+[.eE]|NaN|Infinity)")
AGAIN = "make it anew with git checkout, if it is committed; else as it was made: by ./dev release NN, or python3 -m gen scan --output FILE"


@value
class Enumerator:
    name: str
    value: int
    since: int = 0
    until: int = 0
    before: int = 0  # the last release that had it, where others after that had not
    moved: str = ""  # how, where releases differ in the value
    deprecated: bool = False


@value
class Enum:
    """An enum; an unnamed one is called "(FIRST_ENUMERATOR)" until lore or the plan gives it a name."""

    name: str
    header: str
    values: list[Enumerator] = field(default_factory=list)
    since: int = 0
    until: int = 0
    before: int = 0
    unnamed: bool = False  # the headers give it no tag; set when a name was found for it
    shifts: bool = False  # its bits are written as 1 << n

    @property
    def named(self) -> bool:
        return not self.name.startswith("(")


@value
class Field:
    """A member of a structure. Members of C11 anonymous unions are spliced in, with `union` naming the union."""

    name: str
    type: str  # as written; an unnamed record is "struct" or "union" with `fields`
    kind: str  # uint int bool char enum record pointer function
    offset: int  # bytes from the start of the enclosing record
    size: int  # bytes, of the whole array
    count: int | None = None  # elements of an array; 0 for a flexible one
    bits: int | None = None
    ref: str = ""  # tag of the enum or record; behind a pointer of its target
    target: str = ""  # pointers: kind of what they point to
    width: int = 0  # pointers: size of what they point to
    union: int = 0  # members with the same number > 0 share an anonymous union
    hint: str = ""  # enum that the header's comment names
    bitmap: bool = False  # of which that says that each bit of the field stands for a value
    deprecated: bool = False
    fields: list[Field] = field(default_factory=list)
    since: int = 0
    until: int = 0
    before: int = 0
    cut: int = 0  # the last release that has it whole, and later ones as a bit-field

    @property
    def pointed(self) -> str:
        """The tag of what pointers to pointers lead to: that of `struct x **`."""
        words = self.type.removesuffix("**").split()
        return words[1] if self.target == "pointer" and words[0] == "struct" else ""


@value
class Struct:
    """A structure, or a union. One that has no tag is called by the typedef that it is the type of."""

    name: str
    header: str
    size: int
    union: bool = False
    opaque: bool = False
    typedef: bool = False
    align: int = 0  # bytes that it is aligned to, where it is packed or aligned(), so that members do not tell
    deprecated: bool = False
    fields: list[Field] = field(default_factory=list)
    since: int = 0
    until: int = 0
    before: int = 0

    @property
    def c_type(self) -> str:
        """As C has it."""
        return self.name if self.typedef else f"{'union' if self.union else 'struct'} {self.name}"


@value
class Param:
    name: str
    type: str

    @property
    def what(self) -> CType:
        return c_type(self.type)


@value
class Prototype:
    """How the headers of some releases declare a function."""

    since: int
    result: str
    params: list[Param]
    until: int = 0


@value
class Call:
    name: str
    header: str
    kind: str  # extern inline macro
    result: str = ""
    params: list[Param] = field(default_factory=list)
    library: str = ""  # soname of the library that exports it; "" for inline functions and private symbols
    version: str = ""  # symbol version, such as IBVERBS_1.1
    shadow: bool = False  # a macro of the same name stands before the function
    variadic: bool = False  # more arguments may come behind the parameters
    deprecated: bool = False
    unused: bool = False  # who does not look at the result is warned
    apart: str = ""  # why nothing can stand for it: unavailable noreturn vla nameless macro
    introduced: int = 0  # release, from the .symbols files; 0 where they do not say
    exported: list[tuple[int, int]] = field(default_factory=list)  # where it is inline in other releases: since when it is not, and until when
    since: int = 0
    until: int = 0  # of the parameters that it has here
    before: int = 0
    prototypes: list[Prototype] = field(default_factory=list)  # where releases differ: all, the first is the one above
    renamed: list[tuple[str, str]] = field(default_factory=list)  # parameters that the newest headers call otherwise, and how


@value
class Macro:
    name: str
    header: str
    kind: str  # value alias function other
    value: int | None = None
    text: str = ""  # an alias: what it stands for
    digest: str = ""  # of what one without a value is replaced by
    since: int = 0
    until: int = 0
    before: int = 0


@value
class Named:
    """A typedef or a variable: a name, and its type."""

    name: str
    header: str
    type: str
    since: int = 0
    until: int = 0
    before: int = 0


@value
class Group:
    name: str
    headers: list[str] = field(default_factory=list)
    enums: dict[str, Enum] = field(default_factory=dict)
    structs: dict[str, Struct] = field(default_factory=dict)
    calls: dict[str, Call] = field(default_factory=dict)
    macros: dict[str, Macro] = field(default_factory=dict)
    typedefs: dict[str, Named] = field(default_factory=dict)
    variables: dict[str, Named] = field(default_factory=dict)
    header_in: dict[str, list[int]] = field(default_factory=dict)  # of several releases, those that have each header


@value
class Facts:
    release: int
    groups: dict[str, Group] = field(default_factory=dict)
    told: list[str] = field(default_factory=list)  # libraries of which it is known what they export


def items(facts: Facts, attribute: str) -> dict[str, Any]:
    """The items of one sort, of all groups, by name."""
    return {name: item for g in facts.groups.values() for name, item in getattr(g, attribute).items()}


# ---- JSON ----


def _plain(item: Any, skip: tuple[str, ...]) -> dict[str, Any]:
    """The attributes of an item that differ from their defaults."""
    out: dict[str, Any] = {}
    for a in attributes(type(item)):
        found = getattr(item, a.name)
        if a.name not in skip and [found] != a.default and found not in ([], None):
            out[a.name] = found
    return out


def _line(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _block(open_: str, lines: list[str], close: str, indent: str) -> str:
    if not lines:
        return open_ + close
    inner = ",\n".join(indent + " " + line for line in lines)
    return f"{open_}\n{inner}\n{indent}{close}"


def _field_json(f: Field, indent: str) -> str:
    head = _line(_plain(f, ("fields",)))
    if not f.fields:
        return head
    inner = _block("[", [_field_json(sub, indent + " ") for sub in f.fields], "]", indent)
    return f'{head[:-1]}, "fields": {inner}}}'


def _enum_json(e: Enum, indent: str) -> str:
    values = [f"{_line(v.name)}: {v.value}" for v in e.values]
    old = [v.name for v in e.values if v.deprecated]
    head = f'{{"header": {_line(e.header)}' + f', "deprecated": {_line(old)}' * bool(old) + ', "shifts": true' * e.shifts
    return f'{head}, "values": {_block("{", values, "}", indent)}}}'


def _struct_json(s: Struct, indent: str) -> str:
    head = _line(_plain(s, ("name", "fields")))
    if not s.fields:
        return head
    return f'{head[:-1]}, "fields": {_block("[", [_field_json(f, indent + " ") for f in s.fields], "]", indent)}}}'


def _call_json(c: Call, _indent: str) -> str:
    head = _plain(c, ("name", "params"))
    if c.params:
        head["params"] = [[p.type, p.name] for p in c.params]
    return _line(head)


def _macro_json(m: Macro | Named, _indent: str) -> str:
    return _line(_plain(m, ("name",)))


def to_json(facts: Facts) -> str:
    """The facts as text: sorted, one item, enumerator or field a line, the same bytes on every machine."""
    groups = []
    for name in sorted(facts.groups):
        g = facts.groups[name]
        parts = [f'"headers": {_line(g.headers)}']
        for kind, show in (("enums", _enum_json), ("structs", _struct_json), ("calls", _call_json),
                           ("macros", _macro_json), ("typedefs", _macro_json), ("variables", _macro_json)):
            items = getattr(g, kind)
            lines = [f"{_line(key)}: {show(items[key], '   ')}" for key in sorted(items)]
            if lines or kind in REQUIRED:
                parts.append(f'"{kind}": {_block("{", lines, "}", "  ")}')
        groups.append(f"{_line(name)}: {_block('{', parts, '}', ' ')}")
    told = [f'"told": {_line(facts.told)}'] if facts.told else []
    head = [f'"format": {FORMAT}', f'"release": {facts.release}', *told, f'"groups": {_block("{", groups, "}", "")}']
    return _block("{", head, "}", "") + "\n"


def _fields_of(data: list[dict[str, Any]]) -> list[Field]:
    return [Field(**{**f, "fields": _fields_of(f.get("fields", []))}) for f in data]


def _enum_of(name: str, data: dict[str, Any]) -> Enum:
    old = data.get("deprecated", ())
    return Enum(name, data["header"], [Enumerator(n, v, deprecated=n in old) for n, v in data["values"].items()], shifts=data.get("shifts", False))


def _struct_of(name: str, data: dict[str, Any]) -> Struct:
    return Struct(**{"name": name, **data, "fields": _fields_of(data.get("fields", []))})


def _call_of(name: str, data: dict[str, Any]) -> Call:
    return Call(**{"name": name, **data, "params": [Param(n, t) for t, n in data.get("params", [])]})


def _macro_of(name: str, data: dict[str, Any]) -> Macro:
    return Macro(name, **data)


def _named_of(name: str, data: dict[str, Any]) -> Named:
    return Named(name, **data)


def _group_of(name: str, data: dict[str, Any]) -> Group:
    makers = (_enum_of, _struct_of, _call_of, _macro_of, _named_of, _named_of)
    parts = {kind: {item: make(item, said) for item, said in data.get(kind, {}).items()} for kind, make in zip(KINDS, makers, strict=True)}
    return Group(name, data["headers"], **parts)


def _no_fraction(text: str) -> Any:
    raise ValueError(f"{text}: facts are whole numbers")


def _json(path: Path) -> tuple[str, Any]:
    try:
        text = textfile.read(path)
        return text, json.loads(text, object_pairs_hook=json_lines.once, parse_float=_no_fraction, parse_constant=_no_fraction)
    except json_lines.Twice as e:
        raise GenError(f"{e}: stands here twice", file=path, line=json_lines.line_of_second(text), hint=AGAIN) from e
    except json.JSONDecodeError as e:
        raise GenError(f"not a facts file: {e.msg}", file=path, line=e.lineno, hint=AGAIN) from e
    except RecursionError as e:
        raise GenError("not a facts file: nested too deep", file=path, line=_line_of(TOO_DEEP, text), hint=AGAIN) from e
    except ValueError as e:
        raise GenError(f"not a facts file: {e}", file=path, line=_line_of(NO_NUMBER, text), hint=AGAIN) from e


def _line_of(what: re.Pattern[str], text: str) -> int | None:
    match = what.search(text)
    return text.count("\n", 0, match.start()) + 1 if match else None


def load(path: Path) -> Facts:
    """Read a facts file; a GenError names the file, and the line of what is wrong in it."""
    text, data = _json(path)
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        line = json_lines.line_of(text, ["format"]) if isinstance(data, dict) and "format" in data else 1
        raise GenError(f"not a facts file of format {FORMAT}", file=path, line=line, hint=AGAIN)
    try:
        schema.check(data, facts_schema.SCHEMA)
        facts_checks.check(data)
    except schema.Mismatch as e:
        where = ".".join(map(str, e.path))
        raise GenError(f"{where}: {e.message}", file=path, line=json_lines.line_of(text, e.path), hint=AGAIN) from e
    except RecursionError as e:
        raise GenError("not a facts file: nested too deep", file=path, hint=AGAIN) from e
    return Facts(data["release"], {n: _group_of(n, g) for n, g in data["groups"].items()}, data.get("told", []))
