"""What every KVM has in common, its configuration, and what it calls.

A KVM provides JPEGs, takes the reports of `hid.report_plan`, and may press the buttons of the
computer's case and have a USB drive for it. All take reports one at a time, each awaited, with a
release that cannot be cancelled.
"""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from ..hid.inputs import Device
from ..hid.reports import Endpoint
from ..messages import Message
from ..types import ActionError, DeviceError, Eject, KvmAction, Mount, Power, PowerButton
from . import wake_on_lan
from .media import Media

ATTACH_TIMEOUT_S, ATTACH_POLL_S = 10.0, 0.1


class Kvm(ABC):
    """Screen, keyboard, pointer and power of one computer. Raises only `CuaError`."""

    power_buttons: tuple[PowerButton, ...] = ()
    """The buttons of the computer's case that it can press."""
    mac = ""
    """Address of the computer's network card, for Wake-on-LAN; empty: not known."""
    media: Media | None = None
    """Its USB drive."""
    unsupported_usages: frozenset[int] = frozenset()
    """Keys that it does not pass on."""
    relative = False
    """Whether it is set to a relative mouse."""
    report_layout = ""
    """The keyboard layout by which it reads reports; empty: that of the computer."""
    computer_layout = ""
    """The computer's layout as set on the KVM; empty: not set."""
    _attached = True
    """Whether the computer takes input over USB, as far as it is known."""

    def __init__(self, name: str, device: Device, callbacks: KvmCallbacks) -> None:
        """`name`: in messages. `device` takes the reports."""
        self.name = name
        self._device = device
        self._callbacks = callbacks

    async def open(self) -> None:  # noqa: B027
        """Called first. What can fail and be retried belongs in `frames`, not here."""

    @abstractmethod
    def frames(self) -> AsyncIterator[bytes]:
        """See `screen.http_stream.Source`."""

    async def write(self, endpoint: Endpoint, report: bytes) -> None:
        """See `hid.inputs.Device`."""
        await self._device.write(endpoint, report)

    def release(self) -> None:
        """See `hid.inputs.Device`."""
        self._device.release()

    def check(self, action: KvmAction) -> None:
        """See `hid.inputs.KvmControls`."""
        if not isinstance(action, Power):
            self.require_media()
        elif action.button == "wake" and not self.mac:
            raise ActionError(Message("kvm.no_mac"))
        elif action.button not in (*self.power_buttons, "wake"):
            raise ActionError(Message("kvm.no_case_button", kvm=self.name))

    async def perform(self, action: KvmAction) -> None:
        """See `hid.inputs.KvmControls`."""
        self.check(action)
        if isinstance(action, (Mount, Eject)):
            await self._change_drive(self.require_media(), action)
        elif action.button == "wake":
            await self.wake()
        else:
            await self.press(action.button)

    def require_media(self) -> Media:
        """Raise `ActionError` if it has none."""
        if self.media is None:
            raise ActionError(Message("kvm.no_drive", kvm=self.name))
        return self.media

    async def press(self, button: PowerButton) -> None:  # noqa: ARG002
        """Press a button of the case, one of `power_buttons`."""
        raise DeviceError(Message("kvm.no_case_button", kvm=self.name))

    async def wake(self) -> None:
        await wake_on_lan.send(self.mac)

    async def is_powered(self) -> bool | None:
        """Return whether the computer is switched on; None if the KVM cannot tell."""
        return None

    async def _change_drive(self, drive: Media, action: Mount | Eject) -> None:
        """Return when a computer that took input takes it again, after a while in any case."""
        was_attached = self._attached
        await (drive.mount(action) if isinstance(action, Mount) else drive.eject())
        for _ in range(round(ATTACH_TIMEOUT_S / ATTACH_POLL_S)):
            if self._attached or not was_attached:
                return
            await asyncio.sleep(ATTACH_POLL_S)

    def _set_attached(self, attached: bool) -> None:
        if attached != self._attached:
            self._attached = attached
            self._callbacks.on_input_problem("" if attached else Message("hid.not_attached"))

    def _set_absolute(self, absolute: object) -> None:
        """Note the kind of mouse; anything but a boolean: not reported."""
        if absolute is self.relative:
            self.relative = not absolute
            self._callbacks.on_profile_change()

    def _report_leds(self, leds: Mapping[str, Any], *names: str) -> None:
        """`names`: those of num, caps and scroll lock in `leds`."""
        lit = sum(bool(leds.get(name)) << bit for bit, name in enumerate(names))
        self._callbacks.on_leds(lit)

    @abstractmethod
    async def close(self) -> None:
        """Release everything and restore the KVM's settings, for good.

        Reports what failed by `KvmCallbacks.log` instead of raising `CuaError`, since another KVM
        may have to take its place.
        """


@dataclass(frozen=True)
class KvmConfig:
    """Which KVM, and the login; `url` is that of its own protocol."""

    kind: str
    url: str = ""
    user: str = ""
    password: str = ""
    code: str = ""
    """Of the second factor; valid for one login."""
    fingerprint: str = ""
    """SHA-256 fingerprint of the first certificate that it showed."""
    stream_url: str = ""
    hid_prefix: str = ""
    mac: str = ""
    """See `Kvm.mac`."""


class KvmCallbacks(NamedTuple):
    """Called by a KVM on events; what is left out is not listened to."""

    log: Callable[[str, str], None]
    """A level ("info", "warning") and a message, for the log."""
    on_fingerprint: Callable[[str], None] = lambda _: None
    """The fingerprint of the first certificate."""
    on_foreign_write: Callable[[str], None] = lambda _: None
    """The endpoint to which another program has just written."""
    on_input_problem: Callable[[str], None] = lambda _: None
    """Why the computer takes no input from now on; "" when it does again."""
    on_leds: Callable[[int | None], None] = lambda _: None
    """The keyboard's LEDs as bits (1 num, 2 caps, 4 scroll lock); None: not known."""
    on_profile_change: Callable[[], None] = lambda: None
    """`relative` or `computer_layout` of the KVM has changed."""
