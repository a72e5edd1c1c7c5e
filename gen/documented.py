# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""What the public headers say of all that they declare, for tools that explain: a line each."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from . import comments, own, textfile
from .comments import Documented
from .plan import Plan

MAILBOXES = "verbsx/mlx5_prm.h"
COMMAND = "VX_MLX5_CMD_"
OF_ALL = {"cmd_in": "the mailbox that brings any command", "cmd_out": "the answer to any command"}
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
    made = {k.name: (k.title, f"vx_{k.name}_create()") for k in plan.objects.all if k.type == k.name}
    for name, (title, maker) in {"ctx": ("an open device", "vx_ctx_open()"), **made}.items():
        says = f"Handle: {title}. {maker} makes one, and vx_close() ends it with all that depends on it."
        yield Documented("struct", f"vx_{name}", "verbsx/objects.h", f"struct vx_{name}", says)


def _mailboxes(plan: Plan) -> Iterator[Documented]:
    """Commands of mlx5 devices, and where the fields of their mailboxes lie: what the enumerators' values say."""
    named = {opcode: name.removeprefix(COMMAND) for name, opcode in plan.prm.commands}
    for name, opcode in plan.prm.commands:
        yield Documented("enumerator", name, MAILBOXES, "enum vx_mlx5_opcode", f"{opcode:#x}: the opcode of the command {named[opcode]}")
    for layout in plan.prm.layouts:
        command = named.get(layout.opcode, "")
        place = (OF_ALL.get(layout.name) or (f"the context {layout.name.upper()}" if not command else f"the answer to {command}" if layout.answer
                                             else f"the mailbox that brings {command}"))
        for f in layout.fields:
            bits = f"bits {f.offset} to {f.offset + f.width - 1}" if f.width > 1 else f"bit {f.offset}"
            value = f.offset | f.width - 1 << 13 | f.opcode << 19  # VX_MLX5_FIELD()
            yield Documented("enumerator", f.enumerator, MAILBOXES, "enum vx_mlx5_field", f"{value:#x}: {bits} of {place}")


def in_headers(files: dict[str, str]) -> list[Documented]:
    """What the headers document: those that were rendered, and those of the runtime."""
    texts = {Path(name).name: text for name, text in files.items() if name.startswith("include/verbsx/")}
    texts |= {path.name: textfile.read(path) for path in own.HEADERS.glob("*.h")}
    return comments.read(texts)


def read(plan: Plan, files: dict[str, str]) -> list[Documented]:
    """What libverbsx has by name, in its headers and in the environment; fields in the order of their structure."""
    found = {item.name: item for item in [*in_headers(files), *_mailboxes(plan), *_variables(plan), *_handles(plan), *_terms(plan)]}
    return sorted(found.values(), key=lambda item: item.name.partition(".")[0])
