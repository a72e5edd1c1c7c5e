# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""Diff: hand-made facts for each rule."""

from __future__ import annotations

import unittest

from gen.api.facts import Call, Enum, Enumerator, Facts, Field, Group, Macro, Named, Param, Struct
from gen.diff import changes as report, diff

HEADER = "infiniband/verbs.h"


def uint(name: str, offset: int, size: int = 4) -> Field:
    return Field(name, f"uint{8 * size}_t", "uint", offset, size)


def record(name: str, ref: str, offset: int, size: int) -> Field:
    return Field(name, f"struct {ref}", "record", offset, size, ref=ref)


def struct(name: str, size: int, *fields: Field, opaque: bool = False) -> Struct:
    return Struct(name, HEADER, size, opaque=opaque, fields=list(fields))


def enum(name: str, **values: int) -> Enum:
    return Enum(name, HEADER, [Enumerator(n, v) for n, v in values.items()])


def call(name: str, result: str, *types: str, kind: str = "extern", **more: object) -> Call:
    names = [("size" if t == "size_t" else f"p{i}") for i, t in enumerate(types)]
    return Call(name, HEADER, kind, result, [Param(n, t) for n, t in zip(names, types)], **more)


def macro(name: str, value: int | None = None, kind: str = "value", text: str = "") -> Macro:
    return Macro(name, HEADER, kind, value, text)


def release(number: int, *items: Enum | Struct | Call | Macro) -> Facts:
    group = Group("verbs", [HEADER])
    places = {Enum: group.enums, Struct: group.structs, Call: group.calls, Macro: group.macros}
    for item in items:
        places[type(item)][item.name] = item
    return Facts(number, {"verbs": group})


class Case(unittest.TestCase):
    def changes(self, old: list, new: list) -> dict[str, report.Change]:
        """What differs, by kind and name."""
        found = diff.diff(release(44, *old), release(65, *new)).changes
        return {f"{change.kind} {change.name}": change for change in found}

    def only(self, old: list, new: list) -> report.Change:
        found = self.changes(old, new)
        self.assertEqual(len(found), 1, list(found))
        return next(iter(found.values()))

    def assertSays(self, change: report.Change, how: str, verdict: str, why: str, detail: str = "") -> None:
        self.assertEqual((change.change, change.verdict), (how, verdict), change)
        self.assertIn(why, change.why)
        self.assertIn(detail, change.detail)


