"""Handles the requests of the client: checks them, and releases input when the lease ends."""

from __future__ import annotations

import time
from collections.abc import Callable

from . import packets
from .device_files import DeviceFiles
from .foreign_writes import ForeignWriteWatcher
from .packets import LEASE_S, WriterError
from .rules import acts, is_allowed, presses
from .usb import UsbState

RETRY_S = 0.1
"""Time between attempts to deliver a due release."""
NOTICE_S = 1.0
"""Time between notices of foreign writes, and between checks of the USB side."""


class RequestHandler:
    """Answers each request once, in order.

    The handler releases keys and buttons by itself when the lease ends, and at the start if the
    previous writer was killed. It then refuses reports that press or scroll until the client sends
    a release: they may rely on a key or button that is no longer pressed.
    """

    def __init__(
        self,
        devices: DeviceFiles,
        usb: UsbState,
        watch: ForeignWriteWatcher,
        send: Callable[[bytes], object],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._devices = devices
        self._usb = usb
        self._watch = watch
        self._send = send
        self._clock = clock
        self._lease = self._retry = self._notice = self._usb_check = 0.0
        self._state = ""
        self._queued = b""
        """The last request whose report the host did not poll at once."""
        self._released_early = devices.pressed_mask
        """A bit for each endpoint that was released without a request."""

    def timeout_s(self) -> float | None:
        """Return the seconds until `tick` must be called; None: not needed."""
        unreleased_mask = self._devices.unreleased_mask
        due = [self._retry] if unreleased_mask else []
        due += [self._lease] if self._devices.pressed_mask & ~unreleased_mask else []
        due += [self._usb_check] if self._state else []
        return max(0.0, min(due) - self._clock()) if due else None

    def tick(self) -> None:
        now = self._clock()
        pressed_mask = self._devices.pressed_mask
        if pressed_mask & ~self._devices.unreleased_mask and now >= self._lease:
            self._released_early |= pressed_mask
            self._devices.release()
        if self._devices.unreleased_mask and now >= self._retry:
            self._retry = now + RETRY_S
            self._devices.release()
        if now >= self._notice and (endpoint := self._watch.take_foreign_endpoint(now)) is not None:
            self._notice = now + NOTICE_S
            self._send(packets.pack_answer(packets.FOREIGN_WRITE, endpoint=endpoint))
        if now >= self._usb_check:
            self._usb_check = now + NOTICE_S
            self._report_state()

    def _report_state(self) -> None:
        """Send the state of the USB side if it has changed."""
        before, self._state = self._state, self._usb.state()
        if self._state != before:
            self._send(packets.pack_answer(packets.STATE, detail=self._state))

    def handle(self, request: bytes) -> None:
        number, status, detail = 0, packets.FORBIDDEN, ""
        if len(request) == packets.REQUEST.size:
            number = packets.REQUEST.unpack(request)[3]
            try:
                status, detail = self._carry_out(request)
            except WriterError as failed:
                status, detail = failed.status, failed.detail
        self._send(packets.pack_answer(packets.DONE, status, number=number, detail=detail))

    def _carry_out(self, request: bytes) -> tuple[int, str]:
        """Return a status and its detail. Raises `WriterError`."""
        kind, endpoint, length, _, report = packets.REQUEST.unpack(request)
        if kind == packets.REPORT:
            self._report(request, endpoint, report[:length])
            return packets.OK, ""
        if kind == packets.QUERY:
            return packets.OK, self._usb.state()
        if kind in (packets.RELEASE, packets.RELEASE_EVERYTHING):
            self._released_early, self._queued = 0, b""
            self._devices.give_up()
            return self._devices.release(everything=kind == packets.RELEASE_EVERYTHING), ""
        return packets.FORBIDDEN, ""

    def _report(self, request: bytes, endpoint: int, report: bytes) -> None:
        if not is_allowed(endpoint, report):
            raise WriterError(packets.FORBIDDEN)
        try:
            self._deliver(request, endpoint, report)
        except WriterError as failed:
            self._queued = request if failed.status == packets.QUEUED else b""
            raise
        if not presses(endpoint, report):
            self._released_early &= ~(1 << endpoint)

    def _deliver(self, request: bytes, endpoint: int, report: bytes) -> None:
        """Write a report, or continue to wait for the queued one; never write one twice."""
        if request == self._queued:
            self._lease = self._clock() + LEASE_S
            self._devices.wait(endpoint)
            if self._released_early & ~(1 << endpoint) and acts(endpoint, report):
                raise WriterError(packets.INPUT_RELEASED)  # delivered without its pressed keys
            return
        self._devices.give_up()
        if self._released_early and acts(endpoint, report):
            raise WriterError(packets.INPUT_RELEASED)
        self._lease = self._clock() + LEASE_S
        self._devices.report(endpoint, report)
