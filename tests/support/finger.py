"""A person's finger on the manual controls, and an event loop that skips waiting."""

from __future__ import annotations

import asyncio
import selectors
from typing import Any

from cua.agent.manual_control import ManualControl
from cua.types import ManualAction, Point, Type
from tests.support.devices import Recorder, interpret
from tests.support.scripted_session import ScriptedSession

A, B, C = Point(x=0.2, y=0.3), Point(x=0.6, y=0.6), Point(x=0.3, y=0.8)


async def find_no_risk(_: Type) -> str:
    return ""


class Finger:
    """`allowed` is the setting."""

    def __init__(self, scripted: ScriptedSession) -> None:
        self.scripted, self.allowed = scripted, True
        self.manual_control = ManualControl(
            scripted.session,
            lambda: scripted.inputs,
            lambda: (1280, 720),
            lambda: self.allowed,
            find_no_risk,
        )
        scripted.session.on_begin = self.manual_control.hand_back
        self.number = self.turn = 0

    @property
    def recorder(self) -> Recorder:
        assert isinstance(self.scripted.device, Recorder)
        return self.scripted.device

    @property
    def down(self) -> list[str]:
        """What is, at the computer."""
        return interpret(self.recorder.reports).down

    @property
    def at(self) -> tuple[int, int]:
        """Where the pointer is, in pixels."""
        return interpret(self.recorder.reports).path[-1]

    async def take(self) -> None:
        self.turn = await self.manual_control.take_over()

    async def do(self, action: ManualAction) -> None:
        await self.manual_control.perform(action, turn=self.turn)

    async def press(self, at: Point = A) -> None:
        self.number = await self.manual_control.press_button(at, "left", self.turn)

    async def go(self, at: Point, *, over: bool = False) -> None:
        await self.manual_control.move_held(self.number, at, release=over)


class Leap(asyncio.SelectorEventLoop):
    """An event loop that does not wait: it advances its clock instead."""

    def __init__(self) -> None:
        super().__init__(_Selector(self))
        self.ahead = 0.0

    def time(self) -> float:
        return super().time() + self.ahead


class _Selector(selectors.DefaultSelector):
    def __init__(self, loop: Leap) -> None:
        super().__init__()
        self._loop = loop

    def select(self, timeout: float | None = None) -> Any:
        found = super().select(0)
        if not found:
            assert timeout is not None, "nothing will ever happen"
            self._loop.ahead += max(0.0, timeout)
        return found
