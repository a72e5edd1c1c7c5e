# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""What C has another spelling for: declarations, macros, and what lies between them."""

from __future__ import annotations

import re
from random import Random

from .classes import each, mutation
from .parameters import new_call
from .tree import MLX5, VERBS, Expected, Tree

ANYTHING_ELSE = "~ ..."


CALLS = {
    "whose result is const": "const int {}(struct ibv_qp *qp);",
    "whose result is a const enum": "const enum ibv_mtu {}(struct ibv_qp *qp);",
    "whose result is volatile": "volatile uint32_t {}(struct ibv_qp *qp);",
    "whose result is a const pointer": "struct ibv_qp *const {}(struct ibv_context *context);",
    "with restricted pointers": "int {}(struct ibv_qp *qp, const char *__restrict name, size_t *__restrict length);",
    "with an array of a least length": "#ifndef __cplusplus\nint {0}(struct ibv_qp *qp, const uint8_t gid[static 16]);\n#else\nint "
                                       "{0}(struct ibv_qp *qp, const uint8_t gid[16]);\n#endif",
    "with an array of a length that a parameter says": "#ifndef __cplusplus\nint {0}(struct ibv_qp *qp, int count, int "
                                                       "list[count]);\n#else\nint {0}(struct ibv_qp *qp, int count, int *list);\n#endif",
    "with a const array in brackets": "#ifndef __cplusplus\nint {0}(struct ibv_qp *qp, int list[const 4]);\n#else\nint {0}(struct ibv_qp "
                                      "*qp, int list[4]);\n#endif",
    "of another symbol": 'int {}(struct ibv_qp *qp) __asm__("ibv_probe_v2");',
    "that takes no NULL": "int {}(struct ibv_qp *qp, void *buffer) __attribute__((nonnull));",
    "that gives no NULL": "struct ibv_mr *{}(struct ibv_qp *qp) __attribute__((returns_nonnull));",
    "with all sorts of attributes": "void *{}(struct ibv_qp *qp, size_t length) __attribute__((malloc, alloc_size(2), warn_unused_result, "
                                    "cold, leaf, nothrow, visibility(\"default\")));",
    "that is pure": "int {}(const struct ibv_qp *qp) __attribute__((pure));",
    "whose list ends with NULL": "int {}(struct ibv_qp *qp, ...) __attribute__((sentinel));",
    "that nobody should call": 'int {}(struct ibv_qp *qp) __attribute__((unavailable("gone")));',
    "that is an error to call": 'int {}(struct ibv_qp *qp) __attribute__((error("gone")));',
    "that warns who calls it": 'int {}(struct ibv_qp *qp) __attribute__((warning("soon gone")));',
    "whose parameter may be unused": "int {}(struct ibv_qp *qp, int flags __attribute__((unused)));",
    "with a const pointer to a pointer to const": "int {}(struct ibv_qp *qp, const struct ibv_sge *const *lists);",
    "with const structures": "int {}(struct ibv_qp *const qp, const union ibv_gid gid);",
    "with a pointer to an array of structures": "int {}(struct ibv_qp *qp, struct ibv_sge (*lists)[4]);",
    "with an array of arrays": "int {}(struct ibv_qp *qp, uint8_t rows[3][4]);",
    "with 128 bits": "unsigned __int128 {}(struct ibv_qp *qp, __int128 value);",
    "with a function that takes a function": "int {}(struct ibv_qp *qp, int (*start)(void (*done)(int), void *data));",
    "with a function whose result is a function": "int {}(struct ibv_qp *qp, void (*(*find)(const char *name))(void));",
    "with a function without a prototype": "#ifndef __cplusplus\nint {0}(struct ibv_qp *qp, int (*done)());\n#else\nint {0}(struct ibv_qp "
                                           "*qp, int (*done)(...));\n#endif",
    "with a variadic callback": "int {}(struct ibv_context *context, int (*log)(int level, const char *format, ...));",
    "in another typeof": "__typeof__(int) {}(struct ibv_qp *qp, __typeof__(((struct ibv_qp *)0)->qp_num) number);",
    "inline, with a macro of its own": "#define {0}_bits(x) ((x) & 0xfff)\nstatic inline int {0}(struct ibv_qp *qp) {{ return "
                                       "{0}_bits(qp->qp_num); }}",
    "inline, always": "static inline __attribute__((always_inline)) int {}(struct ibv_qp *qp) {{ return (int)qp->qp_num; }}",
    "inline, with a static assertion": "#ifdef __cplusplus\n#define {0}_assert static_assert\n#else\n#define {0}_assert "
                                       "_Static_assert\n#endif\nstatic inline int {0}(struct ibv_qp *qp) {{ {0}_assert(sizeof(qp->qp_num) "
                                       "== 4, \"\"); return (int)qp->qp_num; }}",
    "inline without static": "#ifndef __cplusplus\nextern inline __attribute__((gnu_inline))\n#else\ninline\n#endif\nint {}(struct ibv_qp "
                             "*qp) {{ return (int)qp->qp_num; }}",
    "declared in a function": "static inline int {0}(struct ibv_qp *qp) {{ extern int {0}_far(int); return {0}_far((int)qp->qp_num); }}",
    "with another name in its second declaration": "int {0}(struct ibv_qp *, int);\nint {0}(struct ibv_qp *qp, int flags);",
    "with old parameters' names that are macros": "#define {0}_flags other\nint {0}(struct ibv_qp *qp, int {0}_flags);",
    "in an __extension__": "__extension__ int {}(struct ibv_qp *qp, long long value);",
    "with a wide character": "int {}(struct ibv_qp *qp, const wchar_t *text);",
    "of a name that begins with an underscore": "int _{}(struct ibv_qp *qp);",
    "with a parameter that hides its structure": "int {}(struct ibv_qp *ibv_qp, struct ibv_sge *ibv_sge);",
    "with a parameter called as a function": "int {}(struct ibv_qp *qp, int ibv_query_gid, int memcpy, int vx_fail);",
    "with 70 parameters": "int {}(struct ibv_qp *qp, " + ", ".join(f"int a{n}" for n in range(70)) + ");",
}


