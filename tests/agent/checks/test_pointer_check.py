"""A computer that ignores the absolute pointer: seen on the screen, and worked around."""

from __future__ import annotations

import pytest

from cua.agent.checks import pointer_check
from cua.agent.checks.options import CheckOptions
from cua.hid import mouse_calibration
from cua.hid.input_profile import InputProfile
from cua.hid.inputs import HidInputs
from cua.hid.pointing import Mouse
from cua.hid.reports import Endpoint
from cua.types import Done, Frame
from tests.agent.checks.agent_run import AgentRun
from tests.agent.checks.drawn import pointer as arrow
from tests.agent.checks.drawn import screen
from tests.hid.test_mouse_calibration import SIZE, Desktop
from tests.support.fakes import StillScreen

OPTIONS = CheckOptions(
    completion=False, loop_detection=False, stale_screen=False, changed_target=False
)
CLICKS = ("mouse 0.3 0.3 1", "mouse 0.7 0.6 1")


class Firmware(Desktop):
    """It knows only the relative mouse."""

    async def write(self, endpoint: Endpoint, report: bytes) -> None:
        if endpoint == "mouse":
            await super().write(endpoint, report)


class Eyes(StillScreen):
    def __init__(self, desktop: Desktop) -> None:
        super().__init__()
        self.desktop = desktop

    async def take_screenshot(self, since: float, stable_s: float, timeout_s: float) -> Frame:
        return await self.desktop.take_screenshot(since, stable_s, timeout_s)


@pytest.mark.parametrize("second", [CLICKS[1], "mouse 0.37 0.3 1"])
async def test_two_clicks_of_which_nothing_is_seen_are_told_once(second: str) -> None:
    agent = AgentRun([screen()], CLICKS[0], second, "keyboard ENTER", "Done", options=OPTIONS)
    assert isinstance(await agent.run(), Done)
    told = [pointer_check.KEYBOARD in agent.model.request_text(n) for n in range(4)]
    assert told == [False, False, True, False]


@pytest.mark.parametrize("second", ["mouse 0.34 0.34 1", "keyboard ENTER", "mouse 0 0 1"])
async def test_a_pointer_that_need_not_have_moved_is_not_dead(second: str) -> None:
    agent = AgentRun([screen()], CLICKS[0], second, "Done", options=OPTIONS)
    await agent.run()
    assert pointer_check.KEYBOARD not in agent.model.request_text()


async def test_a_pointer_that_is_seen_is_not_dead() -> None:
    frames = [screen(), screen(), screen(arrow), screen(arrow), screen()]
    agent = AgentRun(frames, *CLICKS, "Done", options=OPTIONS)
    await agent.run()
    assert pointer_check.KEYBOARD not in agent.model.request_text()


async def test_the_other_mouse_is_measured_and_used() -> None:
    desktop = Firmware(0.8)
    inputs = HidInputs(desktop)

    async def other_mouse() -> bool:
        gain = await mouse_calibration.measure_gain(desktop, inputs)
        inputs.profile = InputProfile(mouse=Mouse(*SIZE, gain))
        return True

    replies = *CLICKS, "mouse 0.5 0.5 1", "Done"
    agent = AgentRun(
        [], *replies, options=OPTIONS, screen=Eyes(desktop), inputs=inputs, other_mouse=other_mouse
    )
    assert isinstance(await agent.run(), Done)
    assert pointer_check.CLICK_AGAIN in agent.model.request_text(2)
    assert desktop.x == pytest.approx(640, abs=8)
    assert desktop.y == pytest.approx(360, abs=8)
