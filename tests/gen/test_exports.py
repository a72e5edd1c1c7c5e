# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""The versions of exported functions: from the headers and a table, into the map of the linker and verbsx/have.h."""

from __future__ import annotations

from unittest import mock

from gen.promise import entire, exports
from gen.write.filled import page
from gen.write.render import TEMPLATES
from gen.write.templating import environment
from tests.gen.project import ROOT, InFolder

HEADER = """\
VX_EXPORT int vx_thing_open_sized(const char *name,
				  size_t size);
static inline int vx_thing_open(const char *name)
{
	return vx_thing_open_sized(name, vx_not_declared(name));
}
VX_EXPORT VX_CONST const struct vx_thing *vx_thing_get(void);
"""


class Exports(InFolder):
    def plan(self, table: str) -> exports.Exports:
        with mock.patch.object(exports.own, "HEADERS", self.folder / "none"):
            return exports.plan({"include/verbsx/thing.h": HEADER, "src/other.c": "VX_EXPORT int vx_no(void);"},
                                self.put("functions.toml", table + entire.END))

    def test_what_has_no_version_is_of_the_one_that_is_worked_on(self) -> None:
        planned = self.plan('now = "0.10"\n[since]\nvx_thing_get = "0.9"\n')
        self.assertEqual(list(planned.versions.items()), [("0.9", ["vx_thing_get"]), ("0.10", ["vx_thing_open_sized"])])

    def test_programs_ask_for_the_function_that_they_call(self) -> None:
        self.assertEqual(self.plan('now = "0.1"\n').public, ["vx_thing_get", "vx_thing_open"])

    def test_what_was_released_stays(self) -> None:
        said = self.fails(lambda: self.plan('now = "0.2"\n[since]\nvx_gone = "0.1"\n'))
        self.assertIn("vx_gone: exported since 0.1, and is no more", said)

    def test_what_was_not_released_may_go(self) -> None:
        planned = self.plan('now = "0.2"\n[since]\nvx_gone = "0.2"\nvx_thing_get = "0.1"\n')
        self.assertNotIn("vx_gone", exports.text(planned))
        self.assertIn('vx_thing_get = "0.1"\nvx_thing_open_sized = "0.2"\n', exports.text(planned))

    def test_a_map_has_a_node_for_each_version_and_hides_the_rest(self) -> None:
        planned = self.plan('now = "0.10"\n[since]\nvx_thing_get = "0.9"\n')
        text = page(environment(TEMPLATES), TEMPLATES, "src/_libverbsx.map.j2", exports=planned)
        self.assertEqual(" ".join(text.split("*/")[-1].split()),
                         "VERBSX_0.9 { global: vx_thing_get; local: *; }; "
                         "VERBSX_0.10 { global: vx_thing_open_sized; } VERBSX_0.9;")

    def test_the_versions_are_those_of_the_project(self) -> None:
        self.assertIn(f"VERSION {exports.load()[0]}.", (ROOT / "CMakeLists.txt").read_text())
