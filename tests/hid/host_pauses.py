"""A computer that takes no reports for a while, in the middle of any action."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import NamedTuple

from cua.hid.input_profile import InputProfile
from cua.hid.inputs import HidInputs
from cua.hid.reports import ENDPOINTS
from cua.types import (
    ActionError,
    Click,
    CuaError,
    DeviceError,
    Drag,
    Keypress,
    ManualAction,
    Move,
    Point,
    Scroll,
    Type,
)
from tests.support.devices import Recorder
from tests.usb.gadgets import Paced
from tests.usb.host import Host

Play = Callable[[HidInputs], Awaitable[None]]
Reports = list[tuple[int, bytes]]

ATTEMPTS = 3

A, B, C = Point(x=0.2, y=0.3), Point(x=0.3, y=0.4), Point(x=0.25, y=0.5)
CODES = InputProfile(system="windows", codes=True)
GERMAN = InputProfile(layout="de")


def _perform(action: ManualAction) -> Play:
    return lambda inputs: inputs.perform(action)


async def _hold(inputs: HidInputs) -> None:
    async def way() -> AsyncIterator[Point]:
        for at in (A, B, B, C):
            yield at

    await inputs.hold_button("left", way())


ACTIONS: dict[str, tuple[InputProfile, Play]] = {
    "text": (InputProfile(), _perform(Type(text="Hi, LO\n2x"))),
    "dead keys": (GERMAN, _perform(Type(text="Tê@"))),
    "a character by its code": (CODES, _perform(Type(text="aé"))),
    "a key": (InputProfile(), _perform(Keypress(keys=("ENTER",)))),
    "a shortcut": (InputProfile(), _perform(Keypress(keys=("CTRL", "SHIFT", "T"), count=2))),
    "the Windows key": (InputProfile(), _perform(Keypress(keys=("WIN", "R")))),
    "a move": (InputProfile(), _perform(Move(at=A))),
    "a click": (InputProfile(), _perform(Click(at=A))),
    "a click with keys": (InputProfile(), _perform(Click(at=A, keys=("ctrl", "shift")))),
    "a double click": (InputProfile(), _perform(Click(at=A, count=2))),
    "a drag": (InputProfile(), _perform(Drag(path=(A, B, C)))),
    "the wheel": (InputProfile(), _perform(Scroll(at=A, dx=-1, dy=2))),
    "a button held by hand": (InputProfile(), _hold),
}


async def reports_of(kind: str) -> Reports:
    """What the computer gets without a pause."""
    profile, play = ACTIONS[kind]
    device = Recorder()
    await play(HidInputs(device, profile))
    return [(ENDPOINTS.index(endpoint), report) for endpoint, report in device.reports]


class Outcome(NamedTuple):
    reports: Reports
    error: CuaError | None

    def is_right(self, kind: str, expected: Reports) -> bool:
        """Whether the computer got exactly the action, or a single click and the model was told."""
        done, wanted = presses(self.reports), presses(expected)
        if self.error is None:
            return self.reports == expected or done == wanted != []
        cut_off = kind == "a double click" and isinstance(self.error, ActionError)
        return cut_off and done == wanted[: len(done)]


async def pause_host(folder: Path, kind: str, after: int, seconds: float) -> Outcome:
    """What the computer gets if it takes none for so many seconds after so many reports."""
    return await repeat(lambda: _pause_host(folder, kind, after, seconds))


async def repeat(attempt: Callable[[], Awaitable[Outcome]]) -> Outcome:
    """Try again where this process or the writer stalled for longer than the lease as well."""
    for _ in range(ATTEMPTS):
        outcome = await attempt()
        if not isinstance(outcome.error, DeviceError):
            break
    return outcome


async def _pause_host(folder: Path, kind: str, after: int, seconds: float) -> Outcome:
    profile, play = ACTIONS[kind]
    host = Host(folder, one_slot=True)
    gadget = Paced(host.prefix)
    polling = asyncio.create_task(_poll_with_pause(host, after, seconds))
    error = None
    try:
        await play(HidInputs(gadget, profile))
    except CuaError as raised:
        error = raised
    finally:
        polling.cancel()
        host.take(0.01)
        gadget.close()
        host.close()
    assert host.held == [], (kind, after, seconds)
    return Outcome(host.reports, error)


def presses(reports: Reports) -> list[tuple[int, bytes]]:
    """Each key and button as it goes down, with the modifiers held and the pointer's place."""
    found, keys, buttons = [], bytes(8), 0
    for endpoint, report in reports:
        if endpoint == 0:
            new = set(report[2:]) - set(keys[2:])
            found += [(0, bytes([report[0], usage])) for usage in new]
            keys = report
        else:
            if report[0] & ~buttons or report[-1]:
                found.append((endpoint, bytes([keys[0], *report])))
            buttons = report[0]
    return found


async def _poll_with_pause(host: Host, after: int, seconds: float) -> None:
    while len(host.reports) < after:
        host.take()
        await asyncio.sleep(0.001)
    await asyncio.sleep(seconds)
    await poll(host)


async def poll(host: Host) -> None:
    """Take reports as they come, in their order."""
    while True:
        host.take()
        await asyncio.sleep(0.001)