class Constants(Case):
    def test_nothing_differs_between_equals(self) -> None:
        items = [enum("e", A=1), struct("s", 4, uint("a", 0)), call("f", "int", "int"), macro("M", 1)]
        self.assertEqual(self.changes(items, items), {})

    def test_an_added_enumerator_is_safe(self) -> None:
        self.assertSays(self.only([enum("e", A=1)], [enum("e", A=1, B=2)]), "added", "safe", "new", "e = 2")

    def test_a_new_enum_is_reported_with_its_enumerators(self) -> None:
        self.assertEqual(set(self.changes([], [enum("e", A=1)])), {"enum e", "enumerator A"})

    def test_an_unnamed_enum_is_but_its_enumerators(self) -> None:
        self.assertEqual(set(self.changes([], [enum("(A)", A=1)])), {"enumerator A"})

    def test_a_changed_value_is_unsafe(self) -> None:
        self.assertSays(self.only([enum("e", A=1)], [enum("e", A=256)]), "changed", "unsafe", "value",
                        "1 -> 0x100")

    def test_a_removed_enumerator_is_unsafe(self) -> None:
        self.assertSays(self.only([enum("e", A=1, B=2)], [enum("e", A=1)]), "removed", "unsafe", "gone")

    def test_an_enumerator_may_become_a_macro(self) -> None:
        self.assertSays(self.only([enum("(A)", A=1)], [macro("A", 1)]), "changed", "safe", "same value",
                        "#define")

    def test_a_macro_with_another_value_is_unsafe(self) -> None:
        change = self.only([macro("A", 1)], [macro("A", 2)])
        self.assertEqual(change.kind, "macro")
        self.assertSays(change, "changed", "unsafe", "value", "1 -> 2")

    def test_a_renaming_macro_that_points_elsewhere_needs_a_rebuild(self) -> None:
        old, new = macro("a", kind="alias", text="b"), macro("a", kind="alias", text="c")
        self.assertSays(self.only([old], [new]), "changed", "recompile", "something else", "b -> c")


    def test_a_macro_without_a_value_comes_and_goes(self) -> None:
        self.assertSays(self.only([], [macro("M", kind="function")]), "added", "safe", "new")
        self.assertSays(self.only([macro("M", kind="other")], []), "removed", "unsafe", "gone")

    def test_a_macro_that_is_replaced_by_something_else(self) -> None:
        old, new = macro("M", kind="function"), macro("M", kind="function")
        old.digest, new.digest = "aaaaaaaa", "bbbbbbbb"
        self.assertSays(self.only([old], [new]), "changed", "recompile", "replaced")

    def test_a_macro_that_is_no_constant_any_more(self) -> None:
        change = self.only([macro("A", 1)], [macro("A", kind="other")])
        self.assertEqual(change.kind, "macro")
        self.assertSays(change, "changed", "unsafe", "no constant", "= 1")
        self.assertSays(self.only([macro("A", kind="other")], [macro("A", 1)]), "changed", "safe", "a constant now")

    def test_a_header_comes_and_goes(self) -> None:
        old, new = release(44), release(65)
        new.groups["verbs"].headers = [HEADER, "infiniband/more.h"]
        (came,), (went,) = diff.diff(old, new).changes, diff.diff(new, old).changes
        self.assertSays(came, "added", "safe", "new", "of verbs")
        self.assertSays(went, "removed", "unsafe", "gone")
        self.assertEqual((came.kind, came.name), ("header", "infiniband/more.h"))


