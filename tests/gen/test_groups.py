# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""A new header group is one entry: tables and printers for it, no change in any .py or template."""

from __future__ import annotations

import json
import subprocess
import tempfile
from pathlib import Path
from typing import Any

from gen.know import groups
from gen.paths import GROUPS
from tests.gen.mutations.tree import Tree
from tests.gen.project import ALL, NEWEST, NEXT, ROOT, InFolder, compile_all, copy_project, emit_lean, gen, header_tree, run_gen

VENDORS = ("efadv", "mlx4dv", "manadv", "hnsdv")

ACME = """\
#ifndef ACMEDV_H
#define ACMEDV_H
#include <stdbool.h>
#include <infiniband/verbs.h>

enum acmedv_turbo { ACMEDV_TURBO_OFF, ACMEDV_TURBO_ON, ACMEDV_TURBO_AUTO };
enum acmedv_caps { ACMEDV_CAPS_FAST = 1 << 0, ACMEDV_CAPS_TOP = 1ULL << 63 };
enum { ACMEDV_ODD = 3, ACMEDV_EVEN = 4 };

struct acmedv_far;
struct acmedv_nothing {};
struct ibv_context;

struct acmedv_attr {
	uint64_t comp_mask;
	uint8_t turbo; /* Use enum acmedv_turbo */
	uint64_t caps; /* Or'ed bits of enum acmedv_caps */
	enum acmedv_turbo typed;
	enum acmedv_state { ACMEDV_STATE_UP = 1, ACMEDV_STATE_DOWN } state;
	enum { ACMEDV_INNER_A = 5, ACMEDV_INNER_B } inner;
	unsigned int narrow:3;
	unsigned int :2;
	double ratio;
	char letter;
	bool really;
	int grid[2][3];
	char names[2][8];
	struct { int x; struct { int y; } z[2]; } points[4];
	struct acmedv_part { int n; } part;
	struct acmedv_far *far;
	union { struct { short low, high; }; int both; };
	pthread_mutex_t lock;
	void (*callback)(struct acmedv_attr *attr);
	void (*callbacks[3])(void);
	char tail[];
};

static inline int acmedv_twice(int n) { return 2 * n; }
int acmedv_query(struct ibv_context *context, struct acmedv_attr *attr);
#endif
"""
ACME_GROUP = """
[group.acmedv]
headers = ["infiniband/acmedv.h"]
library = "libacme.so.1"
"""


def without(text: str, names: tuple[str, ...]) -> str:
    """A group file less some of its groups."""
    head, *parts = text.split("\n[group.")
    return "\n[group.".join([head, *(p for p in parts if p.split("]")[0] not in names)])


class Groups(InFolder):
    def emit(self, text: str, headers: Path, compiles: bool = True) -> dict[str, Any]:
        """Emit for the groups of a file; it must compile. Gives api.json."""
        file = self.put("groups.toml", text)
        self.said = emit_lean(headers, NEWEST, self.folder / "out", "--groups", file)
        self.assertEqual(self.compiled(headers) if compiles else "", "")
        api: dict[str, Any] = json.loads((self.folder / "out/api.json").read_text())
        return api

    def compiled(self, headers: Path) -> str:
        return compile_all(self.folder / "out", [headers, header_tree(NEWEST)], NEWEST,
                           self.folder / "config")


def vendors_of(api: dict[str, Any]) -> set[str]:
    return {item["group"] for kind in ("enums", "structs",
                                       "calls") for item in api[kind].values()} & set(VENDORS)


