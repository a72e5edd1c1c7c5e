# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""Each exported function of an object is used by the source of some test, in its code: comments and texts do not count."""

from __future__ import annotations

import re
import unittest
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.unit import every_gate, every_kind, every_raw

PROJECT = Path(__file__).parents[2]
OF_OBJECTS = re.compile(r"templates/include/verbsx/(objects|calls|_vendor)\.h\.j2")
RUNTIME = PROJECT / "runtime/include/verbsx"
NO_CODE = re.compile(r"/\*.*?\*/|//[^\n]*|\"(?:\\.|[^\"\\\n])*\"", re.DOTALL)
KIND = re.compile(r"^struct vx_(\w+)_init\b", re.MULTILINE)
EXPORTED = re.compile(r"^VX_EXPORT\s[^;{]*?\b(vx_\w+)\(", re.MULTILINE)
WORD = re.compile(r"\bvx_\w+")


def code(text: str) -> str:
    """C without comments and texts."""
    return NO_CODE.sub(" ", text)


@cache
def of_objects() -> list[Path]:
    """The generated headers of kinds of objects and their functions, those of vendors too."""
    return [path for path in (PROJECT / "generated/include/verbsx").glob("*.h") if OF_OBJECTS.search(path.read_text())]


@cache
def kinds() -> set[str]:
    """The kinds of objects, which the headers give an init structure; and the context, which has none."""
    headers = [*of_objects(), *RUNTIME.glob("*.h")]
    return {kind for header in headers for kind in KIND.findall(header.read_text())} | {"ctx"}


@cache
def exported() -> set[str]:
    """The functions that the public headers export for a kind; one that is told a size goes by the name programs use."""
    headers = [*of_objects(), *RUNTIME.glob("*.h")]
    names = {name.removesuffix("_sized") for header in headers for name in EXPORTED.findall(code(header.read_text()))}
    begins = tuple(f"vx_{kind}_" for kind in kinds())
    return {name for name in names if name.startswith(begins)}


def without_size(text: str) -> set[str]:
    """The names in the code, a function that is told a size by the name that programs use."""
    return {name.removesuffix("_sized") for name in WORD.findall(code(text))}


@cache
def made() -> str:
    """The tests of tests/unit that are made from the plan."""
    with TemporaryDirectory() as folder:
        kinds = Path(folder, "every_kind.c")
        every_kind.main(kinds)
        return "".join((kinds.read_text(), *every_gate.tests(), *every_raw.rows()))


@cache
def used() -> set[str]:
    """The names in the code of the tests."""
    sources = (path for path in (PROJECT / "tests").rglob("*") if path.suffix in (".c", ".cpp", ".h"))
    return without_size(made()).union(*(without_size(path.read_text()) for path in sources))


class Called(unittest.TestCase):
    def test_each_function_of_an_object_is_used_by_a_test(self) -> None:
        self.assertGreater(len(exported()), 90)
        self.assertEqual(sorted(exported() - used()), [])

    def test_comments_and_texts_are_no_use(self) -> None:
        text = '/* vx_a() */ vx_b(); // vx_c()\nputs("vx_d(\\"vx_e()");\nrun(vx_f);'
        self.assertEqual(WORD.findall(code(text)), ["vx_b", "vx_f"])

    def test_one_that_is_told_a_size_counts_as_what_programs_write(self) -> None:
        self.assertEqual(without_size("vx_a_create_sized(vx_b);"), {"vx_a_create", "vx_b"})

    def test_what_is_made_from_the_plan_counts(self) -> None:
        names = without_size(made())
        self.assertLessEqual({"vx_mlx5_dek_create", "vx_mlx5_dek_adopt", "vx_mlx5_cq_devx_query", "vx_mlx5_var_raw"}, names)


if __name__ == "__main__":
    unittest.main()
