# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""What releases bring: builders, readers, masks with what they guard, more ways to make what there is, whole objects."""

from __future__ import annotations

import re
from random import Random

from .classes import each, mutation
from .tree import CMA, MLX5, VERBS, Expected, Tree

ANYTHING_ELSE = "~ ..."


@mutation("a new builder of work requests")
def _(tree: Tree, _: Random) -> Expected:
    n = tree.name("probe_op")
    tree.last_field(VERBS, "ibv_qp_ex", f"void (*wr_{n})(struct ibv_qp_ex *qp, uint32_t rkey, uint64_t remote_addr, const void *what);")
    tree.append(VERBS, f"static inline void ibv_wr_{n}(struct ibv_qp_ex *qp, uint32_t rkey, uint64_t remote_addr, const void "
                       f"*what)\n{{\n\tqp->wr_{n}(qp, rkey, remote_addr, what);\n}}")
    f = f"IBV_QP_EX_WITH_{n.upper()}"
    tree.enumerator(VERBS, "ibv_qp_create_send_ops_flags", f"{f} = 1 << 20")
    return Expected([f"ibv_wr_{n}", f], told=[f"ibv_wr_{n}"], changes=[f"+ function ibv_wr_{n}", ANYTHING_ELSE])


@mutation("a new setter of work requests")
def _(tree: Tree, _: Random) -> Expected:
    n = tree.name("set_probe")
    tree.last_field(VERBS, "ibv_qp_ex", f"void (*wr_{n})(struct ibv_qp_ex *qp, const struct ibv_sge *list, size_t count);")
    tree.append(VERBS, f"static inline void ibv_wr_{n}(struct ibv_qp_ex *qp, const struct ibv_sge *list, size_t "
                       f"count)\n{{\n\tqp->wr_{n}(qp, list, count);\n}}")
    return Expected([f"ibv_wr_{n}"], told=[f"ibv_wr_{n}"], changes=[f"+ function ibv_wr_{n}", ANYTHING_ELSE])


@mutation("a new builder of work requests of mlx5dv")
def _(tree: Tree, _: Random) -> Expected:
    n = tree.name("probe_op")
    tree.last_field(MLX5, "mlx5dv_qp_ex", f"void (*wr_{n})(struct mlx5dv_qp_ex *mqp, uint32_t lkey, struct ibv_sge *list);")
    tree.append(MLX5, f"static inline void mlx5dv_wr_{n}(struct mlx5dv_qp_ex *mqp, uint32_t lkey, struct ibv_sge "
                      f"*list)\n{{\n\tmqp->wr_{n}(mqp, lkey, list);\n}}")
    return Expected([f"mlx5dv_wr_{n}"], told=[f"mlx5dv_wr_{n}"], changes=[f"+ function mlx5dv_wr_{n}", ANYTHING_ELSE])


@mutation("a new reader of completions")
def _(tree: Tree, _: Random) -> Expected:
    n = tree.name("probe")
    tree.last_field(VERBS, "ibv_cq_ex", f"uint64_t (*read_{n})(struct ibv_cq_ex *current);")
    tree.append(VERBS, f"static inline uint64_t ibv_wc_read_{n}(struct ibv_cq_ex *cq)\n{{\n\treturn cq->read_{n}(cq);\n}}")
    f = f"IBV_WC_EX_WITH_{n.upper()}"
    tree.enumerator(VERBS, "ibv_create_cq_wc_flags", f"{f} = 1 << 20")
    return Expected([f"ibv_wc_read_{n}", f], changes=[f"+ function ibv_wc_read_{n}", ANYTHING_ELSE])


@mutation("a new bit and field of QPs' attributes")
def _(tree: Tree, _: Random) -> Expected:
    n = tree.name("probe_field")
    b = f"IBV_QP_{n.upper()}"
    tree.enumerator(VERBS, "ibv_qp_attr_mask", f"{b} = 1 << 26")
    tree.last_field(VERBS, "ibv_qp_attr", f"uint32_t {n};")
    return Expected([n, b], told=[b], changes=[f"+ enumerator {b}", f"+ field ibv_qp_attr.{n}", ANYTHING_ELSE])


