# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""What is generated from the headers of each release compiles against these, and agrees with what is committed."""

from __future__ import annotations

import json
import re
import shutil
import tempfile
import unittest
from argparse import Namespace
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from gen.command import planning
from gen.errors import GenError
from gen.paths import GROUPS
from gen.plan.documents.api import to_json
from gen.reach import headers
from tests.gen import vendor
from tests.gen.project import ALL, NEWEST, NEXT, RELEASES, ROOT, InFolder, compile_all, compile_public, compile_together, emit_lean, gen, header_tree


def read(path: Path) -> dict[str, Any]:
    data: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return data


def installed() -> int:
    """The release that is installed, with headers; 0 for none."""
    try:
        return headers.release_of(None)
    except GenError:
        return 0


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
    emitted: Path  # with a folder for each release
    apis: dict[int, dict[str, Any]] = {}

    @classmethod
    def setUpClass(cls) -> None:
        cls.emitted = Path(cls.enterClassContext(tempfile.TemporaryDirectory()))

    def emit(self, release: int) -> Path:
        output = self.emitted / str(release)
        status, _, said = gen("emit", "--code", "--headers", header_tree(release), "--release", str(release), "--output", output)
        self.assertEqual(status, 0, said)
        self.assertNotIn("to decide", said)
        return output

    def api(self, release: int) -> dict[str, Any]:
        """What api.json would be, made once."""
        if release not in self.apis:
            self.apis[release] = json.loads(to_json(planning.build(Namespace(headers=header_tree(release), installed=False, release=release,
                                                                             groups=GROUPS, symbols=[]))))
        return self.apis[release]

    def test_what_is_made_from_the_headers_of_a_release_compiles_against_them(self) -> None:
        for release in (RELEASES[0], NEWEST)[:2 if ALL else 1]:  # gen.mutations tries the newest, with more, and oracle.every_release all
            with self.subTest(release=release):
                said = compile_all(self.emit(release), [header_tree(release)], release,
                                   self.folder / "config")
                self.assertEqual(said, "")

    def test_what_is_committed_compiles_against_the_headers_of_each_release(self) -> None:
        for release in {*RELEASES[1:-1]} - {installed()}:  # with that the library is built, as with the oldest and the newest by tests of headers/
            with self.subTest(release=release):
                said = compile_together(ROOT / "generated", [header_tree(release)], release, self.folder / f"config{release}")
                self.assertEqual(said, "", "or sources cannot be compiled as one any more: tests/gen/together.py")

    def test_headers_of_a_vendor_who_differs_are_taken_at_their_word(self) -> None:
        tree = self.folder / "include"
        for part in ("infiniband", "rdma"):
            shutil.copytree(header_tree(44) / part, tree / part)
        verbs = tree / "infiniband/verbs.h"
        text = verbs.read_text().replace("IBV_WC_LOC_LEN_ERR,", "IBV_WC_LOC_LEN_ERR = 101,")
        verbs.write_text(text.replace("IBV_QPS_RESET,", "IBV_QPS_RESET, IBV_QPS_ACME = 55,", 1))
        emit_lean(tree, 44, self.folder / "out")
        made = names(read(self.folder / "out/api.json"), 44)
        self.assertTrue({"ibv_wc_status IBV_WC_LOC_LEN_ERR 101", "ibv_wc_status IBV_WC_LOC_QP_OP_ERR 102",
                         "ibv_qp_state IBV_QPS_ACME 55"} <= made)
        self.assertEqual(compile_all(self.folder / "out", [tree], 44, self.folder / "config"), "")

    def test_names_fields_and_functions_are_those_that_are_committed(self) -> None:
        committed = read(ROOT / "generated/api.json")
        for release in RELEASES:
            made = self.api(release)
            for what in (names, fields, calls):
                with self.subTest(release=release, what=what.__name__):
                    self.assertEqual(sorted(what(made, release) ^ what(committed, release)), [])

    def test_a_field_of_the_newest_release_is_what_is_committed_in_every_way(self) -> None:
        committed, made = read(ROOT / "generated/api.json"), self.api(NEWEST)
        keys = ("type", "kind", "form", "enum", "code", "struct", "valid", "counted_by", "is", "since")
        self.assertEqual(sorted(fields(made, NEWEST, *keys) ^ fields(committed, NEWEST, *keys)),
                         [])


