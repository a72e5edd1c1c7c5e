# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""How gen diff tells what differs, between the releases that there are, and as a command."""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import shutil
import tempfile
import unittest
from collections.abc import Iterator
from pathlib import Path

from gen.api import facts
from gen.api.facts import Facts, Group, Macro
from gen.command import diff as command_diff
from gen.diff import changes as report, diff
from gen.errors import GenError
from gen.reach import headers
from tests.gen.test_diff import HEADER, call, enum, macro, release, struct, uint


class Rendering(unittest.TestCase):
    def setUp(self) -> None:
        old = release(44, enum("e", A=1), struct("s", 4, uint("a", 0)), call("f", "int", "int"))
        new = release(65, enum("e", A=1, B=2), struct("s", 8, uint("a", 0), uint("b", 4)), call("f", "int"))
        self.report = diff.diff(old, new)

    def test_text(self) -> None:
        self.assertEqual([" ".join(line.split()) for line in report.text(self.report).splitlines()], [
            "rdma-core 44 -> 65: 2 added, 0 removed, 2 changed",
            "for an existing caller: 2 safe, 1 recompile, 1 unsafe",
            "",
            "infiniband/verbs.h",
            "~ struct s 4 -> 8 bytes; recompile: grew at the end; "
            "nothing tells the library how much a caller has",
            "~ function f int (int) -> int (void); unsafe: prototype changed",
            "+ enumerator B e = 2; safe: new",
            "+ field s.b uint32_t at 4; safe: new"])

    def test_markdown_marks_what_is_not_safe(self) -> None:
        lines = report.markdown(self.report).splitlines()
        self.assertEqual(lines[0], "# rdma-core 44 -> 65: 2 added, 0 removed, 2 changed")
        self.assertIn("| added | enumerator | `B` | e = 2 | safe: new |", lines)
        row = "| changed | function | `f` | int (int) -> int (void) | **unsafe**: prototype changed |"
        self.assertIn(row, lines)

    def test_markdown_columns_agree(self) -> None:
        table = [line for line in report.markdown(self.report).splitlines() if line.startswith("|")]
        self.assertEqual({line.count("|") for line in table}, {6})

    def test_json(self) -> None:
        data = json.loads(report.to_json(self.report))
        self.assertEqual((data["old"], data["new"]), (44, 65))
        self.assertEqual(data["counts"], {"added": 2, "removed": 0, "changed": 2})
        self.assertEqual(data["changes"][2], {
            "header": HEADER, "kind": "enumerator", "name": "B",
            "change": "added", "verdict": "safe", "why": "new", "detail": "e = 2"})

    def test_headers_come_in_the_order_asked_for(self) -> None:
        other = Group("other", ["a.h"], macros={"M": Macro("M", "a.h", "value", 1)})
        new = release(65, macro("N", 1))
        new.groups = {"other": other, **new.groups}
        self.assertEqual(diff.diff(release(44), new).headers(), ["a.h", HEADER])
        self.assertEqual(diff.diff(release(44), new, [HEADER, "a.h"]).headers(), [HEADER, "a.h"])

    def test_no_difference_is_well_formed_too(self) -> None:
        same = diff.diff(release(44), release(44))
        self.assertEqual(json.loads(report.to_json(same))["changes"], [])
        self.assertEqual(report.text(same).count("\n"), 2)


