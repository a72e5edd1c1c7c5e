# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""What is to be said of functions: those that nothing stands for, and what was assumed of the others."""

from __future__ import annotations

from ...api.c_types import is_function
from ...api.facts import Call
from ...api.merge import Api
from ...know.groups import HeaderGroup
from ...know.model import Lore
from ...know.parameters import assumed_filled, is_changeable, is_opaque
from ...know.remarks import LORE, Remarks
from ...reach.news import News
from ..calls.calls import beyond_c, convention
from ..model.object import Objects
from ..structs.guesses import Guesses
from ..trace.trace import LONGER, tapped_calls
from ..trace.wrapped import wrapped_calls

CALLS = LORE.format("calls")
PARAMETERS = LORE.format("parameters")


def add_numbers(api: Api, lore: Lore, guesses: Guesses, objects: Objects, news: News, remarks: Remarks) -> None:
    """Of new calls the numbers that a trace shows as such, and which are most likely something else."""
    for call in filter(news.call, [*wrapped_calls(api, lore, objects), *tapped_calls(api, lore)]):
        for p in call.params:
            key = f"{call.name}.{p.name}"
            if p.what.is_number and not p.what.is_pointer and key not in lore.parameter and (said := guesses.of_parameter(call.name, p.name, p.type in LONGER)):
                remarks.add(call.header, key, "a number, which a trace shows as a plain one", PARAMETERS, "parameter", f'"{key}" = {{ {said} }}')


class CallRemarks:
    """Looks at each function of the groups that have objects, and at what is new of all."""

    def __init__(self, api: Api, lore: Lore, groups: list[HeaderGroup], objects: Objects, news: News, remarks: Remarks,
                 covered: set[str], told_of: frozenset[str] | None = None) -> None:
        self.api = api
        self.lore = lore
        self.groups = {g.name: g for g in groups}
        self.objects = objects
        self.news = news
        self.remarks = remarks
        self.covered = covered  # by what is said of objects
        self.told_of = told_of  # libraries of which it is known what they export; None where all are
        self.unknown: list[Call] = []  # that such a library may export
        self.structs = api.structs()
        self.handled = {lore.context, *(k.raw for k in objects.types)}

    def add(self) -> None:
        for name, group in self.api.groups.items():
            for call in group.calls.values():
                self._releases(call)
                if call.name not in self.lore.method:
                    self._reached(call, name)
                if self.news.call(call):
                    self._fails(call, self.groups[name])
                    self._fills(call)
                    self._calls_back(call)
        if self.unknown:
            self._unknown()

    def _reached(self, call: Call, group: str) -> None:
        """Whether it can be called at all, and as what."""
        if call.kind == "extern" and not call.version and not call.name.startswith("_"):
            if self.told_of is not None and self.groups[group].library not in self.told_of and self.news.call(call):
                self.unknown.append(call)
                return
            why = "" if call.name in self.covered else "internal: declared, and exported by no library"
            self._no_method(group, call, "no library exports it, so nothing stands for it", why)
        elif call.library and (why := beyond_c(call)):
            self._no_method(group, call, f"no stand-in and no method: {why}", why)
        elif group in self.objects.groups and call.name in self.objects.ruled_out - self.covered:
            why = self.objects.left_out[call.name]
            self._no_method(group, call, f"no method: {why}", why)

    def _unknown(self) -> None:
        """One remark for a tree of headers alone, which do not tell what libraries export."""
        first, *others = self.unknown
        also = f" (and {', '.join(c.name for c in others)})" if others else ""
        self.remarks.add(first.header, first.name, f"which library exports it{also} is not known of headers alone: what lore makes objects by is looked "
                         f"for when a program runs, and nothing stands for what else there is: give --symbols FILE, a .symbols file or version script of the release")

    def _no_method(self, group: str, call: Call, what: str, why: str) -> None:
        self.remarks.add(call.header, call.name, what, *((LORE.format(group), "method", f'{call.name} = "{why}"') if why else ()))

    def _fails(self, call: Call, group: HeaderGroup) -> None:
        """A number as the result may be an errno, a count or something else, which no header says."""
        if call.result == "int" and not call.name.startswith("_") and "error" not in self.lore.call.get(call.name, {}) and (call.kind == "inline" or call.version):
            how = convention(call, group, self.lore)
            self.remarks.add(call.header, call.name, f"fails as most of its header do: {how}", CALLS, "call",
                             f'{call.name} = {{ error = "{how}" }}')

    def _fills(self, call: Call) -> None:
        """A structure that is not const may be an answer or what is asked for, which no header says."""
        if call.name in self.objects.left_out or not (call.kind == "inline" or call.version):
            return
        for p in call.params:
            struct = self.structs.get(p.what.to_a_struct)
            if struct and not struct.opaque and struct.name not in self.handled and is_changeable(p) and "out" not in self.lore.parameter.get(f"{call.name}.{p.name}", {}):
                out = assumed_filled(self.lore, call, p)
                said = "what the call fills" if out else "what the call reads, so that nothing which it fills gets to the program"
                self.remarks.add(call.header, f"{call.name}.{p.name}", f"a pointer to a structure, taken for {said}", PARAMETERS, "parameter",
                                 f'"{call.name}.{p.name}" = {{ out = {str(out).lower()} }}')

    def _calls_back(self, call: Call) -> None:
        """Whether a function that a call is given, and what is passed to that, may be lacking."""
        if call.name in self.objects.left_out:
            return
        for p in call.params:
            if "optional" not in self.lore.parameter.get(f"{call.name}.{p.name}", {}) and (is_opaque(call, p) or is_function(p.type)):
                what = "what the function is given, taken for" if is_opaque(call, p) else "a function, not taken for"
                self.remarks.add(call.header, f"{call.name}.{p.name}", f"{what} one that may be NULL", PARAMETERS, "parameter",
                                 f'"{call.name}.{p.name}" = {{ optional = {str(is_opaque(call, p)).lower()} }}')

    def _releases(self, call: Call) -> None:
        """What other releases have in its place."""
        if call.until and call.name not in self.lore.until and self.api.of_tree and self.api.of_tree <= self.news.newest:
            known = ", ".join(p.type for p in call.params)
            self.remarks.add(call.header, call.name, f"takes or gives something else here than releases do, which have {call.result} ({known}): nothing stands for it with these headers", note=True)
        elif call.until and call.name not in self.lore.until:
            how = "declare it otherwise" if call.prototypes else "do not have it"
            self.remarks.add(call.header, call.name, f"releases after {call.until} {how}: what stands for it is -EOPNOTSUPP there", LORE.format("since"), "until",
                             f"{call.name} = {call.until}")
        elif call.kind == "macro":
            self.remarks.add(call.header, call.name, "newer releases have a macro in its place", note=True)
        elif call.prototypes:
            since = ", ".join(str(p.since) for p in call.prototypes[1:])
            self.remarks.add(call.header, call.name, f"declared otherwise since {since}; each release gets its own", note=True)
        for old, new in call.renamed:
            self.remarks.add(call.header, f"{call.name}.{old}", f"newer headers call it {new}; lore, and what is made of it, go on with {old}", note=True)


def add_addresses(api: Api, shown: list[tuple[str, str]], news: News, remarks: Remarks) -> None:
    """Of new calls the parameters that a trace shows no more of than where they point to."""
    calls = api.calls()
    for name, parameter in shown:
        if news.call(calls[name]):
            remarks.add(calls[name].header, f"{name}.{parameter}", "a trace shows its address alone, not what is there: a row of vx_signatures has no bit for that", note=True)
