# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""Ways in which rdma-core, the kernel's headers and vendors have brought things before, or nearly, of what else may come in them."""

from __future__ import annotations

from random import Random

from .classes import each, mutation
from .parameters import new_call
from .tree import VERBS, Expected, Tree

ANYTHING_ELSE = "~ ..."
API, KERNEL = "infiniband/verbs_api.h", "infiniband/ib_user_ioctl_verbs.h"
VENDORS = {"efadv": ("infiniband/efadv.h", "efadv_qp_init_attr"), "hnsdv": ("infiniband/hnsdv.h", "hnsdv_qp_init_attr"),
           "mlx4dv": ("infiniband/mlx4dv.h", "mlx4dv_qp_init_attr"), "manadv": ("infiniband/manadv.h", ""), "ionic_dv": ("infiniband/ionic_dv.h", "")}
OPERATION = """static inline {result} ibv_{n}(struct ibv_{of} *{of}{more})
{{
	struct verbs_context *vctx = verbs_get_ctx_op({of}->context, {n});

	if (!vctx) {{
		errno = EOPNOTSUPP;
		return {none};
	}}
	return vctx->{n}({of}{names});
}}"""


def _operation(tree: Tree, n: str, result: str, of: str, more: str, names: str) -> None:
    """An inline function, through a new member of the table of a device's functions, which grows at its beginning."""
    space = "" if result.endswith("*") else " "
    tree.first_field(VERBS, "verbs_context", f"{result}{space}(*{n})(struct ibv_{of} *{of}{more});")
    none = "NULL" if result.endswith("*") else "EOPNOTSUPP"
    tree.append(VERBS, OPERATION.format(result=result, n=n, of=of, more=more, names=names, none=none))


@mutation("an inline call through a new member of the context")
def _(tree: Tree, _: Random) -> Expected:
    n = tree.name("probe_op")
    _operation(tree, n, "int", "qp", ", uint32_t value, const void *data", ", value, data")
    return Expected([f"ibv_{n}"], changes=[f"+ function ibv_{n}", f"+ field verbs_context.{n}", ANYTHING_ELSE])


@mutation("objects that inline calls through new members of the context make")
def _(tree: Tree, _: Random) -> Expected:
    w = tree.name("thing")
    tree.replace(VERBS, "struct verbs_context {", f"struct ibv_{w}_init_attr {{\n\tuint32_t comp_mask;\n\tuint32_t depth;\n}};\nstruct "
                 f"ibv_{w} {{\n\tstruct ibv_context *context;\n\tuint32_t handle;\n}};\nstruct verbs_context {{")
    for n, result, of, more, names in ((f"create_{w}", f"struct ibv_{w} *", "pd", f", struct ibv_{w}_init_attr *attr", ", attr"),
                                       (f"destroy_{w}", "int", w, "", "")):
        _operation(tree, n, result, of, more, names)
    return Expected([f"ibv_create_{w}", f"ibv_{w}_init_attr"], told=[f"ibv_create_{w}.*object|object.*ibv_create_{w}"],
                    changes=[f"+ function ibv_create_{w}", f"+ function ibv_destroy_{w}", f"+ struct ibv_{w}", ANYTHING_ELSE])


@mutation("a call of an object gets an inline twin behind a macro that knows constants")
def _(tree: Tree, _: Random) -> Expected:
    tree.append(VERBS, "__attribute__((__always_inline__)) static inline struct ibv_mr *\n__ibv_reg_dmabuf_mr(struct ibv_pd *pd, uint64_t "
                "offset, size_t length, uint64_t iova,\n\t\t    int fd, int access, int is_access_const)\n{\n\t(void)is_access_const;\n\treturn "
                "ibv_reg_dmabuf_mr(pd, offset, length, iova, fd, access);\n}\n#define ibv_reg_dmabuf_mr(pd, offset, length, iova, fd, access) "
                "\\\n\t__ibv_reg_dmabuf_mr(pd, offset, length, iova, fd, access, __builtin_constant_p(access))")
    return Expected(["ibv_reg_dmabuf_mr"], changes=[ANYTHING_ELSE])