class Vendors(Groups):
    def test_the_vendors_are_among_the_committed_groups(self) -> None:
        self.assertTrue({g.name for g in groups.load()} >= set(VENDORS))

    def test_any_of_their_entries_are_as_many_groups(self) -> None:
        whole = GROUPS.read_text(encoding="utf-8")
        headers = header_tree(NEWEST)
        for some in (VENDORS[::2], VENDORS[1::2])[:2 if ALL else 1]:
            with self.subTest(some):
                api = self.emit(without(whole, tuple(set(VENDORS) - set(some))), headers)
                self.assertEqual(vendors_of(api), set(some))
                text = (self.folder / "out/src/rdma_core.h").read_text()
                self.assertEqual({v for v in VENDORS if f"infiniband/{v}.h" in text}, set(some))

    def test_without_their_entries_nothing_is_read_of_them(self) -> None:
        """What libverbsx has promised to export of theirs stays, and says that it cannot; that it compiles, the committed facts do for."""
        text = without(GROUPS.read_text(encoding="utf-8"), VENDORS)
        self.assertEqual(vendors_of(self.emit(text, header_tree(NEWEST), ALL)), set())
        for path in (self.folder / "out/src").iterdir():
            self.assertNotIn("efadv.h", path.read_text(), path.name)

    def test_a_group_that_no_committed_facts_have(self) -> None:
        """Where nothing but these is planned of; a tree that has its headers brings their facts."""
        table = self.put("groups.toml", GROUPS.read_text() + '\n[group.acme]\nlibrary = "libacme.so.1"\nheaders = ["acme.h"]\n')
        status, _, said = gen("emit", "--groups", table, "--output", self.folder / "out")
        self.assertEqual(status, 2)
        line = table.read_text().count("\n")
        self.assertEqual(said, f"{table}:{line}: acme: acme.h: no facts are of this header\n  {groups.REFRESH}\n")

    def test_the_committed_facts_do_as_well(self) -> None:
        text = without(GROUPS.read_text(encoding="utf-8"), ("mlx5dv", *VENDORS))
        status, _, said = gen("emit", "--groups", self.put("groups.toml", text), "--output",
                              self.folder / "out")
        self.assertEqual(status, 0, said)
        api = json.loads((self.folder / "out/api.json").read_text())
        whole = json.loads((ROOT / "generated/api.json").read_text())
        self.assertEqual(*({s["group"] for s in of["structs"].values()} - {"mlx5dv", *VENDORS} for of in (whole, api)))
        self.assertEqual(self.compiled(header_tree(NEWEST)), "")


class Newer(InFolder):
    """A header that a release brings to a group that was there before."""

    HEADER = "infiniband/verbs_more.h"

    def test_older_releases_do_without(self) -> None:
        tree = Tree(self.folder / "headers")
        tree.write(self.HEADER, "#ifndef MORE_H\n#define MORE_H\n#include <infiniband/verbs.h>\nenum ibv_more { IBV_MORE_A = 7 };\n"
                                "int ibv_more(struct ibv_qp *qp, enum ibv_more how);\n#endif\n")
        project = copy_project(self.folder / "project")
        path = project / "gen/groups.toml"
        path.write_text(path.read_text().replace('"infiniband/tm_types.h"]\n', f'"infiniband/tm_types.h", "{self.HEADER}"]\n'
                                                 f'newer = {{ "{self.HEADER}" = {NEXT} }}\n', 1))
        facts = project / f"gen/facts/rdma-core-{NEXT}.json"
        run_gen(project, "scan", "--headers", tree.root, "--release", str(NEXT), "--output", facts)
        run_gen(project, "emit", "--quiet", "--code", "--output", self.folder / "out")
        text = (self.folder / "out/src/rdma_core.h").read_text()
        self.assertIn(f"#if VX_RDMA_CORE >= {NEXT}\n#include <{self.HEADER}>\n#endif\n", text)
        self.assertNotIn(f"#include <{self.HEADER}>", text.replace(f"#if VX_RDMA_CORE >= {NEXT}\n#include <{self.HEADER}>\n#endif\n", ""))
        if ALL:  # in place of all releases, which have what this one alone has
            run_gen(project, "emit", "--quiet", "--code", "--headers", header_tree(33), "--release", "33", "--output", self.folder / "old")
            self.assertNotIn(self.HEADER, (self.folder / "old/src/rdma_core.h").read_text())

    def test_that_they_do_has_to_be_said(self) -> None:
        path = self.put("groups.toml", '[group.acme]\nlibrary = "libacme.so.1"\nheaders = ["a.h", "b.h"]\n')
        said = self.fails(lambda: groups.check_known(path, groups.load(path), {"acme": {"a.h": [44, 56, 65], "b.h": [65]}}, [44, 56, 65]))
        self.assertEqual(said, f'{path}:3: acme: b.h: facts of releases before 65 are without it\n'
                               '  say in this group since when it is there: newer = { "b.h" = 65 }')
        path.write_text(path.read_text() + 'newer = { "b.h" = 60 }\n')
        groups.check_known(path, groups.load(path), {"acme": {"a.h": [44, 56, 65], "b.h": [65]}}, [44, 56, 65])


