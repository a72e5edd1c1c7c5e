# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""What goes elsewhere, or by another name, and is what it was."""

from __future__ import annotations

import re
from random import Random

from .classes import each, mutation
from .tree import CMA, MLX5, VERBS, Expected, Tree

ANYTHING_ELSE = "~ ..."


def cut_out(tree: Tree, header: str, keyword: str, tag: str, instead: str = "") -> str:
    """Take a definition out of a header; what it was."""
    text, _, end = tree.body(header, keyword, tag)
    start = text.rfind(f"{keyword} {tag}", 0, end)
    after = text.index(";", end) + 1
    tree.write(header, text[:start] + instead + text[after:])
    return text[start:after]


@mutation("a field is renamed, and a macro keeps its name")
def _(tree: Tree, _: Random) -> Expected:
    tree.replace(VERBS, "\tuint32_t\t\tvendor_err;\n", "\tuint32_t\t\tvendor_syndrome;\n#define vendor_err vendor_syndrome\n")
    return Expected(["vendor_err"], changes=[ANYTHING_ELSE])


@mutation("a field of an init structure is renamed, and a macro keeps its name")
def _(tree: Tree, _: Random) -> Expected:
    tree.replace(VERBS, "\tuint32_t\t\tsource_qpn;\n", "\tuint32_t\t\tsource_qp_number;\n#define source_qpn source_qp_number\n")
    return Expected(["source_qpn"], changes=[ANYTHING_ELSE])


@mutation("a field gets another name beside it")
def _(tree: Tree, _: Random) -> Expected:
    tree.replace(VERBS, "\tuint16_t\t\tslid;\n", "\tunion {\n\t\tuint16_t\t\tslid;\n\t\tuint16_t\t\tsource_lid;\n\t};\n")
    return Expected(["source_lid", "slid"], changes=["+ field ibv_wc.source_lid", ANYTHING_ELSE])


@mutation("a field of an init structure gets another name beside it")
def _(tree: Tree, _: Random) -> Expected:
    tree.replace(VERBS, "\tuint16_t\t\tmax_tso_header;\n", "\tunion {\n\t\tuint16_t\t\tmax_tso_header;\n\t\tuint16_t\t\tmost_of_tso_header;\n\t};\n")
    return Expected(["max_tso_header"], changes=[ANYTHING_ELSE])


@mutation("fields of an init structure move into an anonymous structure")
def _(tree: Tree, _: Random) -> Expected:
    tree.replace(VERBS, "\tuint32_t\t\tcomp_mask; /* Use ibv_wq_init_attr_mask */\n\tuint32_t\t\tcreate_flags; /* use ibv_wq_flags */\n",
                 "\tstruct {\n\tuint32_t\t\tcomp_mask; /* Use ibv_wq_init_attr_mask */\n\tuint32_t\t\tcreate_flags; /* use ibv_wq_flags */\n\t};\n")
    return Expected(["create_flags"], changes=[ANYTHING_ELSE])


@mutation("fields of an init structure move into a structure with a name")
def _(tree: Tree, _: Random) -> Expected:
    tree.replace(VERBS, "\tint\t fd;\n\tint\t oflags;\n};", "\tstruct {\n\tint\t fd;\n\tint\t oflags;\n\t} file;\n};")
    return Expected(["file"], changes=[ANYTHING_ELSE])


@mutation("a structure is renamed, and a macro keeps its name")
def _(tree: Tree, _: Random) -> Expected:
    t = tree.text(VERBS)
    t = re.sub(r"\bstruct ibv_ece\b", "struct ibv_ece_v2", t)
    t = t.replace("struct ibv_ece_v2 {", "#define ibv_ece ibv_ece_v2\nstruct ibv_ece_v2 {", 1)
    tree.write(VERBS, t)
    return Expected(["ibv_ece"], changes=[ANYTHING_ELSE])


@mutation("an enum is renamed, and a macro keeps its name")
def _(tree: Tree, _: Random) -> Expected:
    t = re.sub(r"\benum ibv_mig_state\b", "enum ibv_migration_state", tree.text(VERBS))
    tree.write(VERBS, t.replace("enum ibv_migration_state {", "#define ibv_mig_state ibv_migration_state\nenum ibv_migration_state {", 1))
    return Expected(["ibv_mig_state"], changes=[ANYTHING_ELSE])


@mutation("an enum is renamed")
def _(tree: Tree, _: Random) -> Expected:
    tree.write(VERBS, re.sub(r"\benum ibv_mig_state\b", "enum ibv_migration_state", tree.text(VERBS)))
    return Expected(["ibv_migration_state"], changes=[ANYTHING_ELSE])


