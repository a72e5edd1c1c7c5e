# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""Pictures of what objects go through: what lore may say, and what is drawn of it."""

from __future__ import annotations

from gen.plan.documents.pictures import Step, plan_pictures
from tests.gen.project import OfLore

HEADER = """\
enum acme_event { ACME_EVENT_BEGUN, ACME_EVENT_ENDED };
int acme_begin(int length);
int acme_end(int length);
"""


class Pictures(OfLore):
    header = HEADER

    def test_arrows_are_labelled_by_what_stands_for_a_call_and_by_short_names_of_events(self) -> None:
        lore = self.load('[picture.acme]\n"[*] -> begun" = ["acme_begin", "ACME_EVENT_BEGUN"]\n"begun -> [*]" = ["vx_close"]')
        self.assertEqual(plan_pictures(self.api(), lore, {"acme_begin": "vx_acme_begin()"}),
                         {"acme": [Step("[*]", "begun", "vx_acme_begin(), BEGUN"), Step("begun", "[*]", "vx_close()")]})

    def test_what_leads_from_a_state_to_another_is_known(self) -> None:
        self.refused_at(2, '[picture.acme]\n"a -> b" = ["acme_begn"]\n', "acme_begn: no such function")
        self.refused_at(2, '[picture.acme]\n"a - b" = ["acme_begin"]\n', "STATE -> STATE")
        self.refused_at(2, '[picture.acme]\n"a -> b" = []\n', "says nothing")
