# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""Each link of the installed guide leads somewhere, and so do those of the pages behind it: python3 links.py GUIDE"""

from __future__ import annotations

import re
import sys
from pathlib import Path

LINK = re.compile(r"\]\(([^)#]+)(?:#[^)]*)?\)")
CODE = re.compile(r"^```.*?^```$|`[^`\n]*`", re.MULTILINE | re.DOTALL)
FEWEST = 400  # pages: all structures and enums are behind the guide


def links(page: Path) -> list[str]:
    return [link for link in LINK.findall(CODE.sub("", page.read_text())) if "://" not in link]


def main() -> int:
    todo = [Path(sys.argv[1]).resolve()]
    seen, dead = set(todo), []
    while todo:
        page = todo.pop()
        for link in links(page):
            target = (page.parent / link).resolve()
            if not target.exists():
                dead.append(f"{page}: {link}\n")
            elif target.suffix == ".md" and target not in seen:
                seen.add(target)
                todo.append(target)
    if len(seen) < FEWEST:
        dead.append(f"only {len(seen)} pages\n")
    sys.stderr.writelines(sorted(dead))
    return bool(dead)


sys.exit(main())
