# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""Scanning: each trap that headers hold, as a header of a few lines."""

from __future__ import annotations

import unittest
from unittest import mock

from clang.cindex import LibclangError

from gen.know.groups import HeaderGroup
from tests.gen.project import OfHeaders


class Enums(OfHeaders):
    def test_an_enum_has_its_values_in_the_order_of_the_header(self) -> None:
        enum = self.scanned("enum acme { ACME_B = 2, ACME_A = 1, ACME_NEXT };").enums["acme"]
        self.assertEqual(list(self.values(enum).items()), [("ACME_B", 2), ("ACME_A", 1), ("ACME_NEXT", 2)])

    def test_negative_values_stay_negative(self) -> None:
        enum = self.scanned("enum acme { ACME_UNKNOWN = -1, ACME_LOW = -2147483647 - 1 };").enums["acme"]
        self.assertEqual(self.values(enum), {"ACME_UNKNOWN": -1, "ACME_LOW": -2**31})

    def test_bit_31_is_positive(self) -> None:
        enum = self.scanned("enum acme { ACME_A = 1U << 31, ACME_B = 1UL << 31 };").enums["acme"]
        self.assertEqual(set(self.values(enum).values()), {2**31})

    def test_bit_63_is_positive(self) -> None:
        enum = self.scanned("enum acme { ACME_LOW = 1, ACME_TOP = 1ULL << 63 };").enums["acme"]
        self.assertEqual(self.values(enum), {"ACME_LOW": 1, "ACME_TOP": 2**63})

    def test_the_lowest_64_bit_value_is_kept(self) -> None:
        enum = self.scanned("enum acme { ACME_LOW = -9223372036854775807LL - 1 };").enums["acme"]
        self.assertEqual(self.values(enum), {"ACME_LOW": -2**63})

    def test_two_names_of_one_value_are_both_kept(self) -> None:
        enum = self.scanned("enum acme { ACME_A = 9, ACME_B = 9, ACME_C = ACME_A };").enums["acme"]
        self.assertEqual(self.values(enum), {"ACME_A": 9, "ACME_B": 9, "ACME_C": 9})

    def test_an_unnamed_enum_is_known_by_its_first_enumerator(self) -> None:
        enums = self.scanned("enum { ACME_A = 5, ACME_B };\nenum { ACME_C };").enums
        self.assertEqual(set(enums), {"(ACME_A)", "(ACME_C)"})
        self.assertFalse(enums["(ACME_A)"].named)

    def test_an_enum_that_only_a_typedef_names_has_no_tag(self) -> None:
        self.assertEqual(set(self.scanned("typedef enum { ACME_A } acme_t;").enums), {"(ACME_A)"})

    def test_an_enum_that_is_only_declared_is_none(self) -> None:
        self.assertEqual(self.scanned("enum acme;").enums, {})

    def test_an_enum_inside_a_structure_is_found(self) -> None:
        group = self.scanned("struct s { enum acme { ACME_A, ACME_B = 7 } kind; };")
        self.assertEqual(self.values(group.enums["acme"]), {"ACME_A": 0, "ACME_B": 7})
        self.assertEqual((group.structs["s"].fields[0].kind, group.structs["s"].fields[0].ref),
                         ("enum", "acme"))

    def test_an_unnamed_enum_inside_a_structure_is_what_its_field_refers_to(self) -> None:
        group = self.scanned("struct s { enum { ACME_A, ACME_B } kind; };")
        self.assertEqual(group.structs["s"].fields[0].ref, "(ACME_A)")
        self.assertIn("(ACME_A)", group.enums)

    def test_enumerators_may_be_computed(self) -> None:
        text = "#define ACME_SHIFT 4\nenum acme { ACME_MASK = (1 << ACME_SHIFT) - 1, ACME_SIZE = sizeof(int) * 2 };"
        self.assertEqual(self.values(self.scanned(text).enums["acme"]), {"ACME_MASK": 15, "ACME_SIZE": 8})


