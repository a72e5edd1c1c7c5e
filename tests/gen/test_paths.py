# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""Members of paths and of what a handshake says: what lore may say of them, and what becomes of it."""

from __future__ import annotations

from gen.plan.structs.paths import plan_handshake, plan_path
from tests.gen.project import OfLore

FIELDS = '[field]\n"vx_path.path_mtu" = { enum = "ibv_mtu" }\n"vx_path.access" = { flags = "ibv_access_flags" }\n"vx_path.dpsn" = { form = "hex" }\n'


class Paths(OfLore):
    header = """enum ibv_mtu { IBV_MTU_256 = 1 };
enum ibv_access_flags { IBV_ACCESS_LOCAL_WRITE = 1 };
struct ibv_qp_attr { int rq_psn; };
"""

    def test_how_a_text_has_a_member_follows_from_what_it_is(self) -> None:
        lore = self.load(f"{FIELDS}[path]\nctx = 0\nsgid = 0\nsl = 4\npath_mtu = 8\naccess = 32\ndpsn = 24\n[path_attr]\ndpsn = 'ibv_qp_attr.rq_psn'\n[path_form]\npath_mtu = 'bytes'")
        self.assertEqual([(p.name, p.form, p.tag, p.bits, p.mask, p.attr) for p in plan_path(lore)],
                         [("ctx", "END", "", 0, "0", ""), ("sgid", "GID", "", 0, "0", ""), ("sl", "DECIMAL", "", 4, "0", ""),
                          ("path_mtu", "BYTES", "ibv_mtu", 8, "0", ""), ("access", "NAMED", "ibv_access_flags", 32, "0", ""),
                          ("dpsn", "HEX", "", 24, "VX_PATH_DPSN", "ibv_qp_attr.rq_psn")])

    def test_what_begins_with_s_is_the_twin_of_what_begins_with_d(self) -> None:
        found = plan_path(self.load("[path]\nsl = 4\nslid = 16\ndlid = 16\n"))
        self.assertEqual([p.twin for p in found], ["", "dlid", "slid"])

    def test_members_are_those_of_the_header(self) -> None:
        self.refused_at(2, "[path]\nslx = 4\n", "slx: struct vx_path has no such member")
        self.refused_at(2, "[path_attr]\nspsn = 'ibv_qp_attr.rq_psm'\n", "rq_psm: no such field")

    def test_what_is_told_follows_what_was_told_before(self) -> None:
        told = "bytes = {}, says = 'x', comes = 'y'"
        lore = self.load(f"[path]\nsqpn = 24\n[handshake]\nsqpn = {{ {told.format(4)} }}\nqp_type = {{ {told.format(1)} }}\nflags = {{ {told.format(4)} }}")
        self.assertEqual([(t.member, t.at) for t in plan_handshake(lore)], [("path.sqpn", 0), ("qp_type", 4), ("flags", 5)])
