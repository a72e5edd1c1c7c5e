# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""Headers -> facts, by libclang.

All groups are parsed in one translation unit, made up here: the includes, then a line for each macro that makes the
compiler work out its value. Which macros there are is read from the text of the headers; whether they are defined, and
as what, is the preprocessor's word.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Callable
from pathlib import Path

from clang import cindex
from clang.cindex import Diagnostic, TranslationUnit

from ..api.facts import Facts, Field, Group, Macro
from ..api.facts_schema import MOST
from ..errors import GenError
from ..fast.kept import kept
from ..fast.record import changed, value
from ..fast.sources import NO_FILE
from ..fast.thread import beside
from ..files import textfile
from ..know.groups import HeaderGroup
from . import cursors, source, spelled
from .declarations import DEFINED, PROBE, Declarations

CODE = ("api", "errors", "fast", "files", "scan")  # what reads macros and enumerators
END = "end_of_all"  # is there if nothing before has taken it for its own
MAIN = "verbsx-scan.c"
DEEP = "nested too deeply"  # says the compiler of headers that include themselves for ever
DEFINE = re.compile(r"^[ \t]*#[ \t]*define[ \t]+([A-Za-z_]\w*)(\([^)]*\))?((?:[^\n\\]|\\\n|\\.)*)", re.M)
GUARD = re.compile(r"^[ \t]*#[ \t]*if(?:ndef|[ \t]*!defined)[ \t(]+(\w+)[ \t)]*\n\s*#[ \t]*define[ \t]+\1[ \t]*$", re.M)  # of a header
LITERAL = re.compile(r'"(?:[^"\\]|\\.)*"|\'(?:[^\'\\]|\\.)*\'')
LETTER = re.compile(r"\w*[^\0-\x7f]\w*")
WORD = re.compile(r"[A-Za-z_]\w*")
OF_BITS = re.compile(r"(?i)\bbit ?(?:mask|map)\b|\bor'?ed\b")  # in a comment
INCLUDE = re.compile(rb'^[ \t]*#[ \t]*(?:include|include_next|import)[ \t]*[<"]([^>"\n]+)[>"]', re.M)
IN_PARENTHESES = re.compile(r"\(\s*([A-Za-z_]\w*)\s*\)")


@value
class Tree:
    """Where headers are looked for; no root means the compiler's own folders, in its order."""

    root: Path | None = None

    def folders(self) -> list[Path]:
        return [self.root] if self.root else [Path("/usr/local/include"), Path("/usr/include")]

    def find(self, header: str) -> Path | None:
        return next((f / header for f in self.folders() if (f / header).is_file()), None)


def compiler_headers(version: str, installed: Path = Path("/usr/lib")) -> list[str]:
    """The folder with stddef.h that goes with libclang; where Debian keeps them if libclang itself does not know.

    Those of another version beside its own are not seen whole: both say that they were there before.
    """
    found = list(installed.glob("llvm-*/lib/clang/*/include"))
    own = [p for p in found if p.parent.name.partition(".")[0] == version.partition(".")[0]]
    newest = max(own or found, key=lambda p: [int(n) for n in re.findall(r"\d+", str(p))], default=None)
    return ["-isystem", str(newest)] if newest else []


def _arguments(tree: Tree) -> list[str]:
    args = ["-x", "c", "-std=gnu11", "-fno-dollars-in-identifiers", "-fparse-all-comments", "-fretain-comments-from-system-headers",
            "-ferror-limit=0", "-Wno-everything"]
    if os.uname().machine == "x86_64":
        args.append("-march=x86-64")  # __SSE3__ must not depend on the machine
    if tree.root:
        args += ["-I", str(tree.root)]
    return args + compiler_headers(cursors.version())


# ---- macros, from the text of the headers ----


@value
class _Define:
    name: str
    params: str | None  # with parentheses
    body: str
    otherwise: _Define | None = None  # with parameters, where another condition of the preprocessor defines it so

    @property
    def function(self) -> bool:
        return self.params is not None

    def takes_other(self, call: Call) -> bool:
        """Whether a macro of a function's name has not as many parameters."""
        own = [p for p in (self.params or "").strip("() ").split(",") if p.strip()]
        return self.function and "..." not in (self.params or "") and len(own) != len(call.params)

    @property
    def digest(self) -> str:
        """What it is replaced by, which facts have no copy of."""
        return hashlib.sha256(f"{self.params or ''} {self.body}".encode()).hexdigest()[:8]


@value
class _Header:
    """What the preprocessor is told in one, and what its enumerators are said to be."""

    defines: list[_Define]
    given: dict[str, str]


