# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""Commands of the generator, each in a process of its own that has all modules loaded: half of what a command takes is that, and what it
would keep for the next run of this checkout.

What such a process changes of itself dies with it, so that no command sees what another left.
"""

from __future__ import annotations

import os
import sys
import tempfile
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import NoReturn

import jinja2

from gen import __main__ as command
from gen.api.facts import Facts
from gen.command import diff, emit, planning, scan  # noqa: F401  what the commands load when they are asked for
from gen.fast import aside, kept
from gen.know import lore  # noqa: F401
from gen.plan.remarks import say  # noqa: F401
from gen.reach import headers, looked_for, one_tree  # noqa: F401
from gen.write import filled, pages, render, templating
from tests.gen.project import ROOT

COPIES = 3  # of the committed facts: so often a command reads them, and may change what it has


@dataclass
class Done:
    """What became of a command."""

    returncode: int
    stdout: str
    stderr: str


def run(facts: Path, *arguments: object) -> Done:
    """A command, as if the committed facts were those of a folder."""
    committed, loaded = _committed(), _templates()
    with tempfile.TemporaryFile("w+", encoding="utf-8") as out, tempfile.TemporaryFile("w+", encoding="utf-8") as err:
        child = os.fork()
        if not child:
            os.dup2(out.fileno(), 1)
            os.dup2(err.fileno(), 2)
            _be_the_command(lambda: _run(facts, committed, loaded, [str(a) for a in arguments]))
        _, status = os.waitpid(child, 0)
        for file in (out, err):
            file.seek(0)
        return Done(os.waitstatus_to_exitcode(status), out.read(), err.read())


def _be_the_command(run: Callable[[], int]) -> NoReturn:
    status = 1
    try:
        sys.stdout, sys.stderr = (open(n, "w", encoding="utf-8", closefd=False) for n in (1, 2))
        status = run()
    except SystemExit as e:  # argparse
        status = e.code if isinstance(e.code, int) else 1
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)


def _run(facts: Path, committed: dict[int, list[Facts]], loaded: _Loaded, arguments: list[str]) -> int:
    os.chdir(ROOT)
    read = headers.committed_of
    copies = {release: list(copies) for release, copies in committed.items()}
    headers.FACTS = facts
    headers.committed_of = lambda release: copies[release].pop() if copies.get(release) else read(release)
    aside._cores = lambda: 1  # other trials use the others
    kept.write = lambda *_: None
    kept.keep = lambda *_: None  # type: ignore[assignment]
    pages.Pages = lambda *_: _NO_PAGES  # type: ignore[misc, assignment]
    filled.Loading = lambda _: loaded  # type: ignore[misc, assignment]
    return command.main(arguments)


_NO_PAGES = pages.Pages()


@cache
def _committed() -> dict[int, list[Facts]]:
    """The committed facts, several times."""
    return {release: [facts for _ in range(COPIES) if (facts := headers.committed_of(release))] for release in headers.committed_paths()}


def prepare() -> None:
    """What each command would wait for, before the first."""
    _committed()
    _templates()


class _Loaded:
    """Stands for what loads templates: it has them."""

    compile_others = None

    def __init__(self) -> None:
        self.env = templating.environment(render.TEMPLATES)
        for name in self.env.list_templates():
            self.env.get_template(name)

    def whole(self, _: object) -> jinja2.Environment:
        return self.env


@cache
def _templates() -> _Loaded:
    return _Loaded()