@mutation("an enum that calls give is renamed")
def _(tree: Tree, _: Random) -> Expected:
    tree.write(VERBS, re.sub(r"\benum ibv_fork_status\b", "enum ibv_fork_state", tree.text(VERBS)))
    return Expected(["ibv_fork_state"], changes=[ANYTHING_ELSE])


@mutation("a structure is renamed")
def _(tree: Tree, _: Random) -> Expected:
    for header in (VERBS, CMA):
        tree.write(header, re.sub(r"\bstruct ibv_ece\b", "struct ibv_ece_v2", tree.text(header)))
    return Expected(["ibv_ece_v2"], changes=[ANYTHING_ELSE])


@mutation("an enumerator is renamed, and a macro keeps its name")
def _(tree: Tree, _: Random) -> Expected:
    tree.replace(VERBS, "\tIBV_WC_TM_ERR,\n", "\tIBV_WC_TAG_ERR,\n#define IBV_WC_TM_ERR IBV_WC_TAG_ERR\n")
    return Expected(["IBV_WC_TAG_ERR"], changes=[ANYTHING_ELSE])


@mutation("an enumerator is renamed, and the old name is a second one")
def _(tree: Tree, _: Random) -> Expected:
    tree.replace(VERBS, "\tIBV_WC_TM_ERR,\n", "\tIBV_WC_TAG_ERR,\n\tIBV_WC_TM_ERR = IBV_WC_TAG_ERR,\n")
    return Expected(["IBV_WC_TAG_ERR", "IBV_WC_TM_ERR"], changes=["+ enumerator IBV_WC_TAG_ERR"])


@mutation("an enumerator is renamed")
def _(tree: Tree, _: Random) -> Expected:
    tree.replace(VERBS, "\tIBV_WC_TM_ERR,\n", "\tIBV_WC_TAG_ERR,\n")
    return Expected(["IBV_WC_TAG_ERR"], changes=[ANYTHING_ELSE])


@mutation("enumerators that are macros, too")
def _(tree: Tree, _: Random) -> Expected:
    tree.replace(VERBS, "\tIBV_QPT_RC = 2,\n\tIBV_QPT_UC,\n", "\tIBV_QPT_RC = 2,\n#define IBV_QPT_RC IBV_QPT_RC\n\tIBV_QPT_UC,\n#define "
            "IBV_QPT_UC IBV_QPT_UC\n")
    return Expected(["IBV_QPT_RC"])  # of the same value, which is no difference


@mutation("a macro becomes an enumerator")
def _(tree: Tree, _: Random) -> Expected:
    tree.replace(VERBS, "#define IBV_DEVICE_RAW_SCATTER_FCS (1ULL << 34)\n", "enum { IBV_DEVICE_RAW_SCATTER_FCS = (1ULL << 34) };\n")
    return Expected(["IBV_DEVICE_RAW_SCATTER_FCS"], changes=[ANYTHING_ELSE])


@mutation("macros become an enum")
def _(tree: Tree, _: Random) -> Expected:
    t = tree.text(CMA)
    names = re.findall(r"#define (RAI_\w+)\s+(\S+)", t)
    t = re.sub(r"#define RAI_\w+[^\n]*\n", "", t)
    t = t.replace("struct rdma_addrinfo {", "enum rdma_addrinfo_flags {\n" + "".join(f"\t{n} = {v},\n" for n, v in names) + "};\n\nstruct rdma_addrinfo {", 1)
    tree.write(CMA, t)
    return Expected(["RAI_PASSIVE"], changes=[ANYTHING_ELSE])


@mutation("an enumerator becomes a macro")
def _(tree: Tree, _: Random) -> Expected:
    tree.replace(VERBS, "\tIBV_QP_CREATE_SOURCE_QPN\t\t= 1 << 10,\n", "#define IBV_QP_CREATE_SOURCE_QPN (1 << 10)\n")
    return Expected(["IBV_QP_CREATE_SOURCE_QPN"], changes=[ANYTHING_ELSE])


@mutation("an enum becomes macros")
def _(tree: Tree, _: Random) -> Expected:
    cut_out(tree, VERBS, "enum", "ibv_tm_cap_flags", "#define IBV_TM_CAP_RC (1 << 0)\n")
    return Expected(["IBV_TM_CAP_RC"], changes=[ANYTHING_ELSE])


