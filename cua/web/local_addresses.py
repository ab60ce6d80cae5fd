"""The addresses of this machine, and the process that listens on one of its TCP ports."""

from __future__ import annotations

import contextlib
import ipaddress
import socket
from pathlib import Path

_LISTEN = "0A"
PROC = Path("/proc")


def find_port_holder(port: int) -> str:
    """Return "it is held by process 1234 (python x.py)", or "" if the port is free."""
    inodes = {f"socket:[{inode}]" for inode in _listening_inodes(port)}
    for process in PROC.glob("[0-9]*"):
        with contextlib.suppress(OSError):  # another user's, or ended
            if inodes.intersection(map(_target, (process / "fd").iterdir())):
                command = (process / "cmdline").read_bytes().replace(b"\0", b" ").decode().strip()
                return f"it is held by process {process.name} ({command})"
    return "it is held by another user's program" if inodes else ""


def _target(link: Path) -> str:
    try:
        return str(link.readlink())
    except OSError:  # closed by now
        return ""


def _listening_inodes(port: int) -> list[str]:
    found = []
    for table in ("tcp", "tcp6"):
        try:
            lines = (PROC / "net" / table).read_text().splitlines()[1:]
        except OSError:
            continue
        rows = [line.split() for line in lines]
        found += [
            row[9] for row in rows if row[3] == _LISTEN and int(row[1].split(":")[1], 16) == port
        ]
    return found


def find_own_address(reached: str = "") -> str:
    """Return `reached` or the default address of this machine; "" if both are loopback."""
    addresses = (reached, _source_address("192.0.2.1"), _source_address("2001:db8::1"))
    return next(filter(None, map(_normalize, addresses)), "")


def _normalize(address: str) -> str:
    try:
        ip = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return ""
    ip = getattr(ip, "ipv4_mapped", None) or ip
    return "" if ip.is_loopback or ip.is_unspecified else str(ip)


def _source_address(destination: str) -> str:
    """Return the address from which this machine would connect, without sending anything."""
    family = socket.AF_INET6 if ":" in destination else socket.AF_INET
    try:
        with socket.socket(family, socket.SOCK_DGRAM) as probe:
            probe.connect((destination, 9))
            return str(probe.getsockname()[0])
    except OSError:
        return ""
