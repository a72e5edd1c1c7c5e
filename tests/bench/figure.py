# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""A figure, what it should be, and what it is compared with."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Beside:
    """What a figure is compared with, measured in the same run; None where it is not on this machine."""
    name: str
    value: float | None


@dataclass(frozen=True)
class Figure:
    """A measured value, in a unit of table.UNITS; less is better, but of what should be so many times faster."""
    section: str
    name: str
    value: float
    unit: str
    target: str = ""                # such as "<= 30": what the value, in its unit, should be
    beside: list[Beside] = field(default_factory=list)

    @property
    def met(self) -> bool | None:
        """Whether the target is met; None where there is none."""
        if not self.target:
            return None
        comparison, limit = self.target.split()
        compare = {"<=": float.__le__, "<": float.__lt__, "=": float.__eq__, ">=": float.__ge__}[comparison]
        return compare(float(self.value), float(limit))

    def ratio(self, other: Beside) -> float | None:
        """How many times this figure the other is: above 1, the other is slower or larger."""
        return other.value / self.value if other.value is not None and self.value > 0 else None


def as_json(figure: Figure) -> dict[str, object]:
    """A figure as --json gives it."""
    return {
        "section": figure.section, "name": figure.name, "value": figure.value, "unit": figure.unit,
        "target": figure.target or None, "met": figure.met,
        "beside": [{"name": b.name, "value": b.value, "ratio": figure.ratio(b)} for b in figure.beside],
    }
