# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""Jinja2 as templates/ is written for it."""

from __future__ import annotations

import marshal
from collections.abc import Mapping, MutableMapping
from pathlib import Path
from types import CodeType
from typing import Any

import jinja2
from jinja2 import nodes
from jinja2.compiler import CodeGenerator, Frame

from ..fast import compiled, kept, sources
from ..files import textfile
from .filters import FILTERS

CODE = ("write/templating", "write/filters", "files/textfile")  # what templates are compiled by


class _AsInPython(CodeGenerator):
    """In a template dots, brackets and calls are what they are in Python; Jinja2's try something else besides, which takes its time."""

    def visit_Getattr(self, node: nodes.Getattr, frame: Frame) -> None:
        self.visit(node.node, frame)
        self.write(f".{node.attr}")

    def visit_Getitem(self, node: nodes.Getitem, frame: Frame) -> None:
        self.visit(node.node, frame)
        self.write("[")
        self.visit(node.arg, frame)
        self.write("]")

    def visit_Call(self, node: nodes.Call, frame: Frame, forward_caller: bool = False) -> None:
        if node.dyn_args or node.dyn_kwargs or forward_caller:
            super().visit_Call(node, frame, forward_caller)
            return
        self.visit(node.node, frame)
        self.write("(")
        for argument in (*node.args, *node.kwargs):
            self.visit(argument, frame)
            self.write(", ")
        self.write(")")


class _Environment(jinja2.Environment):
    code_generator_class = _AsInPython


class _Loader(jinja2.FileSystemLoader):
    """Templates that were compiled in an earlier run, where they are what they were then."""

    def __init__(self, folder: Path, codes: Mapping[str, bytes]) -> None:
        super().__init__(folder)
        self.codes = codes

    def load(self, environment: jinja2.Environment, name: str, globals: MutableMapping[str, Any] | None = None) -> jinja2.Template:
        code = self.codes.get(f"{self.searchpath[0]}/{name}")
        if code is None:
            return super().load(environment, name, globals)
        return environment.template_class.from_code(environment, marshal.loads(code), {**environment.globals, **(globals or {})})


class Loading:
    """An environment for the templates of a folder; those that changed since the last run are yet to be compiled."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.env = folder, _environment()
        texts = {f"{folder}/{name}": text for name, text in sources.contents(folder).items()}
        parts = [jinja2.__version__.encode(), *kept.of_code(CODE)]
        self.codes, self.compile_others = compiled.begun("templates", texts, self._make, parts)

    def _make(self, path: str, source: bytes) -> CodeType | None:
        try:
            return self.env.compile(textfile.text(source, Path(path)), path.removeprefix(f"{self.folder}/"), path)
        except jinja2.TemplateSyntaxError:
            return None

    def whole(self, others: compiled.Codes) -> jinja2.Environment:
        self.env.loader = _Loader(self.folder, self.codes | others)
        return self.env


def environment(folder: Path) -> jinja2.Environment:
    """With all templates of a folder."""
    loading = Loading(folder)
    return loading.whole(loading.compile_others() if loading.compile_others else {})


def _environment() -> jinja2.Environment:
    env = _Environment(undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True,
                       autoescape=False, auto_reload=False)
    env.filters.update(FILTERS)
    return env
