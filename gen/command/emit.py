# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""Write generated/ from the committed facts and lore; the same bytes on every machine.

  python3 -m gen emit                                generated/ of the project
  python3 -m gen emit --installed --output DIR       from the installed headers, for these alone
  python3 -m gen emit --headers DIR --output DIR     from another tree (a folder that holds infiniband/ and rdma/)
  python3 -m gen emit --code ...                     only what is compiled, as a build with VERBSX_REGENERATE wants it
  python3 -m gen emit --groups FILE --headers DIR .. with other header groups

A file is written only when its content changes, and all or nothing: an error leaves the folder as it was.
"""

from __future__ import annotations

import sys

from ..errors import GenError
from ..fast import unchanged
from ..paths import GENERATED, real
from .arguments import add_source_arguments, is_whole, tree_options

TYPE_CHECKING = False  # typing takes a while to load
if TYPE_CHECKING:
    import argparse

    from ..know.remarks import Remarks
    from ..plan import Plan

_held: list[object] = []  # what was made last: a process ends sooner than all of it is taken apart


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_source_arguments(parser)
    parser.add_argument("--code", action="store_true", help="only what is compiled: no pages, no api.json")
    parser.add_argument("--linked", action="store_true", help="for a build that links with rdma-core's libraries: what none is known to export is refused")
    parser.add_argument("--quiet", action="store_true", help="do not list what was guessed or left out; `gen report` does")


def _emit(args: argparse.Namespace) -> None:
    from ..files import folder  # who has nothing to do does without, and what takes long to load waits for what takes longer
    from . import planning

    def use(planned: planning.Planned, say: planning.Say) -> tuple[planning.Planned, dict[str, str], Remarks, folder.Changes]:
        from ..write import pages, render

        files, said = render.render_beside(planned.plan, planned.vendors, say, pages.Pages(*planned.kept_by), code_only=args.code)
        return planned, files, said, folder.changes(files, args.output)  # while headers are still read

    planned, files, said, changes = planning.begin(args, use)
    from ..know import remarks

    written, removed = folder.write(files, args.output, changes)
    if is_whole(args) and real(args.output) == real(GENERATED):
        _write_records(planned.plan())
    if not args.quiet:
        for line in remarks.text(said.unsettled):
            print(line, file=sys.stderr)
    if said.unsettled:
        print(remarks.counts_unlisted(said, tree_options(args)), file=sys.stderr)
    print(f"{written} files written, {removed} removed", file=sys.stderr)
    if is_whole(args) and not args.code and not said.unsettled:
        unchanged.leave(args.output, files)
    _held[:] = planned, files, said


def _write_records(plan: Plan) -> None:
    """What the project promises, with what is new."""
    from ..api import facts_schema
    from ..promise import ids, json_types, shapes
    from . import output

    output.write(plan.ids.text(), ids.PATH)
    output.write(shapes.text(plan.shapes), shapes.PATH)
    output.write(json_types.text(plan.json_types), json_types.PATH)
    output.write(facts_schema.text(), facts_schema.PATH)


def run(args: argparse.Namespace) -> int:
    if (args.headers or args.installed) and real(args.output) == real(GENERATED):
        raise GenError("generated/ is made from the committed facts", hint="name another folder: --output DIR")
    if args.code and real(args.output) == real(GENERATED):
        raise GenError("generated/ has more than what is compiled", hint="name another folder: --output DIR")
    if is_whole(args) and not args.code and unchanged.is_left(args.output):
        print(unchanged.SAID, file=sys.stderr)
    else:
        _emit(args)
    return 0
