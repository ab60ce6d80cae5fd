"""Protection against server-side request forgery: addresses that requests must not reach.

A KVM's web server admits requests from the KVM itself without a login, and this program runs there;
clouds serve credentials at link-local addresses. A model server on this machine (Ollama, llama.cpp)
uses a high port and stays reachable.
"""

from __future__ import annotations

import asyncio
import ipaddress
import socket
from collections.abc import Awaitable, Callable, Collection
from urllib.parse import urlsplit

from ..messages import Message

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
Resolve = Callable[[str, int], Awaitable[list[str]]]
"""Host name and port -> addresses. Raises OSError."""

FORBIDDEN = tuple(
    ipaddress.ip_network(net)
    for net in (
        *("0.0.0.0/8", "169.254.0.0/16", "100.100.100.200/32", "192.0.0.192/32", "224.0.0.0/3"),
        *("::/128", "fe80::/10", "ff00::/8", "fd00:ec2::254/128"),
    )
)
FIRST_UNPRIVILEGED_PORT = 1024


def find_objection(url: str, kvm_ports: Collection[int] = ()) -> str:
    """Return why nothing may be sent to `url`, or "". Resolves no names."""
    try:
        parts = urlsplit(url)
        host, port = parts.hostname or "", _port(url)
    except ValueError:
        return Message("settings.not_address")
    if parts.username is not None or parts.query or parts.fragment:
        return Message("settings.odd_address")
    address = _find_numeric(host)
    return check_address(address, host, port, kvm_ports) if address else ""


def check_address(address: str, host: str, port: int, kvm_ports: Collection[int] = ()) -> str:
    """Return why nothing may be sent to an address to which `host` was resolved, or ""."""
    found = _parse(address)
    if any(found in net for net in FORBIDDEN if net.version == found.version):
        return Message("settings.not_model_server", host=host)
    if (port < FIRST_UNPRIVILEGED_PORT or port in kvm_ports) and _is_own(found):
        return Message("settings.own_web_server", port=port)
    return ""


async def resolve(host: str, port: int) -> list[str]:
    try:
        rows = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except UnicodeError as error:
        raise OSError(Message("settings.not_name", host=host)) from error
    return list(dict.fromkeys(str(row[4][0]) for row in rows))


async def check(
    url: str, kvm_ports: Collection[int] = (), resolve: Resolve = resolve
) -> tuple[str, list[str]]:
    """Resolve the host of `url`; return why nothing may be sent to it, or "", and its addresses.

    Connect only to these: the name may resolve to others later. A name that cannot be resolved
    is not an objection.
    """
    if objection := find_objection(url, kvm_ports):
        return objection, []
    host, port = urlsplit(url).hostname or "", _port(url)
    try:
        addresses = await resolve(host, port)
    except OSError:
        return "", []
    objections = (check_address(each, host, port, kvm_ports) for each in addresses)
    return next(filter(None, objections), ""), addresses


def _port(url: str) -> int:
    parts = urlsplit(url)
    return parts.port or (443 if parts.scheme == "https" else 80)


def _find_numeric(host: str) -> str:
    """Return the address that `host` is, else ""; the system also accepts 127.1 and 0x7f000001."""
    name = "127.0.0.1" if host == "localhost" or host.endswith(".localhost") else host
    try:
        rows = socket.getaddrinfo(name, None, flags=socket.AI_NUMERICHOST)
    except (OSError, UnicodeError):
        return ""
    return str(rows[0][4][0])


def _parse(text: str) -> Address:
    address = ipaddress.ip_address(text.partition("%")[0])
    return getattr(address, "ipv4_mapped", None) or address


def _is_own(address: Address) -> bool:
    """Whether the address is this machine's: only then can a socket be bound to it."""
    if address.is_loopback:
        return True
    family = socket.AF_INET if address.version == 4 else socket.AF_INET6
    try:
        with socket.socket(family, socket.SOCK_DGRAM) as probe:
            probe.bind((str(address), 0))
    except OSError:
        return False
    return True