class Growth(Case):
    def grown(self, *context: Call | Struct | Enum, first: str = "a") -> report.Change:
        old, new = struct("s", 4, uint(first, 0)), struct("s", 8, uint(first, 0), uint("b", 4))
        return self.changes([old, *context], [new, *context])["struct s"]

    def test_growth_that_nobody_is_told_of_needs_a_rebuild(self) -> None:
        self.assertSays(self.grown(), "changed", "recompile", "nothing tells", "4 -> 8 bytes")

    def test_growth_at_the_end_is_safe_with_a_comp_mask_that_gets_a_bit(self) -> None:
        def grown(hint: str, before: list[Enum], after: Enum) -> report.Change:
            mask = Field("comp_mask", "uint32_t", "uint", 0, 4, hint=hint)
            return self.changes([struct("s_attr", 4, mask), *before], [struct("s_attr", 8, mask, uint("b", 4)), after])["struct s_attr"]

        for name, hint in (("s_attr_mask", ""), ("s_attr_comp_mask", ""), ("s_mask", ""), ("bits_of_s", "bits_of_s")):
            old, new = enum(name, S_A=1), enum(name, S_A=1, S_B=2)
            self.assertSays(grown(hint, [old], new), "changed", "safe", f"comp_mask asks for the new part, by new bits of {name}")
            self.assertSays(grown(hint, [], old), "changed", "safe", "by new bits")
            self.assertSays(grown(hint, [old], old), "changed", "recompile", "nothing tells")
        self.assertSays(grown("", [], enum("s_attr_other_mask", S_A=1)), "changed", "recompile", "nothing tells")

    def test_a_length_may_be_of_any_type(self) -> None:
        change = self.grown(Call("f", HEADER, "extern", "int", [Param("attr", "struct s *"), Param("inlen", "uint32_t")]))
        self.assertSays(change, "changed", "safe", "f is told its size")

    def test_growth_at_the_end_is_safe_where_the_size_is_passed(self) -> None:
        change = self.grown(call("f", "int", "struct s *", "size_t"))
        self.assertSays(change, "changed", "safe", "f is told its size")

    def test_the_size_may_be_passed_through_a_pointer_to_a_function(self) -> None:
        ops = struct("ops", 8, Field("query", "int (*)(struct s *, size_t)", "function", 0, 8))
        self.assertSays(self.grown(ops), "changed", "safe", "ops.query is told")

    def test_growth_is_safe_where_the_library_allocates(self) -> None:
        self.assertSays(self.grown(call("f", "struct s *")), "changed", "safe", "allocates it (f)")

    def test_growth_is_safe_where_an_enum_selects_the_members(self) -> None:
        self.assertSays(self.grown(enum("s_type", S_A=1, S_B=2)), "changed", "safe", "s_type selects")
        self.assertSays(self.grown(enum("s_type", S_A=1)), "changed", "recompile", "nothing tells")

    def test_growth_in_an_array_needs_a_rebuild(self) -> None:
        change = self.grown(call("f", "int", "struct s[]"), first="comp_mask")
        self.assertSays(change, "changed", "recompile", "f takes an array")

    def test_growth_inside_another_structure_needs_a_rebuild(self) -> None:
        change = self.grown(struct("outer", 16, record("inner", "s", 0, 4)), first="comp_mask")
        self.assertSays(change, "changed", "recompile", "held by value in outer.inner")

    def test_growth_at_the_front_keeps_the_distance_from_the_end(self) -> None:
        inner = struct("inner", 4, uint("x", 0))
        old = struct("s", 8, uint("sz", 0), record("held", "inner", 4, 4))
        new = struct("s", 12, uint("b", 0), uint("sz", 4), record("held", "inner", 8, 4))
        found = self.changes([inner, old], [inner, new])
        self.assertSays(found["struct s"], "changed", "safe", "front")
        self.assertEqual(set(found), {"struct s", "field s.b"})

    def test_growth_at_the_front_moves_all_else(self) -> None:
        old, new = struct("s", 4, uint("a", 0)), struct("s", 8, uint("b", 0), uint("a", 4))
        found = self.changes([old], [new])
        self.assertSays(found["struct s"], "changed", "unsafe", "front")
        self.assertSays(found["field s.a"], "changed", "unsafe", "moved", "0 -> 4")

    def test_a_union_is_no_structure(self) -> None:
        old, new = struct("s", 4, uint("a", 0)), struct("s", 4, uint("a", 0))
        new.union = True
        self.assertSays(self.only([old], [new]), "changed", "unsafe", "record", "struct -> union")

    def test_a_field_in_what_was_padding_has_what_callers_left_there(self) -> None:
        def padded(first: str, *more: Field) -> Struct:
            return struct("s", 16, uint(first, 0), uint("b", 8, 8), *more)

        self.assertSays(self.only([padded("a")], [padded("a", uint("c", 4))]), "added", "recompile", "padding")
        self.assertSays(self.only([padded("comp_mask")], [padded("comp_mask", uint("c", 4))]), "added", "safe", "new")

    def test_what_came_with_its_structure_is_one_change(self) -> None:
        part = Field("part", "struct", "record", 4, 4, fields=[uint("x", 0)])
        old, new = struct("s", 8, uint("comp_mask", 0)), struct("s", 8, uint("comp_mask", 0), part)
        self.assertEqual(set(self.changes([old], [new])), {"field s.part"})
        self.assertEqual(set(self.changes([new], [old])), {"field s.part"})

    def test_a_structure_that_others_hold_tells_of_itself(self) -> None:
        old = [struct("in", 4, uint("a", 0)), struct("out", 4, record("held", "in", 0, 4))]
        new = [struct("in", 8, uint("a", 0), uint("b", 4)), struct("out", 8, record("held", "in", 0, 8))]
        self.assertEqual(set(self.changes(old, new)), {"struct in", "field in.b", "struct out"})

    def test_growth_in_the_middle_is_unsafe(self) -> None:
        old = struct("s", 8, uint("a", 0), uint("c", 4))
        new = struct("s", 12, uint("a", 0), uint("b", 4), uint("c", 8))
        found = self.changes([old], [new])
        self.assertSays(found["struct s"], "changed", "unsafe", "middle")
        self.assertSays(found["field s.c"], "changed", "unsafe", "moved", "4 -> 8")

    def test_a_smaller_structure_is_unsafe(self) -> None:
        found = self.changes([struct("s", 8, uint("a", 0), uint("b", 4))], [struct("s", 4, uint("a", 0))])
        self.assertSays(found["struct s"], "changed", "unsafe", "shrank", "8 -> 4")


