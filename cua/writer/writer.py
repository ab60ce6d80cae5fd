"""What the writer does with requests: the lease, and what is refused."""

from __future__ import annotations

import time
from collections.abc import Callable

from . import wire
from .devices import Devices
from .rules import acts, allowed, presses
from .usb import Usb
from .watch import Watch
from .wire import Failed

LEASE = 0.25
"""Seconds that anything may be held without a word. A desktop begins to repeat a key after that."""
RETRY = 0.1
"""Seconds between attempts to deliver a release that is owed."""
NOTICE = 1.0
"""Seconds between notices that somebody else writes, and between looks at the USB side."""


class Writer:
    """Answers each request once, in order.

    When something was released without a word from the agent, because the lease ended or by the
    successor of a writer that was killed, no report that goes on with it held is taken any more.
    """

    def __init__(
        self,
        devices: Devices,
        usb: Usb,
        watch: Watch,
        say: Callable[[bytes], object],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._devices = devices
        self._usb = usb
        self._watch = watch
        self._say = say
        self._clock = clock
        self._lease = self._retry = self._notice = 0.0
        self._look = 0.0
        self._state = ""
        self._forfeit = devices.down
        """A bit for each endpoint that was released behind the agent's back."""

    def patience(self) -> float | None:
        """Seconds until `tick` has something to do."""
        owing = self._devices.owing
        due = [self._retry] if owing else []
        due += [self._lease] if self._devices.down & ~owing else []
        due += [self._look] if self._state else []
        return max(0.0, min(due) - self._clock()) if due else None

    def tick(self) -> None:
        now = self._clock()
        down = self._devices.down
        if down & ~self._devices.owing and now >= self._lease:
            self._forfeit |= down
            self._devices.release()
        if self._devices.owing and now >= self._retry:
            self._retry = now + RETRY
            self._devices.release(yielding=True)
        if now >= self._notice and (endpoint := self._watch.stranger(now)) is not None:
            self._notice = now + NOTICE
            self._say(wire.ANSWER.pack(wire.STRANGER, wire.OK, endpoint, 0, b""))
        if now >= self._look:
            self._look = now + NOTICE
            self._tell()

    def _tell(self) -> None:
        """How the USB side is, if it has changed."""
        before, self._state = self._state, self._usb.state()
        if self._state != before:
            detail = self._state.encode()[:16]
            self._say(wire.ANSWER.pack(wire.STATE, wire.OK, 0, 0, detail))

    def handle(self, request: bytes) -> None:
        """Carry out one request and answer it."""
        number, status, detail = 0, wire.FORBIDDEN, ""
        if len(request) == wire.REQUEST.size:
            kind, endpoint, length, number, report = wire.REQUEST.unpack(request)
            try:
                status, detail = self._carry_out(kind, endpoint, report[:length])
            except Failed as failed:
                status, detail = failed.status, failed.detail
        self._say(wire.ANSWER.pack(wire.DONE, status, 0, number, detail.encode()[:16]))

    def _carry_out(self, kind: int, endpoint: int, report: bytes) -> tuple[int, str]:
        """Returns a status and its detail, or raises `Failed`."""
        if kind == wire.REPORT:
            self._report(endpoint, report)
        elif kind == wire.QUERY:
            return wire.OK, self._usb.state()
        elif kind in (wire.RELEASE, wire.RELEASE_EVERYTHING):
            self._forfeit = 0
            return self._devices.release(everything=kind == wire.RELEASE_EVERYTHING), ""
        else:
            return wire.FORBIDDEN, ""
        return wire.OK, ""

    def _report(self, endpoint: int, report: bytes) -> None:
        if not allowed(endpoint, report):
            raise Failed(wire.FORBIDDEN)
        if self._forfeit and acts(report, endpoint):
            raise Failed(wire.LET_GO)
        self._lease = self._clock() + LEASE
        self._devices.report(endpoint, report)
        if not presses(report, endpoint):
            self._forfeit &= ~(1 << endpoint)
