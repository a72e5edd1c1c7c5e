# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""What is read of hand-written headers: functions with the first sentence of their comments, and init structures."""

from __future__ import annotations

import re
import unittest
from contextlib import redirect_stderr
from io import StringIO
from pathlib import Path
from unittest import mock

from gen.__main__ import main
from gen.api import own
from gen.api.own import OwnFunction, OwnHeaders, OwnMember
from gen.write.pages import Pages
from tests.gen.project import ROOT, InFolder

HEADER = """\
/**
 * @file
 * Boxes.
 */

/** What a new box is to be like. */
struct vx_box_init {
	void *addr;	/**< where it is, or
			     NULL */
	const struct vx_lid *const *lids;
	size_t count;	/**< of them */
};

/**
 * Make a box. It is empty.
 *
 * @param parent  where it stands
 * @return 0, or a negative errno
 *
 * Thread-safe. Stands for ibv_make_box(3) and ibv_close_box(3).
 */
VX_EXPORT int vx_box_create(struct vx_room *parent, const struct vx_box_init *init,
			    struct vx_box **out);

/** Its size, in bytes; 0 of none */
static inline size_t vx_box_size(const struct vx_box *box)
{
	return 0;
}

/** A box out of a letter: the letter is lost. */
VX_EXPORT int vx_box_create_from_letter(struct vx_room *parent, char text[], struct vx_box **out);
"""


BY_VALUE = re.compile(r"(?:const )?struct ((?!vx_)\w+) \w+(?:\[\w*\])?")


class Written(unittest.TestCase):
    """The structures of the headers that there are."""

    def test_nothing_that_rdma_core_may_let_grow_lies_in_them(self) -> None:
        held = {(s.name, found[1]) for s in own.headers().structs for found in map(BY_VALUE.fullmatch, s.members) if found}
        self.assertEqual(held, {("vx_async_event", "ibv_async_event")})  # which cannot grow: rdma-core fills a program's, and is told no size


class Read(InFolder):
    def read(self) -> OwnHeaders:
        self.put("box.h", HEADER)
        return own.read(self.folder)

    def test_the_first_sentence_and_what_it_stands_for(self) -> None:
        self.assertEqual(self.read().functions[0],
                         OwnFunction("box.h", "vx_box_create", ["parent", "init", "out"],
                                     "ibv_make_box(3) and ibv_close_box(3)", "Make a box."))

    def test_a_method_goes_without_its_handle(self) -> None:
        self.assertEqual(self.read().functions[1], OwnFunction("box.h", "vx_box_size", [], "", "Its size, in bytes; 0 of none"))

    def test_what_every_kind_has_is_left_out(self) -> None:
        self.assertEqual([f.name for f in self.read().of_kind("box")], ["vx_box_size", "vx_box_create_from_letter"])

    def test_members_of_init_structures(self) -> None:
        self.assertEqual(self.read().inits["box"], [OwnMember("void *addr", "where it is, or NULL"),
                                                    OwnMember("const struct vx_lid *const *lids", ""),
                                                    OwnMember("size_t count", "of them")])

    def test_no_exported_function_is_missed(self) -> None:
        exported = re.compile(r"^VX_EXPORT [^;{]*?\b(vx_\w+)\(", re.MULTILINE)
        declared = [name.removesuffix("_sized") for path in Path(own.HEADERS).glob("*.h") for name in exported.findall(path.read_text())]
        self.assertGreater(len(declared), 50)
        self.assertEqual(sorted(set(declared) - {f.name for f in own.headers().functions}), [])

    def test_no_type_has_the_name_of_a_function(self) -> None:
        """Which C++ would take for the function, where a type is named without its keyword."""
        headers = [p.read_text() for folder in (own.HEADERS, ROOT / "generated/include/verbsx") for p in folder.glob("*.h")]
        types = {name for text in headers for name in re.findall(r"^(?:struct|union|enum) (vx_\w+)(?: \{|;)$", text, re.MULTILINE)}
        functions = {name for text in headers for name in re.findall(r"^(?:VX_EXPORT|static inline|inline|#define)\b[^;{(]*?\b(vx_\w+)\(", text, re.MULTILINE)}
        self.assertGreater(len(types), 50)
        self.assertGreater(len(functions), 500)
        self.assertEqual(types & functions, set())

    def test_a_value_that_is_no_number_is_told_with_its_line(self) -> None:
        path = self.put("more/more.h", "enum vx_more {\n\tVX_ONE,\n\tVX_TWO = sizeof(int),\n};\n")
        self.assertIn(f"{path}:3: enum vx_more: sizeof(int): no number", self.fails(lambda: own.read(path.parent)))

    def test_a_run_reads_them_once(self) -> None:
        """One for which no page is kept: another has no use for them."""
        own.headers.cache_clear()
        with mock.patch.object(own, "read", wraps=own.read) as read, redirect_stderr(StringIO()), \
                mock.patch.object(own, "kept", lambda _name, _parts, make, _code: make()), \
                mock.patch.object(Pages, "has", lambda _self, _what, _key: False):
            self.assertEqual(main(["emit", "--quiet", "--output", str(self.folder / "out")]), 0)
        read.assert_called_once_with(own.HEADERS)


if __name__ == "__main__":
    unittest.main()
