"""Configuration of the web server of the KVM that this program runs on, from its own file.

Its address is used to check KVM logins, its certificate for our port, and its ports are excluded
when model servers are searched.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

DEFAULT_PORTS = (("https", 443), ("http", 80))
"""Used if there is no file, or no port in it."""


class KvmServer(NamedTuple):
    """`places`: (scheme, port), to be tried in order. `certificate`: its file and its key's."""

    places: tuple[tuple[str, int], ...] = DEFAULT_PORTS
    certificate: tuple[Path, Path] | None = None

    @property
    def ports(self) -> frozenset[int]:
        return frozenset(port for _, port in (*self.places, *DEFAULT_PORTS))


def read(path: Path) -> KvmServer:
    """Read a NanoKVM's `server.yaml`; defaults if it is missing or malformed."""
    found = _load(path)
    ports, pair = _part(found, "port"), _part(found, "cert")
    scheme = found.get("proto")
    places = [(name, _port(ports.get(name), usual)) for name, usual in DEFAULT_PORTS]
    if scheme in dict(DEFAULT_PORTS):
        places = [place for place in places if place[0] == scheme]
    files = Path(str(pair.get("crt", ""))), Path(str(pair.get("key", "")))
    usable = all(file.is_file() for file in files)
    return KvmServer(tuple(places), (files[0], files[1]) if usable else None)


def _load(path: Path) -> dict[str, Any]:
    import yaml

    try:
        found = yaml.safe_load(path.read_text("utf-8"))
    except (OSError, ValueError, yaml.YAMLError):
        return {}
    return found if isinstance(found, dict) else {}


def _part(found: dict[str, Any], name: str) -> dict[str, Any]:
    part = found.get(name)
    return part if isinstance(part, dict) else {}


def _port(value: object, usual: int) -> int:
    return value if isinstance(value, int) and 0 < value < 65536 else usual
