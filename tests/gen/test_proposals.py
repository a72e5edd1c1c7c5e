# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""Pairs of calls that a release brings: the report has the line of lore that makes objects of them, and that line does."""

from __future__ import annotations

import json
import re
import tempfile
import unittest
from pathlib import Path
from random import Random
from typing import Any

from tests.gen.mutations.classes import CLASSES, apply
from tests.gen.mutations.tree import MLX5, VERBS, Tree
from tests.gen.project import NEXT, compile_all, compile_public, copy_project, run_gen

PAIRS = "a pair of calls that makes objects: "
WORDS = ("register", "class", "new", "linux", "call", "out", "list", "source")  # of C, of C++, of both by GNU, of what is generated, and tags of what the runtime and generated sources have for themselves
CLASHING = ("ibv_qp_query", "ibv_borrow_qp", "ibv_adopt_paced")  # the names of methods that there are
USES, OTHER = ("ibv_modify_paced", "ibv_query_paced"), "ibv_round_rate"
BESIDE = ("ibv_create_paced", "ibv_create_paired", "ibv_create_path", "ibv_create_pool", *(f"ibv_create_{word}" for word in WORDS))
HIDDEN = "mlx5dv_devx_cmd_comp_fd"  # takes a structure that headers have defined, and now only declare
ALONE = "a call that creates what nothing destroys"


