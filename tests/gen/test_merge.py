# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""Merging the facts of some releases into one API."""

from __future__ import annotations

import unittest
from copy import copy

from gen.api import merge
from gen.api.facts import Call, Enum, Enumerator, Facts, Field, Group, Macro, Param, Struct
from gen.api.merge import Api
from gen.fast.record import changed
from gen.know import lore
from gen.know.remarks import Remarks
from gen.plan.enums.enums import plan_enums
from gen.reach import headers
from tests.gen.project import InFolder


def field(name: str, offset: int = 0, **more: object) -> Field:
    return Field(name, "int", "int", offset, 4, **more)


def enum(name: str, **values: int) -> Enum:
    return Enum(name, "g.h", [Enumerator(n, v) for n, v in values.items()])


def struct(name: str, *fields: Field) -> Struct:
    return Struct(name, "g.h", 4 * len(fields), fields=list(fields))


def macro(name: str, kind: str, value: int | None = None, text: str = "") -> Macro:
    return Macro(name, "g.h", kind, value, text)


def facts(release: int, *items: Enum | Struct | Call | Macro) -> Facts:
    group = Group("g", ["g.h"])
    for item in items:
        {Enum: group.enums, Struct: group.structs, Call: group.calls,
         Macro: group.macros}[type(item)][item.name] = item
    return Facts(release, {"g": group})


def merged(*found: Facts) -> Group:
    return merge.merge(list(found), ["g"]).groups["g"]


class Parameters(unittest.TestCase):
    def test_have_a_name_each_in_every_form_of_a_call(self) -> None:
        def call(*types: str) -> Call:
            return Call("f", "g.h", "extern", "int", [Param("n", "int"), *(Param("", t) for t in types)])

        found = merged(facts(33, call("int")), facts(44, call("int", "long"))).calls["f"]
        self.assertEqual([[p.name for p in form.params] for form in (found, *found.prototypes)],
                         [["n", "argument1"], ["n", "argument1"], ["n", "argument1", "argument2"]])

    def test_are_called_as_the_first_headers_call_them_that_name_all(self) -> None:
        def call(*names: str) -> Call:
            return Call("f", "g.h", "extern", "int", [Param(name, "int") for name in names])

        found = merged(facts(33, call("", "")), facts(44, call("event", "flags")), facts(65, call("flags", "why"))).calls["f"]
        self.assertEqual([p.name for p in found.params], ["event", "flags"])
        self.assertEqual(found.renamed, [("event", "flags"), ("flags", "why")])
        found = merged(facts(33, call("event", "flags")), facts(44, call("", "flags"))).calls["f"]
        self.assertEqual(([p.name for p in found.params], found.renamed), (["event", "flags"], []))