class OtherTrees(InFolder):
    """Trees that are of no release, or not of the one that they are said to be."""

    maxDiff = None

    def made(self, tree: Path, release: int, compiles: bool = True) -> dict[str, Any]:
        """What is generated from a tree; it must compile against that."""
        output = self.folder / f"out{release}"
        emit_lean(tree, release, output)
        scratch = self.folder / f"config{release}"
        if compiles:
            self.assertEqual(compile_all(output, [tree], release, scratch), "")
            self.assertEqual(compile_public(output, [tree], release, scratch), "")
        return read(output / "api.json")

    def dates(self, api: dict[str, Any], struct: str) -> dict[str, int]:
        return {f["name"]: f["since"] for f in api["structs"][struct]["fields"]}

    def test_a_vendor_may_have_added_what_newer_releases_brought_and_what_none_has(self) -> None:
        tree = vendor.make(header_tree(44), header_tree(56), self.folder / "include")
        for release, active, lanes in ((NEWEST, 49, NEWEST), (44, 44, 44), (55, 49, 55), (33, 33, 33))[:4 if ALL else 1]:
            with self.subTest(release=release):
                api = self.made(tree, release)
                since = self.dates(api, "ibv_port_attr")
                self.assertEqual((since["state"], since["active_speed_ex"], since["acme_lanes"]), (33, active, lanes))
                self.assertTrue({"acme_attr", "hnsdv_context"} <= api["structs"].keys())
                self.assertNotIn("ibv_mr_init_attr", api["structs"])

    def test_a_vendor_may_have_had_by_a_name_of_newer_releases_something_else(self) -> None:
        tree = self.folder / "include"
        for part in ("infiniband", "rdma"):
            shutil.copytree(header_tree(44) / part, tree / part)
        verbs = tree / "infiniband/verbs.h"
        text = verbs.read_text(encoding="utf-8")
        at = text.rindex("#ifdef __cplusplus")
        verbs.write_text(f"""{text[:at]}struct ibv_dmah {{ struct ibv_context *context; }};
struct ibv_dmah_init_attr {{ uint64_t comp_mask; uint16_t cpu_id; struct {{ uint32_t cpu; }} tph_mem_type; void *ph; }};
struct ibv_dmah *ibv_alloc_dmah(struct ibv_context *context, struct ibv_dmah_init_attr *attr);
int ibv_dealloc_dmah(struct ibv_dmah *dmah);
{text[at:]}""", encoding="utf-8")
        self.made(tree, 44)
        status, said, _ = gen("report", "--all", "--headers", tree, "--release", "44")
        self.assertEqual(status, 0)
        for name, here, was, what in (("comp_mask", "uint64_t", "uint32_t", "it is that in"), ("cpu_id", "uint16_t", "uint32_t", "it is that in"),
                                      ("tph_mem_type", "struct", "uint8_t", "without it"), ("ph", "void *", "uint8_t", "without it")):
            what = f"struct vx_dmah_init is {what}" if what == "without it" else f"{what} struct vx_dmah_init"
            self.assertRegex(said, rf"infiniband/verbs\.h:\d+: ibv_dmah_init_attr\.{name}: is {re.escape(here)} here, and was published as {was}: {what}\n")

    def test_a_number_may_be_too_low_or_too_high(self) -> None:
        committed = read(ROOT / "generated/api.json")
        for of, said in ((NEWEST, 33), (33, NEWEST), (NEWEST, NEXT), (44, 56))[:4 if ALL else 1]:
            with self.subTest(of=of, said=said):
                made = self.made(header_tree(of), said, compiles=abs(of - said) > 12)
                self.assertEqual(set(made["structs"]), {name for name, s in committed["structs"].items() if has(s, of)})
                self.assertEqual(names(made, said), names(committed, of))

    def test_a_tree_of_a_release_may_lack_what_that_has(self) -> None:
        """As what lies in git has before it becomes the release."""
        tree = self.folder / "include"
        for part in ("infiniband", "rdma"):
            shutil.copytree(header_tree(NEWEST) / part, tree / part)
        mana = tree / "infiniband/manadv.h"
        text, pd = mana.read_text(), "\tstruct {\n\t\tstruct ibv_pd *in;\n\t\tstruct manadv_pd *out;\n\t} pd;\n"
        self.assertIn(pd, text)
        mana.write_text(text.replace(pd, ""))
        (tree / "infiniband/ionic_dv.h").unlink()
        api = self.made(tree, NEWEST)
        self.assertNotIn("pd", self.dates(api, "manadv_obj"))
        self.assertNotIn("ionic_dv_pd_set_sqcmb", api["calls"])

    def test_headers_that_all_releases_have_must_be_there(self) -> None:
        shutil.copytree(header_tree(NEWEST), self.folder / "include")
        (self.folder / "include/infiniband/efadv.h").unlink()
        status, _, said = gen("emit", "--headers", self.folder / "include", "--release", NEWEST, "--output", self.folder / "out")
        self.assertEqual(status, 2)
        self.assertIn("infiniband/efadv.h: no such header", said)


if __name__ == "__main__":
    unittest.main()