@mutation("a call that is there gets another symbol")
def _(tree: Tree, _: Random) -> Expected:
    tree.replace(VERBS, "int ibv_query_ece(struct ibv_qp *qp, struct ibv_ece *ece);",
                 'int ibv_query_ece(struct ibv_qp *qp, struct ibv_ece *ece) __asm__("ibv_query_ece_v2");')
    return Expected(changes=[ANYTHING_ELSE])


@each(["mlx5dv", *VENDORS], "a structure, an enum and a call of {}")
def _(tree: Tree, vendor: str) -> Expected:
    header, n, p = f"infiniband/{vendor}.h", tree.name("probe"), vendor
    tree.append(header, f"enum {p}_{n}_flags {{\n\t{p.upper()}_{n.upper()}_A = 1 << 0,\n\t{p.upper()}_{n.upper()}_B = 1 << 1,\n}};\n"
                f"struct {p}_{n}_attr {{\n\tuint64_t comp_mask;\n\tuint32_t flags; /* use enum {p}_{n}_flags */\n\tuint8_t reserved[4];\n}};\n"
                f"int {p}_query_{n}(struct ibv_context *context, struct {p}_{n}_attr *attr, uint32_t inlen);")
    return Expected([f"{p}_query_{n}", f"{p}_{n}_attr"], changes=[f"+ enum {p}_{n}_flags", f"+ struct {p}_{n}_attr", f"+ function {p}_query_{n}", ANYTHING_ELSE])


@each([vendor for vendor, (_, tag) in VENDORS.items() if tag], "an init structure of {} grows")
def _(tree: Tree, vendor: str) -> Expected:
    header, tag = VENDORS[vendor]
    n = tree.name("probe_field")
    tree.last_field(header, tag, f"uint8_t {n};\n\tuint8_t {n}_reserved[7];")
    return Expected([n], changes=[f"+ field {tag}.{n}", ANYTHING_ELSE])


@mutation("a value of an enum of the kernel, with its macro")
def _(tree: Tree, _: Random) -> Expected:
    n = tree.name("_ADVISE_MR_ADVICE_PROBE_")
    tree.enumerator(KERNEL, "ib_uverbs_advise_mr_advice", f"IB_UVERBS{n}")
    tree.replace(API, "#define IBV_ADVISE_MR_FLAG_FLUSH ", f"#define IBV{n} IB_UVERBS{n}\n#define IBV_ADVISE_MR_FLAG_FLUSH ")
    return Expected([f"IBV{n}"], changes=[ANYTHING_ELSE])


@mutation("an enum and a structure of the kernel, by macros")
def _(tree: Tree, _: Random) -> Expected:
    n = tree.name("probe")
    tree.append(KERNEL, f"enum ib_uverbs_{n}_mode {{\n\tIB_UVERBS_{n.upper()}_A,\n\tIB_UVERBS_{n.upper()}_B,\n}};\nstruct ib_uverbs_{n} {{\n\t__u32 mode;\n"
                f"\t__u32 reserved;\n\t__aligned_u64 addr;\n\tRDMA_UAPI_PTR(void *, ptr);\n}};")
    tree.replace(API, "#define IBV_ADVISE_MR_FLAG_FLUSH ", f"#define ibv_{n}_mode ib_uverbs_{n}_mode\n#define ibv_{n} ib_uverbs_{n}\n#define IBV_{n.upper()}_A "
                 f"IB_UVERBS_{n.upper()}_A\n#define IBV_{n.upper()}_B IB_UVERBS_{n.upper()}_B\n#define IBV_ADVISE_MR_FLAG_FLUSH ")
    tree.append(VERBS, f"int ibv_query_{n}(struct ibv_context *context, struct ibv_{n} *attr, enum ibv_{n}_mode *mode);")
    return Expected([f"IBV_{n.upper()}_A", f"ibv_query_{n}"], changes=[f"+ function ibv_query_{n}", ANYTHING_ELSE])


