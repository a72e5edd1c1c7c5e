# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""New structures with fields of every type that C has, and structures that grow."""

from __future__ import annotations

from random import Random

from .classes import each, mutation
from .tree import CMA, MLX5, VERBS, Expected, Tree

FIELDS = {
    "an array": ("uint32_t {f}[7];", []),
    "a matrix": ("uint16_t {f}[3][2];", []),
    "text": ("char {f}[64];", []),
    "a flexible array": ("uint8_t {f}[];", []),
    "a flexible array of structures": ("struct ibv_sge {f}[];", []),
    "an array of structures": ("struct ibv_alloc_dm_attr {f}[4];", []),
    "an array of unions": ("union ibv_gid {f}[2];", []),
    "an array of enums": ("enum ibv_node_type {f}[2];", []),
    "an array of pointers": ("struct ibv_qp *{f}[2];", []),
    "an anonymous structure": ("struct {{ uint32_t {f}; uint32_t {f}_b; }};", ["{f}_b"]),
    "an anonymous union": ("union {{ uint32_t {f}; uint64_t {f}_b; }};", ["{f}_b"]),
    "an anonymous union in an anonymous structure":
        ("struct {{ union {{ uint32_t {f}; struct {{ uint8_t {f}_b; uint8_t {f}_c; }}; }}; }};", ["{f}_b", "{f}_c"]),
    "an unnamed structure": ("struct {{ uint32_t inner; uint8_t bytes[6]; }} {f};", []),
    "an array of unnamed structures": ("struct {{ uint32_t inner; uint64_t other; }} {f}[3];", []),
    "an unnamed union of structures": ("union {{ struct {{ int a; }} one; struct {{ long b; }} two; }} {f};", []),
    "bits": ("uint32_t {f} : 3;\n\tuint32_t {f}_b : 29;", ["{f}_b"]),
    "signed bits": ("int {f} : 3;\n\tint {f}_b : 4;", ["{f}_b"]),
    "bits of an enum": ("enum ibv_node_type {f} : 8;", []),
    "bits with a gap": ("uint64_t {f} : 7;\n\tuint64_t : 0;\n\tuint64_t {f}_b : 40;", ["{f}_b"]),
    "a double": ("double {f};", []),
    "a float": ("float {f};", []),
    "a long double": ("long double {f};", []),
    "a truth value": ("\n#include <stdbool.h>\n\tbool {f};", []),
    "a character": ("char {f};", []),
    "a signed byte": ("int8_t {f};", []),
    "an array of signed bytes": ("int8_t {f}[5];", []),
    "128 bits": ("__uint128_t {f};", []),
    "a complex number": ("#ifndef __cplusplus\n\tdouble _Complex {f};\n#else\n\tdouble {f}[2];\n#endif", []),
    "a function": ("int (*{f})(struct ibv_qp *qp, int value);", []),
    "a function that gives a function": ("void (*(*{f})(int))(void);", []),
    "an array of functions": ("int (*{f}[2])(void);", []),
    "a structure": ("struct ibv_alloc_dm_attr {f};", []),
    "a structure of the C library": ("struct timespec {f};", []),
    "a structure of sockets": ("struct sockaddr_in {f};", []),
    "a pointer to itself": ("struct {s} *{f};", []),
    "a pointer to a pointer": ("struct ibv_qp **{f};", []),
    "a pointer to const": ("const struct ibv_qp *{f};", []),
    "a const pointer": ("uint8_t *{f};", []),
    "a pointer to an array": ("uint32_t (*{f})[4];", []),
    "a pointer to what is nowhere declared": ("struct {s}_nobody *{f};", []),
    "text elsewhere": ("const char *{f};", []),
    "texts elsewhere": ("char **{f};", []),
    "volatile": ("volatile uint32_t {f};", []),
    "big-endian numbers": ("__be16 {f};\n\t__be32 {f}_b;\n\t__be64 {f}_c;", ["{f}_b", "{f}_c"]),
    "aligned": ("uint8_t {f} __attribute__((aligned(64)));", []),
    "over 64 kB": ("uint8_t {f}[70000];", []),
    "over 16 MB": ("uint8_t {f}[20000000];", []),
    "an array over 2,047 elements": ("uint16_t {f}[3000];", []),
    "an array of no elements": ("uint32_t {f}[0];", []),
    "deprecated": ("uint32_t {f} __attribute__((deprecated));", []),
    "a time of the C library": ("time_t {f};\n\tsize_t {f}_b;\n\tssize_t {f}_c;", ["{f}_b", "{f}_c"]),
    "a thread": ("pthread_t {f};", []),
    "a lock": ("pthread_mutex_t {f};", []),
    "a constant": ("const uint32_t {f};", []),
    "a constant pointer": ("uint8_t *const {f};", []),
    "a constant array": ("const uint16_t {f}[3];", []),
    "a constant object": ("struct ibv_pd *const {f};", []),
    "a structure with a constant": ("struct {{ const uint32_t a; uint32_t b; }} {f};", []),
    "restricted": ("uint8_t *__restrict {f};", []),
    "of the type of something": ("__typeof__(uint32_t) {f};", []),
    "bits behind bits": ("uint32_t {f} : 8;\n\tuint32_t {f}_b : 24;\n\tuint64_t {f}_c : 33;\n\tuint64_t {f}_d : 31;", ["{f}_b", "{f}_c", "{f}_d"]),
    "bits in an unnamed structure": ("struct {{ uint32_t a : 4; uint32_t b : 28; }} {f};", []),
    "an unnamed union of bytes and what they are": ("union {{ uint8_t raw[8]; struct {{ uint32_t a; uint32_t b; }}; void *p; }} {f};", []),
    "an enum of 64 bits": ("enum {{ {U}_A = 1ULL << 40 }} {f};", []),
    "an array of a new enum": ("enum {s}_inner {{ {U}_A, {U}_B }} {f}[2];", []),
    "an unnamed enum in an unnamed structure": ("struct {{ enum {{ {U}_A, {U}_B }} kind; uint32_t other; }} {f};", []),
    "an atomic": ("#ifndef __cplusplus\n\t_Atomic uint32_t {f};\n#else\n\tuint32_t {f};\n#endif", []),
    "a vector": ("uint32_t {f} __attribute__((vector_size(16)));", []),
    "an empty structure": ("struct {{ }} {f};", []),
    "an unnamed enum": ("enum {{ {U}_A, {U}_B = 5 }} {f};", []),
    "an enum declared inside": ("enum {s}_inner {{ {U}_A, {U}_B }} {f};", []),
    "a structure declared inside": ("struct {s}_inner {{ uint32_t a; }} {f};", []),
}

