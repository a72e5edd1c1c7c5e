# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""Tracing: what is said of parameters, what becomes of it, and that no call of rdma-core goes by untraced."""

from __future__ import annotations

import re
import unittest
from pathlib import Path
from unittest import mock

from gen.api import merge
from gen.api.facts import Call, Facts, Group, Param
from gen.know.model import Lore
from gen.know.remarks import Remarks
from gen.plan.model.object import Objects
from gen.plan.remarks.calls import add_addresses
from gen.plan.structs.structs import FieldPlan, StructPlan, StructTables
from gen.plan.trace import trace
from gen.plan.trace.trace import Parameter, TracedCall, _not_followed, _Planner
from gen.plan.when.rules import RuleBook
from gen.reach.news import News
from tests.gen.project import ROOT
from tests.gen.test_lore import OfAcme
from tests.gen.test_wrapped import planned

NO_CODE = re.compile(r'/\*.*?\*/|"(?:\\.|[^"\\\n])*"', re.DOTALL)
DATA_PATH = {"ibv_end_poll", "ibv_next_poll", "ibv_poll_cq", "ibv_post_recv", "ibv_post_send", "ibv_post_srq_recv", "ibv_post_wq_recv", "ibv_req_notify_cq", "ibv_start_poll",
             "ibv_wc_read_opcode", "ibv_wc_read_qp_num", "ibv_wr_abort", "ibv_wr_complete",
             "ibv_wr_start"}  # made by what stands before objects, one part of which traces them
UNSEEN = {"ibv_end_poll": "ends what the lines before show", "ibv_post_srq_ops": "no front has it",
          "ibv_wr_abort": "nothing is done", "ibv_wr_start": "begins the line of ibv_wr_complete"}
UNSEEN |= dict.fromkeys([f"rdma_{name}" for name in ("get_recv_comp", "get_send_comp", "post_read", "post_readv", "post_recv", "post_recvv", "post_send",
                                                     "post_sendv", "post_ud_send", "post_write", "post_writev")],
                        "of the raw objects of an id: rdma_verbs.h knows no front")
SHADOWS = '#include "traced.h"'
GENERATED = ("objects.c", "rare.c", "methods.c", "kinds.c")


class Said(OfAcme):
    def test_good_entries_are_taken(self) -> None:
        found = self.load('[parameter]\n"acme_open.attr" = { out = true, count = "result" }')
        self.assertEqual(found.parameter, {"acme_open.attr": {"out": True, "count": "result"}})

    def test_wrong_ones_are_refused(self) -> None:
        self.refused("parameter", '"acme_opne.attr" = { out = true }', "acme_opne: no such function", "did you mean acme_open?")
        self.refused("parameter", '"acme_open.atr" = { out = true }', "acme_open.atr: no such parameter", "did you mean attr?")
        self.refused("parameter", '"acme_open.attr" = { mask = "result" }', "result: no such parameter")
        self.refused("parameter", '"acme_open.attr" = { flags = "acme_cap" }', "acme_cap: no such enum")
        self.refused("parameter", '"acme_open.attr" = { form = "hx" }', "hx: no such form")
        self.refused("parameter", '"acme_open.attr" = { bool = true, form = "hex" }', "says both")
        self.refused("parameter", '"acme_open.attr" = { twice = true }', "twice: no such key")
        self.refused("parameter", '"acme_open.attr" = { tail = { name = "more" } }', "acme_open.attr: tail: lacks struct")


class Addresses(unittest.TestCase):
    """Of a structure behind the eighth parameter a trace shows where it is."""

    def test_what_a_row_has_no_bit_for_is_an_address(self) -> None:
        params = [Parameter(f"n{n}", "int") for n in range(8)]
        params += [Parameter("far", "const struct s *", "STRUCT_POINTER"), Parameter("raw", "void *", "POINTER")]
        before = [Parameter("near", "const struct s *", "STRUCT_POINTER")]
        _not_followed(before + params)
        self.assertEqual([p.name for p in (*before, *params) if p.is_an_address], ["far"])

    def test_it_is_told_of_a_new_call(self) -> None:
        facts = Facts(66, {"g": Group("g", ["acme.h"], calls={"new": Call("new", "acme.h", "extern")})})
        found = Remarks()
        add_addresses(merge.merge([facts], ["g"]), [("new", "far")], News(66), found)
        self.assertEqual([(r.name, r.note) for r in found.said], [("new.far", True)])
        self.assertIn("a trace shows its address alone", found.said[0].what)


