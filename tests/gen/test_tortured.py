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
# Of the data path and of paths: unit tests and torture.examples let calls of theirs fail, though not each.
IN_EXAMPLES = {
    "vx_connect_many", "vx_cq_dispatch", "vx_ctx_choose_gid", "vx_ctx_explain_gids", "vx_dispatcher_add",
    "vx_dispatcher_create", "vx_dispatcher_poll", "vx_pd_drop_ahs", "vx_poller_arm", "vx_poller_create",
    "vx_poller_fd", "vx_poller_poll", "vx_poller_wake", "vx_pool_at", "vx_pool_done", "vx_pool_get", "vx_pool_left",
    "vx_pool_mr", "vx_pool_post_recv", "vx_pool_post_srq_recv", "vx_pool_put", "vx_pool_sge", "vx_pool_wr_id",
    "vx_qp_drain", "vx_qp_reset", "vx_qp_to_err", "vx_qp_to_init", "vx_qp_to_rtr", "vx_qp_to_rts",
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
        self.assertEqual(sorted(exported() - tortured() - alike(tortured()) - CANNOT_FAIL.keys() - WITHIN.keys() - IN_EXAMPLES), [])

    def test_what_is_excused_is_there_and_not_tortured(self) -> None:
        excused = CANNOT_FAIL.keys() | WITHIN.keys() | IN_EXAMPLES
        self.assertEqual(sorted(excused - exported()), [])
        self.assertEqual(sorted(excused & tortured()), [])
        self.assertLessEqual(set(WITHIN.values()), tortured())


if __name__ == "__main__":
    unittest.main()