class Fields(Case):
    def field(self, old: Field, new: Field) -> report.Change:
        return self.only([struct("s", 16, old)], [struct("s", 16, new)])

    def test_nested_fields_have_their_path_and_their_place_in_the_whole(self) -> None:
        outer = Field("u", "union", "record", 8, 8, fields=[uint("a", 0)])
        wider = Field("u", "union", "record", 8, 8, fields=[uint("a", 0), uint("b", 4)])
        self.assertSays(self.field(outer, wider), "added", "safe", "new", "uint32_t at 12")

    def test_a_field_of_another_size_is_unsafe(self) -> None:
        change = self.field(uint("a", 0, 2), uint("a", 0, 4))
        self.assertSays(change, "changed", "unsafe", "size", "uint16_t of 2 bytes -> uint32_t of 4 bytes")

    def test_another_name_of_the_same_type_is_safe(self) -> None:
        old, new = uint("a", 0), uint("a", 0)
        new.type = "__u32"
        self.assertSays(self.field(old, new), "changed", "safe", "same representation", "uint32_t -> __u32")

    def test_a_pointer_to_something_else_is_unsafe(self) -> None:
        old, new = (Field("p", f"struct {t} *", "pointer", 0, 8, ref=t, target="record") for t in "ab")
        self.assertSays(self.field(old, new), "changed", "unsafe", "another type")

    def test_another_sign_is_unsafe(self) -> None:
        old, new = uint("a", 0), Field("a", "int32_t", "int", 0, 4)
        self.assertSays(self.field(old, new), "changed", "unsafe", "sign", "uint32_t -> int32_t")

    def test_another_byte_order_is_unsafe(self) -> None:
        old, new = uint("a", 0), uint("a", 0)
        new.type = "__be32"
        self.assertSays(self.field(old, new), "changed", "unsafe", "byte order")

    def test_another_enum_is_unsafe_and_a_number_that_gets_one_is_not(self) -> None:
        one, two = (Field("a", f"enum {e}", "enum", 0, 4, ref=e) for e in ("one", "two"))
        self.assertSays(self.field(one, two), "changed", "unsafe", "another enum")
        self.assertSays(self.field(uint("a", 0), one), "changed", "safe", "same representation")

    def test_a_truth_value_is_no_number(self) -> None:
        self.assertSays(self.field(uint("a", 0, 1), Field("a", "bool", "bool", 0, 1)), "changed", "unsafe", "another type")

    def test_a_field_that_becomes_const_or_whose_target_does_is_unsafe(self) -> None:
        def told(kind: str, old: str, new: str) -> report.Change:
            return self.field(*(Field("f", t, kind, 0, 8) for t in (old, new)))

        self.assertSays(told("uint", "uint64_t", "const uint64_t"), "changed", "unsafe", "const now")
        self.assertSays(told("pointer", "char *", "const char *"), "changed", "unsafe", "const now")
        self.assertSays(told("pointer", "const char *", "const volatile char *"), "changed", "unsafe", "volatile now")
        self.assertSays(told("uint", "const uint64_t", "uint64_t"), "changed", "safe", "same representation")

    def test_a_pointer_to_wider_elements_is_unsafe(self) -> None:
        old, new = (Field("p", f"uint{8 * w}_t *", "pointer", 0, 8, target="uint", width=w) for w in (4, 8))
        self.assertSays(self.field(old, new), "changed", "unsafe", "another type")

    def test_a_pointer_to_a_function_that_takes_something_else_is_unsafe(self) -> None:
        old, new = (Field("f", f"int (*)({t})", "function", 0, 8) for t in ("int", "long"))
        self.assertSays(self.field(old, new), "changed", "unsafe", "prototype")

    def test_bits_that_are_more_are_unsafe(self) -> None:
        old, new = uint("a", 0), uint("a", 0)
        old.bits, new.bits = 3, 4
        self.assertSays(self.field(old, new), "changed", "unsafe", "size", "of 3 bits -> uint32_t of 4 bits")

    def test_reserved_room_may_be_used(self) -> None:
        old = struct("s", 8, uint("a", 0), uint("reserved", 4))
        new = struct("s", 8, uint("a", 0), uint("b", 4))
        found = self.changes([old], [new])
        self.assertSays(found["field s.reserved"], "removed", "safe", "reserved")
        self.assertSays(found["field s.b"], "added", "safe", "new")

    def test_reserved_room_may_move(self) -> None:
        old = struct("s", 8, uint("a", 0), uint("reserved", 4))
        new = struct("s", 8, uint("a", 0), uint("b", 4, 2), uint("reserved", 6, 2))
        self.assertEqual(set(self.changes([old], [new])), {"field s.b"})

    def test_a_removed_field_is_unsafe(self) -> None:
        old, new = struct("s", 8, uint("a", 0), uint("b", 4)), struct("s", 8, uint("a", 0))
        self.assertSays(self.only([old], [new]), "removed", "unsafe", "gone")

    def test_a_field_whose_name_a_macro_keeps_is_safe(self) -> None:
        kept, old = macro("a", kind="alias", text="b"), struct("s", 8, uint("a", 0), uint("c", 4))
        found = self.changes([old], [struct("s", 8, uint("b", 0), uint("c", 4)), kept])
        self.assertEqual(list(found), ["field s.a", "macro a"])
        self.assertSays(found["field s.a"], "changed", "safe", "programs go on to write what they wrote", "declared -> #define of b")
        self.assertIn("unsafe", [c.verdict for c in diff.diff(release(44, old), release(65, struct("s", 8, uint("b", 4), uint("c", 0)), kept)).changes])  # it moved as well
        self.assertIn("field s.b", self.changes([old], [struct("s", 12, uint("a", 0), uint("c", 4), uint("b", 8)), kept]))

    def test_a_structure_that_becomes_opaque_is_unsafe(self) -> None:
        change = self.only([struct("s", 4, uint("a", 0))], [struct("s", 0, opaque=True)])
        self.assertSays(change, "changed", "unsafe", "no longer defined")


