"""A model at the virtual computer, through the very rooms that drive a real one."""

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
from cua.dialects import registry
from cua.events.log import EventLog
from cua.hid.gadget import Gadget
from cua.hid.inputs import HidInputs
from cua.kvms.virtual_process import VirtualComputer
from cua.safety.approval import Unattended
from cua.screen.http_stream import mjpeg
from cua.screen.mjpeg_screen import MjpegScreen
from cua.types import Click, Ending, Model, Point, Task

MOST = 30
SIZE = (1280, 720)


class Desk:
    """One task at one computer."""

    def __init__(self, agent: Agent, inputs: HidInputs, state_url: str) -> None:
        self.agent, self.inputs, self._url = agent, inputs, state_url
        self.task = Task("")

    async def work(
        self,
        goal: str = "",
        wrong: dict[int, tuple[float, float]] | None = None,
        most: int = MOST,
    ) -> Ending:
        """Steps until it ends; before step n somebody clicks at `wrong[n]`."""
        if goal:
            self.task = Task(goal)
        for _ in range(most):
            if at := (wrong or {}).get(len(self.task.steps) + 1):
                await self.inputs.perform(Click(at=Point(x=at[0], y=at[1])))
            if ending := await self.agent.step(self.task):
                return ending
        raise AssertionError(f"no end in sight:\n{self.story()}")

    def story(self) -> str:
        """All replies, for a test that fails."""
        return "\n".join(step.reply.text for step in self.task.steps if step.reply)

    async def truth(self) -> dict[str, Any]:
        answer: dict[str, Any] = json.loads(await asyncio.to_thread(self._fetch))
        return answer

    def _fetch(self) -> bytes:
        with urllib.request.urlopen(self._url, timeout=10) as answer:
            body: bytes = answer.read()
        return body


@asynccontextmanager
async def desk(
    model: Model, dialect: str = "kvm", size: tuple[int, int] = SIZE, **scenario: Any
) -> AsyncIterator[Desk]:
    """`size`: in which its screenshots go to the model."""
    computer = VirtualComputer("--scenario", json.dumps(scenario))
    gadget, log = Gadget(computer.hid_prefix), EventLog()
    reading: asyncio.Task[None] | None = None
    try:
        addresses = await computer.addresses()
        screen = MjpegScreen(mjpeg(addresses["stream"]), log, lambda *_: size)
        reading = asyncio.create_task(screen.run())
        inputs = HidInputs(gadget)
        options = CheckOptions(check_done=False)  # it looks at the screen itself before it says so
        agent = Agent(
            screen,
            model,
            registry.create(dialect),
            inputs,
            log,
            gate=Unattended(),
            prompt=registry.default_prompt(dialect),
            keep=3,
            budget=Budget(rounds=MOST),
            checks=make_checks(options, screen, inputs, model, log),
        )
        yield Desk(agent, inputs, addresses["state"])
    finally:
        if reading:
            reading.cancel()
            with suppress(asyncio.CancelledError):
                await reading
        gadget.close()
        await asyncio.to_thread(computer.stop)
