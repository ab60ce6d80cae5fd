"""Run a model on the simulated computer with the parts that drive a real one."""

from __future__ import annotations

import asyncio
import json
import urllib.request
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Any

from cua.agent.budget import Budget
from cua.agent.checks.options import CheckOptions, make_checks
from cua.agent.loop import Agent
from cua.dialects import prompting, registry
from cua.events.log import EventLog
from cua.hid.gadget import Gadget
from cua.hid.inputs import HidInputs
from cua.kvms.simulated_computer import SimulatedComputer
from cua.safety.approval import AllowAll
from cua.screen.http_stream import mjpeg
from cua.screen.video_screen import VideoScreen
from cua.types import Click, Ending, Model, Point, Task

MAX_STEPS = 30
SIZE = (1280, 720)


class SimulatedRun:
    """One task on one simulated computer."""

    def __init__(self, agent: Agent, inputs: HidInputs, state_url: str) -> None:
        self.agent, self.inputs, self._url = agent, inputs, state_url
        self.task = Task("")

    async def run(
        self,
        goal: str = "",
        wrong: dict[int, tuple[float, float]] | None = None,
        by_hand: dict[int, str] | None = None,
        max_steps: int = MAX_STEPS,
    ) -> Ending:
        """Do steps until it ends; before step n a person clicks at `wrong[n]`.

        Or they take over and open the program `by_hand[n]`.
        """
        if goal:
            self.task = Task(goal)
            await self.agent.model.begin(self.task)
        for _ in range(max_steps):
            if at := (wrong or {}).get(len(self.task.steps) + 1):
                await self.inputs.perform(Click(at=Point(x=at[0], y=at[1])))
            if name := (by_hand or {}).get(len(self.task.steps) + 1):
                await self.open_by_hand(name)
            if ending := await self.agent.step(self.task):
                return ending
        raise AssertionError(f"no end:\n{self.replies()}")

    async def open_by_hand(self, name: str) -> None:
        state = await self.state()
        ((x, y, w, h),) = [rect for _, label, rect in state["icons"] if label == name]
        at = Point(x=(x + w / 2) / state["size"][0], y=(y + h / 2) / state["size"][1])
        await self.inputs.perform(Click(at=at, count=2))
        self.task.by_hand = "Meanwhile the person did this by hand: Double-click."

    def replies(self) -> str:
        """Return all replies, for a test that fails."""
        return "\n".join(step.reply.text for step in self.task.steps if step.reply)

    async def state(self) -> dict[str, Any]:
        answer: dict[str, Any] = json.loads(await asyncio.to_thread(self._fetch))
        return answer

    def _fetch(self) -> bytes:
        with urllib.request.urlopen(self._url, timeout=10) as answer:
            body: bytes = answer.read()
        return body


@asynccontextmanager
async def simulated_run(
    model: Model, dialect: str = "kvm", size: tuple[int, int] = SIZE, **scenario: Any
) -> AsyncIterator[SimulatedRun]:
    """`size`: of the screenshots that the model gets."""
    computer = SimulatedComputer("--scenario", json.dumps(scenario))
    gadget, log = Gadget(computer.hid_prefix), EventLog()
    reading: asyncio.Task[None] | None = None
    try:
        addresses = await computer.addresses()
        screen = VideoScreen(mjpeg(addresses["stream"]), log, lambda *_: size)
        reading = asyncio.create_task(screen.run())
        inputs = HidInputs(gadget)
        options = CheckOptions(completion=False)  # it looks at the screen itself before it says so
        agent = Agent(
            screen,
            model,
            registry.create(dialect),
            inputs,
            log,
            gate=AllowAll(),
            prompt=prompting.default_prompt(dialect),
            keep=3,
            budget=Budget(rounds=MAX_STEPS),
            checks=make_checks(options, screen, inputs, model, log),
        )
        yield SimulatedRun(agent, inputs, addresses["state"])
    finally:
        if reading:
            reading.cancel()
            with suppress(asyncio.CancelledError):
                await reading
        gadget.close()
        await asyncio.to_thread(computer.stop)