class Members(OfHeaders):
    def test_members_of_an_anonymous_union_are_members_of_the_structure(self) -> None:
        fields = self.fields("struct s { int a; union { int b; char c[8]; }; int d; };")
        self.assertEqual([(f.name, f.offset) for f in fields.values()],
                         [("a", 0), ("b", 4), ("c", 4), ("d", 12)])
        self.assertEqual([f.union for f in fields.values()], [0, 1, 1, 0])

    def test_two_anonymous_unions_are_not_one(self) -> None:
        fields = self.fields("struct s { union { int a; int b; }; union { int c; int d; }; };")
        self.assertEqual([f.union for f in fields.values()], [1, 1, 2, 2])
        fields = self.fields("struct s { union { union { int a; int b; }; struct { union { int c; int d; }; int e; }; }; };")
        self.assertEqual([f.union for f in fields.values()], [1] * 5, "all within share its bytes")

    def test_an_anonymous_structure_in_an_anonymous_union_is_spliced_too(self) -> None:
        fields = self.fields("struct s { int a; union { struct { short b; short c; }; int d; }; };")
        self.assertEqual([(f.name, f.offset) for f in fields.values()],
                         [("a", 0), ("b", 4), ("c", 6), ("d", 4)])

    def test_an_unnamed_union_with_a_name_for_the_member_keeps_its_level(self) -> None:
        fields = self.fields("struct s { int a; union { int b; long c; } u; };")
        self.assertEqual(list(fields), ["a", "u"])
        self.assertEqual((fields["u"].type, fields["u"].kind, fields["u"].ref), ("union", "record", ""))
        self.assertEqual([(f.name, f.offset) for f in fields["u"].fields], [("b", 0), ("c", 0)])

    def test_unions_in_structures_in_unions_have_offsets_from_where_they_start(self) -> None:
        fields = self.fields("""
            struct s {
                long before;
                union {
                    struct { int kind; union { int x; struct { char low, high; } pair; } value; } inner;
                    char raw[32];
                } outer;
            };""")
        outer = fields["outer"]
        inner = outer.fields[0]
        value = inner.fields[1]
        pair = value.fields[1]
        self.assertEqual((outer.offset, outer.size), (8, 32))
        self.assertEqual((inner.offset, inner.type, value.offset, value.type), (0, "struct", 4, "union"))
        self.assertEqual([(f.name, f.offset, f.size) for f in pair.fields], [("low", 0, 1), ("high", 1, 1)])

    def test_a_structure_with_a_tag_inside_another_is_a_structure_of_its_own(self) -> None:
        group = self.scanned("struct s { struct acme_inner { int x; } in; struct acme_far { int y; } *far; };")
        self.assertEqual(set(group.structs), {"s", "acme_inner", "acme_far"})
        self.assertEqual([(f.kind, f.ref) for f in group.structs["s"].fields],
                         [("record", "acme_inner"), ("pointer", "acme_far")])

    def test_arrays_have_a_count_and_flexible_ones_zero(self) -> None:
        fields = self.fields("struct s { short a[3]; int n; char tail[]; };")
        self.assertEqual((fields["a"].count, fields["a"].size, fields["a"].kind), (3, 6, "int"))
        self.assertEqual((fields["n"].count, fields["tail"].count, fields["tail"].size), (None, 0, 0))

    def test_an_array_of_length_zero_is_flexible(self) -> None:
        field = self.fields("struct s { int n; int tail[0]; };")["tail"]
        self.assertEqual((field.count, field.offset), (0, 4))

    def test_an_array_of_arrays_is_an_array_of_something_else(self) -> None:
        field = self.fields("struct s { int grid[2][3]; };")["grid"]
        self.assertEqual((field.count, field.kind, field.size), (2, "other", 24))

    def test_the_length_of_an_array_may_be_a_macro_that_comes_later(self) -> None:
        group = self.scanned("""
            #include <linux/if_ether.h>
            #define ETHERNET_LL_SIZE ETH_ALEN
            struct s { unsigned char mac[ETHERNET_LL_SIZE]; };""")
        self.assertEqual(group.structs["s"].fields[0].count, 6)
        self.assertEqual((group.macros["ETHERNET_LL_SIZE"].value, group.macros["ETHERNET_LL_SIZE"].text),
                         (6, "ETH_ALEN"))

    def test_bit_fields_have_their_width_and_gaps_no_name(self) -> None:
        fields = self.fields("struct s { unsigned a:3; unsigned :5; unsigned b:1; unsigned :0; int c; };")
        self.assertEqual([(f.name, f.bits) for f in fields.values()], [("a", 3), ("b", 1), ("c", None)])

    def test_a_bit_field_lies_where_the_number_does_that_it_is_a_part_of(self) -> None:
        fields = self.fields("struct s { char c; unsigned a : 8, b : 24; unsigned long d : 33, e : 31; };")
        self.assertEqual([(f.name, f.offset, f.size) for f in fields.values()],
                         [("c", 0, 1), ("a", 0, 4), ("b", 4, 4), ("d", 8, 8), ("e", 8, 8)])

    def test_types_are_in_words_that_all_compilers_have(self) -> None:
        fields = self.fields("struct s { char *__restrict r; char *__restrict *rr; __typeof__(1u) t; enum { ACME_A } e, *pe; struct { int n; } *p; };")
        self.assertEqual({f.name: f.type for f in fields.values()},
                         {"r": "char *", "rr": "char **", "t": "unsigned int", "e": "enum", "pe": "enum *", "p": "struct *"})

    def test_a_typedef_of_a_pointer_to_what_has_no_name(self) -> None:
        call = self.scanned("typedef struct { int n; } *acme_handle;\nint acme_use(acme_handle handle);").calls["acme_use"]
        self.assertEqual([p.type for p in call.params], ["void *"])

    def test_nothing_stands_for_a_call_with_a_pointer_to_what_has_no_name(self) -> None:
        calls = self.scanned("typedef struct { int n; } *acme_handle;\ntypedef acme_handle acme_again;\nint acme_use(acme_handle handle);\n"
                             "acme_again acme_make(int n);\nint acme_list(int n, const acme_handle *list);\nint acme_go(void *handle);").calls
        self.assertEqual({c.name: c.apart for c in calls.values()}, {"acme_use": "nameless", "acme_make": "nameless", "acme_list": "nameless", "acme_go": ""})

    def test_a_function_pointer_may_be_called_like_a_function(self) -> None:
        group = self.scanned("int acme_go(void);\nstruct s { int (*acme_go)(void); int n; };")
        self.assertEqual(group.structs["s"].fields[0].kind, "function")
        self.assertEqual(group.calls["acme_go"].kind, "extern")

    def test_pointers_tell_what_they_point_to(self) -> None:
        fields = self.fields("""
            #include <stdint.h>
            struct acme_opaque;
            struct s { struct acme_opaque *o; uint16_t *w; const char *t; void *v; struct s **list; };""")
        self.assertEqual([(f.target, f.ref, f.width) for f in fields.values()],
                         [("record", "acme_opaque", 0), ("uint", "", 2), ("char", "", 1), ("void", "", 0),
                          ("pointer", "", 0)])

    def test_a_type_name_is_kept_as_written(self) -> None:
        fields = self.fields("#include <linux/types.h>\n#include <stdbool.h>\nstruct s { __be32 a; bool b; __u64 c; };")
        self.assertEqual([(f.type, f.kind) for f in fields.values()],
                         [("__be32", "uint"), ("_Bool", "bool"), ("__u64", "uint")])

    def test_what_the_c_library_does_not_name_is_one_thing(self) -> None:
        field = self.fields("#include <pthread.h>\nstruct s { pthread_mutex_t lock; };")["lock"]
        self.assertEqual((field.type, field.kind, field.ref, field.fields),
                         ("pthread_mutex_t", "record", "", []))

    def test_a_float_is_something_else(self) -> None:
        self.assertEqual(self.fields("struct s { double d; };")["d"].kind, "other")


