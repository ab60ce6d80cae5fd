"""A keyboard and mouse at the far end of a WebSocket: what is down, what is owed, one at a time.

A report is done when the KVM's server has read it, so at most one is ever under way. What could not
be released is owed: nothing else goes out before it, and it is brought as soon as there is a link.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Awaitable, Callable, Sequence
from typing import Protocol

from ..hid.reports import LENGTHS, Endpoint
from ..types import CuaError, DeviceError
from ..writer import rules
from .sentinel import Sentinel

ENDPOINTS: tuple[Endpoint, ...] = tuple(LENGTHS)
MENDING = (0.2, 1.0, 3.0, 8.0)
"""Seconds before each attempt to bring a release that is owed."""

SPACING = 0.011
"""Seconds between two reports of an endpoint at least. The server says that it has read one, not
that the computer has it; so the slowest computer, which polls every 10 ms, must have fetched it
before the next one comes. What waits in the KVM is lost on one kind of it, and no pause could call
it back on any."""

_LET_GO = (
    "The connection to the KVM broke while something was held down, so that was let go. Look at "
    "the screen, then send again."
)

_STOOD_STILL = (
    "This program stood still while something was held down, so that was let go. Look at the "
    "screen, then send again."
)

_OWED = (
    "The connection to the KVM broke while something was held down on the computer. It is let go "
    "as soon as the KVM can be reached again."
)

Encode = Callable[[Endpoint, bytes], list[bytes]]
"""A report -> the KVM's own messages, in order."""


class Link(Protocol):
    """One connection to the KVM."""

    @property
    def open(self) -> bool: ...

    def send(self, messages: Sequence[bytes]) -> asyncio.Future[None]:
        """Sends now. The future is done when the KVM has read them, or failed with the link."""

    async def deliver(self, messages: Sequence[bytes]) -> None:
        """Sends, and waits as long as too much is under way. Raises `DeviceError`."""

    def close(self) -> None: ...


class Cable:
    """`repeats`: seconds after which a release is said once more, for KVMs that may drop one.

    `sentinel` lets go when this process cannot; None where the KVM needs none.
    """

    def __init__(
        self,
        connect: Callable[[Callable[[], None]], Awaitable[Link]],
        encode: Encode,
        reach: Callable[[str], None],
        *,
        repeats: Sequence[float] = (),
        sentinel: Sentinel | None = None,
    ) -> None:
        self._sentinel = sentinel
        self._connect = connect
        self._encode = encode
        self._reach = reach
        self._repeats = repeats
        self._link: Link | None = None
        self._last: dict[Endpoint, bytes] = {}
        self._next = dict.fromkeys(ENDPOINTS, 0.0)
        self._owing: set[Endpoint] = set()
        self._doubtful: set[Endpoint] = set()
        """Those of which the KVM may not have heard yet that everything is up."""
        self._forfeit = ""
        """Why something was let go behind the hands' back: what goes on with it is refused."""
        self._mending: asyncio.Task[None] | None = None
        self._lock = asyncio.Lock()

    async def write(self, endpoint: Endpoint, report: bytes) -> None:
        """See `hid.Device`. Raises `DeviceError` after 2 s without an answer."""
        link = await self.link()
        await asyncio.sleep(self._next[endpoint] - time.monotonic())
        if self._sentinel and self._sentinel.stood_still():
            self._forfeit = _STOOD_STILL
        if self._forfeit and rules.acts(report, ENDPOINTS.index(endpoint)):
            raise DeviceError(self._forfeit)
        self._next[endpoint] = time.monotonic() + SPACING
        if endpoint in self._last and self._is_down(endpoint):
            self._doubtful.add(endpoint)
        self._last[endpoint] = report
        self._entrust()
        await link.deliver(self._encode(endpoint, report))
        self._doubtful.discard(endpoint)
        self._entrust()

    def release(self) -> None:
        """See `hid.Device`."""
        if self._sentinel:
            self._sentinel.stood_still()  # whatever was let go of, this does as well
        self._forfeit = ""
        down = {endpoint for endpoint in self._last if self._is_down(endpoint)}
        if not down:
            self._entrust()
            return
        self._owing |= down
        if self._link and self._link.open:
            self._say_released()
            for after in self._repeats:
                asyncio.get_running_loop().call_later(after, self._repeat, down)
        else:
            self._mend()

    async def close(self) -> None:
        if self._mending:
            self._mending.cancel()
        if self._link:
            self._say_released()
            self._link.close()
        if self._sentinel:
            self._sentinel.close()

    def _entrust(self) -> None:
        """The sentinel knows before the KVM does what is down, and until it is known to be up."""
        if self._sentinel:
            down = {each for each in self._last if self._is_down(each)}
            held = down | self._owing | self._doubtful
            self._sentinel.hold({each: self._up(each) for each in held})

    def _say_released(self) -> None:
        """All that is owed, now; it is no longer owed when the KVM has read it."""
        assert self._link
        owed = set(self._owing)
        messages = [m for endpoint in sorted(owed) for m in self._released(endpoint)]
        if messages:
            read = self._link.send(messages)
            read.add_done_callback(lambda done: self._settle(owed, done))

    def _settle(self, owed: set[Endpoint], read: asyncio.Future[None]) -> None:
        if not read.cancelled() and read.exception() is None:
            self._owing -= owed
            self._entrust()

    def _up(self, endpoint: Endpoint) -> bytes:
        return rules.released(ENDPOINTS.index(endpoint), self._last[endpoint][1:5])

    def _released(self, endpoint: Endpoint) -> list[bytes]:
        self._last[endpoint] = self._up(endpoint)
        return self._encode(endpoint, self._last[endpoint])

    def _repeat(self, endpoints: set[Endpoint]) -> None:
        up = {endpoint for endpoint in endpoints if not self._is_down(endpoint)}
        if self._link and self._link.open and up:
            self._link.send([m for endpoint in sorted(up) for m in self._released(endpoint)])

    def _is_down(self, endpoint: Endpoint) -> bool:
        return rules.presses(self._last[endpoint], ENDPOINTS.index(endpoint))

    async def link(self) -> Link:
        """A connection on which nothing is owed any more."""
        async with self._lock:
            if not self._link or not self._link.open:
                self._link = await self._connect(self._lost)
                self._reach("")
            if self._owing:
                owed = set(self._owing)
                messages = [m for endpoint in sorted(owed) for m in self._released(endpoint)]
                await self._link.deliver(messages)
                self._owing -= owed
            if self._sentinel:
                await self._sentinel.ready()
            return self._link

    def _lost(self) -> None:
        """The link is gone. A KVM that does not let go by itself has to be told as soon as it is
        back: what is down now, or was owed already, or was just to come up."""
        down = {endpoint for endpoint in self._last if self._is_down(endpoint)}
        self._forfeit = _LET_GO if down else ""
        self._owing |= down | self._doubtful
        self._doubtful.clear()
        if self._owing:
            self._reach(_OWED)
            self._mend()

    def _mend(self) -> None:
        if self._mending is None or self._mending.done():
            self._mending = asyncio.ensure_future(self._bring())

    async def _bring(self) -> None:
        for pause in MENDING:
            await asyncio.sleep(pause)
            with contextlib.suppress(CuaError):  # still owed; the next report says why
                await self.link()
                return