class Gone(InFolder):
    """Headers that a release has no more; in what is generated for all releases the older ones have them still."""

    HEADER = "infiniband/ionic_dv.h"

    def setUp(self) -> None:
        super().setUp()
        self.headers = Tree(self.folder / "headers").root
        (self.headers / self.HEADER).unlink()
        self.project = copy_project(self.folder / "project")

    def scan(self) -> str:
        facts = self.project / f"gen/facts/rdma-core-{NEXT}.json"
        return run_gen(self.project, "scan", "--headers", self.headers, "--release", str(NEXT), "--output", facts)

    def test_which_release_was_the_last_is_said_in_the_group(self) -> None:
        path = self.project / "gen/groups.toml"
        path.write_text(path.read_text().replace('provider = "libionic"\n', f'provider = "libionic"\nuntil = {NEWEST}\n', 1))
        self.scan()
        run_gen(self.project, "emit", "--quiet", "--code", "--output", self.folder / "out")
        self.assertIn(f"#if VX_RDMA_CORE >= 61 && VX_RDMA_CORE <= {NEWEST}\n#include <{self.HEADER}>\n#endif\n",
                      (self.folder / "out/src/rdma_core.h").read_text())
        self.assertEqual(compile_all(self.folder / "out", [self.headers], NEXT, self.folder / "config"), "")
        if ALL:  # as gen.trees has it of a release
            run_gen(self.project, "emit", "--quiet", "--code", "--headers", self.headers, "--release", str(NEXT), "--output", self.folder / "alone")
            self.assertNotIn(self.HEADER, (self.folder / "alone/src/rdma_core.h").read_text())

    def test_until_then_it_is_missed(self) -> None:
        with self.assertRaisesRegex(AssertionError, f"{self.HEADER}: no such header in .*\n.* until says in its group of gen/groups.toml which was the last"):
            self.scan()