@each(list(CALLS), "a call {}")
def _(tree: Tree, shape: str) -> Expected:
    name = tree.name("ibv_probe")
    if "wchar" in CALLS[shape]:
        tree.write(VERBS, tree.text(VERBS).replace("#include <stdint.h>\n", "#include <stdint.h>\n#include <wchar.h>\n", 1))
    e = new_call(tree, VERBS, name, CALLS[shape], [ANYTHING_ELSE])
    if "underscore" in shape: e.names=[f"_{name}"]; e.changes=[ANYTHING_ELSE, f"+ function _{name}"]
    return e


@mutation("static assertions of structures")
def _(tree: Tree, _: Random) -> Expected:
    tree.append(VERBS, "#ifdef __cplusplus\nstatic_assert(sizeof(struct ibv_sge) == 16, \"\");\n#else\n_Static_assert(sizeof(struct "
                       "ibv_sge) == 16, \"it is\");\n#endif")
    return Expected()


@mutation("structures packed by a pragma")
def _(tree: Tree, _: Random) -> Expected:
    n = tree.name("ibv_probe")
    tree.append(VERBS, f"#pragma pack(push, 1)\nstruct {n} {{ uint8_t a; uint64_t b; uint16_t c; }};\n#pragma pack(pop)")
    return Expected([n], changes=[f"+ struct {n}"])


@mutation("an init structure is packed by a pragma")
def _(tree: Tree, _: Random) -> Expected:
    tree.replace(VERBS, "struct ibv_dmah_init_attr {", "#pragma pack(push, 1)\nstruct ibv_dmah_init_attr {")
    text, b, e = tree.body(VERBS, "struct", "ibv_dmah_init_attr")
    tree.write(VERBS, text[:e] + text[e:].replace("};", "};\n#pragma pack(pop)", 1))
    return Expected(changes=[ANYTHING_ELSE])


@mutation("a header that warns")
def _(tree: Tree, _: Random) -> Expected:
    tree.append(VERBS, "#ifdef IBV_OLD\n#warning is old\n#endif\n#ident \"probe\"\n#pragma GCC diagnostic push\n#pragma GCC diagnostic "
                       "ignored \"-Wpedantic\"\n#pragma GCC diagnostic pop")
    return Expected()


@mutation("operators of flags for C++")
def _(tree: Tree, _: Random) -> Expected:
    tree.append(VERBS, "#ifdef __cplusplus\n}\ninline enum ibv_access_flags operator|(enum ibv_access_flags a, enum ibv_access_flags b) { "
                       "return (enum ibv_access_flags)((int)a | (int)b); }\nextern \"C\" {\n#endif")
    return Expected()


@mutation("line markers in a header")
def _(tree: Tree, _: Random) -> Expected:
    n = tree.name("ibv_probe")
    tree.append(VERBS, f'#line 7 "other.h"\nint {n}(struct ibv_qp *qp);\n')
    return Expected([n], changes=[f"+ function {n}"])


@mutation("text with the beginning of a comment")
def _(tree: Tree, _: Random) -> Expected:
    n = [tree.name("IBV_PROBE_MACRO_") for _ in range(3)]
    tree.append(VERBS, f'#define {n[0]} "/*"\n#define {n[1]} 17\n#define {n[2]} "http://nowhere"\n')
    return Expected(changes=[f"+ macro {x}" for x in n])