class Ages(unittest.TestCase):
    def test_what_all_releases_have_is_as_old_as_the_oldest(self) -> None:
        found = merged(facts(33, enum("e", A=1)), facts(44, enum("e", A=1)))
        self.assertEqual((found.enums["e"].since, found.enums["e"].until), (33, 0))

    def test_what_a_later_release_brought_is_as_old_as_that(self) -> None:
        found = merged(facts(33, enum("e", A=1)), facts(44, enum("e", A=1, B=2), struct("s", field("a"))))
        self.assertEqual({v.name: v.since for v in found.enums["e"].values}, {"A": 33, "B": 44})
        self.assertEqual(found.structs["s"].since, 44)

    def test_the_order_in_which_releases_are_given_does_not_matter(self) -> None:
        found = merged(facts(44, enum("e", A=1, B=2)), facts(33, enum("e", A=1)))
        self.assertEqual([v.since for v in found.enums["e"].values], [33, 44])

    def test_an_enumerator_that_goes_to_another_enum_is_there_all_the_time(self) -> None:
        found = merged(facts(33, enum("e", A=1, B=2)), facts(44, enum("e", A=1), enum("f", B=2)))
        self.assertEqual([(e.name, v.name, v.since, v.until) for e in found.enums.values() for v in e.values],
                         [("e", "A", 33, 0), ("e", "B", 33, 0), ("f", "B", 33, 0)])
        self.assertEqual(found.enums["f"].since, 44)

    def test_so_is_a_macro_that_becomes_one(self) -> None:
        found = merged(facts(33, macro("A", "value", 1)), facts(44, enum("e", A=1)))
        self.assertEqual((found.macros["A"].until, found.enums["e"].values[0].since), (0, 33))

    def test_an_enum_that_gets_a_tag_is_what_it_was(self) -> None:
        new = struct("s", Field("f", "enum e", "enum", 0, 4, ref="e"))
        found = merged(facts(33, enum("(A)", A=1, B=2)), facts(44, enum("e", A=1, B=2, C=3), new))
        self.assertEqual([(e.name, [v.name for v in e.values]) for e in found.enums.values()], [("(A)", ["A", "B", "C"])])
        self.assertEqual(found.structs["s"].fields[0].ref, "(A)")
        apart = merged(facts(33, enum("(A)", A=1, B=2)), facts(44, enum("(A)", A=1), enum("e", B=2)))
        self.assertEqual(sorted(apart.enums), ["(A)", "e"])

    def test_an_unnamed_enum_that_becomes_two_is_one(self) -> None:
        for parts in ((enum("(A)", A=1), enum("(B)", B=2)), (enum("(B)", B=2), enum("(A)", A=1))):
            found = merged(facts(33, enum("(A)", A=1, B=2)), facts(44, *parts))
            self.assertEqual([(e.name, sorted(v.name for v in e.values), e.until) for e in found.enums.values()], [("(A)", ["A", "B"], 0)])

    def test_the_newest_headers_tell_whether_bits_are_written_as_shifts(self) -> None:
        plain, shifted = (lambda: enum("e", A=1, B=2)), (lambda: changed(enum("e", A=1, B=2), shifts=True))
        for old, new in ((plain, shifted), (shifted, plain)):
            self.assertEqual(merged(facts(33, old()), facts(44, new()), facts(65)).enums["e"].shifts, new().shifts)

    def test_of_an_unnamed_enum_that_becomes_two_both_tell_it(self) -> None:
        for one, other in ((True, True), (True, False), (False, True)):
            found = merged(facts(33, enum("(A)", A=1, B=2)), facts(44, changed(enum("(A)", A=1), shifts=one), changed(enum("(B)", B=2), shifts=other)))
            self.assertEqual(found.enums["(A)"].shifts, one and other)

    def test_what_is_only_declared_now_is_gone(self) -> None:
        hidden = Struct("s", "g.h", 0, opaque=True)
        found = merged(facts(33, struct("s", field("a"))), facts(44, hidden)).structs["s"]
        self.assertEqual((found.opaque, found.until, [f.name for f in found.fields]), (False, 33, ["a"]))
        shown = merged(facts(33, Struct("s", "g.h", 0, opaque=True)), facts(44, struct("s", field("a")))).structs["s"]
        self.assertEqual((shown.opaque, shown.since, shown.until), (False, 33, 0))

    def test_a_field_that_a_macro_has_the_old_name_of_keeps_it(self) -> None:
        found = merged(facts(33, struct("s", field("old"))), facts(44, struct("s", field("new")), macro("old", "alias", text="new")))
        self.assertEqual([(f.name, f.since, f.until) for f in found.structs["s"].fields], [("old", 33, 0)])
        other = merged(facts(33, struct("s", field("a"))), facts(44, struct("s", field("a"), field("new")), macro("old", "alias", text="new")))
        self.assertEqual([f.name for f in other.structs["s"].fields], ["a", "new"])

    def test_what_goes_to_a_header_of_another_group_is_of_that_alone(self) -> None:
        moved = facts(44)
        moved.groups["h"] = Group("h", ["h.h"], structs={"s": struct("s", field("a"))}, calls={"f": Call("f", "h.h", "extern", "int", [])})
        api = merge.merge([facts(33, struct("s", field("a")), Call("f", "g.h", "extern", "int", [])), moved], ["g", "h"])
        self.assertEqual((list(api.groups["g"].structs), list(api.groups["g"].calls)), ([], []))
        self.assertEqual([(item.since, item.until) for item in (api.structs()["s"], api.calls()["f"])], [(33, 0), (33, 0)])

    def test_what_went_is_kept_with_the_last_release_that_had_it(self) -> None:
        found = merged(facts(33, enum("e", A=1, B=2), enum("old", C=1)), facts(44, enum("e", A=1)),
                       facts(56, enum("e", A=1)))
        self.assertEqual({v.name: v.until for v in found.enums["e"].values}, {"A": 0, "B": 33})
        self.assertEqual(found.enums["old"].until, 33)

    def test_of_what_went_with_its_whole_only_the_whole_tells(self) -> None:
        found = merged(facts(33, struct("s", field("a"))), facts(44))
        self.assertEqual((found.structs["s"].until, found.structs["s"].fields[0].until), (33, 0))

    def test_a_field_that_went_stands_behind_those_there_are(self) -> None:
        found = merged(facts(33, struct("s", field("gone"), field("a", 4))),
                       facts(44, struct("s", field("a"))))
        self.assertEqual([(f.name, f.until) for f in found.structs["s"].fields], [("a", 0), ("gone", 33)])

    def test_what_comes_back_is_as_old_as_that(self) -> None:
        s = struct("s", field("a"), field("again", 4))
        found = merged(facts(33, s, enum("e", A=1, B=2), enum("f", C=1)), facts(44, struct("s", field("a")), enum("e", A=1)),
                       facts(56, struct("s", field("a"), field("again", 4)), enum("e", A=1, B=2), enum("f", C=1, D=2)))
        again = found.structs["s"].fields[1]
        self.assertEqual([(item.since, item.until, item.before) for item in (again, found.enums["e"].values[1], found.enums["f"])], [(56, 0, 33)] * 3)
        self.assertEqual([(v.name, v.since) for v in found.enums["f"].values], [("C", 56), ("D", 56)])
        gone = merged(facts(33, struct("s", field("a"))), facts(44), facts(56, struct("s", field("a"))), facts(65)).structs["s"]
        self.assertEqual((gone.since, gone.until, gone.before), (56, 56, 33))

    def test_a_field_that_becomes_bits_of_one_is_what_it_was_until_then(self) -> None:
        bits = Field("a", "uint8_t", "uint", 0, 1, bits=3)
        found = merged(facts(33, struct("s", field("a"))), facts(44, struct("s", bits, field("b", 4))), facts(56, struct("s", copy(bits), field("b", 4))))
        self.assertEqual([(f.name, f.bits, f.since, f.until, f.cut) for f in found.structs["s"].fields], [("b", None, 44, 0, 0), ("a", None, 33, 33, 33)])
        again = merged(facts(33, struct("s", copy(bits))), facts(44, struct("s", copy(bits))))
        self.assertEqual([(f.bits, f.until, f.cut) for f in again.structs["s"].fields], [(3, 0, 0)])

    def test_a_field_inside_an_unnamed_member_has_an_age_of_its_own(self) -> None:
        old = field("u", fields=[field("a")])
        new = field("u", fields=[field("a"), field("b")])
        found = merged(facts(33, struct("s", old)), facts(44, struct("s", new)))
        self.assertEqual([(f.name, f.since) for f in found.structs["s"].fields[0].fields],
                         [("a", 33), ("b", 44)])

    def test_the_newest_release_says_how_things_look(self) -> None:
        found = merged(facts(33, struct("s", field("a"))),
                       facts(44, struct("s", field("new"), field("a", 4))))
        self.assertEqual([(f.name, f.offset) for f in found.structs["s"].fields], [("new", 0), ("a", 4)])
        self.assertEqual(found.structs["s"].size, 8)

    def test_the_symbol_of_a_function_tells_its_release_exactly(self) -> None:
        found = merged(facts(33), facts(44, Call("f", "g.h", "extern", introduced=37)))
        self.assertEqual(found.calls["f"].since, 37)

    def test_what_the_symbol_tells_is_not_forgotten_where_a_later_release_does_not_say(self) -> None:
        found = merged(facts(33), facts(44, Call("f", "g.h", "extern", introduced=37)), facts(56, Call("f", "g.h", "extern")))
        self.assertEqual((found.calls["f"].since, found.calls["f"].introduced), (37, 37))

    def test_of_several_that_tell_the_oldest_counts(self) -> None:
        found = merged(facts(33), facts(44, Call("f", "g.h", "extern", introduced=37)),
                       facts(56, Call("f", "g.h", "extern", introduced=50)))
        self.assertEqual(found.calls["f"].since, 37)

    def test_where_none_tells_it_is_as_old_as_the_first_that_has_it(self) -> None:
        found = merged(facts(33), facts(44, Call("f", "g.h", "extern")), facts(56, Call("f", "g.h", "extern")))
        self.assertEqual(found.calls["f"].since, 44)

    def test_a_symbol_that_contradicts_the_headers_is_not_believed(self) -> None:
        found = merged(facts(33), facts(44, Call("f", "g.h", "extern", introduced=20)),
                       facts(56, Call("f", "g.h", "extern", introduced=20)))
        self.assertEqual(found.calls["f"].since, 44)


