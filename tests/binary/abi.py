# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""What compiled programs rely on, as abidw(1) of libabigail reads it from the library: python3 -m tests.binary.abi list | check LIBRARY

list   a line for each function with its types, each field of our structures with its place, each of our enumerators
check  every line of gen/abi/library.txt still holds; tests/binary/abi_accepted.toml tells why one need not

rdma-core's types are names here, as their fields are those of whatever headers the library was built with. Enumerators of ours that
no function has for a type, such as flags, are read from the headers; tests/oracle looks whether they are read rightly.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import tomllib
import xml.etree.ElementTree as ElementTree
from pathlib import Path

from gen.api import own

ROOT = Path(__file__).resolve().parents[2]
LANDED = ROOT / "gen/abi/library.txt"
ACCEPTED = Path(__file__).parent / "abi_accepted.toml"
HEAD = """\
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#
# What the library that landed last promises to compiled programs, on x86-64: written by ./dev abi, checked by binary.abi.
"""
HEADERS = [ROOT / "runtime/include/verbsx", ROOT / "generated/include/verbsx"]
SHOWN = re.compile(r"^(?:struct|union) (vx_\w+) \{", re.M)


class Abi:
    """The types of a library by their ids."""

    def __init__(self, library: Path) -> None:
        command = ["abidw", "--exported-interfaces-only", "--no-show-locs", "--no-corpus-path", library]
        output = subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout
        self.root = ElementTree.fromstring(output)
        self.types = {node.get("id"): node for node in self.root.iter() if node.get("id")}

    def text(self, key: str | None) -> str:
        """A type as C has it, nearly."""
        node = self.types.get(key)
        if node is None:
            return "void"
        inner = node.get("type-id")
        if node.tag == "pointer-type-def":
            return f"{self.text(inner)}*"
        if node.tag == "qualified-type-def":
            return " ".join([self.text(inner), *(q for q in ("const", "volatile") if node.get(q) == "yes")])
        if node.tag == "array-type-def":
            return self.text(inner) + "".join(f"[{part.get('length')}]" for part in node.findall("subrange"))
        if node.tag == "function-type":
            return self.signature("(*)", node)
        return node.get("name") or node.tag

    def signature(self, name: str, node: ElementTree.Element) -> str:
        """A function with its types."""
        given = ["..." if p.get("is-variadic") == "yes" else self.text(p.get("type-id"))
                 for p in node.findall("parameter")]
        result = node.find("return")
        return f"{self.text(result.get('type-id')) if result is not None else 'void'} {name}({', '.join(given)})"

    def lines(self) -> list[str]:
        """All that is promised."""
        found = {"function " + self.signature(node.get("name", ""), node) for node in self.root.iter("function-decl")
                 if node.get("elf-symbol-id")}
        shown = {name for folder in HEADERS for path in folder.glob("*.h") for name in SHOWN.findall(path.read_text())}
        for tag in ("class-decl", "union-decl"):
            for node in self.root.iter(tag):
                if node.get("name") in shown:
                    found |= set(self.fields(node))
        for node in self.root.iter("enum-decl"):
            found |= {f"enumerator {e.get('name')} = {e.get('value')}" for e in node.findall("enumerator")
                      if e.get("name", "").startswith("VX_")}
        found |= {f"enumerator {name} = {value}" for e in own.headers().enums for name, value in e.values.items()}
        return sorted(found)

    def fields(self, record: ElementTree.Element) -> list[str]:
        """Where the fields of a structure lie; its size may grow."""
        out = []
        for member in record.findall("data-member"):
            field = member.find("var-decl")
            if field is not None:
                out.append(f"field {record.get('name')}.{field.get('name')} at {member.get('layout-offset-in-bits', '0')}: "
                           f"{self.text(field.get('type-id'))}")
        return out


def broken(lines: list[str]) -> list[str]:
    """What was promised and does not hold, less what is accepted."""
    landed = [line for line in LANDED.read_text().splitlines() if line and not line.startswith("#")]
    accepted = tomllib.loads(ACCEPTED.read_text()).get("accepted", {})
    now = set(lines)
    gone = [line for line in landed if line not in now]
    print(f"{len(landed)} promises, {len(now - set(landed))} more now")
    return [f"does not hold any more: {line}" for line in gone if line not in accepted] + \
        [f"{ACCEPTED.name}: holds, or was never promised: {line}" for line in accepted if line not in gone]


def main() -> int:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", choices=("list", "check"))
    parser.add_argument("library", type=Path)
    args = parser.parse_args()
    lines = Abi(args.library).lines()
    if len(lines) < 100:
        print(f"{args.library}: no debugging information", file=sys.stderr)
        return 1
    if args.command == "list":
        print(HEAD + "\n" + "\n".join(lines))
        return 0
    wrong = broken(lines)
    print(*wrong, sep="\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
