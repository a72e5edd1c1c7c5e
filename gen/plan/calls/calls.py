# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""The functions: the table that describes them, and what stands in for each in loader mode."""

from __future__ import annotations

import re

from ...api.c_types import WORD, c_type, kinds
from ...api.facts import Call, Group, Prototype
from ...api.merge import Api
from ...fast.record import field, record
from ...know.groups import HeaderGroup
from ...know.model import Lore
from ..when.guards import guard, lives

# A convention of lore -> enum vx_call_error, and how a stand-in returns when the function cannot be reached.
CONVENTIONS = {
    "null": ("NULL", "return NULL;"),
    "minus-one": ("MINUS_ONE", "return -1;"),
    "errno-returned": ("ERRNO", "return errno;"),
    "negative-errno": ("NEGATIVE", "return -errno;"),
    "count": ("COUNT", "return -1;"),
    "own": ("OWN", "return -1;"),
    "text": ("TEXT", 'return "unknown";'),
    "none": ("NONE", "return 0;"),
}
KINDS = {"extern": "EXTERN", "inline": "INLINE", "macro": "MACRO"}
TO_MORE = re.compile(r"\((\*+)((?:\[\d*\])*)\)")  # where the name goes of what points to functions or arrays
TO_NAME = re.compile(r"\(\*+ ?(?:const )?(\w+)\b")  # of a pointer to a function or an array
FRACTIONS = {"float", "double"}
ARRAY = re.compile(r"(.*?) ?((?:\[\d*\])+)")
COLUMNS = 100


@record
class Standin:
    """What has the name of an exported function in loader mode, for the releases that declare it so."""

    name: str
    guard: str | None
    prototype: str
    jump: str  # the statement that goes on to the true function
    fail: str  # the statement that returns when there is none


@record
class CallPlan:
    """A row of vx_calls and, where a library exports the function, its stand-ins."""

    name: str
    version: str  # identifier of its text; "none" where no library is known to export the function
    library: str  # enumerator of the one that does, or is asked; else "NONE"
    since: int
    kind: str  # of enum vx_call_kind
    error: str  # of enum vx_call_error
    guard: str | None  # preprocessor condition under which the headers declare it
    page: bool = False  # it has a man page of its own name
    note: str = "none"  # identifier of what else lore says of its result
    inline_unless: str = ""  # preprocessor condition under which a library has it, rather than the headers
    standins: list[Standin] = field(default_factory=list)


@record
class LibraryPlan:
    name: str  # enumerator
    soname: str  # identifiers of their texts
    variable: str
    package: str


@record
class CallsPlan:
    rows: list[CallPlan] = field(default_factory=list)
    libraries: list[LibraryPlan] = field(default_factory=list)
    texts: dict[str, str] = field(default_factory=dict)  # identifier -> what the pool holds beside the calls' names

    @property
    def standins(self) -> list[Standin]:
        return [standin for row in self.rows for standin in row.standins]


def identifier(text: str) -> str:
    """A text as an identifier: IBVERBS_1.1 is IBVERBS_1_1."""
    return re.sub(r"\W+", "_", text).strip("_")


def convention(call: Call, group: HeaderGroup, lore: Lore) -> str:
    """How a function tells of a failure: lore's word, or what the type of its result says."""
    said = lore.call.get(call.name, {}).get("error")
    if said:
        return said
    if call.result == "const char *":
        return "text"
    if c_type(call.result).stars:
        return "null"
    return group.errors if call.result == "int" else "none"


def declared(type_: str, name: str) -> str:
    """A parameter as C declares it, and C++: strictly C++ has no _Bool."""
    type_ = "bool" if type_ == "_Bool" else type_
    if "(*" in type_:
        return TO_MORE.sub(rf"(\1{name}\2)", type_, count=1)
    array = ""
    if type_.endswith("]") and (match := ARRAY.fullmatch(type_)):
        type_, array = match.groups()
    space = "" if type_.endswith("*") else " "
    return f"{type_}{space}{name}{array}"


def name_of(declaration: str) -> str:
    """What a parameter is called that is declared so."""
    inside = TO_NAME.search(declaration) if "(" in declaration else None
    return inside[1] if inside else declaration.rpartition(" ")[2].lstrip("*").partition("[")[0]


