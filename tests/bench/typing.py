"""Reports on their way to the target: typing, clicking, dragging."""

from __future__ import annotations

import asyncio
import resource
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path

from cua.hid import Hands
from cua.hid.gadget import Gadget
from cua.types import Click, Drag, Manual, Point, Type

from . import vendors_hands
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
        hands = Hands(gadget)
        gadget.release_everything()

        def used() -> float:
            return time.process_time() + cpu(gadget.writer or 0)

        typed = await _ours(hands, host, used, [Type(text=TEXT)] * 5)
        clicked = await _ours(hands, host, used, [Click(at=LEFT), Click(at=MIDDLE)] * 5)
        dragged = await _ours(hands, host, used, [DRAG] * 5)
        gadget.close()
        their_text = await _theirs(host, list(vendors_hands.typing(TEXT)), 2)
        their_click = await _theirs(host, list(vendors_hands.click(MIDDLE)), 5)
        their_drag = await _theirs(host, list(vendors_hands.drag(MIDDLE, 800)), 3)
    reports = f"{typed.count}/{their_text.count} reports at the host"
    return [
        Row("typing 200: time", "ms", typed.times, their_text.times, reports),
        Row("typing 200: rate", "/s", typed.rates, their_text.rates, "reports", "", True),
        Row("typing 200: gap", "ms", typed.gaps, their_text.gaps, "between reports, at the host"),
        Row(
            "typing 200: CPU",
            "ms",
            typed.cpu,
            their_text.cpu,
            "per report, with the processes that it takes",
        ),
        Row("click: time", "ms", clicked.times, their_click.times, _counts(clicked, their_click)),
        Row(
            "drag 800 px: time", "ms", dragged.times, their_drag.times, _counts(dragged, their_drag)
        ),
    ]


def _counts(ours: Runs, theirs: Runs) -> str:
    return f"{ours.count}/{theirs.count} reports, all taken by the host"


async def _ours(
    hands: Hands, host: UsbHost, used: Callable[[], float], actions: Iterable[Manual]
) -> Runs:
    runs = Runs()
    await _arrived(host)
    for action in actions:
        before = used()
        with elapsed(runs.times):
            await hands.perform(action)
        spent = used() - before
        runs.add(await _arrived(host), spent)
    return runs


async def _theirs(host: UsbHost, reports: Iterable[vendors_hands.Held], times: int) -> Runs:
    runs = Runs()
    await _arrived(host)
    for _ in range(times):
        before = _with_children()
        with elapsed(runs.times):
            await asyncio.to_thread(vendors_hands.play, host.prefix, reports)
        spent = _with_children() - before
        runs.add(await _arrived(host), spent)
    return runs


async def _arrived(host: UsbHost) -> list[Report]:
    await asyncio.sleep(0.1)  # the last ones may still be in the FIFO
    return host.heard()


def _with_children() -> float:
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime
