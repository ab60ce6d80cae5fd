"""Which habits the agent has in a run; off, to see what each of them is worth."""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace

from ..craft import BARE, Craft

GATE = "gate"
NAMES = (*(each.name for each in fields(Craft)), GATE)


@dataclass(frozen=True)
class Habits:
    """The loop's craft, and whether the person is asked about risky actions."""

    craft: Craft = field(default_factory=Craft)
    gate: bool = True

    def without(self, *names: str) -> Habits:
        craft = replace(self.craft, **{name: False for name in names if name != GATE})
        return Habits(craft, self.gate and GATE not in names)


USUAL, NONE = Habits(Craft(ask_again=True)), Habits(BARE, gate=False)
"""Settings have `ask_again` off, since it costs a reply a task."""
ALL = Habits(replace(USUAL.craft, second_opinion=True))
"""A second opinion costs another reply."""