@mutation("a header that is new has what an init structure and a call take")
def _(tree: Tree, _: Random) -> Expected:
    n = tree.name("probe")
    header = f"infiniband/{n}_types.h"
    tree.write(header, f"#ifndef {n.upper()}_TYPES_H\n#define {n.upper()}_TYPES_H\n#include <stdint.h>\nenum ibv_{n}_e {{ IBV_{n.upper()}_A, IBV_{n.upper()}_B }};\n"
               f"struct ibv_{n} {{ uint32_t a; enum ibv_{n}_e e; }};\ntypedef uint64_t ibv_{n}_t;\n#endif\n")
    tree.replace(VERBS, "#include <infiniband/verbs_api.h>", f"#include <infiniband/verbs_api.h>\n#include <{header}>")
    tree.last_field(VERBS, "ibv_wq_init_attr", f"struct ibv_{n} {n}_in;\n\tenum ibv_{n}_e {n}_e;\n\tibv_{n}_t {n}_t;")
    tree.append(VERBS, f"int ibv_use_{n}(struct ibv_qp *qp, struct ibv_{n} *what, enum ibv_{n}_e e, ibv_{n}_t t);\nint ibv_take_{n}(struct ibv_qp *qp, struct ibv_{n} *what);")
    tree.exported.setdefault(VERBS, []).extend([f"ibv_use_{n}", f"ibv_take_{n}"])
    return Expected([f"{n}_in", f"ibv_use_{n}"], told=[header], changes=[ANYTHING_ELSE])


@each(["infiniband/verbs.h", "infiniband/mlx5dv.h"], "a call behind what C++ sees as C, in {}")
def _(tree: Tree, header: str) -> Expected:
    n = tree.name("ibv_probe")
    text = tree.text(header)
    at = text.rindex("#endif")
    tree.write(header, f"{text[:at]}int {n}(struct ibv_qp *qp, uint32_t value);\n\n{text[at:]}")
    return Expected([n], changes=[f"+ function {n}"])


FORMS = {
    "with its visibility": '__attribute__((visibility("default"))) int {n}(struct ibv_qp *qp);',
    "with its visibility by a pragma": "#pragma GCC visibility push(default)\nint {n}(struct ibv_qp *qp);\n#pragma GCC visibility pop",
    "with a macro for its visibility": '#define {n}_PUBLIC __attribute__((visibility("default")))\n{n}_PUBLIC int {n}(struct ibv_qp *qp);',
    "of which C++ has templates": '#ifdef __cplusplus\nextern "C++" {{\ntemplate <typename T> inline int {n}_of(T *t) {{ return t ? 0 : -1; }}\n'
                                  "inline int {n}_twice(struct ibv_qp *qp) {{ return {n}_of(qp); }}\n}}\n#endif\nint {n}(struct ibv_qp *qp);",
    "of which C++ has a form with a default": 'int {n}(struct ibv_qp *qp, int flags);\n#ifdef __cplusplus\nextern "C++" inline int {n}(struct ibv_qp *qp) {{ return {n}(qp, 0); }}\n#endif',
    "that is there for newer C alone": "#if __STDC_VERSION__ >= 201112L || defined(__cplusplus)\nint {n}(struct ibv_qp *qp);\n#endif",
    "by the name of a structure": "struct {n} {{\n\tuint32_t a;\n}};\nint {n}(struct ibv_qp *qp, struct {n} *what);",
    "by the name of an enum": "enum {n} {{\n\t{n}_A,\n\t{n}_B,\n}};\nint {n}(struct ibv_qp *qp, enum {n} what);",
    "chosen by a generic macro": "int {n}(struct ibv_qp *qp);\nint {n}_srq(struct ibv_srq *srq);\n#ifndef __cplusplus\n#define {n}_any(x) _Generic((x), struct ibv_qp *: {n}, struct "
                                 "ibv_srq *: {n}_srq)(x)\n#endif",
    "whose type a typedef has": "typedef int {n}_fn(struct ibv_qp *qp, uint32_t value);\n{n}_fn {n};",
    "declared beside another": "int {n}(struct ibv_qp *qp), {n}_too(struct ibv_qp *qp, int a);",
    "with its result by typeof": "__typeof__(ibv_query_ece) {n};",
    "with a comment in its middle": "int {n}(struct ibv_qp *qp, /* the queue pair */\n\tuint32_t value // and a value, see */ there\n\t);",
}


