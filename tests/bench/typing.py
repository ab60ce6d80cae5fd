"""Reports on their way to the target: typing, clicking, dragging."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path

from cua.hid.gadget import Gadget
from cua.hid.inputs import HidInputs
from cua.types import Click, Drag, ManualAction, Point, Type

from .meter import MS, between, cpu, elapsed
from .rows import Row
from .stage import Report, UsbHost, usb_host

TEXT = ("A computer or " * 15)[:200]
"""200 characters, 15 of them capitals: 430 reports."""
LEFT = Point(x=0.25, y=0.5)
MIDDLE = Point(x=0.5, y=0.5)
DRAG = Drag(path=(Point(x=0.1, y=0.5), Point(x=0.1 + 800 / 1280, y=0.5)))


@dataclass
class Runs:
    """What repeated runs of one action took; all in milliseconds but `rates`, reports a second."""

    times: list[float] = field(default_factory=list)
    cpu: list[float] = field(default_factory=list)
    rates: list[float] = field(default_factory=list)
    gaps: list[float] = field(default_factory=list)
    count: int = 0

    def add(self, reports: list[Report], cpu: float) -> None:
        self.count = len(reports)
        self.cpu.append(cpu / self.count * MS)
        self.rates.append(self.count / self.times[-1] * MS)
        self.gaps += between(report.at for report in reports)


async def rows(folder: Path) -> list[Row]:
    with usb_host(folder) as host:
        gadget = Gadget(host.prefix)
        inputs = HidInputs(gadget)
        gadget.release(everything=True)

        def used() -> float:
            return time.process_time() + cpu(gadget.writer_pid or 0)

        typed = await _runs(inputs, host, used, [Type(text=TEXT)] * 5)
        clicked = await _runs(inputs, host, used, [Click(at=LEFT), Click(at=MIDDLE)] * 5)
        dragged = await _runs(inputs, host, used, [DRAG] * 5)
        gadget.close()
    return [
        Row("typing 200: time", "ms", typed.times, _count(typed)),
        Row("typing 200: rate", "/s", typed.rates, "reports", more_is_better=True),
        Row("typing 200: gap", "ms", typed.gaps, "between reports, at the host"),
        Row("typing 200: CPU", "ms", typed.cpu, "per report, the writer process with it"),
        Row("click: time", "ms", clicked.times, _count(clicked)),
        Row("drag 800 px: time", "ms", dragged.times, _count(dragged)),
    ]


def _count(runs: Runs) -> str:
    return f"{runs.count} reports, all taken by the host"


async def _runs(
    inputs: HidInputs, host: UsbHost, used: Callable[[], float], actions: Iterable[ManualAction]
) -> Runs:
    runs = Runs()
    await _arrived(host)
    for action in actions:
        before = used()
        with elapsed(runs.times):
            await inputs.perform(action)
        spent = used() - before
        runs.add(await _arrived(host), spent)
    return runs


async def _arrived(host: UsbHost) -> list[Report]:
    await asyncio.sleep(0.1)  # the last ones may still be in the FIFO
    return host.reports()
