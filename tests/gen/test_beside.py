# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""Scanning: what headers of no group declare, and the compiler's own headers."""

from __future__ import annotations

import unittest

from gen.know.groups import HeaderGroup
from gen.scan import cursors
from gen.scan.scan import compiler_headers
from tests.gen.project import OfHeaders


class Beside(OfHeaders):
    def test_what_a_header_of_no_group_declares_is_told_by_what_it_is(self) -> None:
        """Other releases may lack the header."""
        group = self.scanned('#include "more.h"\nstruct s { struct more in, *far; more_t n; more_t list[2]; struct timespec when; };\nint acme_use(more_t n, struct more *it);',
                             more="#include <time.h>\n#include <stdint.h>\nstruct more { int a; uint64_t b; };\ntypedef uint64_t more_t;\n")
        fields = {f.name: (f.type, f.ref, [part.name for part in f.fields]) for f in group.structs["s"].fields}
        self.assertEqual(fields, {"in": ("struct", "", ["a", "b"]), "far": ("struct more *", "", []), "n": ("uint64_t", "", []), "list": ("uint64_t[2]", "", []),
                                  "when": ("struct timespec", "timespec", [])})
        self.assertEqual([p.type for p in group.calls["acme_use"].params], ["uint64_t", "struct more *"])

    def test_what_is_taken_from_another_folder_keeps_its_name(self) -> None:
        """As the kernel's headers, which lie beside one of a group that does not take them."""
        self.put("kernel/more.h", "struct more { int a; };\ntypedef int more_t;\n")
        self.put("kernel/near.h", "int near;")
        self.put("acme/acme.h", '#include "../kernel/more.h"\nstruct s { struct more in; more_t n; };')
        found = self.scan_all([HeaderGroup("acme", ["acme/acme.h"], "libacme.so.1"), HeaderGroup("near", ["kernel/near.h"], "libnear.so.1")])
        self.assertEqual([(f.type, f.ref) for f in found.groups["acme"].structs["s"].fields], [("struct more", "more"), ("more_t", "")])


class Compiler(OfHeaders):
    def test_the_compilers_own_headers_are_of_the_libclang_that_reads(self) -> None:
        """Two of the same name, of two versions, hide each other."""
        for place in ("llvm-9/lib/clang/9.0.1", "llvm-14/lib/clang/14.0.6", "llvm-16/lib/clang/16"):
            (self.folder / place / "include").mkdir(parents=True)
        for version, place in (("14.0.6", "llvm-14/lib/clang/14.0.6"), ("16.0.6", "llvm-16/lib/clang/16"), ("15.0.7", "llvm-16/lib/clang/16"), ("", "llvm-16/lib/clang/16")):
            self.assertEqual(compiler_headers(version, self.folder), ["-isystem", f"{self.folder}/{place}/include"])

    def test_the_version_of_libclang_is_known(self) -> None:
        self.scanned("int a;")  # which loads it
        self.assertRegex(cursors.version(), r"^\d+\.\d+")


if __name__ == "__main__":
    unittest.main()
