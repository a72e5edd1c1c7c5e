# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""Each exported function of an object that can fail is tortured: tests/torture/objects makes what it asks for fail."""

from __future__ import annotations

import re
import unittest
from functools import cache
from pathlib import Path

from gen.know import groups
from tests.gen.test_called import WORD, code, exported

TORTURE = Path(__file__).parents[1] / "torture/objects"
EXAMPLES = Path(__file__).parents[2] / "examples"
ADOPTING = re.compile(r"\bADOPTING\((\w+),")  # makes vx_KIND_adopt() of its first argument

# Those that ask nobody for anything.
CANNOT_FAIL = {
    "vx_cm_client_answer": "reads the client",
    "vx_cm_client_id": "reads the client",
    "vx_cm_client_qp": "reads the client",
    "vx_cm_id_get_dst_port": "reads the id",
    "vx_cm_id_get_src_port": "reads the id",
    "vx_cm_server_count": "reads the server",
    "vx_cm_server_wake": "has no code to return",
    "vx_buf_addr": "reads the handle",
    "vx_buf_length": "reads the handle",
    "vx_cq_ex": "reads the handle",
    "vx_handshake_events": "reads the handshake",
    "vx_handshake_left_ms": "reads the handshake, and the clock",
    "vx_handshake_peer": "reads the handshake",
    "vx_mlx5_dr_domain_allow_duplicate_rules": "rdma-core returns nothing; who has no such device is told: tests/unit/every_gate.py",
    "vx_mlx5_dr_domain_set_reclaim_device_memory": "rdma-core returns nothing; who has no such device is told: tests/unit/every_gate.py",
    **dict.fromkeys(("vx_mlx5_cq_view", "vx_mlx5_devx_obj_view", "vx_mlx5_dm_view", "vx_mlx5_qp_view", "vx_mlx5_wq_view"), "libmlx5 reads the object"),
    "vx_mlx5_qpn_qpn": "reads the handle",
    "vx_mr_mapped": "reads the handle",
    "vx_mr_memory": "reads the handle",
    "vx_mr_sge": "reads the handle",
    "vx_poller_fd": "reads the poller",
    "vx_poller_wake": "has no code to return",
    "vx_pool_at": "reads the pool",
    "vx_pool_get": "takes from the pool, and asks nobody",
    "vx_pool_left": "reads the pool",
    "vx_pool_mr": "reads the pool",
    "vx_pool_put": "gives to the pool, and asks nobody",
    "vx_pool_sge": "reads the pool",
    "vx_pool_wr_id": "reads the pool",
    "vx_qp_ex": "reads the QP",
    "vx_qp_query_data_in_order": "rdma-core's answer has no errors",
}
# Those whose failures are no calls into the kernel and no allocations, and where each of them is tried.
BY_QUEUES_AND_PEERS = {
    "vx_connect_many": "what the peer does, byte by byte: tests/unit/handshake/connect.c",
    "vx_cq_dispatch": "a CQ that cannot be read: tests/unit/poll/dispatcher.c",
    "vx_dispatcher_tell": "nothing but what is no dispatcher: tests/unit/poll/dispatcher.c",
    "vx_dispatcher_poll": "a CQ that cannot be read: tests/unit/poll/dispatcher.c",
    "vx_poller_arm": "a CQ that cannot be armed: tests/unit/poll/poller.c",
    "vx_poller_poll": "a CQ, a channel or a device that ends: tests/unit/poll/poller.c",
    "vx_pool_done": "a queue that is full or in error: tests/unit/poll/pool.c",
    "vx_pool_post_recv": "a queue that is full or in error: tests/unit/poll/pool.c",
    "vx_pool_post_srq_recv": "a queue that is full or in error: tests/unit/poll/pool.c",
    "vx_pool_take_back": "a QP that is not in RESET: tests/unit/poll/pool.c",
}
# Those that wait for a peer, which would fail as well: where each call and allocation of a whole program fails, of both sides.
BY_EXAMPLES = {
    "vx_cm_client_connect": "51-cm-echo.c",
    "vx_cm_request_create": "49-cm-endpoint.c",
    "vx_cm_server_step": "51-cm-echo.c",
    "vx_cm_server_stop": "51-cm-echo.c",
}
# Those that another one does all of.
WITHIN = {"vx_cm_server_run": "vx_cm_server_step", "vx_ctx_open_device": "vx_ctx_open"}
# Those of other vendors, of whom no device is emulated: tests/unit/every_gate.py tries each, and tests/unit/vendor has functions in the place of
# their libraries'.
VENDORS = sorted({g.word for g in groups.load() if g.provider} - {"mlx5"})
OF_OTHERS = {name for name in exported() if re.match(f"vx_({'|'.join(VENDORS)})_", name)}
EXCUSED = OF_OTHERS | CANNOT_FAIL.keys() | BY_QUEUES_AND_PEERS.keys() | BY_EXAMPLES.keys() | WITHIN.keys()


@cache
def tortured() -> set[str]:
    """The functions that the sources of the torture name."""
    text = "\n".join(code(path.read_text()) for path in sorted(TORTURE.glob("*.c")))
    return {*WORD.findall(text), *(f"vx_{kind}_adopt" for kind in ADOPTING.findall(text))}


def alike(names: set[str]) -> set[str]:
    """The same of those that are borrowed: by the code that adopts, which asks for no more."""
    return {name.removesuffix("_adopt") + "_borrow" for name in names if name.endswith("_adopt")}


class Tortured(unittest.TestCase):
    def test_each_function_that_can_fail(self) -> None:
        self.assertEqual(sorted(exported() - tortured() - alike(tortured()) - EXCUSED), [])

    def test_what_is_excused_is_there_and_not_tortured(self) -> None:
        excused = EXCUSED
        self.assertEqual(sorted(excused - exported()), [])
        self.assertEqual(sorted(excused & tortured()), [])
        self.assertLessEqual(set(WITHIN.values()), tortured() | BY_EXAMPLES.keys())

    def test_examples_are_tortured_and_name_what_counts_as_tortured_by_them(self) -> None:
        glob = re.search(r"file\(GLOB sources CONFIGURE_DEPENDS \$\{PROJECT_SOURCE_DIR\}/examples/(\S+)\)",
                         (TORTURE / "CMakeLists.txt").read_text())
        assert glob
        sources = {path.name: path for path in EXAMPLES.glob(glob[1])}
        for function, example in BY_EXAMPLES.items():
            self.assertIn(example, sources)
            self.assertIn(function, WORD.findall(code(sources[example].read_text())))


if __name__ == "__main__":
    unittest.main()
