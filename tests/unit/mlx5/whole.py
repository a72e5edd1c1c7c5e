# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""usage: whole.py [LACKED]

Each builder and setter of lore has a golden WQE, and each of mlx5 an example that calls it: a new one without fails. LACKED is one that
is left out of both, to see that its lack is told.
"""

from __future__ import annotations

import re
import sys
import tomllib
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
EMU = ROOT / "tests/emu"
# What no mlx5 device writes: libmlx5 leaves these functions out.
LACKS = {"ibv_wr_atomic_write", "ibv_wr_flush"}
# The sections of Pyverbs' README on mlx5, and by what an example does the same.
SECTIONS = {"Open an mlx5 device": "vx_mlx5_ctx_open_device", "Query an mlx5 device": "vx_mlx5_ctx_query_device", "DC QPs": "vx_mlx5_wr_set_dc_addr",
            "QPs": "vx_mlx5_qp_create", "CQs": "vx_mlx5_cq_create", "VAR": "vx_mlx5_var_create", "PP": "vx_mlx5_pp_create",
            "UAR": "vx_mlx5_devx_uar_create", "DEVX objects": "vx_mlx5_devx_obj_create", "direct rules": "vx_mlx5_dr_rule_create"}
CALL = re.compile(r"\b((?:ibv|mlx5dv)_wr_(?!start|complete|abort)\w+)\(")
FUNCTION = re.compile(r"^(?:static )?\w[\w ]*[ *](\w+)\([^;{]*\)\n\{\n(.*?)^\}", re.MULTILINE | re.DOTALL)
ENTRY = re.compile(r'\{ "([^"]+)", [\w |]+, (\w+),')


def known() -> dict[str, str]:
    """Each builder and setter, and the file of lore that has it."""
    return {name: group for group in ("wr", "mlx5dv")
            for table in ("wr", "wr_set") for name in tomllib.loads((ROOT / f"gen/lore/{group}.toml").read_text(encoding="utf-8"))[table]}


def posted() -> set[str]:
    """Those that a request in a golden file was built by."""
    source = (EMU / "wqe/builders.c").read_text(encoding="utf-8")
    bodies = dict(FUNCTION.findall(source))
    built: set[str] = set()
    for golden in (EMU / "golden").glob("wqe-*.txt"):
        blocks = re.findall(r"^(\S.*)\n((?:  .*\n)*)", golden.read_text(encoding="utf-8"), re.MULTILINE)
        built |= {name for name, lines in blocks if lines and "refused" not in lines}
    found: set[str] = set()
    for name, function in ENTRY.findall(source):
        if name in built:
            found |= _calls(function, bodies)
    return found


def _calls(function: str, bodies: dict[str, str]) -> set[str]:
    """With those of the functions of the file that it calls."""
    body = bodies.get(function, "")
    return set(CALL.findall(body)).union(*(_calls(f, bodies) for f in set(re.findall(r"\b(\w+)\(", body)) & set(bodies) - {function}))


@cache
def examples_text() -> str:
    return "".join(path.read_text(encoding="utf-8") for path in (ROOT / "examples").glob("[0-9][0-9]-*.c"))


def shown() -> set[str]:
    """Those of mlx5 that an example calls, by the names of libmlx5."""
    return {f"mlx5dv_wr_{name}" for name in re.findall(r"\bvx_mlx5_wr_(\w+)\(", examples_text())}


def main(lacked: list[str]) -> int:
    """What lacks, one a line."""
    lore, goldens, examples = known(), posted() - set(lacked), shown() - set(lacked)
    wrong = [f"{name}: no golden WQE of tests/emu was built by it" for name in sorted(set(lore) - goldens - LACKS)]
    wrong += [f"{name}: has a golden WQE, and is said to have none" for name in sorted(LACKS & goldens)]
    wrong += [f"{name}: lore does not know it" for name in sorted(LACKS - set(lore))]
    wrong += [f"{name}: no example calls it" for name in sorted({n for n, group in lore.items() if group == "mlx5dv"} - examples)]
    wrong += [f"{section}: no example calls {call}()" for section, call in SECTIONS.items() if not re.search(rf"\b{call}\(", examples_text())]
    print("\n".join(wrong or ["each has one"]))
    return bool(wrong)


sys.exit(main(sys.argv[1:]))
