# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""Things that go by the name that they had, and are something else."""

from __future__ import annotations

from random import Random

from tests.gen.project import NEWEST

from .classes import each, mutation
from .tree import VERBS, Expected, Tree


@mutation("two fields change places")
def _(tree: Tree, _: Random) -> Expected:
    tree.replace(VERBS, "\tuint32_t\t\tvendor_err;\n\tuint32_t\t\tbyte_len;\n", "\tuint32_t\t\tbyte_len;\n\tuint32_t\t\tvendor_err;\n")
    return Expected(changes=["~ field ibv_wc.vendor_err", "~ field ibv_wc.byte_len"])


@mutation("the sign of a field changes")
def _(tree: Tree, _: Random) -> Expected:
    tree.replace(VERBS, "\tuint32_t\t\tmax_msg_sz;\n", "\tint32_t\t\t\tmax_msg_sz;\n")
    return Expected(["max_msg_sz"], changes=["~ field ibv_port_attr.max_msg_sz"])


@mutation("a field becomes bits of one, beside others")
def _(tree: Tree, _: Random) -> Expected:
    tree.replace(VERBS, "\tuint8_t\t\t\tlmc;\n", "\tuint8_t\t\t\tlmc : 3;\n\tuint8_t\t\t\tplane_num : 5;\n")
    return Expected(["plane_num"], told=[rf'\[until\] "ibv_port_attr\.lmc" = {NEWEST}'], changes=["~ field ibv_port_attr.lmc", "+ field ibv_port_attr.plane_num"])


@mutation("a function of the library becomes inline")
def _(tree: Tree, _: Random) -> Expected:
    tree.replace(VERBS, "const char *ibv_wc_status_str(enum ibv_wc_status status);",
                 "static inline const char *ibv_wc_status_str(enum ibv_wc_status status) { return status ? \"bad\" : \"good\"; }")
    return Expected(changes=["~ function ibv_wc_status_str"])


DEPRECATED = {
    "a call": (VERBS, "int ibv_query_ece(", "__attribute__((deprecated)) int ibv_query_ece("),
    "a field": (VERBS, "\tuint32_t\t\trate_limit;\n", "\tuint32_t\t\trate_limit __attribute__((deprecated));\n"),
    "an enumerator": (VERBS, "\tIBV_QPT_RAW_PACKET =", "\tIBV_QPT_RAW_PACKET __attribute__((deprecated)) ="),
    "a structure": (VERBS, "struct ibv_flow_spec_counter_action {", "struct __attribute__((deprecated)) ibv_flow_spec_counter_action {"),
}


TOLD = {"a call": "~ function ibv_query_ece", "a field": "~ field ibv_qp_attr.rate_limit", "an enumerator": "~ enumerator IBV_QPT_RAW_PACKET",
        "a structure": "~ struct ibv_flow_spec_counter_action"}


@each(list(DEPRECATED), "deprecated by its header: {}")
def _(tree: Tree, what: str) -> Expected:
    tree.replace(*DEPRECATED[what])
    return Expected(changes=[TOLD[what]])


@mutation("a result that must be looked at")
def _(tree: Tree, _: Random) -> Expected:
    tree.replace(VERBS, "int ibv_query_ece(", "__attribute__((warn_unused_result)) int ibv_query_ece(")
    return Expected(changes=["~ function ibv_query_ece"])


# Where members stay where they are.
ALIGNED = {"is packed": "packed", "is aligned to 16": "aligned(16)", "is packed, and aligned to 4": "packed, aligned(4)"}


@each(list(ALIGNED), "a structure {}")
def _(tree: Tree, what: str) -> Expected:
    tree.replace(VERBS, "struct ibv_alloc_dm_attr {", f"struct __attribute__(({ALIGNED[what]})) ibv_alloc_dm_attr {{")
    return Expected(changes=["~ struct ibv_alloc_dm_attr"])


@each(list(ALIGNED), "a structure within others {}")
def _(tree: Tree, what: str) -> Expected:
    tree.replace(VERBS, "struct ibv_qp_cap {", f"struct __attribute__(({ALIGNED[what]})) ibv_qp_cap {{")
    return Expected(changes={"is packed": ["~ struct ibv_qp_cap"], "is aligned to 16": ["~ struct ibv_qp_cap", "~ ..."]}.get(what, []))


@mutation("what a macro is replaced by changes")
def _(tree: Tree, _: Random) -> Expected:
    tree.replace(VERBS, "#define vext_field_avail(type, fld, sz) (offsetof(type, fld) < (sz))",
                 "#define vext_field_avail(type, fld, sz) (offsetof(type, fld) + 1 <= (sz))")
    return Expected(changes=["~ macro vext_field_avail"])
