"""The supported KVMs."""

from __future__ import annotations

import pkgutil
from typing import NamedTuple

from .kvm import Kvm, KvmCallbacks, KvmConfig

LOGIN = ("kvm_user", "kvm_password")
LOGIN_WITH_CODE = (*LOGIN, "kvm_code")


class KvmKind(NamedTuple):
    kvm_class: str
    """Module and class, called with `KvmConfig` and `KvmCallbacks`."""
    schemes: dict[str, str]
    """Scheme of an address -> scheme of the protocol's URL."""
    login: tuple[str, ...] = LOGIN
    """Settings that the login may use. Without a user, the password may precede the host."""
    is_local: bool = False
    """Whether the address names device files of this machine: no host and no login."""
    is_single: bool = False
    """Whether a new connection ends the one before."""


DEVICE = "device"
KINDS = {
    DEVICE: KvmKind("local_device:LocalDevice", {}, login=()),
    "nanokvm-pro": KvmKind(
        "nanokvm_pro:NanoKvmPro",
        {"nanokvm-pro": "https", "nanokvm-pro+http": "http", "https": "https"},
    ),
    "nanokvm": KvmKind(
        "nanokvm:NanoKvm", {"nanokvm": "http", "nanokvm+https": "https", "http": "http"}
    ),
    "vnc": KvmKind("vnc:Vnc", {"vnc": "vnc"}),
    "pikvm": KvmKind("pikvm:PiKvm", {"pikvm": "https", "pikvm+http": "http"}, LOGIN_WITH_CODE),
    "onekvm": KvmKind(
        "onekvm:OneKvm", {"onekvm": "http", "onekvm+https": "https"}, LOGIN_WITH_CODE
    ),
    "jetkvm": KvmKind(
        "jetkvm:JetKvm",
        {"jetkvm": "http", "jetkvm+https": "https"},
        ("kvm_password",),
        is_single=True,
    ),
    "usb": KvmKind("usb_kvm:UsbKvm", {"usb": "usb"}, (), is_local=True),
}
"""All KVMs; `README.md` lists what else a new one needs."""


def create(config: KvmConfig, callbacks: KvmCallbacks) -> Kvm:
    kvm_class = pkgutil.resolve_name(f"{__package__}.{KINDS[config.kind].kvm_class}")
    kvm: Kvm = kvm_class(config, callbacks)
    kvm.mac = config.mac
    return kvm