class Changes(InFolder):
    def moving(self, *values: int) -> Api:
        return merge.merge([facts(33 + n, enum("e", A=value)) for n, value in enumerate(values)], ["g"])

    def test_a_value_that_changes_stops(self) -> None:
        said = self.fails(lambda: merge.only_move(self.moving(1, 2), ["B"]))
        self.assertTrue(said.startswith("g.h: A of enum e is 1 in release 33 and 2 in 34\n"), said)
        self.assertIn("use that tree alone, with --headers DIR", said)

    def test_a_value_that_changes_and_changes_back_stops(self) -> None:
        self.fails(lambda: merge.only_move(self.moving(1, 2, 1), []))

    def test_a_sentinel_may_move(self) -> None:
        api = self.moving(1, 2)
        merge.only_move(api, ["A"])
        self.assertEqual(api.enums()["e"].values[0].value, 2)

    def test_lore_says_what_a_sentinel_is(self) -> None:
        self.put("lore/one.toml", "")
        self.fails(lambda: lore.load(self.moving(1, 2), self.folder / "lore"))
        self.put("lore/one.toml", 'enum.e = { sentinels = ["A"] }')
        lore.load(self.moving(1, 2), self.folder / "lore")

    def test_a_macro_whose_value_changes_is_no_constant(self) -> None:
        found = merged(facts(33, macro("V", "value", 1)), facts(44, macro("V", "value", 2)))
        self.assertEqual((found.macros["V"].kind, found.macros["V"].value), (merge.VARYING, None))

    def test_and_what_lore_wants_of_it_is_told_until_lore_says_that_it_is_so(self) -> None:
        said = '[enum]\ne = { kind = "flags", macros = ["V"] }\n'
        for more, told in (("", ['V = "each release has another value"']), ('[skip]\nV = "each release has another value"\n', [])):
            self.put("lore/one.toml", said + more)
            remarks = Remarks()
            api = merge.merge([facts(33, enum("e", A=1), macro("V", "value", 1)), facts(44, enum("e", A=1), macro("V", "value", 2))], ["g"])
            plan_enums(api, lore.load(api, self.folder / "lore"), remarks, [])
            self.assertEqual([r.write for r in remarks.unsettled], told)

    def test_facts_of_one_release_given_twice_stop(self) -> None:
        self.assertIn("given twice", self.fails(lambda: merged(facts(33), facts(33))))

    def test_a_function_that_became_a_macro_is_still_there(self) -> None:
        found = merged(facts(33, Call("f", "g.h", "extern")),
                       facts(44, macro("f", "function"), Call("_f", "g.h", "inline")))
        self.assertEqual((found.calls["f"].kind, found.calls["f"].until), ("macro", 0))

    def test_a_function_that_went_for_good_is_gone(self) -> None:
        found = merged(facts(33, Call("f", "g.h", "extern")), facts(44))
        self.assertEqual((found.calls["f"].kind, found.calls["f"].until), ("extern", 33))


