# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""What the public headers say of what they declare, as tools that explain have it."""

from __future__ import annotations

import re
import subprocess
import unittest
from pathlib import Path
from unittest import mock

from gen.promise import exports
from gen.write import documented
from gen.write.documented import Documented

PROJECT = Path(__file__).parents[2]
PLACED = re.compile(r"^\t(VX_MLX5_\w+) = \w+, /\* (VX_MLX5_FIELD\((.*)\)) \*/$", re.MULTILINE)
MAILBOX = re.compile(r'^OWN\("enumerator", "(\w+)", "verbsx/mlx5_prm.h", "enum vx_mlx5_\w+", "(0x[0-9a-f]+): ([^"]+)"', re.MULTILINE)
NUMBERED = re.compile(r"^\t(VX_MLX5_\w+) = ", re.MULTILINE)
HEADER = """\
/** @file Things. */

/**
 * Open a thing,
 * or two.
 *
 * @param name   what it is called; up to
 *               @p len letters
 * @param flags  0
 * @return 0 or a negative errno
 *
 * Thread-safe.
 */
VX_EXPORT int vx_thing_open(const char *name,
\tint flags);

/** What it is like. */
struct vx_thing_init {
\t/** how wide,
\t * in bytes */
\tuint32_t width[4];
\tconst char *name;	/**< what it is called */
};

/** Ways. */
enum vx_way {
\tVX_FAST = 1 << 0,	/**< without checks */
\t/** with all
\t * of them */
\tVX_SAFE,
};

/** The largest. */
#define VX_MOST 4

/** Bigger of both. */
#ifdef __cplusplus
#define VX_BIGGER(a, b) vx_bigger(a, b)
#endif

VX_EXPORT int vx_thing_quiet(void);
"""


class InHeaders(unittest.TestCase):
    items: dict[str, Documented]

    @classmethod
    def setUpClass(cls) -> None:
        with mock.patch.object(documented.own, "HEADERS", Path("none")):
            cls.items = {x.name: x for x in documented.in_headers({"include/verbsx/thing.h": HEADER, "src/thing.c": HEADER})}

    def test_a_function_with_what_it_takes_and_returns(self) -> None:
        self.assertEqual(self.items["vx_thing_open"], Documented(
            "function", "vx_thing_open", "verbsx/thing.h", "int vx_thing_open(const char *name, int flags)",
            "Open a thing, or two. Thread-safe.", "name: what it is called; up to len letters; flags: 0", "0 or a negative errno"))

    def test_the_fields_of_a_structure_whatever_side_their_words_are_on(self) -> None:
        self.assertEqual(self.items["vx_thing_init"].kind, "struct")
        self.assertEqual(self.items["vx_thing_init.width"].says, "how wide, in bytes")
        self.assertEqual(self.items["vx_thing_init.name"].says, "what it is called")
        self.assertEqual(self.items["vx_thing_init.name"].declared, "const char *name")

    def test_enumerators(self) -> None:
        self.assertEqual((self.items["VX_FAST"].says, self.items["VX_SAFE"].says), ("without checks", "with all of them"))
        self.assertEqual(self.items["VX_FAST"].declared, "enum vx_way")

    def test_macros_with_and_without_arguments(self) -> None:
        self.assertEqual(self.items["VX_MOST"].says, "The largest.")
        self.assertEqual(self.items["VX_BIGGER"].declared, "VX_BIGGER(a, b)")

    def test_what_has_no_comment_is_not_there(self) -> None:
        self.assertNotIn("vx_thing_quiet", self.items)


class Everything(unittest.TestCase):
    def test_each_public_function_is_there(self) -> None:
        generated = PROJECT / "generated"
        files = {path.relative_to(generated).as_posix(): path.read_text() for path in generated.glob("include/verbsx/*.h")}
        names = {x.name for x in documented.in_headers(files)}
        self.assertEqual([name for name in exports.declared(files)[1] if name not in names], [])

    def test_each_number_of_mailboxes_is_told(self) -> None:
        """As the compiler has it of the header, and by words, not by the number alone."""
        told = MAILBOX.findall((PROJECT / "generated/src/own_words.inc").read_text())
        header = PROJECT / "generated/include/verbsx/mlx5_prm.h"
        self.assertEqual({name for name, _, _ in told}, set(NUMBERED.findall(header.read_text())))
        self.assertEqual([name for name, _, words in told if len(words) < 10], [])
        checks = "".join(f'_Static_assert({name} == {value}, "{name}");\n' for name, value, _ in [*told, *PLACED.findall(header.read_text())])
        done = subprocess.run(["gcc", "-xc", "-fsyntax-only", f"-I{header.parents[1]}", "-"], input=f"#include <verbsx/mlx5_prm.h>\n{checks}",
                              capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
