"""The supported KVMs, one file each behind the protocol `Kvm`, and the list of them.

A KVM provides JPEGs, takes the reports of `hid.strokes`, and may press the buttons of the
computer's case. All take reports one at a time, each awaited, with a release that cannot be
cancelled.
"""

from __future__ import annotations

import importlib
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from typing import NamedTuple, Protocol
from urllib.parse import SplitResult, urlsplit

from ..hid.reports import Endpoint
from ..messages import Message
from ..types import CuaError, Press


class Kvm(Protocol):
    """Screen, keyboard, pointer and power of one computer. Raises only `CuaError`."""

    name: str
    """Its name in messages."""
    presses: tuple[Press, ...]
    """The buttons of the computer's case that it can press."""
    lacks: frozenset[int]
    """Usages of the keys that it does not pass on."""
    relative: bool
    """Whether it is set to a relative mouse."""
    layout: str
    """The keyboard layout by which it reads reports; empty: that of the computer."""
    keymap: str
    """The computer's layout as set on the KVM; empty: not set."""

    async def open(self) -> None:
        """Called first. What can fail and be retried belongs in `frames`, not here."""

    def frames(self) -> AsyncIterator[bytes]:
        """See `screen.http_stream.Source`."""

    async def write(self, endpoint: Endpoint, report: bytes) -> None:
        """See `hid.Device`."""

    def release(self) -> None:
        """See `hid.Device`."""

    async def press(self, button: Press) -> None:
        """Press a button of the case; called only after the user's approval."""

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
    certificate: str = ""
    """SHA-256 fingerprint of the first certificate that it showed."""
    stream_url: str = ""
    hid_prefix: str = ""


class KvmCallbacks(NamedTuple):
    """Called by a KVM on events."""

    log: Callable[[str, str], None]
    """A level ("info", "warning") and a message, for the log."""
    on_certificate: Callable[[str], None]
    """The fingerprint of the first certificate."""
    on_foreign_write: Callable[[str], None]
    """The endpoint to which another program has just written."""
    on_input_problem: Callable[[str], None]
    """Why the computer takes no input from now on; "" when it does again."""
    on_leds: Callable[[int | None], None] = lambda _: None
    """The keyboard's LEDs as bits (2: caps lock); None: not known."""
    on_profile_change: Callable[[], None] = lambda: None
    """`relative` or `keymap` of the KVM has changed."""


class Kind(NamedTuple):
    schemes: dict[str, str]
    """Scheme of its address -> scheme of the URL of its protocol."""
    module: str


DEVICE = "device"
KINDS = {
    DEVICE: Kind({}, "local_device"),
    "nanokvm-pro": Kind(
        {"nanokvm-pro": "https", "nanokvm-pro+http": "http", "https": "https"}, "nanokvm_pro"
    ),
    "nanokvm": Kind({"nanokvm": "http", "nanokvm+https": "https", "http": "http"}, "nanokvm"),
    "vnc": Kind({"vnc": "vnc"}, "vnc"),
    "pikvm": Kind({"pikvm": "https", "pikvm+http": "http"}, "pikvm"),
}
"""All KVMs. A new one is one file with `create(config, callbacks) -> Kvm`, and one line here."""


def parse_address(address: str, user: str = "") -> KvmConfig:
    """Parse an address such as `pikvm://admin@192.168.1.5`; empty: the KVM that this runs on.

    Raises `CuaError` with the valid schemes.
    """
    if not address.strip():
        return KvmConfig(DEVICE)
    parts = _split(address.strip())
    for name, kind in KINDS.items():
        if parts.scheme in kind.schemes:
            if not parts.hostname:
                example = f"{parts.scheme}://192.168.1.5"
                message = Message("kvm.no_host", address=repr(address), example=example)
                raise CuaError(message, setting="kvm")
            if parts.password:
                raise CuaError(Message("kvm.password_in_address"), setting="kvm")
            place = parts.netloc.rpartition("@")[2]
            url = f"{kind.schemes[parts.scheme]}://{place}"
            return KvmConfig(name, url, user=parts.username or user)
    known = ", ".join(f"{scheme}://" for kind in KINDS.values() for scheme in kind.schemes)
    message = Message("kvm.invalid_address", address=repr(address), schemes=known)
    raise CuaError(message, setting="kvm")


def plain_scheme(kind: str) -> str:
    """Return the scheme of an address at which this KVM has HTTP without TLS."""
    return next(name for name, url in KINDS[kind].schemes.items() if url == "http")


def _split(address: str) -> SplitResult:
    try:
        parts = urlsplit(address)
        _ = parts.port  # checked only when it is read
    except ValueError as error:
        message = Message("kvm.malformed_address", address=repr(address), reason=str(error))
        raise CuaError(message, setting="kvm") from None
    return parts


def bits(num: object, caps: object, scroll: object) -> int:
    """Return LEDs as `KvmCallbacks.on_leds` takes them: 1 num, 2 caps, 4 scroll lock."""
    return bool(num) | bool(caps) << 1 | bool(scroll) << 2


def create(config: KvmConfig, callbacks: KvmCallbacks) -> Kvm:
    module = importlib.import_module(f".{KINDS[config.kind].module}", __package__)
    kvm: Kvm = module.create(config, callbacks)
    return kvm
