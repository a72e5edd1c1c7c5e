# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""Names for types, structures that have no tag, and variables."""

from __future__ import annotations

from random import Random

from .classes import each, mutation
from .tree import MLX5, VERBS, Expected, Tree

# What a typedef may stand for, beside a structure of its own.
TYPES = {
    "a number": "typedef uint32_t {t};",
    "a union with a tag": "typedef union ibv_gid {t};",
    "a pointer": "typedef struct ibv_qp *{t};",
    "a structure that is nowhere defined": "typedef struct {t}_inner {t};",
    "an enum": "typedef enum ibv_node_type {t};",
    "a function": "typedef int (*{t})(struct ibv_qp *qp, void *data);",
    "an array": "typedef uint8_t {t}[16];",
    "another typedef": "typedef __be32 {t};",
}


@each(list(TYPES), "a typedef: {}")
def _(tree: Tree, what: str) -> Expected:
    name = tree.name("ibv_probe_t")
    tree.append(VERBS, TYPES[what].format(t=name))
    opaque = [f"+ struct {name}_inner"] if what == "a structure that is nowhere defined" else []
    return Expected(changes=[f"+ typedef {name}", *opaque])


USED = ["a number", "a union with a tag", "an enum", "a function", "another typedef", "an array"]


@each(USED, "an init structure has a field of a typedef: {}")
def _(tree: Tree, what: str) -> Expected:
    name, field = tree.name("ibv_probe_t"), tree.name("probe_field")
    tree.replace(VERBS, "struct ibv_wq_init_attr {", f"{TYPES[what].format(t=name)}\nstruct ibv_wq_init_attr {{")
    tree.last_field(VERBS, "ibv_wq_init_attr", f"{name} {field};")
    return Expected([field], changes=[f"+ typedef {name}", "~ struct ibv_wq_init_attr", f"+ field ibv_wq_init_attr.{field}"])


@each(["a number", "a pointer", "an enum", "a function", "another typedef"], "a call takes and gives a typedef: {}")
def _(tree: Tree, what: str) -> Expected:
    name, call = tree.name("ibv_probe_t"), tree.name("ibv_probe_call")
    tree.append(VERBS, f"{TYPES[what].format(t=name)}\nstatic inline {name} {call}(struct ibv_qp *qp, {name} value)"
                       " { (void)qp; return value; }")
    return Expected([call], changes=[f"+ typedef {name}", f"+ function {call}"])


def _untagged(tree: Tree, word: str = "struct") -> tuple[str, str]:
    name, field = tree.name("ibv_probe"), tree.name("probe_field")
    return name, f"typedef {word} {{\n\tuint32_t {field};\n\tenum ibv_node_type {field}_type;\n}} {name};"


@each(["struct", "union"], "a typedef is all the name of a {}")
def _(tree: Tree, word: str) -> Expected:
    name, text = _untagged(tree, word)
    tree.append(VERBS, text)
    return Expected([name], changes=[f"+ struct {name}"])


@mutation("a typedef-only structure within an init structure")
def _(tree: Tree, _: Random) -> Expected:
    name, text = _untagged(tree)
    field = tree.name("probe_field")
    tree.replace(VERBS, "struct ibv_wq_init_attr {", f"{text}\nstruct ibv_wq_init_attr {{")
    tree.last_field(VERBS, "ibv_wq_init_attr", f"{name} {field};")
    return Expected([name, field], changes=[f"+ struct {name}", "~ struct ibv_wq_init_attr", f"+ field ibv_wq_init_attr.{field}"])


@mutation("typedef-only structures in and behind others")
def _(tree: Tree, _: Random) -> Expected:
    name, text = _untagged(tree)
    outer = tree.name("mlx5dv_probe")
    tree.append(MLX5, f"{text}\ntypedef struct {{\n\t{name} one;\n\t{name} many[3];\n\t{name} *far;\n\tunion {{ {name} a; int b; }} u;\n"
                      f"\tstruct {{ uint32_t flags; }} nameless;\n}} {outer};\nstruct {outer}_3 {{\n\t{outer} inside;\n}};")
    return Expected([name, outer], changes=[f"+ struct {name}", f"+ struct {outer}", f"+ struct {outer}_3"])


@each(["takes", "gives", "takes a list of"], "a call that {} a typedef-only structure")
def _(tree: Tree, what: str) -> Expected:
    name, text = _untagged(tree)
    call = tree.name("ibv_probe_call")
    shape = {"takes": f"int {call}(struct ibv_qp *qp, {name} *attr)", "gives": f"{name} *{call}(struct ibv_qp *qp)",
             "takes a list of": f"int {call}(struct ibv_qp *qp, const {name} *attr, unsigned int count)"}[what]
    tree.append(VERBS, f"{text}\n{shape};")
    return Expected([name], changes=[f"+ struct {name}", f"+ function {call}"])


@each(["extern int {v};", "extern const struct ibv_qp_cap {v};", "static const uint32_t {v} __attribute__((unused)) = 3;"],
      "a variable is told of: {}")
def _(tree: Tree, text: str) -> Expected:
    name = tree.name("ibv_probe")
    tree.append(VERBS, text.format(v=name))
    return Expected(told=[f"{name}: a variable"], changes=[f"+ variable {name}"])
