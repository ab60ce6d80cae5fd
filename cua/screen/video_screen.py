"""The only reader of the KVM's video, as JPEGs, which serves the agent and every viewer.

While a picture is needed, it reads without pause (a client that does not read stalls the KVM's
encoder for all), keeps the newest frames unchanged, and reconnects without limit; otherwise the
stream is closed. A screenshot is newer than the last report and shows a stable screen.
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

from ..events.log import EventLog
from ..messages import Message, sentences
from ..timeouts import wait_for_event, within
from ..types import Area, CuaError, Frame, NoSignal, ScreenError, SentSize
from .http_stream import Source
from .image import enlarge_jpeg, jpeg_size, resize_jpeg
from .receiver import Stalled
from .stability import STABLE_AFTER_LARGE_CHANGE_S, StabilityDetector, is_large

State = Literal["connecting", "live", "stalled", "no_signal", "lost"]

MIN_STABLE_WAIT_S = 0.6
"""Least time limit for a stable screen, even if the last report is older than the limit."""
FRAME_TIMEOUT_S = 6.0
"""Longest wait for a new frame, after which taking a screenshot fails."""
FIRST_PAUSE_S, MAX_PAUSE_S = 0.5, 8.0
LINGER_S, DEMAND_CHECK_S = 1.0, 0.5
"""Time that the stream stays open after the last demand, and between checks for a new one; a caller
that waits for a picture opens it at once."""
RECENT_FRAMES_S = 0.6
"""Age up to which frames are kept for comparison."""
MIN_SIZE_PX = (160, 100)
"""Least size of a frame; without a signal a KVM may send a tiny placeholder."""

_SENTENCES: dict[State, str] = {
    "connecting": Message("screen.connecting"),
    "live": "",
    "stalled": Message("screen.no_pictures"),
    "no_signal": Message("screen.no_signal"),
    "lost": Message("screen.lost"),
}


@dataclass(frozen=True)
class Status:
    """The state of the video, with advice for the user; sizes in pixels, 0 until known."""

    state: State = "connecting"
    sentence: str = _SENTENCES["connecting"]
    width: int = 0
    height: int = 0

    def as_json(self) -> dict[str, Any]:
        return dict(vars(self))


def keep_size(width: int, height: int) -> tuple[int, int]:
    """Return the size unchanged: the screenshot is not scaled."""
    return width, height


class VideoScreen:
    """Reads `source` while `run` runs. `on_resize` gets a new size of the screen, in pixels."""

    def __init__(
        self,
        source: Source,
        log: EventLog,
        sent_size: SentSize = keep_size,
        on_resize: Callable[[int, int], None] = lambda *_: None,
    ) -> None:
        self.source = source
        self.sent_size = sent_size
        self.status = Status()
        self._log = log
        self._recent_frames: deque[Frame] = deque(maxlen=48)
        self._arrived = asyncio.Event()
        self._seq = 0
        self._first_seq = 0
        """Number of the last frame of the previous computer."""
        self._detector = StabilityDetector()
        self._shown: Frame | None = None
        self.on_resize = on_resize
        self.needs_every_frame: Callable[[], bool] = lambda: True
        """Whether the stream stays open while no caller waits for a picture."""
        self.is_attended: Callable[[], bool] = lambda: False
        """Whether a page is open, which shows the state of the video."""
        self._connected = asyncio.Event()
        """Set by the first picture and by each fault."""
        self._refusal: CuaError | None = None
        self._wanted_at = 0.0
        self._waiting = 0
        self._frame_requested = asyncio.Event()

    async def run(self) -> None:
        """Connect, read, and connect again after growing pauses, or at once for a wanted frame."""
        self._drop_frames()
        pause = FIRST_PAUSE_S
        while True:
            await self._wait_for_demand()
            seen = self._seq
            try:
                if not await self._read():
                    continue
                self._set_status("lost", Message("screen.closed"))
            except Stalled:
                self._set_status(
                    "stalled", Message("screen.stopped") if self._seq > self._first_seq else ""
                )
            except NoSignal:
                self._set_status("no_signal")
            except CuaError as error:
                self._refusal = error if error.setting == "kvm_password" else None
                self._set_status("lost", error.message)
            pause = FIRST_PAUSE_S if self._seq > seen else min(MAX_PAUSE_S, pause * 2)
            self._frame_requested.clear()
            await wait_for_event(self._frame_requested, pause)

    async def _read(self) -> bool:
        """Read one connection to its end. False if it ended because no picture was needed."""
        async with contextlib.aclosing(self.source()) as jpegs:  # type: ignore[type-var]
            async for jpeg in jpegs:
                self._add_frame(jpeg)
                now = time.monotonic()
                if self._is_wanted():
                    self._wanted_at = now
                elif now - self._wanted_at > LINGER_S:
                    return False
        return True

    async def _wait_for_demand(self) -> None:
        """Wait until a picture is needed; drop the kept frames unless that is so already."""
        if not self._is_wanted():
            self._recent_frames.clear()
        while not self._is_wanted():
            if not self.is_attended():
                self._set_status("connecting")
            self._frame_requested.clear()
            await wait_for_event(self._frame_requested, DEMAND_CHECK_S)
        self._wanted_at = time.monotonic()

    def _is_wanted(self) -> bool:
        """Whether a picture is needed; an open page needs one until the state is live."""
        page_needs_state = self.status.state != "live" and self.is_attended()
        return bool(self._waiting) or self.needs_every_frame() or page_needs_state

    def _drop_frames(self) -> None:
        """Drop all frames: the next ones are of another computer."""
        self._recent_frames.clear()
        self._detector, self._shown, self._first_seq = StabilityDetector(), None, self._seq
        self._set_status("connecting", size=(0, 0))

    async def check_login(self) -> None:
        """Wait for a picture or the next fault; raise the `CuaError` of a refused login."""
        if self.status.state == "lost":
            self._connected.clear()
            self._frame_requested.set()
        with contextlib.suppress(asyncio.TimeoutError):
            async with within(FRAME_TIMEOUT_S):
                await self._connected.wait()
        if self._refusal:
            raise self._refusal

    @property
    def newest(self) -> Frame | None:
        return self._recent_frames[-1] if self._recent_frames else None

    async def after(self, seq: int) -> Frame:
        """Wait for a frame with a higher number than `seq`; return the newest one."""
        while True:
            if self.newest is not None and self.newest.seq > seq:
                return self.newest
            self._waiting += 1
            self._frame_requested.set()
            try:
                await self._arrived.wait()
            finally:
                self._waiting -= 1

    async def take_screenshot(self, since: float, stable_s: float, timeout_s: float) -> Frame:
        """See `types.Screen`. Returns at once if the screen has been stable."""
        start = time.monotonic()
        frame = await self._newest_since(max(since + stable_s, start - 1.0))
        if timeout_s:
            until = max(start + MIN_STABLE_WAIT_S, since + timeout_s)
            frame = self._shown = await self._wait_until_stable(frame, since, stable_s, until)
        return await self._fit(frame)

    async def zoom(self, area: Area) -> Frame:
        """See `types.Screen`. Uses the KVM's own pixels, even if smaller screenshots are sent."""
        whole = self._shown or self.newest
        if whole is None:
            raise ScreenError(Message("screen.no_picture_yet"))
        jpeg = await asyncio.to_thread(enlarge_jpeg, whole.jpeg, area, self.sent_size)
        width, height = jpeg_size(jpeg) or (0, 0)
        return Frame(jpeg, width, height, whole.seq, whole.at, area=area)

    async def _wait_until_stable(
        self, frame: Frame, since: float, stable_s: float, until: float
    ) -> Frame:
        while True:
            if self._window(frame, since, stable_s):
                stable_s = await self._choose_stable_s(frame, since, stable_s)
            window = self._window(frame, since, stable_s)
            late = time.monotonic() > until
            if window or late:
                moving = await self._detector.changed(window or (frame,))
                if late or self._detector.is_stable(moving, frame.at - since):
                    return replace(frame, moving_areas=self._detector.accept(moving))
            frame = await self._newest_since(math.nextafter(frame.at, math.inf))

    async def _newest_since(self, not_before: float) -> Frame:
        """Return the newest frame that arrived at `not_before` or later."""
        try:
            async with within(FRAME_TIMEOUT_S):
                frame = self.newest
                while frame is None or frame.at < not_before:
                    frame = await self.after(frame.seq if frame else 0)
                return frame
        except asyncio.TimeoutError:
            reason = self.status.sentence or Message("screen.frozen")
            error = NoSignal if self.status.state == "no_signal" else ScreenError
            raise error(sentences(reason, Message("screen.no_action")), setting="kvm") from None

    async def _choose_stable_s(self, frame: Frame, since: float, stable_s: float) -> float:
        """Return the stable time to wait for; longer after a large change, as more may follow."""
        if not self._shown or self._shown.at >= since:
            return stable_s
        changed = await self._detector.changed((self._shown, frame))
        return STABLE_AFTER_LARGE_CHANGE_S if is_large(changed) else stable_s

    def _window(self, frame: Frame, since: float, stable_s: float) -> Sequence[Frame]:
        """Return samples of the last `stable_s` seconds after `since`; empty if they are not over.

        A screen without recent input may have sent nothing but this frame.
        """
        seen = [f for f in self._recent_frames if since <= f.at and f.seq <= frame.seq]
        before = [f for f in seen if f.at <= frame.at - stable_s]
        if not before and since > frame.at - RECENT_FRAMES_S:
            return ()
        window = seen[max(0, len(before) - 1) :] or [frame]
        # The first and the last show a slow change, two in a row an animation.
        return window[0], window[-2:][0], frame

    async def _fit(self, frame: Frame) -> Frame:
        size = self.sent_size(*frame.size)
        if size == frame.size:
            return frame
        jpeg = await asyncio.to_thread(resize_jpeg, frame.jpeg, *size)
        return replace(frame, jpeg=jpeg, width=size[0], height=size[1])

    def _add_frame(self, jpeg: bytes) -> None:
        size = jpeg_size(jpeg)
        if size is None or jpeg.rfind(b"\xff\xd9", -64) < 0:
            if self.status.state != "stalled":
                self._set_status("stalled", Message("screen.broken"))
            return
        if size[0] < MIN_SIZE_PX[0] or size[1] < MIN_SIZE_PX[1]:
            self._set_status("no_signal")
            return
        now = time.monotonic()
        self._seq += 1
        self._recent_frames.append(Frame(jpeg, *size, self._seq, now))
        while len(self._recent_frames) > 2 and self._recent_frames[1].at < now - RECENT_FRAMES_S:
            self._recent_frames.popleft()
        if self.status.state != "live" or size != (self.status.width, self.status.height):
            big = size[0] > 1280 or size[1] > 720
            self._set_status("live", Message("screen.recommended_size") if big else "", size)
            self.on_resize(*size)
        self._arrived.set()
        self._arrived.clear()

    def _set_status(
        self, state: State, sentence: str = "", size: tuple[int, int] | None = None
    ) -> None:
        size = size or (self.status.width, self.status.height)
        status = Status(state, sentence or _SENTENCES[state], *size)
        if state != "connecting":
            self._connected.set()
        if status != self.status:
            self.status = status
            self._log.append("screen", **status.as_json())
