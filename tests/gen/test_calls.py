# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""Functions: how each fails, how each is declared, and when."""

from __future__ import annotations

import unittest
from copy import copy

from gen.api.facts import Call, Facts, Group, Macro, Param
from gen.api.merge import merge
from gen.know import groups
from gen.know.groups import HeaderGroup
from gen.know.lore import Lore
from gen.plan.calls import calls
from gen.plan.calls.calls import CallPlan, CallsPlan

GROUP = HeaderGroup("verbs", ["infiniband/verbs.h"], "libibverbs.so.1", "libibverbs1")


def extern(name: str, result: str = "int", *params: tuple[str, str], introduced: int = 0) -> Call:
    return Call(name, GROUP.headers[0], "extern", result, [Param(n, t) for t, n in params], GROUP.library, "IBVERBS_1.1",
                introduced=introduced)


def facts(release: int, *items: Call | Macro) -> Facts:
    group = Group(GROUP.name, GROUP.headers, calls={c.name: c for c in items if isinstance(c, Call)},
                  macros={m.name: m for m in items if isinstance(m, Macro)})
    return Facts(release, {group.name: group})


def plan(*releases: Facts, said: Lore | None = None, group: HeaderGroup = GROUP) -> CallsPlan:
    return calls.calls(merge(list(releases), [group.name]), said or Lore(), [group])


def only(*items: Call | Macro, said: Lore | None = None, group: HeaderGroup = GROUP) -> CallPlan:
    rows = plan(facts(33, *items), said=said, group=group).rows
    assert len(rows) == 1
    return rows[0]


class Declared(unittest.TestCase):
    def test_a_parameter_is_called_so_wherever_its_name_stands(self) -> None:
        for c_type in ("int", "const char *", "uint8_t[16]", "void (*)(void *arg, int status)", "uint8_t (*)[16]", "void *(*(*)(int))(void)", "struct s **"):
            self.assertEqual(calls.name_of(calls.declared(c_type, "done")), "done", c_type)


class Failure(unittest.TestCase):
    def test_a_pointer_is_null(self) -> None:
        self.assertEqual(only(extern("f", "struct ibv_pd *")).standins[0].fail, "return NULL;")

    def test_an_int_is_what_the_group_says(self) -> None:
        cma = HeaderGroup("verbs", GROUP.headers, GROUP.library, errors="minus-one")
        self.assertEqual(only(extern("f")).standins[0].fail, "return errno;")
        self.assertEqual(only(extern("f"), group=cma).standins[0].fail, "return -1;")

    def test_lore_has_the_last_word(self) -> None:
        row = only(extern("f"), said=Lore(call={"f": {"error": "negative-errno"}}))
        self.assertEqual((row.error, row.standins[0].fail), ("NEGATIVE", "return -errno;"))

    def test_a_note_alone_changes_nothing(self) -> None:
        self.assertEqual(only(extern("f"), said=Lore(call={"f": {"note": "odd"}})).error, "ERRNO")

    def test_nothing_is_returned_by_a_void_function(self) -> None:
        row = only(extern("f", "void"))
        self.assertEqual((row.error, row.standins[0].fail, row.standins[0].jump), ("NONE", "return;", "call();"))

    def test_what_takes_any_arguments_has_no_standin(self) -> None:
        call = extern("f")
        call.variadic = True
        self.assertEqual(only(call).standins, [])

    def test_a_cast_that_cannot_fail_still_gives_null(self) -> None:
        row = only(extern("f", "struct ibv_qp_ex *"), said=Lore(call={"f": {"error": "none"}}))
        self.assertEqual((row.error, row.standins[0].fail), ("NONE", "return NULL;"))

    def test_every_convention_of_lore_is_planned(self) -> None:
        self.assertEqual(set(groups.CONVENTIONS), set(calls.CONVENTIONS))


