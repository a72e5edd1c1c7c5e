# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""Which tests ./dev test selects, and what it runs for commands of the generator: python3 tests/selection.py PROJECT BUILD

dev is run with stand-ins for what it calls; its ctest only lists what it was to run. What --long has is told in CONTRIBUTING.md.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
import unittest
from fnmatch import fnmatchcase
from pathlib import Path

ROW = re.compile(r"^\| (`[\w.*]+`(?:, `[\w.*]+`)*) \| .* \|$", re.MULTILINE)
QUICK = {"vm", "torture", "fuzz", "bench"}
CTEST = """#!/bin/sh
while [ "$1" != --label-exclude ]; do shift; done
exec '{ctest}' --test-dir '{build}' --show-only=json-v1 --label-exclude "$2" >'{folder}/selected'
"""

project, build = Path(), Path()


def which(name: str) -> str:
    return subprocess.run(["sh", "-c", f"command -v {name}"], capture_output=True, text=True, check=True).stdout.strip()


def selected(*options: str) -> dict[str, set[str]]:
    """The tests that dev would run, each with its labels."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        programs = {"cmake": "#!/bin/sh\\n", "dpkg-query": "#!/bin/sh\\nprintf installed\\n",
                    "ctest": CTEST.format(ctest=which("ctest"), build=build, folder=folder)}
        for program, text in programs.items():
            (folder / program).write_text(text.replace("\\n", "\n"))
            (folder / program).chmod(0o755)
        (folder / "dev").write_text((project / "dev").read_text())
        subprocess.run(["bash", folder / "dev", "test", *options], capture_output=True,
                       env=os.environ | {"PATH": f"{folder}:{os.environ['PATH']}"})
        tests = json.loads((folder / "selected").read_text())["tests"]
    return {t["name"]: {label for p in t["properties"] if p["name"] == "LABELS" for label in p["value"]} for t in tests}


class Selection(unittest.TestCase):
    default: dict[str, set[str]]
    quick: dict[str, set[str]]
    long: dict[str, set[str]]

    @classmethod
    def setUpClass(cls) -> None:
        cls.default, cls.quick, cls.long = selected(), selected("--quick"), selected("--long")

    def only_long(self) -> set[str]:
        return set(self.long) - set(self.default)

    def test_long_has_all_there_are(self) -> None:
        every = json.loads(subprocess.run([which("ctest"), "--test-dir", build, "--show-only=json-v1"], capture_output=True,
                                          text=True, check=True).stdout)["tests"]
        self.assertEqual(set(self.long), {t["name"] for t in every})
        self.assertGreater(len(every), 250)

    def test_by_default_all_but_what_is_long(self) -> None:
        self.assertEqual(self.only_long(), {name for name, labels in self.long.items() if "long" in labels})
        self.assertGreater(len(self.only_long()), 20)

    def test_quick_is_of_no_part_that_takes_time(self) -> None:
        self.assertEqual(set(self.quick), {name for name, labels in self.default.items() if not labels & QUICK})

    def test_quick_is_known_behind_other_options_too(self) -> None:
        self.assertEqual(set(selected("-R", "enum", "--quick")), set(self.quick))

    def test_demo_takes_nothing_behind_its_option(self) -> None:
        said = subprocess.run(["bash", project / "dev", "demo", "--no-vm", "extra"], capture_output=True, text=True)
        self.assertEqual((said.returncode, said.stderr), (2, "dev: demo takes no more than that, and not extra; ./dev help lists what there is\n"))

    def test_commands_of_the_generator_are_passed_on_with_their_options_and_their_status(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            for program, text in {"python3": '[ "$1" = -c ] || { echo "$@"; exit 13; }', "dpkg-query": "printf installed"}.items():
                (Path(folder) / program).write_text(f"#!/bin/sh\n{text}\n")
                (Path(folder) / program).chmod(0o755)
            for command in ("report", "diff", "since", "check"):
                done = subprocess.run(["bash", project / "dev", command, "--one", "two"], capture_output=True, text=True,
                                      env=os.environ | {"PATH": f"{folder}:{os.environ['PATH']}"})
                self.assertEqual((done.stdout, done.returncode), (f"-m gen {command} --one two\n", 13), done.stderr)

    def test_help_tells_of_each_command_and_each_has_its_own(self) -> None:
        text = (project / "dev").read_text()
        known = re.findall(r"^\t([a-z |]+)\) ;;$", text, re.MULTILINE)[0].split(" | ")
        said = subprocess.run(["bash", project / "dev", "help"], capture_output=True, text=True, check=True).stdout
        self.assertEqual(sorted(re.findall(r"^  (\w+) +\w", said, re.MULTILINE)), sorted(known))
        texts = text + (project / "gen/release.sh").read_text()
        self.assertEqual([c for c in known for way in ("cmd", "help") if f"\n{way}_{c}() {{" not in texts], [])

    def test_each_test_has_its_part_as_a_label(self) -> None:
        self.assertEqual([name for name, labels in self.long.items() if name.split(".")[0] not in labels], [])

    def test_what_is_long_has_a_sample_by_default(self) -> None:
        longer = {name for name in self.long if name.endswith("_long")}
        self.assertLessEqual(longer - {"vx.installed_long_only"}, self.only_long())
        self.assertEqual([name for name in longer if name.removesuffix("_long") not in self.default], [])

    def test_contributing_tells_what_long_has(self) -> None:
        text = (project / "CONTRIBUTING.md").read_text().partition("## Tests")[2]
        patterns = [p for cell in ROW.findall(text) for p in re.findall(r"`([\w.*]+\.[\w.*]+)`", cell)]
        self.assertEqual([n for n in self.only_long() if not any(fnmatchcase(n, p) for p in patterns)], [])
        self.assertEqual([p for p in patterns if not any(fnmatchcase(n, p) for n in self.only_long())], [])


if __name__ == "__main__":
    build, project = Path(sys.argv.pop()).resolve(), Path(sys.argv.pop()).resolve()
    unittest.main()
