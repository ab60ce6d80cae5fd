"""Connecting another computer while the service runs."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from ..agent.session import Session
from ..kvms.virtual_process import VirtualComputer
from ..messages import Message
from ..types import Busy
from .computer import RemoteComputer


class ComputerSwitch:
    """Connects the simulated computer or the KVM of the settings; there is no input meanwhile.

    `forget` drops what is known about what was typed on the previous computer.
    """

    def __init__(
        self, computer: RemoteComputer, session: Session, forget: Callable[[], None]
    ) -> None:
        self._computer, self._session, self._forget = computer, session, forget
        self._changing = asyncio.Lock()

    def check_connected(self) -> None:
        if self._changing.locked():
            raise Busy(Message("session.connecting_computer"))

    async def close(self) -> None:
        """Wait for a change to end, and allow no further one."""
        await self._changing.acquire()

    async def simulate(self, *, on: bool, then: Callable[[], Awaitable[None]]) -> None:
        """Use the simulated computer, or else the KVM; call `then` after a change."""
        async with self._changing:
            if on != self._computer.virtual:
                await self._connect(Message("session.other_computer"), virtual=on)
                await then()

    async def restart_simulated(self) -> None:
        """Replace the simulated computer by a new one. Raises `Busy` while a task runs."""
        async with self._changing:
            if not self._computer.virtual:
                raise Busy(Message("session.not_simulated"))
            if self._session.status == "running":
                raise Busy(Message("session.restart_running"))
            await self._connect(Message("session.simulator_restarted"), virtual=True)

    async def reconnect(self) -> None:
        """Connect the KVM that the settings name now, unless the simulated computer is used."""
        async with self._changing:
            if not self._computer.virtual:
                await self._connect(Message("session.other_kvm"), virtual=False)

    async def _connect(self, reason: str, *, virtual: bool) -> None:
        await self._session.pause(reason)
        await self._computer.change(await asyncio.to_thread(VirtualComputer) if virtual else None)
        self._forget()
