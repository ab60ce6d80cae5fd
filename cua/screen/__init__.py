"""The eyes: one persistent reader of the KVM's MJPEG stream, from which everybody is fed.

While somebody looks it always drains (a viewer that does not read stalls the KVM's encoder for
all), keeps the newest frame as the untouched bytes and a short tail, and connects again for ever;
while nobody waits for a picture the stream is off, in a slow viewer's pauses too. A picture for
the model is one that arrived after the last report and shows a screen at rest.
"""

from __future__ import annotations

import asyncio
import contextlib
import math
import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from ..events import EventLog
from ..types import Area, CuaError, Frame, NoSignal, ScreenError
from ..within import within
from .picture import enlarged, jpeg_size, shrunk
from .rest import QUIET_AFTER_MUCH, Rest, much
from .stream import Source, Stalled

State = Literal["connecting", "live", "stalled", "no_signal", "lost"]

MOMENT = 0.6
"""Seconds that any screen is given to come to rest, however long ago the last report was."""
FRESH = 6.0
"""Seconds without a fresh frame after which there is nothing to act on."""
LINGER, GLANCE = 1.0, 0.5
"""Seconds for which the stream is still read when nobody looks any more, and within which somebody
who comes is noticed; who waits for a picture is noticed at once."""
TAIL = 0.6
"""Seconds of frames that are kept for the comparison."""
MIN_SIZE = (160, 100)
"""A KVM without a signal may send a tiny placeholder picture."""

_SENTENCES: dict[State, str] = {
    "connecting": "Connecting to the KVM's video stream.",
    "live": "",
    "stalled": "The KVM sends no pictures. In its own page, set Video Mode to MJPEG.",
    "no_signal": "No signal: the computer is off or asleep, or the HDMI cable is not connected.",
    "lost": "The KVM's video stream cannot be reached.",
}
_STOPPED = "The pictures have stopped. See whether the KVM is on and can be reached."
"""Stalled, after there were some."""


@dataclass(frozen=True)
class Status:
    """How the picture is, with the sentence that helps; sizes in pixels, 0 until there is one."""

    state: State = "connecting"
    sentence: str = _SENTENCES["connecting"]
    width: int = 0
    height: int = 0

    def as_json(self) -> dict[str, Any]:
        return dict(vars(self))


def as_it_is(width: int, height: int) -> tuple[int, int]:
    """The size of a screenshot that nobody asked to be smaller."""
    return width, height