@mutation("a new bit and structure of QPs' init structure")
def _(tree: Tree, _: Random) -> Expected:
    n = tree.name("probe")
    b = f"IBV_QP_INIT_ATTR_{n.upper()}"
    tree.replace(VERBS, "struct ibv_qp_init_attr_ex {", f"enum ibv_{n}_flags {{ IBV_{n.upper()}_A = 1, IBV_{n.upper()}_B = 2 }};\nstruct "
                                                        f"ibv_{n}_conf {{ uint32_t flags; /* enum ibv_{n}_flags */ union ibv_gid gid; "
                                                        f"struct ibv_qp *peer; const char *name; }};\nstruct ibv_qp_init_attr_ex {{")
    tree.enumerator(VERBS, "ibv_qp_init_attr_mask", f"{b} = 1 << 7")
    tree.last_field(VERBS, "ibv_qp_init_attr_ex", f"struct ibv_{n}_conf {n}_conf;")
    return Expected([b, f"{n}_conf"], told=[b], changes=[f"+ enumerator {b}", ANYTHING_ELSE])


NEW_STRUCTS = {
    "numbers": "uint32_t a; uint8_t b[6]; enum ibv_mtu mtu;",
    "a new enum": "enum {s}_e {{ {S}_A, {S}_B }} kind; enum {s}_e kinds[2];",
    "another new structure": "struct {s}_in {{ uint16_t x; union ibv_gid gid; }} in; struct {s}_in *far;",
    "bits": "uint32_t a : 3, b : 29; uint8_t c;",
    "an anonymous union": "union {{ uint32_t a; uint64_t b; }}; uint16_t c;",
    "an unnamed structure": "struct {{ uint32_t a, b; }} c; uint8_t d;",
    "a function": "int (*done)(void *data); void *data;",
    "an array of structures": "struct ibv_sge list[2]; uint32_t count;",
    "handles": "struct ibv_qp *qp; struct ibv_cq **cqs; int count;",
}


@each(list(NEW_STRUCTS), "an init structure has a new structure of: {}")
def _(tree: Tree, what: str) -> Expected:
    n, f = tree.name("ibv_probe"), tree.name("probe_field")
    body = NEW_STRUCTS[what].format(s=n, S=n.upper())
    tree.replace(VERBS, "struct ibv_dmah_init_attr {", f"struct {n} {{\n\t{body}\n}};\nstruct ibv_dmah_init_attr {{")
    tree.last_field(VERBS, "ibv_dmah_init_attr", f"struct {n} {f};")
    return Expected([n, f], changes=[f"+ struct {n}", ANYTHING_ELSE])


@each(["struct ibv_probe_u {f}[3];", "union ibv_probe_v {f};"], "an init structure has what only it has: {}")
def _(tree: Tree, text: str) -> Expected:
    f = tree.name("probe_field")
    if "struct ibv_probe_u {" not in tree.text(VERBS):
        tree.replace(VERBS, "struct ibv_wq_init_attr {", "struct ibv_probe_u {\n\tuint32_t a;\n};\nunion ibv_probe_v {\n\tuint32_t "
                                                         "a;\n\tvoid *b;\n};\nstruct ibv_wq_init_attr {")
    tree.last_field(VERBS, "ibv_wq_init_attr", text.format(f=f))
    return Expected([f], changes=[ANYTHING_ELSE])


@each(["ibv_wq_init_attr", "ibv_parent_domain_init_attr"], "functions in {} take a new structure")
def _(tree: Tree, tag: str) -> Expected:
    n, f = tree.name("ibv_probe"), tree.name("probe_field")
    tree.replace(VERBS, f"struct {tag} {{", f"struct {n} {{\n\tuint32_t a;\n}};\nstruct {tag} {{")
    tree.last_field(VERBS, tag, f"int (*{f})(struct {n} *what, const struct {n} *const *list);")
    return Expected([n, f], changes=[f"+ struct {n}", ANYTHING_ELSE])


