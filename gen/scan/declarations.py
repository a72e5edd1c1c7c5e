# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""What a translation unit declares in the headers of groups, as facts."""

from __future__ import annotations

import os
import re
from pathlib import Path

from clang.cindex import TranslationUnit, TypeKind

from ..api.facts import Call, Enum, Enumerator, Field, Group, Named, Param, Struct
from ..fast.record import record
from . import source
from .cursors import DEPRECATED, ENUM, ENUMERATOR, FUNCTION, NOBODYS, STATIC, STRUCT, TYPEDEF, UNION, UNUSED_RESULT, VARIABLE, Clang, Cursor, Type

WORD = re.compile(r"[A-Za-z_]\w*")
QUALIFIED = re.compile(r"\[(?:(?:static|const|volatile|restrict)\b ?)+")  # an array as a parameter, in C alone
OF_RESULT = re.compile(r"(?<=\*)(?: ?(?:const|volatile))+$|^(?:(?:const|volatile) )+(?!.*\*)")
QUALIFIERS = re.compile(r"\b(?:const|volatile)\b")
NO_RETURN = re.compile(r"(?i:noreturn)\b(?:[^;{}()]*?\b(\w+)(?=\s*\())?")  # the function that follows the word; "" where it stands behind one
COUNTED = re.compile(r"\[[A-Za-z_*][^]]*\]")  # one as long as another parameter says, in C alone
UNNAMED = re.compile(r"\b(struct|union|enum) \((?:unnamed|anonymous)\b.*?:\d+:\d+\)")  # libclang tells where it is, which is nobody's business
UNNAMED_POINTER = re.compile(r"^(?:struct|union|enum) \*")  # nobody can write it
PROBE = "verbsx_value_"  # begins the enumerator that has the value of a macro
DEFINED = "verbsx_defined_"  # and that which is there if a macro is

WORDS = {
    "uint": (TypeKind.UCHAR, TypeKind.USHORT, TypeKind.UINT, TypeKind.ULONG, TypeKind.ULONGLONG),
    "int": (TypeKind.SCHAR, TypeKind.SHORT, TypeKind.INT, TypeKind.LONG, TypeKind.LONGLONG),
    "bool": (TypeKind.BOOL,),
    "char": (TypeKind.CHAR_S, TypeKind.CHAR_U),
}
NUMBERS = {kind.value: word for word, kinds in WORDS.items() for kind in kinds}
PROTOTYPE = TypeKind.FUNCTIONPROTO.value
WITHOUT_TAG = {PROTOTYPE: "function", TypeKind.FUNCTIONNOPROTO.value: "function",
               TypeKind.POINTER.value: "pointer", TypeKind.VOID.value: "void"}
OF_ENUM, OF_RECORD = TypeKind.ENUM.value, TypeKind.RECORD.value
TYPEDEFS = (TypeKind.TYPEDEF.value, TypeKind.ELABORATED.value)
CONSTANT_ARRAY, OPEN_ARRAY = TypeKind.CONSTANTARRAY.value, TypeKind.INCOMPLETEARRAY.value


@record
class _Shape:
    """What a type says of each field that has it."""

    type: str
    size: int
    count: int | None
    kind: str
    ref: str
    target: str = ""
    width: int = 0
    inner: Type | None = None  # an unnamed record, whose members each such field has for itself
    union: bool = False  # that is one
    align: int = 0  # bytes that its elements are aligned to


