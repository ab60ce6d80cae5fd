"""What a benchmark returns, and the table that it becomes."""

from __future__ import annotations

import json
import statistics
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

HEAD = ("figure", "now", "last", "ratio", "N", "wanted", "what was measured")
FIGURES = Path(__file__).parent / "figures.json"
"""The medians of the last run with `--renew`, by figure."""


@dataclass(frozen=True)
class Row:
    """One figure; `samples` are in `unit`."""

    figure: str
    unit: str
    samples: Sequence[float]
    what: str = ""
    wanted: str = ""
    more_is_better: bool = False

    @property
    def median(self) -> float:
        return statistics.median(self.samples)

    def ratio(self, last: float | None) -> float | None:
        """How many times better it is now."""
        if not last or not self.median:
            return None
        return self.median / last if self.more_is_better else last / self.median

    def as_json(self) -> dict[str, Any]:
        return {**asdict(self), "median": self.median}

    def cells(self, last: float | None) -> tuple[str, ...]:
        ratio = self.ratio(last)
        return (
            self.figure,
            spread(self.samples, self.unit),
            "-" if last is None else f"{_short(last)} {self.unit}",
            "-" if ratio is None else f"{ratio:.2g}",
            str(len(self.samples)),
            self.wanted,
            self.what,
        )


def read_figures() -> dict[str, float]:
    found: dict[str, float] = json.loads(FIGURES.read_text()) if FIGURES.exists() else {}
    return found


def renew_figures(rows: Sequence[Row]) -> None:
    figures = {**read_figures(), **{row.figure: round(row.median, 3) for row in rows}}
    FIGURES.write_text(f"{json.dumps(figures, indent=1)}\n")


def spread(samples: Sequence[float], unit: str) -> str:
    """The median, then the least and the greatest."""
    if not samples:
        return "-"
    middle = f"**{_short(statistics.median(samples))}** {unit}"
    if len(samples) == 1:
        return middle
    return f"{middle} ({_short(min(samples))}..{_short(max(samples))})"


def table(rows: Sequence[Row]) -> str:
    last = read_figures()
    cells = (row.cells(last.get(row.figure)) for row in rows)
    lines = [HEAD, ("---",) * len(HEAD), *cells]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _short(value: float) -> str:
    if abs(value) >= 100 or value == int(value):
        return f"{value:.0f}"
    return f"{value:.1f}" if abs(value) >= 10 else f"{value:.2f}"
