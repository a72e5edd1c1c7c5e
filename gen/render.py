# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""Plan -> files, by Jinja2."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from . import documented, exports, own
from .aside import Aside
from .errors import GenError
from .pages import Keys, Pages
from .plan import Plan
from .plan.api import to_json
from .plan.pictures import plan_pictures
from .plan.printed import print_schema
from .plan.reference import coverage, field_lines
from .plan.wrapped import standing, wrapped

if TYPE_CHECKING:
    import jinja2

T = TypeVar("T")
TEMPLATES = Path(__file__).parent.parent / "templates"
SUFFIX = ".j2"
DOCS = "docs/"
OWN_WORDS = "src/_own_words.inc.j2"  # of all that the headers document
HEADERS = "include/"
OF_ALL = "headers"
OF_VENDOR = "include/verbsx/_vendor.h.j2"
OF_EXPORTS = ("include/verbsx/_have.h.j2", "src/_libverbsx.map.j2")  # of what all other headers declare


def templates(folder: Path = TEMPLATES) -> list[str]:
    """One template a file, at the same path and name; a leading "_" marks what others use."""
    found = (p.relative_to(folder) for p in folder.rglob("*" + SUFFIX))
    return sorted(p.as_posix() for p in found if not p.name.startswith("_"))


def _line(error: Exception, folder: Path) -> int | None:
    """The line of the innermost template that an error came from; Jinja puts templates on the stack."""
    import traceback  # takes a while to load, and only a template that is wrong needs it

    stack = traceback.extract_tb(error.__traceback__)
    return next((frame.lineno for frame in reversed(stack) if frame.filename.startswith(str(folder))), None)


def _environment(folder: Path) -> jinja2.Environment:
    from .templating import environment  # Jinja2 takes a while to load

    return environment(folder)


def _page(env: jinja2.Environment, folder: Path, name: str, **variables: object) -> str:
    import jinja2

    try:
        return env.get_template(name).render(template=f"templates/{name}", **variables)
    except jinja2.TemplateSyntaxError as e:
        raise GenError(e.message or "syntax error", file=folder / (e.name or name), line=e.lineno) from e
    except Exception as e:  # whatever an expression of a template may raise
        raise GenError(f"{type(e).__name__}: {e}", file=folder / name, line=_line(e, folder)) from e


def _to_read(env: jinja2.Environment, plan: Plan, folder: Path) -> dict[str, str]:
    """What is there to be read, by people and by other programs."""
    covered, by_header, by_hand = coverage(plan), wrapped(plan), own.headers()
    pictures = plan_pictures(plan.api, plan.lore, standing(plan.api, plan.lore, plan.objects))
    out = {name.removesuffix(SUFFIX): _page(env, folder, name, plan=plan, calls=plan.calls, coverage=covered, wrapped=by_header, own=by_hand, pictures=pictures)
           for name in templates(folder) if name.startswith(DOCS)}
    for e in plan.rdma_enums:
        out[f"docs/enums/{e.name}.md"] = _page(env, folder, "docs/_enum.md.j2", plan=plan, e=e)
    lines = field_lines(plan)
    for s in plan.named:
        out[f"docs/structs/{s.name}.md"] = _page(env, folder, "docs/_struct.md.j2", plan=plan, s=s,
                                                 fields=lines[s.name])
    out["api.json"] = to_json(plan)
    out["docs/print.schema.json"] = print_schema(plan)
    return out


def _to_compile(env: Callable[[], jinja2.Environment], plan: Plan, folder: Path, pages: Pages, keys: Keys) -> dict[str, str]:
    out: dict[str, str] = {}
    for name in [name for name in templates(folder) if not name.startswith(DOCS)]:
        out |= pages.of(name, keys.of(name), lambda name=name: {  # type: ignore[misc]
            name.removesuffix(SUFFIX): _page(env(), folder, name, plan=plan, calls=plan.calls, own=own.headers())})
    for vendor in plan.objects.vendors:
        name = f"include/{vendor.header}"
        out |= pages.of(name, keys.of(OF_VENDOR), lambda name=name, vendor=vendor: {  # type: ignore[misc]
            name: _page(env(), folder, OF_VENDOR, plan=plan, vendor=vendor)})
    headers = {name: text for name, text in out.items() if name.startswith(HEADERS)}
    return out | pages.of(OF_ALL, keys.of_all([OWN_WORDS, *OF_EXPORTS], headers), lambda: _of_all_headers(env(), plan, folder, headers))


def _of_all_headers(env: jinja2.Environment, plan: Plan, folder: Path, rendered: dict[str, str]) -> dict[str, str]:
    """What is made of all headers, those that were rendered and those of the runtime, of which the plan's key has the bytes."""
    out = {"src/own_words.inc": _page(env, folder, OWN_WORDS, documented=documented.read(plan, rendered))}
    exported = exports.plan({**rendered, **out})
    return out | {name.replace("/_", "/").removesuffix(SUFFIX): _page(env, folder, name, exports=exported) for name in OF_EXPORTS}


def render(plan: Plan, folder: Path = TEMPLATES) -> dict[str, str]:
    """Path below generated/ -> text."""
    return render_beside(plan, lambda: None, Pages(), folder)[0]


def render_beside(plan: Plan, say: Callable[[], T], pages: Pages, folder: Path = TEMPLATES, *, code_only: bool = False) -> tuple[dict[str, str], T]:
    """What is not C is rendered aside, where it is wanted, and there as well is found out what else is to be said of the plan."""
    keys = Keys(folder)
    docs = keys.of(DOCS)
    env = cache(lambda: _environment(folder))
    wanted = not code_only and not pages.has(DOCS, docs)
    if wanted:
        env()  # both processes use it
    with Aside(lambda: (_to_read(env(), plan, folder) if wanted else {}, say())) as beside:
        compiled = _to_compile(env, plan, folder, pages, keys)
        to_read, said = beside.result()
    if wanted:
        pages.put(DOCS, docs, to_read)
    pages.keep()
    return {**compiled, **({} if code_only else pages.texts(DOCS))}, said
