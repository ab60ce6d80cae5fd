"""The model and the computer of a testbed."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from cua.hid.reports import ENDPOINTS, LENGTHS, Endpoint
from tests.support.devices import Fifos

Report = tuple[Endpoint, bytes]
Reply = dict[str, Any]
POLL_S = 0.005


class Model:
    """What the model server says: `replies` in turn, unless there is a `fault`."""

    def __init__(self) -> None:
        self.replies: deque[Reply] = deque()
        self.fault: Reply | None = None
        self.faults_served = 0
        self._current: tuple[Reply, Reply, float] = ({}, {}, 0.0)

    def say(self, *replies: Reply) -> None:
        """From now on, in place of what was left to say."""
        self.replies = deque(replies)
        self.faults_served = 0

    def __call__(self, body: object) -> Reply:
        base = self.replies[0] if self.replies else {"text": "DONE: nothing is left to do."}
        if self.fault is not None:
            self.faults_served += 1
            return {**base, **self.fault, "delay": 0}
        if self.replies:
            self.replies.popleft()
        given = dict(base)
        self._current = (base, given, time.monotonic() + float(base.get("delay", 0)))
        return given

    def fail(self, fault: Reply) -> None:
        """From now on, the request that is being answered included."""
        self.fault = fault
        base, given, until = self._current
        if time.monotonic() < until:
            self.replies.appendleft(base)
            given.update(fault)
            self.faults_served += 1


class Hid:
    """The computer at the other end of the HID devices: it takes all reports unless it sleeps."""

    def __init__(self, folder: Path, fifos: Fifos) -> None:
        self.nodes = [Path(f"{fifos.prefix}{number}") for number in range(len(ENDPOINTS))]
        self.fifos = fifos
        self.reports: list[Report] = []
        self.last = 0.0
        self.poll_s = POLL_S
        """Seconds between two polls of the devices, each of which takes one report."""
        self._folder = folder
        self._asleep: Sequence[Endpoint] = ()
        self._newest: dict[Endpoint, bytes] = {}
        self._plugged = True

    async def run(self) -> None:
        while True:
            await asyncio.sleep(self.poll_s)
            if self._plugged:
                self.take()

    def take(self) -> None:
        for endpoint in ENDPOINTS:
            if endpoint not in self._asleep:
                self._heard([(endpoint, report) for report in self.fifos.read(endpoint)])

    def sleep(self, endpoints: Sequence[Endpoint]) -> None:
        """Take nothing more at these."""
        self._asleep = endpoints

    def wake(self) -> None:
        self._asleep = ()

    def unplug(self) -> None:
        """A computer lets go of everything when the cable is pulled."""
        if self._plugged:
            self.take()
            self._plugged = False
            self.fifos.close()
            self._heard([(endpoint, bytes(LENGTHS[endpoint])) for endpoint in ENDPOINTS])

    def plug(self) -> None:
        self.fifos = Fifos(self._folder, made=True, one_slot=True)
        self._plugged = True

    def _heard(self, reports: Sequence[Report]) -> None:
        """A report that is the same as the one before changes nothing at the computer."""
        for endpoint, report in reports:
            if self._newest.get(endpoint) != report:
                self.reports.append((endpoint, report))
                self._newest[endpoint] = report
                self.last = time.monotonic()

    async def quiet(self, seconds: float = 0.5) -> None:
        """Until nothing has come for so long."""
        begun = time.monotonic()
        while time.monotonic() < max(begun, self.last) + seconds:
            await asyncio.sleep(POLL_S)
