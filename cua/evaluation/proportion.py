"""Proportions with their 95 % confidence interval."""

from __future__ import annotations

import math
from dataclasses import dataclass

Z = 1.96
"""Standard deviations of a 95 % interval."""


@dataclass(frozen=True)
class Proportion:
    hits: int
    of: int

    @property
    def value(self) -> float:
        return self.hits / self.of if self.of else 0.0

    def interval(self) -> tuple[float, float]:
        """Return Wilson's 95 % interval."""
        if not self.of:
            return 0.0, 1.0
        square = Z * Z
        middle = (self.hits + square / 2) / (self.of + square)
        spread = Z / (self.of + square)
        spread *= math.sqrt(self.hits * (self.of - self.hits) / self.of + square / 4)
        return max(0.0, middle - spread), min(1.0, middle + spread)

    def __str__(self) -> str:
        low, high = self.interval()
        return f"{self.hits}/{self.of} = {self.value:.0%} ({low:.0%}-{high:.0%})"
