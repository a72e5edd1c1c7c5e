# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""What objects are asked for when they are printed: a call whose object is const, and one that cannot be asked."""

from __future__ import annotations

import unittest

from gen.errors import GenError
from gen.know import groups
from gen.plan.objects.objects import plan_objects
from gen.plan.trace.queries import Query, plan_queries
from gen.reach import known


class Queries(unittest.TestCase):
    def queries(self, of: str) -> dict[str, Query]:
        """By kind, where the object of ibv_query_qp is declared as this."""
        found = groups.load()
        api, said = known.read(found)
        api.calls()["ibv_query_qp"].params[0].type = of
        return {q.kind: q for q in plan_queries(api, said, plan_objects(api, said, found), found)}

    def test_an_object_that_is_const_is_asked_alike(self) -> None:
        const, usual = (self.queries(of)["qp"] for of in ("const struct ibv_qp *", "struct ibv_qp *"))
        self.assertEqual((const.raw, const.outcome, const.kinds), (usual.raw, usual.outcome, usual.kinds))

    def test_what_takes_no_object_stops_with_the_line_of_lore(self) -> None:
        with self.assertRaises(GenError) as caught:
            self.queries("void *")
        self.assertRegex(str(caught.exception), r"gen/lore/verbs\.toml:\d+: qp: ibv_query_qp")


if __name__ == "__main__":
    unittest.main()
