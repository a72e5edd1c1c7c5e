# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""What is generated from the headers of each release compiles against these, and agrees with what is committed."""

from __future__ import annotations

import json
import shutil
import tempfile
import unittest
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.gen.project import RELEASES, ROOT, InFolder, compile_all, gen, header_tree


def read(path: Path) -> dict[str, Any]:
    data: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return data


def has(item: dict[str, Any], release: int) -> bool:
    return item.get("since", 0) <= release <= item.get("until", release)


def names(api: dict[str, Any], release: int) -> set[str]:
    """The enumerators of a release, each with its enum and value."""
    return {f"{enum} {v['name']} {v['value']}" for enum,
            e in api["enums"].items() for v in e["values"] if has(v, release)}


def members(fields: list[dict[str, Any]], release: int, path: str) -> Iterator[tuple[str, dict[str, Any]]]:
    for f in filter(lambda f: has(f, release), fields):
        yield f"{path}.{f['name']}", f
        yield from members(f.get("fields", []), release, f"{path}.{f['name']}")


def fields(api: dict[str, Any], release: int, *keys: str) -> set[str]:
    """The fields of a release, each with what it is."""
    return {" ".join([path, *(str(f.get(key, "")) for key in keys)]) for name, s in api["structs"].items()
            if has(s, release) for path, f in members(s["fields"], release, name)}


def calls(api: dict[str, Any], release: int) -> set[str]:
    return {f"{name} {c.get('version', '')} {c['errors']}" for name,
            c in api["calls"].items() if has(c, release)}


class Trees(InFolder):
    emitted: Path  # a folder for each release, made once

    @classmethod
    def setUpClass(cls) -> None:
        cls.emitted = Path(cls.enterClassContext(tempfile.TemporaryDirectory()))

    def emit(self, release: int) -> Path:
        output = self.emitted / str(release)
        if output.exists():
            return output
        status, _, said = gen("emit", "--headers", header_tree(release), "--release", str(release),
                              "--output", output)
        self.assertEqual(status, 0, said)
        self.assertNotIn("to decide", said)
        return output

    def test_what_is_made_from_the_headers_of_a_release_compiles_against_them(self) -> None:
        for release in RELEASES:
            with self.subTest(release=release):
                said = compile_all(self.emit(release), [header_tree(release)], release,
                                   self.folder / "config")
                self.assertEqual(said, "")

    def test_what_is_committed_compiles_against_the_headers_of_each_release(self) -> None:
        for release in RELEASES:
            with self.subTest(release=release):
                said = compile_all(ROOT / "generated", [header_tree(release)], release,
                                   self.folder / f"config{release}")
                self.assertEqual(said, "")

    def test_headers_of_a_vendor_who_differs_are_taken_at_their_word(self) -> None:
        tree = self.folder / "include"
        for part in ("infiniband", "rdma"):
            shutil.copytree(header_tree(44) / part, tree / part)
        verbs = tree / "infiniband/verbs.h"
        text = verbs.read_text().replace("IBV_WC_LOC_LEN_ERR,", "IBV_WC_LOC_LEN_ERR = 101,")
        verbs.write_text(text.replace("IBV_QPS_RESET,", "IBV_QPS_RESET, IBV_QPS_ACME = 55,", 1))
        status, _, said = gen("emit", "--headers", tree, "--release", "44", "--output", self.folder / "out")
        self.assertEqual(status, 0, said)
        made = names(read(self.folder / "out/api.json"), 44)
        self.assertTrue({"ibv_wc_status IBV_WC_LOC_LEN_ERR 101", "ibv_wc_status IBV_WC_LOC_QP_OP_ERR 102",
                         "ibv_qp_state IBV_QPS_ACME 55"} <= made)
        self.assertEqual(compile_all(self.folder / "out", [tree], 44, self.folder / "config"), "")

    def test_names_fields_and_functions_are_those_that_are_committed(self) -> None:
        committed = read(ROOT / "generated/api.json")
        for release in RELEASES:
            made = read(self.emit(release) / "api.json")
            for what in (names, fields, calls):
                with self.subTest(release=release, what=what.__name__):
                    self.assertEqual(sorted(what(made, release) ^ what(committed, release)), [])

    def test_a_field_of_the_newest_release_is_what_is_committed_in_every_way(self) -> None:
        committed, made = read(ROOT / "generated/api.json"), read(self.emit(RELEASES[-1]) / "api.json")
        keys = ("type", "kind", "form", "enum", "code", "struct", "valid", "counted_by", "is", "since")
        self.assertEqual(sorted(fields(made, RELEASES[-1], *keys) ^ fields(committed, RELEASES[-1], *keys)),
                         [])


if __name__ == "__main__":
    unittest.main()
