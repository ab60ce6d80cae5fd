"""Carries out actions on a keyboard and mouse; always releases everything at their end.

Reports are written one by one on the event loop, without a thread or a queue: a cancelled task
stops between two reports, and only the release in `finally` follows.
"""

from __future__ import annotations

import asyncio
import itertools
import time
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from dataclasses import replace
from typing import Protocol

from ..messages import Message
from ..types import (
    ActionError,
    Button,
    Drag,
    InputAction,
    InputReleased,
    Keypress,
    KvmAction,
    ManualAction,
    Point,
    Type,
    Wait,
)
from .action_to_reports import MIN_DRAG_STEPS, US, ButtonHold, choose_pointing, plan_reports
from .input_profile import InputProfile
from .keymap import MODIFIERS
from .reports import BUTTONS, Endpoint, TimedReport, make_keyboard_report

CAPS_LOCK = 0x02
"""The bit of the caps lock LED; while it is lit, letters have the wrong case."""
_CAPS_LOCK_OFF = Keypress(keys=("CAPSLOCK",))
PROGRESS_INTERVAL_S = 0.1
"""Least time between two calls of `on_typed`."""
_HARMLESS = MODIFIERS["SHIFT"] | MODIFIERS["RSHIFT"] | MODIFIERS["CTRL"] | MODIFIERS["RALT"]
"""Modifiers without an effect when pressed and released alone. Alt opens a menu, Win the start
menu, and the right Ctrl releases the keyboard from a virtual machine's window."""


class Device(Protocol):
    """A keyboard and mouse that take raw reports."""

    @property
    def leds(self) -> int | None:
        """The keyboard's LEDs as bits (1 num, 2 caps, 4 scroll lock); None: unknown."""

    async def write(self, endpoint: Endpoint, report: bytes) -> None:
        """Write one report. Raises `DeviceError` if it is not accepted in a limited time."""

    def release(self) -> None:
        """Release all keys and buttons now; synchronous, so that it cannot be cancelled."""


class KvmControls(Protocol):
    """The KVM's own actions on its computer: buttons of the case, images in a USB drive."""

    def check(self, action: KvmAction) -> None:
        """Raise `ActionError` if this KVM cannot do it."""

    async def perform(self, action: KvmAction) -> None:
        """Carry out an action. Raises `CuaError`."""


OnPerformed = Callable[[ManualAction, bool], None]
"""Gets an action, and whether it surely arrived: every report was acknowledged."""