@each(list(FORMS), "a call {}")
def _(tree: Tree, form: str) -> Expected:
    return new_call(tree, VERBS, tree.name("ibv_probe"), FORMS[form].replace("{n}", "{0}"), [ANYTHING_ELSE])


KINDS = {
    "a packed enum": "enum ibv_{n}_e {{\n\t{N}_A,\n\t{N}_B = 200,\n}} __attribute__((packed));\nstruct ibv_{n} {{\n\tenum ibv_{n}_e e;\n\tenum ibv_{n}_e list[3];\n\tuint32_t a;\n}};",
    "a flexible array in a union, as the kernel has it": "struct ibv_{n} {{\n\tuint32_t count;\n\tunion {{\n\t\tstruct {{ uint8_t {n}_empty; uint8_t raw[]; }};\n\t\tuint64_t first;\n\t}};\n}};",
    "a flexible array with its count": "#define {n}_counted_by(m)\nstruct ibv_{n} {{\n\tuint32_t count;\n\tstruct ibv_sge list[] {n}_counted_by(count);\n}};",
    "another form in each byte order": "struct ibv_{n} {{\n#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__\n\tuint8_t high;\n\tuint8_t low;\n#else\n\tuint8_t low;\n\tuint8_t high;\n#endif\n}};",
    "another form for C++": "struct ibv_{n} {{\n\tuint32_t a;\n#ifdef __cplusplus\n\tibv_{n}() : a(0) {{}}\n\tbool operator==(const ibv_{n} &o) const {{ return a == o.a; }}\n#endif\n}};",
    "members by a macro": "#define IBV_{n}_FIELDS uint32_t a; uint64_t b;\nstruct ibv_{n} {{\n\tIBV_{n}_FIELDS\n}};\nstruct ibv_{n}_more {{\n\tIBV_{n}_FIELDS\n\tuint32_t c;\n}};",
    "fields in one line": "struct ibv_{n} {{ uint32_t a, b, *c, d[2]; const char *e, f; }};",
    "a pointer to const volatile": "struct ibv_{n} {{\n\tconst volatile uint32_t *const volatile *doorbell;\n\tvoid *const *list;\n}};",
    "a static assertion inside": "struct ibv_{n} {{\n\tuint32_t a;\n#ifndef __cplusplus\n\t_Static_assert(sizeof(uint32_t) == 4, \"\");\n#endif\n}};",
    "its own typedef of the same name": "typedef struct ibv_{n} {{\n\tuint32_t a;\n}} ibv_{n};\nint ibv_take_{n}(struct ibv_qp *qp, const ibv_{n} *what, size_t size);",
    "handles that are typedefs of pointers": "typedef struct ibv_{n} *ibv_{n}_h;\nint ibv_open_{n}(struct ibv_context *context, ibv_{n}_h *out);\nint ibv_close_{n}(ibv_{n}_h {n});",
    "unions in a union, without names": "struct ibv_{n} {{\n\tuint32_t kind;\n\tunion {{\n\t\tunion {{ uint32_t a; void *b; }};\n\t\tstruct {{\n\t\t\tunion {{ uint8_t c; uint16_t d; }};\n"
                                        "\t\t\tunion {{ uint32_t e; struct {{ uint16_t f, g; }}; }};\n\t\t}};\n\t}};\n}};",
    "a typedef of a typedef of what is const": "typedef uint32_t ibv_{n}_t;\ntypedef const ibv_{n}_t ibv_{n}_const_t;\nstruct ibv_{n} {{\n\tibv_{n}_const_t *where;\n}};\n"
                                               "int ibv_take_{n}(struct ibv_qp *qp, const ibv_{n}_const_t *list, const struct ibv_{n} *what);",
    "a callback's behind it": "struct ibv_{n} {{\n\tuint32_t a;\n}};\nint ibv_take_{n}(struct ibv_context *context, const struct ibv_{n} *what, void (*done)(void *arg, int status));",
    "bits of all widths": "struct ibv_{n} {{\n\tuint64_t a : 1, b : 63;\n\tuint32_t c : 31;\n\tint32_t d : 32;\n\tuint8_t e : 8;\n}};",
}