class Structures(OfHeaders):
    def test_a_structure_that_is_never_defined_is_opaque(self) -> None:
        struct = self.scanned("struct acme;\nstruct acme *acme_open(void);").structs["acme"]
        self.assertTrue(struct.opaque)

    def test_a_declaration_before_or_after_the_definition_changes_nothing(self) -> None:
        struct = self.scanned("struct acme;\nstruct acme { int a; };\nstruct acme;").structs["acme"]
        self.assertEqual((struct.opaque, struct.size), (False, 4))

    def test_a_declaration_does_not_hide_the_definition_of_another_group(self) -> None:
        self.put("one.h", "struct acme { int a; };")
        self.put("two.h", "struct acme;\nint two(struct acme *a);")
        facts = self.scan_all([HeaderGroup("one", ["one.h"], "l"), HeaderGroup("two", ["two.h"], "l")])
        self.assertFalse(facts.groups["one"].structs["acme"].opaque)
        self.assertEqual(facts.groups["two"].structs, {})

    def test_a_structure_that_only_a_typedef_names_is_called_so(self) -> None:
        group = self.scanned("typedef struct { int a; } acme_t, acme_other;\nstruct s { acme_t one; acme_t *far; };")
        self.assertEqual([(s.c_type, s.size) for s in group.structs.values()], [("acme_t", 4), ("struct s", 16)])
        self.assertEqual(list(group.typedefs), ["acme_other"])
        self.assertEqual([(f.name, f.ref, len(f.fields)) for f in group.structs["s"].fields], [("one", "", 1), ("far", "", 0)])

    def test_a_structure_is_aligned_to_what_its_members_are_or_says_so(self) -> None:
        structs = self.scanned("""
            struct usual { long a; int b; };
            struct packed { long a; int b; } __attribute__((packed));
            struct packed_alike { long a; long b; } __attribute__((packed));
            struct more { int a; } __attribute__((aligned(16)));
            struct of_more { struct more a; char c; };
            struct by_member { char a; char b __attribute__((aligned(8))); };""").structs
        self.assertEqual({s.name: s.align for s in structs.values()},
                         {"usual": 0, "packed": 1, "packed_alike": 1, "more": 16, "of_more": 0, "by_member": 8})


