"""The supported KVMs, one class each, and the list of them.

A KVM provides JPEGs, takes the reports of `hid.report_plan`, and may press the buttons of the
computer's case and have a USB drive for it. All take reports one at a time, each awaited, with a
release that cannot be cancelled.
"""

from __future__ import annotations

import asyncio
import pkgutil
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple
from urllib.parse import SplitResult, unquote, urlsplit

from ..hid.inputs import Device
from ..hid.reports import Endpoint
from ..messages import Message
from ..types import ActionError, CuaError, DeviceError, Eject, KvmAction, Mount, Power, PowerButton
from . import wake_on_lan
from .media import Media

ATTACH_TIMEOUT_S, ATTACH_POLL_S = 10.0, 0.1
VNC_PORT = 5900


class Kvm(ABC):
    """Screen, keyboard, pointer and power of one computer. Raises only `CuaError`."""

    power_buttons: tuple[PowerButton, ...] = ()
    """The buttons of the computer's case that it can press."""
    mac = ""
    """Of the computer's network card, for Wake-on-LAN; empty: not known."""
    media: Media | None = None
    """Its USB drive."""
    lacks: frozenset[int] = frozenset()
    """Usages of the keys that it does not pass on."""
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
            self.drive()
        elif action.button == "wake" and not self.mac:
            raise ActionError(Message("kvm.no_mac"))
        elif action.button not in (*self.power_buttons, "wake"):
            raise ActionError(Message("kvm.no_case_button", kvm=self.name))

    async def perform(self, action: KvmAction) -> None:
        """See `hid.inputs.KvmControls`."""
        self.check(action)
        if isinstance(action, (Mount, Eject)):
            await self._change_drive(self.drive(), action)
        elif action.button == "wake":
            await self.wake()
        else:
            await self.press(action.button)

    def drive(self) -> Media:
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


LOGIN = ("kvm_user", "kvm_password")
LOGIN_WITH_CODE = (*LOGIN, "kvm_code")


class Kind(NamedTuple):
    driver: str
    """Module and class, which is called with `KvmConfig` and `KvmCallbacks`."""
    schemes: dict[str, str]
    """Scheme of its address -> scheme of the URL of its protocol."""
    login: tuple[str, ...] = LOGIN
    """Settings that its login may need. Without a user, a password may stand before the host."""
    is_local: bool = False
    """Whether the address names device files of this machine: no host and no login."""
    is_single: bool = False
    """Whether a new connection ends the one before."""


DEVICE = "device"
KINDS = {
    DEVICE: Kind("local_device:LocalDevice", {}, login=()),
    "nanokvm-pro": Kind(
        "nanokvm_pro:NanoKvmPro",
        {"nanokvm-pro": "https", "nanokvm-pro+http": "http", "https": "https"},
    ),
    "nanokvm": Kind(
        "nanokvm:NanoKvm", {"nanokvm": "http", "nanokvm+https": "https", "http": "http"}
    ),
    "vnc": Kind("vnc:Vnc", {"vnc": "vnc"}),
    "pikvm": Kind("pikvm:PiKvm", {"pikvm": "https", "pikvm+http": "http"}, LOGIN_WITH_CODE),
    "onekvm": Kind("onekvm:OneKvm", {"onekvm": "http", "onekvm+https": "https"}, LOGIN_WITH_CODE),
    "jetkvm": Kind(
        "jetkvm:JetKvm",
        {"jetkvm": "http", "jetkvm+https": "https"},
        ("kvm_password",),
        is_single=True,
    ),
    "usb": Kind("usb_kvm:UsbKvm", {"usb": "usb"}, (), is_local=True),
}
"""All KVMs. A new one is one file, and one row here."""


def parse_address(address: str, user: str = "") -> KvmConfig:
    """Parse an address such as `pikvm://admin@192.168.1.5`; empty: the KVM that this runs on.

    Raises `CuaError` with the valid schemes.
    """
    if not address.strip():
        return KvmConfig(DEVICE)
    parts = split_address(address.strip())
    name = _find_kind(parts.scheme)
    if not name or " " in (parts.hostname or ""):
        known = ", ".join(f"{scheme}://" for kind in KINDS.values() for scheme in kind.schemes)
        message = Message("kvm.invalid_address", address=repr(address), schemes=known)
        raise CuaError(message, setting="kvm")
    if KINDS[name].is_local:
        if parts.netloc:
            raise CuaError(Message("kvm.no_path", address=repr(address)), setting="kvm")
        return KvmConfig(name, address.strip())
    if not parts.hostname:
        example = f"{parts.scheme}://192.168.1.5"
        message = Message("kvm.no_host", address=repr(address), example=example)
        raise CuaError(message, setting="kvm")
    if split_password(address)[1]:
        raise CuaError(Message("kvm.password_in_address"), setting="kvm")
    place = parts.netloc.rpartition("@")[2]
    url = f"{KINDS[name].schemes[parts.scheme]}://{place}"
    return KvmConfig(name, url, user=parts.username or user)


def _find_kind(scheme: str) -> str:
    """Return the name of the kind of KVM with this scheme, empty if there is none."""
    return next((name for name, kind in KINDS.items() if scheme in kind.schemes), "")


def split_password(address: str) -> tuple[str, str]:
    """Take the password out of an address, which others can see. Raises `CuaError`."""
    parts = split_address(address.strip())
    name = _find_kind(parts.scheme)
    user, password = parts.username or "", parts.password or ""
    if name and "kvm_user" not in KINDS[name].login:
        user, password = "", password or user
    if not password:
        return address, ""
    place = parts.netloc.rpartition("@")[2]
    bare = parts._replace(netloc=f"{user}@{place}" if user else place)
    return bare.geturl(), unquote(password)


def find_scheme(kind: str, protocol: str) -> str:
    """Return the scheme of an address at which this KVM has `protocol` ("http", "https")."""
    return next(name for name, url in KINDS[kind].schemes.items() if url == protocol)


def split_address(address: str) -> SplitResult:
    try:
        parts = urlsplit(address)
        _ = parts.port  # checked only when it is read
    except ValueError as error:
        message = Message("kvm.malformed_address", address=repr(address), reason=str(error))
        raise CuaError(message, setting="kvm") from None
    return parts


def create(config: KvmConfig, callbacks: KvmCallbacks) -> Kvm:
    driver = pkgutil.resolve_name(f"{__package__}.{KINDS[config.kind].driver}")
    kvm: Kvm = driver(config, callbacks)
    kvm.mac = config.mac
    return kvm