class Declarations:
    """Those of groups, by their headers, and the macros that enumerators of our own tell of."""

    def __init__(self, paths: dict[str, Path], group_of: dict[str, Group]) -> None:
        self.clang = Clang()
        self.paths, self.group_of = paths, group_of
        self.values: dict[str, int] = {}
        self.defined: set[str] = set()
        self.seen: set[str] = set()  # tags, of any group
        self.seen_calls: set[str] = set()
        self.headers: dict[int | None, str] = {None: ""}
        self.beside: dict[int | None, bool] = {None: False}
        self.taken: set[str] = set()
        self.shapes: dict[int, _Shape] = {}
        self.texts: dict[int, str] = {}
        self.members: dict[int, list[tuple[Cursor, Type]]] = {}  # of records
        self.ends: dict[str, set[str]] = {}  # by header
        self.aliases: dict[str, str] = {}  # typedefs of the groups, and what each stands for
        self.nameless: set[str] = set()  # those of pointers to what has no name

    def read(self, unit: TranslationUnit) -> None:
        self.unit = unit
        for cursor in self.clang.top(unit):
            if cursor.kind == ENUM:
                self._enum(cursor)
            elif cursor.kind in (STRUCT, UNION):
                if header := self._header(cursor):
                    self._struct(cursor, header)
            elif cursor.kind == FUNCTION:
                if header := self._header(cursor):
                    self._call(cursor, header)
            elif cursor.kind == TYPEDEF:
                if header := self._header(cursor):
                    self._typedef(cursor, header)
                elif self._is_beside(cursor):
                    self.aliases[self.clang.spelling(cursor)] = self._text(self.clang.stands_for(cursor))
            elif cursor.kind == VARIABLE:
                if header := self._header(cursor):
                    name = self.clang.spelling(cursor)
                    self.group_of[header].variables[name] = Named(name, header, self._text(self.clang.type(cursor)))

    def _header(self, cursor: Cursor) -> str:
        """The header of a group that a declaration stands in; "" for all others."""
        file = self.clang.file(cursor)
        if file not in self.headers:
            name = self.clang.file_name(file)
            base = os.path.basename(name)
            at = (h for h, p in self.paths.items() if p.name == base and os.path.samefile(name, p))
            self.headers[file] = next(at, "")
        return self.headers[file]

    def _is_beside(self, cursor: Cursor) -> bool:
        """Whether a declaration stands in a header of no group that one of a group takes from its own folder: other releases may lack it.

        The kernel's headers lie in a folder of their own, and packages of releases lack them.
        """
        file = self.clang.file(cursor)
        if file not in self.beside:
            name = os.path.normpath(self.clang.file_name(file))
            near = not self._header(cursor) and any(_is_within(os.path.dirname(p), name) for p in self.paths.values())
            self.beside[file] = near and name in self._taken_along()
        return self.beside[file]

    def _taken_along(self) -> set[str]:
        """The headers that those of groups, and these themselves, take from where they lie, and those of groups."""
        if not self.taken:
            self.taken = {os.path.normpath(p) for p in self.paths.values()}
            for include in self.unit.get_includes():
                by, name = os.path.normpath(include.source.name), os.path.normpath(include.include.name)
                if by in self.taken and _is_within(os.path.dirname(by), name):
                    self.taken.add(name)
        return self.taken

    # ---- enums ----

    def _enum(self, cursor: Cursor) -> None:
        clang = self.clang
        values = [Enumerator(clang.spelling(c), clang.value(c), deprecated=self._is_deprecated(c))
                  for c in clang.children(cursor) if c.kind == ENUMERATOR]
        if values and self._is_probe(cursor, values[0]):
            return
        header = self._header(cursor)
        if not header or not values:
            return
        name = self._tag(cursor) or f"({values[0].name})"
        if name in self.seen:
            return
        for v in values:
            v.value = self._unsigned(cursor, v.value)
        self.seen.add(name)
        self.group_of[header].enums[name] = Enum(name, header, values)

    def _is_probe(self, cursor: Cursor, first: Enumerator) -> bool:
        """Whether an enum is one of our own, which are told by their only enumerator."""
        if first.name.startswith(DEFINED):
            self.defined.add(first.name.removeprefix(DEFINED))
        elif first.name.startswith(PROBE):
            name = first.name.removeprefix(PROBE)
            self.defined.add(name)
            self.values[name] = self._unsigned(cursor, first.value)
        else:
            return False
        return True

    def _tag(self, cursor: Cursor) -> str:
        """The tag of a record or enum; newer versions of libclang make up a name for one that has none."""
        name = self.clang.spelling(cursor)
        return "" if "(" in name else name

    def _enum_name(self, cursor: Cursor) -> str:
        """The tag; in its place "(FIRST_ENUMERATOR)"."""
        if tag := self._tag(cursor):
            return tag
        first = next((self.clang.spelling(c) for c in self.clang.children(cursor) if c.kind == ENUMERATOR), "")
        return f"({first})"

    def _unsigned(self, cursor: Cursor, number: int) -> int:
        """Undo libclang's reading of an unsigned enumerator with the highest bit as a negative one."""
        if number >= 0:
            return number
        ctype = self.clang.canonical(self.clang.integer_type(cursor))
        return number % 2**(8 * self.clang.size(ctype)) if NUMBERS.get(ctype.kind) == "uint" else number

    def _is_deprecated(self, cursor: Cursor) -> bool:
        return bool(self.clang.has_attributes(cursor)) and self.clang.availability(cursor) == DEPRECATED

    # ---- typedefs ----

    def _typedef(self, cursor: Cursor, header: str) -> None:
        """One that is all the name that a structure has is told of as that."""
        name = self.clang.spelling(cursor)
        ctype = self.clang.stands_for(cursor)
        canonical = self.clang.canonical(ctype)
        declared = self.clang.declaration(canonical)
        if canonical.kind == OF_RECORD and self._record_name(declared) == (name, True):
            self._struct(declared, header)
            return
        if canonical.kind == OF_ENUM and not self._tag(declared):
            text = "enum"
        else:
            text = self._text(ctype)
            if UNNAMED_POINTER.match(text) or self._is_nameless(ctype):
                self.nameless.add(name)
            text = self.aliases[name] = UNNAMED_POINTER.sub("void *", text)
        self.group_of[header].typedefs[name] = Named(name, header, text)

    def _is_nameless(self, ctype: Type) -> bool:
        """Whether only a typedef of these headers can spell it: to a compiler it is nothing else."""
        return bool(self.nameless) and not self.nameless.isdisjoint(WORD.findall(self.clang.type_text(ctype)))

    def _stands_for(self, ctype: Type) -> Type:
        """What other releases have as well, which may lack a typedef of these headers."""
        while ctype.kind in TYPEDEFS:
            declared = self.clang.declaration(ctype)
            if declared.kind != TYPEDEF or self.clang.spelling(declared) not in self.aliases:
                break
            ctype = self.clang.stands_for(declared)
        return ctype

    def _spelled(self, text: str) -> str:
        """A type in which typedefs of these headers are what they stand for."""
        for name in set(WORD.findall(text)) & self.aliases.keys():
            text = _in_place(name, self.aliases[name], text)
        return text

    # ---- structures ----

    def _record_name(self, declared: Cursor) -> tuple[str, bool]:
        """The tag of a structure or union; of one that has none the typedef that names it, and that it does, else nothing."""
        name = self.clang.type_text(self.clang.type(declared))
        if "(" in name:
            return "", False
        return name.rpartition(" ")[2], " " not in name

    def _struct(self, cursor: Cursor, header: str) -> None:
        name, typedef = self._record_name(cursor)
        if not name or name in self.seen:
            return  # it is in another, and has no name at all
        structs = self.group_of[header].structs
        union = cursor.kind == UNION
        if self.clang.is_definition(cursor):
            self.seen.add(name)
            ctype = self.clang.type(cursor)
            fields = self._fields(ctype)
            structs[name] = Struct(name, header, self.clang.size(ctype), union, False, typedef, self._unusual(ctype),
                                   self._is_deprecated(cursor), fields)
        elif not self.clang.is_defined(cursor):
            self.seen.add(name)
            structs[name] = Struct(name, header, 0, union, opaque=True)

    def _unusual(self, record: Type) -> int:
        """What a structure is aligned to, if that is not what the types of its members are."""
        align = self.clang.alignment(record)
        most = max((self._shape(ctype).align for _, ctype in self._members(record)), default=1)
        return align if align != most else 0

    def _members(self, record: Type) -> list[tuple[Cursor, Type]]:
        if record.at not in self.members:
            self.members[record.at] = [(f, self.clang.type(f)) for f in self.clang.fields(record)]
        return self.members[record.at]

    def _fields(self, record: Type) -> list[Field]:
        out: list[Field] = []
        self._splice(record, 0, out, 0)
        return out

    def _splice(self, record: Type, base: int, out: list[Field], union: int) -> None:
        """Append the members of a record, those of C11 anonymous members in their place."""
        clang = self.clang
        for cursor, ctype in self._members(record):
            offset = base + clang.offset(cursor) // 8
            name = clang.spelling(cursor)
            if not name or "(" in name:
                inner = clang.canonical(ctype)
                if inner.kind != OF_RECORD:
                    continue  # a bit-field that only fills a gap
                is_union = clang.declaration(inner).kind == UNION
                number = 1 + max((f.union for f in out), default=0) if is_union and not union else union  # all within share the bytes of the outer one
                self._splice(inner, offset, out, number)
            else:
                out.append(self._field(cursor, ctype, name, base, offset, union))

    def _field(self, cursor: Cursor, ctype: Type, name: str, base: int, offset: int, union: int) -> Field:
        clang = self.clang
        s = self._shape(ctype)
        bits = clang.bits(cursor) if clang.is_bit_field(cursor) else None
        if bits is not None:
            offset -= (offset - base) % max(s.size, 1)  # of the number that it is a part of
        item = Field(name, s.type, s.kind, offset, s.size, s.count, bits, s.ref, s.target, s.width, union,
                     deprecated=self._is_deprecated(cursor))
        if s.kind != "enum":  # which needs no hint
            item.hint = clang.comment(cursor)
        if s.inner:
            item.type = "union" if s.union else "struct"
            item.fields = self._fields(s.inner)
        return item

    def _shape(self, ctype: Type) -> _Shape:
        if ctype.at not in self.shapes:
            self.shapes[ctype.at] = self._shaped(ctype)
        return self.shapes[ctype.at]

    def _shaped(self, ctype: Type) -> _Shape:
        """Of what kind a type is, or its elements are, and what it refers to."""
        clang = self.clang
        text = self._text(ctype)
        ctype = self._stands_for(ctype)
        size, count = max(clang.size(ctype), 0), None
        if ctype.kind in (CONSTANT_ARRAY, OPEN_ARRAY):
            count = clang.length(ctype) if ctype.kind == CONSTANT_ARRAY else 0
            ctype = self._stands_for(clang.element(ctype))
        canonical = clang.canonical(ctype)
        shape = _Shape(text, size, count, *self._kind(canonical), align=clang.alignment(ctype))
        if shape.kind == "record" and not shape.ref:
            declared = clang.declaration(canonical)
            if self._header(declared) or self._is_beside(declared):  # else of the C library, such as pthread_mutex_t: its members are nobody's business
                shape.inner, shape.union = canonical, declared.kind == UNION
        elif shape.kind == "pointer":
            self._point(shape, clang.pointee(canonical))
        if shape.ref and shape.ref not in self.seen and shape.ref not in WORD.findall(text):
            shape.ref = ""  # of the C library, such as what FILE is: who reads this does not find it
        return shape

    def _point(self, shape: _Shape, target: Type) -> None:
        shape.target, shape.ref = self._kind(self.clang.canonical(target))
        if shape.target in WORDS:
            shape.width = max(self.clang.size(target), 0)
        elif shape.target == "function":
            shape.kind, shape.target = "function", ""

    def _kind(self, canonical: Type) -> tuple[str, str]:
        """The kind of a canonical type, and the tag that it refers to; one that stands inside a structure is noted."""
        kind = canonical.kind
        if kind in NUMBERS:
            return NUMBERS[kind], ""
        if kind == OF_ENUM:
            return "enum", self._note_enum(self.clang.declaration(canonical))
        if kind == OF_RECORD:
            return "record", self._note_record(self.clang.declaration(canonical))
        return WITHOUT_TAG.get(kind, "other"), ""

    def _note_enum(self, declared: Cursor) -> str:
        name = self._enum_name(declared)
        if name not in self.seen:
            self._enum(declared)
        return name

    def _note_record(self, declared: Cursor) -> str:
        name, typedef = self._record_name(declared)
        if typedef or self._is_beside(declared):
            return ""  # who has one has its members
        if name not in self.seen and self.clang.is_definition(declared):
            if header := self._header(declared):
                self._struct(declared, header)
        return name

    # ---- functions ----

    def _call(self, cursor: Cursor, header: str) -> None:
        name = self.clang.spelling(cursor)
        if name in self.seen_calls:
            return
        self.seen_calls.add(name)
        kind = "inline" if self.clang.storage(cursor) == STATIC else "extern"
        params = [Param(self.clang.spelling(p), self._text(self.clang.type(p))) for p in self.clang.arguments(cursor)]
        ctype = self.clang.type(cursor)
        variadic = ctype.kind == PROTOTYPE and bool(self.clang.is_variadic(ctype))  # what has no prototype is not called so
        self.group_of[header].calls[name] = Call(name, header, kind, _unqualified(self._text(self.clang.result_type(cursor))), params, variadic=variadic)
        if self.clang.has_attributes(cursor):
            call = self.group_of[header].calls[name]
            call.deprecated = self._is_deprecated(cursor)
            call.unused = any(c.kind == UNUSED_RESULT for c in self.clang.children(cursor))
        self.group_of[header].calls[name].apart = self._apart(cursor, header, params)

    def _apart(self, cursor: Cursor, header: str, params: list[Param]) -> str:
        """Why no function can stand for one, if none can."""
        if self.clang.has_attributes(cursor) and self.clang.availability(cursor) == NOBODYS:
            return "unavailable"
        if header not in self.ends:
            self.ends[header] = set(NO_RETURN.findall(source.read(self.paths[header])))
        if self.ends[header] and (self.clang.spelling(cursor) in self.ends[header] or "noreturn" in self.clang.type_text(self.clang.type(cursor))):
            return "noreturn"
        if self.nameless and any(map(self._is_nameless, [self.clang.result_type(cursor), *map(self.clang.type, self.clang.arguments(cursor))])):
            return "nameless"
        if not any("[" in param.type for param in params):
            return ""
        arrays = (self.clang.type_text(self.clang.type(p)) for p, param in zip(self.clang.arguments(cursor), params) if "[" in param.type)
        return "vla" if any(COUNTED.search(QUALIFIED.sub("[", text)) for text in arrays) else ""

    def _text(self, ctype: Type) -> str:
        """How a type is written."""
        if ctype.at not in self.texts:
            text = self._plain(ctype)
            self.texts[ctype.at] = self._spelled(text) if self.aliases else text
        return self.texts[ctype.at]

    def _plain(self, ctype: Type) -> str:
        """In words that all C compilers have, and those of C++."""
        text = self.clang.type_text(ctype)
        if "typeof" in text:
            text = self.clang.type_text(self.clang.canonical(ctype))
        text = text.replace("*restrict *", "**").replace("*restrict", "*")  # which promises something, and is part of no type
        text = COUNTED.sub("[]", QUALIFIED.sub("[", text)) if "[" in text else text
        return UNNAMED.sub(r"\1", text) if "(" in text else text


def _is_within(folder: str, name: str) -> bool:
    return name.startswith(f"{os.path.normpath(folder)}{os.sep}")


def _unqualified(result: str) -> str:
    """What a call gives, without a const of the value itself, which C ignores and compilers warn of."""
    return OF_RESULT.sub("", result).strip()


def _in_place(name: str, stands_for: str, text: str) -> str:
    """A type with what a typedef stands for in its place; one of functions or arrays only where that is all, or is pointed to."""
    if "(" not in stands_for and "[" not in stands_for:
        if stands_for.endswith("*"):
            text = re.sub(rf"\bconst {name}\b", f"{stands_for}const", text)
        for word in QUALIFIERS.findall(stands_for) if not stands_for.endswith("*") else ():
            text = re.sub(rf"\b{word} (?=(?:\w+ )*{name}\b)", "", text)  # C++ takes each once
        return re.sub(rf"(?<!struct )(?<!union )(?<!enum )\b{name}\b", stands_for, text).replace("* *", "**")  # a tag may be called so
    if text == name:
        return stands_for
    if text == f"{name} *":
        if "(*)" in stands_for:
            return stands_for.replace("(*)", "(**)", 1)
        return re.sub(r" ?([(\[])", r" (*)\1", stands_for, count=1)
    return text
