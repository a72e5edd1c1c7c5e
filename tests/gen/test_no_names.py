# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""Names of rdma-core are in lore and in groups.toml, and not in the generator's Python."""

from __future__ import annotations

import ast
import re
import unittest
from collections.abc import Iterator
from pathlib import Path

from gen.api.merge import Api, walk
from gen.know import groups
from gen.reach import known

GEN = Path(__file__).resolve().parents[2] / "gen"
LIKE = re.compile(r"\b(?:ibv|mlx\d\w*|efa|efadv|manadv|hnsdv|ionic)_|\bIBV_|(?<![a-z])verbs(?!x)|\b(?:\w+_)?qp(?:_\w+)?\b|\b(?:RC|UC|UD|XRC\w*|RAW_PACKET|DC[IT])\b")
EXAMPLE = re.compile(r"such as .*")
# What stands in Python nevertheless, by the file, and why.
ALLOWED = {
    ("know/lines.py", "vendor_err"): "a table of lore",
    ("know/model.py", "vendor_err"): "the same",
    ("know/tables.py", "vendor_err"): "the same",
    ("plan/explain/lines.py", "vendor_err"): "the same",
    ("know/model.py", "comp_mask"): "a field of our own structures, too",
    ("know/prm.py", "mlx5_command"): "a table of lore: commands are those of a device",
    ("plan/enums/prm.py", "mlx5_command"): "the same",
    ("know/reasons.py", "wq_state"): "a key of lore",
    ("know/tables.py", "wq_state"): "a key of lore",
    ("plan/remarks/values.py", "wq_state"): "a key of lore",
    ("plan/when/transitions.py", "wq_state"): "a key of lore",
    ("know/objects.py", "mlx5_field"): "a tag of our own public headers, vx_mlx5_field",
    ("know/objects.py", "mlx5_opcode"): "the same, vx_mlx5_opcode",
}


def names_of(api: Api) -> set[str]:
    """All that the headers declare; of fields and parameters those that are no plain words."""
    found: set[str] = set()
    for group in api.groups.values():
        found |= {e.name for e in group.enums.values() if e.named} | {v.name for e in group.enums.values() for v in e.values}
        found |= {*group.structs, *group.macros, *group.calls}
        found |= {f.name for s in group.structs.values() for f in walk(s.fields) if "_" in f.name}
        found |= {p.name for c in group.calls.values() for p in c.params if "_" in p.name}
    return found


def words_of(text: str) -> Iterator[str]:
    """Those of the literals and the names of a module; none of its documentation, nor of the examples in its messages."""
    tree = ast.parse(text)
    documentation = {id(node.body[0].value) for node in ast.walk(tree)
                     if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)) and node.body and isinstance(node.body[0], ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in documentation:
            yield from re.findall(r"\w+", EXAMPLE.sub("", node.value))
        elif isinstance(node, (ast.Name, ast.Attribute, ast.arg)):
            yield node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else node.arg


class Generator(unittest.TestCase):
    found: set[tuple[str, str]]

    @classmethod
    def setUpClass(cls) -> None:
        names = names_of(known.read(groups.load())[0])
        cls.found = {(str(path.relative_to(GEN)), word) for path in GEN.rglob("*.py") for word in words_of(path.read_text(encoding="utf-8"))
                     if word in names or LIKE.search(word)}

    def test_has_no_names_of_rdma_core(self) -> None:
        self.assertEqual(sorted(self.found - set(ALLOWED)), [])

    def test_what_is_allowed_is_there(self) -> None:
        self.assertEqual(sorted(set(ALLOWED) - self.found), [])


class Words(unittest.TestCase):
    def test_of_literals_and_names(self) -> None:
        self.assertEqual(sorted(words_of('f(a.b_c, "ibv_x.y", f"{d}z")')), ["a", "b_c", "d", "f", "ibv_x", "y", "z"])

    def test_none_of_documentation_and_examples(self) -> None:
        self.assertEqual(list(words_of('"""Of ibv_x."""\n"must be such as ibv_x"')), ["must", "be"])


if __name__ == "__main__":
    unittest.main()
