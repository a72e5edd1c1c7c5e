# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""Headers -> facts, by libclang.

All groups are parsed in one translation unit, made up here: the includes, then a line for each macro that makes the
compiler work out its value. Which macros there are is read from the text of the headers; whether they are defined, and
as what, is the preprocessor's word.
"""

from __future__ import annotations

import os
import platform
import re
from pathlib import Path

from clang import cindex
from clang.cindex import Cursor, CursorKind, Diagnostic, TranslationUnit, Type, TypeKind

from .errors import GenError
from .facts import Call, Enum, Enumerator, Facts, Field, Group, Macro, Param, Struct
from .groups import HeaderGroup
from .record import value

MAIN = "verbsx-scan.c"
PROBE = "verbsx_value_"
DEFINED = "verbsx_defined_"
DEFINE = re.compile(r"^[ \t]*#[ \t]*define[ \t]+([A-Za-z_]\w*)(\([^)]*\))?((?:[^\n\\]|\\\n|\\.)*)", re.M)
COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.S)
LITERAL = re.compile(r'"(?:[^"\\]|\\.)*"|\'(?:[^\'\\]|\\.)*\'')
WORD = re.compile(r"[A-Za-z_]\w*")
IN_PARENTHESES = re.compile(r"\(\s*([A-Za-z_]\w*)\s*\)")

INTEGERS = {
    TypeKind.UCHAR: "uint", TypeKind.USHORT: "uint", TypeKind.UINT: "uint", TypeKind.ULONG: "uint",
    TypeKind.ULONGLONG: "uint", TypeKind.SCHAR: "int", TypeKind.SHORT: "int", TypeKind.INT: "int",
    TypeKind.LONG: "int", TypeKind.LONGLONG: "int", TypeKind.BOOL: "bool", TypeKind.CHAR_S: "char",
    TypeKind.CHAR_U: "char",
}
RECORDS = (CursorKind.STRUCT_DECL, CursorKind.UNION_DECL)


@value
class Tree:
    """Where headers are looked for; no root means the compiler's own folders, in its order."""

    root: Path | None = None

    def folders(self) -> list[Path]:
        return [self.root] if self.root else [Path("/usr/local/include"), Path("/usr/include")]

    def find(self, header: str) -> Path | None:
        return next((f / header for f in self.folders() if (f / header).is_file()), None)


def compiler_headers() -> list[str]:
    """The folder with stddef.h that goes with libclang; where Debian keeps them if libclang itself does not know."""
    found = list(Path("/usr/lib").glob("llvm-*/lib/clang/*/include"))
    newest = max(found, key=lambda p: [int(n) for n in re.findall(r"\d+", str(p))], default=None)
    return ["-isystem", str(newest)] if newest else []


def _arguments(tree: Tree) -> list[str]:
    args = ["-x", "c", "-std=gnu11", "-fparse-all-comments", "-fretain-comments-from-system-headers",
            "-ferror-limit=0", "-Wno-everything"]
    if platform.machine() == "x86_64":
        args.append("-march=x86-64")  # __SSE3__ must not depend on the machine
    if tree.root:
        args += ["-I", str(tree.root)]
    return args + compiler_headers()


# ---- macros, from the text of the headers ----


@value
class _Define:
    name: str
    function: bool
    body: str


def _defines(path: Path) -> list[_Define]:
    text = COMMENT.sub(" ", path.read_text(encoding="utf-8", errors="replace"))
    found = {m[1]: _Define(m[1], m[2] is not None, _body(m[3])) for m in DEFINE.finditer(text)}
    return list(found.values())


def _body(text: str) -> str:
    """In one line; a name in parentheses is that name."""
    text = " ".join(text.replace("\\\n", " ").split())
    match = IN_PARENTHESES.fullmatch(text)
    return match[1] if match else text


def _is_guard(define: _Define) -> bool:
    return not define.function and not define.body


def _probe(name: str) -> str:
    return f"#ifdef {name}\nenum {{ {PROBE}{name} = ({name}) }};\n#endif\n"


def _defined_probe(name: str) -> str:
    return f"#ifdef {name}\nenum {{ {DEFINED}{name} }};\n#endif\n"


def _breaks_out(body: str) -> bool:
    """Whether a macro would end the line that asks for its value, and spoil those that follow."""
    text = LITERAL.sub("", body)
    return any(c in text for c in "{};#") or text.count("(") != text.count(")") or ")" in text.split("(")[0]


