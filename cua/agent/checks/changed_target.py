"""Stops a reply of several actions where one of them changed the target of the next."""

from __future__ import annotations

from ...types import Inputs, Screen, Task
from .check import Check, StepResult
from .stable_screenshot import take_stable
from .stale_screen import describe_stop, get_targets, has_target_changed


class ChangedTarget(Check):
    """Compares the target of each action after the first with what the model saw."""

    def __init__(self, screen: Screen, inputs: Inputs) -> None:
        self._screen, self._inputs = screen, inputs

    async def before_action(self, task: Task, index: int) -> StepResult | None:
        if not index or not get_targets(task.steps[-1].parsed.actions[index]):
            return None
        now = await take_stable(self._screen, self._inputs)
        changed = await has_target_changed(task, index, now)
        return StepResult(describe_stop(task, index)) if changed else None
