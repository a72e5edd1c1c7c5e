# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""Plan -> files, by Jinja2."""

from __future__ import annotations

import itertools
import operator
import re
import traceback
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import jinja2

from . import documented, exports, kept, own
from .errors import GenError
from .plan import Plan
from .plan.api import to_json
from .plan.describe import c_string
from .plan.printed import print_schema
from .plan.reference import coverage, field_lines
from .plan.words import prototype, wrapped as wrap
from .plan.wrapped import wrapped

TEMPLATES = Path(__file__).parent.parent / "templates"
SUFFIX = ".j2"
OWN_WORDS = "src/_own_words.inc.j2"  # of all that the headers document
OF_EXPORTS = ("include/verbsx/_have.h.j2", "src/_libverbsx.map.j2")  # of what all other headers declare


def _compiled() -> jinja2.FileSystemBytecodeCache | None:
    """Where compiled templates are kept from one run to the next, which takes a third off a run."""
    place = kept.folder()
    if place is None:
        return None
    cache = place / "templates"
    cache.mkdir(exist_ok=True)
    return jinja2.FileSystemBytecodeCache(str(cache))


def _environment(folder: Path) -> jinja2.Environment:
    env = jinja2.Environment(loader=jinja2.FileSystemLoader(folder), undefined=jinja2.StrictUndefined,
                             trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True, autoescape=False,
                             auto_reload=False, bytecode_cache=_compiled())
    env.filters["hex"] = hex
    env.filters["c_int"] = _c_int
    env.filters["c_string"] = c_string
    env.filters["suffix"] = _suffix
    env.filters["cell"] = _cell
    env.filters["runs"] = _runs
    env.filters["wrap"] = wrap
    env.filters["prototype"] = prototype
    return env


def _c_int(value: int) -> str:
    """A number that C reads as this value of int64_t."""
    if value == -2**63:
        return "INT64_MIN"
    return str(value)


def _runs(items: Iterable[Any], by: str = "guard") -> list[tuple[str, list[Any]]]:
    """Neighbours that the same preprocessor condition guards, together."""
    return [(guard, list(run)) for guard, run in itertools.groupby(items, operator.attrgetter(by))]


def _cell(text: str) -> str:
    """A text inside a table of Markdown."""
    return text.replace("|", "\\|")


def _suffix(guard: str) -> str:
    """A preprocessor condition as the end of an identifier: "VX_HAS_SA && VX_RDMA_CORE >= 59" is _SA_SINCE_59."""
    words = {">=": "_SINCE_", "<=": "_UNTIL_"}
    return "".join(re.findall(r"VX_HAS(\w+)", guard)) + "".join(
        words[sign] + release for sign, release in re.findall(r"([<>]=) (\d+)", guard))


def templates(folder: Path = TEMPLATES) -> list[str]:
    """One template a file, at the same path and name; a leading "_" marks what others use."""
    found = (p.relative_to(folder) for p in folder.rglob("*" + SUFFIX))
    return sorted(p.as_posix() for p in found if not p.name.startswith("_"))


def _line(error: Exception, folder: Path) -> int | None:
    """The line of the innermost template that an error came from; Jinja puts templates on the stack."""
    stack = traceback.extract_tb(error.__traceback__)
    return next((frame.lineno for frame in reversed(stack) if frame.filename.startswith(str(folder))), None)


def _page(env: jinja2.Environment, folder: Path, name: str, **variables: object) -> str:
    try:
        return env.get_template(name).render(template=f"templates/{name}", **variables)
    except jinja2.TemplateSyntaxError as e:
        raise GenError(e.message or "syntax error", file=folder / (e.name or name), line=e.lineno) from e
    except Exception as e:  # whatever an expression of a template may raise
        raise GenError(f"{type(e).__name__}: {e}", file=folder / name, line=_line(e, folder)) from e


def render(plan: Plan, folder: Path = TEMPLATES) -> dict[str, str]:
    """Path below generated/ -> text."""
    env = _environment(folder)
    covered, standing, by_hand = coverage(plan), wrapped(plan), own.headers()
    out = {name.removesuffix(SUFFIX): _page(env, folder, name, plan=plan, calls=plan.calls, coverage=covered,
                                            wrapped=standing, own=by_hand)
           for name in templates(folder)}
    for e in plan.rdma_enums:
        out[f"docs/enums/{e.name}.md"] = _page(env, folder, "docs/_enum.md.j2", plan=plan, e=e)
    lines = field_lines(plan)
    for s in plan.named:
        out[f"docs/structs/{s.name}.md"] = _page(env, folder, "docs/_struct.md.j2", plan=plan, s=s,
                                                 fields=lines[s.name])
    out["api.json"] = to_json(plan)
    out["docs/print.schema.json"] = print_schema(plan)
    out["src/own_words.inc"] = _page(env, folder, OWN_WORDS, documented=documented.read(plan, out))
    exported = exports.plan(out)
    for name in OF_EXPORTS:
        out[name.replace("/_", "/").removesuffix(SUFFIX)] = _page(env, folder, name, exports=exported)
    return out
