# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""Compare generated/ with what would be written now; exit status 1 and a list where it differs, and where lore has reasons that are so no more.

  python3 -m gen check
"""

from __future__ import annotations

import argparse
import sys

from ..api import facts_schema
from ..files import folder
from ..promise import ids, json_types, shapes
from ..write import render
from . import planning
from .arguments import add_source_arguments, is_whole
from .obsolete import obsolete

add_arguments = add_source_arguments


def run(args: argparse.Namespace) -> int:
    planned = planning.build(args)
    files = render.render(planned)
    found = dict(zip(("missing", "differs", "not generated"), folder.changes(files, args.output)))
    others = [name for name in found["not generated"] if folder.is_foreign(args.output, name)]
    for what, names in found.items():
        for name in names:
            print(f"{args.output.name}/{name}: {what}" + ", nor ever was: remove it" * (name in others))
    whole = is_whole(args)
    records = (("ids", planned.ids, ids.load()), ("structs", planned.shapes, shapes.load()),
               ("json", planned.json_types, json_types.load()))
    stale = [name for name, now, was in records if whole and now != was]
    for name in stale:
        print(f"gen/abi/{name}.toml: differs")
    outdated = whole and not facts_schema.is_written()
    if outdated:
        print("docs/facts.schema.json: differs")
    wrong = list(obsolete(planned, files)) if whole else []
    for reason in wrong:
        print(reason)
    if stale or outdated or sum(map(len, found.values())) > len(others):
        print("generated/ is out of date; bring it up to date with: ./dev regen", file=sys.stderr)
        return 1
    return 1 if wrong or others else 0