class Functions(Case):
    def test_a_new_function_says_its_version_and_release(self) -> None:
        change = self.only([], [call("f", "int", version="IBVERBS_1.16", introduced=62)])
        self.assertSays(change, "added", "safe", "new", "IBVERBS_1.16, since 62")

    def test_a_removed_function_is_unsafe(self) -> None:
        self.assertSays(self.only([call("f", "int")], []), "removed", "unsafe", "gone")

    def test_a_function_that_becomes_a_macro_is_one_change(self) -> None:
        change = self.only([call("f", "int")], [macro("f", kind="function")])
        self.assertEqual(change.kind, "function")
        self.assertSays(change, "changed", "safe", "macro", "extern -> macro")

    def test_a_macro_may_come_to_stand_over_a_function(self) -> None:
        change = self.only([call("f", "int")], [call("f", "int", shadow=True), macro("f", kind="function")])
        self.assertSays(change, "changed", "safe", "macro", "extern -> macro over it")

    def test_a_function_that_becomes_inline_leaves_binaries_behind(self) -> None:
        change = self.only([call("f", "int")], [call("f", "int", kind="inline")])
        self.assertSays(change, "changed", "recompile", "old symbol", "extern -> inline")

    def test_an_inline_function_that_becomes_one_of_the_library(self) -> None:
        change = self.only([call("f", "int", kind="inline")], [call("f", "int")])
        self.assertSays(change, "changed", "safe", "needs the new library", "inline -> extern")

    def test_an_argument_that_is_const_no_more_is_unsafe(self) -> None:
        change = self.only([call("f", "int", "const void *")], [call("f", "int", "void *")])
        self.assertSays(change, "changed", "unsafe", "prototype")

    def test_a_function_that_comes_to_take_any_arguments(self) -> None:
        change = self.only([call("f", "int", "int")], [call("f", "int", "int", variadic=True)])
        self.assertSays(change, "changed", "unsafe", "prototype", "int (int) -> int (int, ...)")

    def test_an_argument_more_is_unsafe(self) -> None:
        self.assertSays(self.only([call("f", "int", "int")], [call("f", "int", "int", "int")]), "changed", "unsafe", "prototype")

    def test_another_prototype_is_unsafe(self) -> None:
        change = self.only([call("f", "int", "int")], [call("f", "int", "long")])
        self.assertSays(change, "changed", "unsafe", "prototype", "int (int) -> int (long)")

    def test_an_argument_that_becomes_const_is_safe(self) -> None:
        change = self.only([call("f", "int", "void *")], [call("f", "int", "const void *")])
        self.assertSays(change, "changed", "safe", "const")

    def test_a_result_that_becomes_const_is_not(self) -> None:
        change = self.only([call("f", "char *")], [call("f", "const char *")])
        self.assertSays(change, "changed", "unsafe", "prototype")

    def test_a_new_symbol_version_leaves_the_old_one(self) -> None:
        old, new = (call("f", "int", library="libibverbs.so.1", version=v) for v in ("V_1.0", "V_1.1"))
        self.assertSays(self.only([old], [new]), "changed", "safe", "old version", "V_1.0 -> V_1.1")


