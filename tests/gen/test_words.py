# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""The words of the documentation: what lore may say, what becomes of it, and that nothing public is without."""

from __future__ import annotations

import re
import unittest
from pathlib import Path

from gen.api.facts import Field
from gen.know import groups
from gen.know.model import FORMS, Lore
from gen.plan.model.object import Objects
from gen.plan.objects.objects import plan_objects
from gen.plan.text.words import of_mask, of_parameter
from gen.reach import known
from gen.write.filters import prototype, wrap
from tests.gen.project import OfLore

PROJECT = Path(__file__).parents[2]
PUBLIC = [*PROJECT.glob("runtime/include/verbsx/*.h"), *PROJECT.glob("generated/include/verbsx/*.h")]
ALIKE = {"enums.h", "parse.h", "own.h", "structs.h", "defaults.h"}  # hundreds of the same few functions, documented once, at the beginning
DECLARED = re.compile(r"(\S*)\n(?:VX_EXPORT|static inline) [^;{]*?\b(vx_\w+)\(", re.MULTILINE)

HEADER = """\
struct acme_attr { int size; };
int acme_make(int length);
"""


def paths(fields: list[Field], before: str = "") -> list[str]:
    """Of all fields, those of members without a tag included."""
    return [path for f in fields for path in [before + f.name, *paths(f.fields, f"{before}{f.name}.")]]


class Entries(OfLore):
    header = HEADER

    def refused(self, entry: str, words: str) -> None:
        self.refused_at(2, f"{entry}\n", words)

    def test_good_ones(self) -> None:
        said = self.load('[does]\nacme_make = "Makes it."\n[says]\n'
                         '"acme_make.length" = "bytes"\n"acme_make.out" = "it"\n"acme_attr.size" = "bytes"')
        self.assertEqual(said.does, {"acme_make": "Makes it."})
        self.assertEqual(list(said.says), ["acme_make.length", "acme_make.out", "acme_attr.size"])

    def test_what_is_said_of_all_calls_that_are_called_alike(self) -> None:
        said = self.load('[says]\n"acme_m*.length" = "bytes"')
        self.assertEqual(of_parameter(said, "acme_make", "length", "size_t"), "bytes")
        self.assertEqual(of_parameter(said, "acme_open", "length", "size_t"), "")
        self.refused('[says]\n"acme_m*.lenth" = "bytes"', "acme_m*.lenth: no call of such a name has such a parameter")
        self.refused('[says]\n"acne_*.length" = "bytes"', "acne_*.length: no call of such a name has such a parameter")

    def test_what_is_named_exists(self) -> None:
        self.refused('[does]\nacme_mak = "Makes it."', "acme_mak: no such function\n  did you mean acme_make?")
        self.refused('[says]\n"acme_make.lenth" = "bytes"', "acme_make.lenth: no such parameter\n  did you mean length?")
        self.refused('[says]\n"acme_attr.siz" = "bytes"', "acme_attr.siz: no such field\n  did you mean size?")
        self.refused('[says]\n"acme_atr.size" = "bytes"', "acme_atr: no such structure\n  did you mean acme_attr?")

    def test_sentences_and_parts_of_them(self) -> None:
        self.refused('[does]\nacme_make = "makes it"', "acme_make: 'makes it': must be whole sentences")
        self.refused('[says]\n"acme_attr.size" = "bytes."', "must be words without a full stop")


    def test_forms(self) -> None:
        self.assertEqual(self.load('[form]\nhex = "in hex"').form, {"hex": "in hex"})
        self.refused('[form]\nhx = "in hex"', "hx: must be a form\n  did you mean hex?")
        self.refused('[form]\nplain = "as it is"', "plain: must be a form")


