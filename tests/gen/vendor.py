# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""A tree of headers as a vendor has it: a release with what newer ones brought, things of its own, and a header of its provider.

    python3 -m tests.gen.vendor RELEASE NEWER FOLDER [TREE]

writes one into a folder, of the headers of a release, or of those in TREE.
"""

from __future__ import annotations

import re
import shutil
import sys
from pathlib import Path

from gen.reach.releases import header_tree

GUARD = re.compile(r"^#ifndef (\w+)\n#define \1$", re.M)
FIRST = "#ifndef ACME_PATCHED\n#define ACME_PATCHED 24\n#define ACME_VERSION(a, b) ((a) << 8 | (b))\n#endif\n"
FIELDS = {"ibv_port_attr": "uint32_t active_speed_ex;\n\tuint16_t acme_lanes;", "ibv_device_attr_ex": "uint64_t acme_caps;"}
FUNCTIONS = """
enum acme_mode { ACME_MODE_FAST = 1 << 0, ACME_MODE_SAFE = 1 << 1 };
struct acme_attr { uint32_t comp_mask; uint32_t mode; struct ibv_pd *pd; const char *name; };
int ibv_acme_query(struct ibv_context *context, struct acme_attr *attr);
struct ibv_acme { struct ibv_context *context; uint32_t handle; };
struct ibv_acme *ibv_create_acme(struct ibv_context *context, uint32_t level);
int ibv_destroy_acme(struct ibv_acme *acme);
static inline int ibv_acme_is_fast(const struct acme_attr *attr) { return attr->mode == ACME_MODE_FAST; }
"""
OF_PROVIDER = """#ifndef ACME_DV_H
#define ACME_DV_H
#include <infiniband/verbs.h>
#ifdef __cplusplus
extern "C" {
#endif
int acme_dv_ctx_get_lanes(struct ibv_context *context, uint8_t *lanes);
#ifdef __cplusplus
}
#endif
#endif
"""


def make(headers: Path, newer: Path, folder: Path) -> Path:
    """Patch headers, and put in whole ones of a newer release that they lack."""
    for part in ("infiniband", "rdma"):
        shutil.copytree(headers / part, folder / part)
        for path in (newer / part).glob("*dv.h"):
            if not (folder / part / path.name).exists():
                shutil.copyfile(path, folder / part / path.name)
    for path in folder.glob("*/*.h"):
        guarded = GUARD.sub(r"#ifndef ACME_\1\n#define ACME_\1", path.read_text(encoding="utf-8"))
        path.write_text(FIRST + guarded, encoding="utf-8")
    verbs = folder / "infiniband/verbs.h"
    verbs.write_text(_patched(verbs.read_text(encoding="utf-8")), encoding="utf-8")
    (folder / "infiniband/acme_dv.h").write_text(OF_PROVIDER, encoding="utf-8")
    return folder


def _patched(text: str) -> str:
    """Fields at the end of structures that lack them; functions before the end of what C++ takes for C."""
    for name, fields in FIELDS.items():
        found = re.search(rf"^struct {name} \{{\n(?:.*\n)*?(?=\}};)", text, re.M)
        assert found, name
        missing = [f"\t{f.strip()};\n" for f in fields.split(";") if f and f.split()[-1] not in found[0]]
        text = text[:found.end()] + "".join(missing) + text[found.end():]
    at = text.rindex("#ifdef __cplusplus")
    return text[:at] + FUNCTIONS + text[at:]


def main(release: int, newer: int, folder: str, tree: str = "") -> None:
    print(make(Path(tree) if tree else header_tree(release), header_tree(newer), Path(folder)))


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), *sys.argv[3:])
