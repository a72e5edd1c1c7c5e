# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""How much is compared, and whether that is less than coverage.toml says."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

from .model import Witness

LEAST = Path(__file__).with_name("coverage.toml")


def words(found: Witness) -> str:
    """How much there is."""
    return ", ".join(f"{count} {what}" for what, count in found.counts().items())


def lost(headers: Witness, release: int) -> Iterator[str]:
    """What there is less of than there was."""
    least = tomllib.loads(LEAST.read_text())
    newest = max(number for number in map(int, least.keys() - {"own"}) if number <= release)  # what is newer has more
    for part, found in ((str(newest), headers.part(own=False)), ("own", headers.part(own=True))):
        counts = found.counts()
        for what, number in least[part].items():
            if counts[what] < number:
                yield f"{LEAST.name}: [{part}] {what}: {counts[what]} are compared, and {number} were"


def learn(headers: Witness, release: int) -> None:
    """Take down how much there is of a release."""
    section = f"[{release}]\n" + "".join(f"{what} = {count}\n" for what, count in headers.part(own=False).counts().items())
    others = re.sub(rf"^\[{release}\]\n(?:\w+ = \d+\n)*\n?", "", LEAST.read_text(), flags=re.M)
    before, own, after = others.partition("[own]")
    LEAST.write_text(f"{before}{section}\n{own}{after}")
