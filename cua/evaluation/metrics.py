"""What a run cost, read from its log."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field

from ..events.log import Event

PHASES = ("looking", "thinking", "acting", "waiting")


@dataclass
class Metrics:
    """Filled from the events of one run.

    `seconds` by phase: looking until there is a picture to go by, thinking by the model, acting by
    the input, waiting where the model asked for it. `refusals` counts replies that were not
    executed, by the kind of their outcome. Tokens are 0 where the server does not report them.
    `asked` counts the questions about risky actions, `refused` those answered with no.
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
            if event.kind in _ADD:
                _ADD[event.kind](self, event)
        return self

    def _enter(self, phase: str, at: float) -> None:
        if self._phase:
            self.seconds[self._phase] += at - self._since
        self._phase, self._since = phase, at

    def _add_phase(self, event: Event) -> None:
        self._enter(event.data["phase"].replace("settling", "looking"), event.at)

    def _add_reply(self, event: Event) -> None:
        self._planned = [action["kind"] for action in event.data["actions"]]
        self.tokens_in += event.data["tokens_in"]
        self.tokens_out += event.data["tokens_out"]
        self.tokens_cached += event.data["tokens_cached"]

    def _add_action(self, event: Event) -> None:
        waits = self._planned[event.data["index"]] == "wait"
        self._enter("waiting" if waits else "acting", event.at)

    def _add_question(self, _: Event) -> None:
        self.asked += 1

    def _add_answer(self, event: Event) -> None:
        self.refused += event.data["answer"] != "allowed"

    def _add_step(self, event: Event) -> None:
        self._enter("", event.at)
        self.steps += 1
        if not event.data["ok"]:
            self.refusals[event.data["outcome_kind"]] += 1


_ADD = {
    "phase": Metrics._add_phase,
    "reply": Metrics._add_reply,
    "acting": Metrics._add_action,
    "approval": Metrics._add_question,
    "answered": Metrics._add_answer,
    "step": Metrics._add_step,
}
