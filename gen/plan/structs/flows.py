# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""The types of a flow's specs: where each field lies in the library's own structure and in rdma-core's, and what it is made of."""

from __future__ import annotations


from ...api.facts import Field
from ...api.merge import Api
from ...fast.record import field, record
from ...know.model import Lore

FORMS = {"mac": "MAC", "ipv4": "IPV4", "ipv6": "IPV6"}  # addresses, which are text; of headers all else are numbers


@record
class FlowField:
    name: str
    form: str  # of enum vx_flow_form; of an action 0 or all of its name
    bits: str  # C expression: of a number its bits, of an object its kind


@record
class FlowType:
    type: str  # enumerator
    spec: str  # rdma-core's structure
    own: str  # the member of struct vx_flow_filter; "" of an action
    inner: bool  # whether IBV_FLOW_SPEC_INNER goes with it
    fields: list[FlowField] = field(default_factory=list)


def _of_header(lore: Lore, value: Field, f: Field, bits: dict[str, int]) -> FlowField:
    form = FORMS.get(lore.field.get(f"{value.ref}.{f.name}", {}).get("form", ""), "NUMBER")
    return FlowField(f.name, form, str(bits.get(f.name, 8 * f.size)) if form == "NUMBER" else "0")


def _of_action(lore: Lore, f: Field) -> FlowField:
    kind = next((entry.get("type", name) for name, entry in lore.object.items() if f.kind == "pointer" and entry.get("raw") == f.ref), "")
    return FlowField(f.name, "VX_FLOW_COUNTERS" if kind == "counters" else "0", f"VX_OBJECT_{kind.upper()}" if kind else "0")


def plan_flows(api: Api, lore: Lore) -> list[FlowType]:
    structs, out = api.structs(), []
    for name, entry in lore.flow.items():
        action, spec = "takes" in entry, structs.get(entry["of"])
        found = FlowType(name, entry["of"], entry.get("as", ""), entry.get("inner", not action))
        if spec is None:
            continue
        for f in spec.fields:
            if action and f.name in entry["takes"]:
                found.fields.append(_of_action(lore, f))
            elif not action and f.name == "val":
                found.fields += [_of_header(lore, f, inner, entry.get("bits", {})) for inner in structs[f.ref].fields]
        out.append(found)
    return out
