"""The state of one computer during a run, from the events of its log."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ..events.log import Event
from ..exit_codes import CANNOT_START, DONE, FAILED, OUT_OF_BUDGET, QUESTION

WAITING, RUNNING, INTERRUPTED, NOT_BEGUN = "waiting", "running", "interrupted", "not begun"
STATES = {
    DONE: "done",
    QUESTION: "question",
    OUT_OF_BUDGET: "limit",
    FAILED: "failed",
    CANNOT_START: "no start",
}
"""Exit code -> state, from the best to the worst."""


@dataclass
class Row:
    name: str
    task: str = ""
    state: str = WAITING
    code: int | None = None
    """The exit code; None: it has not ended."""
    step: int = 0
    sentence: str = ""
    cost: float = 0.0
    began: float = 0.0
    """Monotonic time at which it began; 0: it has not."""
    took_s: float = 0.0
    record: str = ""
    """Its record's folder, relative to the run's."""
    picture: str = ""
    """The last screenshot's file, relative to the run's folder."""

    @property
    def seconds(self) -> float:
        return time.monotonic() - self.began if self.state == RUNNING else self.took_s

    def begin(self) -> None:
        self.state, self.began = RUNNING, time.monotonic()

    def end(self, state: str, code: int | None = None) -> None:
        self.took_s = self.seconds
        self.state, self.code = state, code

    def apply_event(self, event: Event) -> None:
        data = event.data
        if event.kind in ("reply", "failed"):
            self.cost += data.get("cost") or 0.0
        if event.kind == "reply":
            self.step = data["step"]
            words = data["thought"] or "; ".join(each["words"] for each in data["actions"])
            self.sentence = words.strip().rpartition("\n")[2] or self.sentence
        elif event.kind == "approval":
            self.sentence = f"Needs your yes: {data['words']}. {data['why']}"
        elif event.kind in ("question", "done", "failed"):
            self.sentence = str(data["text"]) or self.sentence

    def as_line(self) -> str:
        return " ".join(f"{self.name}: {self.state}, step {self.step}. {self.sentence}".split())

    def as_json(self) -> dict[str, Any]:
        names = ("name", "task", "state", "code", "step", "sentence", "record", "picture")
        figures = {"seconds": round(self.seconds, 1), "cost": round(self.cost, 6)}
        return {**{name: getattr(self, name) for name in names}, **figures}


def count_states(rows: Sequence[Row]) -> str:
    return ", ".join(f"{count} {state}" for state, count in Counter(r.state for r in rows).items())


def worst(codes: list[int]) -> int:
    """Return the worst exit code; 0 if there is none."""
    return max(codes, key=list(STATES).index, default=0)