@mutation("an event with an element of its own")
def _(tree: Tree, _: Random) -> Expected:
    n = tree.name("IBV_EVENT_DM_PROBE_")
    tree.enumerator(VERBS, "ibv_event_type", f"{n} = 21")
    tree.replace(VERBS, "\t} element;", "\t\tstruct ibv_dm *dm;\n\t} element;")
    return Expected([n, "dm"], told=[n], changes=[f"+ enumerator {n}", ANYTHING_ELSE])


@mutation("a specification of flows with its structure")
def _(tree: Tree, _: Random) -> Expected:
    n = tree.name("probe")
    s = f"IBV_FLOW_SPEC_{n.upper()}"
    tree.enumerator(VERBS, "ibv_flow_spec_type", f"{s} = 0x70")
    tree.replace(VERBS, "struct ibv_flow_spec {", f"struct ibv_flow_{n}_filter {{ __be16 port; uint8_t bits; }};\nstruct "
                                                  f"ibv_flow_spec_{n} {{ enum ibv_flow_spec_type type; uint16_t size; struct "
                                                  f"ibv_flow_{n}_filter val, mask; }};\nstruct ibv_flow_spec {{")
    t, b, e = tree.body(VERBS, "struct", "ibv_flow_spec")
    at = t.index("union {", b) + len("union {")
    tree.write(VERBS, t[:at] + f"\n\t\tstruct ibv_flow_spec_{n} {n};" + t[at:])
    return Expected([s, f"ibv_flow_spec_{n}"], told=[s], changes=[f"+ enumerator {s}", ANYTHING_ELSE])


@each(["struct ibv_qp *ibv_create_qp_{w}(struct ibv_context *context, struct ibv_qp_init_attr_ex *attr);",
       "struct ibv_pd *ibv_alloc_pd_{w}(struct ibv_context *context, uint32_t flags);",
       "struct ibv_mr *ibv_reg_mr_{w}(struct ibv_pd *pd, void *addr, size_t length, int access, int fd);",
       "struct ibv_cq_ex *ibv_create_cq_{w}(struct ibv_context *context, struct ibv_cq_init_attr_ex *attr, size_t size);",
       "int ibv_create_ah_{w}(struct ibv_pd *pd, struct ibv_ah_attr *attr, struct ibv_ah **ah);"], "another call makes what there is: {}")
def _(tree: Tree, text: str) -> Expected:
    w = tree.name("probe")
    name = re.search(r"\w+(?=\()", text.format(w=w))[0]
    tree.append(VERBS, text.format(w=w))
    return Expected([name], told=[name], changes=[f"+ function {name}"])


@each(["int ibv_destroy_qp_{w}(struct ibv_qp *qp, uint32_t flags);",
       "void ibv_dereg_mr_{w}(struct ibv_mr *mr);",
       "int ibv_free_{w}(struct ibv_dm *dm);"], "another call ends what there is: {}")
def _(tree: Tree, text: str) -> Expected:
    w = tree.name("probe")
    name = re.search(r"\w+(?=\()", text.format(w=w))[0]
    tree.append(VERBS, text.format(w=w))
    return Expected([name], told=[name], changes=[f"+ function {name}"])