@mutation("a call is renamed, and a macro keeps its name")
def _(tree: Tree, _: Random) -> Expected:
    tree.replace(VERBS, "int ibv_fork_init(void);", "int ibv_fork_init_v2(void);\n#define ibv_fork_init ibv_fork_init_v2")
    return Expected(["ibv_fork_init_v2"], changes=[ANYTHING_ELSE])


@mutation("a call of an object is renamed, and a macro keeps its name")
def _(tree: Tree, _: Random) -> Expected:
    tree.replace(VERBS, "int ibv_destroy_srq(struct ibv_srq *srq);", "int ibv_destroy_srq_v2(struct ibv_srq *srq);\n#define "
            "ibv_destroy_srq ibv_destroy_srq_v2")
    return Expected(["ibv_destroy_srq_v2"], changes=[ANYTHING_ELSE])


@mutation("a call becomes an inline one behind a macro")
def _(tree: Tree, _: Random) -> Expected:
    tree.append(VERBS, "static inline int ___ibv_destroy_srq(struct ibv_srq *srq)\n{\n\treturn ibv_destroy_srq(srq);\n}\n#define "
                       "ibv_destroy_srq(srq) ___ibv_destroy_srq(srq)")
    return Expected(["___ibv_destroy_srq"], changes=[ANYTHING_ELSE])


@mutation("a call becomes a macro of other arguments")
def _(tree: Tree, _: Random) -> Expected:
    tree.append(VERBS, "#define ibv_modify_srq(srq, ...) ibv_modify_srq(srq, __VA_ARGS__)")
    return Expected(changes=[ANYTHING_ELSE])


@mutation("a call of lists becomes a macro")
def _(tree: Tree, _: Random) -> Expected:
    tree.append(VERBS, "static inline struct ibv_device **__probe_list(int *n) { return ibv_get_device_list(n); }\n#define "
                       "ibv_get_device_list(n) __probe_list(n)")
    return Expected(changes=[ANYTHING_ELSE])


@mutation("an enum moves to another header of its group")
def _(tree: Tree, _: Random) -> Expected:
    cut_out(tree, VERBS, "enum", "ibv_tm_cap_flags")
    tree.append("infiniband/verbs_api.h", "enum ibv_tm_cap_flags {\n\tIBV_TM_CAP_RC = 1 << 0,\n};")
    return Expected(["IBV_TM_CAP_RC"], changes=[ANYTHING_ELSE])


@mutation("an enum moves to the kernel's header, and macros keep its name")
def _(tree: Tree, _: Random) -> Expected:
    cut_out(tree, VERBS, "enum", "ibv_mig_state", "#define ibv_mig_state ib_uverbs_mig_state\n")
    tree.append("infiniband/verbs_api.h", "#define IBV_MIG_MIGRATED IB_UVERBS_MIG_MIGRATED\n#define IBV_MIG_REARM "
                                          "IB_UVERBS_MIG_REARM\n#define IBV_MIG_ARMED IB_UVERBS_MIG_ARMED\nenum ib_uverbs_mig_state "
                                          "{\n\tIB_UVERBS_MIG_MIGRATED,\n\tIB_UVERBS_MIG_REARM,\n\tIB_UVERBS_MIG_ARMED,\n};")
    return Expected(["IBV_MIG_REARM"], changes=[ANYTHING_ELSE])


@mutation("an enum that lore has the age of moves to the kernel's header, and macros keep its names", alone=True)
def _(tree: Tree, _: Random) -> Expected:
    names = [f"TPH_MEM_TYPE_{end}" for end in ("VM", "PM")]
    cut_out(tree, VERBS, "enum", "ibv_tph_mem_type")
    tree.append("infiniband/ib_user_ioctl_verbs.h", f"enum ib_uverbs_tph_mem_type {{ {', '.join(f'IB_UVERBS_{n}' for n in names)} }};")
    tree.append("infiniband/verbs_api.h", "#define ibv_tph_mem_type ib_uverbs_tph_mem_type\n" + "".join(f"#define IBV_{n} IB_UVERBS_{n}\n" for n in names))
    return Expected(["ibv_tph_mem_type", *(f"IBV_{n}" for n in names)],
                    changes=["~ enum ibv_tph_mem_type", "+ enum ib_uverbs_tph_mem_type", *(f"~ macro IBV_{n}" for n in names),
                             *(f"+ enumerator IB_UVERBS_{n}" for n in names)])


