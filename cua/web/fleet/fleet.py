"""All computers of a fleet as one: supervised, paused and stopped together."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any

from ...app.machine import Machine
from ...events.log import Event, EventLog
from .member import Member


class SharedLog(EventLog):
    """A log that copies every event into the log of each computer."""

    def __init__(self, logs: Sequence[EventLog]) -> None:
        super().__init__()
        self._logs = logs

    def append(self, kind: str, /, picture: bytes | None = None, **data: Any) -> Event:
        for log in self._logs:
            log.append(kind, picture, **data)
        return super().append(kind, picture, **data)


class FleetSession:
    """The sessions of all computers; see `agent.session.Session`."""

    def __init__(self, machines: Sequence[Machine]) -> None:
        self.log = SharedLog([each.log for each in machines])
        self._sessions = [each.session for each in machines]

    @property
    def is_busy(self) -> bool:
        return any(each.is_busy for each in self._sessions)

    async def pause(self, reason: str = "", by: str = "") -> None:
        await asyncio.gather(*(each.pause(reason, by) for each in self._sessions))

    async def stop(self, reason: str = "", by: str = "") -> None:
        await asyncio.gather(*(each.stop(reason, by) for each in self._sessions))


class Fleet:
    """`members`: name -> member, at least one."""

    is_simulated = False

    def __init__(self, members: Mapping[str, Member]) -> None:
        self.members = members
        self.machines = [each.machine for each in members.values()]
        self.session = FleetSession(self.machines)
        self.log = self.session.log
        self.kvm_server = self.machines[0].kvm_server
        self.grace = self.machines[0].grace

    async def open(self) -> None:
        await asyncio.gather(*(each.open() for each in self.machines))

    async def close(self) -> None:
        await asyncio.gather(*(each.close() for each in self.machines))
