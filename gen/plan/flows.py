# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""The headers of flows: where each lies in the library's own filter and in rdma-core's, and what its fields are made of."""

from __future__ import annotations

from dataclasses import dataclass, field

from ..lore import Lore
from ..merge import Api

FORMS = {"mac": "MAC", "ipv4": "IPV4", "ipv6": "IPV6"}  # addresses, which are text; all else are numbers


@dataclass
class FlowField:
    name: str
    filter: str  # rdma-core's structure that it is in
    form: str  # of enum vx_flow_form
    bits: int  # of a number


@dataclass
class FlowHeader:
    type: str  # enumerator
    spec: str  # rdma-core's structure
    own: str  # the member of struct vx_flow_filter
    fields: list[FlowField] = field(default_factory=list)


def plan_flows(api: Api, lore: Lore) -> list[FlowHeader]:
    structs, out = api.structs(), []
    for name, entry in lore.flow.items():
        header = FlowHeader(f"IBV_FLOW_SPEC_{name}", f"ibv_flow_spec_{entry['of']}", entry.get("as", entry["of"]))
        spec = structs.get(header.spec)
        value = next((f for f in spec.fields if f.name == "val"), None) if spec else None
        for f in structs[value.ref].fields if value else []:
            form = FORMS.get(lore.field.get(f"{value.ref}.{f.name}", {}).get("form", ""), "NUMBER")
            header.fields.append(FlowField(f.name, value.ref, form, entry.get("bits", {}).get(f.name, 8 * f.size)))
        if value:
            out.append(header)
    return out