MAKES = {
    "lists": "struct {s} **ibv_get_{w}_list(struct ibv_context *context, int *count);\nvoid ibv_free_{w}_list(struct {s} **list);",
    "through a parameter and a list of others": "int ibv_create_{w}(struct ibv_pd *pd, struct ibv_qp **qps, unsigned int count, struct "
                                                "{s} **out);\nint ibv_destroy_{w}(struct {s} *{w});",
    "of two parents": "struct {s} *ibv_create_{w}(struct ibv_qp *qp, struct ibv_cq *cq, uint32_t flags);\nint ibv_destroy_{w}(struct {s} *{w});",
    "without a parent": "struct {s} *ibv_create_{w}(void);\nvoid ibv_destroy_{w}(struct {s} *{w});",
    "with a parameter to destroy": "struct {s} *ibv_create_{w}(struct ibv_pd *pd);\nint ibv_destroy_{w}(struct {s} *{w}, int force);",
    "with a callback": "struct {s} *ibv_create_{w}(struct ibv_context *context, void (*done)(struct {s} *, void *), void *data);\nint "
                       "ibv_destroy_{w}(struct {s} *{w});",
    "that are numbers": "int ibv_alloc_{w}(struct ibv_context *context, uint32_t *number);\nint ibv_free_{w}(struct ibv_context *context, "
                        "uint32_t number);",
    "with methods": "struct {s} *ibv_create_{w}(struct ibv_pd *pd, const struct {s}_attr *attr);\nint ibv_destroy_{w}(struct {s} "
                    "*{w});\nint ibv_query_{w}(struct {s} *{w}, struct {s}_attr *attr, size_t size);\nint ibv_modify_{w}(struct {s} *{w}, "
                    "const struct {s}_attr *attr, uint32_t mask);\nint ibv_get_{w}_event(struct {s} *{w}, uint64_t *value);",
    "of each other": "struct {s} *ibv_create_{w}(struct {s} *other);\nint ibv_destroy_{w}(struct {s} *{w});",
    "import and unimport": "struct {s} *ibv_import_{w}(struct ibv_context *context, uint32_t handle);\nvoid ibv_unimport_{w}(struct {s} *{w});",
    "const": "const struct {s} *ibv_open_{w}(struct ibv_context *context);\nvoid ibv_close_{w}(const struct {s} *{w});",
    "attach and detach": "int ibv_attach_{w}(struct ibv_qp *qp, struct ibv_counters *counters);\nint ibv_detach_{w}(struct ibv_qp *qp, "
                         "struct ibv_counters *counters);",
    "of a vendor, by numbers": "struct {s} *mlx5dv_create_{w}(struct ibv_pd *pd, uint32_t number);\nint mlx5dv_destroy_{w}(struct {s} *{w});",
}


@each(list(MAKES), "calls that make and end: {}")
def _(tree: Tree, what: str) -> Expected:
    w = tree.name("thing")
    s = f"ibv_{w}"
    header = MLX5 if "vendor" in what else VERBS
    text = MAKES[what].format(s=s, w=w)
    tree.append(header, f"struct {s}_attr {{ uint32_t comp_mask; uint32_t size; }};\nstruct {s} {{ struct ibv_context *context; uint32_t "
                        f"handle; }};\n{text}")
    calls = re.findall(r"(\w+)\(", re.sub(r"\(\*\w+\)", "", text))
    return Expected(calls, told=[calls[0]], changes=[ANYTHING_ELSE, *(f"+ function {c}" for c in calls)])


@mutation("all of a new object, as a release brings it")
def _(tree: Tree, _: Random) -> Expected:
    w = tree.name("chan")
    s = f"ibv_{w}"
    U = s.upper()
    tree.append(VERBS, f"""
enum {s}_init_attr_mask {{ {U}_INIT_ATTR_DEPTH = 1 << 0, {U}_INIT_ATTR_CQ = 1 << 1 }};
enum {s}_type {{ {U}_TYPE_A, {U}_TYPE_B }};
struct {s}_init_attr {{ uint32_t comp_mask; /* enum {s}_init_attr_mask */ uint32_t depth; enum {s}_type type; struct ibv_cq *cq; union {{ struct ibv_sge *list; uint64_t addr; }}; int num; }};
struct {s} {{ struct ibv_context *context; struct ibv_pd *pd; uint32_t handle; pthread_mutex_t mutex; }};
struct {s} *ibv_create_{w}(struct ibv_pd *pd, struct {s}_init_attr *attr);
int ibv_destroy_{w}(struct {s} *{w});
static inline int ibv_post_{w}(struct {s} *{w}, struct ibv_send_wr *wr, struct ibv_send_wr **bad) {{ (void){w}; *bad = wr; return EOPNOTSUPP; }}
struct ibv_mr *ibv_{w}_mr(struct {s} *{w});
""")
    return Expected([f"ibv_create_{w}", f"{U}_TYPE_B", f"{s}_init_attr"], told=[f"ibv_create_{w}"], changes=[f"+ struct {s}", ANYTHING_ELSE])


