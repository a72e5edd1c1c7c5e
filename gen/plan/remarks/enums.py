# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""What those have who say something of enums, and of what structures have by them."""

from __future__ import annotations

from ...api.merge import Api
from ...know.model import Lore
from ...know.remarks import Remarks
from ..enums.enums import EnumPlan


class EnumRemarks:
    def __init__(self, api: Api, lore: Lore, enums: list[EnumPlan], remarks: Remarks) -> None:
        self.api = api
        self.lore = lore
        self.enums = {e.name: e for e in enums if not e.own}
        self.structs = api.structs()
        self.remarks = remarks
