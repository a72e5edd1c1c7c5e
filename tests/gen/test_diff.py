# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""Diff: hand-made facts for each rule, and what is known of the committed releases."""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import shutil
import tempfile
import unittest
from collections.abc import Iterator
from pathlib import Path

from gen import changes as report
from gen import command_diff, diff, facts, headers
from gen.errors import GenError
from gen.facts import Call, Enum, Enumerator, Facts, Field, Group, Macro, Param, Struct

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

    def test_growth_at_the_end_is_safe_with_a_comp_mask(self) -> None:
        self.assertSays(self.grown(first="comp_mask"), "changed", "safe", "comp_mask")

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


class Rendering(unittest.TestCase):
    def setUp(self) -> None:
        old = release(44, enum("e", A=1), struct("s", 4, uint("a", 0)), call("f", "int", "int"))
        new = release(65, enum("e", A=1, B=2), struct("s", 8, uint("a", 0), uint("b", 4)), call("f", "int"))
        self.report = diff.diff(old, new)

    def test_text(self) -> None:
        self.assertEqual([" ".join(line.split()) for line in report.text(self.report).splitlines()], [
            "rdma-core 44 -> 65: 2 added, 0 removed, 2 changed",
            "for an existing caller: 2 safe, 1 recompile, 1 unsafe",
            "",
            "infiniband/verbs.h",
            "~ struct s 4 -> 8 bytes; recompile: grew at the end; "
            "nothing tells the library how much a caller has",
            "~ function f int (int) -> int (void); unsafe: prototype changed",
            "+ enumerator B e = 2; safe: new",
            "+ field s.b uint32_t at 4; safe: new"])

    def test_markdown_marks_what_is_not_safe(self) -> None:
        lines = report.markdown(self.report).splitlines()
        self.assertEqual(lines[0], "# rdma-core 44 -> 65: 2 added, 0 removed, 2 changed")
        self.assertIn("| added | enumerator | `B` | e = 2 | safe: new |", lines)
        row = "| changed | function | `f` | int (int) -> int (void) | **unsafe**: prototype changed |"
        self.assertIn(row, lines)

    def test_markdown_columns_agree(self) -> None:
        table = [line for line in report.markdown(self.report).splitlines() if line.startswith("|")]
        self.assertEqual({line.count("|") for line in table}, {6})

    def test_json(self) -> None:
        data = json.loads(report.to_json(self.report))
        self.assertEqual((data["old"], data["new"]), (44, 65))
        self.assertEqual(data["counts"], {"added": 2, "removed": 0, "changed": 2})
        self.assertEqual(data["changes"][2], {
            "header": HEADER, "kind": "enumerator", "name": "B",
            "change": "added", "verdict": "safe", "why": "new", "detail": "e = 2"})

    def test_headers_come_in_the_order_asked_for(self) -> None:
        other = Group("other", ["a.h"], macros={"M": Macro("M", "a.h", "value", 1)})
        new = release(65, macro("N", 1))
        new.groups = {"other": other, **new.groups}
        self.assertEqual(diff.diff(release(44), new).headers(), ["a.h", HEADER])
        self.assertEqual(diff.diff(release(44), new, [HEADER, "a.h"]).headers(), [HEADER, "a.h"])

    def test_no_difference_is_well_formed_too(self) -> None:
        same = diff.diff(release(44), release(44))
        self.assertEqual(json.loads(report.to_json(same))["changes"], [])
        self.assertEqual(report.text(same).count("\n"), 2)


