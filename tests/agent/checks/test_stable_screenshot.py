"""What the model sees is stable, longer after a click; what a check compares is taken at once."""

from __future__ import annotations

from dataclasses import replace

import pytest

from cua.agent.checks.options import CheckOptions
from cua.types import Frame
from tests.agent.checks.agent_run import AgentRun
from tests.support.fakes import StillScreen
from tests.support.scripted_session import BARE


class Asked(StillScreen):
    def __init__(self) -> None:
        super().__init__()
        self.asked: list[tuple[float, float]] = []
        """For how long the screen has to be stable, and for how long to wait for it."""

    async def take_screenshot(self, since: float, stable_s: float, timeout_s: float) -> Frame:
        self.asked.append((stable_s, timeout_s))
        return await super().take_screenshot(since, stable_s, timeout_s)


@pytest.mark.parametrize("wake", [True, False])
async def test_the_model_sees_a_stable_screen_and_a_check_looks_at_once(wake: bool) -> None:
    screen, options = Asked(), CheckOptions(completion=False, wake=wake)
    replies = "keyboard TAB", "mouse 0.5 0.5 1", "Done"
    await AgentRun([], *replies, options=options, screen=screen).run()
    soon, after_click, at_once = (0.18, 3.0), (0.26, 3.0), (0.0, 0.0)
    assert screen.asked == [soon, at_once, soon, at_once, after_click]


@pytest.mark.parametrize("wake", [True, False])
async def test_without_the_check_the_model_sees_the_screen_of_half_a_second_later(
    wake: bool,
) -> None:
    screen, options = Asked(), replace(BARE, wake=wake)
    await AgentRun([], "keyboard TAB", "Done", options=options, screen=screen).run()
    assert screen.asked == [(0.5, 0.0), (0.0, 0.0), (0.5, 0.0)]
