# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""The functions of the public headers, and the version of libverbsx since which each is there: gen/abi/functions.toml."""

from __future__ import annotations

import re
from pathlib import Path

from ..api import own
from ..fast.record import value
from ..files import textfile, tomlfile
from ..know.values import NoNames, Place, Text
from ..paths import GEN
from . import entire

PATH = GEN / "abi/functions.toml"
HEAD = """\
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#
# Since which version of libverbsx a function is exported: its symbol's version. "now" is the version that is being worked on,
# which ./dev abi brings up to date; what is of an older one was released, stays, and is never changed.
"""
DECLARED = re.compile(r"^(VX_EXPORT|static inline|#define) [^;{(\n]*\b(vx_\w+)\(", re.MULTILINE)
EACH = {"enums.h", "parse.h", "own.h", "structs.h", "setters.h", "defaults.h"}  # several for each enum or structure: rdma-core's releases

VERSION = Text("a version such as 0.2", re.compile(r"\d+(?:\.\d+)+"))
FUNCTION = Text("a function of libverbsx", re.compile(r"vx_\w+"))
TABLES = ("now", "since")


@value
class Exports:
    now: str
    versions: dict[str, list[str]]  # oldest first; of each the functions that are new in it
    public: list[str]  # what a program may ask for by VERBSX_HAVE_


def load(path: Path = PATH) -> tuple[str, dict[str, str]]:
    """The version that is being worked on, and that of each function."""
    doc = entire.load(path, TABLES)
    VERSION.check(NoNames(), Place(doc, "", "now"), doc.data.get("now"))
    since = doc.data.get("since", {})
    if type(since) is not dict:
        raise doc.error("", "since", "since: must be a table of functions")
    for name, version in since.items():
        FUNCTION.check(NoNames(), Place(doc, "since", name), name)
        VERSION.check(NoNames(), Place(doc, "since", name), version)
        if order(version) > order(doc.data["now"]):
            raise doc.error("since", name, f"{name}: is of {version}, which is after {doc.data['now']}, the version that is being worked on", "what is new is of that; now says which it is")
    return doc.data["now"], since


def order(version: str) -> list[int]:
    return [int(part) for part in version.split(".")]


def _headers(files: dict[str, str]) -> dict[str, str]:
    """Those that were rendered, and those of the runtime, by their names."""
    texts = {Path(name).name: text for name, text in files.items() if name.endswith(".h") and "/include/" in f"/{name}"}
    return texts | {path.name: textfile.read(path) for path in own.HEADERS.glob("*.h")}


def functions(files: dict[str, str]) -> set[str]:
    """All that a program may call."""
    return {name for text in _headers(files).values() for _, name in DECLARED.findall(text)}


def declared(files: dict[str, str]) -> tuple[list[str], list[str]]:
    """The exported functions, and all public ones of which there are not several for each enum or structure."""
    found = [(name, kind) for header, text in _headers(files).items() for kind, name in DECLARED.findall(text)
             if kind == "VX_EXPORT" or header not in EACH]
    exported = sorted({name for name, kind in found if kind == "VX_EXPORT"})
    public = sorted({name for name, _ in found if not name.endswith("_sized")})
    return exported, public


def plan(files: dict[str, str], path: Path = PATH) -> Exports:
    """The version of each function; stops where one of a released version is gone."""
    now, since = load(path)
    exported, public = declared(files)
    for name, version in since.items():
        if version != now and name not in exported:
            raise tomlfile.load(path).error("since", name, f"{name}: exported since {version}, and is no more",
                                            "programs that were compiled call it: what was released stays")
    versions: dict[str, list[str]] = {}
    for name in exported:
        versions.setdefault(since.get(name, now), []).append(name)
    return Exports(now, dict(sorted(versions.items(), key=lambda item: order(item[0]))), public)


def text(exports: Exports) -> str:
    """The file, brought up to date."""
    lines = sorted((name, version) for version, names in exports.versions.items() for name in names)
    return f'{HEAD}\nnow = "{exports.now}"\n\n[since]\n' + "".join(f'{name} = "{version}"\n' for name, version in lines) + entire.END