@each(list(KINDS), "a new structure of: {}")
def _(tree: Tree, what: str) -> Expected:
    n = tree.name("probe")
    text = KINDS[what].format(n=n, N=f"IBV_{n.upper()}")
    tree.append(VERBS, text)
    return Expected([f"ibv_{n}" if f"struct ibv_{n} {{" in text else f"ibv_open_{n}"], changes=[f"+ struct ibv_{n}", ANYTHING_ELSE])


@each(["parent", "context", "pd", "init", "raw", "flags", "attr", "out", "object", "size", "call", "rc", "comp_mask_", "kind", "next",
       "send_cq", "vx", "error", "values", "name"], "an init structure has a field called {}")
def _(tree: Tree, name: str) -> Expected:
    tag = "ibv_dmah_init_attr"
    if f" {name};" in tree.text(VERBS)[slice(*tree.body(VERBS, "struct", tag)[1:])]:
        raise LookupError(f"{tag} has {name}")
    tree.last_field(VERBS, tag, f"uint32_t {name};")
    return Expected([name], changes=[f"+ field {tag}.{name}", ANYTHING_ELSE])


WIDE = ["ibv_access_flags", "ibv_qp_attr_mask", "ibv_wc_flags", "ibv_send_flags", "ibv_qp_init_attr_mask", "ibv_device_cap_flags"]


@each(WIDE, "a value of 64 bits in {}")
def _(tree: Tree, tag: str) -> Expected:
    n = tree.name(f"{tag.upper()}_PROBE_")
    tree.enumerator(VERBS, tag, f"{n} = 1ULL << 40")
    return Expected([n], changes=[f"+ enumerator {n}", ANYTHING_ELSE])


@each(["ibv_mtu", "ibv_wc_status", "ibv_event_type", "ibv_qp_type", "ibv_rate", "ibv_wc_opcode", "ibv_port_state", "ibv_qp_state"], "a negative value in {}")
def _(tree: Tree, tag: str) -> Expected:
    n = tree.name(f"{tag.upper()}_PROBE_")
    tree.enumerator(VERBS, tag, f"{n} = -1")
    return Expected([n], changes=[f"+ enumerator {n}", ANYTHING_ELSE])


@mutation("a group of macros of flags, with a shift and a mask")
def _(tree: Tree, _: Random) -> Expected:
    n = tree.name("IBV_PROBE_")
    tree.append(VERBS, f"#define {n}_SHIFT 4\n#define {n}_MASK (0xfU << {n}_SHIFT)\n#define {n}_A (1U << {n}_SHIFT)\n#define {n}_B ({n}_A << 1)\n#define {n}_ALL ({n}_A | {n}_B)\n"
                f"#define {n}_GET(x) (((x) & {n}_MASK) >> {n}_SHIFT)")
    return Expected([f"{n}_A"], changes=[f"+ macro {n}_A", ANYTHING_ELSE])


@mutation("a reserved field becomes bits")
def _(tree: Tree, _: Random) -> Expected:
    n = tree.name("probe_field")
    tree.replace("infiniband/tm_types.h", "\tuint8_t\t\treserved[3]; /* must be zero */\n", f"\tuint8_t\t\t{n} : 4;\n\tuint8_t\t\t{n}_b : 4;\n\tuint8_t\t\treserved[2];\n")
    return Expected([n], changes=[ANYTHING_ELSE])
