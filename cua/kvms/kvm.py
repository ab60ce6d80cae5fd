"""The base class of all KVMs, their configuration and callbacks.

A KVM provides JPEGs, accepts the reports of `hid.action_to_reports`, and may press the buttons of
the computer's case and have a USB drive for it. Reports are sent one at a time, each awaited; a
release cannot be cancelled.
"""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from ..hid.gadget import Gadget
from ..hid.reports import Endpoint
from ..messages import Message
from ..types import ActionError, CuaError, DeviceError, Eject, KvmAction, Mount, Power, PowerButton
from . import wake_on_lan
from .media import Media
from .remote_hid import RemoteHid

ATTACH_TIMEOUT_S, ATTACH_POLL_S = 10.0, 0.1


class Kvm(ABC):
    """Screen, keyboard, pointer and power of one computer. Raises only `CuaError`."""

    power_buttons: tuple[PowerButton, ...] = ()
    """The buttons of the computer's case that the KVM can press."""
    mac = ""
    """The address of the computer's network card, for Wake-on-LAN; empty: unknown."""
    media: Media | None = None
    """The KVM's USB drive; None: it has none."""
    relative = False
    """Whether the KVM is set to a relative mouse."""
    report_layout = ""
    """The keyboard layout with which the KVM reads reports; empty: the computer's."""
    computer_layout = ""
    """The computer's layout as set on the KVM; empty: not set."""
    _leds: int | None = None
    _attached = True
    """Whether the computer accepts input over USB; True while that is unknown."""

    def __init__(self, name: str, hid: Gadget | RemoteHid, callbacks: KvmCallbacks) -> None:
        """`name` is used in messages."""
        self.name = name
        self._hid = hid
        self._callbacks = callbacks

    async def open(self) -> None:  # noqa: B027
        """Prepare the KVM; called first. Steps that can fail and be retried belong in `frames`."""

    @abstractmethod
    def frames(self) -> AsyncIterator[bytes]:
        """See `screen.http_stream.Source`."""

    @property
    def leds(self) -> int | None:
        """See `hid.inputs.Device`."""
        return self._leds

    async def write(self, endpoint: Endpoint, report: bytes) -> None:
        """See `hid.inputs.Device`. Gets reports of all endpoints.

        Those of `mouse` press buttons while the pointer's place is unknown, and move it if the
        setting, or `relative`, says so. A KVM with only an absolute pointer adds their moves to its
        place, as `RfbEncoder` does, or raises `ActionError`.
        """
        await self._hid.write(endpoint, report)

    def release(self) -> None:
        """See `hid.inputs.Device`."""
        self._hid.release()

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
        """Return the USB drive. Raises `ActionError` if there is none."""
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
        """Return when the computer accepts input again, if it did before, or after a time limit."""
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
        """Store the kind of mouse; not a boolean: the KVM did not report it."""
        if absolute is self.relative:
            self.relative = not absolute
            self._callbacks.on_profile_change()

    def _set_leds(self, leds: Mapping[str, Any], *names: str) -> None:
        """Store the LEDs; `names` are the keys of num, caps and scroll lock in `leds`."""
        self._leds = sum(bool(leds.get(name)) << bit for bit, name in enumerate(names))

    async def close(self) -> None:
        """Release everything, restore the KVM's settings and close; log a failure to restore."""
        self._hid.close()
        try:
            await self._restore()
        except CuaError as error:
            message = Message("kvm.not_restored", kvm=self.name, reason=error.message)
            self._callbacks.log("warning", message)

    async def _restore(self) -> None:  # noqa: B027
        """Restore the KVM's settings that this program changed."""


@dataclass(frozen=True)
class KvmConfig:
    """The KVM to use and its login; `url` is for the KVM's own protocol."""

    kind: str
    url: str = ""
    user: str = ""
    password: str = ""
    code: str = ""
    """The code of the second factor; valid for one login."""
    fingerprint: str = ""
    """SHA-256 fingerprint of the first certificate that the KVM showed; empty: none."""
    stream_url: str = ""
    hid_prefix: str = ""
    mac: str = ""
    """See `Kvm.mac`."""


class KvmCallbacks(NamedTuple):
    """Functions that a KVM calls on events; the defaults do nothing."""

    log: Callable[[str, str], None]
    """Gets a level ("info", "warning") and a message for the log."""
    on_fingerprint: Callable[[str], None] = lambda _: None
    """Gets the fingerprint of the first certificate."""
    on_foreign_write: Callable[[str], None] = lambda _: None
    """Gets the endpoint to which another program has just written."""
    on_input_problem: Callable[[str], None] = lambda _: None
    """Gets the reason why the computer accepts no input; "" when it does again."""
    on_profile_change: Callable[[], None] = lambda: None
    """Called when `relative` or `computer_layout` of the KVM has changed."""
