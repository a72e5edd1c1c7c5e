# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""Fields that are renamed, moved or removed, of structures that lore, init structures and methods use."""

from __future__ import annotations

import re
from random import Random

from .classes import each, mutation
from .tree import CMA, MLX5, VERBS, Expected, Tree

EFA = "infiniband/efadv.h"
FIELDS = {
    "one that lore describes": (VERBS, "ibv_device_attr_ex", "phys_port_cnt_ex"),
    "one of an init structure": (VERBS, "ibv_qp_init_attr_ex", "source_qpn"),
    "one with a default": (VERBS, "ibv_wq_init_attr", "max_sge"),
    "one of what is kept": (VERBS, "ibv_cq_init_attr_ex", "comp_vector"),
    "one of an init structure of mlx5dv": (MLX5, "mlx5dv_qp_init_attr", "create_flags"),
    "one of a connection": (CMA, "rdma_conn_param", "srq"),
    "one that a limit speaks of": (VERBS, "ibv_srq_attr", "srq_limit"),
}


def _declaration(tree: Tree, header: str, tag: str, field: str) -> str:
    text, begin, end = tree.body(header, "struct", tag)
    found = [line for line in text[begin:end].splitlines() if re.search(rf"\b{field}\b", line)]
    if not found:
        raise LookupError(f"{header}: {tag} has no {field}")
    return found[0]


def _edit(tree: Tree, header: str, tag: str, old: str, new: str) -> None:
    text, begin, end = tree.body(header, "struct", tag)
    tree.write(header, text[:begin] + text[begin:end].replace(old, new, 1) + text[end:])


@each(list(FIELDS), "a field is renamed: {}")
def _(tree: Tree, which: str) -> Expected:
    header, tag, field = FIELDS[which]
    name = tree.name(f"{field}_")
    line = _declaration(tree, header, tag, field)
    _edit(tree, header, tag, line, re.sub(rf"\b{field}\b", name, line))
    _rename_uses(tree, header, field, name)
    return Expected([name], told=[rf"{tag}\.{field}|{field}"],
                    changes=[f"- field {tag}.{field}", f"+ field {tag}.{name}"])


def _rename_uses(tree: Tree, header: str, field: str, name: str) -> None:
    """Inline functions of the header go on working."""
    tree.write(header, re.sub(rf"(->|\.){field}\b", rf"\g<1>{name}", tree.text(header)))


@each(list(FIELDS), "a field goes: {}")
def _(tree: Tree, which: str) -> Expected:
    header, tag, field = FIELDS[which]
    _edit(tree, header, tag, _declaration(tree, header, tag, field) + "\n", "")
    return Expected(told=[rf"{tag}\.{field}|{field}"], changes=[f"- field {tag}.{field}", "~ ..."])


@mutation("a field that was gone comes back, behind a new one")
def _(tree: Tree, _: Random) -> Expected:
    name = tree.name("max_rings")
    tree.replace(EFA, "\tuint32_t max_rdma_size;\n", f"\tuint32_t max_rdma_size;\n\tuint16_t {name};\n\tuint8_t reserved[6];\n")
    return Expected([name], changes=[f"+ field efadv_device_attr.{name}", "+ field efadv_device_attr.reserved", "~ struct efadv_device_attr"])


@mutation("a field that lore chooses others by becomes bits", alone=True)
def _(tree: Tree, _: Random) -> Expected:
    tree.replace(VERBS, "\tuint8_t\t\t\tis_global;\n", "\tuint8_t\t\t\tis_global : 1;\n")
    return Expected(changes=["~ field ibv_ah_attr.is_global", "~ ..."], refused=r"ibv_ah_attr\.is_global: is no more in JSON, and was bool")


NUMBERS = ("one that lore describes", "one of an init structure", "one with a default", "one of what is kept",
           "one that a limit speaks of", "one of an init structure of mlx5dv")


@each(list(FIELDS), "a field is wider: {}", alone=NUMBERS)
def _(tree: Tree, which: str) -> Expected:
    header, tag, field = FIELDS[which]
    line = _declaration(tree, header, tag, field)
    wider = re.sub(r"(^\s*)(struct \w+|\w+)(\s+)", r"\g<1>uint64_t\g<3>", line) if "*" not in line.partition("/*")[0] else line
    _edit(tree, header, tag, line, wider)
    refused = rf"{tag}\.{field}: is wide_\w+ in JSON, and was \w+" if which in NUMBERS else ""
    return Expected(changes=[f"~ field {tag}.{field}", "~ ..."], refused=refused)


OTHERWISE = {"a wider mask": ("comp_mask", "uint64_t {f};"), "a pointer": ("cpu_id", "void *{f};"), "an array": ("cpu_id", "uint32_t {f}[3];"),
             "a structure": ("cpu_id", "struct { int a; } {f};"), "a function": ("cpu_id", "void (*{f})(int);"), "of another enum": ("cpu_id", "enum ibv_mtu {f};")}


@each(list(OTHERWISE), "what was published in an init structure is: {}", alone=OTHERWISE)
def _(tree: Tree, which: str) -> Expected:
    """Of all releases it is refused, as older ones have what was published; a tree alone is taken at its word."""
    tag, (field, declaration) = "ibv_dmah_init_attr", OTHERWISE[which]
    _edit(tree, VERBS, tag, _declaration(tree, VERBS, tag, field), f"\t{declaration.replace('{f}', field)}")
    refused = rf"(structs\.toml:\d+: struct vx_dmah_init: |json\.toml:\d+: \w+\.){field}"
    return Expected(changes=[f"~ field {tag}.{field}", "~ ..."], refused=refused)
