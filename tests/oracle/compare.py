# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""Differences between the headers, as DWARF has them, and the tables: both ways, a line each."""

from __future__ import annotations

from collections.abc import Iterator, Set
from dataclasses import replace

from .model import BITS, Enumerators, Place, Record, Witness

# Of libverbsx itself, and in no table: nothing that is printed has a field of these enums, and the structures are what handles
# begin with and what tells others.
# Enums that name themselves otherwise: where mailboxes are printed, which is by their fields, and in what is about handles.
WITHOUT_TABLE = {"vx_enum_kind", "vx_link_kind", "vx_mlx5_field", "vx_mlx5_opcode", "vx_mr_state", "vx_object", "vx_object_kind", "vx_style", "vx_type"}
HIDDEN = "reserved_"  # begins the names of bytes that nobody writes, and nothing shows


def differences(headers: Witness, tables: Witness, release: int, gone: Set[str] = frozenset()) -> list[str]:
    """All of them. What is newer than the headers' release, or `gone` before it, is allowed in the tables, and nothing else."""
    return [*_without_table(headers, tables), *_enums(headers, tables, release, gone), *_macros(headers, tables, release, gone),
            *_records(headers, tables, release, gone)]


def _without_table(headers: Witness, tables: Witness) -> Iterator[str]:
    """What is excused and need not be."""
    own = {tag for tag in [*headers.enums, *headers.records] if tag.startswith("vx_")}
    for tag in sorted(WITHOUT_TABLE if own else []):
        if tag not in own:
            yield f"{tag}: said to be without a table, but not in the headers"
        elif tag in tables.enums or tag in tables.records:
            yield f"{tag}: said to be without a table, but has one"


# ---- enums ----


def _enums(headers: Witness, tables: Witness, release: int, gone: Set[str]) -> Iterator[str]:
    named = dict(headers.enums)
    for values in headers.unnamed:
        named[_tag_in(tables, values)] = values
    for tag in sorted(named.keys() - tables.enums.keys() - WITHOUT_TABLE):
        yield f"enum {tag}: not in the tables"
    for tag, table in tables.enums.items():
        rows = {name: row for name, row in table.items() if not row.macro}
        yield from _rows(tag, named.get(tag, {}), rows, release, gone)


def _tag_in(tables: Witness, values: Enumerators) -> str:
    """The tables' name for an enum without a tag: of the one with any of its enumerators."""
    found = (tag for tag, table in tables.enums.items() if not values.keys().isdisjoint(table))
    return next(found, f"(of {next(iter(values))})")


def _macros(headers: Witness, tables: Witness, release: int, gone: Set[str]) -> Iterator[str]:
    """Which macros act as enumerators is the tables' choice; whether and as what they exist, the headers'."""
    for tag, table in tables.enums.items():
        rows = {name: row for name, row in table.items() if row.macro}
        yield from _rows(tag, {n: headers.macros[n] for n in rows if n in headers.macros}, rows, release, gone)


def _rows(tag: str, header: Enumerators, table: Enumerators, release: int, gone: Set[str]) -> Iterator[str]:
    for name, row in header.items():
        if name not in table:
            yield f"enum {tag}: {name} = {row.value}: not in the table"
        elif table[name].value != row.value:
            yield f"enum {tag}: {name} = {row.value}: {table[name].value} in the table"
        elif table[name].since > release:
            yield f"enum {tag}: {name}: since {table[name].since}, the table says, but {release} has it"
        elif name in gone:
            yield f"enum {tag}: {name}: said to be gone, but {release} has it"
    for name, row in table.items():
        if name not in header and row.since <= release and name not in gone:
            yield f"enum {tag}: {name}: in the table, since {row.since}, but not in the headers"


# ---- structures ----


def _records(headers: Witness, tables: Witness, release: int, gone: Set[str]) -> Iterator[str]:
    for tag in sorted(headers.records.keys() - tables.records.keys() - WITHOUT_TABLE):
        yield f"struct {tag}: not in the tables"
    for tag, table in tables.records.items():
        if tag in headers.records and tag in gone:
            yield f"struct {tag}: said to be gone, but {release} has it"
        elif tag in headers.records:
            yield from _record(tag, _spliced(headers.records[tag], table, headers), table, release)
        elif table.size or (table.since <= release and tag not in gone):
            yield f"struct {tag}: in the tables, since {table.since}, but not in the headers"


def _spliced(header: Record, table: Record, headers: Witness) -> Record:
    """A record with the members of those structures in it that the table has in place, such as cap of an init structure."""
    fields: dict[str, Place] = {}
    for path, place in header.fields.items():
        fields[path] = place
        if place.tag in headers.records and any(row.startswith(f"{path}.") for row in table.fields):
            inner = headers.records[place.tag].fields.items()
            fields |= {f"{path}.{name}": replace(at, offset=place.offset + at.offset) for name, at in inner}
    return replace(header, fields=fields)


def _record(tag: str, header: Record, table: Record, release: int) -> Iterator[str]:
    if (header.union, header.size) != (table.union, table.size):
        yield f"struct {tag}: {_shape(header)}: {_shape(table)} in the tables"
    for path, place in header.fields.items():
        if tag.startswith("vx_") and path.startswith(HIDDEN):
            if path in table.fields:
                yield f"struct {tag}: {path}: nobody writes it, but the table shows it"
        elif place.what == BITS:
            if path in table.fields:
                yield f"struct {tag}: {path}: is a bit-field, but the table shows it"
        elif path not in table.fields or table.fields[path].absent:
            yield f"struct {tag}: {path}: not in the table"
        elif difference := _place(place, table.fields[path], release):
            yield f"struct {tag}: {path}: {difference}"
    for path, place in table.fields.items():
        if path not in header.fields and not place.absent:
            yield f"struct {tag}: {path}: in the table, since {place.since}, but not in the headers"


def _shape(record: Record) -> str:
    return f"{'union' if record.union else 'struct'} of {record.size} bytes"


def _place(header: Place, table: Place, release: int) -> str:
    """What is wrong with a row, or ""."""
    if not header.agrees(table):
        return f"{header}: {table} in the table"
    if table.since > release:
        return f"since {table.since}, the table says, but {release} has it"
    return ""
