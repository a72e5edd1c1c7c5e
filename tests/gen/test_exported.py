# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""What symbols tell of functions, and what is said and done where they do not tell."""

from __future__ import annotations

import json
import re
import shutil
import tempfile
import unittest
from pathlib import Path

from tests.gen.mutations.tree import VERBS, Tree, symbols
from tests.gen.project import NEWEST, NEXT, ROOT, compile_public, compile_text, copy_project, header_tree, run_gen

BEHIND = re.compile(r"^#(?:else|endif) *[^/\s].*", re.M)  # where a preprocessor wants nothing but a comment
INTRODUCED = re.compile(r'"introduced": \d+, ')


class Ages(unittest.TestCase):
    """Releases that lie in git have version scripts, which do not tell since when a function is there."""

    def setUp(self) -> None:
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.project = copy_project(self.folder / "project")
        self.facts = self.project / f"gen/facts/rdma-core-{NEWEST}.json"

    def test_a_release_whose_symbols_do_not_tell_is_taken_in(self) -> None:
        text = INTRODUCED.sub("", self.facts.read_text()).replace(f'"release": {NEWEST}', f'"release": {NEXT}')
        self.facts.with_name(f"rdma-core-{NEXT}.json").write_text(text)
        run_gen(self.project, "emit", "--code", "--output", self.folder / "out")

    def test_lore_may_know_a_release_between_those_of_facts(self) -> None:
        self.facts.unlink()
        run_gen(self.project, "emit", "--code", "--headers", header_tree(NEWEST), "--release", NEWEST, "--output", self.folder / "out")


class HeadersAlone(unittest.TestCase):
    """A tree without libraries, which brings functions: nobody says that none exports them."""

    def setUp(self) -> None:
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.root = self.folder / "headers"
        shutil.copytree(header_tree(NEWEST), self.root)
        verbs = self.root / "infiniband/verbs.h"
        text = verbs.read_text()
        verbs.write_text(text.replace("int ibv_destroy_srq(", "int ibv_frob_srq(struct ibv_srq *srq);\nint ibv_frob_pd(struct ibv_pd *pd);\n"
                                                              "int ibv_destroy_srq(", 1))

    def said(self, *more: str | Path) -> dict[str, list[dict[str, str]]]:
        """What is said of each of the two."""
        out = self.folder / "report.json"
        run_gen(ROOT, "report", "--headers", self.root, "--release", NEXT, *more, "--json", "--output", out)
        found = json.loads(out.read_text())
        return {name: [r for r in found if r["name"] == name] for name in ("ibv_frob_srq", "ibv_frob_pd")}

    def test_one_remark_says_that_it_is_not_known_and_no_lore_is_proposed(self) -> None:
        said = self.said()
        (remark,) = [*said["ibv_frob_srq"], *said["ibv_frob_pd"]]
        self.assertIn("which library exports it (and ibv_frob_pd) is not known", remark["what"])
        self.assertIn("--symbols FILE", remark["what"])
        self.assertNotIn("write", remark)

    def test_symbols_tell(self) -> None:
        script = self.folder / "libibverbs.so.1.map"
        script.write_text("IBVERBS_1.99 {\n\tglobal:\n\t\tibv_frob_srq;\n};\n")
        out = self.folder / "out"
        said = run_gen(ROOT, "emit", "--headers", self.root, "--release", NEXT, "--symbols", script, "--code", "--output", out)
        self.assertRegex(said, r"(?m)^    gen/lore/words.toml: \[does\] ibv_frob_srq = ")
        self.assertRegex(said, r"ibv_frob_pd: no library exports it, so nothing stands for it\n    gen/lore/verbs.toml: \[method\] ibv_frob_pd = ")
        text = "".join(p.read_text() for p in (out / "include/verbsx").glob("*.h"))
        self.assertIn("vx_srq_frob(", text)
        self.assertNotIn("vx_pd_frob(", text)


