"""The loop of the agent on given frames."""

from __future__ import annotations

import itertools
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace

from cua.agent.budget import Budget
from cua.agent.checks.options import CheckOptions, make_checks
from cua.agent.loop import Agent
from cua.dialects import registry
from cua.events.log import EventLog
from cua.hid.inputs import HidInputs
from cua.safety.approval import AllowAll
from cua.types import Frame, Screen, Task
from tests.support.devices import Recorder, interpret
from tests.support.fakes import ScriptedModel, StillScreen


class Shown(StillScreen):
    """A screen that shows frames in turn, one for each look; the last one again and again.

    A step that acts looks twice: for its screenshot, and before its first action.
    """

    def __init__(self, *frames: Frame) -> None:
        super().__init__()
        self.frames = itertools.chain(frames, itertools.repeat(frames[-1]))
        self.looks = 0

    async def take_screenshot(self, since: float, stable_s: float, timeout_s: float) -> Frame:
        self.looks += 1
        return replace(next(self.frames), seq=self.looks, at=time.monotonic())


class AgentRun:
    """The loop on a screen that shows `frames` in turn."""

    def __init__(
        self,
        frames: Sequence[Frame],
        *replies: str,
        options: CheckOptions | None = None,
        screen: Screen | None = None,
        inputs: HidInputs | None = None,
        other_mouse: Callable[[], Awaitable[bool]] | None = None,
    ) -> None:
        self.device, self.log, self.model = Recorder(), EventLog(), ScriptedModel(*replies)
        self.task = Task("do it")
        screen, inputs = screen or Shown(*frames), inputs or HidInputs(self.device)
        self.agent = Agent(
            screen,
            self.model,
            registry.create("kvm"),
            inputs,
            self.log,
            gate=AllowAll(),
            prompt="",
            keep=3,
            budget=Budget(rounds=20),
            checks=make_checks(
                options or CheckOptions(completion=False, loop_detection=False),
                screen,
                inputs,
                self.model,
                self.log,
                other_mouse=other_mouse,
            ),
        )

    async def run(self) -> object:
        return await self.agent.run(self.task)

    @property
    def clicks(self) -> int:
        return len(interpret(self.device.reports).presses)