class Proposed(unittest.TestCase):
    """All at once, and the lore of the report as it comes."""

    said: list[dict[str, Any]]

    @classmethod
    def setUpClass(cls) -> None:
        folder = Path(cls.enterClassContext(tempfile.TemporaryDirectory()))
        cls.tree = Tree(folder / "headers")
        cls.pairs = [s for s in CLASSES if s.startswith(PAIRS)]
        cls.expected = apply(cls.tree, [*cls.pairs, ALONE], Random(1))
        cls.tree.append(VERBS, f"""struct ibv_paced {{ struct ibv_context *context; }};
struct ibv_paced *ibv_create_paced(struct ibv_context *context);
int ibv_destroy_paced(struct ibv_paced *paced);
struct ibv_paired {{ struct ibv_context *context; }};
struct ibv_paired_attr {{ struct ibv_pd *pd; struct ibv_cq *cq; uint32_t flags; }};
struct ibv_paired *ibv_create_paired(struct ibv_context *context, struct ibv_paired_attr *attr);
int ibv_destroy_paired(struct ibv_paired *paired);
struct ibv_path {{ struct ibv_context *context; }};
struct ibv_path *ibv_create_path(struct ibv_context *context, uint32_t hops);
int ibv_destroy_path(struct ibv_path *path);
struct ibv_doorbell {{ uint32_t page; }};
struct ibv_doorbell *ibv_alloc_doorbell(struct ibv_context *context);
int ibv_free_doorbell(struct ibv_context *context, struct ibv_doorbell *doorbell);
struct ibv_pool {{ struct ibv_context *context; }};
struct ibv_pool *ibv_create_pool(struct ibv_context *context, uint32_t size);
int ibv_destroy_pool(struct ibv_pool *pool);
static inline int {CLASHING[0]}(struct ibv_qp *qp, struct ibv_qp_attr *attr) {{ return !qp || !attr; }}
static inline int {CLASHING[1]}(struct ibv_qp *qp) {{ return !qp; }}
static inline int {CLASHING[2]}(struct ibv_paced *paced) {{ return !paced; }}
static inline int {USES[0]}(struct ibv_paced *paced, int rate) {{ return paced ? rate : 0; }}
static inline int {USES[1]}(struct ibv_paced *paced) {{ return !paced; }}
static inline int {OTHER}(int rate) {{ return rate; }}
""" + "".join(f"""struct ibv_{word} {{ struct ibv_context *context; uint32_t handle; }};
struct ibv_{word} *ibv_create_{word}(struct ibv_context *context, uint32_t size);
int ibv_destroy_{word}(struct ibv_{word} *obj);
int ibv_modify_{word}(struct ibv_{word} *obj, uint32_t size);
static inline int ibv_put_{word}(struct ibv_{word} *obj, struct ibv_mr *{word}_) {{ return !obj || !{word}_; }}
""" for word in WORDS))
        cls.tree.replace(VERBS, "uint32_t\t\tmax_sge;\n\tstruct\tibv_pd", "uint32_t\t\tmax_rx_sge;\n\tstruct\tibv_pd")  # of which other kinds keep a copy
        cls.tree.replace(MLX5, "struct mlx5dv_devx_cmd_comp {\n\tint fd;\n};", f"struct mlx5dv_devx_cmd_comp;\nstatic inline int {HIDDEN}(struct mlx5dv_devx_cmd_comp *comp) "
                               "{ return !comp; }")
        cls.tree.replace(VERBS, "\tIBV_EVENT_DEVICE_SPEED_CHANGE,\n", "\tIBV_EVENT_DEVICE_SPEED_CHANGE,\n\tIBV_EVENT_LIST_FULL,\n")
        cls.tree.replace(VERBS, "\t\tstruct ibv_wq  *wq;\n", "\t\tstruct ibv_wq  *wq;\n\t\tstruct ibv_list *list;\n")
        cls.project = copy_project(folder / "project")
        cls.folder = folder
        cls.source = ("--headers", cls.tree.root, "--release", NEXT)
        run_gen(cls.project, "report", *cls.source, "--json", "--output", folder / "report.json")
        cls.said = json.loads((folder / "report.json").read_text())

    def proposed(self) -> dict[str, str]:
        return {r["name"]: r["write"] for r in self.said if r.get("table") == "object"}

    def test_each_pair_is_proposed(self) -> None:
        calls = [n for n in self.expected.names if re.search(r"_(create|alloc|open|reg)", n) and n != self.expected.names[-1]]
        self.assertEqual(len(calls), len(self.pairs))
        self.assertEqual({*calls, *BESIDE}, set(self.proposed()))

    def test_what_is_asked_of_other_kinds_is_asked_at_once(self) -> None:
        self.assertEqual([r["write"] for r in self.said if r["name"] == HIDDEN and r.get("table") == "does"], [f'{HIDDEN} = "..."'])

    def test_none_is_called_as_something_of_libverbsx(self) -> None:
        names = {call: line.partition(" = ")[0] for call, line in self.proposed().items()}
        self.assertEqual((names["ibv_create_path"], names["ibv_create_pool"]), ("verbs_path", "verbs_pool"))

    def test_events_are_about_it_by_its_name(self) -> None:
        self.assertEqual([r["write"] for r in self.said if r.get("table") == "event"], ['IBV_EVENT_LIST_FULL = "verbs_list"'])

    def test_it_says_where_it_is(self) -> None:
        for r in (r for r in self.said if not r["name"].startswith("vx_") and r.get("table") != "until"):
            with self.subTest(r["name"]):
                self.assertIn(r["name"].rpartition(".")[2].rstrip("_"), (self.tree.root / r["header"]).read_text().splitlines()[r["line"] - 1])

    def test_a_number_of_what_it_is_made_by_is_told_of_once(self) -> None:
        """Not of the init structure as well, which has it from there."""
        told = [r["name"] for r in self.said if r.get("table") == "field" and r["name"].startswith(("vx_", "ibv_paired_attr."))]
        self.assertEqual(told, ["ibv_paired_attr.flags"])

    def test_what_nothing_ends_is_no_method(self) -> None:
        name = self.expected.names[-1]
        self.assertEqual([r["table"] for r in self.said if r["name"] == name and "write" in r], ["method"])
        self.assertNotIn(name, self.emitted("plain", False))

    def test_what_takes_an_object_that_is_proposed_is_not_told_to_take_none(self) -> None:
        self.assertEqual([r["name"] for r in self.said if r["name"] in USES and r.get("table") == "method"], [])
        self.assertEqual([r["name"] for r in self.said if r["name"] == OTHER and r.get("table") == "method"], [OTHER])

    def test_a_method_whose_name_is_taken_gets_one_by_lore(self) -> None:
        told = {r["name"]: r["write"] for r in self.said if r.get("table") == "named"}
        self.assertEqual(told, {name: f'{name} = "{name.removeprefix("ibv_")}"' for name in CLASHING})

    def emitted(self, name: str, compiles: bool = True) -> str:
        """What programs may call, of headers that were generated and compiled."""
        out = self.folder / name
        run_gen(self.project, "emit", *self.source, "--quiet", "--code", "--output", out)
        self.assertEqual((compile_all(out, [self.tree.root], NEXT, self.folder / f"config-{name}") + compile_public(out, [self.tree.root], NEXT, self.folder / f"public-{name}")) if compiles else "", "")
        return "\n".join(p.read_text() for p in (out / "include/verbsx").glob("*.h")) + "".join((out / f"src/{name}.c").read_text() for name in ("objects", "rare"))

    def test_of_what_cannot_be_proposed_there_are_lines_for_both_calls(self) -> None:
        lines = next(r["write"] for r in self.said if r["name"] == "ibv_alloc_doorbell" and r["table"] == "method")
        self.assertEqual([line.partition(" = ")[0] for line in lines.split("\n")], ["ibv_alloc_doorbell", "ibv_free_doorbell"])

    def test_what_is_guessed_of_handles_is_said(self) -> None:
        what = next(r["what"] for r in self.said if r["name"] == "ibv_create_paired")
        self.assertIn('; pd and cq of attr may be NULL, unless it also says needs = ["pd", "cq"]', what)

    def test_the_lines_make_objects(self) -> None:
        lore = self.project / "gen/lore/new.toml"
        run_gen(self.project, "report", *self.source, "--lore", "--output", lore)
        self.addCleanup(lore.unlink)
        lore.write_text(lore.read_text().replace('"..."', '"What a person says."').replace('"?"', '"what a person says"'))
        run_gen(self.project, "report", *self.source, "--json", "--output", self.folder / "second.json")
        left = [r["what"] for r in json.loads((self.folder / "second.json").read_text()) if "give --symbols FILE" not in r["what"]]
        self.assertEqual(left, [])  # one round will do
        text = self.emitted("objects")
        for call, line in self.proposed().items():
            with self.subTest(call):
                kind = line.partition(" = ")[0]
                self.assertIn(f"vx_{kind}_create(", text)
                self.assertRegex(text, rf"\b{call}\(")
        for name in CLASHING:
            self.assertRegex(text, rf"\bvx_(qp|paced)_{name.removeprefix('ibv_')}\(")
        self._are_looked_for(self.folder / "objects/src")
        with self.assertRaisesRegex(AssertionError, r"gen/lore/new.toml:\d+: \w+: \w+: no library is known to export it, and this build links"):
            run_gen(self.project, "emit", *self.source, "--linked", "--quiet", "--code", "--output", self.folder / "linked")

    def _are_looked_for(self, source: Path) -> None:
        """What headers alone know cannot be linked with: the loader has it, at whatever version a library has."""
        loader, rows = (source / "loader.c").read_text(), (source / "calls.inc").read_text()
        for call in (*self.proposed(), *(name.replace("create", "destroy") for name in BESIDE)):
            with self.subTest(call):
                self.assertRegex(loader, rf"\({call}\)\(")
                self.assertRegex(rows, rf"CALL\({call}, none, LIB[A-Z0-9]+, ")


if __name__ == "__main__":
    unittest.main()
