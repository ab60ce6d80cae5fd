"""What a step costs beyond the model: from one request to the next, the model answering at once."""

from __future__ import annotations

import itertools
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from cua.agent.budget import Budget
from cua.agent.checks.options import CheckOptions, make_checks
from cua.agent.loop import Agent
from cua.dialects import prompting, registry
from cua.events.log import EventLog
from cua.hid.gadget import Gadget
from cua.hid.inputs import HidInputs
from cua.safety.approval import AllowAll
from cua.screen.video_screen import VideoScreen
from cua.types import Reply, Task
from tests.support.fakes import ScriptedModel

from .meter import MS, between
from .rows import Row
from .stage import camera, reading, usb_host

STEPS = 12
CLICKS = ["mouse 0.25 0.5 1", "mouse 0.75 0.5 1"]


class Case(NamedTuple):
    name: str
    commands: Sequence[str]
    """Each step's in turn."""
    wanted: str
    wanted_cpu: str


CASES = [
    Case("no action", ["sleep 0"], "<= 250", "<= 10"),
    Case("key", ["keyboard ENTER"], "<= 300", "<= 15"),
    Case("click", CLICKS, "<= 400", "<= 20"),
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
        async with reading(url) as screen:
            await _steps(screen, host.prefix, CLICKS)  # imports what a step needs
        for case in CASES:
            async with reading(url) as screen:
                spent = time.process_time()
                ours = await _steps(screen, host.prefix, case.commands)
                spent = (time.process_time() - spent) / STEPS * MS
            what = f"`{case.commands[0]}`, screen at rest, from request to request"
            found.append(Row(f"step: {case.name}", "ms", ours, what, case.wanted))
            cpu = "a step, the reading of the stream with it"
            found.append(Row(f"step: {case.name}, CPU", "ms", [spent], cpu, case.wanted_cpu))
    return found


async def _steps(screen: VideoScreen, prefix: str, commands: Sequence[str]) -> list[float]:
    model = Timed(*itertools.islice(itertools.cycle(commands), STEPS), "Done")
    gadget = Gadget(prefix)
    gadget.release(everything=True)
    inputs, log = HidInputs(gadget), EventLog()
    options = CheckOptions(loop_detection=False)  # it does the same again and again
    agent = Agent(
        screen,
        model,
        registry.create("kvm"),
        inputs,
        log,
        gate=AllowAll(),
        prompt=prompting.default_prompt("kvm"),
        keep=3,
        budget=Budget(rounds=STEPS + 1),
        checks=make_checks(options, screen, inputs, model, log),
    )
    await agent.run(Task("measure"))
    gadget.close()
    return between(model.asked)
