"""What is served: the machine of one computer, or those of many as one."""

from __future__ import annotations

from typing import Protocol

from ..events.log import EventLog
from ..kvms.host_server import KvmServer


class Supervised(Protocol):
    """A session, or those of many computers as one. See `agent.session.Session`."""

    @property
    def log(self) -> EventLog: ...

    @property
    def is_busy(self) -> bool: ...

    async def pause(self, reason: str = "", by: str = "") -> None: ...

    async def stop(self, reason: str = "", by: str = "") -> None: ...


class Service(Protocol):
    """See `app.machine.Machine`."""

    kvm_server: KvmServer

    @property
    def log(self) -> EventLog: ...

    @property
    def session(self) -> Supervised: ...

    @property
    def is_simulated(self) -> bool: ...

    @property
    def grace(self) -> float: ...

    def stop(self) -> None: ...

    async def open(self) -> None: ...

    async def close(self) -> None: ...
