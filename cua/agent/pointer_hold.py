"""The pointer position while a person holds a mouse button, as long as the page keeps sending it.

Only the latest position counts. Silence ends the hold: a page that was closed, or a phone that fell
asleep, sends nothing.
"""

from __future__ import annotations

import asyncio

from ..messages import Message
from ..timeouts import wait_for_event
from ..types import Busy, Point

SILENCE_TIMEOUT_S = 1.0
"""Without a position from the page; then the button is released."""
RENEW_INTERVAL_S = 0.05
"""After which the same position is repeated; the writer's lease is 0.25 s."""
PAGE_LOST = Message("session.page_lost")


class PointerHold:
    """An iterator over positions, for `Inputs.hold_button`. `pressed` is done once it is down."""

    def __init__(self, start: Point) -> None:
        self._loop = asyncio.get_running_loop()
        self.start = self.current = start
        """The first position, and the one that was returned last."""
        self.pressed: asyncio.Future[None] = self._loop.create_future()
        self._started = self._is_released = False
        self._latest = start
        self._changed = asyncio.Event()
        self._deadline = 0.0

    def move(self, at: Point, *, release: bool = False) -> None:
        """Set the latest position; `release`: the button is released there."""
        self._latest, self._is_released = at, release
        self._renew()

    def __aiter__(self) -> PointerHold:
        return self

    async def __anext__(self) -> Point:
        """Return the first position, then the latest one as soon as it changes, or again after
        `RENEW_INTERVAL_S`. Raises `Busy` after `SILENCE_TIMEOUT_S`.
        """
        if not self._started:
            self._started = True
            return self.current
        if not self.pressed.done():
            self.pressed.set_result(None)
            self._renew()
        elif self._is_released and self.current == self._latest:
            raise StopAsyncIteration
        else:
            await wait_for_event(self._changed, RENEW_INTERVAL_S)
        if self._loop.time() > self._deadline and not self._is_released:
            raise Busy(PAGE_LOST)
        self._changed.clear()
        self.current = self._latest
        return self.current

    def _renew(self) -> None:
        self._deadline = self._loop.time() + SILENCE_TIMEOUT_S
        self._changed.set()
