"""The hands: plays the strokes of an action on a device, and lets go on every way out.

Reports are written on the event loop, one by one, without a thread or a queue between: a cancelled
task stops between two reports, and the `finally` below is the only thing that can follow.
"""

from __future__ import annotations

import asyncio
import itertools
import time
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Protocol

from ..types import ActionError, Button, Deed, Drag, Keypress, Manual, Point, Power, Type, Wait
from .reports import BUTTONS, Endpoint, Stroke
from .strokes import SEEN, US, Pull, pointing, strokes
from .target import Target

CAPS_LOCK = 0x02
"""The bit of the lamp; while it is lit, letters come out in the wrong case."""
_OFF = Keypress(keys=("CAPSLOCK",))

SHOWN_EVERY = 0.1
"""Seconds between two words on how far typing has come."""


_FROM_NOWHERE = (
    "Nobody knows where the pointer is, so nothing can be dragged from there. Move it to the "
    "start of the drag first."
)


class Device(Protocol):
    """A keyboard and mouse that takes raw reports."""

    async def write(self, endpoint: Endpoint, report: bytes) -> None:
        """Raises `DeviceError` if the report is not taken in a bounded time."""

    def release(self) -> None:
        """All keys and buttons up, now, synchronously: it cannot itself be cancelled."""


Follow = Callable[[Manual, bool], None]
"""Hears what was done, and whether that is sure: of a report nobody has answered it is not."""


class Hands:
    """Carries out actions on a device (`types.Hands`).

    `target` is what the computer is like. `lamps` tells the state of the keyboard's lamps, as bits
    of the report that the computer sends to it, None if nobody knows. `show` gets the count of
    characters typed so far, now and then, for who watches; `follow` what was done when it is over.
    """

    def __init__(
        self,
        device: Device,
        target: Target = US,
        lamps: Callable[[], int | None] = lambda: None,
        show: Callable[[int], None] = lambda _: None,
        follow: Follow = lambda *_: None,
    ) -> None:
        self.target = target
        self.follow = follow
        self._device = device
        self._lamps = lamps
        self._show = show
        self._shown = 0.0
        self._count = 0
        """Characters of a text, or times that keys were pressed, which may have arrived."""
        self._pointer: Point | None = None
        self.touched = 0.0
        self.progress = ""

    def check(self, action: Deed) -> None:
        strokes(_by_hand(action), self._pointer, self.target)

    async def perform(self, action: Deed) -> None:
        action = _by_hand(action)
        if isinstance(action, Drag) and len(action.path) == 1 and self._pointer is None:
            raise ActionError(_FROM_NOWHERE)
        plan = strokes(action, self._pointer, self.target)
        if isinstance(action, Type) and (self._lamps() or 0) & CAPS_LOCK:
            dark = (stroke._replace(typed=0) for stroke in strokes(_OFF, None))
            plan = itertools.chain(dark, plan)
        self.progress = "nothing of it was done yet"
        self._device.release()
        if isinstance(action, Wait):
            await asyncio.sleep(action.seconds)
            return
        self._count, whole = 0, False
        try:
            await self._play(action, plan)
            whole = True
        finally:
            self._let_go()
            for piece, sure in [(action, True)] if whole else _pieces(action, self._count):
                self.follow(piece, sure)

    async def pull(self, button: Button, way: AsyncIterator[Point]) -> None:
        start = here = await anext(way)
        least = SEEN  # the first steps are those that a program sees a drag by
        drag = Drag(path=(start,), button=button)
        held = Pull(BUTTONS[button], pointing(self.target))
        self._device.release()
        try:
            await self._play(drag, held.begin(here, self._pointer))
            async for there in way:
                await self._play(drag, held.on(here, there, least))
                here, least = there, 1 if there != here else least
            await self._play(drag, held.end(here))
        finally:
            self._let_go()
            self.follow(Drag(path=(start, here), button=button), True)

    async def _play(self, action: Manual, plan: Iterator[Stroke]) -> None:
        for stroke in plan:
            # Noted first: a report whose answer was not waited for may have arrived, and a
            # letter must not be typed twice.
            self._note(action, stroke)
            await self._device.write(stroke.endpoint, stroke.report)
            await asyncio.sleep(stroke.hold)

    def _let_go(self) -> None:
        self._device.release()
        self.touched = time.monotonic()

    def _note(self, action: Manual, stroke: Stroke) -> None:
        self.progress = _progress(action, stroke)
        self._pointer = stroke.where or self._pointer
        self._count = stroke.typed
        if isinstance(action, Type) and time.monotonic() - self._shown >= SHOWN_EVERY:
            self._shown = time.monotonic()
            self._show(stroke.typed)


def _by_hand(action: Deed) -> Manual:
    if isinstance(action, Power):
        raise ActionError("A keyboard and a mouse do not reach the buttons of the case.")
    return action


def _pieces(action: Manual, count: int) -> Iterator[tuple[Manual, bool]]:
    """What was done of an action that was cut off, and whether that is sure."""
    if not isinstance(action, (Type, Keypress)):
        yield action, True
        return
    sure = max(0, count - 1)
    for start, end in ((0, sure), (sure, count)):
        if start < end and isinstance(action, Type):
            yield Type(text=action.text[start:end]), end == sure
        elif start < end:
            yield action.model_copy(update={"count": end - start}), end == sure


def _progress(action: Manual, stroke: Stroke) -> str:
    if isinstance(action, Type):
        return f"{stroke.typed} of its {len(action.text)} characters were typed"
    return "it was begun but not finished"
