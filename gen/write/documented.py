# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""What the public headers say of all that they declare, for tools that explain: a line each."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from ..api import own
from ..files import textfile
from ..plan import Plan
from ..plan.model.object import COMMON
from ..scan import comments
from ..scan.comments import Documented

INSTEAD = "The file to open in the place of {}. Not looked at by a program that is setuid or setgid."


def _variables(plan: Plan) -> Iterator[Documented]:
    """The variables of the environment: those of lore, and one for each library of rdma-core."""
    libraries = {plan.calls.texts[x.variable]: plan.calls.texts[x.soname] for x in plan.calls.libraries}
    said = plan.lore.variable | {name: INSTEAD.format(soname) for name, soname in libraries.items()}
    yield from (Documented("variable", name, "", "", says) for name, says in said.items())


def _terms(plan: Plan) -> Iterator[Documented]:
    yield from (Documented("term", name, "", "", says) for name, says in plan.lore.term.items())


def _handles(plan: Plan) -> Iterator[Documented]:
    """The structures that programs only see pointers to."""
    made = {k.name: (k.title, f"vx_{k.name}_create()", k.header) for k in plan.objects.all if k.type == k.name}
    for name, (title, maker, header) in {"ctx": ("an open device", "vx_ctx_open()", COMMON), **made}.items():
        says = f"Handle: {title}. {maker} makes one, and vx_close() ends it with all that depends on it."
        yield Documented("struct", f"vx_{name}", header, f"struct vx_{name}", says)


def in_headers(files: dict[str, str]) -> list[Documented]:
    """What the headers document: those that were rendered, and those of the runtime."""
    texts = {Path(name).name: text for name, text in files.items() if name.startswith("include/verbsx/")}
    texts |= {path.name: textfile.read(path) for path in own.HEADERS.glob("*.h")}
    return comments.read(texts)


def read(plan: Plan, files: dict[str, str]) -> list[Documented]:
    """What libverbsx has by name, in its headers and in the environment; fields in the order of their structure."""
    found = {item.name: item for item in [*in_headers(files), *_variables(plan), *_handles(plan), *_terms(plan)]}
    found |= {name: Documented(x.kind, name, x.header, x.declared, says) for name, says in plan.prm.words().items() if (x := found.get(name))}
    return sorted(found.values(), key=lambda item: item.name.partition(".")[0])