def _header(path: Path, data: bytes) -> _Header:
    whole = source.decoded(data, path)
    code = source.PART.sub(lambda m: " " if m[0][0] == "/" else m[0], whole)
    if not code.strip():
        raise GenError("has nothing in it", file=path, line=1, hint="is it whole, and rdma-core's?")
    if not code.isascii():
        _refuse_letters(path, whole)
    guards = set(GUARD.findall(code))
    found: dict[str, _Define] = {}
    with_params: dict[str, _Define] = {}
    for m in DEFINE.finditer(code):
        if m[1] not in guards:
            (with_params if m[2] else found)[m[1]] = _Define(m[1], m[2], _body(m[3]))
    for name, define in with_params.items():
        if name in found:
            found[name].otherwise = define
        else:
            found[name] = define
    return _Header(list(found.values()), spelled.given(code))


def _headers_of(paths: dict[str, Path], release: int) -> dict[str, _Header]:
    """Kept from one run to the next by what the headers say."""
    texts = {header: textfile.read_bytes(path) for header, path in paths.items()}
    parts = [part for header, data in texts.items() for part in (header.encode(), data)]
    return kept(f"defines-{release}", parts, lambda: {header: _header(paths[header], data) for header, data in texts.items()}, CODE)


def _refuse_endless(paths: list[Path], root: Path | None) -> None:
    """Pipes and devices that headers include, or what of the tree they include: reading one may never end."""
    left = [os.fspath(path) for path in paths]
    seen = set(map(os.path.realpath, left))
    while left:
        path = left.pop()
        data = textfile.read_bytes(Path(path))
        for m in INCLUDE.finditer(data):
            for folder in (os.path.dirname(path), *([os.fspath(root)] if root else [])):
                included = os.path.join(folder, os.fsdecode(m[1]))
                if not os.path.exists(included) or (included := os.path.realpath(included)) in seen:
                    continue
                seen.add(included)
                if os.path.isfile(included):
                    left.append(included)
                elif not os.path.isdir(included):
                    raise GenError(f"includes {os.fsdecode(m[1])}, which {NO_FILE}", file=path, line=data.count(b"\n", 0, m.start()) + 1,
                                   hint="take that out of the header, or put a header in its place")


def _refuse_letters(path: Path, whole: str) -> None:
    """Those of other languages may stand in comments and in texts: in names few compilers take them, and facts do not."""
    for what in (source.COMMENT, LITERAL):
        whole = what.sub(lambda m: " " + "\n" * m[0].count("\n"), whole)
    if odd := LETTER.search(whole):
        raise GenError(f"{odd[0]}: a name that is not ASCII", file=path, line=whole.count("\n", 0, odd.start()) + 1,
                       hint="rename it in the header, or leave that out of the tree")


def _body(text: str) -> str:
    """In one line; a name in parentheses is that name."""
    text = " ".join(text.replace("\\\n", " ").split())
    match = IN_PARENTHESES.fullmatch(text)
    return match[1] if match else text


def _probe(name: str) -> str:
    return f"#ifdef {name}\nenum {{ {PROBE}{name} = ({name}) }};\n#endif\n"


def _defined_probe(name: str) -> str:
    return f"#ifdef {name}\nenum {{ {DEFINED}{name} }};\n#endif\n"


def _breaks_out(body: str) -> bool:
    """Whether a macro would end the line that asks for its value, and spoil those that follow."""
    text = LITERAL.sub("", body)
    return any(c in text for c in "{};#") or text.count("(") != text.count(")") or ")" in text.split("(")[0]


def _harmless(defines: list[_Define]) -> dict[str, None]:
    """The macros that it is safe to ask for a value: neither they nor what they are made of break out."""
    broken = {d.name for d in defines if _breaks_out(d.body)}
    while more := {d.name for d in defines if d.name not in broken and not broken.isdisjoint(WORD.findall(d.body))}:
        broken |= more
    return {d.name: None for d in defines if not d.function and d.name not in broken}


# ---- one translation unit ----


