"""The KVMs that people own, one file each behind one protocol, and the list of them.

A KVM has eyes (JPEGs), hands (it takes the reports of `hid.strokes`, in its own way) and perhaps a
finger on the computer's power button. What the hands promise holds for all of them because all of
them take reports: one at a time, each awaited, with a release that cannot be cancelled.
"""

from __future__ import annotations

import importlib
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from typing import NamedTuple, Protocol
from urllib.parse import SplitResult, urlsplit

from ..hid.reports import Endpoint
from ..types import CuaError, Press


class Kvm(Protocol):
    """Eyes, keyboard, pointer and power of one computer. Every fault is a `CuaError` in words."""

    name: str
    """What it is called in a sentence."""
    presses: tuple[Press, ...]
    """The buttons of the case that it reaches."""
    lacks: frozenset[int]
    """Usages of the keys that it does not pass on."""
    relative: bool
    """Whether it is set to a mouse that ignores absolute places."""
    layout: str
    """The keyboard layout that it takes reports to be of; empty: that of the computer."""
    keymap: str
    """The layout that its owner has told it the computer has; empty: it was not told."""

    async def open(self) -> None:
        """Before anything else. What can fail and be tried again does so in `frames`, not here."""

    def frames(self) -> AsyncIterator[bytes]:
        """See `screen.stream.Source`."""

    async def write(self, endpoint: Endpoint, report: bytes) -> None:
        """See `hid.Device`."""

    def release(self) -> None:
        """See `hid.Device`."""

    async def press(self, button: Press) -> None:
        """Press a button of the case. Only ever called with a person's yes."""

    async def close(self) -> None:
        """For good: let go of everything, and leave the KVM as it was found. It never raises a
        `CuaError`, since another KVM may have to take its place; what it could not do it says."""


@dataclass(frozen=True)
class Target:
    """Which KVM, and who we are to it; `url` is that of its own protocol."""

    kind: str
    url: str = ""
    user: str = ""
    password: str = ""
    code: str = ""
    """Of the second factor; good for one login."""
    certificate: str = ""
    """SHA-256 fingerprint of the certificate that it showed when it was first met."""
    stream_url: str = ""
    hid_prefix: str = ""


class Notices(NamedTuple):
    """How a KVM tells what happens by itself."""

    say: Callable[[str, str], None]
    """A level ("info", "warning") and a sentence, for the log."""
    pin: Callable[[str], None]
    """The fingerprint of a certificate that was met for the first time."""
    stranger: Callable[[str], None]
    """The endpoint to which somebody else has just written."""
    reach: Callable[[str], None]
    """Why the computer takes no input from now on, in a sentence; "" when it does again."""
    lamps: Callable[[int | None], None] = lambda _: None
    """What the computer set the keyboard's lamps to, as bits (2: caps lock); None: not known."""
    learnt: Callable[[], None] = lambda: None
    """`relative` or `keymap` of the KVM is no longer what it was."""


class Kind(NamedTuple):
    schemes: dict[str, str]
    """How its address may begin -> how the URL of its protocol begins."""
    label: str
    module: str


DEVICE = "device"
KINDS = {
    DEVICE: Kind({}, "this KVM itself", "device"),
    "nanokvm-pro": Kind(
        {"nanokvm-pro": "https", "nanokvm-pro+http": "http", "https": "https"},
        "NanoKVM-Pro",
        "nanokvm_pro",
    ),
    "nanokvm": Kind(
        {"nanokvm": "http", "nanokvm+https": "https", "http": "http"}, "NanoKVM", "nanokvm"
    ),
    "vnc": Kind({"vnc": "vnc"}, "VNC", "vnc"),
    "pikvm": Kind({"pikvm": "https", "pikvm+http": "http"}, "PiKVM or GLKVM", "pikvm"),
}
"""All KVMs. A new one is one file with `create(target, notices) -> Kvm`, and one line here."""


def target(address: str, user: str = "") -> Target:
    """What an address such as `pikvm://admin@192.168.1.5` means; empty: the KVM that this runs on.

    Raises `CuaError` with the addresses that there are.
    """
    if not address.strip():
        return Target(DEVICE)
    parts = _split(address.strip())
    for name, kind in KINDS.items():
        if parts.scheme in kind.schemes and parts.hostname:
            if parts.password:
                raise CuaError("Leave the password out of the KVM's address: others can see it.")
            place = parts.netloc.rpartition("@")[2]
            url = f"{kind.schemes[parts.scheme]}://{place}"
            return Target(name, url, user=parts.username or user)
    known = ", ".join(f"{scheme}://" for kind in KINDS.values() for scheme in kind.schemes)
    raise CuaError(f"{address!r} is no address of a KVM. It begins with one of: {known}.")


def _split(address: str) -> SplitResult:
    try:
        parts = urlsplit(address)
        _ = parts.port  # looked at only when it is asked for
    except ValueError as error:
        raise CuaError(f"{address!r} is no address of a KVM: {error}.") from None
    return parts


def bits(num: object, caps: object, scroll: object) -> int:
    """Lamps as `Notices.lamps` takes them: 1 num, 2 caps, 4 scroll lock."""
    return bool(num) | bool(caps) << 1 | bool(scroll) << 2


def create(target: Target, notices: Notices) -> Kvm:
    module = importlib.import_module(f".{KINDS[target.kind].module}", __name__)
    kvm: Kvm = module.create(target, notices)
    return kvm
