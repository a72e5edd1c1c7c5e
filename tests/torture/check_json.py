# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""Whether what json.c prints is JSON, of the types that the schema promises: check_json.py SCHEMA PROGRAM SEED ROUNDS"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any, NoReturn

import jsonschema


def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object of which no key comes twice."""
    keys = [key for key, _ in pairs]
    if len(set(keys)) != len(keys):
        raise ValueError(f"a key comes twice among {keys}")
    return dict(pairs)


def refuse(constant: str) -> NoReturn:
    """Python reads NaN and Infinity; JSON has no such numbers."""
    raise ValueError(f"{constant} is no JSON")


def strict(schema: Any) -> Any:
    """As it is, but nothing may be there that it does not have: programs must take what later releases bring, and this one must not."""
    if isinstance(schema, list):
        return [strict(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    return {key: strict(value) for key, value in schema.items()} | ({"additionalProperties": False} if schema.get("type") == "object" else {})


class Types:
    """The schema of each structure, made once."""

    def __init__(self, path: str) -> None:
        self.schema = strict(json.loads(Path(path).read_text(encoding="utf-8")))
        self.validators: dict[str, Any] = {}

    def of(self, name: str) -> Any:
        if name not in self.schema["$defs"]:
            sys.exit(f"struct {name}: the schema has no such structure")
        if name not in self.validators:
            schema = {"$ref": f"#/$defs/{name}", "$defs": self.schema["$defs"]}
            self.validators[name] = jsonschema.Draft202012Validator(schema)
        return self.validators[name]

    def check(self, name: str, value: Any) -> None:
        """Stop at a value of another type."""
        error = next(self.of(name).iter_errors(value), None)
        if error:
            sys.exit(f"struct {name}: {error.json_path}: {error.message}")


def check(line: str, types: Types | None) -> None:
    """Stop at a line that is not a name and a document."""
    name, document = line.rstrip("\n").split(" ", 1)
    try:
        value = json.loads(document, object_pairs_hook=unique, parse_constant=refuse)
    except ValueError as error:
        sys.exit(f"struct {name}: {error}:\n{document}")
    if types:
        types.check(name, value)


def main(schema: str, *program: str) -> None:
    """Run the program and check every line; "-" for the schema: that it is JSON is enough."""
    count = 0
    types = None if schema == "-" else Types(schema)
    pipe = subprocess.PIPE
    with subprocess.Popen(program, stdout=pipe, stderr=pipe, encoding="utf-8") as running:
        assert running.stdout and running.stderr
        for line in running.stdout:
            check(line, types)
            count += 1
        errors = running.stderr.read()
    if running.returncode != 0 or count == 0:
        sys.exit(f"{errors}{program[0]} ended with {running.returncode} after {count} documents")
    print(f"cases: {count}")


if __name__ == "__main__":
    main(*sys.argv[1:])