class Releases(unittest.TestCase):
    """What is known of rdma-core itself, found again in the committed facts."""

    @classmethod
    def setUpClass(cls) -> None:
        cls.facts = {number: facts.load(path) for number, path in headers.committed_paths().items()}

    def report(self, old: int, new: int) -> report.Report:
        return diff.diff(self.facts[old], self.facts[new])

    def grown(self, old: int, new: int) -> dict[str, str]:
        changed = [c for c in self.report(old, new).changes if c.kind == "struct" and c.change == "changed"]
        return {c.name: c.detail.removesuffix(" bytes") for c in changed}

    def test_structures_that_grew_from_33_to_44(self) -> None:
        self.assertEqual(self.grown(33, 44), {
            "ibv_qp_ex": "344 -> 352", "mlx5dv_context": "104 -> 152", "mlx5dv_qp_ex": "32 -> 104"})

    def test_structures_that_grew_from_44_to_65(self) -> None:
        self.assertEqual(self.grown(44, 65), {
            "ibv_port_attr": "52 -> 56", "ibv_qp_ex": "352 -> 360", "verbs_context": "648 -> 696",
            "mlx5dv_context": "152 -> 200", "mlx5dv_context_attr": "16 -> 24", "mlx5dv_obj": "112 -> 128",
            "mlx5dv_flow_action_attr": "16 -> 24", "manadv_obj": "48 -> 64",
            "efadv_cq": "16 -> 24", "efadv_cq_init_attr": "16 -> 56", "efadv_qp_init_attr": "16 -> 24"})

    def test_growth_adds_up_over_the_release_between(self) -> None:
        self.assertEqual({*self.grown(44, 56), *self.grown(56, 65)}, set(self.grown(44, 65)))

    def test_only_reserved_room_ever_went(self) -> None:
        changes = [c for pair in ((33, 44), (44, 56), (56, 65)) for c in self.report(*pair).changes]
        self.assertEqual([(c.name, c.verdict) for c in changes if c.change == "removed"],
                         [("mlx5_wqe_ctrl_seg.rsvd", "safe"), ("efadv_device_attr.reserved", "safe")])

    def test_the_one_function_that_became_a_macro(self) -> None:
        changed = [c for c in self.report(33, 65).changes if c.kind == "function" and c.change == "changed"]
        self.assertEqual([(c.name, c.detail) for c in changed], [("mlx5dv_create_flow", "extern -> macro")])

    def test_what_existing_callers_must_look_at_from_44_to_65(self) -> None:
        care = [c for c in self.report(44, 65).changes if c.verdict != "safe"]
        self.assertEqual([(c.name, c.verdict) for c in care], [("mlx5dv_flow_action_attr", "recompile")])

    def test_backwards_what_was_added_is_gone(self) -> None:
        added = {c.name for c in self.report(44, 65).changes if c.change == "added"}
        gone = {c.name for c in self.report(65, 44).changes if c.change == "removed"}
        self.assertEqual(added, gone)


