"""What the model hears, and what is left out where its server cannot take all of it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from cua.agent.checks.options import BARE
from cua.types import ChatMessage, Done, ModelLimit
from tests.agent.checks.test_effects import screen
from tests.agent.checks.test_stale_screen import Desk


def steps(request: list[ChatMessage]) -> int:
    return sum(message.role == "user" for message in request)


async def test_where_one_screenshot_is_too_much_older_steps_are_left_out() -> None:
    replies = ["#! the code is 4711\nsleep 0", *["sleep 0"] * 6]
    limits = ["too large"] * 3
    desk = Desk([screen()], *replies, *limits, "Done", craft=replace(BARE, model_notes=True))
    desk.task.inbox.append("be careful")
    assert isinstance(await desk.run(), Done)
    last = desk.model.requests[-1]
    assert steps(desk.model.requests[-4]) == 8
    assert steps(last) == 2  # 3 screenshots, 1, half of the steps, half of those
    first = "\n".join(part for part in last[1].parts if isinstance(part, str))
    assert first.startswith("do it\n(6 earlier steps are left out here.)")
    assert "- the code is 4711" in first
    assert "The person says: be careful" in first


async def test_a_request_that_cannot_be_made_smaller_fails() -> None:
    desk = Desk([screen()], *["too large"] * 4, craft=replace(BARE, model_notes=True))
    with pytest.raises(ModelLimit):
        await desk.run()
