"""What the model hears, and what is left out where its server cannot take all of it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from cua.types import ChatMessage, Done, Frame, ModelLimit
from tests.agent.checks.agent_run import AgentRun
from tests.agent.checks.drawn import screen
from tests.support.scripted_session import BARE


def steps(request: list[ChatMessage]) -> int:
    return sum(message.role == "user" for message in request)


async def test_where_one_screenshot_is_too_much_older_steps_are_left_out() -> None:
    replies = ["#! the code is 4711\nsleep 0", *["sleep 0"] * 6]
    limits = ["too large"] * 3
    agent = AgentRun([screen()], *replies, *limits, "Done", options=replace(BARE, model_notes=True))
    agent.task.inbox.append("be careful")
    assert isinstance(await agent.run(), Done)
    last = agent.model.requests[-1]
    assert steps(agent.model.requests[-4]) == 8
    assert steps(last) == 2  # 3 screenshots, 1, half of the steps, half of those
    first = "\n".join(part for part in last[1].parts if isinstance(part, str))
    assert first.startswith("do it\n(6 earlier steps are left out here.)")
    assert "- the code is 4711" in first
    assert "The person says: be careful" in first


async def test_a_request_that_cannot_be_made_smaller_fails() -> None:
    agent = AgentRun([screen()], *["too large"] * 4, options=replace(BARE, model_notes=True))
    with pytest.raises(ModelLimit):
        await agent.run()


async def test_a_server_that_takes_no_image_at_all_fails_with_what_to_do() -> None:
    agent = AgentRun([screen()], "sleep 0", "sleep 0", "at most 1", "at most 1")
    with pytest.raises(ModelLimit, match="Choose another model"):
        await agent.run()


async def test_images_of_the_person_count_against_the_limit_of_the_server() -> None:
    agent = AgentRun([screen()], *["sleep 0"] * 4, "at most 3 images", *["sleep 0"] * 2, "Done")
    agent.task.references = [replace(screen(), name=name) for name in "ab"]
    assert isinstance(await agent.run(), Done)
    counts = [
        sum(isinstance(part, Frame) for message in request for part in message.parts)
        for request in agent.model.requests
    ]
    assert counts[:5] == [3, 4, 5, 4, 5]
    assert set(counts[5:]) == {3}
