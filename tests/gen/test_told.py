# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""What a release can bring that the generator has nothing for: the report tells it, and lore from the report settles it."""

from __future__ import annotations

import json
import re
import shlex
import tempfile
import unittest
from pathlib import Path
from random import Random
from typing import Any

from gen import plan
from gen.api import merge
from gen.api.facts import Call, Facts, Group, Param, Struct
from gen.know import groups, lore, remarks
from gen.know.remarks import Remarks
from gen.plan.model.object import Objects
from gen.plan.remarks.calls import CallRemarks
from gen.plan.remarks.named import add_named
from gen.plan.structs.guesses import Guesses
from gen.reach import known, releases, unread
from gen.reach.news import News
from gen.scan.scan import Tree as scan_tree, scan
from tests.gen.mutations.classes import CLASSES, apply
from tests.gen.mutations.tree import CMA, VERBS, Tree, symbols
from tests.gen.project import NEWEST, NEXT, RELEASES, ROOT, InFolder, compile_these, copy_project, gen, header_tree, run_gen
from tests.gen.test_diff import release

MORE = ("a call that no library has", "a bit of a mask is new", "a new header")
EVENTS = "an event is new"  # which has a test of its own
MASKS = """struct ibv_masked_attr { uint64_t comp_mask; uint32_t depth; };
enum ibv_masked_attr_mask { IBV_MASKED_ATTR_DEPTH = 1, IBV_MASKED_ATTR_MORE = 2 };
struct ibv_addressed_attr { uint8_t peer_gid[16]; uint8_t mac[6]; uint8_t guid_table[24]; uint8_t key[16]; };
struct ibv_counted { uint64_t tx_bytes; uint64_t bytes_lost; uint64_t tx_packets; uint32_t skew_ns; uint32_t log_depth; uint64_t peer_addr; uint32_t timeout_ms; };
struct ibv_unmasked_attr { uint32_t comp_mask; uint32_t depth_mask; uint64_t mask; };
enum ibv_unmasked_attr_depth { IBV_UNMASKED_DEPTH_A = 1, IBV_UNMASKED_DEPTH_B = 2 };
struct ibv_supports { uint32_t supported_qpts; };
struct ibv_shared { union { uint32_t rate_of_all; uint16_t rate_type; }; };
enum ibv_td_init_attr_mask { IBV_TD_INIT_ATTR_MASK_CPU = 1 };
"""
# Parameters by whose names, and those of their calls, it is known what they are.
NUMBERS = """enum ibv_tint_flags { IBV_TINT_A = 1, IBV_TINT_B = 2 };
enum ibv_qp_hue { IBV_QP_HUE_RED, IBV_QP_HUE_BLUE };
enum ibv_qp_flags { IBV_QP_ODD = 1, IBV_QP_EVEN = 2 };
static inline int ibv_set_qp_tint(struct ibv_qp *qp, uint32_t flags, int access, int hue, int depth) { return qp && flags && access && hue && depth; }
static inline int ibv_blend_pd(struct ibv_pd *pd, uint32_t flags, uint64_t tint, uint32_t wait_ns, uint32_t rkey) { return pd && flags && tint && wait_ns && rkey; }
enum ibv_deep_shade_flags { IBV_DEEP_SHADE_A = 1, IBV_DEEP_SHADE_B = 2 };
static inline int ibv_set_pd_deep_shade(struct ibv_pd *pd, uint32_t shade) { return pd && shade; }
static inline void ibv_wr_set_tint(struct ibv_qp_ex *qp, uint8_t flags) { qp->wr_set_tint(qp, flags); }
"""
# Macros that are a flag, and called as a function; an opcode that has a member of requests, and one that has a builder; names that are longer
# than all before.
LONG = "wr_set_divergence_and_polarisation_of_beam"
READ = "read_wallclock_of_completion_in_nanoseconds"
REQUESTS = (
    (VERBS, "\t\t\t uint64_t remote_addr, size_t len, uint8_t type,\n\t\t\t uint8_t level);\n", "void (*wr_set_tint)(struct ibv_qp_ex *qp, uint8_t flags);"),
    (VERBS, "\tIBV_QP_RATE_LIMIT\t\t= 1 << 25,", "IBV_QP_WARMTH = 1 << 26, IBV_QP_DEPTH_OF_FIELD = 1 << 27,"),
    (VERBS, "\tuint8_t\t\t\talt_timeout;\n\tuint32_t\t\trate_limit;", "uint32_t warmth; uint32_t depth_of_field;"),
    (VERBS, "\tuint64_t (*read_completion_wallclock_ns)(struct ibv_cq_ex *current);", f"uint32_t (*{READ})(struct ibv_cq_ex *current);"),
    (VERBS, "struct ibv_td_init_attr {\n\tuint32_t comp_mask;", "uint32_t cpu;"),
    (VERBS, "\tIBV_EVENT_DEVICE_SPEED_CHANGE,", "IBV_EVENT_DM_FATAL, IBV_EVENT_DM_FROZEN,"),
    (VERBS, "\t\tstruct ibv_wq  *wq;", "struct ibv_dm *dm;"),
    (CMA, "#define RAI_FAMILY\t\t0x00000008", "#define RAI_PROBE 0x00000040\n#define RAIL_GAUGE 1435"),
    (VERBS, "int ibv_fork_init(void);", "#define ibv_probe_macro(x) ((x) + 1)"),
    (VERBS, "\tIBV_WR_ATOMIC_WRITE = 15,", "IBV_WR_TELEPORT = 18, IBV_WR_BEAM = 19,"),
    (VERBS, "\tIBV_MTU_4096 = 5", ", IBV_MTU_8192 = 6, IBV_MTU_16K = 7"),
    (VERBS, "\t\t} bind_mw;", "struct { uint64_t where; uint32_t how; } teleport;"),
    (VERBS, "\tIBV_WC_ATOMIC_WRITE = 9,", "IBV_WC_BEAM = 10,"),
    (VERBS, "\tIBV_QP_EX_WITH_ATOMIC_WRITE\t\t= 1 << 12,", "IBV_QP_EX_WITH_BEAM = 1 << 13,"),
    (VERBS, "\t\t\t uint64_t remote_addr, size_t len, uint8_t type,\n\t\t\t uint8_t level);\n", f"void (*wr_beam)(struct ibv_qp_ex *qp, uint32_t power);\nvoid (*{LONG})(struct ibv_qp_ex *qp, uint32_t angle);"),
    (VERBS, "struct ibv_context *ibv_open_device(struct ibv_device *device);", "static inline void ibv_wr_beam(struct ibv_qp_ex *qp, uint32_t power) { qp->wr_beam(qp, power); }\n"
     f"static inline uint32_t ibv_wc_{READ}(struct ibv_cq_ex *cq) {{ return cq->{READ}(cq); }}\n"
     f"static inline void ibv_{LONG}(struct ibv_qp_ex *qp, uint32_t angle) {{ qp->{LONG}(qp, angle); }}\n"
     "struct ibv_cloud { uint32_t kind; union { struct { uint32_t drops; } rain; uint64_t flakes; }; };"),
)