class Planned(unittest.TestCase):
    calls: dict[str, TracedCall]

    @classmethod
    def setUpClass(cls) -> None:
        cls.plan = planned()
        cls.calls = {c.name: c for c in cls.plan.trace.calls}

    def param(self, call: str, name: str) -> tuple[str, str, list[str], int | str]:
        found = next(p for p in self.calls[call].params if p.name == name)
        return found.kind, found.ref, found.flags, found.other

    def test_a_structure_shows_what_the_mask_beside_it_names(self) -> None:
        self.assertEqual(self.param("ibv_modify_qp", "attr"), ("STRUCT_POINTER", "STRUCT_ibv_qp_attr", ["MASKED"], 3))
        self.assertEqual(self.param("ibv_modify_qp", "attr_mask"), ("FLAGS", "ENUM_ibv_qp_attr_mask", [], 0))

    def test_handles_are_told_from_other_pointers(self) -> None:
        self.assertEqual(self.param("ibv_modify_qp", "qp"), ("POINTER", "HANDLE_ibv_qp", ["HANDLE"], 0))
        self.assertEqual(self.param("ibv_reg_mr", "addr"), ("POINTER", "0", [], 0))
        self.assertEqual((self.calls["ibv_open_device"].kind, self.calls["ibv_open_device"].ref), ("POINTER", "HANDLE_CONTEXT"))

    def test_what_only_rdma_core_looks_into_has_a_name(self) -> None:
        self.assertEqual(self.param("mlx5dv_dr_table_create", "domain"), ("POINTER", "HANDLE_mlx5dv_dr_domain", ["HANDLE"], 0))
        self.assertEqual(self.param("mlx5dv_dr_rule_create", "actions"), ("POINTER_POINTER", "HANDLE_mlx5dv_dr_action", ["HANDLE", "COUNTED"], 3))
        handles = {h.struct: h for h in self.plan.trace.handles}
        domain, qp = handles["mlx5dv_dr_domain"], handles["ibv_qp"]
        self.assertEqual((domain.desc, domain.kind, domain.number, domain.context), ("0", "mlx5_dr_domain", 0, 0))
        self.assertEqual(qp.desc, "STRUCT_ibv_qp")
        self.assertEqual([h.struct for h in handles.values() if h.desc == "0" and (h.number or h.context)], [])

    def test_an_enum_that_is_filled_is_a_number(self) -> None:
        self.assertEqual(self.param("mlx5dv_crypto_login_query_state", "state"), ("UINT_POINTER", "4", ["OUT"], 0))

    def test_what_is_filled_is_read_after_the_call(self) -> None:
        self.assertEqual(self.param("ibv_query_gid_table", "entries")[2:], (["OUT", "COUNTED"], 5))
        self.assertEqual(len(self.calls["ibv_query_gid_table"].params), 4)
        self.assertEqual(self.param("ibv_get_srq_num", "srq_num"), ("UINT_POINTER", "4", ["OUT"], 0))
        self.assertEqual(self.calls["ibv_query_qp"].head, 1)
        self.assertEqual(self.calls["ibv_modify_qp"].head, 3)

    def test_what_stands_behind_a_structure(self) -> None:
        self.assertEqual(self.param("ibv_create_flow", "flow"),
                         ("STRUCT_POINTER", "STRUCT_ibv_flow_attr", ["TAIL"], "TAIL_ibv_create_flow"))

    def test_pointers_that_are_filled(self) -> None:
        self.assertEqual(self.param("ibv_get_cq_event", "cq"), ("POINTER_POINTER", "HANDLE_ibv_cq", ["OUT", "HANDLE"], 0))
        self.assertEqual(self.param("ibv_get_cq_event", "cq_context"), ("POINTER_POINTER", "0", ["OUT"], 0))

    def test_a_macro_before_a_function_has_its_own_types(self) -> None:
        self.assertIn("struct ibv_port_attr *port_attr", self.calls["ibv_query_port"].prototype)

    def test_of_what_is_read_too_late_the_address_is_shown(self) -> None:
        planner = _Planner(self.plan.lore, self.plan.enums, self.plan.tables, self.plan.trace.handles, [])
        call = Call("ibv_query_srq", "infiniband/verbs.h", "extern", "int",
                    [Param("srq_attr", "struct ibv_srq_attr *"), Param("wanted", "const struct ibv_srq_attr *")])
        row = next(r for r in self.plan.calls.rows if r.name == "ibv_query_srq")
        self.assertEqual([(p.name, p.kind) for p in planner.call(call, row).params], [("srq_attr", "STRUCT_POINTER"), ("wanted", "POINTER")])

    def test_of_what_has_no_bit_the_address_is_shown(self) -> None:
        planner = _Planner(self.plan.lore, self.plan.enums, self.plan.tables, self.plan.trace.handles, [])
        row = next(r for r in self.plan.calls.rows if r.name == "ibv_query_srq")
        numbers = [Param(f"n{i}", "int") for i in range(8)]
        for beyond in (Param("attr", "const struct ibv_srq_attr *"), Param("filled", "uint32_t *")):
            call = Call("ibv_query_srq", "infiniband/verbs.h", "extern", "int", [*numbers[1:], beyond])
            self.assertEqual(int(planner.call(call, row).given, 16) | int(planner.call(call, row).filled, 16), 1 << 7)
            call.params = [*numbers, beyond]
            self.assertEqual((planner.call(call, row).params[8].kind, planner.call(call, row).given, planner.call(call, row).filled), ("POINTER", "0x0", "0x0"))
        call.params = [*numbers, Param("n8", "int")]
        self.assertEqual(planner.call(call, row).given, "0x0")

    def test_pointers_to_objects_in_structures_are_named(self) -> None:
        fields = {f"{s.id}.{f.name}": f.handle for s in self.plan.tables.structs for f in s.fields}
        self.assertEqual(fields["ibv_qp_init_attr_ex.send_cq"], "HANDLE_ibv_cq")
        self.assertEqual(fields["ibv_qp_init_attr_ex.qp_context"], "")
        self.assertEqual(fields["ibv_rwq_ind_table_init_attr.ind_tbl"], "HANDLE_ibv_wq")