class MjpegScreen:
    """Reads `source` while `run` runs. `fit` gives the size of the screenshots for the model."""

    def __init__(
        self, source: Source, log: EventLog, fit: Callable[[int, int], tuple[int, int]] = as_it_is
    ) -> None:
        self.source = source
        self.fit = fit
        self.status = Status()
        self._log = log
        self._tail: deque[Frame] = deque(maxlen=48)
        self._arrived = asyncio.Event()
        self._seq = 0
        self._before = 0
        """The last picture of another computer."""
        self._rest = Rest()
        self._shown: Frame | None = None
        self.wanted: Callable[[], bool] = lambda: True
        """Whether every picture is wanted. Else the KVM encodes only what is waited for."""
        self.attended: Callable[[], bool] = lambda: False
        """Whether somebody is there, who has to be told when there is no picture."""
        self.resized: Callable[[int, int], None] = lambda *_: None
        """Is told of another size of the screen, in pixels."""
        self._looked_at = 0.0
        self._waiting = 0
        self._called = asyncio.Event()

    async def run(self) -> None:
        """Connect, read, and connect again with growing pauses; ends only by being cancelled."""
        self._forget()
        pause = 0.5
        while True:
            await self._idle()
            seen = self._seq
            try:
                if not await self._read():
                    continue
                self._set("lost", "The KVM closed the video stream. Connecting again.")
            except Stalled:
                self._set("stalled", _STOPPED if self._seq > self._before else "")
            except NoSignal:
                self._set("no_signal")
            except CuaError as error:
                self._set("lost", str(error))
            pause = 0.5 if self._seq > seen else min(8.0, pause * 2)
            await asyncio.sleep(pause)

    async def _read(self) -> bool:
        """To the end of one connection, or until nobody has looked for a while; then False."""
        async with contextlib.aclosing(self.source()) as jpegs:  # type: ignore[type-var]
            async for jpeg in jpegs:
                self._take(jpeg)
                now = time.monotonic()
                if self._looked_at_now():
                    self._looked_at = now
                elif now - self._looked_at > LINGER:
                    return False
        return True

    async def _idle(self) -> None:
        """Returns at once while somebody looks; what was seen before is forgotten otherwise."""
        if not self._looked_at_now():
            self._tail.clear()
        while not self._looked_at_now():
            if not self.attended():
                self._set("connecting")
            self._called.clear()
            glance = asyncio.get_running_loop().call_later(GLANCE, self._called.set)
            try:
                await self._called.wait()
            finally:
                glance.cancel()
        self._looked_at = time.monotonic()

    def _looked_at_now(self) -> bool:
        """Also while it is not known whether there is a picture, if somebody is there."""
        untold = self.attended() and self.status.state != "live"
        return bool(self._waiting) or self.wanted() or untold

    def _forget(self) -> None:
        """What comes next is of another computer."""
        self._tail.clear()
        self._rest, self._shown, self._before = Rest(), None, self._seq
        self._set("connecting")

    @property
    def newest(self) -> Frame | None:
        return self._tail[-1] if self._tail else None

    async def after(self, seq: int) -> Frame:
        """The newest frame, as soon as there is one with a higher number than `seq`."""
        while True:
            arrived = self._arrived
            if self.newest is not None and self.newest.seq > seq:
                return self.newest
            self._waiting += 1
            self._called.set()
            try:
                await arrived.wait()
            finally:
                self._waiting -= 1

    async def still(self, since: float, quiet: float, patience: float) -> Frame:
        """See `types.Screen`. On a screen that has been at rest it answers at once."""
        start = time.monotonic()
        frame = await self._fresh(max(since + quiet, start - 1.0))
        if patience:
            until = max(start + MOMENT, since + patience)
            frame = self._shown = await self._rested(frame, since, quiet, until)
        return await self._fitted(frame)

    async def closer(self, area: Area) -> Frame:
        """See `types.Screen`. From the KVM's own pixels, also where smaller ones are sent."""
        whole = self._shown or self.newest
        if whole is None:
            raise ScreenError("There is no picture yet to look closer at.")
        jpeg = await asyncio.to_thread(enlarged, whole.jpeg, area, self.fit)
        width, height = jpeg_size(jpeg) or (0, 0)
        return Frame(jpeg, width, height, whole.seq, whole.at, area=area)

    async def _rested(self, frame: Frame, since: float, quiet: float, until: float) -> Frame:
        while True:
            quiet = await self._longer(frame, since, quiet)
            window = self._window(frame, since, quiet)
            late = time.monotonic() > until
            if window or late:
                moving = await self._rest.changed(window or (frame,))
                if late or self._rest.suffices(moving, frame.at - since):
                    return replace(frame, restless=self._rest.taken(moving))
            frame = await self._fresh(math.nextafter(frame.at, math.inf))

    async def _fresh(self, not_before: float) -> Frame:
        """The newest frame that arrived at `not_before` or later."""
        try:
            async with within(FRESH):
                return await self._wait_for(not_before)
        except asyncio.TimeoutError:
            why = self.status.sentence or "The picture of the screen stands still: no new frames."
            error = NoSignal if self.status.state == "no_signal" else ScreenError
            raise error(f"{why} Nothing is done without a fresh picture.") from None

    async def _wait_for(self, not_before: float) -> Frame:
        frame = self.newest
        while frame is None or frame.at < not_before:
            frame = await self.after(frame.seq if frame else 0)
        return frame

    async def _longer(self, frame: Frame, since: float, quiet: float) -> float:
        """After a change of much of the screen more may come."""
        if not self._shown or self._shown.at >= since:
            return quiet
        changed = await self._rest.changed((self._shown, frame))
        return QUIET_AFTER_MUCH if much(changed) else quiet

    def _window(self, frame: Frame, since: float, quiet: float) -> Sequence[Frame]:
        """Samples of the last `quiet` seconds, none from before `since`; none if that is too new.

        A screen that was not touched for long may have sent nothing but this frame.
        """
        seen = [f for f in self._tail if since <= f.at and f.seq <= frame.seq]
        before = [f for f in seen if f.at <= frame.at - quiet]
        if not before and since > frame.at - TAIL:
            return ()
        window = seen[max(0, len(before) - 1) :] or [frame]
        # The ends show a slow change, two in a row an animation.
        return window[0], window[len(window) // 2], window[-2:][0], frame

    async def _fitted(self, frame: Frame) -> Frame:
        size = self.fit(frame.width, frame.height)
        if size == (frame.width, frame.height):
            return frame
        jpeg = await asyncio.to_thread(shrunk, frame.jpeg, *size)
        return replace(frame, jpeg=jpeg, width=size[0], height=size[1])

    def _take(self, jpeg: bytes) -> None:
        size = jpeg_size(jpeg)
        if size is None or jpeg.rfind(b"\xff\xd9", -64) < 0:
            self._log_broken()
            return
        if size[0] < MIN_SIZE[0] or size[1] < MIN_SIZE[1]:
            self._set("no_signal")
            return
        now = time.monotonic()
        self._seq += 1
        self._tail.append(Frame(jpeg, *size, self._seq, now))
        while len(self._tail) > 2 and self._tail[1].at < now - TAIL:
            self._tail.popleft()
        if self.status.state != "live" or size != (self.status.width, self.status.height):
            self._live(*size)
        self._arrived.set()
        self._arrived = asyncio.Event()

    def _live(self, width: int, height: int) -> None:
        big = width > 1280 or height > 720
        hint = "1280x720 is recommended: cheaper and surer clicks." if big else ""
        self._set("live", hint, width, height)
        self.resized(width, height)

    def _log_broken(self) -> None:
        if self.status.state != "stalled":
            self._set("stalled", "The KVM sends broken pictures. Restart its video stream.")

    def _set(self, state: State, sentence: str = "", width: int = 0, height: int = 0) -> None:
        size = (width or self.status.width, height or self.status.height)
        status = Status(state, sentence or _SENTENCES[state], *size)
        if status != self.status:
            self.status = status
            self._log.append("screen", **status.as_json())