def _harmless(defines: list[_Define]) -> list[str]:
    """The macros that it is safe to ask for a value: neither they nor what they are made of break out."""
    broken = {d.name for d in defines if _breaks_out(d.body)}
    while more := {d.name for d in defines if d.name not in broken and not broken.isdisjoint(WORD.findall(d.body))}:
        broken |= more
    return list(dict.fromkeys(d.name for d in defines if not d.function and d.name not in broken))


# ---- one translation unit ----


class _Scanner:
    def __init__(self, groups: list[HeaderGroup], tree: Tree, release: int) -> None:
        self.tree = tree
        self.facts = Facts(release, {g.name: Group(g.name, g.headers) for g in groups})
        self.group_of = {h: self.facts.groups[g.name] for g in groups for h in g.headers}
        self.paths = {h: self._path(h) for h in self.group_of}
        self.defines = {h: [d for d in _defines(p) if not _is_guard(d)] for h, p in self.paths.items()}
        self.header_of_file: dict[str, str] = {}
        self.not_integers: set[str] = set()
        self.values: dict[str, int] = {}
        self.defined: set[str] = set()
        self.seen: set[str] = set()  # tags, of any group
        self.seen_calls: set[str] = set()

    def _path(self, header: str) -> Path:
        path = self.tree.find(header)
        if path is None:
            where = ", ".join(map(str, self.tree.folders()))
            raise GenError(f"{header}: no such header in {where}",
                           hint="install libibverbs-dev and librdmacm-dev, "
                                "or name a folder that holds infiniband/ and rdma/")
        return path

    def run(self) -> Facts:
        unit = self._parse()
        for cursor in unit.cursor.get_children():
            self._declaration(cursor)
        for name in self.not_integers:
            self.values.pop(name, None)
        for header, defines in self.defines.items():
            for define in defines:
                if define.name in self.defined:
                    self._macro(header, define)
        self._resolve_hints()
        return self.facts

    def _parse(self) -> TranslationUnit:
        includes = "".join(f"#include <{h}>\n" for h in self.group_of)
        defines = [d for ds in self.defines.values() for d in ds]
        names = dict.fromkeys(d.name for d in defines)
        probes = "".join([*map(_defined_probe, names), *map(_probe, _harmless(defines))])
        options = (TranslationUnit.PARSE_SKIP_FUNCTION_BODIES | TranslationUnit.PARSE_INCOMPLETE)
        try:
            unit = cindex.Index.create().parse(MAIN, _arguments(self.tree), [(MAIN, includes + probes)], options)
        except cindex.TranslationUnitLoadError as e:
            raise GenError(f"libclang cannot parse the headers: {e}") from e
        except cindex.LibclangError as e:
            raise GenError(f"libclang cannot be loaded: {e}", hint="apt-get install python3-clang") from e
        self.not_integers = self._complain(unit, (includes + probes).splitlines())
        return unit

    def _complain(self, unit: TranslationUnit, source: list[str]) -> set[str]:
        """Stop at the first error in a header; errors in our own probes name the macros that are no integers."""
        failed = set()
        for diag in unit.diagnostics:
            if diag.severity < Diagnostic.Error:
                continue
            own = diag.location.file is None or diag.location.file.name == MAIN
            line = source[diag.location.line - 1] if own and diag.location.line else ""
            if PROBE not in line:
                name, number = _place(diag)
                raise GenError(diag.spelling, file=name, line=number,
                               hint="the header does not parse: is it whole, and does it belong to this release?")
            failed.add(line.split(PROBE)[1].split()[0])
        return failed

    def _header(self, cursor: Cursor) -> str:
        """The header of a group that a declaration stands in; "" for all others."""
        file = cursor.location.file
        if file is None:
            return ""
        name = file.name
        if name not in self.header_of_file:
            base = os.path.basename(name)
            at = (h for h, p in self.paths.items() if p.name == base and os.path.samefile(name, p))
            self.header_of_file[name] = next(at, "")
        return self.header_of_file[name]

    def _declaration(self, cursor: Cursor) -> None:
        kind = cursor.kind
        if kind == CursorKind.ENUM_DECL:
            self._enum(cursor)
        elif kind in RECORDS:
            if header := self._header(cursor):
                self._struct(cursor, header)
        elif kind == CursorKind.FUNCTION_DECL:
            if header := self._header(cursor):
                self._call(cursor, header)

    # ---- enums ----

    def _enum(self, cursor: Cursor) -> None:
        values = [Enumerator(c.spelling, c.enum_value) for c in cursor.get_children()
                  if c.kind == CursorKind.ENUM_CONSTANT_DECL]
        if values and values[0].name.startswith(DEFINED):
            self.defined.add(values[0].name.removeprefix(DEFINED))
            return
        if values and values[0].name.startswith(PROBE):
            self.values[values[0].name.removeprefix(PROBE)] = _unsigned(cursor, values[0].value)
            return
        header = self._header(cursor)
        if not header or not values or _enum_name(cursor) in self.seen:
            return
        name = _enum_name(cursor)
        for v in values:
            v.value = _unsigned(cursor, v.value)
        self.seen.add(name)
        self.group_of[header].enums[name] = Enum(name, header, values)

    # ---- structures ----

    def _struct(self, cursor: Cursor, header: str) -> None:
        name = _tag(cursor)
        if not name or name in self.seen:
            return  # only a typedef names it, and C has no way to write a tag for it
        structs = self.group_of[header].structs
        union = cursor.kind == CursorKind.UNION_DECL
        if cursor.is_definition():
            self.seen.add(name)
            structs[name] = Struct(name, header, cursor.type.get_size(), union, False, self._fields(cursor.type))
        elif cursor.get_definition() is None:
            self.seen.add(name)
            structs[name] = Struct(name, header, 0, union, opaque=True)

    def _fields(self, record: Type) -> list[Field]:
        out: list[Field] = []
        self._splice(record, 0, out, 0)
        return out

    def _splice(self, record: Type, base: int, out: list[Field], union: int) -> None:
        """Append the members of a record, those of C11 anonymous members in their place."""
        for cursor in record.get_fields():
            offset = base + cursor.get_field_offsetof() // 8
            if not cursor.spelling or "(" in cursor.spelling:
                inner = cursor.type.get_canonical()
                if inner.kind != TypeKind.RECORD:
                    continue  # a bit-field that only fills a gap
                is_union = inner.get_declaration().kind == CursorKind.UNION_DECL
                number = 1 + max((f.union for f in out), default=0) if is_union else union
                self._splice(inner, offset, out, number)
            else:
                out.append(self._field(cursor, offset, union))

    def _field(self, cursor: Cursor, offset: int, union: int) -> Field:
        ctype = cursor.type
        item = Field(cursor.spelling, ctype.spelling, "", offset, max(ctype.get_size(), 0), union=union,
                     hint=_comment(cursor))
        if ctype.kind in (TypeKind.CONSTANTARRAY, TypeKind.INCOMPLETEARRAY):
            item.count = ctype.get_array_size() if ctype.kind == TypeKind.CONSTANTARRAY else 0
            ctype = ctype.get_array_element_type()
        if cursor.is_bitfield():
            item.bits = cursor.get_bitfield_width()
        self._describe(item, ctype)
        return item

    def _describe(self, item: Field, ctype: Type) -> None:
        """Say of what kind a type is, and what it refers to."""
        canonical = ctype.get_canonical()
        item.kind, item.ref = self._kind(canonical)
        if item.kind == "record" and not item.ref:
            decl = canonical.get_declaration()
            if self._header(decl):  # else of the C library, such as pthread_mutex_t: its members are nobody's business
                item.type = "union" if decl.kind == CursorKind.UNION_DECL else "struct"
                item.fields = self._fields(canonical)
        elif item.kind == "pointer":
            target = canonical.get_pointee()
            item.target, item.ref = self._kind(target.get_canonical())
            item.width = max(target.get_size(), 0) if item.target in ("uint", "int", "char", "bool") else 0
            if item.target == "function":
                item.kind, item.target = "function", ""

    def _kind(self, canonical: Type) -> tuple[str, str]:
        """The kind of a canonical type, and the tag that it refers to; one that stands inside a structure is noted."""
        kind = canonical.kind
        if kind in INTEGERS:
            return INTEGERS[kind], ""
        if kind in (TypeKind.ENUM, TypeKind.RECORD):
            decl = canonical.get_declaration()
            if kind == TypeKind.ENUM:
                return "enum", self._note_enum(decl)
            return "record", self._note_record(decl)
        if kind in (TypeKind.FUNCTIONPROTO, TypeKind.FUNCTIONNOPROTO):
            return "function", ""
        return {TypeKind.POINTER: "pointer", TypeKind.VOID: "void"}.get(kind, "other"), ""

    def _note_enum(self, decl: Cursor) -> str:
        name = _enum_name(decl)
        if name not in self.seen:
            self._enum(decl)
        return name

    def _note_record(self, decl: Cursor) -> str:
        name = _tag(decl)
        if name and name not in self.seen and decl.is_definition():
            if header := self._header(decl):
                self._struct(decl, header)
        return name

    # ---- functions and macros ----

    def _call(self, cursor: Cursor, header: str) -> None:
        name = cursor.spelling
        inline = cursor.storage_class == cindex.StorageClass.STATIC
        calls = self.group_of[header].calls
        if name in self.seen_calls:
            return
        self.seen_calls.add(name)
        params = [Param(p.spelling, p.type.spelling) for p in cursor.get_arguments()]
        calls[name] = Call(name, header, "inline" if inline else "extern", cursor.result_type.spelling, params)

    def _macro(self, header: str, define: _Define) -> None:
        group = self.group_of[header]
        name = define.name
        if name in group.calls:
            group.calls[name].shadow = True
        if define.function:
            group.macros[name] = Macro(name, header, "function")
        elif name in self.values:
            alias = define.body if _is_word(define.body) else ""
            group.macros[name] = Macro(name, header, "value", self.values[name], alias)
        elif _is_word(define.body):
            group.macros[name] = Macro(name, header, "alias", text=define.body)
        else:
            group.macros[name] = Macro(name, header, "other")

    def _resolve_hints(self) -> None:
        """Keep of each comment only the enum that it names, if it names one that exists."""
        known = {name: name for g in self.facts.groups.values() for name in g.enums}
        known |= {m.name: m.text for g in self.facts.groups.values() for m in g.macros.values()
                  if m.kind == "alias" and m.text in known}
        for g in self.facts.groups.values():
            for s in g.structs.values():
                for f in s.fields:
                    _resolve_hint(f, known)