class Typedefs(OfHeaders):
    HEADER = """
        #include <stdint.h>
        typedef uint32_t acme_t;
        typedef acme_t acme_again;
        typedef struct s *acme_far;
        typedef int (*acme_go)(acme_t);
        typedef uint8_t acme_mac[6];
        typedef enum { ACME_A } acme_kind;
        struct s { acme_again n; const acme_t *p; acme_mac mac; acme_go go; acme_far next; acme_t many[3]; };
        acme_again acme_call(acme_far s, const acme_t *n, acme_go go, acme_go *gone);"""

    def test_each_is_told_with_its_type(self) -> None:
        found = {t.name: t.type for t in self.scanned(self.HEADER).typedefs.values()}
        self.assertEqual(found, {"acme_t": "uint32_t", "acme_again": "uint32_t", "acme_far": "struct s *", "acme_go": "int (*)(uint32_t)",
                                 "acme_mac": "uint8_t[6]", "acme_kind": "enum"})

    def test_what_has_one_is_what_it_stands_for(self) -> None:
        """Other releases may lack the typedef."""
        group = self.scanned(self.HEADER)
        self.assertEqual([(f.type, f.kind, f.count) for f in group.structs["s"].fields], [
            ("uint32_t", "uint", None), ("const uint32_t *", "pointer", None), ("uint8_t[6]", "uint", 6),
            ("int (*)(uint32_t)", "function", None), ("struct s *", "pointer", None), ("uint32_t[3]", "uint", 3)])
        call = group.calls["acme_call"]
        self.assertEqual([call.result, *(p.type for p in call.params)],
                         ["uint32_t", "struct s *", "const uint32_t *", "int (*)(uint32_t)", "int (**)(uint32_t)"])

    def test_nothing_is_const_or_volatile_twice(self) -> None:
        """C takes that with a warning, C++ does not."""
        calls = self.scanned("typedef const int acme_const;\ntypedef const volatile int acme_both;\n"
                             "int acme_call(const acme_const *a, volatile acme_const *b, const acme_both *c, volatile acme_both *const d, acme_const e);").calls
        self.assertEqual([p.type for p in calls["acme_call"].params], ["const int *", "volatile const int *", "const volatile int *", "const volatile int *const", "const int"])

    def test_a_tag_of_the_same_name_stays(self) -> None:
        group = self.scanned("union acme_id { int n; };\ntypedef union acme_id acme_id;\ntypedef enum acme_mode { ACME_A } acme_mode;\n"
                             "int acme_call(const union acme_id given, acme_id *found, enum acme_mode mode, acme_mode again);")
        self.assertEqual([p.type for p in group.calls["acme_call"].params],
                         ["const union acme_id", "union acme_id *", "enum acme_mode", "enum acme_mode"])

    def test_a_variable_is_told_with_its_type(self) -> None:
        found = self.scanned("struct s { int a; };\nextern const struct s acme_all;\nstatic int acme_own;").variables
        self.assertEqual({v.name: v.type for v in found.values()}, {"acme_all": "const struct s", "acme_own": "int"})