INCLUDES = {"a structure of sockets": "#include <netinet/in.h>"}

NESTED_CHANGES = {
    "an enum of 64 bits": ["+ enumerator {U}_A"],
    "an array of a new enum": ["+ enum {s}_inner", "+ enumerator {U}_A", "+ enumerator {U}_B"],
    "an unnamed enum in an unnamed structure": ["+ enumerator {U}_A", "+ enumerator {U}_B"],
    "an enum declared inside": ["+ enum {s}_inner", "+ enumerator {U}_A", "+ enumerator {U}_B"],
    "an unnamed enum": ["+ enumerator {U}_A", "+ enumerator {U}_B"],
    "a structure declared inside": ["+ struct {s}_inner"],
}


def _filled(tree: Tree, what: str) -> tuple[str, dict[str, str], list[str]]:
    declaration, more = FIELDS[what]
    words = {"s": tree.name("ibv_probe"), "f": tree.name("probe_field")}
    words["U"] = words["s"].upper()
    return declaration.format(**words), words, [name.format(**words) for name in more]


def _nested(what: str, words: dict[str, str]) -> list[str]:
    return [change.format(**words) for change in NESTED_CHANGES.get(what, [])]


@each(list(FIELDS), "a new structure with a field that is: {}")
def _(tree: Tree, what: str) -> Expected:
    declaration, words, more = _filled(tree, what)
    if what in INCLUDES:
        tree.write(VERBS, tree.text(VERBS).replace("#include <stdint.h>\n", f"#include <stdint.h>\n{INCLUDES[what]}\n", 1))
    tree.append(VERBS, f"struct {words['s']} {{\n\tuint32_t comp_mask;\n\t{declaration}\n}};")
    return Expected([words["f"], *more], changes=[f"+ struct {words['s']}", *_nested(what, words)])


