# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""Fields of MADs: what lore may say of them, and what becomes of it."""

from __future__ import annotations

from gen.files import tomlfile
from gen.paths import LORE
from gen.plan.enums.mads import plan_mads
from tests.gen.project import OfLore

# The ComponentMasks of the InfiniBand Architecture Specification, 15.2.5.16 and 15.2.5.17, whose bits follow the fields, reserved ones too.
PATH_RECORD = """ServiceID8MSB ServiceID56LSB DGID SGID DLID SLID RawTraffic - FlowLabel HopLimit TClass Reversible NumbPath P_Key QoSClass SL
    MTUSelector MTU RateSelector Rate PacketLifeTimeSelector PacketLifeTime Preference""".split()
MC_MEMBER_RECORD = """MGID PortGID Q_Key MLID MTUSelector MTU TClass P_Key RateSelector Rate PacketLifeTimeSelector PacketLifeTime SL FlowLabel
    HopLimit Scope JoinState ProxyJoin""".split()


class Mads(OfLore):
    header = "enum acme_state { ACME_UP, ACME_DOWN };\n"

    def refused(self, entry: str, words: str) -> None:
        self.refused_at(2, f"[mad]\n{entry}\n", words)

    def test_fields_become_enumerators_with_their_places(self) -> None:
        [table] = plan_mads(self.load("[mad]\nMCThing = { SomeGID = [0, 128, 3], P_Key = [132, 4] }\n[mad_record]\nMCThing = 7"))
        self.assertEqual((table.enumerator, table.attribute), ("VX_MC_THING", 7))
        self.assertEqual([(f.enumerator, f.offset, f.width, f.component) for f in table.fields],
                         [("VX_MC_THING_SOME_GID", 0, 128, 3), ("VX_MC_THING_P_KEY", 132, 4, 0xff)])

    def test_a_place_has_an_offset_and_a_width(self) -> None:
        self.refused("Thing = { A = [0] }", "A: must be an offset, a width and")
        self.refused("Thing = { A = [0, 8, 1, 1] }", "A: must be an offset, a width and")
        self.refused("Thing = { A = [-1, 8] }", "-1: must be a place in a MAD")

    def test_what_is_no_number_is_a_gid(self) -> None:
        for place in ("[0, 0]", "[0, 65]", "[4, 128]", "[4, 64]"):
            self.refused(f"Thing = {{ A = {place} }}", "neither a number of up to 64 bits nor a GID")

    def test_bits_are_of_one_field(self) -> None:
        self.refused("Thing = { A = [0, 8], B = [7, 2] }", "B: bit 7 is of A")
        self.refused("Thing = { A = [0, 8, 1], B = [8, 8, 1] }", "B: 1: no bit of a ComponentMask that is its own")
        self.refused("Thing = { A = [0, 8, 64] }", "A: 64: no bit of a ComponentMask")

    def test_a_record_has_fields_and_an_attribute_of_its_own(self) -> None:
        self.refused_at(2, "[mad_record]\nThing = 7\n[mad]\nThings = { A = [0, 8] }", "Thing: [mad] has no fields of it")
        self.refused_at(3, "[mad_record]\nThing = 7\nOther = 7\n", "Other: 7: another record has this AttributeID")

    def test_components_are_those_of_the_specification(self) -> None:
        mads = tomlfile.load(LORE / "sa.toml").data["mad"]
        for record, names in (("PathRecord", PATH_RECORD), ("MCMemberRecord", MC_MEMBER_RECORD)):
            with self.subTest(record):
                self.assertEqual({name: place[2] for name, place in mads[record].items()}, {n: i for i, n in enumerate(names) if n != "-"})
