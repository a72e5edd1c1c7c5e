# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""What asks a handle of each kind for its raw object: python3 -m tests.unit.every_raw FILE.h"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

from gen.know import groups
from gen.plan import build
from gen.reach import known

BEGINNING = """/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* Made by tests/unit/every_raw.py. */
"""


def rows() -> Iterator[str]:
    """Of one that has none there is nothing to be asked."""
    order = groups.load()
    api, lore = known.read(order)
    kinds = build(api, lore, order).objects.types
    for k in kinds:
        if k.raw:
            yield f"\nstatic void take_{k.name}(void *object)\n{{\n\t(void)vx_{k.name}_raw(object);\n}}\n"
    yield "\nstatic const struct {\n\tuint32_t kind;\n\tvoid (*take)(void *object);\n\tconst char *name;\n} kinds[] = {\n"
    for k in kinds:
        yield f"\t{{ VX_OBJECT_{k.name.upper()}, {f'take_{k.name}' if k.raw else 'NULL'}, \"{k.name}\" }},\n"
    yield "};\n"


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(BEGINNING + "".join(rows()))