class Releases(unittest.TestCase):
    """What is known of rdma-core itself, found again in the committed facts."""

    @classmethod
    def setUpClass(cls) -> None:
        cls.facts = {number: facts.load(path) for number, path in headers.committed_paths().items()}

    def report(self, old: int, new: int) -> report.Report:
        return diff.diff(self.facts[old], self.facts[new])

    def grown(self, old: int, new: int) -> dict[str, str]:
        changed = [c for c in self.report(old, new).changes if c.kind == "struct" and c.change == "changed"]
        return {c.name: c.detail.removesuffix(" bytes") for c in changed}

    def test_structures_that_grew_from_33_to_44(self) -> None:
        self.assertEqual(self.grown(33, 44), {
            "ibv_qp_ex": "344 -> 352", "mlx5dv_context": "104 -> 152", "mlx5dv_qp_ex": "32 -> 104"})

    def test_structures_that_grew_from_44_to_65(self) -> None:
        self.assertEqual(self.grown(44, 65), {
            "ibv_port_attr": "52 -> 56", "ibv_qp_ex": "352 -> 360", "verbs_context": "648 -> 696",
            "mlx5dv_context": "152 -> 200", "mlx5dv_context_attr": "16 -> 24", "mlx5dv_obj": "112 -> 128",
            "mlx5dv_flow_action_attr": "16 -> 24", "manadv_obj": "48 -> 64",
            "efadv_cq": "16 -> 24", "efadv_cq_init_attr": "16 -> 56", "efadv_qp_init_attr": "16 -> 24"})

    def test_growth_adds_up_over_the_release_between(self) -> None:
        self.assertEqual({*self.grown(44, 56), *self.grown(56, 65)}, set(self.grown(44, 65)))

    def test_only_reserved_room_ever_went(self) -> None:
        changes = [c for pair in ((33, 44), (44, 56), (56, 65)) for c in self.report(*pair).changes]
        self.assertEqual([(c.name, c.verdict) for c in changes if c.change == "removed"],
                         [("mlx5_wqe_ctrl_seg.rsvd", "safe"), ("efadv_device_attr.reserved", "safe")])

    def test_the_one_function_that_became_a_macro(self) -> None:
        changed = [c for c in self.report(33, 65).changes if c.kind == "function" and c.change == "changed"]
        self.assertEqual([(c.name, c.detail) for c in changed], [("mlx5dv_create_flow", "extern -> macro")])

    def test_what_existing_callers_must_look_at_from_44_to_65(self) -> None:
        care = [c for c in self.report(44, 65).changes if c.verdict != "safe"]
        self.assertEqual([(c.name, c.verdict) for c in care], [("mlx5dv_flow_action_attr", "recompile")])

    def test_backwards_what_was_added_is_gone(self) -> None:
        added = {c.name for c in self.report(44, 65).changes if c.change == "added"}
        gone = {c.name for c in self.report(65, 44).changes if c.change == "removed"}
        self.assertEqual(added, gone)


