# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""Facts with one thing wrong: each key of each item of the wrong type, out of range, misspelt, missing; and parts that contradict others."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from typing import Any, NamedTuple

WHOLE: dict[str, Any] = {"format": 1, "release": 44, "groups": {
    "g": {
        "headers": ["a/g.h", "h.h"],
        "enums": {"e": {"header": "a/g.h", "values": {"E": 1, "F": -1, "G": 2**63}}, "(ONE)": {"header": "h.h", "shifts": True, "values": {"ONE": 1}}},
        "structs": {
            "s": {"header": "a/g.h", "size": 64, "fields": [
                {"name": "a", "type": "union", "kind": "record", "offset": 0, "size": 8, "fields": [
                    {"name": "b", "type": "int", "kind": "int", "offset": 0, "size": 4, "hint": "e", "bitmap": True}]},
                {"name": "c", "type": "enum e", "kind": "enum", "offset": 8, "size": 4, "ref": "e"},
                {"name": "d", "type": "struct o *", "kind": "pointer", "offset": 16, "size": 8, "ref": "o", "target": "record"},
                {"name": "f", "type": "char *", "kind": "pointer", "offset": 24, "size": 8, "target": "char", "width": 1},
                {"name": "h", "type": "__u32[2]", "kind": "uint", "offset": 32, "size": 8, "count": 2, "union": 1},
                {"name": "i", "type": "__u32", "kind": "uint", "offset": 32, "size": 4, "bits": 3, "union": 1}]},
            "o": {"header": "a/g.h", "size": 0, "opaque": True},
            "u": {"header": "a/g.h", "size": 8, "union": True, "fields": [{"name": "x", "type": "__u64", "kind": "uint", "offset": 0, "size": 8}]}},
        "calls": {"c": {"header": "a/g.h", "kind": "extern", "result": "int", "params": [["int", "x"]], "library": "libg.so.1", "version": "G_1",
                        "shadow": True, "introduced": 33}},
        "macros": {"M": {"header": "a/g.h", "kind": "value", "value": 3}, "N": {"header": "a/g.h", "kind": "alias", "text": "M"}}},
    "k": {"headers": ["k.h"], "enums": {}, "structs": {}, "calls": {}, "macros": {}}}}
OF_OTHER_TYPE = (None, True, -1, 2**70, "", "no name", "x\n", [], {}, [[]], {"name": []})
REQUIRED = {"format", "release", "groups", "headers", "enums", "structs", "calls", "macros", "header", "values", "name", "type", "kind", "offset",
            "size", "result"}
Path = tuple[Any, ...]


class Damage(NamedTuple):
    """Facts, and what is wrong with them."""

    name: str
    data: Any
    path: Path
    words: str = ""


def parts(value: Any, path: Path = ()) -> Iterator[tuple[Path, Any]]:
    """All that is in JSON, and where."""
    yield path, value
    for key, part in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        yield from parts(part, (*path, key))


def changed(path: Path, value: Any) -> Any:
    """The facts with another value there."""
    if not path:
        return value
    data = copy.deepcopy(WHOLE)
    at(data, path[:-1])[path[-1]] = value
    return data


def at(data: Any, path: Path) -> Any:
    for key in path:
        data = data[key]
    return data


def renamed(path: Path, name: str) -> Any:
    data = copy.deepcopy(WHOLE)
    at(data, path[:-1])[name] = at(data, path[:-1]).pop(path[-1])
    return data


def without(path: Path) -> Any:
    data = copy.deepcopy(WHOLE)
    del at(data, path[:-1])[path[-1]]
    return data


def shapes() -> Iterator[Damage]:
    """What a schema can tell, and some that is harmless: a test compares with what another reader of the schema says."""
    for path, value in parts(WHOLE):
        for other in OF_OTHER_TYPE:
            yield Damage(f"{path}: {value!r} is {other!r}", changed(path, other), path)
        if path and isinstance(path[-1], str):
            yield Damage(f"{path}: misspelt", renamed(path, f"{path[-1]}-x"), path)
        if path:
            yield Damage(f"{path}: missing", without(path), path)
        if isinstance(value, dict):
            yield Damage(f"{path}: something more", changed(path, {**value, "no such": 1}), path)
            yield Damage(f"{path}: empty", changed(path, {}), path)
        if isinstance(value, list) and value:
            yield Damage(f"{path}: one of them twice", changed(path, [*value, value[0]]), path)
            yield Damage(f"{path}: empty", changed(path, []), path)


