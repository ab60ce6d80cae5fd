"""A keyboard and mouse at the far end of a WebSocket: what is down, what is owed, one at a time.

A report is done when the KVM's server has read it, so at most one is ever under way. What could not
be released is owed: nothing else goes out before it, and it is brought as soon as there is a link.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import time
from collections.abc import Awaitable, Callable, Sequence
from typing import Protocol

from ..hid.reports import LENGTHS, Endpoint, keyboard
from ..types import CuaError, DeviceError
from ..writer import rules
from .sentinel import Sentinel

ENDPOINTS: tuple[Endpoint, ...] = tuple(LENGTHS)
MENDING = (0.2, 1.0, 3.0, 8.0)
"""Seconds before each attempt to bring a release that is owed; the last one again and again."""
UNREAD = 3.0
"""Seconds after which a release that the KVM has not read is lost, and its link with it."""

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

_CLOSED = "The connection to this KVM has been closed, so nothing was sent. Send again."

Encode = Callable[[Endpoint, "bytes | None", bytes], list[bytes]]
"""The report before (None: the first of a connection) and this one -> the KVM's own messages, in
order. Keeps nothing, so that a release can be said as often as it takes. Raises `DeviceError`."""


class Link(Protocol):
    """One connection to the KVM."""

    @property
    def open(self) -> bool: ...

    def send(self, messages: Sequence[bytes]) -> asyncio.Future[None]:
        """Sends now. The future is done when the KVM has read them, or failed with the link."""

    async def deliver(self, messages: Sequence[bytes]) -> None:
        """Sends, and waits as long as too much is under way. Raises `DeviceError`."""

    def drop(self) -> None:
        """At once, with what is still to be sent."""

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
        """What was said on this connection, or was about to be."""
        self._next = dict.fromkeys(ENDPOINTS, 0.0)
        self._held: dict[Endpoint, bytes] = {}
        """All that may be down, as one report, until the KVM has read that it is up."""
        self._owing: set[Endpoint] = set()
        """Those of them whose release comes before all else."""
        self._forfeit = ""
        """Why something was let go behind the hands' back: what goes on with it is refused."""
        self._mending: asyncio.Task[None] | None = None
        self._lock = asyncio.Lock()
        self._closed = False

    async def write(self, endpoint: Endpoint, report: bytes) -> None:
        """See `hid.Device`. Raises `DeviceError` after 2 s without an answer."""
        link = await self.link()
        await asyncio.sleep(self._next[endpoint] - time.monotonic())
        if self._sentinel and self._sentinel.stood_still():
            self._forfeit = _STOOD_STILL
        if self._forfeit and rules.acts(report, ENDPOINTS.index(endpoint)):
            raise DeviceError(self._forfeit)
        self._refuse_if_closed()
        messages = self._encode(endpoint, self._last.get(endpoint), report)
        self._next[endpoint] = time.monotonic() + SPACING
        before = self._held.get(endpoint, bytes(LENGTHS[endpoint]))
        self._last[endpoint] = report
        self._hold({endpoint: _both(endpoint, before, report)})
        await link.deliver(messages)
        self._hold({endpoint: report})

    def release(self) -> None:
        """See `hid.Device`."""
        if self._sentinel:
            self._sentinel.stood_still()  # whatever was let go of, this does as well
        self._forfeit = ""
        self._owe()
        if self._owing and self._link and self._link.open:
            self._say_released(self._link)
            for after in self._repeats:
                asyncio.get_running_loop().call_later(after, self._repeat, set(self._owing))
        elif self._owing:
            self._mend()

    async def close(self) -> None:
        """For good. What was not heard of by then is the sentinel's."""
        self._closed = True
        if self._mending:
            self._mending.cancel()
        self._owe()
        if self._link:
            self._say_released(self._link)
            self._link.close()
        if self._sentinel:
            self._sentinel.close()

    def _hold(self, reports: dict[Endpoint, bytes]) -> None:
        """The sentinel knows before the KVM does what is down, and until it is known to be up."""
        held = {**self._held, **reports}
        self._held = {each: report for each, report in held.items() if _presses(each, report)}
        self._owing &= self._held.keys()
        if self._sentinel:
            self._sentinel.hold(self._ups())

    def _owe(self) -> None:
        self._owing |= self._held.keys()
        self._last.update(self._ups())

    def _ups(self) -> dict[Endpoint, bytes]:
        """What lets go of all that may be down."""
        return {each: _up(each, report) for each, report in self._held.items()}

    def _say_released(self, link: Link) -> None:
        """All that is owed, now; it is no longer owed when the KVM has read it. Nobody waits for
        that, so a link on which it is never read has to be found out here."""
        if self._owing:
            up, messages = self._releases()
            read = link.send(messages)
            read.add_done_callback(lambda done: self._hold(up) if _succeeded(done) else None)
            overdue = asyncio.get_running_loop().call_later(UNREAD, link.drop)
            read.add_done_callback(lambda _: overdue.cancel())

    def _releases(self) -> tuple[dict[Endpoint, bytes], list[bytes]]:
        """All that is owed: as reports, and as it is said."""
        up = {each: _up(each, self._held[each]) for each in sorted(self._owing)}
        said = (self._encode(each, self._held[each], report) for each, report in up.items())
        return up, [message for messages in said for message in messages]

    def _repeat(self, endpoints: set[Endpoint]) -> None:
        """Where the pointer is by now."""
        up = [(each, self._last[each]) for each in sorted(endpoints & self._last.keys())]
        up = [(each, _up(each, report)) for each, report in up if not _presses(each, report)]
        if self._link and self._link.open and up:
            self._link.send([m for each, report in up for m in self._encode(each, report, report)])

    async def link(self) -> Link:
        """A connection on which nothing is owed any more."""
        async with self._lock:
            self._refuse_if_closed()
            if not self._link or not self._link.open:
                self._link = await self._connected()
                self._owe()
                self._last.clear()
                self._reach("")
            if self._owing:
                up, messages = self._releases()
                await self._link.deliver(messages)
                self._hold(up)
            if self._sentinel:
                await self._sentinel.ready()
            return self._link

    async def _connected(self) -> Link:
        link = await self._connect(self._lost)
        if self._closed:
            link.close()
        self._refuse_if_closed()
        return link

    def _refuse_if_closed(self) -> None:
        if self._closed:
            raise DeviceError(_CLOSED)

    def _lost(self) -> None:
        """The link is gone. A KVM that does not let go by itself has to be told as soon as it is
        back: what is down now, or was owed already, or was just to come up."""
        if any(_presses(*each) for each in self._last.items()):
            self._forfeit = _LET_GO
        self._owe()
        if self._owing and not self._closed:
            self._reach(_OWED)
            self._mend()

    def _mend(self) -> None:
        if not self._closed and (self._mending is None or self._mending.done()):
            self._mending = asyncio.ensure_future(self._bring())

    async def _bring(self) -> None:
        for pause in itertools.chain(MENDING, itertools.repeat(MENDING[-1])):
            await asyncio.sleep(pause)
            with contextlib.suppress(CuaError):  # still owed; the next report says why
                await self.link()
                return


def _succeeded(read: asyncio.Future[None]) -> bool:
    return not read.cancelled() and read.exception() is None


def _presses(endpoint: Endpoint, report: bytes) -> bool:
    return rules.presses(report, ENDPOINTS.index(endpoint))


def _both(endpoint: Endpoint, before: bytes, now: bytes) -> bytes:
    """All that is down in either, with the pointer where it is now."""
    if endpoint != "keyboard":
        return bytes([before[0] | now[0]]) + now[1:]
    usages = dict.fromkeys(usage for usage in (*now[2:], *before[2:]) if usage)
    return keyboard(before[0] | now[0], [*usages][:6])


def _up(endpoint: Endpoint, report: bytes) -> bytes:
    """What lets go of it; the pointer stays."""
    return rules.released(ENDPOINTS.index(endpoint), report[1:5])
