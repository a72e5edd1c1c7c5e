# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""What no schema can say of facts: how their parts fit together."""

from __future__ import annotations

import re
from collections.abc import Collection

from ..fast.record import value
from ..fast.typed import Any
from .c_types import WORD, c_type, kinds
from .facts_schema import KINDS
from .schema import Mismatch

TAG = re.compile(r"\b(?:struct|union|enum) (\w+)")
UNNAMED = ("struct", "union", "enum")  # types of fields without a tag, also where they are arrays
STORED = {"auto", "extern", "inline", "register", "static", "typedef"}  # words of declarations, and of no type
KEYWORDS = STORED | set("break case char const continue default do double else enum float for goto if int long restrict return short signed sizeof "
                        "struct switch union unsigned void volatile while".split())
BRACKETS = {"(": ")", "[": "]"}
ONCE = ("enums", "structs", "calls")  # in one group alone
SIZES = {"uint": (1, 2, 4, 8), "int": (1, 2, 4, 8), "enum": (1, 2, 4, 8), "bool": (1,), "char": (1,)}


@value
class _Known:
    """What fields may refer to."""

    words: dict[str, str]  # of each tag what C has before it
    sizes: dict[str, int]  # of structures


def check(facts: dict[str, Any]) -> None:
    """Raise a Mismatch where facts, which are as their schema says, contradict themselves."""
    groups = facts["groups"]
    words = {tag: "union" if s.get("union") else "struct" for g in groups.values() for tag, s in g["structs"].items()}
    known = _Known(words | {tag: "enum" for g in groups.values() for tag in g["enums"]},
                   {tag: s["size"] for g in groups.values() for tag, s in g["structs"].items() if not s.get("opaque")})
    group_of: dict[str, str] = {}
    seen: dict[tuple[str, str], str] = {}
    enum_of: dict[str, str] = {}
    for name, group in groups.items():
        for header in group["headers"]:
            if group_of.setdefault(header, name) != name:
                raise Mismatch(f"{header}: is of group {group_of[header]} as well", "groups", name, "headers")
        for kind in KINDS:
            for item, said in group.get(kind, {}).items():
                path = ("groups", name, kind, item)
                _name(item, path)
                if kind in ONCE and not said.get("opaque") and seen.setdefault((kind, item), name) != name:
                    raise Mismatch(f"{item}: group {seen[kind, item]} has it as well", *path)
                if said["header"] not in group["headers"]:
                    raise Mismatch(f"{said['header']}: is no header of group {name}", *path, "header")
                if kind == "structs":
                    if said.get("opaque") and (said.get("fields") or said.get("size")):
                        raise Mismatch(f"{item}: is declared alone, and has a size", *path, "size")
                    _fields(said.get("fields", []), said.get("size", 0), known, path)
                    _places(said.get("fields", []), said.get("union", False), path)
                elif kind == "enums":
                    _values(said["values"], enum_of, item, path)
                    if said.get("shifts") and not are_bits(said["values"].values()):
                        raise Mismatch(f"{item}: is of shifts of 1, and its values are not", *path, "shifts")
                elif kind == "calls":
                    _call(said, path)
                elif kind == "macros":
                    _macro(item, said, path)


def _name(name: str, path: tuple[Any, ...]) -> None:
    if name in KEYWORDS:
        raise Mismatch(f"{name}: is a word of C, and no name", *path)


def _values(values: dict[str, int], enum_of: dict[str, str], enum: str, path: tuple[Any, ...]) -> None:
    for name in values:
        _name(name, (*path, "values", name))
        if enum_of.setdefault(name, enum) != enum:
            raise Mismatch(f"{name}: enum {enum_of[name]} has it as well", *path, "values", name)


def is_bit(value: int) -> bool:
    return value > 0 and value.bit_count() == 1


def are_bits(values: Collection[int]) -> bool:
    """Whether some have one bit, and all others none or several of these."""
    bits = sum({v for v in values if is_bit(v)})
    return bits > 0 and all(v & ~bits == 0 for v in values)


def _call(said: dict[str, Any], path: tuple[Any, ...]) -> None:
    _type(said["result"], (*path, "result"))
    names: set[str] = set()
    for place, (c_type, name) in enumerate(said.get("params", [])):
        here = (*path, "params", place)
        _type(c_type, here)
        _name(name, here)
        if c_type == "void" or name and name in names:
            raise Mismatch(f"{name}: a parameter of this name is there before" if c_type != "void" else "nothing is no parameter", *here)
        names.add(name)


def _type(text: str, path: tuple[Any, ...]) -> None:
    """Raise a Mismatch where a text is no type for sure."""
    open_now: list[str] = []
    for c in text:
        if c in BRACKETS:
            open_now.append(BRACKETS[c])
        elif c in BRACKETS.values() and (not open_now or open_now.pop() != c):
            open_now.append("")
            break
    if open_now or "/" in text or not WORD.match(text) or not STORED.isdisjoint(WORD.findall(text)):
        raise Mismatch(f"{text!r}: is no type", *path)


def _macro(name: str, said: dict[str, Any], path: tuple[Any, ...]) -> None:
    if ("value" in said) != (said["kind"] == "value"):
        raise Mismatch("a value goes with the kind value, and with no other", *path, "kind")
    if said["kind"] == "alias" and said.get("text") == name:
        raise Mismatch(f"{name}: stands for itself", *path, "text")


