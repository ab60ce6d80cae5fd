"""The hooks at which a check takes part in the loop."""

from __future__ import annotations

from collections.abc import Awaitable, Iterable
from typing import NamedTuple, TypeVar

from ...types import Ending, Frame, Outcome, Step, Task

T = TypeVar("T")


class StepResult(NamedTuple):
    """The outcome of a step; with an `ending`, the run ends too."""

    outcome: Outcome
    ending: Ending | None = None


class Check:
    """Does nothing at each hook; a subclass overrides the hooks that it needs.

    The loop calls all its checks in their order, at the hooks in the order below. The last step of
    `task` is the current one, but at `take_screenshot` and `before_request` the one before. A note
    is plain English, since only the model reads it; the text of an `Outcome` is a `Message`.
    """

    async def take_screenshot(self, task: Task) -> Frame | None:  # noqa: ARG002
        """Return the next screenshot; None leaves it to the next check. Raises `ScreenError`."""
        return None

    async def before_request(self, task: Task, step: Step) -> str:  # noqa: ARG002
        """Return a note for the model; `step`, not yet in the history, has the new screenshot."""
        return ""

    def after_reply(self, step: Step) -> None:
        """Receive a reply that was parsed."""

    async def before_actions(self, task: Task) -> StepResult | None:  # noqa: ARG002
        """Return how the step ends if none of its actions should be executed."""
        return None

    async def before_approval(self, step: Step, index: int) -> None:
        """Receive the action before the person may be asked to approve it."""

    async def before_action(self, task: Task, index: int) -> StepResult | None:  # noqa: ARG002
        """Return how the step ends if action `index` and those after it should not be executed."""
        return None

    async def before_done(self, task: Task) -> Outcome | None:  # noqa: ARG002
        """Return why the model's claim to be done is rejected. Raises `ModelError`."""
        return None


async def first_result(answers: Iterable[Awaitable[T | None]]) -> T | None:
    """Return the first answer that is not None; the rest are not awaited."""
    for answer in answers:
        if (found := await answer) is not None:
            return found
    return None