class Unnamed(unittest.TestCase):
    def test_an_unnamed_enum_that_gains_a_first_enumerator_is_the_same(self) -> None:
        found = merged(facts(33, enum("(A)", A=1, B=2)), facts(44, enum("(NEW)", NEW=0, A=1, B=2)))
        self.assertEqual(list(found.enums), ["(A)"])
        self.assertEqual([(v.name, v.since) for v in found.enums["(A)"].values],
                         [("NEW", 44), ("A", 33), ("B", 33)])

    def test_an_unnamed_enum_that_loses_its_first_enumerator_is_the_same(self) -> None:
        found = merged(facts(33, enum("(A)", A=1, B=2)), facts(44, enum("(B)", B=2)))
        self.assertEqual([(v.name, v.until) for v in found.enums["(A)"].values], [("B", 0), ("A", 33)])

    def test_a_field_of_such_an_enum_follows_it(self) -> None:
        old = Field("a", "enum", "enum", 0, 4, ref="(A)")
        new = Field("a", "enum", "enum", 0, 4, ref="(NEW)")
        found = merged(facts(33, enum("(A)", A=1), struct("s", old)),
                       facts(44, enum("(NEW)", NEW=0, A=1), struct("s", new)))
        self.assertEqual(found.structs["s"].fields[0].ref, "(A)")


