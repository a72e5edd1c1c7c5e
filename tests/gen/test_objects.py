# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""The objects: what lore may say of a kind, and that no call on an object is forgotten."""

from __future__ import annotations

import re
import unittest
from types import SimpleNamespace
from unittest import mock

from gen.api import merge
from gen.errors import GenError
from gen.fast.record import changed
from gen.know import groups, lore
from gen.know.objects import called_so
from gen.plan import build
from gen.plan.model.init import InitField
from gen.plan.model.method import Method
from gen.plan.model.object import Kind, Objects
from gen.plan.objects.init_fields import InitPlanner
from gen.plan.objects.objects import plan_objects
from gen.plan.structs import defaults
from gen.promise import shapes
from gen.reach import known
from tests.gen.project import ROOT, OfLore

HEADER = """\
#include <stdint.h>
struct ibv_context { int fd; };
enum acme_type { ACME_PLAIN = 1 };
enum acme_other { OTHER = 1 };
struct acme_box { int handle; char *name; enum acme_type type; };
struct acme_box_attr { struct ibv_context *owner; int size; };
struct acme_box *acme_make(struct ibv_context *context, struct acme_box_attr *attr);
struct acme_box *acme_typed(struct ibv_context *context, enum acme_type type);
int acme_join(struct ibv_context *context, int group);
int acme_leave(struct ibv_context *context, int group);
struct acme_box *acme_import(struct ibv_context *context, int handle);
void acme_unimport(struct acme_box *box);
int acme_end(struct acme_box *box);
int acme_count(struct acme_box *box, uint64_t *count, int flags);
"""
BOX = 'raw = "acme_box", parent = "ctx", create = "acme_make", destroy = "acme_end"'
TYPED = BOX.replace("acme_make", "acme_typed")


