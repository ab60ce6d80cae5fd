"""The network settings of the simulated computer."""

from __future__ import annotations

import contextlib
import ipaddress
from dataclasses import dataclass


@dataclass(frozen=True)
class Dns:
    automatic: bool = True
    preferred: str = ""
    alternate: str = ""

    def describe(self) -> str:
        if self.automatic:
            return "Automatic"
        return ", ".join(address for address in (self.preferred, self.alternate) if address)


@dataclass(frozen=True)
class Adapter:
    status: str
    address: str
    gateway: str
    dns: Dns = Dns()


def make_adapters() -> dict[str, Adapter]:
    return {
        "Ethernet": Adapter("Connected", "192.168.1.57", "192.168.1.1"),
        "Wi-Fi": Adapter("Not connected", "none", "none"),
    }


def is_valid_address(text: str) -> bool:
    with contextlib.suppress(ValueError):
        ipaddress.IPv4Address(text)
        return True
    return False