class _Scanner:
    def __init__(self, groups: list[HeaderGroup], tree: Tree, release: int, meanwhile: Callable[[], object]) -> None:
        self.tree, self.meanwhile = tree, meanwhile
        self.facts = Facts(release, {g.name: Group(g.name, g.headers) for g in groups})
        self.until_word = {h: g.until_word(h) for g in groups for h in g.headers}
        self.kernel = {g.prefix: g.kernel for g in groups if g.kernel}
        self.group_of = {h: self.facts.groups[g.name] for g in groups for h in g.headers}
        self.paths = {h: self._path(h) for h in self.group_of}
        _refuse_endless(list(self.paths.values()), tree.root)
        self.headers = _headers_of(self.paths, release)
        self.not_integers: set[str] = set()

    def _path(self, header: str) -> Path:
        path = self.tree.find(header)
        if path is None:
            where = ", ".join(map(str, self.tree.folders()))
            raise GenError(f"{header}: no such header in {where}, which release {self.facts.release} has",
                           hint="install libibverbs-dev and librdmacm-dev, name a folder that holds infiniband/ and rdma/, "
                                f"or say which release it is: --release NN; of a header that releases have no more, {self.until_word[header]} says in its group "
                                "of gen/groups.toml which was the last")
        return path

    def run(self) -> Facts:
        try:
            found = Declarations(self.paths, self.group_of)
        except cindex.LibclangError as e:
            raise GenError(f"libclang cannot be loaded: {e}", hint="apt-get install python3-clang") from e
        found.read(self._parse())
        if END not in found.defined:
            raise self._unclosed()
        for name in self.not_integers:
            found.values.pop(name, None)
        for header, text in self.headers.items():
            for define in text.defines:
                if define.name in found.defined:
                    self._macro(header, define, found.values)
        self._tell_shifts()
        self._resolve_hints()
        return self.facts

    def _parse(self) -> TranslationUnit:
        defines = [d for text in self.headers.values() for d in text.defines]
        harmless = _harmless(defines)
        while True:
            unit, gave_up = self._parsed(defines, harmless)
            if not gave_up:
                return unit
            self.meanwhile = lambda: None
            for name in self.not_integers:
                harmless.pop(name, None)

    def _parsed(self, defines: list[_Define], harmless: dict[str, None]) -> tuple[TranslationUnit, bool]:
        """All that is declared, and whether the compiler gave up: at one of the macros, if that was too much for it, or as there were too many."""
        includes = self._includes()
        others = {d.name: None for d in defines if d.name not in harmless}
        probes = "".join([*map(_defined_probe, others), *map(_probe, harmless), f"enum {{ {DEFINED}{END} }};\n"])
        options = (TranslationUnit.PARSE_SKIP_FUNCTION_BODIES | TranslationUnit.PARSE_INCOMPLETE)
        # One error of a header is enough, and of a million each takes its time; macros that are no integers are not so many.
        arguments = [*_arguments(self.tree), f"-ferror-limit={len(harmless) + 1}"]
        try:
            unit = beside(lambda: cindex.Index.create().parse(MAIN, arguments, [(MAIN, includes + probes)], options), self.meanwhile)
        except cindex.TranslationUnitLoadError as e:
            raise GenError(f"libclang cannot parse the headers: {e}") from e
        return unit, self._complain(unit, (includes + probes).splitlines())

    def _includes(self) -> str:
        return "".join(f"#include <{h}>\n" for h in self.group_of)

    def _unclosed(self) -> GenError:
        """What libclang says of a function whose body goes on to the end of all, once it reads bodies."""
        unit = cindex.Index.create().parse(MAIN, _arguments(self.tree), [(MAIN, self._includes())])
        behind = [diag for diag in unit.diagnostics if diag.severity >= Diagnostic.Error and diag.location.file and diag.location.file.name == MAIN]
        file, line = next(map(_place, behind), (None, None))
        return GenError("the function that begins here is never closed", file=file, line=line, hint="is the header whole?")

    def _complain(self, unit: TranslationUnit, asked: list[str]) -> bool:
        """Stop at the first error in a header; errors in our own probes name the macros that are no integers. Whether nothing was read
        behind one."""
        found: set[str] = set()
        for diag in unit.diagnostics:
            if diag.severity < Diagnostic.Error:
                continue
            own = diag.location.file is None or diag.location.file.name == MAIN
            line = asked[diag.location.line - 1] if own and diag.location.line else ""
            if PROBE in line:
                found.add(line.split(PROBE)[1].split()[0])
            elif diag.location.file or not found:
                file, number = _place(diag)
                raise GenError(diag.spelling, file=file, line=number,
                               hint="it includes itself, at once or by what it includes: guard it by #ifndef, #define and #endif" if DEEP in diag.spelling
                               else "the header does not parse: is it whole, and does it belong to this release? One that programs do not include belongs to no group, but into [unread] of gen/groups.toml")
        self.not_integers |= found
        return any(diag.severity == Diagnostic.Fatal for diag in unit.diagnostics)

    def _macro(self, header: str, define: _Define, values: dict[str, int]) -> None:
        group = self.group_of[header]
        name = define.name
        if define.otherwise and name not in values:
            define = define.otherwise
        if name in group.calls:
            group.calls[name].shadow = True
            if define.takes_other(group.calls[name]):
                group.calls[name].apart = "macro"
        if define.function:
            group.macros[name] = Macro(name, header, "function", digest=define.digest)
        elif name in values:
            alias = define.body if _is_word(define.body) else ""
            group.macros[name] = Macro(name, header, "value", values[name], alias)
        elif _is_word(define.body) and define.body != name:
            group.macros[name] = Macro(name, header, "alias", text=define.body)
        else:
            group.macros[name] = Macro(name, header, "other", digest=define.digest)

    def _tell_shifts(self) -> None:
        defines = [d for text in self.headers.values() for d in text.defines]
        texts = {d.name: d.body for d in defines if not d.function}
        for text in self.headers.values():
            texts |= text.given
        spelling = spelled.Spelling(texts, {d.name: d.body for d in defines if d.function})
        for g in self.facts.groups.values():
            for e in g.enums.values():
                e.shifts = spelling.has_shifts(e)

    def _resolve_hints(self) -> None:
        """Keep of each comment only the enum that it names, if it names one that exists."""
        known = {name: name for g in self.facts.groups.values() for name in g.enums}
        known |= {m.name: m.text for g in self.facts.groups.values() for m in g.macros.values()
                  if m.kind == "alias" and m.text in known}
        for prefix, kernel in self.kernel.items():
            known = {kernel + name.removeprefix(prefix): enum for name, enum in known.items() if name.startswith(prefix)} | known
        counted = {name for g in self.facts.groups.values() for name, e in g.enums.items() if not e.shifts and _are_counted([v.value for v in e.values])}
        for g in self.facts.groups.values():
            for s in g.structs.values():
                for f in s.fields:
                    _resolve_hint(f, known, counted)