class Decoded(unittest.TestCase):
    """What a line of the trace shows as no more than an address, and why."""

    MEMORY = "memory of the caller's; beside it is its length"
    QUEUE = "what the device reads and writes meanwhile"
    ADDRESS = "an object that only rdma-core looks into, which JSON has as an address since it was published"
    COMMAND = "a command of DEVX, or the answer, either of which may have keys in it; beside it is its length"
    EXPORTED = "bytes for another process, of which mlx5dv_get_export_sizes tells how many there are"
    STREAM = "a stream of the C library's"
    OWN = "the program's own, which only comes back to it"
    UNDECODED = {
        "efadv_cq_attr.buffer": QUEUE,
        "efadv_cq_attr.doorbell": QUEUE,
        "efadv_cq_init_attr__ext_mem_dmabuf.buffer": MEMORY,
        "efadv_memory_location.ptr": MEMORY,
        "efadv_wq_attr.buffer": QUEUE,
        "efadv_wq_attr.doorbell": QUEUE,
        "ibv_create_cq.cq_context": OWN,
        "ibv_cq_init_attr_ex.cq_context": OWN,
        "ibv_free_device_list.list": "what ibv_get_device_list gave",
        "ibv_memcpy_from_dm.host_addr": MEMORY,
        "ibv_memcpy_to_dm.host_addr": MEMORY,
        "ibv_mr_init_attr.addr": MEMORY,
        "ibv_mr_init_attr.buf": ADDRESS,
        "ibv_parent_domain_init_attr.pd_context": OWN,
        "ibv_qp_init_attr.qp_context": OWN,
        "ibv_qp_init_attr_ex.qp_context": OWN,
        "ibv_qp_open_attr.qp_context": OWN,
        "ibv_reg_buf_mr.addr": MEMORY,
        "ibv_reg_mr.addr": MEMORY,
        "ibv_reg_mr_iova.addr": MEMORY,
        "ibv_reg_mr_iova2.addr": MEMORY,
        "ibv_rereg_mr.addr": MEMORY,
        "ibv_send_wr__tso.hdr": MEMORY,
        "ibv_srq_init_attr.srq_context": OWN,
        "ibv_srq_init_attr_ex.srq_context": OWN,
        "ibv_wq_init_attr.wq_context": OWN,
        "manadv_cq.buf": QUEUE,
        "manadv_qp.db_page": QUEUE,
        "manadv_qp.sq_buf": QUEUE,
        "manadv_rwq.buf": QUEUE,
        "manadv_rwq.db_page": QUEUE,
        "manadv_set_context_attr.attr": "a value whose type goes by attr_type",
        "mlx4dv_cq.arm_db": QUEUE,
        "mlx4dv_cq.cq_uar": QUEUE,
        "mlx4dv_cq.set_ci_db": QUEUE,
        "mlx4dv_cq__buf.buf": QUEUE,
        "mlx4dv_qp.rdb": QUEUE,
        "mlx4dv_qp.sdb": QUEUE,
        "mlx4dv_qp__buf.buf": QUEUE,
        "mlx4dv_rwq.rdb": QUEUE,
        "mlx4dv_rwq__buf.buf": QUEUE,
        "mlx4dv_srq.db": QUEUE,
        "mlx4dv_srq__buf.buf": QUEUE,
        "mlx4dv_set_context_attr.attr": "a value whose type goes by attr_type",
        "mlx5dv_context.hca_core_clock": "a register of the device, which is mapped",
        "mlx5dv_create_flow.actions_attr": "an array whose elements libverbsx has put together of its own",
        "mlx5dv_create_flow_action_modify_header.actions": MEMORY,
        "mlx5dv_create_flow_action_packet_reformat.data": MEMORY,
        "mlx5dv_crypto_attr.dek": ADDRESS,
        "mlx5dv_dek_init_attr.crypto_login": ADDRESS,
        "mlx5dv_devx_cq_modify.in": COMMAND,
        "mlx5dv_devx_cq_modify.out": COMMAND,
        "mlx5dv_devx_cq_query.in": COMMAND,
        "mlx5dv_devx_cq_query.out": COMMAND,
        "mlx5dv_devx_create_eq.in": COMMAND,
        "mlx5dv_devx_create_eq.out": COMMAND,
        "mlx5dv_devx_general_cmd.in": COMMAND,
        "mlx5dv_devx_general_cmd.out": COMMAND,
        "mlx5dv_devx_get_async_cmd_comp.cmd_resp": COMMAND,
        "mlx5dv_devx_get_event.event_data": MEMORY,
        "mlx5dv_devx_ind_tbl_modify.in": COMMAND,
        "mlx5dv_devx_ind_tbl_modify.out": COMMAND,
        "mlx5dv_devx_ind_tbl_query.in": COMMAND,
        "mlx5dv_devx_ind_tbl_query.out": COMMAND,
        "mlx5dv_devx_obj_create.in": COMMAND,
        "mlx5dv_devx_obj_create.out": COMMAND,
        "mlx5dv_devx_obj_export.data": EXPORTED,
        "mlx5dv_devx_obj_import.data": EXPORTED,
        "mlx5dv_devx_obj_modify.in": COMMAND,
        "mlx5dv_devx_obj_modify.out": COMMAND,
        "mlx5dv_devx_obj_query.in": COMMAND,
        "mlx5dv_devx_obj_query.out": COMMAND,
        "mlx5dv_devx_obj_query_async.in": COMMAND,
        "mlx5dv_devx_qp_modify.in": COMMAND,
        "mlx5dv_devx_qp_modify.out": COMMAND,
        "mlx5dv_devx_qp_query.in": COMMAND,
        "mlx5dv_devx_qp_query.out": COMMAND,
        "mlx5dv_devx_srq_modify.in": COMMAND,
        "mlx5dv_devx_srq_modify.out": COMMAND,
        "mlx5dv_devx_srq_query.in": COMMAND,
        "mlx5dv_devx_srq_query.out": COMMAND,
        "mlx5dv_devx_subscribe_devx_event.events_num": MEMORY,
        "mlx5dv_devx_umem_export.data": EXPORTED,
        "mlx5dv_devx_umem_import.data": EXPORTED,
        "mlx5dv_devx_umem_in.addr": MEMORY,
        "mlx5dv_devx_umem_reg.addr": MEMORY,
        "mlx5dv_devx_wq_modify.in": COMMAND,
        "mlx5dv_devx_wq_modify.out": COMMAND,
        "mlx5dv_devx_wq_query.in": COMMAND,
        "mlx5dv_devx_wq_query.out": COMMAND,
        "mlx5dv_dr_action_create_dest_array.dests": "an array whose elements libverbsx has put together of its own",
        "mlx5dv_dr_action_create_modify_header.actions": MEMORY,
        "mlx5dv_dr_action_create_packet_reformat.data": MEMORY,
        "mlx5dv_dr_flow_meter_attr.next_table": ADDRESS,
        "mlx5dv_dr_flow_sampler_attr.default_next_table": ADDRESS,
        "mlx5dv_dump_dr_domain.fout": STREAM,
        "mlx5dv_dump_dr_matcher.fout": STREAM,
        "mlx5dv_dump_dr_rule.fout": STREAM,
        "mlx5dv_dump_dr_table.fout": STREAM,
        "mlx5dv_get_data_direct_sysfs_path.buf": MEMORY,
        "mlx5dv_cq.buf": QUEUE,
        "mlx5dv_cq.cq_uar": QUEUE,
        "mlx5dv_cq.dbrec": QUEUE,
        "mlx5dv_dm.buf": MEMORY,
        "mlx5dv_obj__devx.in": ADDRESS,
        "mlx5dv_qp.dbrec": QUEUE,
        "mlx5dv_qp__bf.reg": QUEUE,
        "mlx5dv_qp__rq.buf": QUEUE,
        "mlx5dv_qp__sq.buf": QUEUE,
        "mlx5dv_rwq.buf": QUEUE,
        "mlx5dv_rwq.dbrec": QUEUE,
        "mlx5dv_srq.buf": QUEUE,
        "mlx5dv_srq.dbrec": QUEUE,
        "mlx5dv_pp_alloc.pp_context": MEMORY,
        "mlx5dv_sched_attr.parent": ADDRESS,
        "mlx5dv_set_context_attr.attr": "a structure whose type goes by type",
        "mlx5dv_var_export.data": EXPORTED,
        "mlx5dv_var_import.data": EXPORTED,
        "rdma_ack_cm_event.event": "rdma_get_cm_event has shown it, and its id may be no more",
        "rdma_create_ep.id": "a place for what is made, which stands before what is read",
        "rdma_create_id.context": OWN,
        "rdma_free_devices.list": "what rdma_get_devices gave",
        "rdma_join_multicast.context": OWN,
        "rdma_join_multicast_ex.context": OWN,
        "rdma_reg_msgs.addr": MEMORY,
        "rdma_reg_read.addr": MEMORY,
        "rdma_reg_write.addr": MEMORY,
        "rdma_set_option.optval": "a value whose type goes by level and optname; beside it is its length",
    }
    NUMBERS = {
        "ibv_query_gid_ex.flags": "none is defined",
        "ibv_query_gid_table.flags": "none is defined",
    }

    @classmethod
    def setUpClass(cls) -> None:
        cls.plan = planned()
        cls.structs = {s.id: s for s in cls.plan.tables.structs}

    def shown(self) -> set[str]:
        """All structures that a line may hold."""
        found: set[str] = set()
        left = {p.ref for p in self.plan.trace.rows if p.kind == "STRUCT_POINTER"}
        left |= {f"STRUCT_{t.struct}" for t in self.plan.trace.tails}
        while left:
            name = left.pop().removeprefix("STRUCT_")
            found.add(name)
            left |= {f.ref for f in self.structs[name].fields if f.ref.startswith("STRUCT_")}
            left -= {f"STRUCT_{known}" for known in found}
        return found

    def test_pointers(self) -> None:
        bare = {f"{c.name}.{p.name}" for c in self.plan.trace.calls for p in c.params
                if p.kind == "POINTER" and "HANDLE" not in p.flags}
        bare |= {f"{s}.{f.name}" for s in self.shown() for f in self.structs[s].fields if f.kind == "POINTER" and not f.handle}
        self.assertEqual(bare, set(self.UNDECODED))

    def test_flags(self) -> None:
        words = re.compile(r"flags|mask|access|state|type|status")
        bare = {f"{c.name}.{p.name}" for c in self.plan.trace.calls for p in c.params
                if p.kind in ("UINT", "INT") and words.search(p.name) and not p.form}
        self.assertEqual(bare, set(self.NUMBERS))

    def test_sizes(self) -> None:
        bare = [f"{c.name}.{p.name}" for c in self.plan.trace.calls for p in c.params
                if re.search(r"len|size", p.name) and not p.form]
        self.assertEqual(bare, [])

    def test_keys_are_secret(self) -> None:
        """Whatever is called like key material, and is bytes, is marked as such."""
        words = re.compile(r"(^|_)(key|keymat|salt|credential|secret|keytag)")
        bare = {f"{s.id}.{f.name}" for s in self.plan.tables.structs for f in s.fields
                if f.kind.startswith("BYTES") and words.search(f.name) and "SECRET" not in f.flags}
        self.assertEqual(bare, {"ibv_rx_hash_conf.rx_hash_key"}, "where a hash begins hides nothing")
        aes = {f.name: f.flags for f in self.structs["ibv_flow_action_esp_keymat_aes_gcm"].fields}
        self.assertEqual((aes["aes_key"], aes["salt"]), (["SECRET"], ["SECRET"]))