G: Path = ("groups", "g")
FIELDS: Path = (*G, "structs", "s", "fields")
# What is wrong, and the words that the message has to have.
WRONG: tuple[tuple[Path, Any, str], ...] = (
    (("format",), 2, "not a facts file of format 1"),
    (("release",), 0, "release: 0: must be from 1 to 999"),
    (("release",), -44, "release: -44: must be from 1"),
    (("release",), 4400, "release: 4400: must be from 1 to 999"),
    (("release",), "44", "release: '44': must be a whole number"),
    ((*FIELDS, 0, "kind"), "uin", "'uin': must be one of uint, int"),
    ((*FIELDS, 2, "target"), "recrd", "'recrd': must be one of"),
    ((*FIELDS, 1, "type"), "int; int x", "'int; int x': must be a C type"),
    ((*FIELDS, 1, "type"), "int\ud800", "must be a C type"),
    ((*G, "calls", "c", "result"), 'int __asm__("x")', "must be a C type"),
    ((*FIELDS, 1, "offset"), -8, "offset: -8: must be from 0"),
    ((*FIELDS, 1, "size"), -4, "size: -4: must be from 0"),
    ((*FIELDS, 1, "offset"), 2**40, "must be from 0"),
    ((*FIELDS, 1, "offset"), 61, "c: ends at byte 65 of 64"),
    ((*FIELDS, 0, "fields", 0, "offset"), 5, "b: ends at byte 9 of 8"),
    ((*FIELDS, 1, "name"), "a", "a: a field of this name is there before"),
    ((*FIELDS, 1, "name"), "2a", "'2a': must be a name of C"),
    ((*FIELDS, 1, "name"), "a b", "'a b': must be a name of C"),
    ((*FIELDS, 1, "ref"), "ee", "c: refers to ee, which nothing declares"),
    ((*FIELDS, 2, "ref"), "oo", "d: refers to oo, which nothing declares"),
    ((*FIELDS, 0, "fields", 0, "hint"), "ee", "b: ee is no enum"),
    ((*FIELDS, 5, "bits"), 65, "bits: 65: must be from 1 to 64"),
    ((*FIELDS, 5, "bits"), 0, "bits: 0: must be from 1 to 64"),
    ((*G, "enums", "e", "header"), "k.h", "k.h: is no header of group g"),
    ((*G, "structs", "s", "header"), "nowhere.h", "nowhere.h: is no header of group g"),
    ((*G, "calls", "c", "header"), "/etc/passwd", "must be a header as #include names it"),
    ((*G, "macros", "M", "header"), "../g.h", "must be a header as #include names it"),
    (("groups", "k", "headers"), ["k.h", "h.h"], "h.h: is of group g as well"),
    ((*G, "calls", "c", "kind"), "exported", "'exported': must be one of extern, inline, macro"),
    ((*G, "calls", "c", "library"), "libg", "'libg': must be soname"),
    ((*G, "macros", "M", "kind"), "number", "'number': must be one of value, alias"),
    ((*G, "macros", "M", "kind"), "other", "a value goes with the kind value"),
    ((*G, "macros", "N", "kind"), "value", "a value goes with the kind value"),
    ((*G, "enums", "e", "values"), {}, "values: is empty"),
    ((*G, "enums", "e", "values", "E"), 2**64, "must be from"),
    ((*G, "enums", "e", "shifts"), True, "e: is of shifts of 1, and its values are not"),
    ((*G, "enums", "e", "values", "E"), "1", "E: '1': must be a whole number"),
    ((*FIELDS, 1, "name"), "int", "int: is a word of C, and no name"),
    ((*G, "calls", "c", "params", 0), ["int", "while"], "while: is a word of C, and no name"),
    ((*G, "calls", "c", "params", 0), ["void", "x"], "nothing is no parameter"),
    ((*G, "calls", "c", "params", 0), ["static int", "x"], "'static int': is no type"),
    ((*G, "calls", "c", "params", 0), ["int (*", "x"], "'int (*': is no type"),
    ((*G, "calls", "c", "params", 0), ["int )(", "x"], "'int )(': is no type"),
    ((*G, "calls", "c", "params", 0), ["* int", "x"], "'* int': is no type"),
    ((*G, "calls", "c", "params", 0), ["int /* */", "x"], "'int /* */': is no type"),
    ((*G, "calls", "c", "result"), "typedef int", "'typedef int': is no type"),
    ((*FIELDS, 0, "fields", 0, "kind"), "uint", "b: is of kind uint, and int of kind int"),
    ((*FIELDS, 1, "kind"), "uint", "c: is of kind uint, and enum e of kind enum"),
    ((*FIELDS, 2, "kind"), "function", "d: is of kind function, and struct o * of kind pointer"),
    ((*FIELDS, 4, "kind"), "int", "h: is of kind int, and __u32[2] of kind uint"),
    ((*FIELDS, 2, "target"), "enum", "d: points to what is of kind enum, and struct o * to one of kind record"),
    ((*FIELDS, 1, "ref"), "(ONE)", "c: refers to (ONE), and is of type enum e"),
    ((*FIELDS, 1, "ref"), "s", "c: refers to struct s, and enum e is of kind enum"),
    ((*FIELDS, 2, "ref"), "s", "d: refers to s, and is of type struct o *"),
    ((*FIELDS, 2, "ref"), "e", "d: refers to enum e, and struct o * is of kind record"),
    ((*FIELDS, 4, "count"), 4, "h: has a count of 4, and is of type __u32[2]"),
    ((*FIELDS, 1, "type"), "17", "'17': is no type"),
    ((*FIELDS, 4, "count"), 3, "h: 8 bytes are not 3 of one size"),
    ((*FIELDS, 5, "size"), 3, "i: no uint has 3 bytes"),
    ((*FIELDS, 5, "bits"), 33, "i: has 33 bits of 32"),
    ((*G, "structs", "o", "size"), 8, "o: is declared alone, and has a size"),
    ((*FIELDS, 1, "offset"), 4, "c: lies over a, and both are of no union"),
    ((*FIELDS, 3, "offset"), 17, "f: lies over d"),
    ((*FIELDS, 4, "offset"), 31, "h: lies over f"),
    ((*G, "macros", "N", "text"), "N", "N: stands for itself"),
)
# An item more, and where and in which words it is refused.
MORE: tuple[tuple[Path, str, Any, Path, str], ...] = (
    ((*G, "calls", "c", "params"), "", ["int", "x"], (*G, "calls", "c", "params", 1), "x: a parameter of this name is there before"),
    (("groups", "k", "calls"), "c", {"header": "k.h", "kind": "extern", "result": "int"}, ("groups", "k", "calls", "c"), "c: group g has it as well"),
    (("groups", "k", "structs"), "s", {"header": "k.h", "size": 0}, ("groups", "k", "structs", "s"), "s: group g has it as well"),
    (("groups", "k", "enums"), "e", {"header": "k.h", "values": {"X": 1}}, ("groups", "k", "enums", "e"), "e: group g has it as well"),
    ((*G, "enums", "e", "values"), "ONE", 1, (*G, "enums", "(ONE)", "values", "ONE"), "ONE: enum e has it as well"),
    (FIELDS, "", {"name": "j", "type": "union u", "kind": "record", "offset": 40, "size": 4, "ref": "u"}, (*FIELDS, 6, "size"), "j: has 4 bytes, and u 8"),
    (FIELDS, "", {"name": "j", "type": "union u[2]", "kind": "record", "offset": 40, "size": 8, "ref": "u", "count": 2}, (*FIELDS, 6, "size"), "j: has 8 bytes, and u 2 times 8"),
    (FIELDS, "", {"name": "j", "type": "struct u", "kind": "record", "offset": 40, "size": 8, "ref": "u"}, (*FIELDS, 6, "type"), "j: is of type struct u, and u is no struct but union u"),
    *((FIELDS, "", {"name": "j", "kind": "pointer", "offset": 40, "size": 8, **more}, (*FIELDS, 6, *at), f"j: {words}")
      for more, at, words in (
          ({"type": "struct s *", "ref": "o", "target": "record"}, ["ref"], "refers to o, and is of type struct s *"),
          ({"type": "struct o *", "target": "record"}, [], "refers to nothing, and is of type struct o *"),
          ({"type": "char *", "ref": "o", "target": "char"}, ["ref"], "refers to struct o, and char * is of kind char"),
          ({"type": "to_e", "ref": "o", "target": "enum"}, ["ref"], "refers to struct o, and to_e is of kind enum"),
          ({"type": "struct o *", "ref": "o", "target": "record", "count": 1}, ["count"], "has a count of 1, and is of type struct o *"),
          ({"type": "struct o *[1]", "ref": "o", "target": "record"}, [], "has a count of none, and is of type struct o *[1]"))),
    *((FIELDS, "", {"name": "j", "type": of, "kind": "pointer", "offset": 40, "size": 8, **target}, (*FIELDS, 6, "target" if wrong else "kind"), f"j: {words}")
      for of, target, wrong, words in (
          ("void *", {"target": "char"}, True, "points to what is of kind char, and void * to one of kind void"),
          ("const char *", {}, False, "points to what is of kind none, and const char * to one of kind char"),
          ("int (*)(char *)", {"target": "int"}, False, "is of kind pointer, and int (*)(char *) of kind function"),
          ("__be64", {}, False, "is of kind pointer, and __be64 of kind uint"),
          ("struct o", {"ref": "o"}, False, "is of kind pointer, and struct o of kind record"))),
    ((*FIELDS, 0, "fields"), "", {"name": "j", "type": "__u64", "kind": "uint", "offset": 0, "size": 16}, (*FIELDS, 0, "fields", 1, "size"), "j: no uint has 16"),
    (("groups", "k", "enums"), "f", {"header": "k.h", "values": {"goto": 1}}, ("groups", "k", "enums", "f", "values", "goto"), "goto: is a word of C"),
    (("groups", "k", "calls"), "goto", {"header": "k.h", "kind": "extern", "result": "int"}, ("groups", "k", "calls", "goto"), "goto: is a word of C"),
)
NAMES = ("", "1e", "e f", "e-f", "e;", "é", "(e", "e)", "()", "e\n", "#define")


