# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""New calls of shapes that no call has yet, and calls whose prototype changes or that become something else."""

from __future__ import annotations

from random import Random

from .classes import each, mutation
from .parameters import new_call
from .tree import CMA, MLX5, VERBS, Expected, Tree

SHAPES = {
    "variadic": "int {}(struct ibv_context *context, const char *format, ...);",
    "variadic, with a format attribute":
        "int {}(struct ibv_qp *qp, const char *format, ...) __attribute__((format(printf, 2, 3)));",
    "without a result, of a qp": "void {}(struct ibv_qp *qp);",
    "without parameters": "int {}(void);",
    "without parameters and result": "void {}(void);",
    "without a prototype": "#ifdef __cplusplus\nint {0}(void);\n#else\nint {0}();\n#endif",
    "that does not return": "void {}(struct ibv_context *context) __attribute__((noreturn));",
    "that gives a function": "int (*{}(struct ibv_qp *qp, int which))(struct ibv_qp *, int);",
    "that gives a structure": "struct ibv_gid_entry {}(struct ibv_context *context, uint32_t port_num);",
    "that gives a union": "union ibv_gid {}(struct ibv_context *context, uint32_t index);",
    "that gives an enum": "enum ibv_mtu {}(struct ibv_context *context);",
    "that gives a text": "const char *{}(enum ibv_mtu mtu);",
    "that gives a text to free": "char *{}(struct ibv_context *context);",
    "that gives a pointer to const": "const struct ibv_qp *{}(const struct ibv_context *context);",
    "that gives a double": "double {}(struct ibv_context *context);",
    "that gives a truth value": "#include <stdbool.h>\nbool {}(struct ibv_context *context);",
    "that gives 64 bits": "uint64_t {}(struct ibv_qp *qp);",
    "that gives a pointer to a pointer": "struct ibv_qp **{}(struct ibv_context *context, int *count);",
    "that gives a void pointer": "void *{}(struct ibv_qp *qp, size_t length);",
    "that gives an opaque structure of its own": "struct {0}_thing;\nstruct {0}_thing *{0}(struct ibv_qp *qp);",
    "that gives a pthread_t": "pthread_t {}(struct ibv_context *context);",
    "inline": "static inline int {}(struct ibv_qp *qp, uint32_t value) {{ return qp->qp_num == value; }}",
    "inline, without a result": "static inline void {}(struct ibv_qp *qp) {{ (void)qp; }}",
    "inline and variadic":
        "static inline int {}(struct ibv_qp *qp, ...) {{ return (int)qp->qp_num; }}",
    "with twelve parameters": "int {}(struct ibv_qp *q, int a, int b, int c, int d, int e, int f, int g, int h, int i,"
                              " int j, int k);",
    "deprecated": "int {}(struct ibv_qp *qp) __attribute__((deprecated));",
    "with a result that must be used": "int {}(struct ibv_qp *qp) __attribute__((warn_unused_result));",
    "declared twice": "int {0}(struct ibv_qp *qp);\nint {0}(struct ibv_qp *qp);",
    "that a macro of the same name hides": "int {0}(struct ibv_qp *qp, int flags);\n#define {0}(qp) {0}(qp, 0)",
    "with a very long name":
        "int {}_of_a_name_that_goes_on_and_on_until_no_column_of_a_page_has_any_room_for_it(struct ibv_qp *qp);",
}


@each(list(SHAPES), "a call {}")
def _(tree: Tree, shape: str) -> Expected:
    name, declaration = tree.name("ibv_probe"), SHAPES[shape]
    more = [f"+ struct {name}_thing"] if "_thing" in declaration else []
    if "very long" in shape:
        name += "_of_a_name_that_goes_on_and_on_until_no_column_of_a_page_has_any_room_for_it"
        declaration = declaration.replace("{}_of_a_name_that_goes_on_and_on_until_no_column_of_a_page_has_any_room_for_it",
                                          "{}")
    return new_call(tree, VERBS, name, declaration, more)


@each([VERBS, CMA, MLX5], "a call that no library has, in {}")
def _(tree: Tree, header: str) -> Expected:
    expected = new_call(tree, header, tree.name("ibv_nowhere"), "int {}(struct ibv_context *context);")
    expected.told.append(rf"{expected.names[0]}.*no library")
    return expected