@mutation("an object of mlx5dv_obj")
def _(tree: Tree, _: Random) -> Expected:
    n = tree.name("probe")
    t, b, e = tree.body(MLX5, "struct", "mlx5dv_obj")
    tree.write(MLX5, t[:b] + t[b:e] + f"\tstruct {{\n\t\tstruct ibv_mr *in;\n\t\tstruct mlx5dv_{n} *out;\n\t}} {n};\n" + t[e:])
    tree.enumerator(MLX5, "mlx5dv_obj_type", f"MLX5DV_OBJ_{n.upper()} = 1 << 9")
    tree.replace(MLX5, "struct mlx5dv_obj {", f"struct mlx5dv_{n} {{ uint32_t a; uint64_t comp_mask; }};\nstruct mlx5dv_obj {{")
    return Expected([f"MLX5DV_OBJ_{n.upper()}", f"mlx5dv_{n}"], changes=[ANYTHING_ELSE])

METHODS = [
    "int ibv_qp_to_rts{x}(struct ibv_qp *qp);",
    "int ibv_qp_raw{x}(struct ibv_qp *qp);",
    "int ibv_close_qp{x}(struct ibv_qp *qp);",
    "int ibv_qp_close{x}(struct ibv_qp *qp);",
    "int ibv_ctx_query_port{x}(struct ibv_context *ctx);",
    "int ibv_raw{x}(struct ibv_context *ctx);",
    "int ibv_query_raw{x}(struct ibv_qp *qp);",
    "uint32_t ibv_qp_num{x}(struct ibv_qp *qp);",
    "enum ibv_qp_state ibv_qp_state{x}(struct ibv_qp *qp);",
    "int ibv_qp_print{x}(struct ibv_qp *qp);",
    "int ibv_mr_range{x}(struct ibv_mr *mr);",
    "int ibv_mr_is_dmabuf{x}(struct ibv_mr *mr);",
    "int ibv_close{x}(struct ibv_qp *qp);",
    "int ibv_print{x}(struct ibv_qp *qp);",
    "int ibv_error{x}(struct ibv_context *c);",
    "int ibv_{x}(struct ibv_qp *qp);",
    "int ibv_qp{x}(struct ibv_qp *qp);",
    "int ibv_qp_{x}(struct ibv_qp *qp);",
    "int ibv_qp_init{x}(struct ibv_qp *qp);",
    "int ibv_qp_create{x}(struct ibv_pd *pd);",
    "int ibv_int{x}(struct ibv_qp *qp);",
    "int ibv_default{x}(struct ibv_qp *qp);",
    "int rdma_close{x}(struct rdma_cm_id *id);",
    "int mlx5dv_close{x}(struct ibv_qp *qp);",
    "int mlx5dv_query_qp{x}(struct ibv_qp *qp);",
    "int mlx5dv_raw{x}(struct ibv_qp *qp);",
]


@each(METHODS, "a method by the name of something of ours: {}")
def _(tree: Tree, text: str) -> Expected:
    text = text.replace("{x}", "")
    name = re.search(r"\w+(?=\()", text)[0]
    header = CMA if name.startswith("rdma") else MLX5 if name.startswith("mlx5") else VERBS
    tree.append(header, text)
    tree.exported.setdefault(header, []).append(name)
    return Expected([name], changes=[f"+ function {name}"])


