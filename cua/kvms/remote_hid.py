"""Keyboard and mouse over a network connection.

A report is done when the KVM's server has read it; the next one waits for that. A release that
could not be delivered is owed: it is retried until delivered, and nothing else is sent before it.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import time
from collections.abc import Awaitable, Callable, Sequence

from ..hid.reports import ENDPOINTS, LENGTHS, Endpoint, make_keyboard_report
from ..hid.writer import rules
from ..messages import Message
from ..timeouts import LATE_S
from ..types import CuaError, DeviceError
from .hid_link import HidLink
from .watchdog_client import WatchdogClient

RETRY_DELAYS_S = (0.2, 1.0, 3.0, 8.0)
"""Before each attempt to deliver an owed release; the last one repeats."""
UNREAD_TIMEOUT_S = 3.0
"""After which the link is dropped if the KVM has not read a release."""

SPACING_S, MIN_SPACING_S = 0.011, 0.010
"""Between two reports of an endpoint: as they are due, and at least. The server confirms that it
has read a report, not that the computer has it; the slowest computer, which polls every 10 ms, must
have fetched it before the next one. One KVM loses what waits in it, and none can take it back."""

Encode = Callable[[Endpoint, "bytes | None", bytes], list[bytes]]
"""The report before (None: the first of a connection) and this one -> the KVM's own messages, in
order. Keeps no state, so that a release can be repeated. Raises `DeviceError`."""


class RemoteHid:
    """`repeats_s`: seconds after which a release is sent again, for KVMs that may drop one.

    `watchdog` releases everything if this process dies or stalls; None: nothing does that (VNC).
    """

    def __init__(
        self,
        connect: Callable[[Callable[[], None]], Awaitable[HidLink]],
        encode: Encode,
        on_input_problem: Callable[[str], None],
        *,
        repeats_s: Sequence[float] = (),
        watchdog: WatchdogClient | None = None,
    ) -> None:
        self._watchdog = watchdog
        self._connect = connect
        self._encode = encode
        self._on_input_problem = on_input_problem
        self._repeats_s = repeats_s
        self._link: HidLink | None = None
        self._last: dict[Endpoint, bytes] = {}
        """The last report of each endpoint on this connection, sent or about to be."""
        self._next = dict.fromkeys(ENDPOINTS, (0.0, 0.0))
        """When the next report is due, at most one interval late, and its earliest time."""
        self._held: dict[Endpoint, bytes] = {}
        """Per endpoint all that may be down, as one report, until the KVM has read its release."""
        self._owed: set[Endpoint] = set()
        """Endpoints whose release must be delivered before anything else."""
        self._released_why: str = ""
        """Why something was released without a request: reports that go on with it are refused."""
        self._retrying: asyncio.Task[None] | None = None
        self._lock = asyncio.Lock()
        self._closed = False

    async def write(self, endpoint: Endpoint, report: bytes) -> None:
        """See `hid.inputs.Device`. Raises `DeviceError` after 2 s without an answer."""
        link = await self.link()
        due, earliest = self._next[endpoint]
        await asyncio.sleep(max(due, earliest) - time.monotonic())
        self._check_stall()
        if self._released_why and rules.acts(report, ENDPOINTS.index(endpoint)):
            raise DeviceError(self._released_why)
        self._refuse_if_closed()
        messages = self._encode(endpoint, self._last.get(endpoint), report)
        before = self._held.get(endpoint, bytes(LENGTHS[endpoint]))
        self._last[endpoint] = report
        self._note_pressed({endpoint: _merge(endpoint, before, report)})
        sent = time.monotonic()
        self._next[endpoint] = max(due + SPACING_S, sent), sent + MIN_SPACING_S
        try:
            await link.deliver(messages)
        except DeviceError as error:
            if self._check_stall():
                raise DeviceError(self._released_why) from error
            raise
        self._note_pressed({endpoint: report})

    def _check_stall(self) -> bool:
        """Return whether what was down was released because this process stalled."""
        stalled = Message("kvm.stalled")
        if self._watchdog and self._watchdog.check_stall():
            self._released_why = stalled
        return self._released_why == stalled

    def release(self) -> None:
        """See `hid.inputs.Device`."""
        if self._watchdog:
            self._watchdog.check_stall()  # what the watchdog released is released here too
        self._released_why = ""
        self._mark_owed()
        if self._owed and self._link and self._link.open:
            self._send_releases(self._link)
            for after in self._repeats_s:
                asyncio.get_running_loop().call_later(after, self._repeat, set(self._owed))
        elif self._owed:
            self._start_retrying()

    async def close(self) -> None:
        """Close for good; what is unconfirmed by then is left to the watchdog."""
        self._closed = True
        if self._retrying:
            self._retrying.cancel()
        self._mark_owed()
        if self._link:
            self._send_releases(self._link)
            self._link.close()
        if self._watchdog:
            self._watchdog.close()

    def _note_pressed(self, reports: dict[Endpoint, bytes]) -> None:
        """Note what is down; the watchdog is told before the KVM."""
        held = {**self._held, **reports}
        self._held = {each: report for each, report in held.items() if _presses(each, report)}
        self._owed &= self._held.keys()
        if self._watchdog:
            self._watchdog.hold(self._release_reports())

    def _mark_owed(self) -> None:
        self._owed |= self._held.keys()
        self._last.update(self._release_reports())

    def _release_reports(self) -> dict[Endpoint, bytes]:
        """Return the reports that release all that may be down."""
        return {each: _release_report(each, report) for each, report in self._held.items()}

    def _send_releases(self, link: HidLink) -> None:
        """Send all owed releases now; they are owed until the KVM has read them.

        Nothing awaits that, so a link that never confirms them is dropped here.
        """
        if self._owed:
            up, messages = self._releases()
            read = link.send(messages)
            read.add_done_callback(
                lambda done: (
                    None if done.cancelled() or done.exception() else self._note_pressed(up)
                )
            )
            loop = asyncio.get_running_loop()
            overdue = loop.call_later(
                UNREAD_TIMEOUT_S, loop.call_later, LATE_S, _drop_unconfirmed, link, read
            )
            read.add_done_callback(lambda _: overdue.cancel())

    def _releases(self) -> tuple[dict[Endpoint, bytes], list[bytes]]:
        """Return all owed releases: as reports, and as the KVM's messages."""
        up = {each: _release_report(each, self._held[each]) for each in sorted(self._owed)}
        said = (self._encode(each, self._held[each], report) for each, report in up.items())
        return up, [message for messages in said for message in messages]

    def _repeat(self, endpoints: set[Endpoint]) -> None:
        """Send releases again, with the pointer where it is now."""
        last = ((each, self._last[each]) for each in sorted(endpoints & self._last.keys()))
        up = [(each, _release_report(each, now)) for each, now in last if not _presses(each, now)]
        if self._link and self._link.open and up:
            self._link.send([m for each, report in up for m in self._encode(each, report, report)])

    async def link(self) -> HidLink:
        """Return a connection on which nothing is owed. Raises `CuaError`."""
        async with self._lock:
            self._refuse_if_closed()
            if not self._link or not self._link.open:
                self._link = await self._connect(self._on_lost)
                if self._closed:
                    self._link.close()
                self._refuse_if_closed()
                self._mark_owed()
                self._last.clear()
                self._on_input_problem("")
            if self._owed:
                up, messages = self._releases()
                await self._link.deliver(messages)
                self._note_pressed(up)
            if self._watchdog:
                await self._watchdog.ensure_running()
            return self._link

    def _refuse_if_closed(self) -> None:
        if self._closed:
            raise DeviceError(Message("kvm.closed"))

    def _on_lost(self) -> None:
        """Owe the release of all that may be down: not every KVM releases at a disconnect."""
        if any(_presses(*each) for each in self._last.items()):
            self._released_why = Message("kvm.released")
        self._mark_owed()
        if self._owed and not self._closed:
            self._on_input_problem(Message("kvm.owed"))
            self._start_retrying()

    def _start_retrying(self) -> None:
        if not self._closed and (self._retrying is None or self._retrying.done()):
            self._retrying = asyncio.ensure_future(self._retry())

    async def _retry(self) -> None:
        for pause in itertools.chain(RETRY_DELAYS_S, itertools.repeat(RETRY_DELAYS_S[-1])):
            await asyncio.sleep(pause)
            with contextlib.suppress(CuaError):  # still owed; the next report says why
                await self.link()
                return


def _drop_unconfirmed(link: HidLink, read: asyncio.Future[None]) -> None:
    """Drop an unconfirmed link. Called a moment late: after a stall the answer is read first."""
    if not read.done():
        link.drop()


def _presses(endpoint: Endpoint, report: bytes) -> bool:
    return rules.presses(report, ENDPOINTS.index(endpoint))


def _merge(endpoint: Endpoint, before: bytes, now: bytes) -> bytes:
    """Return a report of all that is down in either, with the pointer where it is now."""
    if endpoint != "keyboard":
        return bytes([before[0] | now[0]]) + now[1:]
    usages = dict.fromkeys(usage for usage in (*now[2:], *before[2:]) if usage)
    return make_keyboard_report(before[0] | now[0], [*usages][:6])


def _release_report(endpoint: Endpoint, report: bytes) -> bytes:
    """Return the report that releases it; the pointer stays."""
    return rules.release_report(ENDPOINTS.index(endpoint), report[1:5])
