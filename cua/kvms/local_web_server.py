"""Configuration of the web server of the KVM that this program runs on, from its own file.

Its address is used to check KVM logins, its certificate for our port; its ports are excluded from
the search for model servers.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from ..types import as_object

DEFAULT_PORTS = (("https", 443), ("http", 80))
"""Ports by scheme, used if the file is missing or names none."""


class KvmServer(NamedTuple):
    """`places`: (scheme, port), in the order to try. `certificate`: its file and its key's file."""

    places: tuple[tuple[str, int], ...] = DEFAULT_PORTS
    certificate: tuple[Path, Path] | None = None

    @property
    def ports(self) -> frozenset[int]:
        return frozenset(port for _, port in (*self.places, *DEFAULT_PORTS))


def read(path: Path) -> KvmServer:
    """Read a NanoKVM's `server.yaml`; defaults if it is missing or malformed."""
    try:
        text = path.read_text("utf-8")
    except (OSError, ValueError):
        return KvmServer()
    import yaml

    try:
        config = as_object(yaml.safe_load(text))
    except yaml.YAMLError:
        return KvmServer()
    ports, pair = as_object(config.get("port")), as_object(config.get("cert"))
    places = [(name, _port(ports.get(name), usual)) for name, usual in DEFAULT_PORTS]
    if config.get("proto") in dict(DEFAULT_PORTS):
        places = [place for place in places if place[0] == config["proto"]]
    files = Path(str(pair.get("crt", ""))), Path(str(pair.get("key", "")))
    return KvmServer(tuple(places), files if all(file.is_file() for file in files) else None)


def _port(value: object, usual: int) -> int:
    return value if isinstance(value, int) and 0 < value < 65536 else usual
