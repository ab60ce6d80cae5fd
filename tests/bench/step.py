"""What a step costs beyond the model: from one request to the next, the model answering at once."""

from __future__ import annotations

import asyncio
import base64
import itertools
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from cua import dialects
from cua.agent import Agent
from cua.approval import Unattended
from cua.craft import Craft
from cua.craft.budget import Budget
from cua.events import EventLog
from cua.hid import Hands
from cua.hid.gadget import Gadget
from cua.hid.reports import keyboard
from cua.screen import MjpegScreen
from cua.types import Point, Reply, Task
from tests.rooms import ScriptedModel

from . import vendors_hands
from .meter import MS, between
from .rows import Row
from .stage import camera, reading, usb_host
from .vendors_eyes import capture

STEPS = 12
THEIR_STEPS = 5
BEFORE_CAPTURE = 0.5
CLICKS = ["mouse 0.25 0.5 1", "mouse 0.75 0.5 1"]
PLACE = Point(x=0.25, y=0.5)
KEY = [(0, keyboard(0, [0x28]), 0.02), (0, keyboard(), 0.02)]


class Case(NamedTuple):
    name: str
    commands: Sequence[str]
    """Each step's in turn."""
    reports: Sequence[vendors_hands.Held]
    rest: float
    """Seconds that the vendor's way sleeps after the reports."""
    wanted: str


CASES = [
    Case("no action", ["sleep 0"], [], 0.1, "<= 250"),
    Case("key", ["keyboard ENTER"], KEY, 0.1, "<= 300"),
    Case("click", CLICKS, list(vendors_hands.click(PLACE)), 0.6, "<= 400"),
]


class Timed(ScriptedModel):
    """Needs no time; notes when it was asked."""

    def __init__(self, *replies: str) -> None:
        super().__init__(*replies)
        self.asked: list[float] = []

    async def complete(self, *arguments: Any, **more: Any) -> Reply:
        self.asked.append(time.perf_counter())
        return await super().complete(*arguments, **more)


async def rows(folder: Path) -> list[Row]:
    found = []
    with camera("--stamped") as url, usb_host(folder) as host:
        for case in CASES:
            async with reading(url) as screen:
                spent = time.process_time()
                ours = await _ours(screen, host.prefix, case.commands)
                spent = (time.process_time() - spent) / STEPS * MS
            theirs = await asyncio.to_thread(_theirs, url, host.prefix, case)
            what = f"`{case.commands[0]}`, screen at rest, from request to request"
            found.append(Row(f"step: {case.name}", "ms", ours, theirs, what, case.wanted))
            cpu = "a step, the reading of the stream with it"
            found.append(Row("... CPU", "ms", [spent], what=cpu))
    return found


async def _ours(screen: MjpegScreen, prefix: str, commands: Sequence[str]) -> list[float]:
    model = Timed(*itertools.islice(itertools.cycle(commands), STEPS), "Done")
    gadget = Gadget(prefix)
    gadget.release_everything()
    agent = Agent(
        screen,
        model,
        dialects.create("kvm"),
        Hands(gadget),
        EventLog(),
        gate=Unattended(),
        prompt=dialects.default_prompt("kvm"),
        keep=3,
        budget=Budget(rounds=STEPS + 1),
        craft=Craft(unstick=False),  # it does the same again and again
    )
    await agent.run(Task("measure"))
    gadget.close()
    return between(model.asked)


def _theirs(url: str, prefix: str, case: Case) -> list[float]:
    asked = []
    for _ in range(THEIR_STEPS + 1):
        time.sleep(BEFORE_CAPTURE)
        base64.b64encode(capture(url))
        asked.append(time.perf_counter())
        vendors_hands.play(prefix, case.reports)
        time.sleep(case.rest)
    return between(asked)
