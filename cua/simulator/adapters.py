"""The network settings of the virtual computer, and what it downloads."""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass


@dataclass(frozen=True)
class Dns:
    automatic: bool = True
    preferred: str = ""
    alternate: str = ""

    def words(self) -> str:
        if self.automatic:
            return "Automatic"
        return ", ".join(address for address in (self.preferred, self.alternate) if address)


@dataclass(frozen=True)
class Adapter:
    status: str
    address: str
    gateway: str
    dns: Dns = Dns()


def fresh_adapters() -> dict[str, Adapter]:
    return {
        "Ethernet": Adapter("Connected", "192.168.1.57", "192.168.1.1"),
        "Wi-Fi": Adapter("Not connected", "none", "none"),
    }


def valid_address(text: str) -> bool:
    try:
        ipaddress.IPv4Address(text)
    except ValueError:
        return False
    return True


@dataclass
class Download:
    """`done` is 0..1; the file is at `path` when it is 1."""

    name: str
    path: str
    done: float = 0.0
