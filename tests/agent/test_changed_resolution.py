"""A computer that switches to another resolution in the middle of a task."""

from __future__ import annotations

import pytest

from cua.agent.checks.options import CheckOptions
from cua.evaluation.environments import SIMULATED
from cua.evaluation.run import Job, run
from cua.evaluation.task import select_tasks
from cua.messages import Message
from cua.types import Ask, Done
from tests.agent.checks.agent_run import AgentRun
from tests.agent.checks.drawn import screen
from tests.evaluation.scripted_agents import scripted

CLICK = "mouse 0.5 0.5 1"
SMALL, LARGE = screen(), screen(size=(1920, 1080))


@pytest.mark.parametrize("dialect", ["kvm", pytest.param("json", marks=pytest.mark.slow)])
async def test_a_task_comes_to_its_end(dialect: str) -> None:
    """The screen gets smaller, then larger. The slow tests of tests/evaluation have the others."""
    [task] = select_tasks("disturbed/resized-twice", SIMULATED.tasks)
    result = await run(Job(SIMULATED, task, scripted("perfect", dialect), seed=1))
    assert result.success, f"{result.ending}: {result.trouble}"
    assert result.ending == "done"


async def test_a_click_is_held_back_and_the_model_hears_of_the_new_size() -> None:
    agent = AgentRun([SMALL, LARGE], CLICK, "keyboard ENTER", "Done")
    assert isinstance(await agent.run(), Done)
    assert agent.clicks == 0
    assert "Not executed" in agent.model.request_text(1)
    frames = [SMALL, SMALL, LARGE]
    agent = AgentRun(frames, CLICK, "Done", options=CheckOptions(completion=False))
    assert isinstance(await agent.run(), Done)
    effects = [
        event.data["words"] for event in agent.log.in_memory_since(0) if event.kind == "effect"
    ]
    assert effects == [Message("agent.change.resized")]


async def test_what_was_done_on_another_screen_is_no_repetition() -> None:
    sizes = [screen(size=(1280, 720 + 8 * n)) for n in range(8)]
    looks = [frame for frame in sizes for _ in range(2)]  # for the model, and before the click
    agent = AgentRun(looks, *[CLICK] * 7, "Done", options=CheckOptions(completion=False))
    assert not isinstance(await agent.run(), Ask)
    assert "You have done this" not in "".join(agent.model.request_text(n) for n in range(8))