class Folded(InFolder):
    """A header of several whose declarations went into another one of its group."""

    maxDiff = None
    HEADER, INTO = "infiniband/tm_types.h", "infiniband/verbs.h"

    def setUp(self) -> None:
        super().setUp()
        self.tree = Tree(self.folder / "headers")
        gone = self.tree.text(self.HEADER)
        (self.tree.root / self.HEADER).unlink()
        for path in self.tree.root.glob("*/*.h"):
            path.write_text(path.read_text(encoding="utf-8").replace(f"#include <{self.HEADER}>\n", ""), encoding="utf-8")
        self.tree.append(self.INTO, gone[gone.index("enum ibv_tmh_op"):gone.index("#ifdef __cplusplus\n}")])
        self.project = copy_project(self.folder / "project")

    def scan(self) -> str:
        facts = self.project / f"gen/facts/rdma-core-{NEXT}.json"
        return run_gen(self.project, "scan", "--headers", self.tree.root, "--release", str(NEXT), "--output", facts)

    def say(self, line: str) -> None:
        path = self.project / "gen/groups.toml"
        path.write_text(path.read_text().replace(f'"{self.HEADER}"]\n', f'"{self.HEADER}"]\n{line}\n', 1))

    def test_older_releases_have_it_still(self) -> None:
        self.say(f'older = {{ "{self.HEADER}" = {NEWEST} }}')
        self.scan()
        said = run_gen(self.project, "emit", "--code", "--output", self.folder / "out")
        self.assertNotIn("to decide", said)
        text = (self.folder / "out/src/rdma_core.h").read_text()
        self.assertIn(f"#if VX_RDMA_CORE <= {NEWEST}\n#include <{self.HEADER}>\n#endif\n", text)
        for headers, release in ((self.tree.root, NEXT), (header_tree(NEWEST), NEWEST), (header_tree(33), 33))[:3 if ALL else 1]:
            self.assertEqual(compile_all(self.folder / "out", [headers], release, self.folder / f"config{release}"), "")
        run_gen(self.project, "emit", "--quiet", "--code", "--headers", self.tree.root, "--release", str(NEXT), "--output", self.folder / "new")
        self.assertNotIn(self.HEADER, (self.folder / "new/src/rdma_core.h").read_text())
        if ALL:
            run_gen(self.project, "emit", "--quiet", "--code", "--headers", header_tree(33), "--release", "33", "--output", self.folder / "old")
            self.assertIn(f"#include <{self.HEADER}>\n", (self.folder / "old/src/rdma_core.h").read_text())

    def test_until_then_it_is_missed(self) -> None:
        with self.assertRaisesRegex(AssertionError, f"{self.HEADER}: no such header in .*\n.* older says in its group of gen/groups.toml which was the last"):
            self.scan()

    def test_until_is_of_all_headers_of_a_group(self) -> None:
        self.say(f"until = {NEWEST}")
        with self.assertRaisesRegex(AssertionError, f"{self.INTO}: is there in release {NEXT}, and until of group.verbs in gen/groups.toml says that {NEWEST} was the last"
                                                    " to have it\n  of one header of several that is no more, older says so"):
            self.scan()

    def test_that_it_is_gone_has_to_be_said(self) -> None:
        path = self.put("groups.toml", '[group.acme]\nlibrary = "libacme.so.1"\nheaders = ["a.h", "b.h"]\n')
        known = {"acme": {"a.h": [44, 56, 65], "b.h": [44, 56]}}
        said = self.fails(lambda: groups.check_known(path, groups.load(path), known, [44, 56, 65]))
        self.assertEqual(said, f'{path}:3: acme: b.h: facts of release 65 are without it\n'
                               '  say in this group which was the last that has it: older = { "b.h" = 56 }')
        whole = path.read_text()
        path.write_text(f'{whole}older = {{ "b.h" = 60 }}\n')
        groups.check_known(path, groups.load(path), known, [44, 56, 65])
        path.write_text(f'{whole}older = {{ "b.h" = 50 }}\n')
        self.assertIn("acme: older: facts of release 56 are of b.h\n", self.fails(lambda: groups.check_known(path, groups.load(path), known, [44, 56, 65])))