class Declaration(unittest.TestCase):
    def test_a_name_in_parentheses_is_out_of_reach_of_macros(self) -> None:
        row = only(extern("f", "int", ("struct ibv_pd *", "pd"), ("int", "n")))
        self.assertEqual(row.standins[0].prototype, "int (f)(struct ibv_pd *pd, int n)")
        self.assertEqual(row.standins[0].jump, "return call(pd, n);")

    def test_arrays_functions_and_nameless_parameters_are_declared_as_c_does(self) -> None:
        self.assertEqual(calls.declared("uint8_t[6]", "mac"), "uint8_t mac[6]")
        self.assertEqual(calls.declared("struct x *[]", "xs"), "struct x *xs[]")
        self.assertEqual(calls.declared("int (*)(void *)", "f"), "int (*f)(void *)")
        self.assertEqual(only(extern("f", "int", ("int", ""))).standins[0].prototype, "int (f)(int argument0)")

    def test_a_long_one_is_wrapped_below_its_first_parameter(self) -> None:
        text = calls.wrapped("int (f)", ["struct some_long_name *first_parameter"] * 3)
        self.assertEqual(text, "int (f)(struct some_long_name *first_parameter,"
                               " struct some_long_name *first_parameter,\n"
                               "\tstruct some_long_name *first_parameter)")

    def test_no_line_is_longer_than_it_has_to_be(self) -> None:
        text = calls.wrapped("struct x *(" + "f" * 60 + ")", ["struct some_long_name *first_parameter"] * 2)
        self.assertEqual(text.splitlines()[1], "\t\tstruct some_long_name *first_parameter)")


class Releases(unittest.TestCase):
    def test_what_all_releases_have_is_not_guarded(self) -> None:
        self.assertIsNone(only(extern("f")).guard)

    def test_a_new_function_is_guarded_by_its_release(self) -> None:
        row = plan(facts(33), facts(44, extern("f", introduced=40))).rows[0]
        self.assertEqual((row.since, row.guard), (40, "VX_RDMA_CORE >= 40"))

    def test_headers_that_are_included_later_guard_what_is_older(self) -> None:
        late = HeaderGroup("verbs", GROUP.headers, GROUP.library, first=44)
        row = calls.calls(merge([facts(33), facts(44, extern("f", introduced=40))], ["verbs"]), Lore(), [late]).rows[0]
        self.assertEqual((row.since, row.guard), (40, "VX_RDMA_CORE >= 44"))

    def test_a_function_that_became_a_macro_is_there_where_the_macro_is_not(self) -> None:
        row = plan(facts(33, extern("f")), facts(65, Macro("f", GROUP.headers[0], "function", text="g"))).rows[0]
        self.assertEqual((row.kind, row.guard, row.library), ("MACRO", "!defined(f)", "LIBIBVERBS"))


class Exported(unittest.TestCase):
    """A function that headers have inline in some releases, and a library in others."""

    def test_stands_in_where_a_library_has_it(self) -> None:
        inline = Call("f", GROUP.headers[0], "inline", "int")
        for order, guards in (((inline, extern("f")), ["VX_RDMA_CORE >= 66"]), ((extern("f"), inline), ["VX_RDMA_CORE <= 65"]),
                              ((inline, extern("f"), extern("f"), inline, extern("f")),
                               ["VX_RDMA_CORE >= 66 && VX_RDMA_CORE <= 67", "VX_RDMA_CORE >= 69"])):
            with self.subTest([call.kind for call in order]):
                found = plan(*(facts(65 + n, copy(call)) for n, call in enumerate(order)))
                self.assertEqual([s.guard for s in found.standins], guards)
                (row,) = found.rows
                self.assertEqual((row.guard, row.since, row.kind, row.library, row.version, row.inline_unless),
                                 (None, 65, "EXTERN", "LIBIBVERBS", "IBVERBS_1_1", " || ".join(guards)))

    def test_its_symbol_tells_since_when(self) -> None:
        inline = Call("f", GROUP.headers[0], "inline", "int")
        (row,) = plan(facts(44, inline), facts(65, extern("f", introduced=60))).rows
        self.assertEqual((row.since, row.inline_unless), (44, "VX_RDMA_CORE >= 60"))

    def test_that_no_library_is_known_to_have_has_no_stand_in(self) -> None:
        inline, private = (Call("f", GROUP.headers[0], kind, "int") for kind in ("inline", "extern"))
        found = plan(facts(65, inline), facts(66, private))
        self.assertEqual((found.standins, found.rows[0].kind, found.rows[0].library), ([], "PRIVATE", "NONE"))

    def test_only_declarations_of_such_releases_have_one(self) -> None:
        inline = Call("f", GROUP.headers[0], "inline", "int", [Param("n", "int")])
        found = plan(facts(65, inline), facts(66, extern("f", "int", ("uint64_t", "n"))))
        self.assertEqual([(s.guard, s.prototype) for s in found.standins], [("VX_RDMA_CORE >= 66", "int (f)(uint64_t n)")])