@mutation("calls whose methods would have one name")
def _(tree: Tree, _: Random) -> Expected:
    n = tree.name("probe") + "s"  # which no library is told to export: methods of one name are refused, and [named] asked for
    tree.append(VERBS, f"int ibv_query_{n}(struct ibv_context *c);\nint ibv_ctx_query_{n}(struct ibv_context *c);\nint "
                       f"ibv_query_{n}_qp(struct ibv_qp *q);\nint ibv_query_qp_{n}(struct ibv_qp *q);\nint ibv_qp_query_{n}(struct ibv_qp *qp);")
    tree.append(MLX5, f"int mlx5dv_query_{n}(struct ibv_context *c);\nint mlx5dv_ctx_query_{n}(struct ibv_context *c);")
    tree.append(CMA, f"int rdma_query_{n}(struct ibv_context *c);")
    return Expected([f"ibv_query_{n}", f"mlx5dv_query_{n}", f"rdma_query_{n}"], changes=[ANYTHING_ELSE])

PROTO = {
    "dots": ("int ibv_set_ece(struct ibv_qp *qp, struct ibv_ece *ece)", "int ibv_set_ece(struct ibv_qp *qp, struct ibv_ece *ece, ...)"),
    "another structure": ("int ibv_set_ece(struct ibv_qp *qp, struct ibv_ece *ece)", "int ibv_set_ece(struct ibv_qp *qp, struct ibv_qp_cap *ece)"),
    "parameters in another order": ("int ibv_set_ece(struct ibv_qp *qp, struct ibv_ece *ece)", "int ibv_set_ece(struct ibv_ece *ece, "
            "struct ibv_qp *qp)"),
    "a number for an enum": ("const char *ibv_port_state_str(enum ibv_port_state port_state)", "const char *ibv_port_state_str(uint32_t "
            "port_state)"),
    "an enum for a number": ("int ibv_resize_cq(struct ibv_cq *cq, int cqe)", "int ibv_resize_cq(struct ibv_cq *cq, enum ibv_mtu cqe)"),
    "no const result": ("const char *ibv_port_state_str(enum ibv_port_state port_state)", "char *ibv_port_state_str(enum ibv_port_state "
            "port_state)"),
    "a wider result": ("int ibv_resize_cq(struct ibv_cq *cq, int cqe)", "int64_t ibv_resize_cq(struct ibv_cq *cq, int cqe)"),
    "nonnull": ("int ibv_resize_cq(struct ibv_cq *cq, int cqe)", "int ibv_resize_cq(struct ibv_cq *cq, int cqe) __attribute__((nonnull))"),
    "a destroy without result": ("int ibv_dealloc_pd(struct ibv_pd *pd)", "void ibv_dealloc_pd(struct ibv_pd *pd)"),
    "a destroy with flags": ("int ibv_destroy_cq(struct ibv_cq *cq)", "int ibv_destroy_cq(struct ibv_cq *cq, int flags)"),
    "a const destroy": ("int ibv_destroy_srq(struct ibv_srq *srq)", "int ibv_destroy_srq(const struct ibv_srq *srq)"),
    "a maker of another": ("struct ibv_dmah *ibv_alloc_dmah(struct ibv_context *context,", "struct ibv_dmah *ibv_alloc_dmah(struct ibv_pd *context,"),
}


@each(list(PROTO), "a prototype of what is there: {}")
def _(tree: Tree, what: str) -> Expected:
    old, new = PROTO[what]
    if tree.text(VERBS).count(old) == 1: tree.replace(VERBS, old, new)
    else:
        raise LookupError(f"none or two: {old}")
    return Expected(changes=[ANYTHING_ELSE])


@each(["ibv_destroy_qp", "ibv_alloc_dmah", "ibv_create_comp_cntr", "ibv_query_qp", "ibv_reg_buf_mr", "ibv_dealloc_dmah"], "a call of an object vanishes: {}")
def _(tree: Tree, name: str) -> Expected:
    t = tree.text(VERBS)
    m = re.search(rf"^(?:int |struct \w+ \*){name}\([^;]*;\n", t, re.M)
    if not m: raise LookupError(name)
    t = t[:m.start()] + t[m.end():]
    tree.write(VERBS, t)
    return Expected(gone=[name], changes=[f"- function {name}", ANYTHING_ELSE])