class PublicNames(unittest.TestCase):
    def group(self) -> Group:
        return merged(facts(
            44, struct("kernel_s", field("a")), enum("kernel_e", A=1),
            macro("public_s", "alias", text="kernel_s"), macro("public_e", "alias", text="kernel_e"),
            macro("other", "alias", text="something"),
            struct("user", Field("in", "struct kernel_s", "record", 0, 4, ref="kernel_s"),
                   Field("n", "int", "int", 4, 4, hint="kernel_e")),
            Call("f", "g.h", "extern", "enum kernel_e", [])))

    def test_a_tag_that_a_macro_renames_has_its_public_name(self) -> None:
        group = self.group()
        self.assertEqual((set(group.structs), set(group.enums)), ({"public_s", "user"}, {"public_e"}))

    def test_fields_and_functions_speak_of_it_by_that_name(self) -> None:
        group = self.group()
        first, second = group.structs["user"].fields
        self.assertEqual((first.ref, first.type, second.hint), ("public_s", "struct public_s", "public_e"))
        self.assertEqual(group.calls["f"].result, "enum public_e")


    def test_a_second_name_that_came_later_renames_nothing(self) -> None:
        found = merged(facts(33, enum("known", A=1)), facts(44, enum("known", A=1), macro("second", "alias", text="known")))
        self.assertEqual(set(found.enums), {"known"})