class Prototypes(unittest.TestCase):
    def planned(self, *params: tuple[str, str]) -> CallsPlan:
        """A function of two parameters, and as the next release has it."""
        return plan(facts(65, extern("f", "int", ("struct ibv_qp *", "qp"), ("int", "n"))), facts(66, extern("f", "int", *params)))

    def test_each_stands_in_for_the_releases_that_have_it(self) -> None:
        found = self.planned(("const struct ibv_qp *", "qp"), ("int", "n"))
        self.assertEqual([(s.guard, s.prototype) for s in found.standins],
                         [("VX_RDMA_CORE <= 65", "int (f)(struct ibv_qp *qp, int n)"),
                          ("VX_RDMA_CORE >= 66", "int (f)(const struct ibv_qp *qp, int n)")])

    def test_what_takes_the_same_is_called_in_all_releases(self) -> None:
        for params in ((("const struct ibv_qp *", "qp"), ("int", "n")), (("struct ibv_qp *", "qp"), ("uint64_t", "n"))):
            self.assertIsNone(self.planned(*params).rows[0].guard)

    def test_what_takes_something_else_is_called_before(self) -> None:
        for params in ((("struct ibv_qp *", "qp"),), (("struct ibv_qp *", "qp"), ("int *", "n"))):
            self.assertEqual(self.planned(*params).rows[0].guard, "VX_RDMA_CORE <= 65")

    def test_another_name_of_a_parameter_is_nothing(self) -> None:
        self.assertEqual(len(self.planned(("struct ibv_qp *", "ibqp"), ("int", "count")).standins), 1)

    def test_what_is_gone_stands_in_for_older_releases(self) -> None:
        self.assertEqual(plan(facts(65, extern("f")), facts(66)).standins[0].guard, "VX_RDMA_CORE <= 65")


class Table(unittest.TestCase):
    def test_what_no_library_exports_has_no_stand_in(self) -> None:
        private = Call("f", GROUP.headers[0], "extern", "int")
        inline = Call("g", GROUP.headers[0], "inline", "int")
        table = plan(facts(33, private, inline))
        self.assertEqual([(r.kind, r.library, r.version) for r in table.rows],
                         [("PRIVATE", "NONE", "none"), ("INLINE", "NONE", "none")])
        self.assertEqual(table.standins, [])

    def test_rows_are_in_the_order_of_strcmp(self) -> None:
        rows = plan(facts(33, extern("b"), extern("_z"), extern("B"))).rows
        self.assertEqual([r.name for r in rows], ["B", "_z", "b"])

    def test_a_library_has_the_variable_that_replaces_it(self) -> None:
        table = plan(facts(33, extern("f")))
        library = table.libraries[0]
        self.assertEqual(library.variable, "VERBSX_IBVERBS_LIB")
        self.assertEqual(table.texts[library.soname], "libibverbs.so.1")
        self.assertEqual(table.texts[library.package], "libibverbs1")

    def test_groups_of_one_library_share_its_row(self) -> None:
        other = HeaderGroup("rdma_verbs", ["rdma/rdma_verbs.h"], GROUP.library)
        found = facts(33, extern("f"))
        found.groups["rdma_verbs"] = Group("rdma_verbs", other.headers)
        table = calls.calls(merge([found], ["verbs", "rdma_verbs"]), Lore(), [GROUP, other])
        self.assertEqual([lib.name for lib in table.libraries], ["LIBIBVERBS"])


class Elsewhere(unittest.TestCase):
    """Types that rdma-core's headers do not declare: what a newer call has of them may be beyond older headers."""

    def test_what_older_calls_have_or_c_has_is_there(self) -> None:
        old = extern("f", "int", ("FILE *", "file"))
        new = extern("g", "socklen_t", ("FILE *", "file"), ("size_t", "length"), ("struct s *", "of"), ("double", "ratio"), ("va_list", "rest"))
        group = merge([facts(33, old), facts(44, old, new)], [GROUP.name]).groups[GROUP.name]
        self.assertEqual([calls.of_elsewhere(c, group, 33) for c in group.calls.values()], ["", "socklen_t"])
        new.result = "int"
        self.assertEqual(calls.of_elsewhere(group.calls["g"], group, 33), "va_list")


if __name__ == "__main__":
    unittest.main()
