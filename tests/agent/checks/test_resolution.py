"""A computer that switches to another resolution in the middle of a task."""

from __future__ import annotations

import asyncio
import io
import json
import time
from pathlib import Path

import pytest
from PIL import Image

from cua.agent.checks.options import CheckOptions
from cua.app.computer import ControlledComputer
from cua.evaluation.environments import SIMULATED
from cua.evaluation.run import Job, run
from cua.evaluation.task import select_tasks
from cua.events.log import EventLog
from cua.hid.pointing import Mouse
from cua.messages import Message
from cua.settings import SettingsFile
from cua.types import Area, Ask, Done
from tests.agent.checks.agent_run import AgentRun
from tests.agent.checks.drawn import screen
from tests.evaluation.scripted_agents import scripted
from tests.screen.test_video_screen import reading
from tests.servers.mjpeg_server import Stream, picture

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


async def test_a_closer_look_is_of_the_screen_as_it_is_now() -> None:
    stream = Stream([picture(size=(1280, 720))])
    half = Area(left=0.5, top=0.5, right=1.0, bottom=1.0)
    async with reading(stream) as screen:
        await screen.take_screenshot(0.0, 0.1, 3.0)
        stream.frames = [picture(size=(1920, 1080), grey=60)]
        await asyncio.sleep(0.3)
        frame = await screen.take_screenshot(time.monotonic(), 0.1, 3.0)
        assert (frame.width, frame.height) == (1920, 1080)
        closer = await screen.zoom(half)
        assert Image.open(io.BytesIO(closer.jpeg)).size == (1920, 1080)


async def test_a_relative_mouse_counts_over_the_screen_as_it_is(tmp_path: Path) -> None:
    settings = tmp_path / "cfg.json"
    settings.write_text(json.dumps({"pointer": "relative", "pointer_gain": 2.0}))
    computer = ControlledComputer(SettingsFile(settings, environ={}), EventLog(), print, print)
    computer.apply_settings()
    assert computer.inputs.profile.mouse == Mouse(1280, 720, 2.0)
    computer.screen.on_resize(1920, 1080)
    assert computer.inputs.profile.mouse == Mouse(1920, 1080, 2.0)
    await computer.close()
