"""Steps, time and tokens of a run, from its log."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field

from ..events.log import Event

PHASES = ("looking", "thinking", "acting", "waiting")


@dataclass
class Metrics:
    """The numbers of one run.

    `seconds`: phase -> time: looking for a stable picture, thinking by the model, acting by the
    input, waiting as the model requested. `refusals`: kind of outcome -> number of replies that
    were not executed. Tokens are 0 if the server does not report them. `asked`: number of
    questions about risky actions, `refused`: of those answered with no.
    """

    steps: int = 0
    seconds: defaultdict[str, float] = field(default_factory=lambda: defaultdict(float))
    refusals: Counter[str] = field(default_factory=Counter)
    tokens_in: int = 0
    tokens_out: int = 0
    tokens_cached: int = 0
    asked: int = 0
    refused: int = 0
    _phase: str = ""
    _since: float = 0.0
    _planned: list[str] = field(default_factory=list)

    def add(self, events: Iterable[Event]) -> Metrics:
        for event in events:
            data = event.data
            match event.kind:
                case "phase":
                    self._enter(data["phase"].replace("settling", "looking"), event.at)
                case "reply":
                    self._planned = [action["kind"] for action in data["actions"]]
                    self.tokens_in += data["tokens_in"]
                    self.tokens_out += data["tokens_out"]
                    self.tokens_cached += data["tokens_cached"]
                case "acting":
                    waits = self._planned[data["index"]] == "wait"
                    self._enter("waiting" if waits else "acting", event.at)
                case "approval":
                    self.asked += 1
                case "answered":
                    self.refused += data["answer"] != "allowed"
                case "step":
                    self._enter("", event.at)
                    self.steps += 1
                    self.refusals.update([] if data["ok"] else [data["outcome_kind"]])
        return self

    def _enter(self, phase: str, at: float) -> None:
        if self._phase:
            self.seconds[self._phase] += at - self._since
        self._phase, self._since = phase, at
