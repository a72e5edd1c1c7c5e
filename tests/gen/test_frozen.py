# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""Structures of rdma-core within init structures, when a release changes them: programs go by what was published."""

from __future__ import annotations

import copy
import unittest
from unittest import mock

from gen.api import merge, own
from gen.api.facts import Field, Struct
from gen.know import groups, lore
from gen.plan.model.object import Kind
from gen.plan.objects.objects import plan_objects
from gen.promise import shapes
from tests.gen.project import NEWEST, NEXT, with_next


class Frozen(unittest.TestCase):
    def kinds(self, **changed: list[Field]) -> dict[str, Kind]:
        """With a next release, in which some structures have other fields."""
        facts = with_next(NEXT)
        for name, fields in changed.items():
            self.change(facts[-1].groups["verbs"].structs[name], fields)
        found = groups.load()
        self.api = merge.merge(facts, [g.name for g in found])
        return {k.name: k for k in plan_objects(self.api, lore.load(self.api), found).kinds}

    def change(self, s: Struct, fields: list[Field]) -> None:
        s.fields, s.size = fields, 4 * len(fields)
        for n, f in enumerate(fields):
            f.offset = 4 * n

    def numbers(self, *names: str) -> list[Field]:
        return [Field(name, "uint32_t", "uint", 0, 4) for name in names]

    def lines(self, kind: Kind, name: str) -> str:
        return "\n".join(line for f in kind.fillings for line in f.lines if f"attr->{name}" in line or line.startswith("#"))

    def same_shapes(self, kinds: dict[str, Kind]) -> bool:
        """Whether all that was published lies where it did."""
        record = shapes.load()
        found = shapes.shapes(list(kinds.values()), self.api.structs(), own.headers().structs, record)
        return all(found[name][f] == row for name, fields in record.items() for f, row in fields.items())

    def test_as_it_is_it_is_rdma_cores_own(self) -> None:
        field = next(f for f in self.kinds()["srq"].fields if f.name == "tm_cap")
        self.assertEqual((field.declaration, field.frozen), ("struct ibv_tm_cap tm_cap", ""))

    def test_one_that_grows_has_the_members_that_were_published(self) -> None:
        kinds = self.kinds(ibv_tm_cap=self.numbers("max_num_tags", "max_ops", "more"))
        fields = {f.name: f for f in kinds["srq"].fields}
        self.assertEqual(fields["tm_cap"].declaration, "struct { uint32_t max_num_tags; uint32_t max_ops; } tm_cap")
        self.assertTrue(self.same_shapes(kinds))

    def test_what_is_new_comes_last_and_counts_as_the_whole_does(self) -> None:
        kind = self.kinds(ibv_tm_cap=self.numbers("more", "max_num_tags", "max_ops"))["srq"]
        new = kind.fields[-1]
        self.assertEqual((new.name, new.into, new.declaration, new.guard),
                         ("tm_cap_more", "tm_cap.more", "uint32_t tm_cap_more", f"VX_RDMA_CORE >= {NEXT}"))
        self.assertEqual(new.bit, "IBV_SRQ_INIT_ATTR_TM")
        self.assertIn("attr->tm_cap.more = init->tm_cap_more;", self.lines(kind, "tm_cap.more"))

    def test_a_member_that_goes_is_filled_where_it_is(self) -> None:
        kinds = self.kinds(ibv_tm_cap=self.numbers("max_num_tags"))
        self.assertIn("max_ops", next(f for f in kinds["srq"].fields if f.name == "tm_cap").declaration)
        self.assertIn(f"#if VX_RDMA_CORE <= {NEWEST}\n\tattr->tm_cap.max_ops = init->tm_cap.max_ops;\n#endif",
                      self.lines(kinds["srq"], "tm_cap.max_ops"))
        self.assertTrue(self.same_shapes(kinds))


class Packed(unittest.TestCase):
    """A new structure that is packed, as a member of an init structure: what programs fill is not, whoever regenerates."""

    def kinds(self) -> tuple[dict[str, Kind], merge.Api]:
        facts = with_next(NEXT)
        structs = facts[-1].groups["verbs"].structs
        structs["ibv_tight"] = Struct("ibv_tight", "infiniband/verbs.h", 5, align=1,
                                      fields=[Field("a", "uint8_t", "uint", 0, 1), Field("b", "uint32_t", "uint", 1, 4)])
        attr = structs["ibv_srq_init_attr_ex"]
        attr.fields.append(Field("tight", "struct ibv_tight", "record", attr.size, 5, ref="ibv_tight"))
        attr.size += 8
        found = groups.load()
        api = merge.merge(facts, [g.name for g in found])
        return {k.name: k for k in plan_objects(api, lore.load(api), found).kinds}, api

    def test_is_the_same_once_it_is_recorded(self) -> None:
        record, seen = shapes.load(), []
        for _ in range(2):
            with mock.patch.object(shapes, "load", lambda: copy.deepcopy(record)):
                kinds, api = self.kinds()
                found = shapes.shapes(list(kinds.values()), api.structs(), own.headers().structs, copy.deepcopy(record))
                shapes.complete(found, record)
            seen.append(({f.name: f.declaration for f in kinds["srq"].fields}, kinds["srq"].members, found))
        self.assertEqual(seen[0], seen[1])
        self.assertEqual(seen[0][0]["tight"], "struct { uint8_t a; uint32_t b; } tight")
        self.assertEqual(record["ibv_tight"], {"a": ["uint8_t", 0, 1], "b": ["uint32_t", 4, 4]})


