"""Where a model server cannot be: what a request of ours must never reach, whoever asks for it.

A KVM's web server believes requests that come from the KVM itself, without a login, and we run on
it; clouds keep credentials at link-local addresses. A model server of one's own on this machine
(Ollama, llama.cpp) is on a high port and stays reachable.
"""

from __future__ import annotations

import asyncio
import ipaddress
import socket
from collections.abc import Awaitable, Callable, Collection
from urllib.parse import urlsplit

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
Lookup = Callable[[str, int], Awaitable[list[str]]]
"""A name and a port -> addresses. Raises OSError."""

NEVER = tuple(
    ipaddress.ip_network(net)
    for net in (
        *("0.0.0.0/8", "169.254.0.0/16", "100.100.100.200/32", "192.0.0.192/32", "224.0.0.0/3"),
        *("::/128", "fe80::/10", "ff00::/8", "fd00:ec2::254/128"),
    )
)
PRIVILEGED = 1024
"""Ports below are the machine's own, and no model server's anywhere."""

NOWHERE = "{host} is an address at which no model server can be."
OURS = "Port {port} of this machine is its own web server, not a model server."
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


def of_address(address: str, port: int, kvm_ports: Collection[int] = ()) -> str:
    """What is wrong with an address that a name was found to stand for; "" for nothing."""
    return _verdict(_plain(address), address, port, kvm_ports)


async def looked_up(host: str, port: int) -> list[str]:
    """As the system does it."""
    try:
        rows = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except UnicodeError as error:
        raise OSError(f"{host} is no name") from error
    return list(dict.fromkeys(str(row[4][0]) for row in rows))


async def check(
    url: str, kvm_ports: Collection[int] = (), lookup: Lookup = looked_up
) -> tuple[str, list[str]]:
    """What is wrong with it after its name was looked up, and the addresses that were looked at.

    Only these may be connected to: the owner of a name may change its address between two looks.
    A name that cannot be found is for others to report.
    """
    objects = objection(url, kvm_ports)
    if objects:
        return objects, []
    host, port = urlsplit(url).hostname or "", _port(url)
    try:
        found = await lookup(host, port)
    except OSError:
        return "", []
    verdicts = (_verdict(_plain(each), host, port, kvm_ports) for each in found)
    return next(filter(None, verdicts), ""), found


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