class OneTree(unittest.TestCase):
    """What is left when only one tree of headers is wanted."""

    def kept(self, tree: Facts, *others: Facts) -> Api:
        names = merge.Names.of(tree)
        api = merge.merge([*others, tree], ["g"])
        merge.keep_only(api, names, tree.release)
        return api

    def test_what_the_tree_lacks_is_dropped(self) -> None:
        tree = facts(33, enum("e", A=1), struct("s", field("a")))
        api = self.kept(tree,
                        facts(44, enum("e", A=1, B=2), enum("f", C=1),
                              struct("s", field("a"), field("b", 4))))
        self.assertEqual([v.name for v in api.groups["g"].enums["e"].values], ["A"])
        self.assertEqual([f.name for f in api.groups["g"].structs["s"].fields], ["a"])
        self.assertNotIn("f", api.groups["g"].enums)

    def test_what_it_has_as_bits_is_bits(self) -> None:
        tree = facts(44, struct("s", Field("a", "uint8_t", "uint", 0, 1, bits=3), Field("b", "uint8_t", "uint", 0, 1, bits=5)))
        api = self.kept(tree, facts(33, struct("s", field("a"))))
        self.assertEqual([(f.name, f.bits, f.until, f.cut) for f in api.groups["g"].structs["s"].fields], [("b", 5, 0, 0), ("a", 3, 0, 33)])

    def test_what_newer_releases_lack_is_simply_there(self) -> None:
        api = self.kept(facts(33, enum("e", A=1), Call("f", "g.h", "extern")), facts(44, enum("e", A=1)))
        self.assertEqual(api.groups["g"].calls["f"].until, 0)

    def test_a_public_name_counts_as_there(self) -> None:
        tree = facts(33, struct("kernel_s", field("a")), macro("public_s", "alias", text="kernel_s"))
        api = self.kept(tree,
                        facts(44, struct("kernel_s", field("a")),
                              macro("public_s", "alias", text="kernel_s")))
        self.assertEqual([f.name for f in api.groups["g"].structs["public_s"].fields], ["a"])

    def test_the_values_of_the_tree_count(self) -> None:
        tree, other = facts(33, enum("e", A=1)), facts(44, enum("e", A=7, B=2))
        merge.agree([other], tree)
        api = self.kept(tree, other)
        self.assertEqual([(v.name, v.value) for v in api.groups["g"].enums["e"].values], [("A", 1)])

    def test_the_values_of_its_macros_count_as_well(self) -> None:
        tree, other = facts(33, enum("e", A=1), macro("V", "value", 1)), facts(44, macro("V", "value", 2))
        merge.agree([other], tree)
        self.assertEqual(self.kept(tree, other).groups["g"].macros["V"].value, 1)

    def test_it_tells_whether_bits_are_written_as_shifts(self) -> None:
        tree, other = facts(33, changed(enum("e", A=1), shifts=True)), facts(44, enum("e", A=1), changed(enum("f", B=1), shifts=True))
        merge.agree([other], tree)
        self.assertEqual({name: e.shifts for name, e in self.kept(tree, other).groups["g"].enums.items()}, {"e": True})

    def test_a_group_that_the_tree_lacks_is_dropped(self) -> None:
        self.assertEqual(self.kept(Facts(33, {}), facts(44, enum("e", A=1))).groups, {})


class Committed(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        cls.api = merge.merge(headers.committed(), ["verbs", "rdma_cma", "mlx5dv"])

    def test_functions_have_the_release_that_their_symbol_tells(self) -> None:
        calls = self.api.calls()
        self.assertEqual({n: calls[n].since for n in ("ibv_query_port_speed", "ibv_reg_mr_ex",
                                                      "ibv_poll_cq")},
                         {"ibv_query_port_speed": 62, "ibv_reg_mr_ex": 59, "ibv_poll_cq": 33})

    def test_creating_a_flow_of_mlx5_became_a_macro(self) -> None:
        self.assertEqual(self.api.calls()["mlx5dv_create_flow"].kind, "macro")

    def test_no_name_behind_a_macro_is_left(self) -> None:
        self.assertTrue({"mlx5dv_port", "ibv_flow_action_esp"} <= set(self.api.structs()))
        self.assertTrue({"mlx5_ib_uapi_query_port",
                         "ib_uverbs_flow_action_esp"}.isdisjoint(self.api.structs()))

    def test_nothing_was_ever_removed(self) -> None:
        items = [*self.api.enums().values(), *self.api.structs().values(), *self.api.calls().values()]
        self.assertEqual([i.name for i in items if i.until], [])


if __name__ == "__main__":
    unittest.main()
