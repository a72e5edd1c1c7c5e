# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""What reports of vendors' trees and of a new release propose, as a person pastes it: it is never refused, and settles all that was to be decided."""

from __future__ import annotations

import json
import shutil
import tempfile
import unittest
from pathlib import Path

from tests.gen.mutations.tree import VERBS, Tree
from tests.gen.project import ALL, NEXT, InFolder, compile_all, compile_public, copy_project, header_tree, run_gen

RELEASE = 44
DMAH = "struct ibv_dmah { struct ibv_context *context; };\n"
ATTR = "struct ibv_dmah_init_attr { uint32_t comp_mask; uint32_t cpu_id; uint8_t ph; uint8_t tph_mem_type; };\n"
ALLOC = "struct ibv_dmah *ibv_alloc_dmah(struct ibv_context *context, struct ibv_dmah_init_attr *attr);\n"
DEALLOC = "int ibv_dealloc_dmah(struct ibv_dmah *dmah);\n"
# What a vendor has had of what upstream brought later in another form.
TREES = {
    "a maker takes more": DMAH + ATTR + ALLOC.replace("attr)", "attr, uint32_t flags)") + DEALLOC,
    "what ends it gives nothing": DMAH + ATTR + ALLOC + DEALLOC.replace("int", "void"),
    "a call takes something else": DMAH + ATTR + ALLOC + DEALLOC + "struct ibv_mr_init_attr { uint64_t comp_mask; void *addr; uint64_t more; };\n"
                                   "struct ibv_mr *ibv_reg_mr_ex(struct ibv_pd *pd, struct ibv_mr_init_attr *attr, int more);\n",
    "fields are something else, and others are new": DMAH + ATTR.replace("uint8_t tph_mem_type", "struct { uint32_t of; } tph_mem_type; void *ph_more; uint32_t acme_flags")
                                                     .replace("uint8_t ph;", "uint64_t ph[2];") + ALLOC + DEALLOC,
    "a mask is lacking, and what a call is asked by": DMAH + ATTR.replace("uint32_t comp_mask; ", "") + ALLOC + DEALLOC + "struct ibv_mr_init_attr { uint64_t comp_mask; void *addr; };\n"
                                                      "struct ibv_mr *ibv_reg_mr_ex(struct ibv_pd *pd, struct ibv_mr_init_attr *attr);\n",
    "a call that is no more is another one": "int ibv_export_buf_dmabuf_fd(struct ibv_context *context, uint64_t offset);\nstruct ibv_buf { uint64_t offset; uint32_t handle; };\n",
}


def fill_in(lore: Path) -> None:
    lore.write_text(lore.read_text(encoding="utf-8").replace('"..."', '"What a person says."').replace('"?"', '"what a person says"'), encoding="utf-8")


class Pasted(InFolder):
    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        cls.project = copy_project(Path(cls.enterClassContext(tempfile.TemporaryDirectory())) / "project")

    def tree(self, text: str) -> Path:
        tree = self.folder / "include"
        shutil.rmtree(tree, ignore_errors=True)
        for part in ("infiniband", "rdma"):
            shutil.copytree(header_tree(RELEASE) / part, tree / part)
        verbs = tree / "infiniband/verbs.h"
        whole = verbs.read_text(encoding="utf-8")
        at = whole.rindex("#ifdef __cplusplus")
        verbs.write_text(f"{whole[:at]}{text}{whole[at:]}", encoding="utf-8")
        return tree

    def test_what_is_proposed_is_taken_and_settles_all(self) -> None:
        for n, (name, text) in list(enumerate(TREES.items()))[:None if ALL else 1]:
            for exported in (False, True) if ALL else (bool(n % 2),):
                with self.subTest(name, exported=exported):
                    self.settles(self.tree(text), text, exported)

    def settles(self, tree: Path, text: str, exported: bool) -> None:
        source: list[str | Path] = ["--headers", tree, "--release", str(RELEASE)]
        if exported:
            names = [word.rpartition("*")[2].split()[-1] for line in text.splitlines() if (word := line.partition("(")[0]) and line.endswith(");") and "{" not in line]
            source += ["--symbols", self.put("libibverbs.map", f"ACME_1 {{ global: {' '.join(f'{n};' for n in names)} }};\n")]
        lore = self.project / "gen/lore/zz_acme.toml"
        lore.unlink(missing_ok=True)
        run_gen(self.project, "report", *source, "--lore", "--output", lore)
        fill_in(lore)
        run_gen(self.project, "report", *source, "--json", "--output", self.folder / "second.json")
        left = [r for r in json.loads((self.folder / "second.json").read_text()) if "give --symbols FILE" not in r["what"]]
        self.assertEqual(left, [])
        out = self.folder / "out"
        shutil.rmtree(out, ignore_errors=True)
        run_gen(self.project, "emit", *source, "--quiet", "--code", "--output", out)
        self.assertEqual(compile_all(out, [tree], RELEASE, self.folder / "config") + compile_public(out, [tree], RELEASE, self.folder / "config"), "")


class Taken(InFolder):
    """A release that was taken in as ./dev release does it, before anything was said of it."""

    def test_nothing_was_promised_that_lines_change(self) -> None:
        tree = Tree(self.folder / "headers")
        tree.replace(VERBS, "struct ibv_qp_init_attr_ex {", "struct ibv_ring { struct ibv_context *context; uint32_t handle; };\nstruct ibv_qp_init_attr_ex {")
        tree.last_field(VERBS, "ibv_qp_init_attr_ex", "struct ibv_ring *ring;")
        tree.append(VERBS, "struct ibv_ring *ibv_create_ring(struct ibv_context *context, uint32_t size);\nint ibv_destroy_ring(struct ibv_ring *ring);")
        project = copy_project(self.folder / "project")
        symbols = self.put("libibverbs.map", "NEXT_1 { global: ibv_create_ring; ibv_destroy_ring; };\n")
        run_gen(project, "scan", "--headers", tree.root, "--release", str(NEXT), "--symbols", symbols, "--output", project / f"gen/facts/rdma-core-{NEXT}.json")
        shapes = project / "gen/abi/structs.toml"
        before = shapes.read_text(encoding="utf-8")
        run_gen(project, "emit", "--quiet")
        self.assertEqual(shapes.read_text(encoding="utf-8"), before)
        lore = project / "gen/lore/zz_new.toml"
        run_gen(project, "report", "--lore", "--output", lore)
        fill_in(lore)
        self.assertNotIn("to decide", run_gen(project, "emit"))
        self.assertRegex(shapes.read_text(encoding="utf-8"), r'(?m)^ring = \["struct vx_\w*ring \*", 144, 8\]$')
        self.assertEqual(compile_all(project / "generated", [tree.root], NEXT, self.folder / "config"), "")


if __name__ == "__main__":
    unittest.main()
