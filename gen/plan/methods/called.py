# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""What methods are called, and which have to be called otherwise, as something else has their name."""

from __future__ import annotations

from itertools import chain

from ...api import own
from ...api.facts import Call
from ...know.groups import HeaderGroup
from ..model.method import Method
from ..model.object import Objects
from ..model.tables import Tables


class Names(Tables):
    def each_has_its_name(self, plan: Objects) -> None:
        """No two methods, and none and a function that is there without them, are of one name. What a rule calls so later than others is no method."""
        made = {f"vx_{name}_{verb}" for name, e in self.entries.items() for verb in (*own.EVERY_KIND_HAS, *e.get("other", {}))}
        taken = {name: "libverbsx has one for itself" for name in own.private()[0]}
        taken |= {f.name: f"verbsx/{f.header} has one" for f in own.headers().functions} | {name: "every such kind has one" for name in made}
        written = {*self.lore.named, *self.lore.view, *(e["call"] for e in self.lore.option.values())}
        lists = [plan.ctx, *(k.methods for k in plan.types)]
        names = taken.keys() | {m.name for methods in lists for m in methods}
        for method in sorted(chain(*lists), key=lambda m: m.since):
            before = taken.setdefault(method.name, method.call)
            if before == method.call:
                continue
            at = next((call for call in (method.call, before) if call in written and self.calls[call].since == method.since), method.call)
            other = method.call if at == before else before
            why = f"{method.name} would be its method, and {other + ' has one' if other in self.calls else other} of this name"
            if at in written:
                raise self.wrong(at, why, "[named] of lore gives it another name")
            group = self.of_group[method.call]
            verb = method.call.removeprefix(group.prefix)
            while (name := method_name(group, self.calls[method.call], self._kind_of(method), verb)) in names:
                verb += "_"
            names.add(name)
            plan.left_out[method.call] = why
            plan.clashing[method.call] = why, verb
            for methods in lists:
                methods[:] = [m for m in methods if m is not method]

    def _kind_of(self, method: Method) -> str:
        """The kind whose method a call is."""
        owner = self.calls[method.call].params[self._owner(self.calls[method.call])].what.to_a_struct
        return self.kind_of[owner]


def method_name(group: HeaderGroup, call: Call, kind: str, verb: str = "") -> str:
    """ibv_query_qp_data_in_order is vx_qp_query_data_in_order, mlx5dv_modify_qp_udp_sport vx_mlx5_qp_modify_udp_sport."""
    own = kind.removeprefix(f"{group.word}_") if group.word else kind
    stem = f"{group.word}_{own}" if group.word else kind
    return f"vx_{stem}_{verb or _verb(call.name.removeprefix(group.prefix), own)}"


def _verb(call: str, kind: str) -> str:
    """The call without the word for its kind."""
    words = call.split("_")
    own = kind.split("_")
    for i in range(len(words) - len(own) + 1):
        if words[i : i + len(own)] == own:
            return "_".join(words[:i] + words[i + len(own) :]) or call
    return call