class Lines(unittest.TestCase):
    def test_a_comment_in_lines(self) -> None:
        self.assertEqual(wrap("word " * 30, " * "), " ".join(["word"] * 23) + "\n * " + " ".join(["word"] * 7))

    def test_a_declaration_ends_its_lines_between_parameters(self) -> None:
        long = ", ".join(f"struct parameter_{i:02} *p" for i in range(8))
        lines = prototype(f"int f({long});").split("\n\t")
        self.assertEqual([line[-1] for line in lines], [",", ";"])
        self.assertEqual(" ".join(lines), f"int f({long});")


class Everything(unittest.TestCase):
    """All that the headers of all releases have is documented; what is newer than that does without."""

    objects: Objects
    lore: Lore

    @classmethod
    def setUpClass(cls) -> None:
        found = groups.load()
        cls.api, cls.lore = known.read(found)
        cls.objects = plan_objects(cls.api, cls.lore, found)

    def test_forms(self) -> None:
        self.assertEqual(sorted(self.lore.form), sorted(set(FORMS) - {"plain"}))

    def test_kinds(self) -> None:
        self.assertEqual([k.name for k in self.objects.kinds if k.ways and not k.does], [])

    def test_fields(self) -> None:
        bare = [f"{k.name}.{f.name}" for k in self.objects.kinds for f in k.fields if not f.words and not k.by_hand]
        self.assertEqual(bare, [])

    def test_fields_of_what_programs_fill_or_read(self) -> None:
        tags = """ibv_qp_attr ibv_qp_cap ibv_qp_init_attr ibv_qp_init_attr_ex ibv_wc ibv_port_attr ibv_device_attr ibv_device_attr_ex
                  ibv_ah_attr ibv_global_route ibv_send_wr ibv_recv_wr ibv_sge ibv_srq_attr ibv_srq_init_attr ibv_srq_init_attr_ex
                  ibv_gid_entry ibv_mr ibv_async_event ibv_odp_caps ibv_tso_caps ibv_rss_caps ibv_packet_pacing_caps ibv_tm_caps
                  ibv_cq_moderation_caps ibv_pci_atomic_caps ibv_wq_attr ibv_modify_cq_attr ibv_moderate_cq ibv_mw_bind
                  ibv_mw_bind_info ibv_rx_hash_conf ibv_grh ibv_ece""".split()
        structs = self.api.structs()
        bare = [f"{tag}.{path}" for tag in tags for path in paths(structs[tag].fields) if f"{tag}.{path}" not in self.lore.says]
        self.assertEqual(bare, [])

    def test_masks(self) -> None:
        self.assertEqual([k.name for k in self.objects.kinds if k.selector and not k.selector_words], [])

    def test_of_a_mask_no_more_is_said_than_fields_do(self) -> None:
        """That a field sets its bit only where one guards a field."""
        key, bits = "ibv_thing.comp_mask", {"IBV_THING_A": ["a"], "IBV_THING_B": []}
        said = [of_mask(Lore(field=field, guard=guard), "ibv_thing", "comp_mask") for field, guard in
                (({}, {}), ({key: {"flags": "ibv_thing_mask"}}, {}), ({key: {"flags": "ibv_thing_mask"}}, {key: bits}))]
        self.assertEqual(said[:2], ["no bits yet, so 0", "bits of enum ibv_thing_mask, none of which a field sets"])
        self.assertIn("bits of non-zero fields are set for you", said[2])

    def test_methods(self) -> None:
        methods = [*self.objects.ctx, *(m for k in self.objects.types for m in k.methods)]
        self.assertGreater(len(methods), 30)
        self.assertEqual([m.name for m in methods if not m.does], [])
        self.assertEqual([m.name for m in methods if [p for p, _ in m.words] != m.params], [])

    def test_functions_of_public_headers(self) -> None:
        texts = [path.read_text() for path in PUBLIC if path.name not in ALIKE]
        found = [(before, name) for text in texts for before, name in DECLARED.findall(text)]
        self.assertGreater(len(found), 200)
        self.assertEqual([name for before, name in found if before != "*/" and not name.endswith("_sized")], [])


if __name__ == "__main__":
    unittest.main()
