"""Where a model server cannot be: what a request of ours must never reach, whoever asks for it.

A KVM's web server believes requests that come from the KVM itself, without a login, and we run on
it; clouds keep credentials at link-local addresses. A model server of one's own on this machine
(Ollama, llama.cpp) is on a high port and stays reachable.
"""

from __future__ import annotations

import asyncio
import ipaddress
import socket
from collections.abc import Collection
from urllib.parse import urlsplit

Address = ipaddress.IPv4Address | ipaddress.IPv6Address

NEVER = tuple(
    ipaddress.ip_network(net)
    for net in (
        *("0.0.0.0/8", "169.254.0.0/16", "100.100.100.200/32", "192.0.0.192/32", "224.0.0.0/3"),
        *("::/128", "fe80::/10", "ff00::/8", "fd00:ec2::254/128"),
    )
)
PRIVILEGED = 1024
"""Ports below are the KVM's own on a KVM, and no model server's anywhere."""

NOWHERE = "{host} is an address at which no model server can be."
OURS = "Port {port} of this machine is the KVM's own web server, not a model server."
ODD = "it must not hold a user, a query or a fragment"


def objection(url: str, kvm_ports: Collection[int] = ()) -> str:
    """What is wrong with it as far as can be told without asking anybody; "" for nothing."""
    try:
        parts = urlsplit(url)
        host, port = parts.hostname or "", _port(url)
    except ValueError:
        return "it is no address"
    if parts.username is not None or parts.query or parts.fragment:
        return ODD
    found = _numeric(host)
    return _verdict(found, host, port, kvm_ports) if found else ""


async def check(url: str, kvm_ports: Collection[int] = ()) -> str:
    """The same after its name was looked up. A name that cannot be is for others to report."""
    objects = objection(url, kvm_ports)
    if objects:
        return objects
    host, port = urlsplit(url).hostname or "", _port(url)
    try:
        rows = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        return ""
    found = [_plain(str(row[4][0])) for row in rows]
    return next(filter(None, (_verdict(each, host, port, kvm_ports) for each in found)), "")


def _verdict(address: Address, host: str, port: int, kvm_ports: Collection[int]) -> str:
    if any(address in net for net in NEVER if net.version == address.version):
        return NOWHERE.format(host=host)
    if (port < PRIVILEGED or port in kvm_ports) and _is_ours(address):
        return OURS.format(port=port)
    return ""


def _port(url: str) -> int:
    parts = urlsplit(url)
    return parts.port or (443 if parts.scheme == "https" else 80)


def _numeric(host: str) -> Address | None:
    """Also in the odd forms that the system takes: 127.1, 0x7f000001, 2130706433."""
    name = "127.0.0.1" if host == "localhost" or host.endswith(".localhost") else host
    try:
        rows = socket.getaddrinfo(name, None, flags=socket.AI_NUMERICHOST)
    except (OSError, UnicodeError):
        return None
    return _plain(str(rows[0][4][0]))


def _plain(text: str) -> Address:
    address = ipaddress.ip_address(text.partition("%")[0])
    return getattr(address, "ipv4_mapped", None) or address


def _is_ours(address: Address) -> bool:
    """Whether it is one of this machine's own: only those can be bound to."""
    if address.is_loopback:
        return True
    family = socket.AF_INET if address.version == 4 else socket.AF_INET6
    try:
        with socket.socket(family, socket.SOCK_DGRAM) as probe:
            probe.bind((str(address), 0))
    except OSError:
        return False
    return True