@mutation("an enum moves to a header of another group")
def _(tree: Tree, _: Random) -> Expected:
    tree.append(VERBS, cut_out(tree, MLX5, "enum", "mlx5dv_sig_type"))
    return Expected(["MLX5DV_SIG_TYPE_CRC"], changes=[ANYTHING_ELSE])


@mutation("a structure moves to a header of another group")
def _(tree: Tree, _: Random) -> Expected:
    tree.append(VERBS, cut_out(tree, MLX5, "struct", "mlx5dv_cqe_comp_caps"))
    return Expected(["mlx5dv_cqe_comp_caps"], changes=[ANYTHING_ELSE])


@mutation("a call moves to a header of another group")
def _(tree: Tree, _: Random) -> Expected:
    tree.replace(MLX5, "int mlx5dv_reserved_qpn_dealloc(struct ibv_context *ctx, uint32_t qpn);", "")
    tree.append(VERBS, "int mlx5dv_reserved_qpn_dealloc(struct ibv_context *ctx, uint32_t qpn);")
    return Expected(["mlx5dv_reserved_qpn_dealloc"], changes=[ANYTHING_ELSE])


@mutation("a macro moves to a header of another group")
def _(tree: Tree, _: Random) -> Expected:
    line = next((l for l in tree.text(CMA).splitlines() if l.startswith("#define RAI_PASSIVE")), "#define RAI_PASSIVE nowhere")
    tree.replace(CMA, line + "\n", "")
    tree.append(VERBS, line)
    return Expected(changes=[ANYTHING_ELSE])


@mutation("an enumerator moves to another enum")
def _(tree: Tree, _: Random) -> Expected:
    tree.replace(VERBS, "\tIBV_QP_CREATE_SOURCE_QPN\t\t= 1 << 10,\n", "")
    tree.append(VERBS, "enum ibv_qp_more_flags {\n\tIBV_QP_CREATE_SOURCE_QPN = 1 << 10,\n};")
    return Expected(["IBV_QP_CREATE_SOURCE_QPN", "ibv_qp_more_flags"], changes=[ANYTHING_ELSE])


@mutation("an unnamed enum gets a tag")
def _(tree: Tree, _: Random) -> Expected:
    tree.replace(VERBS, "enum {\n\tIBV_LINK_LAYER_UNSPECIFIED,", "enum ibv_link_layer {\n\tIBV_LINK_LAYER_UNSPECIFIED,")
    return Expected(["IBV_LINK_LAYER_ETHERNET"], changes=[ANYTHING_ELSE])


@mutation("an enum loses its tag")
def _(tree: Tree, _: Random) -> Expected:
    tree.replace(VERBS, "enum ibv_tm_cap_flags {", "enum {")
    return Expected(["IBV_TM_CAP_RC"], changes=[ANYTHING_ELSE])


@mutation("an unnamed enum begins with another")
def _(tree: Tree, _: Random) -> Expected:
    tree.replace(VERBS, "enum {\n\tIBV_LINK_LAYER_UNSPECIFIED,", "enum {\n\tIBV_LINK_LAYER_NONE = -1,\n\tIBV_LINK_LAYER_UNSPECIFIED,")
    return Expected(["IBV_LINK_LAYER_NONE"], changes=[ANYTHING_ELSE])


@mutation("two unnamed enums become one")
def _(tree: Tree, _: Random) -> Expected:
    tree.replace(VERBS, "enum {\n\tIBV_SYSFS_NAME_MAX\t= 64,\n\tIBV_SYSFS_PATH_MAX\t= 256\n};\n", "")
    tree.replace(VERBS, "\tIBV_WC_IP_CSUM_OK_SHIFT\t= 2\n", "\tIBV_WC_IP_CSUM_OK_SHIFT\t= 2,\n\tIBV_SYSFS_NAME_MAX\t= "
            "64,\n\tIBV_SYSFS_PATH_MAX\t= 256\n")
    return Expected(["IBV_WC_IP_CSUM_OK_SHIFT", "IBV_SYSFS_PATH_MAX"], changes=[ANYTHING_ELSE])


@mutation("an unnamed enum becomes two")
def _(tree: Tree, _: Random) -> Expected:
    tree.replace(VERBS, "\tIBV_SYSFS_NAME_MAX	= 64,\n\tIBV_SYSFS_PATH_MAX	= 256\n", "\tIBV_SYSFS_NAME_MAX	= 64 };\n\tenum { "
            "IBV_SYSFS_PATH_MAX	= 256\n")
    return Expected(["IBV_SYSFS_PATH_MAX"], changes=[ANYTHING_ELSE])