def _resolve_hint(item: Field, known: dict[str, str]) -> None:
    """`known`: enum by the name that a comment has for it; the kernel's ib_ is ibv_ here."""
    words = WORD.findall(item.hint) if item.kind != "enum" else []
    names = (known.get(w) or known.get(re.sub("^ib_", "ibv_", w)) for w in words)
    item.hint = next(filter(None, names), "")
    for sub in item.fields:
        _resolve_hint(sub, known)


def _place(diag: Diagnostic) -> tuple[str | None, int | None]:
    """Where in a header an error is; one that only shows behind it has a note about the header."""
    for at in (diag, *diag.children):
        if at.location.file and at.location.file.name != MAIN:
            return at.location.file.name, at.location.line
    return None, None


def _is_word(text: str) -> bool:
    return WORD.fullmatch(text) is not None


def _tag(cursor: Cursor) -> str:
    """The tag of a record or enum; newer versions of libclang make up a name for one that has none."""
    name = cursor.spelling
    return "" if "(" in name else name


def _enum_name(cursor: Cursor) -> str:
    """The tag; in its place "(FIRST_ENUMERATOR)"."""
    if tag := _tag(cursor):
        return tag
    first = next((c.spelling for c in cursor.get_children() if c.kind == CursorKind.ENUM_CONSTANT_DECL), "")
    return f"({first})"


def _unsigned(cursor: Cursor, value: int) -> int:
    """Undo libclang's reading of a 64-bit unsigned enumerator as a negative one."""
    unsigned = INTEGERS.get(cursor.enum_type.get_canonical().kind) == "uint"
    return value % 2**64 if unsigned and value < 0 else value


def _comment(cursor: Cursor) -> str:
    return cursor.raw_comment or ""


def _check_wanted(group: HeaderGroup, found: Group) -> None:
    for name in group.wants:
        if name not in found.structs or found.structs[name].opaque:
            raise GenError(f"struct {name} is not in these headers", file=group.headers[0],
                           hint="they are not rdma-core's, or cut short")


def scan(groups: list[HeaderGroup], tree: Tree, release: int) -> Facts:
    """Scan the groups that a release has."""
    present = [g for g in groups if g.first <= release]
    facts = _Scanner(present, tree, release).run()
    for group in present:
        _check_wanted(group, facts.groups[group.name])
    return facts