def _places(fields: list[dict[str, Any]], union: bool, path: tuple[Any, ...]) -> None:
    """Raise a Mismatch where fields lie over each other that are of no union; bit-fields share what they lie in with others."""
    for place, field in enumerate(fields):
        for before in [] if union or "bits" in field else fields[:place]:
            apart = "bits" not in before and not (field.get("union") and field.get("union") == before.get("union"))
            if apart and field["offset"] < before["offset"] + before["size"] and before["offset"] < field["offset"] + field["size"]:
                raise Mismatch(f"{field['name']}: lies over {before['name']}, and both are of no union", *path, "fields", place, "offset")
        if "fields" in field:
            _places(field["fields"], field["type"].startswith("union"), (*path, "fields", place))


def _fields(fields: list[dict[str, Any]], size: int, known: _Known, path: tuple[Any, ...]) -> None:
    seen: set[str] = set()
    for place, field in enumerate(fields):
        here = (*path, "fields", place)
        _name(field["name"], (*here, "name"))
        _type(field["type"], (*here, "type"))
        _kind(field, here)
        _size(field, here)
        if field["name"] in seen:
            raise Mismatch(f"{field['name']}: a field of this name is there before", *here, "name")
        seen.add(field["name"])
        if field["offset"] + field["size"] > size:
            raise Mismatch(f"{field['name']}: ends at byte {field['offset'] + field['size']} of {size}", *here, "offset")
        if field.get("ref", "") and field["ref"] not in known.words and field["ref"] not in TAG.findall(field["type"]):
            raise Mismatch(f"{field['name']}: refers to {field['ref']}, which nothing declares", *here, "ref")
        _refers(field, known.words, here)
        if field.get("hint", "") and known.words.get(field["hint"]) != "enum":
            raise Mismatch(f"{field['name']}: {field['hint']} is no enum", *here, "hint")
        if "fields" in field:
            _fields(field["fields"], field["size"], known, here)
        elif field["kind"] == "record" and field.get("ref") in known.sizes:
            _record(field, known.sizes[field["ref"]], here)


def _kind(field: dict[str, Any], path: tuple[Any, ...]) -> None:
    """Raise a Mismatch where the type is that of another kind, or of pointers to another."""
    text = field["type"]
    of_type = kinds(text)
    if of_type and field["kind"] not in of_type:
        raise Mismatch(f"{field['name']}: is of kind {field['kind']}, and {text} of kind {of_type[0]}", *path, "kind")
    of_target = kinds(text.removesuffix("*").strip()) if field["kind"] == "pointer" and text.endswith("*") else ()
    if of_target == ("void",):
        of_target += ("record",)  # of one without a tag, which has no other type
    if of_target and field.get("target") not in of_target:
        raise Mismatch(f"{field['name']}: points to what is of kind {field.get('target', 'none')}, and {text} to one of kind {of_target[0]}", *path,
                       "target" if "target" in field else "kind")


def _refers(field: dict[str, Any], words: dict[str, str], path: tuple[Any, ...]) -> None:
    """Raise a Mismatch where the type names a tag, or a number of elements, and the field has another, or one of another kind."""
    of, ref, text, what = field.get("target", field["kind"]), field.get("ref", ""), field["type"], c_type(field["type"])
    if ref and (of not in ("record", "enum") or ref in words and (words[ref] == "enum") != (of == "enum")):
        raise Mismatch(f"{field['name']}: refers to {f'{words[ref]} {ref}' if ref in words else ref}, and {text} is of kind {of}", *path, "ref")
    if what.word and what.name and len(what.stars) < 2 and field["kind"] != "other":
        if ref != what.name:
            raise Mismatch(f"{field['name']}: refers to {ref or 'nothing'}, and is of type {text}", *path, *(["ref"] if ref else []))
        if words.get(ref, what.word) != what.word:
            raise Mismatch(f"{field['name']}: is of type {text}, and {ref} is no {what.word} but {words[ref]} {ref}", *path, "type")
    if what.name and kinds(text) and text not in UNNAMED:
        count = int(what.array.strip("[]") or 0) if what.array else None
        if field.get("count") != count:
            raise Mismatch(f"{field['name']}: has a count of {field.get('count', 'none')}, and is of type {text}", *path, *(["count"] if "count" in field else []))


def _record(field: dict[str, Any], size: int, path: tuple[Any, ...]) -> None:
    count = field.get("count", 1)
    if field["size"] != count * size:
        several = f"{count} times " if count != 1 else ""
        raise Mismatch(f"{field['name']}: has {field['size']} bytes, and {field['ref']} {several}{size}", *path, "size")


def _size(field: dict[str, Any], path: tuple[Any, ...]) -> None:
    """Raise a Mismatch where a number is as long as none is, or has more bits than that."""
    count = field.get("count", 1)
    if count and field["size"] % count:
        raise Mismatch(f"{field['name']}: {field['size']} bytes are not {count} of one size", *path, "count")
    if count and field["kind"] in SIZES and field["size"] // count not in SIZES[field["kind"]]:
        raise Mismatch(f"{field['name']}: no {field['kind']} has {field['size'] // count} bytes", *path, "size")
    if field.get("bits", 0) > 8 * field["size"]:
        raise Mismatch(f"{field['name']}: has {field['bits']} bits of {8 * field['size']}", *path, "bits")
