"""What a benchmark hands back, and the table that it becomes."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

HEAD = ("figure", "ours", "the vendor's way", "ratio", "N", "wanted", "what was measured")


@dataclass(frozen=True)
class Row:
    """One figure; `ours` and `theirs` are all its samples, in `unit`.

    `paired`: they were taken in turn, so that each of ours is compared with its neighbour.
    """

    figure: str
    unit: str
    ours: Sequence[float]
    theirs: Sequence[float] = ()
    what: str = ""
    wanted: str = ""
    more_is_better: bool = False
    paired: bool = False

    @property
    def ratio(self) -> float | None:
        """How many times better ours is."""
        if not self.ours or not self.theirs:
            return None
        if self.paired:
            pairs = list(zip(self.ours, self.theirs, strict=True))
        else:
            pairs = [(statistics.median(self.ours), statistics.median(self.theirs))]
        times = statistics.median(theirs / ours if ours > 0 else 0.0 for ours, theirs in pairs)
        return 1 / times if self.more_is_better and times else times

    def as_json(self) -> dict[str, Any]:
        return {**asdict(self), "ratio": self.ratio}

    def cells(self) -> tuple[str, ...]:
        ratio = f"{self.ratio:.2g}" if self.ratio and self.ratio < 100 else f"{self.ratio or 0:.0f}"
        counts = [str(len(samples)) for samples in (self.ours, self.theirs) if samples]
        return (
            self.figure,
            spread(self.ours, self.unit),
            spread(self.theirs, self.unit),
            ratio if self.ratio else "",
            "/".join(dict.fromkeys(counts)),
            self.wanted,
            self.what,
        )


def spread(samples: Sequence[float], unit: str) -> str:
    """The median, then the least and the greatest."""
    if not samples:
        return "-"
    middle = f"**{_short(statistics.median(samples))}** {unit}"
    if len(samples) == 1:
        return middle
    return f"{middle} ({_short(min(samples))}..{_short(max(samples))})"


def table(rows: Sequence[Row]) -> str:
    lines = [HEAD, ("---",) * len(HEAD), *(row.cells() for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _short(value: float) -> str:
    if abs(value) >= 100 or value == int(value):
        return f"{value:.0f}"
    return f"{value:.1f}" if abs(value) >= 10 else f"{value:.2f}"
