# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""Reasons of lore why nothing is made of a call, that were right once."""

from __future__ import annotations

import unittest
from pathlib import Path
from unittest import mock

from gen import paths, plan
from gen.command import obsolete
from gen.files import folder
from gen.know import groups
from gen.plan import Plan
from gen.reach import known
from tests.gen.project import gen


class Reasons(unittest.TestCase):
    planned: Plan
    files: dict[str, str]

    @classmethod
    def setUpClass(cls) -> None:
        found = groups.load()
        cls.planned = plan.build(*known.read(found), found)
        headers = (paths.GENERATED / "include").rglob("*.h")
        cls.files = {path.relative_to(paths.GENERATED).as_posix(): path.read_text(encoding="utf-8") for path in headers}

    def said(self, **reasons: str) -> list[str]:
        with mock.patch.dict(self.planned.lore.method, reasons):
            return [f"{e.message}; {e.hint}" for e in obsolete.obsolete(self.planned, self.files)]

    def test_all_are_so(self) -> None:
        self.assertEqual(self.said(), [])

    def test_one_whose_function_is_no_more(self) -> None:
        self.assertEqual(self.said(ibv_fork_init="vx_fork_init()"),
                         ["ibv_fork_init: vx_fork_init(): vx_fork_init() is no more; say what is so now"])

    def test_one_of_a_call_that_makes_objects_by_now(self) -> None:
        self.assertEqual(self.said(ibv_create_cq="nobody makes a plain CQ"),
                         ["ibv_create_cq: nobody makes a plain CQ: vx_cq_create() stands for it by the rules; leave the line out"])

    def test_where_it_stands(self) -> None:
        with mock.patch.dict(self.planned.lore.method, ibv_fork_init="vx_fork_init()"):
            place, = (e.place() for e in obsolete.obsolete(self.planned, self.files))
        path, line, _ = place.split(":")
        self.assertTrue(Path(path).read_text(encoding="utf-8").splitlines()[int(line) - 1].startswith("ibv_fork_init ="))

    def test_check_tells_of_them(self) -> None:
        found = [obsolete.GenError("it was so", file="some.toml", line=7)]
        with mock.patch("gen.command.check.obsolete", return_value=found), mock.patch.object(folder, "changes", return_value=([], [], [])):
            self.assertEqual(gen("check")[:2], (1, "some.toml:7: it was so\n"))


if __name__ == "__main__":
    unittest.main()
