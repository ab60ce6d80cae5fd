"""A connection to a KVM with synchronous sends, each of which the KVM's server confirms."""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence

from ..messages import Message
from ..timeouts import wait_for_answer
from ..types import DeviceError


class HidLink(ABC):
    """`on_lost` is called once when an open connection ends."""

    answer_timeout_s = 2.0
    """Time without an answer after which the link is dropped, with all unsent data."""
    loss: str = Message("kvm.hid_lost")
    """Reason of failed sends after the link has ended."""
    window = 1
    """Number of unconfirmed sends at which `deliver` waits."""

    def __init__(self, on_lost: Callable[[], None]) -> None:
        self.open = False
        self._on_lost = on_lost
        self._number = 0
        self._pending: dict[int, asyncio.Future[None]] = {}
        """Futures of the unconfirmed sends by number, in order."""

    def send(self, messages: Sequence[bytes]) -> asyncio.Future[None]:
        """Send now. The future is done when the KVM has read the messages, or fails with the link.

        It need not be awaited: a release does not await it.
        """
        read: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        read.add_done_callback(lambda done: done.cancelled() or done.exception())
        if self.open:
            self._number += 1
            self._pending[self._number] = read
            self._transmit(messages)
        else:
            read.set_exception(DeviceError(self.loss))
        return read

    async def deliver(self, messages: Sequence[bytes]) -> None:
        """Send, and wait while `window` sends are unconfirmed. Raises `DeviceError`."""
        read = self.send(messages)
        unconfirmed = [*self._pending.values()]
        if read.done():
            read.result()
        elif len(unconfirmed) >= self.window:
            await self._wait(unconfirmed[-self.window])

    async def _wait(self, read: asyncio.Future[None]) -> None:
        try:
            await wait_for_answer(read, self.answer_timeout_s)
        except asyncio.TimeoutError:
            self.drop()
            raise DeviceError(Message("kvm.hid_silent")) from None

    @abstractmethod
    def drop(self) -> None:
        """Close at once and discard unsent data."""

    @abstractmethod
    def close(self) -> None:
        """Close once everything is sent."""

    @abstractmethod
    def _transmit(self, messages: Sequence[bytes]) -> None:
        """Write messages and a request for confirmation."""

    def _confirm(self, number: int) -> None:
        """Complete the futures up to this number."""
        for each in [n for n in self._pending if n <= number]:
            read = self._pending.pop(each)
            if not read.done():
                read.set_result(None)

    def _end(self) -> None:
        """Fail all unconfirmed sends."""
        was_open, self.open = self.open, False
        for read in self._pending.values():
            if not read.done():
                read.set_exception(DeviceError(self.loss))
        self._pending.clear()
        if was_open:
            self._on_lost()