PROTOTYPES = {
    "const added": (VERBS, "int ibv_set_ece(struct ibv_qp *qp, struct ibv_ece *ece)",
                    "int ibv_set_ece(struct ibv_qp *qp, const struct ibv_ece *ece)", "ibv_set_ece"),
    "const added to the object of a method": (
        VERBS, "int ibv_modify_srq(struct ibv_srq *srq,", "int ibv_modify_srq(const struct ibv_srq *srq,", "ibv_modify_srq"),
    "const added to the context of a method": (
        VERBS, "int ibv_query_pkey(struct ibv_context *context, uint8_t port_num,",
        "int ibv_query_pkey(const struct ibv_context *context, uint8_t port_num,", "ibv_query_pkey"),
    "const added to the object that is asked": (
        VERBS, "int ibv_query_qp(struct ibv_qp *qp,", "int ibv_query_qp(const struct ibv_qp *qp,", "ibv_query_qp"),
    "a parameter added": (VERBS, "int ibv_query_ece(struct ibv_qp *qp, struct ibv_ece *ece)",
                          "int ibv_query_ece(struct ibv_qp *qp, struct ibv_ece *ece, uint32_t flags)",
                          "ibv_query_ece"),
    "a parameter wider": (VERBS, "int ibv_attach_mcast(struct ibv_qp *qp, const union ibv_gid *gid, uint16_t lid)",
                          "int ibv_attach_mcast(struct ibv_qp *qp, const union ibv_gid *gid, uint32_t lid)",
                          "ibv_attach_mcast"),
    "a parameter fewer": (VERBS, "int ibv_resize_cq(struct ibv_cq *cq, int cqe)",
                          "int ibv_resize_cq(struct ibv_cq *cq)", "ibv_resize_cq"),
    "a parameter with another name": (CMA, "int rdma_notify(struct rdma_cm_id *id, enum ibv_event_type event)",
                                      "int rdma_notify(struct rdma_cm_id *id, enum ibv_event_type what)", ""),
    "another result": (MLX5, "int mlx5dv_dci_stream_id_reset(struct ibv_qp *qp, uint16_t stream_id)",
                       "void mlx5dv_dci_stream_id_reset(struct ibv_qp *qp, uint16_t stream_id)",
                       "mlx5dv_dci_stream_id_reset"),
}


@each(list(PROTOTYPES), "a prototype changes: {}")
def _(tree: Tree, change: str) -> Expected:
    header, old, new, name = PROTOTYPES[change]
    tree.replace(header, old, new)
    methods = {"ibv_modify_srq": "vx_srq_modify_sized", "ibv_query_pkey": "vx_ctx_query_pkey", "ibv_query_qp": "vx_qp_query_sized"}
    return Expected([methods[name]] if name in methods else [], changes=[f"~ function {name}"] if name else [])


VANISHING = {
    "ibv_detach_mcast": (VERBS, "int ibv_detach_mcast(struct ibv_qp *qp, const union ibv_gid *gid, uint16_t lid);"),
    "rdma_set_option": (CMA, "int rdma_set_option(struct rdma_cm_id *id, int level, int optname,\n"
                             "\t\t    void *optval, size_t optlen);"),
    "ibv_fork_init": (VERBS, "int ibv_fork_init(void);"),
}


@each(list(VANISHING), "a call vanishes: {}")
def _(tree: Tree, name: str) -> Expected:
    tree.replace(*VANISHING[name], "")
    return Expected(gone=[name], changes=[f"- function {name}"])


@mutation("a call becomes a macro")
def _(tree: Tree, _: Random) -> Expected:
    old = "int ibv_query_gid(struct ibv_context *context, uint8_t port_num,\n\t\t  int index, union ibv_gid *gid);"
    tree.replace(VERBS, old, "int ibv_query_gid_v2(struct ibv_context *context, uint32_t port_num, int index,\n"
                 "\t\t     union ibv_gid *gid, uint32_t flags);\n"
                 "#define ibv_query_gid(context, port_num, index, gid) ibv_query_gid_v2(context, port_num, index, gid, 0)")
    return Expected(["ibv_query_gid_v2"], changes=["~ function ibv_query_gid", "+ function ibv_query_gid_v2"])


@mutation("an inline call becomes one of the library")
def _(tree: Tree, _: Random) -> Expected:
    text = tree.text(VERBS)
    start = text.index("static inline uint16_t ibv_flow_label_to_udp_sport")
    end = text.index("\n}\n", start) + 3
    tree.write(VERBS, text[:start] + "uint16_t ibv_flow_label_to_udp_sport(uint32_t fl);\n" + text[end:])
    tree.exported.setdefault(VERBS, []).append("ibv_flow_label_to_udp_sport")
    return Expected(changes=["~ function ibv_flow_label_to_udp_sport"])