class Command(unittest.TestCase):
    def run_diff(self, *words: str) -> str:
        parser = argparse.ArgumentParser()
        command_diff.add_arguments(parser)
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            self.status = command_diff.run(parser.parse_args(words))
        return out.getvalue()

    def of(self, *facts_of: Facts) -> Iterator[str]:
        for number, item in enumerate(facts_of):
            path = Path(self.enterContext(tempfile.TemporaryDirectory())) / f"{number}.json"
            path.write_text(facts.to_json(item))
            yield str(path)

    def test_the_exit_status_says_how_much_it_matters(self) -> None:
        for old, new, status in (
                ([macro("M", 1)], [macro("M", 1)], 0), ([], [macro("M", 1)], 4), ([call("f", "int")], [call("f", "int", kind="inline")], 8),
                ([macro("M", 1)], [], 16), ([macro("M", 1)], [macro("N", 1)], 20)):
            with self.subTest(status):
                self.run_diff(*self.of(release(44, *old), release(65, *new)))
                self.assertEqual(self.status, status)

    def expecting(self, text: str) -> tuple[str, str]:
        """What is said of a macro that goes, and on the other stream, where some changes are expected."""
        path = Path(self.enterContext(tempfile.TemporaryDirectory())) / "expected.toml"
        path.write_text(text)
        err = io.StringIO()
        with contextlib.redirect_stderr(err):
            out = self.run_diff(*self.of(release(44, macro("M", 1)), release(65)), "--expected", str(path))
        return out, err.getvalue()

    def test_what_is_expected_is_only_counted(self) -> None:
        out, err = self.expecting('[expected]\n"- macro M*" = "it never worked"\n')
        self.assertIn("0 added, 0 removed, 0 changed\nfor an existing caller: 0 safe, 0 recompile, 0 unsafe\n1 more are expected\n", out)
        self.assertEqual((self.status, err), (0, ""))

    def test_what_is_expected_for_nothing_is_told_with_its_line(self) -> None:
        _, err = self.expecting('[expected]\n"- macro M" = "it never worked"\n"~ macro N" = "nor this"\n')
        self.assertEqual(self.status, 32)
        self.assertRegex(err, "expected.toml:3: ~ macro N: nothing of it changed")

    def test_what_is_expected_without_a_reason_is_refused(self) -> None:
        for text, words in (('"- macro M" = ""', "lacks the reason"), ('"- macr M" = "x"', "is no change"), ('"M" = "x"', "is no change"),
                            ('"- macro M" = 3', "lacks the reason")):
            with self.subTest(text), self.assertRaisesRegex(GenError, f"expected.toml:2: .*{words}"):
                self.expecting(f"[expected]\n{text}\n")

    def test_latest_is_the_newest_of_which_facts_are_kept(self) -> None:
        newest = max(headers.committed_paths())
        self.assertIn(f"rdma-core {newest} -> {newest}: 0 added, 0 removed, 0 changed", self.run_diff("latest", str(newest)))
        self.assertEqual(self.status, 0)

    def test_the_installed_headers_are_what_it_is_compared_with(self) -> None:
        installed = headers.release_of(None)
        self.assertIn(f"rdma-core 33 -> {installed}", self.run_diff("33"))

    def test_releases_are_named_by_number(self) -> None:
        self.assertIn("rdma-core 44 -> 65", self.run_diff("44", "65"))

    def test_verbs_come_first(self) -> None:
        self.assertEqual(self.run_diff("44", "65").split("\n\n")[1].splitlines()[0], "infiniband/verbs.h")

    def test_a_facts_file_will_do_as_well(self) -> None:
        path = str(headers.committed_paths()[65])
        self.assertEqual(self.run_diff("44", path), self.run_diff("44", "65"))

    def test_the_output_may_go_to_a_file(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "report.json"
            self.assertEqual(self.run_diff("44", "56", "--format", "json", "--output", str(path)), "")
            self.assertEqual(json.loads(path.read_text())["new"], 56)

    def test_a_release_without_facts_is_named(self) -> None:
        with self.assertRaisesRegex(GenError, "release 50, only of 33, 44, 56, 65"):
            self.run_diff("44", "50")

    def test_a_folder_of_no_known_release_is_named(self) -> None:
        with tempfile.TemporaryDirectory() as folder, self.assertRaisesRegex(GenError, "--release NN"):
            self.run_diff("44", folder)

    def test_a_folder_whose_release_is_given(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            shutil.copytree("/usr/include/infiniband", Path(folder, "infiniband"))
            shutil.copytree("/usr/include/rdma", Path(folder, "rdma"))
            installed = str(headers.release_of(None))
            self.assertIn(f"rdma-core 33 -> {installed}", self.run_diff("33", folder, "--release", installed))

    def test_a_header_of_no_group_that_comes_with_a_folder_is_told(self) -> None:
        """Nothing of it is in facts, which are of groups: what the report tells of is no surprise after a diff."""
        with tempfile.TemporaryDirectory() as folder:
            shutil.copytree("/usr/include/infiniband", Path(folder, "infiniband"))
            shutil.copytree("/usr/include/rdma", Path(folder, "rdma"))
            Path(folder, "infiniband/verbs_gid.h").write_text("struct ibv_gid_thing { int a; };\n")
            verbs = Path(folder, "infiniband/verbs.h")
            verbs.write_text(verbs.read_text().replace("#include <infiniband/verbs_api.h>", "#include <infiniband/verbs_api.h>\n#include <infiniband/verbs_gid.h>", 1))
            installed = str(headers.release_of(None))
            told = self.run_diff("installed", folder, "--release", installed)
            self.assertRegex(told, r": 1 added, 0 removed, 0 changed(?s:.*)\+ header +infiniband/verbs_gid.h +of no group: nothing of it is read; safe: new\n")
            self.assertIn(": 0 added, 0 removed, 0 changed", self.run_diff(folder, folder, "--release", installed, "--release", installed))

    def test_releases_go_with_folders(self) -> None:
        self.assertEqual(command_diff._releases(["44", "/usr"], [60]), [None, 60])
        self.assertEqual(command_diff._releases(["/usr", "/etc"], [50, 60]), [50, 60])
        self.assertEqual(command_diff._releases(["/usr", "/etc"], []), [None, None])
        with self.assertRaisesRegex(GenError, "--release is given for 1 of 2 folders"):
            self.run_diff("/usr", "/etc", "--release", "60")
        with self.assertRaisesRegex(GenError, "--release is given for 1 of 0 folders"):
            self.run_diff("44", "65", "--release", "60")

    def test_a_file_that_is_not_there_is_named(self) -> None:
        with self.assertRaisesRegex(GenError, "nosuch.json: cannot read"):
            self.run_diff("44", "nosuch.json")
        with self.assertRaisesRegex(GenError, "nosuch: cannot read"):
            self.run_diff("44", "nosuch", "--release", "66")


if __name__ == "__main__":
    unittest.main()