class Command(unittest.TestCase):
    def run_diff(self, *words: str) -> str:
        parser = argparse.ArgumentParser()
        command_diff.add_arguments(parser)
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            self.status = command_diff.run(parser.parse_args(words))
        return out.getvalue()

    def of(self, *facts_of: Facts) -> Iterator[str]:
        for number, item in enumerate(facts_of):
            path = Path(self.enterContext(tempfile.TemporaryDirectory())) / f"{number}.json"
            path.write_text(facts.to_json(item))
            yield str(path)

    def test_the_exit_status_says_how_much_it_matters(self) -> None:
        for old, new, status in (
                ([macro("M", 1)], [macro("M", 1)], 0), ([], [macro("M", 1)], 4), ([call("f", "int")], [call("f", "int", kind="inline")], 8),
                ([macro("M", 1)], [], 16), ([macro("M", 1)], [macro("N", 1)], 20)):
            with self.subTest(status):
                self.run_diff(*self.of(release(44, *old), release(65, *new)))
                self.assertEqual(self.status, status)

    def expecting(self, text: str) -> tuple[str, str]:
        """What is said of a macro that goes, and on the other stream, where some changes are expected."""
        path = Path(self.enterContext(tempfile.TemporaryDirectory())) / "expected.toml"
        path.write_text(text)
        err = io.StringIO()
        with contextlib.redirect_stderr(err):
            out = self.run_diff(*self.of(release(44, macro("M", 1)), release(65)), "--expected", str(path))
        return out, err.getvalue()

    def test_what_is_expected_is_only_counted(self) -> None:
        out, err = self.expecting('[expected]\n"- macro M*" = "it never worked"\n')
        self.assertIn("0 added, 0 removed, 0 changed\nfor an existing caller: 0 safe, 0 recompile, 0 unsafe\n1 more are expected\n", out)
        self.assertEqual((self.status, err), (0, ""))

    def test_what_is_expected_for_nothing_is_told_with_its_line(self) -> None:
        _, err = self.expecting('[expected]\n"- macro M" = "it never worked"\n"~ macro N" = "nor this"\n')
        self.assertEqual(self.status, 32)
        self.assertRegex(err, "expected.toml:3: ~ macro N: nothing of it changed")

    def test_what_is_expected_without_a_reason_is_refused(self) -> None:
        for text, words in (('"- macro M" = ""', "lacks the reason"), ('"- macr M" = "x"', "is no change"), ('"M" = "x"', "is no change"),
                            ('"- macro M" = 3', "lacks the reason")):
            with self.subTest(text), self.assertRaisesRegex(GenError, f"expected.toml:2: .*{words}"):
                self.expecting(f"[expected]\n{text}\n")

    def test_latest_is_the_newest_of_which_facts_are_kept(self) -> None:
        newest = max(headers.committed_paths())
        self.assertIn(f"rdma-core {newest} -> {newest}: 0 added, 0 removed, 0 changed", self.run_diff("latest", str(newest)))
        self.assertEqual(self.status, 0)

    def test_the_installed_headers_are_what_it_is_compared_with(self) -> None:
        installed = headers.release_of(None)
        self.assertIn(f"rdma-core 33 -> {installed}", self.run_diff("33"))

    def test_releases_are_named_by_number(self) -> None:
        self.assertIn("rdma-core 44 -> 65", self.run_diff("44", "65"))

    def test_verbs_come_first(self) -> None:
        self.assertEqual(self.run_diff("44", "65").split("\n\n")[1].splitlines()[0], "infiniband/verbs.h")

    def test_a_facts_file_will_do_as_well(self) -> None:
        path = str(headers.committed_paths()[65])
        self.assertEqual(self.run_diff("44", path), self.run_diff("44", "65"))

    def test_the_output_may_go_to_a_file(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "report.json"
            self.assertEqual(self.run_diff("44", "56", "--format", "json", "--output", str(path)), "")
            self.assertEqual(json.loads(path.read_text())["new"], 56)

    def test_a_release_without_facts_is_named(self) -> None:
        with self.assertRaisesRegex(GenError, "release 50, only of 33, 44, 56, 65"):
            self.run_diff("44", "50")

    def test_a_folder_of_no_known_release_is_named(self) -> None:
        with tempfile.TemporaryDirectory() as folder, self.assertRaisesRegex(GenError, "--release NN"):
            self.run_diff("44", folder)

    def test_a_folder_whose_release_is_given(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            shutil.copytree("/usr/include/infiniband", Path(folder, "infiniband"))
            shutil.copytree("/usr/include/rdma", Path(folder, "rdma"))
            installed = str(headers.release_of(None))
            self.assertIn(f"rdma-core 33 -> {installed}", self.run_diff("33", folder, "--release", installed))

    def test_releases_go_with_folders(self) -> None:
        self.assertEqual(command_diff._releases(["44", "/usr"], [60]), [None, 60])
        self.assertEqual(command_diff._releases(["/usr", "/etc"], [50, 60]), [50, 60])
        self.assertEqual(command_diff._releases(["/usr", "/etc"], []), [None, None])
        with self.assertRaisesRegex(GenError, "--release is given for 1 of 2 folders"):
            self.run_diff("/usr", "/etc", "--release", "60")
        with self.assertRaisesRegex(GenError, "--release is given for 1 of 0 folders"):
            self.run_diff("44", "65", "--release", "60")

    def test_a_file_that_is_not_there_is_named(self) -> None:
        with self.assertRaisesRegex(GenError, "nosuch.json: cannot read"):
            self.run_diff("44", "nosuch.json")


if __name__ == "__main__":
    unittest.main()