class Entries(OfLore):
    header = HEADER

    def box(self, entry: str) -> lore.Lore:
        return self.load(f"[object]\nbox = {{ {entry} }}\n")

    def refused(self, entry: str, words: str) -> None:
        self.refused_at(2, f"[object]\nbox = {{ {entry} }}\n", words)

    def test_all_that_can_be_said_is_taken(self) -> None:
        entry = (f'{BOX}, attr = "acme_box_attr", into = "owner", number = "handle", import = "acme_import", '
                 'unimport = "acme_unimport", by_hand = "init", title = "box"')
        self.assertEqual(self.box(entry).object["box"]["into"], "owner")

    def test_a_function_of_the_runtime_may_make_it(self) -> None:
        self.box(BOX.replace("acme_make", "vx_make_box"))

    def test_an_argument_may_have_a_default(self) -> None:
        self.assertEqual(self.box(f'{TYPED}, default = {{ type = "ACME_PLAIN" }}').object["box"]["default"], {"type": "ACME_PLAIN"})

    def test_what_every_kind_has_is_not_left_out(self) -> None:
        self.refused('raw = "acme_box", parent = "ctx", create = "acme_make"', "box: lacks destroy")

    def test_what_goes_by_its_parent_has_nothing_of_its_own_to_show(self) -> None:
        without = 'parent = "ctx", create = "acme_join", destroy = "acme_leave"'
        self.assertNotIn("raw", self.box(without).object["box"])
        self.refused(f'{without}, number = "handle"', "box: number: is of raw, which it lacks")
        self.refused(f'{without}, shows = ["handle"]', "box: shows: is of raw, which it lacks")

    def test_what_tells_one_from_others_is_one_value_of_an_enum(self) -> None:
        self.assertEqual(self.box(f'{BOX}, told = {{ type = "ACME_PLAIN" }}').object["box"]["told"], {"type": "ACME_PLAIN"})
        self.refused(f'{BOX}, told = {{ tipe = "ACME_PLAIN" }}', "acme_box.tipe: no such field")
        self.refused(f'{BOX}, told = {{ handle = "ACME_PLAIN" }}', "box: told: handle: is of no enum")
        self.refused(f'{BOX}, told = {{ type = "ACME_PLANE" }}', "ACME_PLANE: no such enumerator")
        self.refused(f'{BOX}, told = {{ type = "ACME_PLAIN", handle = "ACME_PLAIN" }}', "box: told: one field")

    def test_nothing_but_the_init_structure_is_made_by_hand(self) -> None:
        self.refused(f'{BOX}, by_hand = "all"', "box: by_hand: all: must be init")

    def test_what_is_named_exists(self) -> None:
        self.refused(BOX.replace("acme_end", "acme_ent"), "acme_ent: no such function")
        self.refused(BOX.replace("acme_box", "acme_bax"), "acme_bax: no such structure")
        self.refused(f'{BOX}, attr = "acme_atr"', "acme_atr: no such structure")
        self.refused(f'{BOX}, attr = "acme_box_attr", into = "ower"', "acme_box_attr.ower: no such field")
        self.refused(f'{BOX}, number = "name"', "is no integer")
        self.refused(f'{TYPED}, default = {{ type = "ACME_PLANE" }}', "ACME_PLANE: no such enumerator")
        self.refused(f'{TYPED}, default = {{ type = "OTHER" }}', "box: default: OTHER is none of enum acme_type")
        self.refused(f'{TYPED}, default = {{ kind = "ACME_PLAIN" }}', "box: default: kind: no parameter of what makes one")
        self.refused(f"{BOX}, by_head = true", "by_head: no such key")

    def test_nothing_is_its_own_parent(self) -> None:
        self.refused(BOX.replace('parent = "ctx"', 'parent = "box"'), "box: parent: is its own parent")

    def test_what_is_libverbsxs_own_is_said_with_its_parent(self) -> None:
        heap = '[object]\nbox = { %s }\n\n[own]\nheap = { title = "heap", parent = "%s", does = "It has boxes." }\n'
        self.assertEqual(self.load(heap % (BOX, "box")).own["heap"]["parent"], "box")
        self.assertNotIn("parent", self.load(heap.replace(' parent = "%s",', "") % BOX).own["heap"], "a root")
        self.refused_at(5, heap % (BOX, "bax"), "bax: no such kind")
        self.refused_at(5, heap % (BOX, "heap"), "heap: is its own parent")
        self.refused_at(2, heap.replace("heap =", "box =") % (BOX, "ctx"), "box: vx_box is libverbsx's own\n  call the kind otherwise: acme_box = {")
        self.refused_at(5, heap.replace(', does = "It has boxes."', "") % (BOX, "box"), "heap: lacks does")

    def test_what_is_called_as_something_of_libverbsx_is_another_kind(self) -> None:
        for name, also in (("path", "vx_path"), ("pool", "vx_pool_init"), ("connect", "vx_connect_init"), ("wr", "vx_wr"), ("path_mask", "vx_path_mask"),
                           ("ctx_init", "vx_ctx_init")):
            self.refused_at(2, f"[object]\n{name} = {{ {BOX} }}\n", f"{name}: {also} is libverbsx's own\n  call the kind otherwise: acme_{name} = {{")

    def test_nothing_that_headers_and_sources_have_may_be_one_more_kind(self) -> None:
        texts = [p.read_text() for folder in ("generated", "runtime") for p in (ROOT / folder).rglob("*.[ch]")]
        said = known.read(groups.load())[1]
        found = {name for text in texts for name in re.findall(r"\b(?:struct|union|enum) vx_(\w+) \{", text)} - {*said.object, *said.root}
        self.assertEqual([name for name in sorted(found) if not called_so(said, name, {})], [])
        self.assertEqual([name for name, entry in said.object.items() if called_so(said, name, entry)], [])

    def test_a_condition_is_whole(self) -> None:
        for good in ("flags & 4", "!flags", "(flags & (1 << 2)) != 0 && -1 < *type", "x[2] == ')'", "a->b ? c : ~d"):
            self.box(f'{BOX}, refuses = {{ "x" = "{good}" }}')
        for bad, words in (("flags & (", "( is not closed"), ("(flags", "( is not closed"),
                           ("flags)", ") closes nothing"), ("(x[1)]", ") closes nothing"), ("flags &", "& has nothing behind it"),
                           ("== 4", "== has nothing before it"), ("a && (|| b)", "|| has nothing before it"), ("f(a, )", ", has nothing behind it")):
            for key in ("refuses", "needs", "where"):
                self.refused(f'{BOX}, {key} = {{ x = "{bad}" }}', f"box: {key}: x: {bad!r}: must be a condition in C: {words}")
        self.refused_at(2, '[before]\nacme_count = { "why" = "flags >" }\n', "acme_count: why: 'flags >': must be a condition in C: > has nothing behind it")

    def test_other_ways_are_calls(self) -> None:
        self.assertEqual(self.box(f'{BOX}, other = {{ take = "acme_import" }}').object["box"]["other"], {"take": "acme_import"})
        self.refused(f'{BOX}, other = {{ take = "acme_tale" }}', "acme_tale: no such function")

    def test_what_it_depends_on_later_is_a_parameter(self) -> None:
        self.refused(f'{BOX}, depends = {{ acme_count = ["cont"] }}', "depends: acme_count: cont: no such parameter\n  did you mean count?")

    def test_what_a_method_differs_in_is_of_a_call(self) -> None:
        said = self.load('[named]\nacme_count = "tell"\n\n[given]\n"acme_count.flags" = "0"\n\n[unit]\n"acme_count.count" = 10\n')
        self.assertEqual((said.named, said.given, said.unit),
                         ({"acme_count": "tell"}, {"acme_count.flags": "0"}, {"acme_count.count": 10}))
        self.refused_at(2, '[named]\nacme_cont = "tell"\n', "acme_cont: no such function")
        self.refused_at(2, '[given]\n"acme_count.flag" = "0"\n', "acme_count.flag: no such parameter")
        self.refused_at(2, '[unit]\n"acme_count.flags" = 10\n', "acme_count.flags: must be a number of 64 bits")
        self.assertEqual(self.load('[counting]\n"acme_count.flags" = "flags"\n').counting, {"acme_count.flags": "flags"})
        self.refused_at(2, '[counting]\n"acme_count.count" = "count"\n', "acme_count.count: is no int but uint64_t *")
        self.refused_at(2, '[unit]\n"acme_count.count" = "10"\n', "acme_count.count: must be how many units")

    def test_the_word_for_a_kind_fits_its_row(self) -> None:
        name = "mlx5_steering_anchor_xxxx"
        self.load(f"[object]\n{name[:24]} = {{ {BOX} }}\n")
        self.refused_at(2, f"[object]\n{name} = {{ {BOX} }}\n", f"{name}: longer than 24 letters")

    def test_what_is_imported_is_unimported(self) -> None:
        self.refused(f'{BOX}, import = "acme_import"', "import and unimport go together")
        self.refused(f'{BOX}, import = "acme_import", unimport = "acme_un"', "acme_un: no such function")


