"""The finger of a person that holds a button of the mouse: where it is, as long as it says so.

Words about it come whenever they come. Only the last place counts, and silence ends the hold: a
page that was closed, or a phone that fell asleep, says nothing.
"""

from __future__ import annotations

import asyncio

from ..messages import Message
from ..types import Busy, Point

SILENCE = 1.0
"""Seconds without a word after which nobody is believed to hold it any more."""
RENEWAL = 0.05
"""Seconds after which the same place is said again; the writer's lease is 0.25."""

GONE = Message("session.page_lost")


class PointerHold:
    """An iterator over the places, for `Inputs.hold_button`. `down` is done when the button is."""

    def __init__(self, start: Point) -> None:
        loop = asyncio.get_running_loop()
        self.start = self.here = start
        """Where it began, and the place that was given out last."""
        self.down: asyncio.Future[None] = loop.create_future()
        self._loop = loop
        self._begun = self._over = False
        self._at = start
        self._news = asyncio.Event()
        self._until = 0.0

    def say(self, at: Point, *, over: bool = False) -> None:
        """It is there now; `over`: and lets go there."""
        self._at, self._over = at, over
        self._heard()

    def __aiter__(self) -> PointerHold:
        return self

    async def __anext__(self) -> Point:
        """The first place, then the last one of which nothing has been given out yet; after a
        while without any the same again. Raises `Busy` when the words stay away.
        """
        if not self._begun:
            self._begun = True
            return self.here
        if not self.down.done():
            self.down.set_result(None)
            self._heard()
        elif self._over and self.here == self._at:
            raise StopAsyncIteration
        else:
            await self._rest()
        if self._loop.time() > self._until and not self._over:
            raise Busy(GONE)
        self._news.clear()
        self.here = self._at
        return self.here

    async def _rest(self) -> None:
        timer = self._loop.call_later(RENEWAL, self._news.set)
        try:
            await self._news.wait()
        finally:
            timer.cancel()

    def _heard(self) -> None:
        self._until = self._loop.time() + SILENCE
        self._news.set()
