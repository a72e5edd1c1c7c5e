# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""What templates make of a plan, by Jinja2. All of it takes a while to load, and a run that renders nothing anew does without."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

import jinja2

from ..api import own
from ..errors import GenError
from ..fast.aside import Aside
from ..plan import Plan
from ..plan.documents.api import to_json
from ..plan.documents.pictures import plan_pictures
from ..plan.documents.printed import print_schema
from ..plan.documents.reference import coverage, field_lines
from ..plan.trace.wrapped import standing, wrapped
from ..promise import exports
from . import documented
from .templating import Loading

SUFFIX = ".j2"
OWN_WORDS = "src/_own_words.inc.j2"  # of all that the headers document
OF_VENDOR = "include/verbsx/_vendor.h.j2"
OF_EXPORTS = ("include/verbsx/_have.h.j2", "src/_libverbsx.map.j2")  # of what all other headers declare

Texts = dict[str, str]  # by their paths below generated/


def page(env: jinja2.Environment, folder: Path, name: str, **variables: object) -> str:
    try:
        return env.get_template(name).render(template=f"templates/{name}", **variables)
    except jinja2.TemplateSyntaxError as e:
        raise GenError(e.message or "syntax error", file=folder / (e.name or name), line=e.lineno) from e
    except Exception as e:  # whatever an expression of a template may raise
        raise GenError(f"{type(e).__name__}: {e}", file=folder / name, line=_line(e, folder)) from e


def _line(error: Exception, folder: Path) -> int | None:
    """The line of the innermost template that an error came from; Jinja puts templates on the stack."""
    import traceback  # takes a while to load, and only a template that is wrong needs it

    stack = traceback.extract_tb(error.__traceback__)
    return next((frame.lineno for frame in reversed(stack) if frame.filename.startswith(str(folder))), None)


class Filled:
    """The templates of a folder, filled with one plan."""

    def __init__(self, plan: Callable[[], Plan], folder: Path) -> None:
        self.folder = folder
        loading = Loading(folder)
        if loading.compile_others:
            with Aside(loading.compile_others) as others:
                self.plan = plan()  # which takes as long to load
                self.env = loading.whole(others.result())
        else:
            self.plan, self.env = plan(), loading.whole({})

    def _page(self, name: str, **variables: object) -> str:
        return page(self.env, self.folder, name, **variables)

    def to_read(self, names: Iterable[str]) -> Texts:
        """What is there to be read, by people and by other programs: these templates, and pages of one item each."""
        plan = self.plan
        covered, by_header, by_hand = coverage(plan), wrapped(plan), own.headers()
        pictures = plan_pictures(plan.api, plan.lore, standing(plan.api, plan.lore, plan.objects))
        out = {name.removesuffix(SUFFIX): self._page(name, plan=plan, calls=plan.calls, coverage=covered, wrapped=by_header, own=by_hand, pictures=pictures)
               for name in names}
        for e in plan.rdma_enums:
            out[f"docs/enums/{e.name}.md"] = self._page("docs/_enum.md.j2", plan=plan, e=e)
        lines = field_lines(plan)
        for s in plan.named:
            out[f"docs/structs/{s.name}.md"] = self._page("docs/_struct.md.j2", plan=plan, s=s, fields=lines[s.name])
        out["api.json"] = to_json(plan)
        out["docs/print.schema.json"] = print_schema(plan)
        return out

    def to_compile(self, name: str) -> Texts:
        return {name.removesuffix(SUFFIX): self._page(name, plan=self.plan, calls=self.plan.calls, own=own.headers())}

    def of_vendor(self, header: str) -> Texts:
        vendor = next(v for v in self.plan.objects.vendors if v.header == header)
        return {f"include/{header}": self._page(OF_VENDOR, plan=self.plan, vendor=vendor)}

    def of_all_headers(self, rendered: Texts) -> Texts:
        """What is made of all headers, those that were rendered and those of the runtime, of which the plan's key has the bytes."""
        out = {"src/own_words.inc": self._page(OWN_WORDS, documented=documented.read(self.plan, rendered))}
        exported = exports.plan({**rendered, **out})
        return out | {name.replace("/_", "/").removesuffix(SUFFIX): self._page(name, exports=exported) for name in OF_EXPORTS}