class Attributes(OfHeaders):
    def test_what_is_deprecated_says_so(self) -> None:
        group = self.scanned("""
            enum acme { ACME_A, ACME_B __attribute__((deprecated)) };
            struct acme_s { int a; int b __attribute__((deprecated("use a"))); };
            int acme_old(void) __attribute__((deprecated, noinline));
            int acme_new(void) __attribute__((warn_unused_result));""")
        self.assertEqual([v.deprecated for v in group.enums["acme"].values], [False, True])
        self.assertEqual([f.deprecated for f in group.structs["acme_s"].fields], [False, True])
        self.assertEqual([(c.deprecated, c.unused) for c in group.calls.values()], [(True, False), (False, True)])

    def test_a_union_is_marked_as_one(self) -> None:
        self.assertTrue(self.scanned("union acme { int a; long b; };").structs["acme"].union)

    def test_a_structure_without_members_has_size_zero(self) -> None:
        struct = self.scanned("struct acme {};").structs["acme"]
        self.assertEqual((struct.size, struct.fields, struct.opaque), (0, [], False))


class Comments(OfHeaders):
    ENUMS = "enum acme_mode { ACME_A };\nenum acme_caps { ACME_B };\n#include <stdint.h>\n"

    def hint(self, member: str, before: str = "") -> str:
        return self.fields(f"{self.ENUMS}{before}struct s {{ {member} }};")["x"].hint

    def test_a_comment_behind_a_member_names_its_enum(self) -> None:
        self.assertEqual(self.hint("uint32_t x; /* Use enum acme_mode */"), "acme_mode")

    def test_a_comment_above_a_member_names_its_enum(self) -> None:
        self.assertEqual(self.hint("\n/* Or'ed bit of enum acme_caps. */\nuint32_t x;\n"), "acme_caps")

    def test_the_word_enum_may_be_missing(self) -> None:
        self.assertEqual(self.hint("uint32_t x; /* use acme_caps */"), "acme_caps")

    def test_a_comment_belongs_to_the_member_on_its_line_only(self) -> None:
        self.assertEqual(self.hint("\nuint32_t w; /* use acme_caps */\nuint32_t x;\n"), "")

    def test_a_comment_that_names_no_enum_names_nothing(self) -> None:
        self.assertEqual(self.hint("uint32_t x; /* enum acme_gone, in bytes */"), "")

    def test_a_kernel_enum_is_that_of_verbs(self) -> None:
        self.assertEqual(self.hint("uint32_t x; /* enum ib_acme */", "enum ibv_acme { IBV_ACME };\n"),
                         "ibv_acme")

    def test_an_enum_that_a_macro_renames_is_known_by_both_names(self) -> None:
        renamed = "enum kernel_acme { K_ACME };\n#define acme_public kernel_acme\n"
        self.assertEqual(self.hint("uint32_t x; /* Use enum acme_public */", renamed), "kernel_acme")

    def test_a_comment_tells_of_bits_that_stand_for_values(self) -> None:
        counted, bits = "enum acme_kind { ACME_ONE, ACME_TWO, ACME_FOUR };\n", "enum acme_kind { ACME_ONE = 1, ACME_TWO, ACME_FOUR = 4 };\n"
        shifted, few = "enum acme_kind { ACME_NO, ACME_ONE = 1 << 0, ACME_TWO = 1 << 1 };\n", "enum acme_kind { ACME_NO, ACME_ONE = 1, ACME_TWO = 2 };\n"
        for enum, comment, bitmap in ((counted, "Bitmask of enum acme_kind", True), (counted, "Or'ed values of acme_kind", True), (counted, "use enum acme_kind", False),
                                      (bits, "bitmask from enum acme_kind", False), (shifted, "bitmask of enum acme_kind", False), (few, "bitmask of enum acme_kind", True), (counted, "Bitmask", False)):
            found = self.fields(f"#include <stdint.h>\n{enum}struct s {{ uint32_t x; /* {comment} */ }};")["x"]
            self.assertEqual((found.hint, found.bitmap), ("acme_kind" if "acme_kind" in comment else "", bitmap))

    def test_a_member_that_is_an_enum_already_needs_no_comment(self) -> None:
        self.assertEqual(self.hint("enum acme_mode x; /* Use enum acme_caps */"), "")