@mutation("comments that hide and do not hide macros")
def _(tree: Tree, _: Random) -> Expected:
    n = [tree.name("IBV_PROBE_MACRO_") for _ in range(4)]
    tree.append(VERBS, f"// a comment \\\n#define {n[0]} 1\n/* #define {n[1]} 1 */ #define {n[2]} 5\n#define {n[3]} 4 // 5 /* 6\n")
    return Expected(changes=[f"+ macro {n[2]}", f"+ macro {n[3]}"])


@mutation("a macro of two forms, of which the first counts")
def _(tree: Tree, _: Random) -> Expected:
    n, m = tree.name("IBV_PROBE_MACRO_"), tree.name("IBV_PROBE_MACRO_")
    tree.append(VERBS, f"#if 1\n#define {n} 3\n#define {m}(a) (a)\n#else\n#define {n}(x) (x)\n#define {m} 5\n#endif")
    return Expected(changes=[f"+ macro {n}", f"+ macro {m}"])

MACROS = {
    "a pointer": "#define {} ((struct ibv_qp *)-1)",
    "128 bits": "#define {} ((__uint128_t)1 << 100)",
    "a counter": "#define {} __COUNTER__",
    "a line": "#define {} __LINE__",
    "a size": "#define {} sizeof(struct ibv_qp)",
    "a place": "#define {} offsetof(struct ibv_qp, qp_num)",
    "a choice": "#define {} (sizeof(long) == 8 ? 1 : 2)",
    "a cast": "#define {} ((uint8_t)-1)",
    "a cast that has a sign": "#define {} ((int8_t)0xff)",
    "all bits": "#define {} (~0ULL)",
    "no bits": "#define {} (~0)",
    "the least number": "#define {} (-0x7fffffffffffffffLL - 1)",
    "a statement expression": "#define {} ({{ int a = 1; a; }})",
    "a keyword": "#define {} const",
    "an attribute": "#define {} __attribute__((packed))",
    "an empty pair": "#define {} ()",
    "a comma": "#define {} 1, 2",
    "half a string": "#define {} \"a\" \"b\"",
    "a pasted name": "#define {} IBV_ ## QPT_RC",
    "a string of letters": "#define {} 'abcd'",
    "itself": "#define {0} {0}",
    "itself with more": "#define {0} ({0} + 1)",
    "octal": "#define {} 0777",
    "binary": "#define {} 0b101",
    "digits with marks": "#define {} 0x1p3",
    "an enumerator": "#define {} IBV_QPT_RC",
    "a structure": "#define {} struct ibv_qp",
    "a generic choice": "#define {} _Generic(1, int: 4, default: 5)",
    "a function's address": "#define {} ibv_query_gid",
    "an assembler's word": "#define {} __asm__",
    "a pragma": '#define {} _Pragma("once")',
    "a missing bracket": "#define {} (1 + 2",
    "an open string": "#define {} don't",
}


@each(list(MACROS), "a new macro that is {}")
def _(tree: Tree, what: str) -> Expected:
    n = tree.name("IBV_PROBE_MACRO_")
    tree.append(VERBS, MACROS[what].format(n))
    return Expected(changes=[f"+ macro {n}"])


@mutation("typedefs of the tags of structures and enums")
def _(tree: Tree, _: Random) -> Expected:
    n = tree.name("ibv_probe")
    tree.append(VERBS, f"typedef struct ibv_sge ibv_sge;\ntypedef enum ibv_mtu ibv_mtu;\ntypedef union ibv_gid ibv_gid;\nint {n}(struct "
                       f"ibv_qp *qp, const ibv_sge *list, ibv_mtu mtu, ibv_gid *gid);")
    return Expected([n], changes=[f"+ function {n}", ANYTHING_ELSE])


@mutation("a typedef of a typedef of a function that takes one")
def _(tree: Tree, _: Random) -> Expected:
    n = tree.name("ibv_probe")
    tree.append(VERBS, f"typedef int {n}_fn(struct ibv_qp *qp);\ntypedef {n}_fn *{n}_ptr;\ntypedef {n}_ptr {n}_pair[2];\nstruct {n}_ops "
                       f"{{ {n}_fn *one; {n}_ptr two; {n}_pair three; {n}_ptr *four; const {n}_ptr five; }};\nint {n}(struct ibv_qp *qp, "
                       f"{n}_fn *one, {n}_ptr two, {n}_pair three, const {n}_ptr *four);")
    return Expected([n, f"{n}_ops"], changes=[f"+ function {n}", ANYTHING_ELSE])


@mutation("anonymous typedefs of pointers to structures")
def _(tree: Tree, _: Random) -> Expected:
    n = tree.name("ibv_probe")
    tree.append(VERBS, f"typedef struct {{ int a; }} *{n}_handle;\nint {n}({n}_handle handle, const {n}_handle *list);\nstruct {n}_s {{ "
                       f"{n}_handle handle; }};")
    return Expected([n], changes=[f"+ function {n}", ANYTHING_ELSE])
