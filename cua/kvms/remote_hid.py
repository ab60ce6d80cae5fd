"""Keyboard and mouse over a network connection.

A report is done when the KVM's server has read it; the next one waits for that. A release that was
not delivered stays due: it is retried until delivered, and nothing else is sent before it.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence

from ..hid.reports import ENDPOINTS, LENGTHS, Endpoint, make_keyboard_report
from ..hid.writer import rules
from ..messages import Message
from ..timeouts import LATE_S
from ..types import CuaError, DeviceError
from .hid_link import HidLink
from .watchdog_client import WatchdogClient

RETRY_DELAYS_S = (0.2, 1.0, 3.0, 8.0)
"""Delays before each attempt to deliver a due release; the last one repeats."""
UNREAD_TIMEOUT_S = 3.0
"""Time after which the link is dropped if the KVM has not read a release."""

SPACING_S, MIN_SPACING_S = 0.011, 0.010
"""Usual and least time between two reports of an endpoint. The server confirms that it has read a
report, not that the computer has it; the slowest computer, which polls every 10 ms, must fetch it
before the next one. One KVM loses waiting reports, and none can withdraw them."""

Encode = Callable[[Endpoint, "bytes | None", bytes], list[bytes]]
"""Endpoint, previous report, this one -> the KVM's messages. The previous report is None only for
the first report of a connection; a release has the one that it releases. Has no state, so that a
release can be repeated. Raises `ActionError` for an unknown key."""


class RemoteHid:
    """`repeats_s`: delays after which a release is sent again, for KVMs that may drop one.
    They must take whole reports: there is no change to encode then."""

    def __init__(
        self,
        connect: Callable[[Callable[[], None]], Awaitable[HidLink]],
        encode: Encode,
        on_input_problem: Callable[[str], None],
        repeats_s: Sequence[float] = (),
    ) -> None:
        self.watchdog = WatchdogClient(self._encode_release)
        """Releases everything if this process dies or stalls, once `connect` has started it."""
        self._connect = connect
        self._encode = encode
        self._on_input_problem = on_input_problem
        self._repeats_s = repeats_s
        self._link: HidLink | None = None
        self._last: dict[Endpoint, bytes] = {}
        """The last report of each endpoint on this connection, set just before it is sent."""
        self._next = dict.fromkeys(ENDPOINTS, (0.0, 0.0))
        """Per endpoint the next report's due time, at most one interval ago, and earliest time."""
        self._pressed: dict[Endpoint, bytes] = {}
        """Per endpoint a report of all that may be pressed, until the KVM has read its release."""
        self._is_due = False
        """Whether the release of all that may be pressed must come before any other report."""
        self._released_why: str = ""
        """Reason of a release without a request; reports that rely on the press are refused."""
        self._retrying: asyncio.Task[None] | None = None
        self._lock = asyncio.Lock()
        self._closed = False

    async def write(self, endpoint: Endpoint, report: bytes) -> None:
        """See `hid.inputs.Device`. Raises `DeviceError` after 2 s without an answer."""
        link = await self.link()
        due, earliest = self._next[endpoint]
        await asyncio.sleep(max(due, earliest) - time.monotonic())
        self._refuse_if_closed()
        messages = self._encode(endpoint, self._last.get(endpoint), report)
        before = self._pressed.get(endpoint, bytes(LENGTHS[endpoint]))
        self._store_pressed({endpoint: _merge(endpoint, before, report)})
        self._check_stall()  # now that the watchdog was told, or could not be
        if self._released_why and rules.acts(ENDPOINTS.index(endpoint), report):
            raise DeviceError(self._released_why)
        self._last[endpoint] = report
        sent = time.monotonic()
        self._next[endpoint] = max(due + SPACING_S, sent), sent + MIN_SPACING_S
        try:
            await link.deliver(messages)
        except DeviceError as error:
            if self._check_stall():
                raise DeviceError(self._released_why) from error
            raise
        self._store_pressed({endpoint: report})

    def _check_stall(self) -> bool:
        """Return whether pressed keys or buttons were released because this process stalled."""
        if self.watchdog.check_stall():
            self._released_why = Message("kvm.stalled")
        return self._released_why == Message("kvm.stalled")

    def release(self) -> None:
        """See `hid.inputs.Device`."""
        self.watchdog.check_stall()  # a release by the watchdog counts here too
        self._released_why = ""
        self._mark_release_due()
        if self._is_due and self._link and self._link.open:
            self._send_release(self._link)
            for after in self._repeats_s:
                asyncio.get_running_loop().call_later(after, self._repeat, set(self._pressed))
        elif self._is_due:
            self._start_retrying()

    def close(self) -> None:
        """Close; the watchdog delivers releases that are not confirmed by then."""
        self._closed = True
        if self._retrying:
            self._retrying.cancel()
        self._mark_release_due()
        if self._link:
            self._send_release(self._link)
            self._link.close()
        self.watchdog.close()

    def _store_pressed(self, reports: dict[Endpoint, bytes]) -> None:
        """Store pressed keys and buttons; the watchdog gets them before the KVM."""
        merged = {**self._pressed, **reports}
        self._pressed = {each: report for each, report in merged.items() if _presses(each, report)}
        self._is_due = self._is_due and bool(self._pressed)
        self.watchdog.hold(self._pressed)

    def _mark_release_due(self) -> None:
        self._is_due = bool(self._pressed)
        self._last.update(self._release_reports())

    def _release_reports(self) -> dict[Endpoint, bytes]:
        """Return the reports that release everything that may be pressed."""
        return {each: _release_report(each, report) for each, report in self._pressed.items()}

    def _send_release(self, link: HidLink) -> None:
        """Send the release now, if it is due; it stays due until the KVM has read it.

        Nothing awaits that, so a link that does not confirm it is dropped here.
        """
        if self._is_due:
            pressed = self._pressed

            def confirm(done: asyncio.Future[None]) -> None:
                read = not (done.cancelled() or done.exception())
                if read and self._pressed is pressed:  # nothing was sent since
                    self._store_pressed(self._release_reports())

            read = link.send(self._encode_release(self._pressed))
            read.add_done_callback(confirm)
            loop = asyncio.get_running_loop()
            overdue = loop.call_later(
                UNREAD_TIMEOUT_S, loop.call_later, LATE_S, _drop_unconfirmed, link, read
            )
            read.add_done_callback(lambda _: overdue.cancel())

    def _encode_release(self, pressed: Mapping[Endpoint, bytes]) -> list[bytes]:
        """Return the KVM's messages that release everything that the reports press."""
        reports = sorted(pressed.items())
        parts = (self._encode(each, now, _release_report(each, now)) for each, now in reports)
        return [message for part in parts for message in part]

    def _repeat(self, endpoints: set[Endpoint]) -> None:
        """Send releases again, with the pointer's current place."""
        last = ((each, self._last[each]) for each in sorted(endpoints & self._last.keys()))
        up = [(each, _release_report(each, now)) for each, now in last if not _presses(each, now)]
        if self._link and self._link.open and up:
            self._link.send([m for each, report in up for m in self._encode(each, report, report)])

    async def link(self) -> HidLink:
        """Return a connection on which no release is due. Raises `CuaError`."""
        async with self._lock:
            self._refuse_if_closed()
            if not self._link or not self._link.open:
                self._link = await self._connect(self._on_lost)
                if self._closed:
                    self._link.close()
                self._refuse_if_closed()
                self._mark_release_due()
                self._last.clear()
                self._on_input_problem("")
            if self._is_due:
                await self._link.deliver(self._encode_release(self._pressed))
                self._store_pressed(self._release_reports())
            await self.watchdog.ensure_running()
            return self._link

    def _refuse_if_closed(self) -> None:
        if self._closed:
            raise DeviceError(Message("kvm.closed"))

    def _on_lost(self) -> None:
        """Mark releases as due for everything that may be pressed: some KVMs keep it pressed."""
        if any(_presses(*each) for each in self._last.items()):
            self._released_why = Message("kvm.released")
        self._mark_release_due()
        if self._is_due and not self._closed:
            self._on_input_problem(Message("kvm.owed"))
            self._start_retrying()

    def _start_retrying(self) -> None:
        if not self._closed and (self._retrying is None or self._retrying.done()):
            self._retrying = asyncio.ensure_future(self._retry())

    async def _retry(self) -> None:
        for pause in itertools.chain(RETRY_DELAYS_S, itertools.repeat(RETRY_DELAYS_S[-1])):
            await asyncio.sleep(pause)
            with contextlib.suppress(CuaError):  # still due; the next report raises the reason
                await self.link()
                return


def _drop_unconfirmed(link: HidLink, read: asyncio.Future[None]) -> None:
    """Drop an unconfirmed link. Called with a delay: after a stall the answer is read first."""
    if not read.done():
        link.drop()


def _presses(endpoint: Endpoint, report: bytes) -> bool:
    return rules.presses(ENDPOINTS.index(endpoint), report)


def _merge(endpoint: Endpoint, before: bytes, now: bytes) -> bytes:
    """Return a report with everything that is pressed in either, and the current pointer."""
    if endpoint != "keyboard":
        return bytes([before[0] | now[0]]) + now[1:]
    usages = dict.fromkeys(usage for usage in (*now[2:], *before[2:]) if usage)
    return make_keyboard_report(before[0] | now[0], [*usages][:6])


def _release_report(endpoint: Endpoint, report: bytes) -> bytes:
    """Return the report that releases everything; the pointer stays at its place."""
    return rules.release_report(ENDPOINTS.index(endpoint), report[1:5])
