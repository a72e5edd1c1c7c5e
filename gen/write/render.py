# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""Plan -> files: those of an earlier run where they would be the same, and all others by templates."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path

from ..fast.aside import Aside
from ..fast.typed import TypeVar
from ..paths import ROOT
from .pages import Keys, Pages, Texts

TYPE_CHECKING = False  # typing takes a while to load
if TYPE_CHECKING:
    from ..plan import Plan
    from .filled import Filled

T = TypeVar("T")
TEMPLATES = ROOT / "templates"
SUFFIX = ".j2"
DOCS = "docs/"
HEADERS = "include/"
VENDOR = "include/verbsx/_vendor.h"  # begins the names of templates, as the next
OF_ALL = ("src/_own_words", "include/verbsx/_have", "src/_libverbsx")  # of what all other headers declare


def templates(folder: Path = TEMPLATES) -> list[str]:
    """One template a file, at the same path and name; a leading "_" marks what others use."""
    found = (p.relative_to(folder) for p in folder.rglob("*" + SUFFIX))
    return sorted(p.as_posix() for p in found if not p.name.startswith("_"))


def _to_compile(filled: Callable[[], Filled], vendors: list[str], folder: Path, pages: Pages, keys: Keys) -> Texts:
    out: Texts = {}
    for name in [name for name in templates(folder) if not name.startswith(DOCS)]:
        out |= pages.of(name, keys.of(name), lambda name=name: filled().to_compile(name))  # type: ignore[misc]
    for vendor in vendors:
        out |= pages.of(f"include/{vendor}", keys.of(VENDOR), lambda vendor=vendor: filled().of_vendor(vendor))  # type: ignore[misc]
    headers = {name: text for name, text in out.items() if name.startswith(HEADERS)}
    return out | pages.of("headers", keys.of_all(OF_ALL, headers), lambda: filled().of_all_headers(headers))


def render(plan: Plan, folder: Path = TEMPLATES) -> Texts:
    """Path below generated/ -> text."""
    return render_beside(lambda: plan, [v.header for v in plan.objects.vendors], lambda: None, Pages(), folder)[0]


def render_beside(plan: Callable[[], Plan], vendors: list[str], say: Callable[[], T], pages: Pages, folder: Path = TEMPLATES, *,
                  code_only: bool = False) -> tuple[Texts, T]:
    """What is not C is rendered aside, where it is wanted, and there as well is found out what else is to be said of the plan; where
    all or most of it is there, that takes less time than a process.

    `vendors` are the headers that the plan has of them: it is not asked for where all is as an earlier run had it.
    """
    @cache
    def filled() -> Filled:
        from .filled import Filled

        return Filled(plan, folder)

    keys = Keys(folder)
    docs = keys.of(DOCS)
    wanted = not code_only and not pages.has(DOCS, docs)
    if wanted:
        filled()  # both processes use it
    to_read = [name for name in templates(folder) if wanted and name.startswith(DOCS)]
    with Aside(lambda: (filled().to_read(to_read) if wanted else {}, say()), wanted or not pages.are_of_before("src/")) as beside:
        compiled = _to_compile(filled, vendors, folder, pages, keys)
        read, said = beside.result()
    if wanted:
        pages.put(DOCS, docs, read)
    pages.keep()
    return {**compiled, **({} if code_only else pages.texts(DOCS))}, said