@mutation("a structure is hidden")
def _(tree: Tree, _: Random) -> Expected:
    cut_out(tree, VERBS, "struct", "ibv_dmah", "struct ibv_dmah;")
    return Expected(changes=[ANYTHING_ELSE])


@mutation("an init structure is hidden")
def _(tree: Tree, _: Random) -> Expected:
    cut_out(tree, VERBS, "struct", "ibv_td_init_attr", "struct ibv_td_init_attr;")
    return Expected(changes=[ANYTHING_ELSE])


@mutation("a hidden structure is shown")
def _(tree: Tree, _: Random) -> Expected:
    tree.replace(VERBS, "struct ibv_buf;\n", "struct ibv_buf {\n\tstruct ibv_context *context;\n\tuint32_t handle;\n};\n")
    return Expected(["ibv_buf"], changes=["~ struct ibv_buf", ANYTHING_ELSE])


@mutation("a field becomes of an enum's type")
def _(tree: Tree, _: Random) -> Expected:
    tree.replace(VERBS, "\tunsigned int\t\tqp_access_flags;\n", "\tenum ibv_access_flags\tqp_access_flags;\n")
    return Expected(["qp_access_flags"], changes=["~ field ibv_qp_attr.qp_access_flags", ANYTHING_ELSE])


@mutation("a field is no more of an enum's type", alone=True)
def _(tree: Tree, _: Random) -> Expected:
    tree.replace(VERBS, "\tenum ibv_mig_state\tpath_mig_state;\n", "\tuint32_t\tpath_mig_state;\n")
    return Expected(changes=["~ field ibv_qp_attr.path_mig_state", ANYTHING_ELSE],
                    refused=r"lore/defaults\.toml:\d+: IBV_MIG_MIGRATED: is of enum ibv_mig_state, and ibv_qp_attr\.path_mig_state of none")


@mutation("text becomes longer")
def _(tree: Tree, _: Random) -> Expected:
    tree.replace(VERBS, "\tchar\t\t\tfw_ver[64];\n", "\tchar\t\t\tfw_ver[128];\n")
    return Expected(["fw_ver"], changes=[ANYTHING_ELSE])


@mutation("a number becomes an array", alone=True)
def _(tree: Tree, _: Random) -> Expected:
    tree.replace(VERBS, "\tuint32_t\t\tmax_wq_type_rq;\n", "\tuint32_t\t\tmax_wq_type_rq[2];\n")
    return Expected(changes=[ANYTHING_ELSE], refused=r"lore/\w+\.toml:\d+: .*max_wq_type_rq is no number")


@mutation("a number becomes a pointer", alone=True)
def _(tree: Tree, _: Random) -> Expected:
    tree.replace(VERBS, "\tuint64_t max_dm_size;\n", "\tvoid *max_dm_size;\n")
    return Expected(changes=[ANYTHING_ELSE], refused=r"lore/\w+\.toml:\d+: .*max_dm_size: is no integer but a pointer")


@mutation("an array that was reserved is shorter and followed by what is new")
def _(tree: Tree, _: Random) -> Expected:
    n = tree.name("probe_field")
    tree.replace("infiniband/tm_types.h", "\tuint8_t\t\treserved[3]; /* must be zero */\n", f"\tuint8_t\t\treserved[2]; /* must be zero "
            f"*/\n\tuint8_t\t\t{n};\n")
    return Expected([n], changes=[ANYTHING_ELSE])


@mutation("a union grows")
def _(tree: Tree, _: Random) -> Expected:
    n = tree.name("probe_field")
    tree.replace(VERBS, "\t} element;", f"\t\tstruct ibv_dm *{n};\n\t}} element;")
    return Expected([n], changes=[ANYTHING_ELSE])


@mutation("a union of its own has another member")
def _(tree: Tree, _: Random) -> Expected:
    n = tree.name("probe_field")
    tree.replace(VERBS, "\t\t__be64\tinterface_id;\n\t} global;\n", f"\t\t__be64\tinterface_id;\n\t}} global;\n\tuint32_t {n}[4];\n")
    return Expected([n], changes=[ANYTHING_ELSE])


@mutation("a structure of callbacks is sorted anew")
def _(tree: Tree, _: Random) -> Expected:
    tree.replace(VERBS, "\tvoid *(*_compat_create_cq)(void);\n", "\tint (*probe_cq)(struct ibv_cq *cq);\n")
    return Expected(["probe_cq"], changes=[ANYTHING_ELSE])
