# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""Files of header groups with one thing wrong: the text, the line, and words of what is said."""

from __future__ import annotations

WHOLE = {
    "headers": '["acme.h", "more.h"]', "library": '"libacme.so.1"', "package": '"libacme1"', "errors": '"minus-one"', "first": "44", "until": "65", "newer": '{ "more.h" = 60 }', "older": '{ "more.h" = 62 }', "wants": '["acme_attr"]',
    "prefix": '"acme_"', "word": '"acme"', "provider": '"libacme"',
}
LINE = {key: number for number, key in enumerate(WHOLE, 3)}
# What a value must be of, and others that it may not be.
MUST = {"headers": "a list of headers", "library": "the soname of a library", "package": "the name of a package", "errors": "a convention",
        "first": "a release of rdma-core", "until": "the last release that has the headers", "newer": "the first release for each of some headers", "older": "the last release for each of some headers", "wants": "a list of structures", "prefix": "what the names of its functions begin with",
        "word": "what the names of its kinds begin with", "provider": "the name of a provider's library"}
OTHERS = ("true", "1.5", "7", '""', '"x"', "[]", "[7]", "{}", "{ a = 1 }", "1979-05-27")
# A value of the right type that makes no sense, and what is said of it.
NONSENSE = (
    ("headers", '["acme.h", "acme.h"]', "acme.h: is in acme as well"), ("headers", '["/usr/include/acme.h"]', "must be a header as #include names it"),
    ("headers", '["../acme.h"]', "must be a header"), ("headers", '["acme h"]', "must be a header"), ("headers", '["acme.h\\"\\n"]', "which no text here may have"),
    ("package", '"lib\\"acme"', "must be the name of a package, without quotes"), ("package", '"lib\\\\acme"', "must be the name of a package, without quotes"),
    ("library", '"acme"', "must be the soname of a library"), ("library", '"libacme.a"', "must be the soname of a library"),
    ("library", '".so.1"', "must be the soname of a library"), ("library", '"/lib/libacme.so.1"', "must be the soname of a library"),
    ("library", '"lib acme.so.1"', "must be the soname of a library"), ("errors", '"minus one"', "minus one: must be a convention of gen/lore/calls.toml that an int can have\n  did you mean minus-one?"),
    ("errors", '"null"', "null: must be a convention of gen/lore/calls.toml that an int can have\n  known: minus-one, errno-returned, negative-errno, count, own, none"),
    ("first", "0", "must be a release"), ("first", "-44", "must be a release"), ("first", "4400", "4400: must be a release of rdma-core, from 1 to 999"), ("until", "0", "must be the last release"), ("until", "43", "43 is before 44"), ("wants", '["acme attr"]', "must be"),
    ("newer", '{ "acme.h" = 60 }', "acme.h: is none of the headers behind the first\n  of the first"), ("newer", '{ "moer.h" = 60 }', "did you mean more.h?"),
    ("newer", '{ "more.h" = 0 }', "must be the first release that has a header"), ("newer", '{ "/more.h" = 60 }', "must be a header of the group"),
    ("older", '{ "acme.h" = 62 }', "acme.h: is none of the headers behind the first\n  of the first, and so of the group, tell it by: until"), ("older", '{ "moer.h" = 62 }', "did you mean more.h?"),
    ("older", '{ "more.h" = 59 }', "older: more.h: 59 is before 60, the first that has it"), ("older", '{ "more.h" = 65 }', "65 is not before 65, the last that has any"),
    ("older", '{ "more.h" = 0 }', "must be the last release that has a header"), ("older", '{ "/more.h" = 62 }', "must be a header of the group"),
    ("prefix", '"acme-"', "must be what the names"), ("word", '"Acme x"', "must be what the names"), ("provider", '"acme"', "must be the name of a provider"),
)


LAST = 7  # the line of the last key of a group that has its headers, library, package, errors and wants beside


def text(**changed: str) -> str:
    """A group with other values, or without a key whose value is empty."""
    return "[group.acme]\n# one\n" + "".join(f"{key} = {value}\n" for key, value in {**WHOLE, **changed}.items() if value)


def _wrong() -> list[tuple[str, int, str]]:
    out = [(text(**{key: value}), LINE[key], words) for key, value, words in NONSENSE]
    for key, whole in WHOLE.items():
        others = [o for o in OTHERS if type_of(o) != type_of(whole) or o in ('""', "[7]", "[]") and not (o == "[]" and key == "wants")]
        out += [(text(**{key: other}), LINE[key], f"acme: {key}: " + ("must be" if other == "[7]" else "says nothing" if other == "[]" and whole[0] == "[" else f"must be {MUST[key]}"))
            for other in others]
        out.append((text().replace(f"\n{key} =", f"\n{key}x ="), LINE[key], f"{key}x: no such key\n  did you mean {key}?"))
        out.append((text() + f"{key} = {whole}\n", 3 + len(WHOLE), f"not TOML: {key}: stands here twice"))
    out += [(text(**{key: ""}), 1, f"acme: lacks {key}") for key in ("headers", "library")]
    return out


def type_of(value: str) -> str:
    return {'"': "text", "[": "list", "{": "table"}.get(value[0], "number" if value.isdigit() else value)


WRONG: tuple[tuple[str, int, str], ...] = (
    *_wrong(),
    (text() + text().replace("acme]", "other]"), 3 + len(WHOLE) + 2, "acme.h: is in acme as well"),
    *((text() + text(headers='["b.h"]', first="", until="", newer="", older="", **{k: "" for k in ("prefix", "word", "provider") if k != key}).replace("acme]", "other]"),
       3 + len(WHOLE) + LAST, f"other: {key}: {value}: is that of acme as well")
      for key, value in (("prefix", "acme_"), ("word", "acme"), ("provider", "libacme"))),
    ('[unread]\n"acme.h" = "why"\n' + text(), 2, "acme.h: is read, as a header of group.acme"),
    (text().replace("acme]", '"a b"]'), 1, "'a b': must be a name"),
    ("", 0, "no header group in this file"),
    ("x = 1\n", 1, "x: this file has [group.NAME] and [unread] alone"),
    ("[groups.acme]\n", 1, "groups: this file has [group.NAME] and [unread] alone"),
    ("group = 1\n", 1, "no header group in this file"),
    ("[group]\n", 1, "no header group in this file"),
    ("[group]\nacme = 3\n", 2, "acme: a header group is a table"),
    ("[group.acme]\n", 1, "acme: says nothing"),
    ("[[group.acme]]\n", 1, "acme: a header group is a table"),
)
