# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""Enums and structures from the DWARF of an object file, as far as they are declared in given headers."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from elftools.dwarf.compileunit import CompileUnit
from elftools.dwarf.die import DIE
from elftools.elf.elffile import ELFFile

from .model import BITS, Enumerator, Enumerators, Place, Record, Witness

RECORDS = ("DW_TAG_structure_type", "DW_TAG_union_type")
SAME_SIZE = ("DW_TAG_typedef", "DW_TAG_const_type", "DW_TAG_volatile_type")
KEYWORDS = {"DW_TAG_structure_type": "struct", "DW_TAG_union_type": "union", "DW_TAG_enumeration_type": "enum"}
WORDS = {"_Bool": "bool", "long int": "long"}  # as headers write them
WHAT = {"DW_TAG_structure_type": "record", "DW_TAG_union_type": "record", "DW_TAG_enumeration_type": "enum",
        "DW_TAG_pointer_type": "pointer"}
ENCODINGS = {2: "bool", 5: "signed", 6: "signed", 7: "unsigned", 8: "unsigned"}


class _Reader:
    def __init__(self, unit: CompileUnit, headers: set[Path]) -> None:
        self.unit = unit
        self.files = _files(unit)
        self.headers = headers
        self.found = Witness()

    def run(self) -> Witness:
        for die in self.unit.get_top_DIE().iter_children():
            if not self._is_ours(die):
                continue
            if die.tag == "DW_TAG_enumeration_type":
                self._enum(die)
            elif die.tag in RECORDS and _name(die):
                self.found.records[_name(die)] = self._record(die)
        return self.found

    def _is_ours(self, die: DIE) -> bool:
        if "DW_AT_decl_file" not in die.attributes or "DW_AT_declaration" in die.attributes:
            return False
        return self.files[_number(die, "DW_AT_decl_file")] in self.headers

    def _enum(self, die: DIE) -> None:
        values: Enumerators = {_name(child): Enumerator(_number(child, "DW_AT_const_value"))
                               for child in die.iter_children()}
        if _name(die):
            self.found.enums[_name(die)] = values
        else:
            self.found.unnamed.append(values)

    def _record(self, die: DIE) -> Record:
        record = Record(die.tag == "DW_TAG_union_type", _number(die, "DW_AT_byte_size"))
        record.fields = dict(self._members(die, "", 0))
        return record

    def _members(self, die: DIE, path: str, start: int) -> Iterator[tuple[str, Place]]:
        """The members of a record and of those in it without a tag, but for C's own (pthread_mutex_t)."""
        for member in die.iter_children():
            if member.tag != "DW_TAG_member":
                continue
            if "DW_AT_bit_size" in member.attributes:
                if _name(member):
                    yield path + _name(member), Place(start, 0, what=BITS)
                continue
            name, offset = _name(member), start + _number(member, "DW_AT_data_member_location", 0)
            kind = self._target(member)
            element = self._element(kind)
            if name:
                place = self._place(kind, offset)
                place.what, place.tag, place.big = _what(element), _name(element), _is_big(member)
                place.c_type = _spelled(member)
                yield path + name, place
            if element.tag in RECORDS and not _name(element) and self._is_ours(element):
                yield from self._members(element, f"{path}{name}." if name else path, offset)

    def _target(self, die: DIE) -> DIE:
        """The type that a DIE refers to, behind typedefs and qualifiers."""
        die = die.get_DIE_from_attribute("DW_AT_type")
        while die.tag in SAME_SIZE:
            die = die.get_DIE_from_attribute("DW_AT_type")
        return die

    def _element(self, kind: DIE) -> DIE:
        return self._target(kind) if kind.tag == "DW_TAG_array_type" else kind

    def _place(self, kind: DIE, offset: int) -> Place:
        if kind.tag != "DW_TAG_array_type":
            return Place(offset, _number(kind, "DW_AT_byte_size"))
        dimensions = [_dimension(child) for child in kind.iter_children()]
        size = _number(self._target(kind), "DW_AT_byte_size")
        for dimension in dimensions[1:]:
            size *= dimension
        return Place(offset, size, dimensions[0])


def _name(die: DIE) -> str:
    name = die.attributes.get("DW_AT_name")
    return name.value.decode() if name else ""


def _number(die: DIE, attribute: str, default: int | None = None) -> int:
    if attribute not in die.attributes and default is not None:
        return default
    return int(die.attributes[attribute].value)


def _what(kind: DIE) -> str:
    """What a type is, in the words of Place."""
    if kind.tag == "DW_TAG_base_type":
        return ENCODINGS.get(_number(kind, "DW_AT_encoding"), "")
    return WHAT.get(kind.tag, "")


def _is_big(die: DIE) -> bool:
    """Whether a type, or that of an array's elements, is by its name in network order."""
    while "DW_AT_type" in die.attributes:
        die = die.get_DIE_from_attribute("DW_AT_type")
        if die.tag == "DW_TAG_typedef" and _name(die).startswith("__be"):
            return True
        if die.tag == "DW_TAG_pointer_type":
            return False
    return False


def _spelled(die: DIE) -> str:
    """The type that a DIE refers to, as headers write it; "function" for a pointer to one."""
    if "DW_AT_type" not in die.attributes:
        return "void"
    kind = die.get_DIE_from_attribute("DW_AT_type")
    if kind.tag in KEYWORDS:
        return f"{KEYWORDS[kind.tag]} {_name(kind)}"
    if kind.tag == "DW_TAG_array_type":
        return _spelled(kind) + "".join(f"[{_dimension(child)}]" for child in kind.iter_children())
    if kind.tag == "DW_TAG_subroutine_type":
        return "function"
    inner = _spelled(kind) if kind.tag in ("DW_TAG_pointer_type", "DW_TAG_const_type") else WORDS.get(_name(kind), _name(kind))
    if kind.tag == "DW_TAG_pointer_type" and inner != "function":
        return inner + ("*" if inner.endswith("*") else " *")
    if kind.tag == "DW_TAG_const_type":
        return inner + "const" if inner.endswith("*") else f"const {inner}"
    return inner


def _dimension(subrange: DIE) -> int:
    """Elements of one dimension; 0 where the array has no length."""
    if "DW_AT_count" in subrange.attributes:
        return _number(subrange, "DW_AT_count")
    return _number(subrange, "DW_AT_upper_bound", -1) + 1


def _files(unit: CompileUnit) -> dict[int, Path]:
    """The files that DW_AT_decl_file counts, from 1 as DWARF 4 does."""
    program = unit.dwarfinfo.line_program_for_CU(unit)
    folders = [b"."] + program["include_directory"]
    return {number: Path(folders[entry["dir_index"]].decode(), entry["name"].decode()).resolve()
            for number, entry in enumerate(program["file_entry"], 1)}


def read(object_file: Path, headers: set[Path]) -> Witness:
    """What an object file's only unit, compiled with -gdwarf-4, tells of the given headers."""
    with open(object_file, "rb") as stream:
        units = list(ELFFile(stream).get_dwarf_info().iter_CUs())
        return _Reader(units[0], {h.resolve() for h in headers}).run()