def wrong() -> Iterator[Damage]:
    """What is refused, whoever reads the schema, or by how its parts fit together."""
    for path, value, words in WRONG:
        yield Damage(f"{path}: {value!r}", changed(path, value), path, words)
    for path, name, item, at_fault, words in MORE:
        before = at(WHOLE, path)
        yield Damage(f"{path}: {name} {item}", changed(path, {**before, name: item} if name else [*before, item]), at_fault, words)
    for item, words in ((["int"], "has 1 items"), (["int", "x", "y"], "has 3 items"), ("int x", "'int x': must be a list")):
        path = (*G, "calls", "c", "params")
        yield Damage(f"{path}: {item}", changed(path, [item]), (*path, 0), f"params.0: {words}")
    for kind in ("enums", "structs", "calls", "macros"):
        for name in NAMES:
            path = (*G, kind, next(iter(WHOLE["groups"]["g"][kind])))
            yield Damage(f"{path}: {name!r}", renamed(path, name), (*path[:-1], name), "must be ")
    for path, _ in parts(WHOLE):
        if path and path[-1] in REQUIRED and "values" not in path[:-1]:
            yield Damage(f"{path}: missing", without(path), path[:-1], f"lacks {path[-1]}" if path != ("format",) else "not a facts file")
        if path and isinstance(path[-1], str) and path[-1].islower() and len(path[-1]) > 1 and path != ("format",):
            yield Damage(f"{path}: misspelt", renamed(path, f"{path[-1]}x"), (*path[:-1], f"{path[-1]}x"), f"{path[-1]}x: no such key")


def text(data: Any) -> str:
    """A line a thing, so that lines of messages can be told apart."""
    return json.dumps(data, indent=1)


def line(whole: str, path: Path) -> int:
    """Of what a path leads to, in text() of facts: found anew, by the indentation."""
    lines, number = whole.split("\n"), 0
    for depth, key in enumerate(path, 1):
        head = " " * depth
        if isinstance(key, int):
            starts = [n for n in range(number + 1, len(lines)) if lines[n].startswith(head) and not lines[n].startswith(head + " ")
                      and lines[n].strip() not in ("}", "},", "]", "],")]
            number = starts[key]
        else:
            wanted = f"{head}{json.dumps(key)}: "
            number = next(n for n in range(number + 1, len(lines)) if lines[n].startswith(wanted))
    return number + 1
