"""Inputs that can also press the buttons of the computer's case, if the KVM can.

The approval gate asks the user before each such action.
"""

from __future__ import annotations

from collections.abc import AsyncIterator

from ..messages import Message
from ..types import ActionError, Button, InputAction, Inputs, Point, Power
from .registry import Kvm


class PowerInputs:
    """`types.Inputs`."""

    def __init__(self, inputs: Inputs, kvm: Kvm) -> None:
        self._inputs, self._kvm = inputs, kvm
        self._pressing = False

    @property
    def last_report_at(self) -> float:
        return self._inputs.last_report_at

    @property
    def progress(self) -> str:
        return "it may have been pressed" if self._pressing else self._inputs.progress

    def check(self, action: InputAction) -> None:
        if not isinstance(action, Power):
            self._inputs.check(action)
        elif action.button not in self._kvm.presses:
            raise ActionError(Message("kvm.no_case_button", kvm=self._kvm.name))

    async def perform(self, action: InputAction) -> None:
        self._pressing = isinstance(action, Power)
        if isinstance(action, Power):
            await self._kvm.press(action.button)
        else:
            await self._inputs.perform(action)

    async def hold_button(self, button: Button, way: AsyncIterator[Point]) -> None:
        self._pressing = False
        await self._inputs.hold_button(button, way)
