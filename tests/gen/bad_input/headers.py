# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""Headers with one thing wrong: cut, with stray bytes, with what does not parse; by line."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

WHOLE = """\
/* A header that has some of everything. */
#ifndef ACME_H
#define ACME_H

#include <stddef.h>

#define ACME_MOST 8
#define ACME_NAME "acme"

enum acme_mode {
	ACME_SLOW,
	ACME_FAST = 4,
};

struct acme_attr {
	unsigned int mode; /* of enum acme_mode */
	void *data;
	struct {
		int n;
	} inner;
};

struct acme_box *acme_open(struct acme_attr *attr, size_t size);

static inline int acme_is_fast(const struct acme_attr *attr)
{
	return attr->mode == ACME_FAST;
}
#endif
"""
LINES = WHOLE.split("\n")[:-1]
DECLARED = [n for n, line in enumerate(LINES) if line == "" and "stddef" not in LINES[n + 1]]  # here a declaration may stand


class Damage(NamedTuple):
    name: str
    data: bytes
    line: int = 0  # 0: whichever
    words: str = ""


def _with(line: int, text: str | bytes) -> bytes:
    """With another line before the one that has this place."""
    added = text if isinstance(text, bytes) else text.encode()
    lines = [line.encode() for line in LINES]
    return b"\n".join([*lines[:line], added, *lines[line:], b""])


def cut() -> Iterator[Damage]:
    """Behind each line, and in the middle of each: the include guard stays open, at the least."""
    for number in range(1, len(LINES)):
        yield Damage(f"cut behind line {number}", "\n".join(LINES[:number]).encode())
        yield Damage(f"cut within line {number}", "\n".join([*LINES[:number - 1], LINES[number - 1][:len(LINES[number - 1]) // 2]]).encode())


def no_text() -> Iterator[Damage]:
    """Bytes that no text has, before each line."""
    for number in range(1, len(LINES)):
        for stray, words in ((b"\xff", "not UTF-8 text: the byte 0xff"), (b"/* M\xfcller */ \xe4", "not UTF-8 text: the byte 0xe4"),
                             (b'#define ACME_X "M\xfcller /*" // M\xfcller', "not UTF-8 text: the byte 0xfc"),
                             (b"\0", "not text: a byte 0"), (b"\xc3", "not UTF-8 text")):
            yield Damage(f"{stray!r} before line {number + 1}", _with(number, stray), number + 1, words)
    for name in ("utf-16", "utf-16-le", "utf-16-be", "utf-32"):
        yield Damage(name, WHOLE.encode(name), 1, "not ")
    yield Damage("random bytes", bytes(range(256)) * 16, 0, "not ")
    yield Damage("an object file", b"\x7fELF\x02\x01\x01" + b"\0" * 64, 1, "not text: a byte 0")


def no_c() -> Iterator[Damage]:
    """What does not parse, at each place where a declaration may stand."""
    for line in DECLARED:
        for text, words in (("#error not for you", "not for you"), ("#include <acme/gone.h>", "'acme/gone.h' file not found"),
                            ("gone_t acme_gone(void);", "unknown type name 'gone_t'"), ("@", ""), ("struct acme_x { int n;", ""), ("}", ""),
                            ('"acme', ""), ("/* for ever", ""), ("#if 1", "unterminated"), ("#endif", ""), ("struct acme_x { gone_t n; };", "gone_t"),
                            ("enum acme_x { ACME_X = GONE };", "GONE"),
                            ("int gr\xf6\xdfe(void);", "gr\xf6\xdfe: a name that is not ASCII"), ("#define GR\xd6SSE 1", "GR\xd6SSE: a name that is not ASCII"),
                            ("struct acme_huge { char a[3000000000UL]; };", "acme_huge: has 3000000000 bytes, and facts have room for 2147483647"),
                            ("int acme_a$b(void);", ""), ("static inline int acme_x(void) { return 0;", "the function that begins here is never closed"), ("struct acme_attr { int other; };", "redefinition")):
            exact = line + 1 if words.endswith("not ASCII") or words.startswith("acme_huge") or words in ("the function that begins here is never closed", "not for you", "gone_t", "GONE") or words.startswith("'acme/") else 0
            yield Damage(f"{text} before line {line + 1}", _with(line, text), exact, words)


def nothing() -> Iterator[Damage]:
    for name, text in (("", ""), ("spaces", " \n\t\n"), ("a comment", "/* nothing */\n"), ("a licence", "// SPDX-License-Identifier: GPL-2.0\n\n")):
        yield Damage(f"nothing but {name or 'nothing'}", text.encode(), 1, "has nothing in it")
    yield Damage("another header", b"struct other { int n; };\n", 0, "struct acme_attr is not in these headers")
    yield Damage("only declared", b"struct acme_attr;\n", 0, "struct acme_attr is not in these headers")


def endless() -> Iterator[Damage]:
    """Headers that include themselves, as nothing guards them: with so much in them that the compiler has a million things to say."""
    much = "".join(f"struct acme_{n} {{ int n; }};\nint acme_f{n}(void);\n" for n in range(500))
    for name in ("acme.h", "mutual.h"):
        yield Damage(f"{name} includes acme.h", f'#include "{name}"\n{much}'.encode(), 1, "nested too deeply\n  it includes itself")


# What is fine: the byte order mark that compilers take, other line ends, letters of comments, in Latin-1 as well.
FINE = (WHOLE.replace("everything", "Müller's").encode("latin-1"), WHOLE.replace("of enum", "für enum").encode("latin-1"), WHOLE.rstrip("\n").encode("utf-8-sig") + b" // M\xfcller", WHOLE.encode("utf-8-sig"), WHOLE.replace("\n", "\r\n").encode(), WHOLE.replace("everything", "Müller's").encode(), WHOLE.rstrip("\n").encode())
