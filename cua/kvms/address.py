"""Addresses of KVMs, such as `pikvm://admin@192.168.1.5`."""

from __future__ import annotations

from urllib.parse import SplitResult, unquote, urlsplit

from ..messages import Message
from ..types import CuaError
from .kvm import KvmConfig
from .registry import DEVICE, KINDS

VNC_PORT = 5900


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
    """Return an address without its password, and the password. Raises `CuaError`."""
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
    """Return the scheme of this KVM's addresses for `protocol` ("http", "https")."""
    return next(name for name, url in KINDS[kind].schemes.items() if url == protocol)


def split_address(address: str) -> SplitResult:
    try:
        parts = urlsplit(address)
        _ = parts.port  # reading it checks it
    except ValueError as error:
        message = Message("kvm.malformed_address", address=repr(address), reason=str(error))
        raise CuaError(message, setting="kvm") from None
    return parts