def wrapped(head: str, items: list[str], indent: int = 0) -> str:
    """head(item, item) in lines of COLUMNS; further ones begin below the first item, or two tabs in where that is too far."""
    whole = f"{head}({', '.join(items)})"
    if indent + len(whole.expandtabs(8)) <= COLUMNS:  # as most do
        return whole
    column = indent + len(head) + 1
    if column + max(map(len, items)) >= COLUMNS:
        column = indent + 16
    margin = "\t" * (column // 8) + " " * (column % 8)
    lines = [f"{head}("]
    for i, item in enumerate(items):
        part = item + ("," if i + 1 < len(items) else ")")
        used = (indent if len(lines) == 1 else 0) + len(lines[-1].expandtabs(8))
        if i and used + 1 + len(part) > COLUMNS:
            lines[-1] = lines[-1].rstrip()
            lines.append(margin + part)
        else:
            lines[-1] += (" " if i else "") + part
    return "\n".join(lines)


def _standin(call: Call, form: Call | Prototype, guard: str | None, error: str) -> Standin:
    names = [p.name for p in form.params]
    params = [declared(p.type, n) for p, n in zip(form.params, names)]
    prototype = wrapped(declared(form.result, f"({call.name})"), params or ["void"])
    if form.result == "void":
        return Standin(call.name, guard, prototype, wrapped("call", names or [""], 8) + ";", "return;")
    if c_type(form.result).is_whole:
        return Standin(call.name, guard, prototype, wrapped("return call", names or [""], 8) + ";", f"return ({form.result}){{ 0 }};")
    if error == "none" and c_type(form.result).stars:
        error = "null"
    return Standin(call.name, guard, prototype, wrapped("return call", names or [""], 8) + ";", CONVENTIONS[error][1])


APART = {"unavailable": "its header lets nobody call it", "noreturn": "does not return; called as it is",
         "vla": "takes an array as long as another parameter says, which C++ does not have; called as it is",
         "nameless": "has a pointer to a structure without a name, which only its header can spell; called as it is",
         "macro": "a macro of its name takes other arguments; called as it is", "": ""}


def beyond_c(call: Call) -> str:
    """Why no function can stand for one."""
    if call.apart:
        return APART[call.apart]
    if call.variadic:
        return "takes any number of arguments, which C cannot pass on; called as it is"
    return "gives a function; called as it is" if "(" in call.result else ""


def of_elsewhere(call: Call, group: Group, oldest: int) -> str:
    """A type of a newer call that neither C has nor anything of the oldest release: what declares it is not rdma-core's, and older headers need not include it."""
    if call.since <= oldest:
        return ""
    used = {f.type for s in group.structs.values() if s.since <= oldest for f in s.fields}
    used |= {text for c in group.calls.values() if c.since <= oldest for text in types_of(c)}
    words = {word for text in used for word in WORD.findall(text)} | FRACTIONS | group.structs.keys() | group.enums.keys()
    types = (c_type(text) for text in types_of(call))
    return next((t.name for t in types if t.name and not t.word and not kinds(t.name) and t.name not in words), "")


def types_of(call: Call) -> list[str]:
    return [call.result, *(p.type for p in call.params)]


def _standins(call: Call, group: HeaderGroup, api: Api, error: str) -> list[Standin]:
    """One for each prototype that the releases have of a function, if C can pass on what it takes and gives."""
    if beyond_c(call):
        return []
    renamed = _is_renamed(call, group, api)
    return [_standin(call, form, _guard(call, form, group, api, renamed, exported), error)
            for form in call.prototypes or [call] for exported in call.exported or [(0, 0)] if _meet(form, exported)]


def _meet(form: Call | Prototype, exported: tuple[int, int]) -> bool:
    """Whether a library has a function in any release that declares it so."""
    since, until = lives((form.since, form.until), exported)
    return not until or since <= until


def _is_renamed(call: Call, group: HeaderGroup, api: Api) -> bool:
    """Whether a macro makes another function's name of its, also where it is declared."""
    macro = api.groups[group.name].macros.get(call.name)
    return macro is not None and macro.kind == "alias"


def _kind(call: Call) -> str:
    kind = "extern" if call.exported else call.kind
    return "PRIVATE" if kind == "extern" and not call.library else KINDS[kind]


def _guard(call: Call, form: Call | Prototype, group: HeaderGroup, api: Api, renamed: bool = False, exported: tuple[int, int] = (0, 0)) -> str | None:
    """When the headers that are included declare a function so: a macro that took its place ends that."""
    first = not call.prototypes or form is call.prototypes[0] or form is call
    since, until = lives((call.since if first else form.since, form.until), exported)
    release = guard(max(since, group.first), until, api.oldest, api.newest)
    return " && ".join(filter(None, [release, f"!defined({call.name})" if renamed or call.kind == "macro" else ""])) or None


def _library(group: HeaderGroup, texts: dict[str, str]) -> LibraryPlan:
    """The library of a group; VERBSX_IBVERBS_LIB names another libibverbs.so.1."""
    stem = identifier(group.library.partition(".")[0]).upper()
    variable = f"VERBSX_{stem.removeprefix('LIB')}_LIB"
    texts |= {identifier(text): text for text in (group.library, variable, group.package)}
    return LibraryPlan(stem, identifier(group.library), variable, identifier(group.package) or "none")


def _row(call: Call, group: HeaderGroup, lore: Lore, api: Api) -> CallPlan:
    error = convention(call, group, lore)
    row = CallPlan(call.name, "none", "NONE", call.since, _kind(call), CONVENTIONS[error][0],
                   _guard(call, call, group, api))
    row.inline_unless = " || ".join(guard(*exported, api.oldest, api.newest) for exported in call.exported)
    row.page = lore.man.get(call.name) is None
    row.note = identifier(lore.call.get(call.name, {}).get("note", "")) or "none"
    if call.library:
        row.version = identifier(call.version) or "none"
        row.library = identifier(call.library.partition(".")[0]).upper()
        row.standins = _standins(call, group, api, error)
    return row


def calls(api: Api, lore: Lore, groups: list[HeaderGroup]) -> CallsPlan:
    """Plan all functions of the API, sorted by name as strcmp(3) does."""
    known = [g for g in groups if g.name in api.groups]
    found = sorted(((call, g) for g in known for call in api.groups[g.name].calls.values()), key=lambda x: x[0].name)
    plan = CallsPlan([_row(call, group, lore, api) for call, group in found])
    plan.libraries = list({lib.name: lib for lib in (_library(g, plan.texts) for g in known)}.values())
    plan.texts |= {identifier(c.version): c.version for c, _ in found if c.library}
    notes = [lore.call.get(c.name, {}).get("note", "") for c, _ in found]
    plan.texts |= {identifier(note): note for note in notes}
    plan.texts = dict(sorted((name, text) for name, text in plan.texts.items() if name))
    return plan