class Told(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        folder = Path(cls.enterClassContext(tempfile.TemporaryDirectory()))
        cls.tree = Tree(folder / "headers")
        chosen = [s for s in CLASSES if s.endswith("is told of") or s.startswith(MORE)]
        cls.expected = apply(cls.tree, [s for s in chosen if not s.startswith(EVENTS)], Random(1))
        cls.tree.append(VERBS, "int ibv_probe_queried(struct ibv_nobodys *x);\nstatic inline int ibv_probe_inline(struct ibv_qp *qp, int many)"
                               " { return qp != 0 && many; }\nstruct ibv_nobodys *ibv_get_nobodys(struct ibv_qp *qp);\n"
                        "struct ibv_weather { uint32_t rain; };\nstatic inline int ibv_query_qp_weather(struct ibv_qp *qp, struct ibv_weather *weather)"
                        " { weather->rain = qp != 0; return 0; }\nstatic inline int ibv_forecast_qp(struct ibv_qp *qp, struct ibv_weather *weather)"
                        " { return qp != 0 && weather; }\nstatic inline int ibv_watch_qp(struct ibv_qp *qp, void (*seen)(void *), void *arg)"
                        " { return qp != 0 && seen && arg; }\n"
                        "enum ibv_alike_flags { IBV_ALIKE_A = 1, IBV_ALIKE_B = 2 };\nenum ibv_alike_type { IBV_ALIKE_ONE, IBV_ALIKE_TWO };\n"
                        "enum ibv_alike_mood { IBV_ALIKE_FINE, IBV_ALIKE_GLUM };\n"
                        "struct ibv_alike_attr { uint32_t flags; uint32_t alike_type; uint32_t mood; struct { uint32_t flags; } part; };\n" + MASKS)
        cls.tree.append(VERBS, NUMBERS)
        for header, where, declared in REQUESTS:
            cls.tree.replace(header, where, f"{where}\n{declared}")
        cls.tree.last_field(VERBS, "ibv_qp_cap", "uint32_t max_frob;")  # which several kinds are made by
        cls.tree.replace(VERBS, "int ibv_set_ece(struct ibv_qp *qp, struct ibv_ece *ece);", "")
        cls.tree.replace(VERBS, "\tuint8_t\t\t\tinit_type_reply;", "\tunion { uint8_t init_type_reply; uint8_t init_type; };")
        cls.tree.replace(CMA, "enum ibv_event_type event);", "enum ibv_event_type what);")  # a parameter of which lore speaks
        cls.project = copy_project(folder / "project")
        cls.folder = folder

    def written_about(self) -> set[str]:
        """The tables of which CONTRIBUTING.md says what their lines settle."""
        rows = re.findall(r"^\| (`[^|]*`) \| .* \|$", (ROOT / "CONTRIBUTING.md").read_text(), re.M)
        return {table for row in rows for table in re.findall(r"[` ]\[(\w+)", row)}

    def report(self, *more: object) -> tuple[list[dict[str, Any]], str]:
        """All remarks, and the last line on the terminal."""
        path = self.folder / "report.json"
        said = run_gen(self.project, "report", "--headers", self.tree.root, "--release", NEXT, *symbols(),
                       "--output", path, "--json")
        return json.loads(path.read_text()), said

    def test_all_is_told(self) -> None:
        found, said = self.report()
        text = "\n".join(remarks.text(remarks.Remark(**r) for r in found))
        for pattern in [*self.expected.told, "ibv_probe_queried: no library exports it", "ibv_probe_inline: fails as most of its header do",
                        r"ibv_probe_inline: nothing says what vx_qp_probe_inline\(\) does", r"ibv_probe_inline\.many: a parameter of vx_qp_probe_inline",
                        r'ibv_watch_qp.seen: a function, not taken for one .*\n.*\[parameter\] "ibv_watch_qp.seen" = \{ optional = false \}',
                        *(rf'"ibv_{name}" = \{{ {said} \}}' for name, said in (
                            ("set_qp_tint.flags", 'flags = "ibv_tint_flags"'), ("set_qp_tint.access", 'flags = "ibv_access_flags"'),
                            ("set_qp_tint.hue", 'enum = "ibv_qp_hue"'), ("blend_pd.flags", 'form = "hex"'), ("blend_pd.tint", 'form = "hex"'),
                            ("blend_pd.wait_ns", 'form = "ns"'), ("wr_set_tint.flags", 'flags = "ibv_tint_flags"'))),
                        r'"ibv_watch_qp.arg" = \{ optional = true \}',
                        "ibv_get_nobodys", r'"ibv_alike_attr.flags" = \{ flags = "ibv_alike_flags" \}',
                        r'"ibv_alike_attr.alike_type" = \{ enum = "ibv_alike_type" \}',
                        r'IBV_WR_TELEPORT = \{ data = "any", types = \["RC"\], wc = "IBV_WC_\w+", into = "ibv_send_wr.teleport" \}',
                        r'\[choice."ibv_send_wr.opcode"\] teleport = \["IBV_WR_TELEPORT"\]',
                        r'ibv_wr_beam = \{ op = "IBV_QP_EX_WITH_BEAM", data = "any", types = \["RC"\], wr = "IBV_WR_BEAM", wc = "IBV_WC_BEAM" \}',
                        r'\[guard."ibv_qp_attr\(\)"\] IBV_QP_WARMTH = \["warmth"\]', r'\] IBV_QP_DEPTH_OF_FIELD = \["depth_of_field"\]',
                        r'\[macro\] RAI_PROBE = "rdma_addrinfo_flags"', r'\[skip\] ibv_probe_macro = "programs have it as it is"',
                        r'\[choice."ibv_async_event.event_type"\] "element.dm" = \["IBV_EVENT_DM_FATAL", "IBV_EVENT_DM_FROZEN"\]',
                        r'"ibv_supports.supported_qpts" = \{ bitmap = "ibv_qp_type" \}',
                        r'ibv_cloud.flakes: .*\n.*\[field\] "ibv_cloud.flakes" = \{ never = true \}',
                        r'\[guard."ibv_masked_attr.comp_mask"\] IBV_MASKED_ATTR_DEPTH = \["depth"\]', r'\] IBV_MASKED_ATTR_MORE = \[\]',
                        r'\[guard."ibv_td_init_attr.comp_mask"\] IBV_TD_INIT_ATTR_MASK_CPU = \["cpu"\]',
                        r'lore says that it has no bits, and enum .*\n.* "ibv_td_init_attr.comp_mask" = \{ flags = "ibv_td_init_attr_mask" \}',
                        r'"ibv_masked_attr.comp_mask" = \{ flags = "ibv_masked_attr_mask" \}', r'"ibv_unmasked_attr.comp_mask" = \{ zero = true \}',
                        r'"ibv_addressed_attr.peer_gid" = \{ form = "gid" \}', r'"ibv_addressed_attr.mac" = \{ form = "mac" \}',
                        r'IBV_MTU_8192: a value of enum ibv_mtu for which .*\n.*\[code.mtu\] 6 = "8192 bytes"', r'\[code.mtu\] 7 = "..."',
                        *(rf'"ibv_counted.{name}" = \{{ form = "{form}" \}}' for name, form in (
                            ("tx_bytes", "bytes"), ("bytes_lost", "bytes"), ("tx_packets", "plain"), ("skew_ns", "ns"), ("log_depth", "log2"), ("peer_addr", "hex"), ("timeout_ms", "plain"))),
                        r'"ibv_unmasked_attr.depth_mask" = \{ flags = "ibv_unmasked_attr_depth" \}', r'"ibv_unmasked_attr.mask" = \{ form = "hex" \}',
                        r'"ibv_alike_attr.mood" = \{ enum = "ibv_alike_mood" \}', r'"ibv_alike_attr.part.flags" = \{ form = "plain" \}']:
            with self.subTest(pattern):
                self.assertRegex(text, pattern)
        for plain in ("set_qp_tint.depth", "blend_pd.rkey", "set_pd_deep_shade.shade"):
            self.assertNotIn(f'[parameter] "ibv_{plain}"', text)
        self.assertIn('ibv_query_qp_weather.weather: a pointer to a structure, taken for what the call fills\n    gen/lore/parameters.toml: '
                      '[parameter] "ibv_query_qp_weather.weather" = { out = true }', text)
        self.assertIn("ibv_forecast_qp.weather: a pointer to a structure, taken for what the call reads, so that nothing which it fills gets to the "
                      'program\n    gen/lore/parameters.toml: [parameter] "ibv_forecast_qp.weather" = { out = false }', text)
        self.assertIn(f"ibv_set_ece: is no more: release {NEWEST} has it, and nothing stands for it with these headers\n    gen/lore/since.toml: [until] ibv_set_ece = {NEWEST}", text)
        self.assertEqual(text.count('"ibv_qp_cap.max_frob" = "?"'), 1)
        self.assertEqual([r["write"] for r in found if r["name"] in ("ibv_shared.rate_type", "ibv_port_attr.init_type")],
                         ['"ibv_port_attr.init_type" = { never = true }', '"ibv_shared.rate_type" = { form = "plain", never = true }'])
        self.assertRegex(said, rf"{len(found)} to decide, \d+ noted")
        self.assertEqual([r["name"] for r in found if r["table"].partition(".")[0] not in self.written_about()], [])

    def test_a_query_gives_its_answer_to_the_program(self) -> None:
        out = self.folder / "out"
        run_gen(self.project, "emit", "--quiet", "--code", "--headers", self.tree.root, "--release", NEXT, *symbols(), "--output", out)
        header = (out / "include/verbsx/calls.h").read_text()
        self.assertEqual(re.findall(r"int (vx_qp_(?:query_weather|forecast)_sized\([^)]*\));", header),
                         ["vx_qp_forecast_sized(struct vx_qp *qp, const struct ibv_weather *weather, size_t size)",
                          "vx_qp_query_weather_sized(const struct vx_qp *qp, struct ibv_weather *weather, size_t size)"])

    def test_its_lore_settles_all_but_headers(self) -> None:
        lore = self.project / "gen/lore/new.toml"
        run_gen(self.project, "report", "--headers", self.tree.root, "--release", NEXT, *symbols(), "--lore", "--output", lore)
        self.addCleanup(lore.unlink)
        with self.assertRaisesRegex(AssertionError, r"gen/lore/new.toml:\d+: .*: still the blank of the report's proposal\n  say it: .*; so is what stands in lines? \d+"):
            self.report()
        lore.write_text(lore.read_text().replace('"..."', '"What a person says."').replace('"?"', '"what a person says"'))
        self.assertRegex(lore.read_text(), r'# gen/groups.toml: \[group.verbs\]\n# .*: of no group, .*\n# headers = \["infiniband/verbs.h"')
        left = [r["name"] for r in self.report()[0] if not r["name"].endswith(".h")]
        self.assertEqual(left, [])
        self._is_posted(self.folder / "settled")
        self.assertIn("attr->comp_mask |= IBV_TD_INIT_ATTR_MASK_CPU;", (self.folder / "settled/src/rare.c").read_text())

    def _is_posted(self, out: Path) -> None:
        """What lore says of an opcode that has no builder, or of one that has, is what checked QPs go by; members of unions are shown by it."""
        run_gen(self.project, "emit", "--quiet", "--code", "--headers", self.tree.root, "--release", NEXT, *symbols(), "--output", out)
        source = (out / "src/guard_wr.c").read_text()
        self.assertRegex(source, r"step_ibv_wr_teleport = \{\n.*\.listed = true,")
        self.assertRegex(source, r"case IBV_WR_BEAM:\n\t\treturn &step_vx_wr_beam;\n(?s:.*)case IBV_WR_TELEPORT:\n\t\treturn &step_ibv_wr_teleport;")
        self.assertIn("RAI_PROBE", (out / "src/enum_names.inc").read_text())
        self.assertIn('"opcode is IBV_WR_TELEPORT"', (out / "src/describe_texts.inc").read_text())
        sources = [out / f"src/{name}.c" for name in ("guard_wr", "guard_wc", "by_post", "tap_wr")]
        self.assertEqual(compile_these(sources, out, [self.tree.root], NEXT, self.folder / "config"), "")


class Guessed(unittest.TestCase):
    """Of what there is, nearly always what lore says: so that it is of what comes."""

    @classmethod
    def setUpClass(cls) -> None:
        found = groups.load()
        cls.api, cls.said = known.read(found)
        cls.guesses = Guesses(cls.api, cls.said, {e.name: e for e in plan.build(cls.api, cls.said, found).enums})

    def test_masks(self) -> None:
        api, said, guesses = self.api, self.said, self.guesses
        masks = [(f.name, f"{s.name}.{f.name}") for s in api.structs().values() for f in s.fields if "mask" in f.name and f.kind in ("uint", "int")]
        missed = [key for name, key in masks if guesses.line(name, key) != ", ".join(f"{k} = {json.dumps(v)}" for k, v in said.field[key].items())]
        self.assertGreater(len(masks), 90)
        self.assertEqual(missed, ["mlx5dv_sig_block_attr.check_mask", "mlx5dv_sig_block_attr.copy_mask"])

    def test_forms(self) -> None:
        numbers = [(f.name, f"{s.name}.{f.name}") for s in self.api.structs().values() for f in s.fields if f.kind in ("uint", "int") and f.count is None]
        guessed = {key: form for name, key in numbers if (form := self.guesses._form(name)) != "plain"}
        right = [key for key, form in guessed.items() if {**self.said.name.get(key.partition(".")[2], {}), **self.said.field.get(key, {})}.get("form") == form]
        self.assertGreater(len(right), 80)
        self.assertLess(len(guessed) - len(right), 12)


class Named(InFolder):
    def told(self, text: str, skip: str = "") -> list[str]:
        """What is said of a header, by name."""
        self.put("acme.h", text)
        api = merge.merge([scan([groups.HeaderGroup("acme", ["acme.h"], "libacme.so.1")], scan_tree(self.folder), 44)], ["acme"])
        found = Remarks()
        add_named(api, lore.load(api, self.put("lore/one.toml", f"[skip]\n{skip}").parent), News(44), found)
        return [f"{r.name}: {r.what}" for r in found.said]

    def test_a_variable_is_to_decide_until_lore_says_why_there_is_nothing_for_it(self) -> None:
        text = "struct acme_ops { int a; };\nextern const struct acme_ops acme_one;\nextern int acme_two;"
        self.assertEqual(self.told(text), ["acme_one: a variable, const struct acme_ops: nothing stands for it",
                                           "acme_two: a variable, int: nothing stands for it"])
        self.assertEqual(self.told(text, 'acme_two = "no business"'), ["acme_one: a variable, const struct acme_ops: nothing stands for it"])
        self.assertEqual(self.told(text, 'acme_two = "no business"\nacme_ops = "providers"'), [])

    def test_lore_about_a_variable_that_is_not_there_is_refused(self) -> None:
        self.assertIn("one.toml:2: acme_tow: no such item\n  did you mean acme_two?",
                      self.fails(lambda: self.told("extern int acme_two;", 'acme_tow = "no business"')))

    def test_a_typedef_is_noted(self) -> None:
        self.assertEqual(self.told("typedef unsigned int acme_t;"),
                         ["acme_t: a typedef of unsigned int: fields and parameters that have it are what it stands for"])


class Renamed(unittest.TestCase):
    def test_a_parameter_that_newer_headers_call_otherwise_is_noted(self) -> None:
        def facts(release: int, name: str) -> Facts:
            return Facts(release, {"acme": Group("acme", ["acme.h"], calls={"acme_notify": Call("acme_notify", "acme.h", "inline", "int", [Param(name, "int")])})})

        api, found = merge.merge([facts(44, "event"), facts(65, "what")], ["acme"]), Remarks()
        CallRemarks(api, lore.Lore(), [], Objects(), News(65, [facts(44, "event")]), found, set()).add()
        self.assertEqual([(r.name, r.what, r.note) for r in found.said],
                         [("acme_notify.event", "newer headers call it what; lore, and what is made of it, go on with event", True)])


class Lost(unittest.TestCase):
    def told(self, *releases: tuple[int, list[str]], until: dict[str, int] | None = None) -> list[str]:
        """What is said of a function that takes these parameters in some releases, and is beside another."""
        def facts(release: int, names: list[str]) -> Facts:
            calls = [Call("acme_other", "acme.h", "inline", "int"), *([Call("acme_notify", "acme.h", "inline", "int", [Param(n, "int") for n in names])] if names else [])]
            return Facts(release, {"acme": Group("acme", ["acme.h"], calls={c.name: c for c in calls})})

        api, found = merge.merge([facts(*r) for r in releases], ["acme"]), Remarks()
        CallRemarks(api, lore.Lore(until=until or {}), [], Objects(), News(65, [facts(*releases[0])]), found, set()).add()
        return [f"{r.what}: {r.table} {r.write}" for r in found.said if not r.note]

    def test_what_takes_something_else_is_to_decide(self) -> None:
        """Its methods are lost with the release that changed it, until lore says that this is known."""
        changed = (44, ["event"]), (65, ["event", "port"])
        self.assertEqual(self.told(*changed), ["releases after 44 declare it otherwise: what stands for it is -EOPNOTSUPP there: until acme_notify = 44"])
        self.assertEqual(self.told(*changed, until={"acme_notify": 44}), [])
        self.assertEqual(self.told((44, ["event"]), (65, ["what"])), [])

    def test_so_is_what_is_gone(self) -> None:
        self.assertEqual(self.told((44, ["event"]), (65, [])), ["releases after 44 do not have it: what stands for it is -EOPNOTSUPP there: until acme_notify = 44"])


class Exported(InFolder):
    def of(self, told: list[str], library: str = "") -> lore.Lore:
        self.put("acme.h", "struct acme;\nstruct acme *acme_create(int n);\nint acme_destroy(struct acme *a);\n")
        facts = scan([groups.HeaderGroup("acme", ["acme.h"], "libacme.so.1")], scan_tree(self.folder), 44)
        facts.told = told
        facts.groups["acme"].calls["acme_destroy"].library = "libacme.so.1"
        facts.groups["acme"].calls["acme_create"].library = library
        path = self.put("lore/one.toml", '[object]\nacme = { raw = "acme", create = "acme_create", destroy = "acme_destroy" }\n')
        return lore.load(merge.merge([facts], ["acme"]), path.parent)

    def test_a_kind_that_nobody_could_link_with_is_refused(self) -> None:
        self.assertIn("one.toml:2: acme: create: acme_create: no library exports it", self.fails(lambda: self.of(["libacme.so.1"])))

    def test_headers_alone_do_not_tell(self) -> None:
        self.assertIn("acme", self.of([]).object)
        self.assertIn("acme", self.of(["libother.so.1"]).object)
        self.assertIn("acme", self.of(["libacme.so.1"], "libacme.so.1").object)


class Quiet(InFolder):
    def test_quiet_is_a_count(self) -> None:
        """A build says no more than that there is something."""
        tree = Tree(self.folder / "head ers")
        tree.append(VERBS, "int ibv_probe(int x);")
        of = ["--headers", tree.root, "--release", NEXT, "--symbols", self.put("libibverbs.map", "IBVERBS_1.14 { global: ibv_other; };\n")]
        status, _, said = gen("emit", "--quiet", "--code", *of, "--output", self.folder / "out")
        self.assertEqual(status, 0)
        self.assertRegex(said, r"^1 to decide, \d+ noted: ./dev report .*\n\d+ files written, 0 removed\n$")
        listed = shlex.split(said.partition(": ./dev ")[2].partition(" lists")[0])
        self.assertEqual(listed, ["report", *map(str, of)])
        self.assertRegex(gen(*listed)[2], "^1 to decide")

    def test_the_committed_facts_leave_nothing_to_decide(self) -> None:
        status, out, said = gen("report")
        self.assertEqual((status, out), (0, ""))
        self.assertRegex(said, r"^0 to decide, \d+ noted: --all lists these as well\n$")


class Headers(InFolder):
    def told(self, symbols: str = "", **headers: str) -> list[str]:
        for name, text in headers.items():
            self.put(f"infiniband/{name}.h", text)
        told = Remarks()
        path = self.put("groups.toml", '[unread]\n"infiniband/umad*.h" = "of libibumad"\n')
        found = [groups.HeaderGroup("acme", ["infiniband/acme.h"], "libacme.so.1", prefix="acme_"),
                 groups.HeaderGroup("slow_dv", ["infiniband/slow_dv.h"], "libslow.so.1", "providers", prefix="slow_dv_", word="slow", provider="libslow")]
        unread.add(self.folder, path, found, told, 66, [self.put("symbols", symbols)] if symbols else ())
        return [f"{r.name}: {r.write}" for r in told.said]

    def test_one_that_a_group_includes_is_for_the_group(self) -> None:
        self.assertEqual(self.told(acme="#include <infiniband/more.h>\n/* #include <infiniband/no.h> */\n#include <infiniband/no.h>", more=""),
                         ['infiniband/more.h: headers = ["infiniband/acme.h", "infiniband/more.h"]\nnewer = { "infiniband/more.h" = 66 }'])

    def test_one_that_nothing_includes_is_a_group(self) -> None:
        self.assertEqual(self.told(acme="", **{"new-ops": ""}), [
            'infiniband/new-ops.h: new_ops = { headers = ["infiniband/new-ops.h"], library = "libacme.so.1", first = 66, prefix = "new_ops_" }'])

    def test_one_that_is_called_as_those_of_vendors_is_one(self) -> None:
        self.assertEqual(self.told(acme="", **{"fast_dv": "int fast_dv_go(void);"}), [
            'infiniband/fast_dv.h: fast_dv = { headers = ["infiniband/fast_dv.h"], library = "libfast.so.1", package = "providers", first = 66, '
            'prefix = "fast_dv_", word = "fast", provider = "libfast" }'])

    def test_a_group_that_is_a_vendors_has_a_provider(self) -> None:
        self.put("infiniband/acme.h", "")
        vendor = groups.HeaderGroup("slow_dv", ["infiniband/slow_dv.h"], "libslow.so.1", "providers", prefix="slow_dv_", word="slow", provider="libslow")
        for name, package, asked in (("fast_dv", "", True), ("fast", "providers", True), ("fast", "", False)):
            told = Remarks()
            unread.add(self.folder, self.put("groups.toml", ""), [vendor, groups.HeaderGroup(name, ["infiniband/acme.h"], "libfast.so.1", package)], told, 66)
            self.assertEqual([(r.name, r.table, r.write) for r in told.unsettled], [(f"group.{name}", f"group.{name}", 'provider = "libfast"')] if asked else [])

    def test_a_vendor_may_have_two_words(self) -> None:
        self.assertEqual(self.told(acme="", **{"very_fast_dv": "int very_fast_dv_go(void);"}), [
            'infiniband/very_fast_dv.h: very_fast_dv = { headers = ["infiniband/very_fast_dv.h"], library = "libvery_fast.so.1", package = "providers", first = 66, '
            'prefix = "very_fast_dv_", word = "veryfast", provider = "libvery_fast" }'])

    def test_the_library_is_the_one_that_exports_its_functions(self) -> None:
        symbols = "libother.so.1 acme #MINVER#\n other_dv_go@OTHER_1 66\n other_dv_stop@OTHER_1 66\nlibacme.so.1 acme #MINVER#\n acme_go@ACME_1 44\n"
        said = 'library = "libother.so.1", package = "providers", first = 66, prefix = "other_dv_"'
        self.assertEqual(self.told(symbols, acme="", **{"fast_dv": "int other_dv_go(void);\nint other_dv_stop(void);\nint acme_go(void);"}), [
            f'infiniband/fast_dv.h: fast_dv = {{ headers = ["infiniband/fast_dv.h"], {said}, word = "fast", provider = "libother" }}'])
        self.assertEqual(self.told(symbols, acme="", **{"fast_dv": "int acme_go(void);"}), [
            'infiniband/fast_dv.h: fast_dv = { headers = ["infiniband/fast_dv.h"], library = "libacme.so.1", first = 66 }'])

    def test_of_the_headers_of_all_releases_that_are_here_each_is_read_or_not_for_a_reason(self) -> None:
        told, found = Remarks(), groups.load()
        for release in RELEASES:
            header_tree(release)
        for folder in releases.default_cache().glob("[0-9][0-9]"):
            unread.add(folder / "usr/include", groups.GROUPS, found, told, int(folder.name))
        self.assertEqual(told.said, [])

    def test_none_of_a_vendor_is_unread_as_it_begins_like_one_that_is(self) -> None:
        of_vendors = {f"infiniband/{name}.h" for name in ("acmedv", "acm_ext", "cmd_dv", "ibnetdiscdv", "maddv", "mad_ext", "umadeupdv", "driverdv")}
        for name in of_vendors:
            self.put(name, "")
        self.assertEqual(set(unread.headers_of(self.folder, groups.GROUPS, groups.load())), of_vendors)

    def test_what_the_groups_say_of_is_not_told(self) -> None:
        self.assertEqual(self.told(acme="#include <infiniband/umad_sa.h>", umad_sa="", umad=""), [])


class NewThings(unittest.TestCase):
    def test_of_the_newest_release_or_of_no_committed_one(self) -> None:
        news = News(65, [release(44, Call("old", "a.h", "extern"), Struct("s", "a.h", 4))])
        call = Call("old", "a.h", "extern", since=44)
        self.assertFalse(news.call(call))
        self.assertTrue(news.call(Call("backported", "a.h", "extern", since=44)))
        call.since = 65
        self.assertTrue(news.call(call))
        self.assertTrue(news.field(Struct("s", "a.h", 8, since=44), "more", 44))
        self.assertFalse(News(65).call(Call("old", "a.h", "extern", since=44)))


if __name__ == "__main__":
    unittest.main()