def conf(name: str, *fields: Field, union: bool = False) -> tuple[Field, Struct]:
    """A field of a structure that is new."""
    size, tag = max(f.offset + f.size for f in fields), f"ibv_{name}"
    return (Field(name, f"{'union' if union else 'struct'} {tag}", "record", 0, size, ref=tag),
            Struct(tag, "infiniband/verbs.h", size, union, fields=list(fields)))


INNER = [Field("a", "uint32_t", "uint", 0, 4), Field("b", "uint8_t[4]", "uint", 4, 4, count=4)]
NEW = (conf("conf", Field("a", "enum ibv_mtu", "enum", 0, 4, ref="ibv_mtu"), Field("b", "uint8_t[6]", "uint", 4, 6, count=6),
            Field("gid", "union ibv_gid", "record", 16, 16, ref="ibv_gid")),
       conf("of_bits", Field("a", "uint32_t", "uint", 0, 4, bits=3)),
       conf("of_union", Field("a", "uint32_t", "uint", 0, 4), union=True),
       conf("in_union", Field("a", "uint32_t", "uint", 0, 4, union=1), Field("b", "uint64_t", "uint", 0, 8, union=1)))
FIELDS = (Field("limit", "const uint64_t", "uint", 0, 8), Field("m", "uint16_t[3][2]", "other", 0, 12, count=3),
          Field("qps", "struct ibv_qp *[2]", "pointer", 0, 16, count=2, ref="ibv_qp", target="record"),
          Field("in", "struct", "record", 0, 16, count=2, fields=INNER), Field("one", "uint32_t", "uint", 0, 4, union=1), *(f for f, _ in NEW))


class Grown(unittest.TestCase):
    """What an init structure makes of fields of any type; it has all of them."""

    kind: Kind

    @classmethod
    def setUpClass(cls) -> None:
        facts = with_next(NEXT)
        facts[-1].groups["verbs"].structs |= {s.name: s for _, s in NEW}
        attr = facts[-1].groups["verbs"].structs["ibv_qp_init_attr_ex"]
        for f in copy.deepcopy(FIELDS):
            f.offset = -(-attr.size // 8) * 8
            attr.size = f.offset + f.size
            attr.fields.append(f)
        found = groups.load()
        api = merge.merge(facts, [g.name for g in found])
        published = shapes.load()
        published["vx_qp_init"] = {**published["vx_qp_init"], "limit": ["uint32_t", 0, 4]}
        with mock.patch.object(shapes, "load", lambda *_: published):
            cls.kind = next(k for k in plan_objects(api, lore.load(api), found).kinds if k.name == "qp")

    def field(self, name: str) -> tuple[str, str]:
        """The member of vx_qp_init, and how it is copied."""
        lines = next(x.lines for x, item in zip(self.kind.fillings, self.kind.filled) if item.name == name)
        return next(i.declaration for i in self.kind.fields if i.name == name), "\n".join(line.strip() for line in lines)

    def test_a_number_of_const_that_was_published_as_another(self) -> None:
        """Its bytes are those of the number, not as many as it has now from where the published one is."""
        declaration, lines = self.field("limit")
        self.assertEqual(declaration, "uint32_t limit")
        self.assertIn("memcpy((void *)&attr->limit, &(uint64_t){ init->limit }, sizeof(attr->limit));", lines)

    def test_an_array_of_arrays(self) -> None:
        self.assertEqual(self.field("m"), ("uint16_t m[3][2]", "if (vx_is_set(&init->m, sizeof(init->m)))\nmemcpy(attr->m, init->m, sizeof(attr->m));"))

    def test_an_array_of_pointers_to_objects(self) -> None:
        declaration, lines = self.field("qps")
        self.assertEqual(declaration, "struct ibv_qp *qps[2]")
        self.assertIn("memcpy(attr->qps, init->qps, sizeof(attr->qps));", lines)

    def test_structures_without_a_tag(self) -> None:
        declaration, lines = self.field("in")
        self.assertEqual(declaration, "struct { uint32_t a; uint8_t b[4]; } in[2]")
        self.assertIn("memcpy(&attr->in, &init->in, sizeof(init->in));", lines)

    def test_a_structure_that_older_headers_lack_is_its_members(self) -> None:
        declaration, lines = self.field("conf")
        self.assertEqual(declaration, "struct { uint32_t a; uint8_t b[6]; union ibv_gid gid; } conf")
        for line in ("attr->conf.a = init->conf.a;", "memcpy(attr->conf.b, init->conf.b, sizeof(attr->conf.b));", "attr->conf.gid = init->conf.gid;"):
            self.assertIn(line, lines)

    def test_one_whose_members_others_would_lay_otherwise_is_bytes(self) -> None:
        for name, size in (("of_bits", 4), ("of_union", 4), ("in_union", 8)):
            declaration, lines = self.field(name)
            self.assertEqual(declaration, f"uint8_t {name}[{size}]")
            self.assertIn(f"memcpy(&attr->{name}, &init->{name}, sizeof(init->{name}));", lines)

    def test_what_shares_its_bytes_with_others(self) -> None:
        self.assertEqual(self.field("one"), ("uint32_t one", "if (init->one)\nattr->one = init->one;"))


if __name__ == "__main__":
    unittest.main()
