# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""Each exported function of an object that can fail is tortured: tests/torture/objects makes what it asks for fail."""

from __future__ import annotations

import re
import unittest
from pathlib import Path

from tests.gen.test_called import WORD, code, exported

TORTURE = Path(__file__).parents[1] / "torture/objects"
ADOPTING = re.compile(r"\bADOPTING\((\w+),")  # makes vx_KIND_adopt() of its first argument

# Those that ask nobody for anything.
CANNOT_FAIL = {
    "vx_buf_addr": "reads the handle",
    "vx_buf_length": "reads the handle",
    "vx_cq_ex": "reads the handle",
    "vx_mr_mapped": "reads the handle",
    "vx_mr_memory": "reads the handle",
    "vx_qp_ex": "reads the QP",
    "vx_qp_query_data_in_order": "rdma-core's answer has no errors",
}
# Those that another one does all of.
WITHIN = {"vx_ctx_open_device": "vx_ctx_open"}


def tortured() -> set[str]:
    """The functions that the sources of the torture name."""
    text = "\n".join(code(path.read_text()) for path in sorted(TORTURE.glob("*.c")))
    return {*WORD.findall(text), *(f"vx_{kind}_adopt" for kind in ADOPTING.findall(text))}


def alike(names: set[str]) -> set[str]:
    """The same of those that are borrowed: by the code that adopts, which asks for no more."""
    return {name.removesuffix("_adopt") + "_borrow" for name in names if name.endswith("_adopt")}


class Tortured(unittest.TestCase):
    def test_each_function_that_can_fail(self) -> None:
        self.assertEqual(sorted(exported() - tortured() - alike(tortured()) - CANNOT_FAIL.keys() - WITHIN.keys()), [])

    def test_what_is_excused_is_there_and_not_tortured(self) -> None:
        excused = CANNOT_FAIL.keys() | WITHIN.keys()
        self.assertEqual(sorted(excused - exported()), [])
        self.assertEqual(sorted(excused & tortured()), [])
        self.assertLessEqual(set(WITHIN.values()), tortured())


if __name__ == "__main__":
    unittest.main()
