"""The addresses of this machine, and which process listens on one of its TCP ports."""

from __future__ import annotations

import contextlib
import ipaddress
import socket
from pathlib import Path

_LISTEN = "0A"


def holder(port: int, proc: Path = Path("/proc")) -> str:
    """ "it is held by process 1234 (python x.py)", or "" where nobody is seen to listen."""
    inodes = {f"socket:[{inode}]" for inode in _listening(port, proc)}
    for process in proc.glob("[0-9]*"):
        with contextlib.suppress(OSError):  # another user's, or gone
            if inodes & _held(process):
                command = (process / "cmdline").read_bytes().replace(b"\0", b" ").decode().strip()
                return f"it is held by process {process.name} ({command})"
    return "it is held by another user's program" if inodes else ""


def _held(process: Path) -> set[str]:
    found = set()
    for fd in (process / "fd").iterdir():
        with contextlib.suppress(OSError):  # closed meanwhile
            found.add(str(fd.readlink()))
    return found


def _listening(port: int, proc: Path) -> list[str]:
    found = []
    for table in ("tcp", "tcp6"):
        try:
            lines = (proc / "net" / table).read_text().splitlines()[1:]
        except OSError:
            continue
        rows = [line.split() for line in lines]
        found += [
            row[9] for row in rows if row[3] == _LISTEN and int(row[1].split(":")[1], 16) == port
        ]
    return found


def own_address(reached: str = "") -> str:
    """An address of this machine that is not loopback: the one given, else the usual one; or ""."""
    for address in (reached, _route("192.0.2.1", socket.AF_INET), _route("2001:db8::1")):
        plain = _plain(address)
        if plain:
            return plain
    return ""


def _plain(address: str) -> str:
    try:
        ip = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return ""
    ip = getattr(ip, "ipv4_mapped", None) or ip
    return "" if ip.is_loopback or ip.is_unspecified else str(ip)


def _route(towards: str, family: socket.AddressFamily = socket.AF_INET6) -> str:
    """The address from which this machine would speak to another; nothing is sent."""
    try:
        with socket.socket(family, socket.SOCK_DGRAM) as probe:
            probe.connect((towards, 9))
            return str(probe.getsockname()[0])
    except OSError:
        return ""