class Complete(unittest.TestCase):
    """No source of the library calls rdma-core behind the back of the trace."""

    @classmethod
    def setUpClass(cls) -> None:
        plan = planned()
        cls.traced = {c.name for c in plan.trace.calls}
        cls.functions = set(plan.api.groups["verbs"].calls)
        # Casts and arithmetic, of which there is nothing to tell, and texts.
        cls.plain = {name for name, why in plan.lore.method.items() if "called as it is" in why}

    def sources(self) -> list[Path]:
        return [*sorted((ROOT / "runtime/src").glob("*/*.[ch]")), *(ROOT / "generated/src" / name for name in GENERATED)]

    def used(self, source: Path) -> set[str]:
        code = NO_CODE.sub(" ", source.read_text())
        return set(re.findall(r"\b[a-z]\w+\b(?=\s*[(;,)])", code)) & self.functions

    def test_each_source_that_calls_rdma_core_is_traced(self) -> None:
        users = {s: self.used(s) for s in self.sources()}
        self.assertGreater(sum(bool(names) for names in users.values()), 10)
        wrong = [f"{s.name}: {name}" for s, names in users.items() for name in sorted(names - self.plain - DATA_PATH)
                 if name not in self.traced or SHADOWS not in s.read_text()]
        self.assertEqual(wrong, [])

    def test_the_calls_are_shadowed_before_they_are_made(self) -> None:
        for source in self.sources():
            text = source.read_text()
            if SHADOWS in text and source.name != "trace.h":
                after = text.partition(SHADOWS)[2]
                self.assertNotIn("#include", after, f"{source.name}: an include behind traced.h")
                self.assertEqual(re.findall(r"\(ibv_\w+\)\(", NO_CODE.sub(" ", text)), [], source.name)

    def test_the_data_path_is_left_alone(self) -> None:
        self.assertEqual([n for n in self.traced if n.startswith(("ibv_post_", "ibv_poll_", "ibv_wr_", "ibv_wc_"))], [])

    def test_all_of_the_data_path_has_a_tap(self) -> None:
        plan = planned()
        wanted = {s.call for s in plan.wr.steps} | set(plan.lore.inline)
        self.assertEqual(wanted - {c.name for c in plan.trace.taps}, set(UNSEEN))
        shown = (ROOT / "runtime/src/front/tap.c").read_text() + (ROOT / "generated/src/tap_wr.c").read_text()
        self.assertEqual([c.name for c in plan.trace.taps if f"SIGNATURE_{c.name}," not in shown], [])


class Promised(unittest.TestCase):
    def test_what_was_an_address_in_json_stays_one_when_headers_show_what_is_there(self) -> None:
        for promised, handle in (({}, "HANDLE_acme"), ({"s.buf": "object"}, "HANDLE_acme"), ({"s.buf": "pointer"}, "")):
            f = FieldPlan("buf", "buf", "struct acme *", "POINTER")
            tables = StructTables([StructPlan("s", "s", "struct s", "struct s", "", "acme", "acme.h", 8, 44, fields=[f])], RuleBook())
            with mock.patch.object(trace, "_handles", lambda *_: [trace.Handle("acme", "STRUCT_acme", "acme", 0, 0)]):
                trace.plan_handles(Objects(), tables, Lore(), promised)
            self.assertEqual(f.handle, handle)


if __name__ == "__main__":
    unittest.main()