class HidInputs:
    """Carries out actions on a device (`types.Inputs`).

    `on_typed` gets the count of characters typed so far, at intervals; `on_performed` gets each
    action once it has ended.
    """

    def __init__(
        self,
        device: Device,
        profile: InputProfile = US,
        on_typed: Callable[[int], None] = lambda _: None,
        on_performed: OnPerformed = lambda *_: None,
        kvm: KvmControls | None = None,
    ) -> None:
        self.profile = profile
        self.on_performed = on_performed
        self._device = device
        self._kvm = kvm
        self._on_typed = on_typed
        self._typed_at = 0.0
        self._done_count = 0
        """Number of characters typed, or of key presses, that may have arrived."""
        self._pointer: Point | None = None
        self._last_reports: dict[Endpoint, bytes] = {}
        """The last report of each endpoint since everything was released."""
        self._pressed_at = 0.0
        """`time.monotonic()` of the last press of a button."""
        self.last_report_at = 0.0
        self.progress = ""

    def check(self, action: InputAction) -> None:
        if isinstance(action, KvmAction):
            self._controls().check(action)
        else:
            plan_reports(action, self._pointer, self.profile)

    def _controls(self) -> KvmControls:
        if not self._kvm:
            raise ActionError(Message("hid.needs_kvm"))
        return self._kvm

    async def perform(self, action: InputAction) -> None:
        await self._carry_out(action)
        self.progress = Message("progress.done")

    async def _carry_out(self, action: InputAction) -> None:
        if isinstance(action, KvmAction):
            self.progress = Message("progress.unknown")
            self._release_and_note()
            await self._controls().perform(action)
            return
        if isinstance(action, Drag) and len(action.path) == 1 and self._pointer is None:
            raise ActionError(Message("hid.pointer_unknown"))
        plan = plan_reports(action, self._pointer, self.profile)
        if isinstance(action, Type) and (self._device.leds or 0) & CAPS_LOCK:
            off = (replace(report, typed=0) for report in plan_reports(_CAPS_LOCK_OFF, None))
            plan = itertools.chain(off, plan)
        self.progress = Message("progress.none")
        self._release()
        if isinstance(action, Wait):
            await asyncio.sleep(action.seconds)
            return
        self._done_count, whole = 0, False
        try:
            await self._write_plan(action, plan)
            whole = True
        finally:
            self._release_and_note()
            for piece, sure in [(action, True)] if whole else _done_parts(action, self._done_count):
                self.on_performed(piece, sure)

    async def hold_button(self, button: Button, path: AsyncIterator[Point]) -> None:
        start = here = await anext(path)
        least = MIN_DRAG_STEPS  # so that programs recognise the drag
        drag = Drag(path=(start,), button=button)
        held = ButtonHold(BUTTONS[button], choose_pointing(self.profile))
        self._release()
        try:
            await self._write_plan(drag, held.begin(here, self._pointer))
            async for there in path:
                await self._write_plan(drag, held.move(here, there, least))
                here, least = there, 1 if there != here else least
            await self._write_plan(drag, held.end(here))
        finally:
            self._release_and_note()
            self.on_performed(Drag(path=(start, here), button=button), True)

    async def _write_plan(self, action: ManualAction, plan: Iterator[TimedReport]) -> None:
        for report in plan:
            if time.monotonic() - self._pressed_at > report.within:
                raise ActionError(Message("hid.no_double_click"))
            # Counted before the report is written: if it is cancelled then, it may still
            # arrive, and a letter must not be typed twice.
            self._count_progress(action, report)
            try:
                await self._write(report.endpoint, report.data)
            except InputReleased:
                modifiers = modifiers_to_restore(self._last_reports, report)
                if modifiers is None:
                    raise
                self._release()
                await self._write("keyboard", make_keyboard_report(modifiers))
                await self._write(report.endpoint, report.data)
            await asyncio.sleep(report.pause_s)

    async def _write(self, endpoint: Endpoint, report: bytes) -> None:
        await self._device.write(endpoint, report)
        self._last_reports[endpoint] = report
        if endpoint != "keyboard" and report[0]:
            self._pressed_at = time.monotonic()

    def _release_and_note(self) -> None:
        self._release()
        self.last_report_at = time.monotonic()

    def _release(self) -> None:
        self._device.release()
        self._last_reports.clear()

    def _count_progress(self, action: ManualAction, report: TimedReport) -> None:
        self._pointer = report.where or self._pointer
        self._done_count = report.typed
        if not isinstance(action, Type):
            self.progress = Message("progress.begun")
            return
        self.progress = Message("progress.typed", typed=report.typed, count=len(action.text))
        if time.monotonic() - self._typed_at >= PROGRESS_INTERVAL_S:
            self._typed_at = time.monotonic()
            self._on_typed(report.typed)


def modifiers_to_restore(pressed: Mapping[Endpoint, bytes], report: TimedReport) -> int | None:
    """Return the modifiers to press before `report`, None if the action cannot go on.

    The writer has released `pressed`, the last report of each endpoint, since this process stalled.
    A second press is safe only if the first one had no effect: never for a button, since the
    pointer may have moved, nor for a key other than a modifier.
    """
    keys = pressed.get("keyboard", bytes(8))
    wanted = report.data if report.endpoint == "keyboard" else keys
    buttons = any(report[0] for endpoint, report in pressed.items() if endpoint != "keyboard")
    twice = set(keys[2:]) & set(wanted[2:]) - {0}
    if buttons or twice or (keys[0] | wanted[0]) & ~_HARMLESS:
        return None
    return wanted[0]


def _done_parts(action: ManualAction, count: int) -> Iterator[tuple[ManualAction, bool]]:
    """Yield the completed parts of an interrupted action, and whether each surely arrived."""
    if not isinstance(action, (Type, Keypress)):
        yield action, True
        return
    sure = max(0, count - 1)
    for start, end in ((0, sure), (sure, count)):
        if start < end and isinstance(action, Type):
            yield Type(text=action.text[start:end]), end == sure
        elif start < end:
            yield action.model_copy(update={"count": end - start}), end == sure
