"""A computer that sleeps is woken before the model is asked anything."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable

import pytest

from cua.agent.checks.options import CheckOptions
from cua.agent.checks.step_screenshot import MAX_BLACK_BYTES, WAKE_ACTIONS
from cua.messages import Message
from cua.types import Done, Frame, NoSignal, ScreenError
from tests.agent.checks.agent_run import AgentRun
from tests.agent.checks.drawn import screen
from tests.servers.mjpeg_server import picture
from tests.support.devices import interpret
from tests.support.fakes import StillScreen
from tests.support.page_client import page
from tests.support.service import Service

BRIGHT = screen()
BLACK = Frame(picture(grey=0), 1280, 720, 1, 0.0)


class Sleeping(StillScreen):
    """A screen that shows something once `awake` says so."""

    def __init__(self, awake: Callable[[], bool], dark: Frame | None = None) -> None:
        super().__init__()
        self.awake, self.dark = awake, dark

    async def take_screenshot(self, since: float, stable_s: float, timeout_s: float) -> Frame:
        if not self.awake() and self.dark is None:
            raise NoSignal("No signal.")
        frame = BRIGHT if self.awake() or self.dark is None else self.dark
        return Frame(frame.jpeg, frame.width, frame.height, 1, time.monotonic())


def sleeping(
    awake: Callable[[AgentRun], bool],
    dark: Frame | None = None,
    options: CheckOptions | None = None,
) -> AgentRun:
    sleeping = Sleeping(lambda: awake(made), dark)
    made = AgentRun([BRIGHT], "Done", options=options, screen=sleeping)
    return made


def keys(agent: AgentRun) -> int:
    return sum(e == "keyboard" for e, _ in agent.device.reports)


def moved(agent: AgentRun) -> bool:
    return any(e == "pointer" for e, _ in agent.device.reports)


async def test_a_key_that_does_nothing_wakes_it() -> None:
    asleep = sleeping(lambda at: keys(at) > 0)
    assert isinstance(await asleep.run(), Done)
    assert interpret(asleep.device.reports).text == ""
    assert not moved(asleep)
    (noted,) = [each.data for each in asleep.log.in_memory_since(0) if each.kind == "log"]
    assert noted["text"] == Message("agent.woken")


async def test_where_no_key_wakes_it_the_pointer_may() -> None:
    asleep = sleeping(moved)
    assert isinstance(await asleep.run(), Done)
    done = interpret(asleep.device.reports)
    assert (done.presses, done.path[-1]) == ([], (640, 360))  # at an edge it may open something


async def test_a_black_screen_is_woken_by_the_pointer() -> None:
    asleep = sleeping(moved, BLACK)
    assert isinstance(await asleep.run(), Done)
    assert keys(asleep) == 0
    assert moved(asleep)


async def test_a_bright_screen_is_left_alone() -> None:
    detailed = screen(noise=20.0)
    assert len(detailed.jpeg) > MAX_BLACK_BYTES
    bright = sleeping(lambda _: False, detailed)
    assert isinstance(await bright.run(), Done)
    assert bright.device.reports == []


async def test_a_computer_that_is_slow_to_come_back_is_looked_at_once_more() -> None:
    looks = itertools.count(1)
    slow = sleeping(lambda _: next(looks) > 1 + len(WAKE_ACTIONS))
    assert isinstance(await slow.run(), Done)


async def test_what_nothing_wakes_is_told() -> None:
    with pytest.raises(ScreenError, match="No signal"):
        await sleeping(lambda _: False).run()


async def test_a_screen_that_stays_black_is_shown_to_the_model() -> None:
    assert isinstance(await sleeping(lambda _: False, BLACK).run(), Done)


@pytest.mark.parametrize("gate", ["risk", "always"])
async def test_who_is_to_be_asked_before_everything_is_not_woken_for_unasked(
    service: Service, gate: str
) -> None:
    service.stream.frames = [picture(grey=0)]
    service.model.script = [{"text": "Done"}] * 3
    async with page(service.origin) as person:
        await person.post("/api/settings", gate=gate)
        await person.post("/api/send", text="look")
        await person.until("status", status="done")
    moved = any(any(report) for report in service.fifos.read("pointer"))  # else: letting go of all
    assert moved == (gate == "risk")
