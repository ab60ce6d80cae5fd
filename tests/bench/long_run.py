"""Memory and step time of the service over many steps.

    python -m tests.bench.long_run [--steps 10000] [--tasks many|one]

The real service runs in its own process with a scripted model server, a still 1280x720 screen and a
page that holds the session. `many`: tasks of ten steps each; `one`: a single task, resumed after
every 1,000 rounds. Each row is measured at that step: memory of all processes (PSS), the time from
request to request (median of the last 100 steps) and the CPU time of a step. The last row follows
a reset.
"""

from __future__ import annotations

import argparse
import asyncio
import statistics
import sys
import tempfile
import time
from collections import deque
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

from tests.servers.mjpeg_server import Stream, serving
from tests.servers.openai_server import OpenAIServer
from tests.support.page_client import Page, page

from .camera import noisy
from .meter import MS, between, cpu, memory
from .stage import Service, service, settings, usb_host

TASK_STEPS = 10
CHECKPOINTS = (100, 200, 500, 1000, 2000, 5000, 10_000)
SAMPLE_STEPS = 100
REPLY = (
    "# The settings window is open. Its left column lists the adapters, and the right part shows "
    "the addresses of adapter {n} as they are now.\n"
    "# The page still loads, so I wait before I go on with the entry below it.\nsleep 0"
)
HEAD = "| steps | memory | step | CPU of a step |\n|---|---|---|---|"


class Model:
    """Answers each request at once and notes when it came."""

    def __init__(self, task_steps: int) -> None:
        self.server = OpenAIServer(self._answer)
        self.count = 0
        self.asked: deque[float] = deque(maxlen=SAMPLE_STEPS + 1)
        self._task_steps = task_steps

    def _answer(self, _: dict[str, Any]) -> dict[str, Any]:
        self.server.calls.clear()
        self.asked.append(time.perf_counter())
        self.count += 1
        ends = self._task_steps and self.count % self._task_steps == 0
        return {"text": "Done" if ends else REPLY.format(n=self.count)}


async def measure(folder: Path, tasks: str, steps: int) -> AsyncIterator[str]:
    """The table's rows."""
    model = Model(TASK_STEPS if tasks == "many" else 0)
    async with serving(Stream([noisy()], 30)) as url, model.server:
        with (
            usb_host(folder),
            service(settings(folder, url, model.server.base_url)) as ours,
        ):
            async with page(ours.origin) as person:
                await person.until("screen", state="live")
                working = asyncio.create_task(_work(person))
                marks = [each for each in CHECKPOINTS if each < steps]
                async for row in _rows(ours, model, [*marks, steps]):
                    yield row
                working.cancel()
                await asyncio.wait([working])
                await person.post("/api/reset")
                await asyncio.sleep(2)
                yield f"| after a reset | {memory(ours.pid)[0]:.1f} MiB | | |"


async def _work(person: Page) -> None:
    """Give it the next task, or let it go on, whenever it rests."""
    while True:
        person.events.clear()
        await person.post("/api/send", text="Set the address of the next adapter.")
        await person.find(_rests, 3600)


def _rests(event: dict[str, Any]) -> bool:
    return bool(event["kind"] == "status" and event["data"]["status"] != "running")


async def _rows(ours: Service, model: Model, marks: list[int]) -> AsyncIterator[str]:
    last, spent = 0, cpu(ours.pid)
    for mark in marks:
        while model.count < mark:
            await asyncio.sleep(0.02)
        now, count = cpu(ours.pid), model.count
        busy, last, spent = (now - spent) / (count - last) * MS, count, now
        step = statistics.median(between(model.asked))
        size = memory(ours.pid)[0]
        yield f"| {mark:,} | {size:.1f} MiB | {step:.1f} ms | {busy:.1f} ms |"


async def _print(tasks: str, steps: int) -> None:
    sys.stdout.write(f"\n{tasks}:\n\n{HEAD}\n")
    with tempfile.TemporaryDirectory() as folder:
        async for row in measure(Path(folder), tasks, steps):
            sys.stdout.write(f"{row}\n")
            sys.stdout.flush()


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.long_run", description=__doc__)
    parser.add_argument("--steps", type=int, default=10_000)
    parser.add_argument("--tasks", choices=("many", "one"), action="append")
    options = parser.parse_args()
    for tasks in options.tasks or ("many", "one"):
        asyncio.run(_print(tasks, options.steps))


if __name__ == "__main__":
    main()