def _resolve_hint(item: Field, known: dict[str, str], counted: set[str]) -> None:
    """`known`: enum by the name that a comment has for it; `counted`: those whose values cannot be bits themselves."""
    comment = item.hint if item.kind != "enum" else ""
    item.hint = next(filter(None, map(known.get, WORD.findall(comment))), "")
    item.bitmap = bool(item.hint) and OF_BITS.search(comment) is not None and item.hint in counted
    for sub in item.fields:
        _resolve_hint(sub, known, counted)


def _are_counted(values: list[int]) -> bool:
    """Whether the values of an enum are no bits: so are 0, 1 and 2, as far as they tell."""
    return any(v.bit_count() > 1 for v in values) or {0, 1, 2} == set(values)


def _place(diag: Diagnostic) -> tuple[str | None, int | None]:
    """Where in a header an error is; one that only shows behind it has a note about the header."""
    for at in (diag, *diag.children):
        if at.location.file and at.location.file.name != MAIN:
            return at.location.file.name, at.location.line
    return None, None


def _is_word(text: str) -> bool:
    return WORD.fullmatch(text) is not None


def _check_sizes(found: Group, paths: dict[str, Path]) -> None:
    for struct in found.structs.values():
        if struct.size > MOST:
            path = paths[struct.header]
            before = re.split(rf"\b{struct.name}\s*\{{", source.read(path))[0]
            raise GenError(f"{struct.name}: has {struct.size} bytes, and facts have room for {MOST}", file=path,
                           line=before.count("\n") + 1, hint="is that a length that was never meant?")


def _check_wanted(group: HeaderGroup, found: Group) -> None:
    for name in group.wants:
        if name not in found.structs or found.structs[name].opaque:
            raise GenError(f"struct {name} is not in these headers", file=group.headers[0],
                           hint="they are not rdma-core's, or cut short")


def _check_gone(group: HeaderGroup, tree: Tree, release: int) -> None:
    for header in group.headers:
        last = group.last_of(header)
        if last and last < release and (path := tree.find(header)):
            word = "older" if group.older.get(header) == last else "until"
            raise GenError(f"is there in release {release}, and {word} of group.{group.name} in gen/groups.toml says that {last} was the last to have it", file=path,
                           hint="of one header of several that is no more, older says so" if word == "until" and len(group.headers) > 1 else None)


def scan(groups: list[HeaderGroup], tree: Tree, release: int, meanwhile: Callable[[], object] = lambda: None) -> Facts:
    """Scan the groups that a release has; there is time for something else while libclang parses."""
    for g in groups:
        _check_gone(g, tree, release)
    present = [changed(g, headers=[h for h in g.headers if g.has(h, release)]) for g in groups if g.is_in(release)]
    scanner = _Scanner(present, tree, release, meanwhile)
    facts = scanner.run()
    for group in present:
        _check_sizes(facts.groups[group.name], scanner.paths)
        _check_wanted(group, facts.groups[group.name])
    return facts
