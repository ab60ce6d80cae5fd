"""What a model says of itself when it says Done, looked at once more.

A claim is handed back with the final screen where what is plain speaks against it: the screen has
changed since the model saw it, or what it wanted to do last was not carried out. It may be told to
ask again in any case: a model tends to report what it intended. That costs a reply a task.
"""

from __future__ import annotations

from ..types import Done, Frame, Step, Task
from ..wording import PERSON
from . import cells
from .stuck import signature
from .telling import CARRIED_OUT

BACK = "Handed back, so it does not count as done yet:"
MEANWHILE = "Not ended yet: the person has said something meanwhile."
PATIENCE = 3
"""Times that claims are handed back at most."""
_CHECK = (
    "Check every part of the task against the new screenshot. If all of it is done, say so again; "
    "otherwise go on."
)


async def objection(task: Task, now: Frame, ask_again: bool) -> str:
    """Why the last step's Done does not count yet; "" if it does. `now`: the final screen."""
    steps = task.steps[task.stretch :]
    before = [step for step in steps[:-1] if step.outcome]
    claims = sum(step.outcome.startswith(BACK) for step in before)
    if claims >= PATIENCE:
        return ""
    fact = await _against(before, steps[-1], now)
    if ask_again and not claims:
        return f"{BACK} {fact or _doubt(steps)} {_CHECK}"
    return f"{BACK} {fact} {_CHECK}" if fact else ""


async def _against(before: list[Step], step: Step, now: Frame) -> str:
    last = before[-1] if before else None
    if last and last.outcome != CARRIED_OUT and not last.outcome.startswith((BACK, MEANWHILE)):
        return "your last reply before it was not carried out as you meant it."
    if (now.width, now.height) != (step.frame.width, step.frame.height):
        return "the screen has another size than when you saw it."
    found = await cells.plainly_changed(step.frame, now)
    if found - cells.of_areas((*step.frame.restless, *now.restless)):
        return "the screen has changed since you saw it."
    return ""


def _doubt(steps: list[Step]) -> str:
    """What is odd about a claim, without speaking plainly against it."""
    if not any(step.begun for step in steps):
        return "you have done nothing for it."
    last = steps[-2] if len(steps) > 1 else None
    if last and last.effect and last.effect.none and signature(last.done):
        return "your last action changed nothing that can be seen."
    return ""


def words(task: Task) -> str:
    """What the person has asked for, in their own words."""
    later = (step.told.partition(PERSON) for step in task.steps)
    return "\n".join([task.goal, *(f"{mark}{said}" for _, mark, said in later if mark)])


def claimed(step: Step) -> str:
    """The answer that came with the claim."""
    last = step.turn.actions[-1] if step.turn else None
    return last.answer if isinstance(last, Done) else ""
