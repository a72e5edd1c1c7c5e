# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""Scanning: macros, of which the text of headers tells that they are there, and the compiler what they are."""

from __future__ import annotations

import unittest

from gen.know.groups import HeaderGroup
from tests.gen.project import OfHeaders


class Macros(OfHeaders):
    def macro(self, definition: str) -> tuple[str, int | None, str]:
        found = self.scanned(definition).macros["ACME"]
        return found.kind, found.value, found.text

    def test_a_number_is_a_value(self) -> None:
        for body, value in (("1", 1), ("0x10", 16), ("(-1)", -1), ("(1ULL << 34)", 2**34),
                            ("~0ULL", 2**64 - 1),
                            ("1U << 31", 2**31), ("'x'", 120), ("sizeof(long)", 8),
                            ("((unsigned char)300)", 44)):
            with self.subTest(body):
                self.assertEqual(self.macro(f"#define ACME {body}"), ("value", value, ""))

    def test_a_body_may_go_over_lines_and_hold_comments(self) -> None:
        self.assertEqual(self.macro("#define ACME /* one */ 1 | \\\n  2 // and two"), ("value", 3, ""))

    def test_text_may_hold_what_begins_a_comment(self) -> None:
        macros = self.scanned('#define ACME_A "/*"\n#define ACME_B 1 // it\'s\n#define ACME_C "//"\n#define ACME_D 2 /* don\'t */\n').macros
        self.assertEqual([(m.name, m.value) for m in macros.values()], [("ACME_A", None), ("ACME_B", 1), ("ACME_C", None), ("ACME_D", 2)])

    def test_of_two_forms_the_one_that_the_compiler_sees_counts(self) -> None:
        forms = "#if {}\n#define ACME 3\n#else\n#define ACME(a) (a)\n#endif"
        self.assertEqual(self.macro(forms.format(1)), ("value", 3, ""))
        self.assertEqual(self.macro(forms.format(0)), ("function", None, ""))

    def test_a_name_for_an_enumerator_is_its_value_and_says_whose(self) -> None:
        text = "enum kernel { KERNEL_ACME = 3 };\n#define ACME KERNEL_ACME"
        self.assertEqual(self.macro(text), ("value", 3, "KERNEL_ACME"))

    def test_a_name_in_parentheses_is_that_name(self) -> None:
        self.assertEqual(self.macro("enum kernel { K = 3 };\n#define ACME ( K )"), ("value", 3, "K"))

    def test_a_name_for_a_tag_is_an_alias(self) -> None:
        self.assertEqual(self.macro("struct kernel { int a; };\n#define ACME kernel"),
                         ("alias", None, "kernel"))

    def test_what_is_no_integer_is_something_else(self) -> None:
        for body in ('"text"', "((void *)-1)", "1.5", "__attribute__((unused))", "struct acme",
                     "do { } while (0)"):
            with self.subTest(body):
                self.assertEqual(self.macro(f"#define ACME {body}"), ("other", None, ""))

    def test_half_a_bracket_spoils_no_other_macro(self) -> None:
        for half in ("(", ")", "{", "};", "({", "[ 1", "\"(\" (", "#"):
            with self.subTest(half):
                macros = self.scanned(f"#define HALF {half}\n#define VIA HALF\n#define ACME 5\n").macros
                self.assertEqual((macros["ACME"].kind, macros["ACME"].value), ("value", 5))
                self.assertIsNone(macros["HALF"].value)

    def test_too_many_brackets_spoil_no_other_macro(self) -> None:
        """The compiler gives up there, and reads nothing behind."""
        macros = self.scanned(f"#define ACME_A {'(' * 300}1{')' * 300}\n#define ACME_B 5\n#define ACME_C {'(' * 400}1{')' * 400}\n#define ACME_D 6\n").macros
        self.assertEqual([(m.kind, m.value) for m in (macros[f"ACME_{x}"] for x in "ABCD")], [("other", None), ("value", 5), ("other", None), ("value", 6)])

    def test_many_mistakes_of_one_spoil_no_other_macro(self) -> None:
        """Each such line has more than one error, and the compiler gives up after so many."""
        macros = self.scanned("".join(f"#define ACME_A{n} (gone_{n} + lost_{n} * away_{n})\n#define ACME_B{n} {n}\n" for n in range(9))).macros
        self.assertEqual([macros[f"ACME_{x}{n}"].value for n in range(9) for x in "AB"], [v for n in range(9) for v in (None, n)])

    def test_a_macro_that_means_itself_is_no_value(self) -> None:
        self.assertEqual(self.macro("#define ACME ACME")[0], "other")

    def test_only_a_parenthesis_that_touches_the_name_makes_a_function(self) -> None:
        macros = self.scanned("#define ACME_F(x) (x)\n#define ACME_V (7)\n").macros
        self.assertEqual((macros["ACME_F"].kind, macros["ACME_V"].kind), ("function", "value"))

    def test_what_is_not_defined_after_all_is_not_there(self) -> None:
        macros = self.scanned("""
            #ifdef ACME_STATIC
            #define ACME_A 1
            #define acme_open(x) acme_open_static(x)
            #endif
            #define ACME_B 2
            #undef ACME_B""").macros
        self.assertEqual(macros, {})

    def test_a_value_may_come_from_a_macro_with_parameters(self) -> None:
        self.assertEqual(self.macro("#define BIT(n) (1u << (n))\n#define ACME BIT(4)"), ("value", 16, ""))

    def test_a_macro_that_is_empty_is_one(self) -> None:
        macros = self.scanned("#ifndef ACME_H\n#define ACME_H\n#define ACME_HAS_X\n#endif").macros
        self.assertEqual({n: m.kind for n, m in macros.items()}, {"ACME_HAS_X": "other"})

    def test_what_a_macro_is_replaced_by_shows_in_its_digest(self) -> None:
        def digest(text: str) -> str:
            return self.scanned(f"#define ACME_F{text}").macros["ACME_F"].digest

        self.assertEqual(digest("(x) ((x) + 1)"), digest("(x)   ((x) + /* one */ 1)"))
        self.assertEqual(len({digest("(x) ((x) + 1)"), digest("(x) ((x) + 2)"), digest("(y) ((x) + 1)"), digest(" (errno)")}), 4)

    def test_a_function_that_takes_any_arguments_says_so(self) -> None:
        calls = self.scanned("int a(int x, ...); int b(int x); int c();").calls
        self.assertEqual([n for n, c in calls.items() if c.variadic], ["a"])

    def test_an_include_guard_is_no_macro(self) -> None:
        self.assertEqual(self.scanned("#ifndef ACME_H\n#define ACME_H\n#endif").macros, {})

    def test_one_name_in_two_headers_has_its_value_in_both(self) -> None:
        self.put("one.h", "#ifndef ACME\n#define ACME 4\n#endif")
        self.put("two.h", "#ifndef ACME\n#define ACME 4\n#endif")
        group = self.scan_all([HeaderGroup("g", ["one.h", "two.h"], "l")]).groups["g"]
        self.assertEqual(group.macros["ACME"].value, 4)


if __name__ == "__main__":
    unittest.main()
