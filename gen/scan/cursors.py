# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""What libclang has parsed, read by as few calls as will do.

The objects of clang.cindex are made anew for each question and each answer: with them it takes longer to look at declarations than
to parse them. It finds and loads libclang here, and parses; what its functions are asked for many times is asked directly.
"""

from __future__ import annotations

from ctypes import POINTER, PYFUNCTYPE, PyDLL, Structure, byref, c_char_p, c_int, c_longlong, c_uint, c_void_p

from clang import cindex
from clang.cindex import CursorKind, StorageClass

ENUM, ENUMERATOR, FUNCTION = CursorKind.ENUM_DECL.value, CursorKind.ENUM_CONSTANT_DECL.value, CursorKind.FUNCTION_DECL.value
STRUCT, UNION = CursorKind.STRUCT_DECL.value, CursorKind.UNION_DECL.value
TYPEDEF, VARIABLE = CursorKind.TYPEDEF_DECL.value, CursorKind.VAR_DECL.value
UNUSED_RESULT = CursorKind.WARN_UNUSED_RESULT_ATTR.value
DEPRECATED, NOBODYS = 1, 2  # of CXAvailabilityKind
STATIC = StorageClass.STATIC.value
GO_ON = 1  # of a visitor


class Cursor(Structure):
    """Of clang-c/Index.h, as all that follows."""

    _fields_ = (("kind", c_int), ("xdata", c_int), ("one", c_void_p), ("two", c_void_p), ("three", c_void_p))


class Type(Structure):
    """`at` is the same for what is the same type, with the same name."""

    _fields_ = (("kind", c_int), ("at", c_void_p), ("unit", c_void_p))


class _String(Structure):
    _fields_ = (("data", c_void_p), ("flags", c_uint))


class _Location(Structure):
    _fields_ = (("one", c_void_p), ("two", c_void_p), ("number", c_uint))


_OfChild = PYFUNCTYPE(c_int, Cursor, Cursor, c_void_p)
_OfField = PYFUNCTYPE(c_int, Cursor, c_void_p)


def _takers(found: list[Cursor]) -> tuple[object, object]:
    """What visits call, for all of them: to make one takes longer than most visits."""
    def of_child(child: Cursor, _parent: Cursor, _data: object) -> int:
        found.append(child)
        return GO_ON

    def of_field(field: Cursor, _data: object) -> int:
        found.append(field)
        return GO_ON

    return _OfChild(of_child), _OfField(of_field)


def version() -> str:
    """Of the library that is loaded, such as 14.0.6."""
    library = PyDLL(cindex.conf.lib._name)
    library.clang_getClangVersion.restype, library.clang_getCString.restype, library.clang_getCString.argtypes = _String, c_char_p, (_String,)
    words = (library.clang_getCString(library.clang_getClangVersion()) or b"").decode(errors="replace").split()
    return next((word for word in words if word[0].isdigit()), "")


class Clang:
    """The functions; who calls them knows which is meant for what."""

    def __init__(self) -> None:
        self._library = PyDLL(cindex.conf.lib._name)
        self._string = self._function("clang_getCString", c_char_p, _String)
        self._spelling = self._function("clang_getCursorSpelling", _String, Cursor)
        self._comment = self._function("clang_Cursor_getRawCommentText", _String, Cursor)
        self._type_spelling = self._function("clang_getTypeSpelling", _String, Type)
        self._location = self._function("clang_getCursorLocation", _Location, Cursor)
        self._place = self._function("clang_getExpansionLocation", None, _Location, POINTER(c_void_p), *[c_void_p] * 3)
        self._file_name = self._function("clang_getFileName", _String, c_void_p)
        self._children = self._function("clang_visitChildren", c_uint, Cursor, _OfChild, c_void_p)
        self._fields = self._function("clang_Type_visitFields", c_uint, Type, _OfField, c_void_p)
        self._definition = self._function("clang_getCursorDefinition", Cursor, Cursor)
        self._is_null = self._function("clang_Cursor_isNull", c_int, Cursor)
        self._argument = self._function("clang_Cursor_getArgument", Cursor, Cursor, c_uint)
        self._arguments = self._function("clang_Cursor_getNumArguments", c_int, Cursor)
        self.is_definition = self._function("clang_isCursorDefinition", c_uint, Cursor)
        self.is_bit_field = self._function("clang_Cursor_isBitField", c_uint, Cursor)
        self.bits = self._function("clang_getFieldDeclBitWidth", c_int, Cursor)
        self.offset = self._function("clang_Cursor_getOffsetOfField", c_longlong, Cursor)
        self.value = self._function("clang_getEnumConstantDeclValue", c_longlong, Cursor)
        self.storage = self._function("clang_Cursor_getStorageClass", c_int, Cursor)
        self.has_attributes = self._function("clang_Cursor_hasAttrs", c_uint, Cursor)
        self.availability = self._function("clang_getCursorAvailability", c_int, Cursor)
        self.stands_for = self._function("clang_getTypedefDeclUnderlyingType", Type, Cursor)
        self.alignment = self._function("clang_Type_getAlignOf", c_longlong, Type)
        self.type = self._function("clang_getCursorType", Type, Cursor)
        self.integer_type = self._function("clang_getEnumDeclIntegerType", Type, Cursor)
        self.result_type = self._function("clang_getCursorResultType", Type, Cursor)
        self.canonical = self._function("clang_getCanonicalType", Type, Type)
        self.pointee = self._function("clang_getPointeeType", Type, Type)
        self.element = self._function("clang_getArrayElementType", Type, Type)
        self.declaration = self._function("clang_getTypeDeclaration", Cursor, Type)
        self.size = self._function("clang_Type_getSizeOf", c_longlong, Type)
        self.is_variadic = self._function("clang_isFunctionTypeVariadic", c_uint, Type)
        self._found: list[Cursor] = []  # by a visit that goes on; none goes on within another
        self._of_child, self._of_field = _takers(self._found)
        self.length = self._function("clang_getArraySize", c_longlong, Type)

    def _function(self, name: str, result: type | None, *arguments: type):  # type: ignore[no-untyped-def]
        function = getattr(self._library, name)
        function.restype, function.argtypes = result, arguments
        return function

    def _text(self, string: _String) -> str:
        text = self._string(string)  # which nobody takes back: all of them are less than a header
        return text.decode(errors="replace") if text else ""

    def spelling(self, cursor: Cursor) -> str:
        return self._text(self._spelling(cursor))

    def comment(self, cursor: Cursor) -> str:
        return self._text(self._comment(cursor))

    def type_text(self, ctype: Type) -> str:
        return self._text(self._type_spelling(ctype))

    def file(self, cursor: Cursor) -> int | None:
        """What stands for the file that a cursor is in, if it is in one."""
        found = c_void_p()
        self._place(self._location(cursor), byref(found), None, None, None)
        return found.value

    def file_name(self, file: int) -> str:
        return self._text(self._file_name(file))

    def is_defined(self, cursor: Cursor) -> bool:
        """Whether there is a definition of it anywhere."""
        return not self._is_null(self._definition(cursor))

    def arguments(self, cursor: Cursor) -> list[Cursor]:
        return [self._argument(cursor, number) for number in range(self._arguments(cursor))]

    def children(self, cursor: Cursor) -> list[Cursor]:
        self._children(cursor, self._of_child, None)
        return self._taken()

    def fields(self, record: Type) -> list[Cursor]:
        self._fields(record, self._of_field, None)
        return self._taken()

    def _taken(self) -> list[Cursor]:
        found = self._found.copy()
        self._found.clear()
        return found

    def top(self, unit: cindex.TranslationUnit) -> list[Cursor]:
        """All that is declared outside of anything."""
        return self.children(Cursor.from_buffer_copy(unit.cursor))
