"""The computer at the other end: its screen, the hands on it, and the KVM that carries both.

Another KVM can be chosen while the service runs; who holds a console notices nothing of it. What
the KVM tells unasked (its certificate, its leds, that it is out of reach) ends here.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from ..events.log import EventLog
from ..hid import mouse_calibration, pace_test
from ..hid.input_profile import InputProfile
from ..hid.inputs import Follow, HidInputs
from ..hid.pointing import Mouse
from ..kvms import registry
from ..kvms.virtual_process import VirtualComputer, VirtualKvm
from ..screen.demand import VideoDemand
from ..screen.mjpeg_screen import MjpegScreen
from ..settings import RECOMMENDED_SCREEN, SettingsFile
from ..timeouts import cancelled
from ..types import CuaError
from . import factory

PLACES = ("kvm", "kvm_user", "stream_url")
"""The settings that say where the computer is."""
UNKNOWN = (
    "The settings file does not say which computer is meant ({reason}), so none is touched. "
    "Look at the KVM in Settings, and save."
)


def unknown(file: SettingsFile) -> str:
    """Why nobody can tell which computer the settings are for; "" where they say it."""
    named = [name for name in PLACES if name in file.ignored and name not in file.locked]
    return UNKNOWN.format(reason=file.ignored[named[0]]) if named else ""


class RemoteComputer:
    """`touched` is told the endpoint that somebody else has used, `follow` what our hands do."""

    def __init__(
        self,
        file: SettingsFile,
        log: EventLog,
        touched: Callable[[str], None],
        follow: Follow,
        virtual: VirtualComputer | None = None,
        demand: VideoDemand | None = None,
    ) -> None:
        self.why_not = ""
        """Why the KVM or the computer cannot be reached, in words; empty: it can."""
        self._file = file
        self._log = log
        self._touched = touched
        self._follow = follow
        self._virtual = virtual
        self._leds: int | None = None
        self._reader: asyncio.Task[None] | None = None
        self._kvm = self._make_kvm()
        self.inputs = self._make_hands()
        self.screen = MjpegScreen(self._kvm.frames, log, demand=demand)
        self.screen.resized = self._resized

    def open(self) -> None:
        """Begin to look."""
        self._reader = asyncio.create_task(self._look())
        self._reader.add_done_callback(self._looked)

    async def close(self) -> None:
        if self._reader is not None:
            await cancelled(self._reader)
        try:
            await self._kvm.close()
        except CuaError as error:  # one that is out of reach must not hold up what comes after it
            self._note("warning", f"The KVM could not be left as it was found. {error}")

    @property
    def virtual(self) -> bool:
        """Whether it is the virtual computer."""
        return self._virtual is not None

    async def change(self, virtual: VirtualComputer | None = None) -> None:
        """Go on with this computer, or with the KVM that the settings name now. Nothing may be
        using the hands.
        """
        try:
            await self.close()
        finally:
            self._virtual = virtual
            self._reached("")
            self._lit(None)
            self._kvm = self._make_kvm()
            self.inputs = self._make_hands()
            self.screen.source = self._kvm.frames
            self.open()

    def aim(self) -> None:
        """Let the hands know the computer as the person has described it. Raises `CuaError`."""
        self._check_known()
        self.inputs.profile = self._input_profile().checked()

    def _check_known(self) -> None:
        """A file that was meant for another computer must not move the hands on this one."""
        if not self._virtual and (why := unknown(self._file)):
            raise CuaError(why)

    def _input_profile(self) -> InputProfile:
        kvm = self._kvm
        found = factory.input_profile(
            self._file.values, self.size, relative=kvm.relative, keymap=kvm.keymap
        )
        return found._replace(layout=kvm.layout or found.layout, lacks=kvm.lacks)

    def _learnt(self) -> None:
        """A KVM tells what it is set to when it is reached, which may be after a run has begun."""
        self.inputs.profile = self._input_profile()

    @property
    def size(self) -> tuple[int, int]:
        """Pixels of the screen, or of the recommended one while nobody has seen it."""
        status = self.screen.status
        return (status.width, status.height) if status.width else RECOMMENDED_SCREEN

    async def calibrate(self, what: str) -> str:
        """Measure the "mouse" or the "keys", and keep it; what was found. Raises `CuaError`."""
        self._check_known()
        if what == "mouse":
            gain = await mouse_calibration.measure_gain(self.screen, self.inputs)
            await self._keep({"pointer_gain": gain})
            return f"A count of the relative mouse moves the pointer by {gain:g} pixels."
        pace = await pace_test.find_pace(self._kvm, lambda: self._leds)
        await self._keep({"pace": pace})
        if pace == "careful":
            return "At the fast pace keys were lost, at the careful one none: Pace is careful now."
        return "No key was lost at the fast pace: Pace is fast."

    def _resized(self, width: int, height: int) -> None:
        """A relative mouse is counted over the screen as it is now."""
        target = self.inputs.profile
        if target.mouse:
            mouse = target.mouse._replace(width=width, height=height)
            self.inputs.profile = target._replace(mouse=mouse)

    async def other_mouse(self) -> bool:
        """Measure the relative mouse and keep to it, if it moves what the absolute one did not."""
        before = self.inputs.profile
        if before.mouse is not None:
            return False
        try:
            found = await mouse_calibration.measure_gain(self.screen, self.inputs)
        except CuaError as error:
            self.inputs.profile = before
            self._note("warning", f"The pointer does not move, by neither mouse. {error}")
            return False
        self.inputs.profile = before._replace(mouse=Mouse(*self.size, found))
        await self._keep({"pointer": "relative", "pointer_gain": found})
        self._note("info", "The computer ignores the absolute pointer: the relative mouse is used.")
        return True

    async def _keep(self, found: dict[str, Any]) -> None:
        """What was learned of the computer, unless the environment knows better."""
        locked = self._file.locked
        await self._file.save({name: value for name, value in found.items() if name not in locked})

    def _make_kvm(self) -> registry.Kvm:
        callbacks = registry.KvmCallbacks(
            self._note, self._pin, self._touched, self._reached, self._lit, self._learnt
        )
        if self._virtual:
            return VirtualKvm(self._virtual, callbacks)
        return registry.create(factory.kvm_config(self._file.values), callbacks)

    def _make_hands(self) -> HidInputs:
        return HidInputs(
            self._kvm,
            leds=lambda: self._leds,
            on_typed=self._show_typed,
            follow=self._follow,
            case=self._kvm,
        )

    async def _look(self) -> None:
        try:
            await self._kvm.open()
        except CuaError as error:
            self._note("error", str(error))
        await self.screen.run()

    def _looked(self, reader: asyncio.Task[None]) -> None:
        """It looks until it is cancelled; nobody would see that it broke down."""
        if not reader.cancelled() and (error := reader.exception()):
            self._note(
                "error",
                f"The screen is no longer read, by a fault of this program ({error!r}). Check the "
                "addresses in Settings, and start it again.",
            )

    def _show_typed(self, typed: int) -> None:
        self._log.mention("typed", count=typed)

    def _note(self, level: str, text: str) -> None:
        self._log.append("log", level=level, text=text)

    def _pin(self, certificate: str) -> None:
        self._pinning = asyncio.ensure_future(self._note_certificate(certificate))

    async def _note_certificate(self, certificate: str) -> None:
        try:
            await self._keep({"kvm_certificate": certificate})
        except CuaError as error:
            self._note("warning", str(error))

    def _lit(self, leds: int | None) -> None:
        self._leds = leds

    def _reached(self, why_not: str) -> None:
        self.why_not = why_not
        self._log.append("reach", sentence=why_not)
