"""Screenshots of a stable screen, so that the model does not see a half-drawn window.

Functions that checks share, not a check; the check that takes them is step_screenshot.py.
"""

from __future__ import annotations

from ...types import Frame, Inputs, Screen, Task

STABLE_S = 0.18
"""Seconds without a change after which a screen is stable."""
STABLE_AFTER_POINTER_S = 0.26
"""The same after a pointer action: programs take longer to begin to respond to it."""
MAX_WAIT_S = 3.0
"""Seconds to wait for a stable screen; then the newest frame is used (a video)."""
FIXED_WAIT_S = 0.5
"""Seconds to wait after the last report if the screen need not be stable."""


async def take_current(screen: Screen) -> Frame:
    """Take a screenshot at once, stable or not."""
    return await screen.take_screenshot(0.0, 0.0, 0.0)


async def take_stable(screen: Screen, inputs: Inputs) -> Frame:
    """Take a screenshot once the screen is stable after the last action."""
    return await screen.take_screenshot(inputs.last_report_at, STABLE_AFTER_POINTER_S, MAX_WAIT_S)


def get_stable_s(task: Task) -> float:
    """Return for how long the screen has to be unchanged after the last action."""
    kinds = {action.kind for action in task.steps[-1].parsed.actions} if task.steps else set()
    return STABLE_AFTER_POINTER_S if kinds & {"click", "drag"} else STABLE_S
