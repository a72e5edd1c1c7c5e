# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""Mailboxes of commands: what lore may say of them, and what becomes of it."""

from __future__ import annotations

from gen.plan.enums.prm import ANSWER, plan_prm, plan_wqes
from tests.gen.project import OfLore

CODES = '[code.mlx5_command]\n0x400 = "MAKE_IT"\n[prm]\n'


class Mailboxes(OfLore):
    header = "enum acme_state { ACME_UP, ACME_DOWN };\n"

    def refused(self, entries: str, words: str, line: int = 4) -> None:
        self.refused_at(line, CODES + entries + "\n", words)

    def test_fields_become_enumerators_with_their_places(self) -> None:
        prm = plan_prm(self.load(CODES + 'itc = { pd = [40, 24] }\nmake_it_in = { bytes = 32, itc = ["itc", 64], other = ["itc", 128] }\nmake_it_out = { bytes = 16, n = [72, 24] }'))
        found = {f.enumerator: (f.offset, f.width, f.opcode) for layout in prm.layouts for f in layout.fields}
        self.assertEqual(found, {"VX_MLX5_ITC_PD": (40, 24, 0), "VX_MLX5_MAKE_IT_PD": (104, 24, 0x400), "VX_MLX5_MAKE_IT_OTHER_PD": (168, 24, 0x400),
                                 "VX_MLX5_MAKE_IT_OUT_N": (72, 24, ANSWER)})
        self.assertEqual(prm.commands, [("VX_MLX5_CMD_MAKE_IT", 0x400)])
        self.assertEqual([(x.name, x.size, x.opcode, x.answer) for x in prm.layouts],
                         [("itc", 0, 0, False), ("make_it_in", 32, 0x400, False), ("make_it_out", 16, 0x400, True)])

    def test_a_place_has_an_offset_and_a_width(self) -> None:
        for entry in ("a = [0]", "a = [0, 8, 1]", "a = 7", "bytes = [0, 8]"):
            self.refused(f"make_it_in = {{ {entry} }}", "must be an offset and a width, or a layout and an offset")

    def test_fields_lie_in_their_mailbox(self) -> None:
        for place in ("[0, 0]", "[0, 65]", "[8192, 1]", "[-1, 4]", "[120, 16]"):
            self.refused(f"make_it_in = {{ bytes = 16, a = {place} }}", "must be a number of up to 64 bits in it")

    def test_bits_are_of_one_field(self) -> None:
        self.refused("make_it_in = { a = [0, 8], b = [7, 2] }", "b: bit 7 is of a")
        self.refused('make_it_in = { a = [0, 8], itc = ["itc", 0] }\nitc = { b = [7, 2] }', "b: bit 7 is of a")

    def test_layouts_and_commands_are_known(self) -> None:
        self.refused('make_it_in = { a = ["itd", 0] }\nitc = { b = [7, 2] }', "itd: no such layout")
        self.refused("make_us_in = { a = [0, 8] }", "[code.mlx5_command] has no such command")


class Wqes(OfLore):
    header = "enum acme_opcode { ACME_SEND = 5 };\nstruct acme_seg { unsigned int a; };\n"

    def test_segments_become_rows_by_their_opcodes(self) -> None:
        lore = self.load('[wqe]\nACME_SEND = ["address", "acme_seg", "data"]')
        self.assertEqual(plan_wqes(lore, self.api()), [(5, ["VX_WQE_ADDRESS", "VX_WQE_STRUCT + STRUCT_acme_seg", "VX_WQE_DATA"])])

    def test_segments_are_known_and_few(self) -> None:
        self.refused_at(2, '[wqe]\nACME_SEND = ["acme_sag"]\n', "acme_sag: no such structure")
        self.refused_at(2, '[wqe]\nACME_SEND = ["data", "data", "data", "data", "data"]\n', "more than 4 segments")
