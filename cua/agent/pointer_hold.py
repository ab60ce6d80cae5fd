"""The pointer position while a person presses a mouse button, as long as the page sends it.

Only the latest position counts. Without new positions the hold ends: the page was closed, or the
phone fell asleep.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

from ..messages import Message
from ..timeouts import wait_for_event
from ..types import Busy, Point

SILENCE_TIMEOUT_S = 1.0
"""Time without a position from the page after which the button is released."""
RENEW_INTERVAL_S = 0.05
"""Interval at which the same position is repeated; the writer's lease is 0.25 s."""
PAGE_LOST = Message("session.page_lost")


class PointerHold:
    """`pressed` is a future that is done once the button is down."""

    def __init__(self, start: Point) -> None:
        self._loop = asyncio.get_running_loop()
        self.start = self.current = start
        """The first position, and the last one that `follow` returned."""
        self.pressed: asyncio.Future[None] = self._loop.create_future()
        self._is_released = False
        self._latest = start
        self._changed = asyncio.Event()
        self._deadline = 0.0

    def move(self, at: Point, *, release: bool = False) -> None:
        """Set the latest position; `release`: the button is released there."""
        self._latest, self._is_released = at, release
        self._renew()

    async def follow(self) -> AsyncIterator[Point]:
        """Yield positions for `Inputs.hold_button`: the first one, then the latest one as soon as
        it changes, or again after `RENEW_INTERVAL_S`. Raises `Busy` after `SILENCE_TIMEOUT_S`.
        """
        yield self.start
        self.pressed.set_result(None)
        self._renew()
        is_over = False
        while not is_over:
            await wait_for_event(self._changed, RENEW_INTERVAL_S)
            if self._loop.time() > self._deadline and not self._is_released:
                raise Busy(PAGE_LOST)
            self._changed.clear()
            self.current = self._latest
            yield self.current
            is_over = self._is_released and self.current == self._latest

    def _renew(self) -> None:
        self._deadline = self._loop.time() + SILENCE_TIMEOUT_S
        self._changed.set()