class Masks(unittest.TestCase):
    """What a release may add to any kind needs a bit that says it counts; a mask that came later could only be appended."""

    FIRST = (("comp_mask", ["uint32_t", 0, 4]), ("comp_mask", ["uint64_t", 0, 8]))  # as the structure of rdma-core has it
    CALLED_FLAGS = {"vx_mlx5_sched_leaf_init", "vx_mlx5_sched_node_init"}  # the mask of struct mlx5dv_sched_attr, whose comp_mask has no bits

    def test_what_programs_fill_begins_with_a_mask(self) -> None:
        filled = {name: fields for name, fields in shapes.load().items() if name.endswith(("_init", "_change"))}
        self.assertLessEqual({"vx_ah_init", "vx_flow_init", "vx_mr_change", "vx_mw_init", "vx_pd_init", "vx_qp_init"}, filled.keys())
        self.assertEqual({name for name, fields in filled.items() if list(fields.items())[0] not in self.FIRST}, self.CALLED_FLAGS)
        self.assertEqual({list(filled[name])[0] for name in self.CALLED_FLAGS}, {"flags"})

    def test_a_kind_that_rdma_core_may_add_has_one_from_the_beginning(self) -> None:
        kinds = plan_objects(*known.read(groups.load()), groups.load()).kinds
        self.assertEqual([k.name for k in kinds if k.members[0] not in ("uint32_t comp_mask", "uint64_t comp_mask") or k.masks[0].name != "comp_mask"],
                         ["mlx5_sched_leaf", "mlx5_sched_node"])