class Marks(Case):
    def test_what_is_deprecated_is_told(self) -> None:
        for old, new in ((enum("e", A=1), Enum("e", HEADER, [Enumerator("A", 1, deprecated=True)])),
                         (call("f", "int"), call("f", "int", deprecated=True)),
                         (struct("s", 4, uint("a", 0)), Struct("s", HEADER, 4, deprecated=True, fields=[uint("a", 0)]))):
            self.assertSays(self.only([old], [new]), "changed", "recompile", "deprecated")
            self.assertSays(self.only([new], [old]), "changed", "safe", "not deprecated any more")

    def test_a_result_that_must_be_looked_at_is_told(self) -> None:
        self.assertSays(self.only([call("f", "int")], [call("f", "int", unused=True)]), "changed", "recompile", "warns of a result")

    def test_another_alignment_is_told(self) -> None:
        old, new = struct("s", 8, uint("a", 0, 8)), Struct("s", HEADER, 8, align=1, fields=[uint("a", 0, 8)])
        self.assertSays(self.only([old], [new]), "changed", "recompile", "where the library does not expect it",
                        "as its members are -> to 1 bytes")

    def test_typedefs_and_variables_are_told(self) -> None:
        a, b, facts = Named("t", HEADER, "uint32_t"), Named("t", HEADER, "uint64_t"), release(44)
        for kind in ("typedef", "variable"):
            one, two = release(44), release(65)
            getattr(one.groups["verbs"], f"{kind}s")["t"] = a
            getattr(two.groups["verbs"], f"{kind}s")["t"] = b
            self.assertEqual([(c.kind, c.change) for c in diff.diff(facts, two).changes], [(kind, "added")])
            self.assertSays(diff.diff(one, two).changes[0], "changed", "unsafe", "another type", "uint32_t -> uint64_t")


if __name__ == "__main__":
    unittest.main()