class Functions(OfHeaders):
    def test_why_nothing_can_stand_for_a_function(self) -> None:
        """Attributes before and behind it, arrays as long as another parameter says, and macros that take other arguments."""
        calls = self.scanned("""
            _Noreturn void acme_ever(int why);
            int acme_end(int why) __attribute__((noreturn, cold));
            int acme_gone(int n) __attribute__((unavailable("it is gone")));
            int acme_list(int n, int list[n]);
            int acme_rows(int n, const int rows[4][n]);
            int acme_four(int list[static 4], int more[const 4], int rest[]);
            int acme_old(int n) __attribute__((deprecated));
            int acme_short(int a, int b);
            #define acme_short(a) acme_short(a, 1)
            int acme_same(int a, int b);
            #define acme_same(a, b) acme_same((a) + 1, b)
            int acme_many(int a, int b);
            #define acme_many(a, ...) acme_many(a, 2)
            int acme_other(int n);
        """).calls
        self.assertEqual({name.removeprefix("acme_"): c.apart for name, c in calls.items() if c.apart},
                         {"ever": "noreturn", "end": "noreturn", "gone": "unavailable", "list": "vla", "rows": "vla", "short": "macro"})

    def test_an_extern_function_has_result_and_parameters(self) -> None:
        call = self.scanned("struct acme;\nstruct acme *acme_open(const char *name, int);").calls["acme_open"]
        self.assertEqual((call.kind, call.result), ("extern", "struct acme *"))
        self.assertEqual([(p.name, p.type) for p in call.params], [("name", "const char *"), ("", "int")])

    def test_array_parameters_stay_as_written(self) -> None:
        text = "struct acme;\nint f(unsigned char mac[6], struct acme *all[], int (*each)(int));"
        self.assertEqual([p.type for p in self.scanned(text).calls["f"].params],
                         ["unsigned char[6]", "struct acme *[]", "int (*)(int)"])

    def test_a_static_inline_function_is_inline(self) -> None:
        self.assertEqual(self.scanned("static inline int acme(int a) { return a; }").calls["acme"].kind,
                         "inline")

    def test_a_macro_before_a_function_shadows_it(self) -> None:
        for macro in ("#define acme(a) acme_wrapped(a)", "#define acme acme_wrapped"):
            with self.subTest(macro):
                group = self.scanned(f"int acme(int a);\nint acme_wrapped(int a);\n{macro}")
                self.assertTrue(group.calls["acme"].shadow)
                self.assertFalse(group.calls["acme_wrapped"].shadow)


