"""The CPU of a round in the whole service: a page is open, and the model answers at once."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from tests.servers.openai_server import OpenAIServer
from tests.support.page_client import Page, page

from .meter import between, cpu
from .rows import Row
from .stage import camera, service, settings, usb_host

TASKS = 5
KEYS = ["ENTER", "TAB", "UP", "DOWN", "HOME", "END"]
PLACES = ["0.5 0.5", "0.53 0.5", "0.3 0.7", "0.7 0.3", "0.3 0.3", "0.7 0.7"]
"""The first two are near each other: after two clicks in different places that move no pointer, the
service measures the mouse."""


class Case(NamedTuple):
    name: str
    commands: Sequence[str]
    """A task's, one a round, each another one, so that no round repeats what had no effect."""
    wanted: str


CASES = [
    Case("no action", [f"sleep 0.{'0' * count}" for count in range(1, 7)], "<= 10"),
    Case("key", [f"keyboard {key}" for key in KEYS], "<= 15"),
    Case("click", [f"mouse {at} 1" for at in PLACES], "<= 20"),
]


async def rows(folder: Path) -> list[Row]:
    with camera("--stamped") as url, usb_host(folder):
        async with OpenAIServer() as model:
            with service(settings(folder, url, model.base_url)) as ours:
                async with page(ours.origin) as person:
                    await person.until("screen", state="live")
                    await _run_task(CASES[-1], model, ours.pid, person)  # imports
                    return [await _row(case, model, ours.pid, person) for case in CASES]


async def _row(case: Case, model: OpenAIServer, pid: int, person: Page) -> Row:
    samples: list[float] = []
    for _ in range(TASKS):
        samples += await _run_task(case, model, pid, person)
    what = "all of the service's processes, from request to request; screen at rest"
    return Row(f"round: {case.name}, CPU", "ms", samples, what, case.wanted)


async def _run_task(case: Case, model: OpenAIServer, pid: int, person: Page) -> list[float]:
    """The milliseconds of CPU of each round."""
    used: list[float] = []
    replies = iter([*case.commands, "Done"])

    def reply(_: object) -> dict[str, Any]:
        used.append(cpu(pid))
        return {"text": next(replies)}

    model.script = reply
    person.events.clear()
    await person.post("/api/send", text="go on")
    await person.until("status", status="done")
    return between(used)
