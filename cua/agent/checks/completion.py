"""Rejects a claim to be done, with the final screen, if there is evidence against it.

Evidence: the screen has changed since the model saw it, or its last action was not executed. The
first claim may be rejected in any case, which costs one reply per task: models tend to report what
they intended.
"""

from __future__ import annotations

from ...messages import Message
from ...types import Frame, Inputs, Outcome, Screen, Step, Task
from . import image_diff
from .check import Check
from .stable_screenshot import take_stable

MAX_OBJECTIONS = 3
"""Claims rejected at most since the person's last input."""


class Completion(Check):
    """`ask_again`: reject the first claim without evidence too."""

    def __init__(self, screen: Screen, inputs: Inputs, *, ask_again: bool) -> None:
        self._screen, self._inputs, self._ask_again = screen, inputs, ask_again

    async def before_done(self, task: Task) -> Outcome | None:
        now = await take_stable(self._screen, self._inputs)
        steps = task.steps_since_user
        before = [step for step in steps[:-1] if step.outcome]
        claims = sum(step.outcome.is_handed_back for step in before if step.outcome)
        if claims >= MAX_OBJECTIONS:
            return None
        reason = await _find_evidence(before, steps[-1], now)
        if not reason and (claims or not self._ask_again):
            return None
        return Outcome("unproven", Message("agent.unproven", reason=reason))


async def _find_evidence(before: list[Step], step: Step, now: Frame) -> str:
    last = before[-1].outcome if before else None
    if last and not (last.ok or last.is_handed_back):
        return Message("agent.evidence.not_executed")
    if now.size != step.frame.size:
        return Message("agent.evidence.resized")
    found = await image_diff.find_plain_changes(step.frame, now)
    if found - image_diff.moving_cells(step.frame, now):
        return Message("agent.evidence.changed")
    return ""
