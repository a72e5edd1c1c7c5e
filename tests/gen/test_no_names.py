# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""What rdma-core calls things is lore, facts or groups: the generator's Python has none of its names."""

from __future__ import annotations

import ast
import re
import unittest

from gen.sources import GEN

NAME = re.compile(r"\W*(?:ibv?|rdma|mlx\d|efa|verbs|infiniband)(?:_|dv|/|$)[\w./]*\W*", re.IGNORECASE)
FOLDERS = {"headers": {"infiniband"}, "trees": {"infiniband", "rdma"}, "unread": {"infiniband", "rdma"}}  # where headers lie


def names(text: str) -> set[str]:
    """The texts in a module that are names of rdma-core, or patterns for them."""
    texts = {node.value for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Constant) and isinstance(node.value, str)}
    return {text for text in texts if NAME.fullmatch(text)}


class Names(unittest.TestCase):
    def test_are_in_no_module(self) -> None:
        found = {path.stem: names(path.read_text(encoding="utf-8")) for path in (*GEN.glob("*.py"), *GEN.glob("plan/*.py"))}
        self.assertEqual({name: texts for name, texts in found.items() if texts}, FOLDERS)

    def test_would_be_seen(self) -> None:
        for text in ("ibv_", "^ib_", "infiniband/verbs.h", "mlx5", "mlx5dv_qp", "verbs", "IBV_QPT_DRIVER"):
            with self.subTest(text):
                self.assertEqual(names(f"x = {text!r}\n"), {text})


if __name__ == "__main__":
    unittest.main()
