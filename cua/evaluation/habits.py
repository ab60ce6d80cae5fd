"""Which habits the agent has in a run; off, to see what each of them is worth."""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace

from ..agent.checks.options import BARE, CheckOptions

GATE = "gate"
NAMES = (*(each.name for each in fields(CheckOptions)), GATE)


@dataclass(frozen=True)
class Habits:
    """The loop's craft, and whether the person is asked about risky actions."""

    craft: CheckOptions = field(default_factory=CheckOptions)
    gate: bool = True

    def without(self, *names: str) -> Habits:
        craft = replace(self.craft, **{name: False for name in names if name != GATE})
        return Habits(craft, self.gate and GATE not in names)


USUAL, NONE = Habits(CheckOptions(ask_again=True)), Habits(BARE, gate=False)
"""Settings have `ask_again` off, since it costs a reply a task."""
ALL = Habits(replace(USUAL.craft, second_opinion=True))
"""A second opinion costs another reply."""