class Acme(Groups):
    """All ask the same, which is made by the first of them."""

    made: dict[str, Any] = {}

    def setUp(self) -> None:
        if not Acme.made:
            self.make()
        self.__dict__.update(Acme.made)

    def make(self) -> None:
        self.folder = Path(self.enterClassContext(tempfile.TemporaryDirectory()))
        self.headers = self.put("include/infiniband/acmedv.h", ACME).parent.parent
        for folder in ("infiniband", "rdma"):
            for path in (header_tree(NEWEST) / folder).glob("*.h"):
                (self.headers / folder).mkdir(exist_ok=True)
                (self.headers / folder / path.name).symlink_to(path)
        self.api = self.emit(GROUPS.read_text(encoding="utf-8") + ACME_GROUP, self.headers)
        self.fields = {f["name"]: f for f in self.api["structs"]["acmedv_attr"]["fields"]}
        Acme.made = {name: getattr(self, name) for name in ("folder", "headers", "api", "fields", "said")}

    def test_enums_with_and_without_a_tag_have_tables(self) -> None:
        enums = {n: e["kind"] for n, e in self.api["enums"].items() if e["group"] == "acmedv"}
        self.assertEqual(enums, {"acmedv_turbo": "values", "acmedv_caps": "flags", "acmedv_odd": "values",
                                 "acmedv_state": "values", "acmedv_inner": "values"})

    def test_enums_that_nobody_knew_are_found_by_their_names(self) -> None:
        self.assertIn('#define VX_ENUM_OF_acmedv_turbo vx_enum_find("acmedv_turbo")\n', (self.folder / "out/include/verbsx/enums.h").read_text())

    def test_a_comment_gives_a_field_its_enum(self) -> None:
        self.assertEqual((self.fields["turbo"]["kind"], self.fields["turbo"]["enum"]),
                         ("enum", "acmedv_turbo"))
        self.assertEqual((self.fields["caps"]["kind"], self.fields["caps"]["enum"]), ("flags", "acmedv_caps"))

    def test_an_enum_inside_the_structure_is_that_of_its_field(self) -> None:
        self.assertEqual((self.fields["state"]["enum"], self.fields["inner"]["enum"]),
                         ("acmedv_state", "acmedv_inner"))

    def test_what_was_guessed_is_told(self) -> None:
        for guess in (r"acmedv\.h:\d+: acmedv_attr\.turbo: of acmedv_turbo, which the header's comment names",
                      r"acmedv\.h:\d+: ACMEDV_ODD: its enum has no name, and is called acmedv_odd",
                      r"acmedv\.h:\d+: acmedv_attr\.narrow: named, but not printed"):
            self.assertRegex(self.said, guess)

    def test_every_field_is_there(self) -> None:
        kinds = {name: f["kind"] for name, f in self.fields.items()}
        self.assertEqual(kinds["narrow"], "bits")
        self.assertEqual({n: kinds[n] for n in ("ratio", "letter", "really", "grid", "names", "points",
                                                "part", "far", "lock",
                                                "callback", "callbacks", "tail", "low", "high", "both")},
                         {"ratio": "bytes", "letter": "int", "really": "bool", "grid": "bytes",
                          "names": "bytes",
                          "points": "struct", "part": "struct", "far": "pointer", "lock": "bytes", "callback": "function",
                          "callbacks": "function", "tail": "string", "low": "int", "high": "int", "both": "int"})

    def test_a_declaration_of_a_known_structure_hides_nothing(self) -> None:
        self.assertEqual(self.api["structs"]["ibv_context"]["group"], "verbs")

    def test_a_program_names_and_prints_it(self) -> None:
        source = self.put("use.c", """
            #include <stdio.h>
            #include <verbsx/enums.h>
            #include <verbsx/structs.h>
            int main(void)
            {
                struct acmedv_attr a = { .turbo = 2, .caps = 1ULL << 63 | 1, .state = ACMEDV_STATE_DOWN, .inner = 6,
                                         .really = true, .points = { [1] = { .x = 7, .z = { { 8 }, { 9 } } } } };

                puts(vx_acmedv_turbo_name(1));
                vx_print(stdout, &a);
                return 0;
            }""")
        program = self.folder / "use"
        config = self.folder / "config"
        sources = [*(ROOT / "runtime/src/text").glob("*.c"), ROOT / "runtime/src/know/describe.c",
                   *(self.folder / "out/src" / f"{name}.c" for name in ("enums", "structs", "more_structs")), source]
        include = [config, self.folder / "out/include", self.folder / "out/src", ROOT / "runtime/include",
                   ROOT / "runtime/src"]
        subprocess.run(["gcc", "-std=gnu11", "-Werror", "-pthread", "-ffunction-sections", "-fdata-sections", "-Wl,--gc-sections", *(f"-I{p}" for p in include), "-isystem",
                        self.headers,
                        "-o", program, *sources, "-ldl"], check=True)
        said = subprocess.run([program], check=True, capture_output=True, text=True).stdout
        for words in ("ACMEDV_TURBO_ON\n", "ACMEDV_TURBO_AUTO (2)", "ACMEDV_CAPS_FAST|ACMEDV_CAPS_TOP",
                      "ACMEDV_STATE_DOWN (2)", "ACMEDV_INNER_B (6)", "true"):
            self.assertIn(words, said)
        inner = [line.split()[-1] for line in said.splitlines() if line.strip().startswith("y")]
        self.assertEqual(inner[2:4], ["8", "9"], said)
