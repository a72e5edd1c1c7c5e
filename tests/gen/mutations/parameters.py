# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""New calls whose parameters are called, or written, in ways that could meet what generated code calls its own."""

from __future__ import annotations

from random import Random

from .classes import each, mutation
from .tree import CMA, MLX5, VERBS, Expected, Tree


def new_call(tree: Tree, header: str, name: str, declaration: str, more: list[str] | None = None) -> Expected:
    """A call of the end of a header; the declaration has its name as {}."""
    tree.append(header, declaration.format(name))
    return Expected([name], changes=[f"+ function {name}"] + (more or []))


LOCALS = ["rc", "ret", "call", "out", "result", "self", "name", "fn", "function", "lib", "symbol", "release", "trace",
          "traced", "arguments", "args", "values", "attr", "init", "object", "handle", "node", "error", "errno_", "v",
          "i", "n", "p", "t", "a", "b", "size", "sizeof_", "row", "real", "raw", "front", "opened", "value"]


@each(LOCALS, "a parameter called {}")
def _(tree: Tree, local: str) -> Expected:
    return new_call(tree, VERBS, tree.name("ibv_probe"), f"int {{}}(struct ibv_qp *qp, int {local}, int other);")


@each(["qp", "vx_qp", "struct_", "qp_", "vx"], "a method of a qp whose other parameter is called {}")
def _(tree: Tree, local: str) -> Expected:
    return new_call(tree, VERBS, tree.name("ibv_probe"), f"int {{}}(struct ibv_qp *ibqp, uint32_t {local});")


@each(["class", "new", "this", "template", "delete", "private", "operator", "namespace", "bool_", "and"],
      "a parameter called as C++ calls something: {}")
def _(tree: Tree, word: str) -> Expected:
    name = tree.name("ibv_probe")
    tree.append(VERBS, f"#ifndef __cplusplus\nint {name}(struct ibv_pd *pd, uint32_t {word});\n#else\n"
                       f"int {name}(struct ibv_pd *pd, uint32_t {word}_);\n#endif")
    return Expected([name], changes=[f"+ function {name}"])


@each([VERBS, CMA, MLX5], "parameters without names, in {}")
def _(tree: Tree, header: str) -> Expected:
    return new_call(tree, header, tree.name("ibv_probe"), "int {}(struct ibv_qp *, uint8_t, const char *, void **);")


@each(["struct ibv_context *context, struct ibv_port_attr *{0}", "struct ibv_qp *{0}, int flags", "struct ibv_pd *pd, int (*{0})(int)"],
      "a parameter called as its function: {}")
def _(tree: Tree, parameters: str) -> Expected:
    return new_call(tree, VERBS, tree.name("ibv_probe"), f"int {{0}}({parameters});")


@mutation("one parameter has a name and the next has none")
def _(tree: Tree, _: Random) -> Expected:
    return new_call(tree, VERBS, tree.name("ibv_probe"), "int {}(struct ibv_qp *qp, int, int arg1, int);")


@mutation("a parameter that the lore of another group knows")
def _(tree: Tree, random: Random) -> Expected:
    other = random.choice(["cqe", "attr_mask", "port_num", "gid", "access", "pkey", "length", "lid", "comp_vector"])
    return new_call(tree, MLX5, tree.name("mlx5dv_probe"), f"int {{}}(struct ibv_qp *qp, uint64_t {other});")


# Types that none but the newest headers have, within those of functions, which stand in declarations for all releases.
CALLBACKS = {
    "and its argument": "typedef void (*{0}_cb)(void *arg, int level, const char *msg);\nint {0}(struct ibv_context *context, {0}_cb cb, void *arg);",
    "and a structure": "int {0}(struct ibv_qp *qp, int (*done)(struct ibv_qp *qp), struct ibv_port_attr *attr);",
    "that takes a new structure": "struct {0}_told {{ int level; }};\nint {0}(struct ibv_context *context, void (*cb)(const struct {0}_told *told));",
    "that takes a new enum": "enum {0}_level {{ {0}_LOW }};\nint {0}(struct ibv_context *context, void (*cb)(enum {0}_level level));",
    "that gives a new enum": "enum {0}_level {{ {0}_LOW }};\nint {0}(struct ibv_context *context, enum {0}_level (*cb)(void *arg), void *arg);",
}


@each(list(CALLBACKS), "a call of an object that takes a function {}")
def _(tree: Tree, what: str) -> Expected:
    name = tree.name("ibv_probe")
    text = CALLBACKS[what]
    more = [f"+ typedef {name}_cb"] * ("_cb)" in text) + [f"+ struct {name}_told"] * ("_told" in text) + [f"+ enum {name}_level", f"+ enumerator {name}_LOW"] * ("_level" in text)
    tree.exported.setdefault(VERBS, []).append(name)
    return new_call(tree, VERBS, name, text, more)


@each(["uint8_t gid[16]", "const int *list", "int list[]", "char text[32]", "const uint32_t (*matrix)[4]",
       "int (*done)(void *context, int status)", "void (*list[2])(void)", "struct ibv_qp *qps[]",
       "struct { int a; } *unnamed", "enum ibv_mtu mtu", "const enum ibv_mtu *mtu", "bool yes", "double ratio",
       "float ratio", "long double ratio", "va_list args", "volatile uint32_t *doorbell", "const void *const buffer",
       "const char *const *names", "char **names", "struct ibv_device_attr attr", "union ibv_gid gid",
       "struct timespec *deadline", "pthread_t thread", "FILE *file", "size_t *length", "uint64_t *value",
       "int *restrict_", "struct ibv_nobody *nobody", "ssize_t length", "socklen_t length", "off_t offset",
       "unsigned long flags", "signed char c", "uintptr_t address", "__be32 key"],
      "a parameter that is: {}")
def _(tree: Tree, parameter: str) -> Expected:
    if "struct {" in parameter or "nobody" in parameter:
        before = "struct ibv_nobody;\nstruct ibv_unnamed_ { int a; };\n"
        parameter = parameter.replace("struct { int a; }", "struct ibv_unnamed_")
        if "struct ibv_unnamed_ {" not in tree.text(VERBS):
            name = tree.name("ibv_probe")
            tree.append(VERBS, f"{before}int {name}(struct ibv_qp *qp, {parameter});")
            return Expected([name], changes=[f"+ function {name}", "+ struct ibv_nobody", "+ struct ibv_unnamed_"])
    includes = "#include <stdarg.h>\n#include <stdbool.h>\n#include <stdio.h>\n#include <sys/socket.h>\n"
    text = tree.text(VERBS)
    if includes not in text:
        tree.write(VERBS, text.replace("#include <stdint.h>\n", "#include <stdint.h>\n" + includes, 1))
    return new_call(tree, VERBS, tree.name("ibv_probe"), f"int {{}}(struct ibv_qp *qp, {parameter});")
