"""Wake-on-LAN: a broadcast packet that switches on the computer with a network card."""

from __future__ import annotations

import asyncio
import socket

from ..messages import Message, os_reason
from ..types import DeviceError

ADDRESS = ("255.255.255.255", 9)


async def send(mac: str, address: tuple[str, int] = ADDRESS) -> None:
    """Send the packet to this machine's network; `mac` may contain `:` or `-`.

    Raises `DeviceError`.
    """
    packet = b"\xff" * 6 + bytes.fromhex(mac.replace(":", "").replace("-", "")) * 16
    try:
        await asyncio.to_thread(_broadcast, packet, address)
    except OSError as error:
        raise DeviceError(Message("kvm.not_woken", reason=os_reason(error))) from error


def _broadcast(data: bytes, address: tuple[str, int]) -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as connection:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_BROADCAST, 1)
        connection.sendto(data, address)