# What rdma-core could declare, and C and C++ read otherwise where it is declared again, passed on, or shown.
ODD = """
#ifndef __cplusplus
int ibv_odd_words(struct ibv_pd *pd, uint32_t class, int new, int this);
#endif
int ibv_odd_locals(struct ibv_qp *qp, int call, int args, int trace, int result, int rc);
int ibv_odd_object(struct ibv_qp *ibqp, uint32_t qp);
struct ibv_odd { uint32_t num; union ibv_gid gids[]; };
int ibv_odd_self(struct ibv_context *context, struct ibv_port_attr *ibv_odd_self);
int ibv_odd_size(struct ibv_qp *qp, struct ibv_odd *odd, size_t size);
int ibv_odd_whole(struct ibv_context *context, union ibv_gid gid, struct ibv_odd *odd);
struct ibv_gid_entry ibv_odd_given(struct ibv_context *context, uint32_t port_num);
const uint32_t ibv_odd_number(struct ibv_context *context);
struct ibv_qp *const ibv_odd_pointer(struct ibv_context *context);
int ibv_odd_functions(struct ibv_qp *qp, void (*list[2])(void), uint8_t rows[3][4], const uint32_t (*matrix)[4]);
int ibv_odd_many(struct ibv_pd *pd, int a, int b, int c, int d, int e, int f, int g, struct ibv_port_attr *last);
int ibv_odd_order(struct ibv_context *context, struct ibv_port_attr *filled, const struct ibv_qp_attr *read);
"""

# Those that nothing can stand for.
APART = """
#ifndef __cplusplus
int ibv_apart_list(struct ibv_qp *qp, int n, int list[n]);
int ibv_apart_rows(struct ibv_qp *qp, int n, int m, const int rows[n][m]);
_Noreturn void ibv_apart_for_ever(struct ibv_context *context);
#endif
int ibv_apart_end(struct ibv_qp *qp, int why) __attribute__((noreturn));
int ibv_apart_gone(struct ibv_qp *qp) __attribute__((unavailable("it is gone")));
int ibv_apart_short(struct ibv_qp *qp, int n);
#define ibv_apart_short(qp) ibv_apart_short(qp, 1)
"""
RENAMED = ("int ibv_fork_init(void);", "int ibv_fork_anew(void);\n#define ibv_fork_init ibv_fork_anew")


class Odd(unittest.TestCase):
    """Functions that libraries export, so that something stands for each that it can stand for."""

    def test_what_is_made_of_them_compiles(self) -> None:
        folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        tree, out, script = Tree(folder / "headers"), folder / "out", folder / "libibverbs.so.1.map"
        tree.append(VERBS, ODD + APART)
        tree.last_field(VERBS, "ibv_rx_hash_conf", "uint32_t odd_last;")
        tree.replace(VERBS, *RENAMED)
        tree.replace(VERBS, "IBV_QPT_DRIVER = 0xff,", "")  # conditions compare it with others of its enum
        names, apart = (sorted(set(re.findall(r"\bibv_(?:odd|apart)_\w+(?=\()", text))) for text in (ODD, APART))
        lines = "".join(f"\t\t{name};\n" for name in (*names, *apart, "ibv_fork_anew"))
        script.write_text(f"IBVERBS_1.99 {{\n\tglobal:\n{lines}}};\n")
        run_gen(ROOT, "emit", "--quiet", "--code", "--headers", tree.root, "--release", NEXT, *symbols(), "--symbols", script, "--output", out)
        loader = (out / "src/loader.c").read_text()
        self.assertEqual([name for name in (*names, "ibv_fork_anew") if f"({name})(" not in loader], [])
        self.assertEqual([name for name in apart if f"({name})(" in loader], [])
        self.assertEqual([line for path in sorted((out / "src").glob("*.c")) for line in BEHIND.findall(path.read_text())], [])
        self.assertEqual(compile_public(out, [tree.root], NEXT, folder / "config"), "")
        for source in ("loader.c", "methods.c", "trace.c"):
            self.assertEqual(compile_text(f'#include "{source}"\n', out, [tree.root], NEXT, folder / "config"), "")


if __name__ == "__main__":
    unittest.main()
