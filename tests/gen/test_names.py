# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""The generator's Python names nothing of rdma-core: what is so is in facts, groups and lore, where a new header finds its place."""

from __future__ import annotations

import ast
import re
import unittest
from collections.abc import Iterator
from pathlib import Path

from gen.know import groups
from gen.paths import GEN
from gen.reach import headers

WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
# What is written nevertheless, and why. Names go from here; none comes to it.
EXAMPLE = "in a message, to show what is meant"
STATES = "states, types and bits of a QP, which [transition] has without their prefix"
WRITTEN: dict[str, tuple[str, set[str]]] = {
    "reach/checkout.py": ("commands of rdma-core's build, which tell what is installed", {"rdma_library", "rdma_shared_provider"}),
    "diff/expected.py": (EXAMPLE, {"ibv_qp_attr"}),
    "know/reasons.py": (STATES, {"IBV_QPT_RC", "IBV_QP_STATE"}),
    "know/tables.py": (EXAMPLE, {"ibv_open_device"}),
}


def prefixes() -> tuple[str, ...]:
    """What names of headers begin with."""
    found = [g.prefix for g in groups.load() if g.prefix]
    return tuple(p for prefix in found for p in (prefix, prefix.upper()))


def texts(path: Path) -> Iterator[str]:
    """The texts of a module, but for what documents it."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    documenting = {id(node.body[0].value) for node in ast.walk(tree)
                   if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)) and node.body and isinstance(node.body[0], ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in documenting:
            yield node.value


def named() -> dict[str, set[str]]:
    """By module: words of its texts that the headers declare, or that begin as what they declare does; and texts that are groups or headers."""
    declared = {name for fact in headers.committed() for g in fact.groups.values() for name in (*g.calls, *g.structs, *g.enums)}
    declared |= {v.name for fact in headers.committed() for g in fact.groups.values() for e in g.enums.values() for v in e.values}
    exact = {name for g in groups.load() for name in (g.name, g.word, g.kernel, *g.headers) if name}
    begin, out = prefixes(), {}
    for path in sorted(GEN.rglob("*.py")):
        words = {w for text in texts(path) for w in WORD.findall(text) if w in declared or w.startswith(begin)}
        words |= {text for text in texts(path) if text.strip("^") in exact}
        if words:
            out[path.relative_to(GEN).as_posix()] = words
    return out


class Names(unittest.TestCase):
    maxDiff = None

    def test_nothing_of_rdma_core_is_named(self) -> None:
        self.assertEqual(named(), {module: words for module, (_, words) in WRITTEN.items()})


if __name__ == "__main__":
    unittest.main()