class Defaults(unittest.TestCase):
    """A 0 of an init structure that stands for another value says so wherever it is printed."""

    # A bit of the mask says that 0 is meant, and is printed above; without rwq_ind_tbl there is no hash.
    TOLD_BY_THE_MASK = {"vx_ah_init.grh.hop_limit", "vx_xrcd_init.fd", "vx_xrcd_init.oflags",
                        *(f"vx_{made}qp_init.rx_hash_conf.rx_hash_function" for made in ("", "cm_", "efa_", "hns_", "mlx4_", "mlx5_"))}

    def test_every_default_that_is_not_0_is_told(self) -> None:
        api, said = known.read(groups.load())
        kinds = plan_objects(api, said, groups.load())
        tables = build(api, said, groups.load()).tables
        forms = {f"{s.id.partition('__')[0]}.{f.path}": f.form for s in tables.structs for f in s.fields}
        values = {v.name: v.value for e in api.enums().values() for v in e.values} | {m.name: m.value for m in api.macros().values()}
        defaults = {f"vx_{k.name}_init.{path}" for k in kinds.kinds for path, value in said.default.get(k.attr, {}).items()
                    if values.get(value, value) and path.partition(".")[0] in {f.name for f in k.fields}
                    and (path, f"!init->{path}") not in {(name, condition) for name, condition, _ in k.unset}}
        self.assertGreater(len(defaults), 15)
        self.assertEqual({d for d in defaults if forms.get(d) not in ("default", "vx_none")}, self.TOLD_BY_THE_MASK)