# Where a field may come: a structure that objects are created with, one that a call fills, one that is neither.
GROWING = {
    "an init structure": (VERBS, "ibv_qp_init_attr_ex"),
    "an init structure of mlx5dv": (MLX5, "mlx5dv_qp_init_attr"),
    "what is queried": (VERBS, "ibv_device_attr_ex"),
    "what is modified": (VERBS, "ibv_cq_init_attr_ex"),
    "what is kept of an id": (CMA, "rdma_conn_param"),
}
NOT_AT_AN_END = {"a flexible array", "a flexible array of structures"}
USUAL = ["an array", "text", "an anonymous structure", "an anonymous union", "an unnamed structure", "bits", "a double",
         "a function", "a structure", "a pointer to a pointer", "text elsewhere", "a matrix", "an array of structures",
         "an array of pointers", "an unnamed enum", "a truth value", "an array of enums", "restricted", "of the type of something",
         "a constant", "a constant pointer", "a constant array", "a constant object", "a structure with a constant", "bits behind bits", "bits in an unnamed structure", "an unnamed union of bytes and what they are", "an enum of 64 bits",
         "an array of a new enum", "an unnamed enum in an unnamed structure", "an atomic", "a vector", "an empty structure",
         "a structure declared inside"]


def _grows(where: str, what: str) -> None:
    @mutation(f"{where} grows by: {what}")
    def _(tree: Tree, _: Random) -> Expected:
        header, tag = GROWING[where]
        declaration, words, more = _filled(tree, what)
        tree.last_field(header, tag, declaration)
        names = [words["f"], *more]
        inside = "unnamed" in what or "an empty" in what  # fields of their own; and one without bytes may change no size
        size = "~ ..." if tag == "rdma_conn_param" or inside else f"~ struct {tag}"  # which has padding, and others hold it
        return Expected(names, changes=[size, *(f"+ field {tag}.{name}" for name in names),
                                        *_nested(what, words)])


for _where in GROWING:
    for _what in USUAL:
        _grows(_where, _what)


@each(["ibv_srq_attr", "ibv_tm_cap", "ibv_global_route", "ibv_qp_cap", "ibv_rx_hash_conf"],
      "a structure that others embed grows: {}")
def _(tree: Tree, tag: str) -> Expected:
    name = tree.name("probe_field")
    tree.last_field(VERBS, tag, f"uint32_t {name};")
    return Expected([name], changes=[f"+ field {tag}.{name}", "~ ..."])


@each(["ib_uverbs_flow_action_esp", "ib_uverbs_flow_action_esp_encap"], "what an init structure points to grows: {}")
def _(tree: Tree, tag: str) -> Expected:
    name = tree.name("probe_field")
    tree.last_field("infiniband/ib_user_ioctl_verbs.h", tag, f"uint32_t {name};")
    return Expected([name], changes=["~ ..."])


@each(["ibv_qp_init_attr_ex", "ibv_wq_init_attr", "ibv_alloc_dm_attr", "ibv_ah_attr", "ibv_qp_cap",
       "ibv_port_attr", "ibv_device_attr", "ibv_srq_attr"], "a new first field of {}")
def _(tree: Tree, tag: str) -> Expected:
    name = tree.name("probe_field")
    tree.first_field(VERBS, tag, f"uint64_t {name};")
    return Expected([name], changes=[f"+ field {tag}.{name}", "~ ..."])


@mutation("a union of its own")
def _(tree: Tree, _: Random) -> Expected:
    name = tree.name("ibv_probe")
    tree.append(VERBS, f"union {name} {{\n\tuint8_t raw[16];\n\tstruct {{ uint64_t high, low; }} halves;\n}};")
    return Expected([name], changes=[f"+ struct {name}"])


@mutation("a packed structure")
def _(tree: Tree, _: Random) -> Expected:
    name = tree.name("ibv_probe")
    tree.append(VERBS, f"struct {name} {{\n\tuint8_t a;\n\tuint64_t b;\n}} __attribute__((packed));")
    return Expected([name], changes=[f"+ struct {name}"])


@mutation("a structure without fields")
def _(tree: Tree, _: Random) -> Expected:
    name = tree.name("ibv_probe")
    tree.append(VERBS, f"struct {name} {{\n}};")
    return Expected([name], changes=[f"+ struct {name}"])


@mutation("a structure that only a typedef names")
def _(tree: Tree, _: Random) -> Expected:
    name = tree.name("ibv_probe")
    tree.append(VERBS, f"typedef struct {{\n\tuint32_t a;\n}} {name}_t;\nstruct {name} {{\n\t{name}_t inside;\n}};")
    return Expected([name], changes=[f"+ struct {name}", "~ ..."])


@mutation("a structure of 2,100 fields")
def _(tree: Tree, _: Random) -> Expected:
    name = tree.name("ibv_probe")
    fields = "\n".join(f"\tuint32_t f{n};" for n in range(2100))
    tree.append(VERBS, f"struct {name} {{\n{fields}\n}};")
    return Expected([name], changes=[f"+ struct {name}"])