class Headers(OfHeaders):
    def test_only_the_headers_of_groups_count(self) -> None:
        group = self.scanned('#include "other.h"\nstruct acme { struct other in; };',
                             other="struct other { int a; };\nenum other_enum { OTHER };\nint other_call(void);")
        self.assertEqual((set(group.structs), set(group.enums), set(group.calls)), ({"acme"}, set(), set()))

    def test_a_header_that_another_includes_by_another_path_is_itself(self) -> None:
        self.put("infiniband/acme.h", "#ifndef ACME_H\n#define ACME_H\nstruct acme { int a; };\n#endif")
        self.put("rdma/first.h", '#include "../infiniband/acme.h"\n')
        facts = self.scan_all([HeaderGroup("first", ["rdma/first.h"], "l"),
                               HeaderGroup("acme", ["infiniband/acme.h"], "l")])
        self.assertIn("acme", facts.groups["acme"].structs)

    def test_a_header_behind_a_link_is_itself(self) -> None:
        self.put("real.h", "#ifndef ACME_H\n#define ACME_H\nstruct acme { int a; };\n#endif")
        (self.folder / "real_link.h").symlink_to("real.h")
        (self.folder / "acme.h").symlink_to("real.h")
        group = self.scan_all([HeaderGroup("acme", ["acme.h"], "l")]).groups["acme"]
        self.assertIn("acme", group.structs)

    def test_two_headers_of_one_name_are_told_apart(self) -> None:
        self.put("infiniband/acme.h", "struct one { int a; };")
        self.put("rdma/acme.h", "struct two { int a; };")
        facts = self.scan_all([HeaderGroup("a", ["infiniband/acme.h"], "l"),
                               HeaderGroup("b", ["rdma/acme.h"], "l")])
        self.assertEqual((set(facts.groups["a"].structs), set(facts.groups["b"].structs)), ({"one"}, {"two"}))

    def test_a_group_is_left_out_of_releases_that_are_too_old(self) -> None:
        self.put("acme.h", "struct acme { int a; };")
        facts = self.scan_all([HeaderGroup("acme", ["acme.h"], "l"),
                               HeaderGroup("new", ["gone.h"], "l", first=45)])
        self.assertEqual(set(facts.groups), {"acme"})

    def test_line_ends_of_another_system_are_line_ends(self) -> None:
        (self.folder / "acme.h").write_bytes(b"#define ACME \\\r\n 5\r\nstruct acme { int a; };\r\n")
        group = self.scan_all([HeaderGroup("acme", ["acme.h"], "l")]).groups["acme"]
        self.assertEqual(group.macros["ACME"].value, 5)


class BadHeaders(OfHeaders):
    def test_a_libclang_that_is_not_there_is_told(self) -> None:
        with mock.patch("gen.scan.scan.Declarations", side_effect=LibclangError("libclang-14.so: no such file")):
            self.assertIn("libclang cannot be loaded: libclang-14.so: no such file\n  apt-get install python3-clang", self.fails(lambda: self.scanned("int a;")))

    def test_a_header_that_does_not_parse_stops_with_file_and_line(self) -> None:
        said = self.fails(lambda: self.scanned("struct acme {\n\tint a;\n\tunknown_t b;\n};"))
        self.assertIn(f"{self.folder}/acme.h:3: ", said)
        self.assertIn("unknown_t", said)

    def test_a_missing_include_stops_with_file_and_line(self) -> None:
        said = self.fails(lambda: self.scanned("int a;\n#include <acme/gone.h>\n"))
        self.assertIn(f"{self.folder}/acme.h:2: ", said)
        self.assertIn("acme/gone.h", said)

    def test_an_error_in_an_included_header_names_that_header(self) -> None:
        self.assertIn("other.h:1: ",
                      self.fails(lambda: self.scanned('#include "other.h"', other="struct { gone_t a; };")))

    def test_a_brace_that_is_never_closed_is_blamed_on_its_header(self) -> None:
        self.assertIn(f"{self.folder}/acme.h:2: ",
                      self.fails(lambda: self.scanned("int a;\nstruct acme {\n")))

    def test_a_header_that_is_not_there_is_named_and_where_it_was_looked_for(self) -> None:
        said = self.fails(lambda: self.scan_all([HeaderGroup("acme", ["gone.h"], "l")]))
        self.assertIn(f"gone.h: no such header in {self.folder}", said)

    def test_a_wanted_structure_that_is_missing_is_named(self) -> None:
        self.assertIn("acme.h: struct gone is not in these headers",
                      self.fails(lambda: self.scanned("struct other { int n; };", ["gone"])))

    def test_a_wanted_structure_must_be_defined(self) -> None:
        self.assertIn("struct acme", self.fails(lambda: self.scanned("struct acme;", ["acme"])))

    def test_bytes_that_are_no_text_make_no_traceback(self) -> None:
        (self.folder / "acme.h").write_bytes(b"\xff\xfe\x00#define ACME 1\nint")
        self.fails(lambda: self.scan_all([HeaderGroup("acme", ["acme.h"], "l")]))


if __name__ == "__main__":
    unittest.main()