class Planned(unittest.TestCase):
    api: merge.Api
    plan: Objects
    kinds: dict[str, Kind]

    @classmethod
    def setUpClass(cls) -> None:
        order = groups.load()
        cls.api, cls.lore = known.read(order)
        cls.options, cls.views = cls.lore.option, cls.lore.view
        cls.plan = plan_objects(cls.api, cls.lore, order)
        cls.kinds = {k.name: k for k in cls.plan.kinds}

    def test_no_two_kinds_share_a_number(self) -> None:
        numbers = [k.id for k in self.plan.kinds]
        self.assertEqual(sorted(numbers), sorted(set(numbers)))
        self.assertNotIn(1, numbers, "that of a context")

    def test_every_call_is_a_method_or_has_a_reason_not_to_be(self) -> None:
        methods = [m.call for m in self.plan.ctx] + [m.call for k in self.plan.kinds for m in k.methods]
        several = {e["call"] for e in self.options.values()} | set(self.views)
        options = {name for k in self.plan.kinds for m in k.methods if (name := m.call) in several}
        methods = [name for name in methods if name not in options]
        self.assertEqual(len(methods), len(set(methods)))
        self.assertEqual({c for g in self.plan.groups for c in self.api.groups[g].calls}, set(methods) | set(self.plan.left_out))
        self.assertEqual(set(methods) & set(self.plan.left_out), set())

    def test_no_two_methods_share_a_name(self) -> None:
        names = [m.name for m in self.plan.ctx] + [m.name for k in self.plan.kinds for m in k.methods]
        self.assertEqual(sorted(names), sorted(set(names)))

    def test_calls_that_import_are_no_methods_of_what_they_take(self) -> None:
        for call in ("ibv_import_pd", "ibv_import_mr", "ibv_unimport_dm", "ibv_alloc_buf"):
            self.assertEqual(self.plan.left_out[call], "makes or ends an object")

    def test_what_is_libverbsxs_own_keeps_what_it_shows(self) -> None:
        pool = next(k for k in self.plan.own if k.name == "pool")
        self.assertEqual((pool.parent_title, pool.raw, pool.ways), ("PD", "", []))
        self.assertIn(("uint32_t count", "vx_pool_init", "count"), [(k.declaration, k.owner, k.field) for k in pool.keeps])
        self.assertIn("pool", [k.name for k in self.plan.handles])
        client = next(k for k in self.plan.own if k.name == "cm_client")
        self.assertIn(("bool established", "vx_poller_init", "solicited_only"), [(k.declaration, k.owner, k.field) for k in client.keeps])

    def test_a_kind_made_by_hand_has_the_methods_of_the_rule(self) -> None:
        self.assertEqual(self.kinds["mr"].by_hand, "init")
        self.assertEqual([m.name for m in self.kinds["buf"].methods], ["vx_buf_export_dmabuf_fd"])

    def test_what_is_read_of_a_raw_object_is_a_row_of_its_structure(self) -> None:
        whole = build(self.api, self.lore, groups.load(), self.plan)
        structs = {s.id: s for s in whole.tables.structs}
        number = {r.kind.name: whole.kinds.fields[r.number[0]] for r in whole.kinds.rows if r.number[1]}
        read = structs[number["dm"].owner].fields[number["dm"].index]
        self.assertEqual((read.name, read.guard), ("handle", "VX_RDMA_CORE >= 35"))
        self.assertEqual(set(number), {n for n, k in self.kinds.items() if k.number})
        shown = next(r.shown for r in whole.kinds.rows if r.kind.name == "mr")
        self.assertEqual(whole.kinds.of(shown), ["handle", "addr", "length", "lkey", "rkey"])

    def test_an_import_is_as_old_as_its_call(self) -> None:
        self.assertEqual(self.importing("dm").guard, "VX_RDMA_CORE >= 35")
        self.assertEqual(self.importing("mr").guard, "")

    def importing(self, kind: str) -> Method:
        found = self.kinds[kind].importing
        assert found
        return found

    def method(self, name: str) -> Method:
        return next(m for m in self.plan.ctx if m.name == name)

    def test_a_method_does_not_take_what_lore_gives(self) -> None:
        query = self.method("vx_ctx_query_gid")
        self.assertEqual(query.params, ["port_num", "gid_index", "entry"])
        self.assertEqual(query.arguments, "vx_ctx_raw(ctx), port_num, gid_index, &own_entry, 0")
        self.assertEqual(self.method("vx_ctx_query_device_ex").arguments, "vx_ctx_raw(ctx), NULL, &own_attr")

    def test_asking_changes_nothing(self) -> None:
        self.assertTrue(self.method("vx_ctx_init_ah_from_wc").declaration.startswith("const struct vx_ctx *ctx, "))

    def test_what_a_method_gives_is_as_the_host_has_it(self) -> None:
        self.assertEqual(self.method("vx_ctx_query_pkey").swapped, [("pkey", "16")])
        self.assertIn("uint16_t *pkey", self.method("vx_ctx_query_pkey").declaration)
        self.assertEqual(self.method("vx_ctx_query_port_speed").units, [("port_speed", 100)])

    def test_a_kind_may_be_made_by_a_call_of_its_own(self) -> None:
        made, = self.kinds["ah"].others
        self.assertEqual((made.name, made.call), ("vx_ah_create_from_wc", "ibv_create_ah_from_wc"))
        self.assertTrue(made.declaration.startswith("struct vx_pd *parent, const struct ibv_wc *wc, "), made.declaration)
        self.assertTrue(made.declaration.endswith("struct vx_ah **out"), made.declaration)
        self.assertEqual(made.own("grh"), "&own_grh", "NULL is one of zeros")
        self.assertEqual(self.plan.left_out["ibv_create_ah_from_wc"], "makes or ends an object")

    def test_what_is_refused_is_a_condition_and_says_what_is_wrong(self) -> None:
        nowhere = self.kinds["ah"].refuses[-1]
        self.assertEqual(nowhere.when, "!init->dlid && !init->is_global && !vx_is_set(&init->grh, sizeof(init->grh)) && "
                                       "vx_is_infiniband(parent, init->port_num)")
        flags = self.kinds["mr"].refuses[0]
        self.assertEqual((flags.when, flags.values), ("init->flags & ~VX_MR_FLAGS", ", (unsigned long long)(init->flags & ~VX_MR_FLAGS)"))
        self.assertTrue(flags.says.startswith("flags has 0x%llx, which is none"), flags.says)

    def test_what_is_kept_prints_by_its_name_and_as_the_field_that_lore_names(self) -> None:
        kept = {k.name: k for kind in ("mr", "ah", "dm") for k in self.kinds[kind].keeps}
        self.assertEqual((kept["access"].declaration, kept["access"].label), ("unsigned int access", "access"))
        self.assertEqual((kept["access"].owner, kept["access"].field), ("ibv_mw_bind_info", "mw_access_flags"))
        self.assertEqual((kept["length"].declaration, kept["length"].value), ("size_t length", "attr.length"))
        self.assertEqual(kept["length"].label, "", "its own")
        self.assertEqual((kept["attr"].declaration, kept["attr"].value), ("struct ibv_ah_attr attr", "attr"), "all of it")

    def test_what_one_method_has_an_object_depend_on_are_handles_that_it_takes(self) -> None:
        method = next(m for m in self.kinds["qp"].methods if m.call == "mlx5dv_modify_qp_sched_elem")
        self.assertEqual(method.depends, ["requestor", "responder"])
        for call, name, wrong in (("ibv_modify_qp", "attr", "attr: is no handle that vx_qp_modify takes"),
                                  ("ibv_bind_mw", "mw", "so it does by vx_qp_bind_mw, and can by one method")):
            with mock.patch.dict(self.lore.object["qp"], {"depends": {call: [name]}}), self.assertRaisesRegex(GenError, f"depends: {wrong}"):
                plan_objects(self.api, self.lore, groups.load())

    def test_what_is_kept_lies_where_the_kind_that_it_is_used_as_has_it(self) -> None:
        for name, kept in (("cm_srq", []), ("mlx5_cq", ["wc_flags", "comp_vector"]), ("mlx5_dm", ["length=uint32_t"])):
            said = f"{name}: keeps: its handles are used as those of {self.lore.object[name]['type']}, which keep "
            with mock.patch.dict(self.lore.object[name], {"keeps": kept}), self.assertRaisesRegex(GenError, said):
                plan_objects(self.api, self.lore, groups.load())
        with mock.patch.dict(self.lore.object["mlx5_cq"], {"keeps": ["comp_vector", "wc_flags", "cqe"]}):
            plan_objects(self.api, self.lore, groups.load())

    def test_what_is_adopted_is_told_from_others_of_its_type_or_counted(self) -> None:
        self.assertEqual([k.name for k in self.kinds["qp"].tells_apart], ["opened_qp"])
        self.assertEqual(self.kinds["pd"].tells_apart, [], "nothing in a parent domain tells")
        self.assertEqual([n for n, k in self.kinds.items() if k.counted], ["dm", "mlx5_devx_umem", "mlx5_var", "mr", "pd"])

    def test_it_is_told_when_what_an_init_structure_points_to_grows(self) -> None:
        pointed = self.api.structs()["ibv_flow_action_esp"]
        newest = pointed.fields[-1]
        self.assertEqual(self.plan.told, [])
        with mock.patch.object(newest, "since", pointed.since + 1):
            told = plan_objects(self.api, self.lore, groups.load()).told
        self.assertIn(f"points to struct ibv_flow_action_esp, which has grown by {newest.name}", told[0].what)

    def test_a_field_that_is_called_as_the_room_of_an_init_structure_is_not_in_it(self) -> None:
        attr = self.api.structs()["ibv_dmah_init_attr"]
        for name in ("reserved_", "reserved_2"):
            more = [*attr.fields, changed(attr.fields[-1], name=name, offset=attr.size)]
            with mock.patch.object(attr, "fields", more):
                found = plan_objects(self.api, self.lore, groups.load())
            dmah = next(k for k in found.kinds if k.name == "dmah")
            self.assertEqual([d for d in dmah.members if "reserved_" in d], ["uint8_t reserved_[2]"])
            self.assertEqual([(t.name, t.what) for t in found.told], [(f"ibv_dmah_init_attr.{name}", "is called as bytes that are nobody's, so struct vx_dmah_init is without it")])

    def test_room_is_not_called_as_a_parameter(self) -> None:
        declared = ["uint32_t reserved_", "uint8_t reserved_2"]
        fields = [InitField(d.split()[1], d) for d in declared]
        kind = SimpleNamespace(by_hand="", name="acme", mask="comp_mask", also="", kept_free={}, fields=fields, members=declared)
        InitPlanner._keep_free(SimpleNamespace(recorded={}, machines=shapes.on_machines({}, {})), kind)
        self.assertEqual(kind.kept_free, {"reserved_2": ["uint8_t reserved_3[3]"]})

    def test_a_setter_of_an_enum_that_has_another_name_now_is_there_as_before(self) -> None:
        attr = SimpleNamespace(name="ibv_qp_attr", c_type="struct ibv_qp_attr", since=33, until=0, present="", of_vendor=False)
        enum = self.api.enums()["ibv_mig_state"]
        with mock.patch.object(enum, "since", self.api.newest):
            found = defaults._Planner(self.api, self.lore, groups.load()).setter(attr, "", "IBV_QP_PATH_MIG_STATE", ["path_mig_state"], "IBV_QP_")
        self.assertEqual((found.guard, [a.declaration for a in found.arguments]), ("", ["__typeof__(((struct ibv_qp_attr *)0)->path_mig_state) value"]))

    def test_a_name_for_a_method_that_is_none_is_told(self) -> None:
        with mock.patch.dict(self.lore.named, {"ibv_poll_cq": "look"}):
            told = plan_objects(self.api, self.lore, groups.load()).told
        self.assertEqual([(t.name, t.what) for t in told], [("ibv_poll_cq", "is no method, so nothing is called as [named] says")])

    def test_what_a_function_makes_of_a_field_is_kept_and_of_a_field(self) -> None:
        matcher = self.lore.object["mlx5_flow_matcher"]
        self.assertIn("vx_mlx5_mask(init->match_mask)", [k.value for k in self.kinds["mlx5_flow_matcher"].keeps])
        for filled, said in (({"mask": {"vx_mlx5_mask": "match_masks"}}, "mlx5_flow_matcher: filled: match_masks: no field of the init structure"),
                             ({"masks": {"vx_mlx5_mask": "match_mask"}}, "mlx5_flow_matcher: filled: masks: not among what the handle keeps")):
            with mock.patch.dict(matcher, {"filled": filled}), self.assertRaisesRegex(GenError, said):
                plan_objects(self.api, self.lore, groups.load())

    def test_what_is_there_once_is_known_by_what_it_keeps(self) -> None:
        group = self.kinds["mcast"]
        self.assertTrue(group.once)
        self.assertEqual((group.names, [k.name for k in group.keeps]), ("gid", ["gid", "lid"]))
        self.assertEqual([(n.name, n.says) for n in group.needs], [("gid", "is all zero")])

    def test_the_defaults_of_a_call_without_a_structure(self) -> None:
        self.assertEqual(self.kinds["mw"].ways[0].arguments, ["vx_pd_raw(parent)", "init->type ? init->type : IBV_MW_TYPE_1"])


if __name__ == "__main__":
    unittest.main()
