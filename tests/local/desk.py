"""A model at the virtual computer, through the very rooms that drive a real one."""

from __future__ import annotations

import asyncio
import json
import urllib.request
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Any

from cua import dialects
from cua.agent import Agent
from cua.approval import Unattended
from cua.craft import Craft
from cua.craft.budget import Budget
from cua.demo import VirtualComputer
from cua.events import EventLog
from cua.hid import Hands
from cua.hid.gadget import Gadget
from cua.screen import MjpegScreen
from cua.screen.stream import mjpeg
from cua.types import Click, Ending, Model, Point, Task

MOST = 30
SIZE = (1280, 720)


class Desk:
    """One task at one computer."""

    def __init__(self, agent: Agent, hands: Hands, state_url: str) -> None:
        self.agent, self.hands, self._url = agent, hands, state_url
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
                await self.hands.perform(Click(at=Point(x=at[0], y=at[1])))
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
        hands = Hands(gadget)
        craft = Craft(check_done=False)  # it looks at the screen itself before it says so
        agent = Agent(
            screen,
            model,
            dialects.create(dialect),
            hands,
            log,
            gate=Unattended(),
            prompt=dialects.default_prompt(dialect),
            keep=3,
            budget=Budget(rounds=MOST),
            craft=craft,
        )
        yield Desk(agent, hands, addresses["state"])
    finally:
        if reading:
            reading.cancel()
            with suppress(asyncio.CancelledError):
                await reading
        gadget.close()
        await asyncio.to_thread(computer.stop)
