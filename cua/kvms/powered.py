"""Hands that reach the buttons of the computer's case as well, where the KVM does.

The gate has asked the person before: it lets no such action pass without their yes.
"""

from __future__ import annotations

from collections.abc import AsyncIterator

from ..types import ActionError, Button, Deed, Hands, Point, Power
from . import Kvm


class Powered:
    """`types.Hands`."""

    def __init__(self, hands: Hands, kvm: Kvm) -> None:
        self._hands, self._kvm = hands, kvm
        self._pressing = False

    @property
    def touched(self) -> float:
        return self._hands.touched

    @property
    def progress(self) -> str:
        return "it may have been pressed" if self._pressing else self._hands.progress

    def check(self, action: Deed) -> None:
        if not isinstance(action, Power):
            self._hands.check(action)
        elif action.button not in self._kvm.presses:
            raise ActionError(f"There is no way from {self._kvm.name} to that button of the case.")

    async def perform(self, action: Deed) -> None:
        self._pressing = isinstance(action, Power)
        if isinstance(action, Power):
            await self._kvm.press(action.button)
        else:
            await self._hands.perform(action)

    async def pull(self, button: Button, way: AsyncIterator[Point]) -> None:
        self._pressing = False
        await self._hands.pull(button, way)
