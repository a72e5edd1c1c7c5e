# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""Calls that make objects of new kinds, and headers that are new."""

from __future__ import annotations

from random import Random

from .classes import each, mutation
from .tree import CMA, MLX5, VERBS, Expected, Tree

PAIRS = {
    "create, destroy": (VERBS, "struct {s} *ibv_create_{w}(struct ibv_pd *pd, struct {s}_attr *attr);",
                        "int ibv_destroy_{w}(struct {s} *{w});"),
    "create, destroy of a context": (VERBS, "struct {s} *ibv_create_{w}(struct ibv_context *context, uint32_t size);",
                                     "int ibv_destroy_{w}(struct {s} *{w});"),
    "alloc, dealloc": (VERBS, "struct {s} *ibv_alloc_{w}(struct ibv_context *context);",
                       "int ibv_dealloc_{w}(struct {s} *{w});"),
    "alloc, free": (VERBS, "struct {s} *ibv_alloc_{w}(struct ibv_context *context, struct {s}_attr *attr);",
                    "void ibv_free_{w}(struct {s} *{w});"),
    "open, close": (VERBS, "struct {s} *ibv_open_{w}(struct ibv_context *context, struct {s}_attr *attr);",
                    "int ibv_close_{w}(struct {s} *{w});"),
    "reg, dereg": (VERBS, "struct {s} *ibv_reg_{w}(struct ibv_pd *pd, void *addr, size_t length, int access);",
                   "int ibv_dereg_{w}(struct {s} *{w});"),
    "_create, _destroy": (MLX5, "struct {s} *mlx5dv_{w}_create(struct ibv_context *context, const struct {s}_attr *attr);",
                          "int mlx5dv_{w}_destroy(struct {s} *{w});"),
    "_alloc, _free": (MLX5, "struct {s} *mlx5dv_{w}_alloc(struct ibv_context *context, uint32_t flags);",
                      "void mlx5dv_{w}_free(struct {s} *{w});"),
    "create_, destroy_ through a parameter": (CMA, "int rdma_create_{w}(struct rdma_cm_id *id, struct {s} **{w});",
                                              "int rdma_destroy_{w}(struct {s} *{w});"),
}


@each(list(PAIRS), "a pair of calls that makes objects: {}")
def _(tree: Tree, pair: str) -> Expected:
    header, create, destroy = PAIRS[pair]
    word = tree.name("thing")
    struct = f"{'mlx5dv' if header == MLX5 else 'rdma' if header == CMA else 'ibv'}_{word}"
    create, destroy = (text.format(s=struct, w=word) for text in (create, destroy))
    structs = f"struct {struct} {{\n\tstruct ibv_context *context;\n\tuint32_t handle;\n}};\n"
    changes = [f"+ struct {struct}"]
    if "_attr *" in create:
        structs += f"struct {struct}_attr {{\n\tuint32_t comp_mask;\n\tuint32_t size;\n}};\n"
        changes.append(f"+ struct {struct}_attr")
    tree.append(header, f"{structs}{create}\n{destroy}")
    calls = [text.split("(")[0].split()[-1].lstrip("*") for text in (create, destroy)]
    return Expected(calls, told=[rf"object.*{calls[0]}|{calls[0]}.*object"],
                    changes=changes + [f"+ function {call}" for call in calls])


@mutation("a call that creates what nothing destroys")
def _(tree: Tree, _: Random) -> Expected:
    word = tree.name("thing")
    tree.append(VERBS, f"struct ibv_{word} {{ struct ibv_context *context; }};\n"
                       f"struct ibv_{word} *ibv_create_{word}(struct ibv_pd *pd);")
    return Expected([f"ibv_create_{word}"], told=[f"ibv_create_{word}"],
                    changes=[f"+ struct ibv_{word}", f"+ function ibv_create_{word}"])


CLASHES = {
    "one that every kind has": ("ibv_qp_adopt", "ibv_qp_borrow"),
    "that of another call": ("ibv_qp_query", "ibv_qp_modify"),
    "a function of libverbsx": ("ibv_cq_check", "ibv_cq_dispatch"),
}


@each(list(CLASHES), "a call whose method would be called as {}")
def _(tree: Tree, what: str) -> Expected:
    calls = CLASHES[what]
    for call in calls:
        tree.append(VERBS, f"static inline int {call}(struct ibv_{call[4:6]} *obj) {{ return !obj; }}")
    return Expected(calls, told=[rf"{call}: no method: vx_[cq][qp]_\w+ would be its method" for call in calls], changes=[f"+ function {call}" for call in calls])


@mutation("a new header that a header includes")
def _(tree: Tree, _: Random) -> Expected:
    header = f"infiniband/{tree.name('probe')}.h"
    macro = tree.name("PROBE_H_")
    tree.write(header, f"#ifndef {macro}\n#define {macro}\n#include <stdint.h>\n"
                       f"struct {macro.lower()} {{ uint32_t a; }};\nenum {macro.lower()}_e {{ {macro}_A, {macro}_B }};\n"
                       f"int {macro.lower()}_call(struct {macro.lower()} *it);\n#endif\n")
    text = tree.text(VERBS)
    tree.write(VERBS, text.replace("#include <infiniband/verbs_api.h>",
                                   f"#include <infiniband/verbs_api.h>\n#include <{header}>", 1))
    return Expected(told=[header])


@mutation("a new header that nothing includes")
def _(tree: Tree, _: Random) -> Expected:
    header = f"infiniband/{tree.name('probe')}dv.h"
    tree.write(header, "#include <infiniband/verbs.h>\nint probedv_call(struct ibv_qp *qp);\n")
    return Expected(told=[header])


@mutation("include guards are called otherwise")
def _(tree: Tree, _: Random) -> Expected:
    for header, guard in ((VERBS, "INFINIBAND_VERBS_H"), (MLX5, "_MLX5DV_H_")):
        tree.write(header, tree.text(header).replace(f"#ifndef {guard}\n#define {guard}", "#pragma once\n#if 1", 1))
    return Expected(changes=["~ ..."])


@mutation("macros before all else")
def _(tree: Tree, _: Random) -> Expected:
    name = tree.name("VENDOR_BACKPORT_")
    tree.write(VERBS, f"#define {name} 1\n#define HAVE_{name}_FEATURE\n" + tree.text(VERBS))
    return Expected(changes=[f"+ macro {name}", f"+ macro HAVE_{name}_FEATURE"])
