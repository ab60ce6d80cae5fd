"""What a run cost, read from its log."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from ..events.log import Event

PHASES = ("looking", "thinking", "acting", "waiting")


@dataclass
class Metrics:
    """Filled from the events of one run.

    `seconds` by phase: looking until there is a picture to go by, thinking by the model, acting by
    the hands, waiting where the model asked for it. `refusals` counts replies that were not carried
    out, by the reason. Tokens are 0 where the server does not tell.
    """

    steps: int = 0
    seconds: defaultdict[str, float] = field(default_factory=lambda: defaultdict(float))
    refusals: Counter[str] = field(default_factory=Counter)
    tokens_in: int = 0
    tokens_out: int = 0
    tokens_cached: int = 0
    asked: int = 0
    """Questions of the gate, of which the person refused so many:"""
    refused: int = 0
    _phase: str = ""
    _since: float = 0.0
    _planned: list[str] = field(default_factory=list)

    def add(self, events: Iterable[Event]) -> Metrics:
        for event in events:
            if event.kind in _ADD:
                _ADD[event.kind](self, event.data, event.at)
        return self

    def _enter(self, phase: str, at: float) -> None:
        if self._phase:
            self.seconds[self._phase] += at - self._since
        self._phase, self._since = phase, at

    def _phased(self, data: dict[str, Any], at: float) -> None:
        self._enter(data["phase"].replace("settling", "looking"), at)

    def _replied(self, data: dict[str, Any], at: float) -> None:
        del at
        self._planned = [action["kind"] for action in data["actions"]]
        self.tokens_in += data["tokens_in"]
        self.tokens_out += data["tokens_out"]
        self.tokens_cached += data["tokens_cached"]

    def _acted(self, data: dict[str, Any], at: float) -> None:
        waits = self._planned[data["index"]] == "wait"
        self._enter("waiting" if waits else "acting", at)

    def _asked(self, data: dict[str, Any], at: float) -> None:
        del data, at
        self.asked += 1

    def _answered(self, data: dict[str, Any], at: float) -> None:
        del at
        self.refused += data["answer"] != "allowed"

    def _stepped(self, data: dict[str, Any], at: float) -> None:
        self._enter("", at)
        self.steps += 1
        if not data["ok"]:
            self.refusals[reason(data["outcome"])] += 1


_ADD = {
    "phase": Metrics._phased,
    "reply": Metrics._replied,
    "acting": Metrics._acted,
    "approval": Metrics._asked,
    "answered": Metrics._answered,
    "step": Metrics._stepped,
}


def reason(outcome: str) -> str:
    """Return the first clause of the feedback: "not understood", "held back"."""
    if "The person refused" in outcome:
        return "refused by the person"
    return re.split(r"[,.:;(]| before ", outcome, maxsplit=1)[0].strip().lower()
