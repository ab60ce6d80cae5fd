"""The controlled computer: its screen, its input, and the KVM that carries both.

Another KVM can be connected while the service runs; `screen` stays the same object. It handles the
callbacks of the KVM (certificate, reachability).
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import Any

from ..events.log import EventLog
from ..hid import mouse_calibration, typing_speed
from ..hid.input_profile import InputProfile
from ..hid.inputs import HidInputs, OnPerformed
from ..hid.pointing import Mouse
from ..kvms import connection_check, exclusive_lock
from ..kvms import registry as kvm_registry
from ..kvms.kvm import Kvm, KvmCallbacks, KvmConfig
from ..kvms.simulated_computer import SimulatedComputer, SimulatedKvm
from ..messages import Message
from ..screen.video_screen import VideoScreen
from ..settings import RECOMMENDED_SCREEN, SettingsFile
from ..timeouts import cancel_and_wait
from ..types import CuaError, ScreenError
from . import factory

ADDRESS_FIELDS = ("kvm", "kvm_user", "stream_url")


def find_address_fault(file: SettingsFile) -> str:
    """Return why the settings name no computer, or ""."""
    faults = [file.ignored.get(name, "") for name in ADDRESS_FIELDS if name not in file.locked]
    reason = next(filter(None, faults), "")
    return Message("settings.no_computer", reason=reason) if reason else ""


class ControlledComputer:
    """`on_foreign_input` gets the endpoint that another sender used; `on_performed` gets each
    action that was performed.
    """

    def __init__(
        self,
        file: SettingsFile,
        log: EventLog,
        on_foreign_input: Callable[[str], None],
        on_performed: OnPerformed,
        simulated: SimulatedComputer | None = None,
    ) -> None:
        self.unreachable_reason = ""
        """Why the KVM or the computer cannot be reached, or ""."""
        self._file = file
        self._log = log
        self._on_foreign_input = on_foreign_input
        self._on_performed = on_performed
        self._simulated = simulated
        self._lock = exclusive_lock.ExclusiveLock()
        self._reader: asyncio.Task[None] | None = None
        self.kvm = self._make_kvm()
        self.inputs = self._make_inputs()
        self.screen = VideoScreen(self.kvm.frames, log, on_resize=self._set_mouse_area)

    def open(self) -> None:
        """Connect, and start reading the screen."""
        self._reader = asyncio.create_task(self._read_screen())
        self._reader.add_done_callback(self._log_reader_fault)

    async def close(self) -> None:
        if self._reader is not None:
            await cancel_and_wait(self._reader)
        try:
            await self.kvm.close()
        finally:
            self._lock.release()

    @property
    def is_simulated(self) -> bool:
        return self._simulated is not None

    async def change(self, simulated: SimulatedComputer | None) -> None:
        """Connect `simulated`, or the KVM of the settings. No input may be in use."""
        try:
            await self.close()
        finally:
            self._simulated = simulated
            self._set_unreachable_reason("")
            self.kvm = self._make_kvm()
            self.inputs = self._make_inputs()
            self.screen.source = self.kvm.frames
            self.open()

    def apply_settings(self) -> None:
        """Set up the input for the computer of the settings. Raises `CuaError`."""
        self.lock_kvm()
        self.inputs.profile = self._input_profile().checked()

    def lock_kvm(self) -> None:
        """Keep other agents of this machine off the KVM until `unlock_kvm`. Raises `CuaError`.

        Settings for another computer must not lead to input on this one.
        """
        if self._simulated:
            return
        if fault := find_address_fault(self._file):
            raise CuaError(fault)
        config = factory.make_kvm_config(self._file.values)
        self._lock.acquire(exclusive_lock.lock_name(config))

    def unlock_kvm(self) -> None:
        """Let others use the KVM, unless their connection would end ours."""
        if not kvm_registry.KINDS[factory.make_kvm_config(self._file.values).kind].is_single:
            self._lock.release()

    def _input_profile(self) -> InputProfile:
        kvm = self.kvm
        found = factory.make_input_profile(
            self._file.values, self.size, relative=kvm.relative, computer_layout=kvm.computer_layout
        )
        return found._replace(layout=kvm.report_layout or found.layout)

    def update_profile(self) -> None:
        """Apply the settings and the layout that a KVM reports on connection, even during a run."""
        self.inputs.profile = self._input_profile()

    @property
    def size(self) -> tuple[int, int]:
        """Size of the screen in pixels; the recommended one before the first picture."""
        status = self.screen.status
        return (status.width, status.height) if status.width else RECOMMENDED_SCREEN

    async def test(self, config: KvmConfig) -> str:
        """Test a KVM, the current one over its connection; return the result. Raises `CuaError`."""
        if self._simulated or config != factory.make_kvm_config(self._file.values):
            return await connection_check.check_connection(config)
        await self.screen.check_login()
        if self.screen.status.state == "lost":
            raise ScreenError(self.screen.status.sentence, setting="kvm")
        try:
            await self.screen.take_screenshot(time.monotonic(), 0.0, 0.0)
        except ScreenError as error:  # without its consequence for a task
            raise ScreenError(self.screen.status.sentence or error.message, setting="kvm") from None
        return connection_check.describe(self.size, self.unreachable_reason)

    async def calibrate(self, what: str) -> str:
        """Measure the "mouse" or the "keys", and save the result. Raises `CuaError`."""
        self.lock_kvm()
        if what == "mouse":
            gain = await mouse_calibration.measure_gain(self.screen, self.inputs)
            await self._save({"pointer_gain": gain})
            return Message("hid.gain_measured", gain=f"{gain:g}")
        pace = await typing_speed.find_pace(self.kvm)
        await self._save({"pace": pace})
        return Message("hid.pace_careful" if pace == "careful" else "hid.pace_fast")

    def _set_mouse_area(self, width: int, height: int) -> None:
        """Set the screen's size, on which the path of a relative mouse depends."""
        profile = self.inputs.profile
        if mouse := profile.mouse:
            self.inputs.profile = profile._replace(mouse=mouse._replace(width=width, height=height))

    async def switch_mouse(self) -> bool:
        """Switch to the relative mouse if it moves the pointer; return whether it does."""
        before = self.inputs.profile
        if before.mouse is not None:
            return False
        try:
            found = await mouse_calibration.measure_gain(self.screen, self.inputs)
        except CuaError as error:
            self.inputs.profile = before
            self._log.note("warning", Message("hid.no_mouse_works", reason=error.message))
            return False
        self.inputs.profile = before._replace(mouse=Mouse(*self.size, found))
        await self._save({"pointer": "relative", "pointer_gain": found})
        self._log.note("info", Message("hid.relative_mouse_used"))
        return True

    async def _save(self, found: dict[str, Any]) -> None:
        """Save measured settings, except those that the environment sets."""
        locked = self._file.locked
        await self._file.save({name: value for name, value in found.items() if name not in locked})

    def _make_kvm(self) -> Kvm:
        callbacks = KvmCallbacks(
            self._log.note,
            self._pin,
            self._on_foreign_input,
            self._set_unreachable_reason,
            self.update_profile,
        )
        if self._simulated:
            return SimulatedKvm(self._simulated, callbacks)
        return kvm_registry.create(factory.make_kvm_config(self._file.values), callbacks)

    def _make_inputs(self) -> HidInputs:
        return HidInputs(
            self.kvm,
            on_typed=lambda typed: self._log.send_transient("typed", count=typed),
            on_performed=self._on_performed,
            kvm=self.kvm,
        )

    async def _read_screen(self) -> None:
        try:
            await self.kvm.open()
        except CuaError as error:
            self._log.note("error", error.message)
        await self.screen.run()

    def _log_reader_fault(self, reader: asyncio.Task[None]) -> None:
        """Log an error of the reader, which should end only by being cancelled."""
        if not reader.cancelled() and (error := reader.exception()):
            self._log.note("error", Message("session.screen_not_read", error=repr(error)))

    def _pin(self, fingerprint: str) -> None:
        self._pinning = asyncio.ensure_future(self._save_fingerprint(fingerprint))

    async def _save_fingerprint(self, fingerprint: str) -> None:
        try:
            await self._save({"kvm_certificate": fingerprint})
        except CuaError as error:
            self._log.note("warning", error.message)

    def _set_unreachable_reason(self, reason: str) -> None:
        self.unreachable_reason = reason
        self._log.append("reach", sentence=reason)
