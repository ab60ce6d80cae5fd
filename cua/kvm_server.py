"""What the KVM's own web server is set to, from the file in which its maker keeps that.

Where it answers, so that it can be asked who is logged in; which certificate it shows, so that our
port can show the same; and which ports are its own, so that no model server is looked for there.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

USUAL = (("https", 443), ("http", 80))
"""Where a KVM answers whose file says nothing else, or which has none."""


class KvmServer(NamedTuple):
    """`places`: scheme and port, to be tried in order. `certificate`: its file and its key's."""

    places: tuple[tuple[str, int], ...] = USUAL
    certificate: tuple[Path, Path] | None = None

    @property
    def ports(self) -> frozenset[int]:
        return frozenset(port for _, port in (*self.places, *USUAL))


def read(path: Path) -> KvmServer:
    """The NanoKVM's `server.yaml`; the usual where there is none that can be understood."""
    found = _load(path)
    ports, pair = _part(found, "port"), _part(found, "cert")
    scheme = found.get("proto")
    places = [(name, _port(ports.get(name), usual)) for name, usual in USUAL]
    if scheme in dict(USUAL):
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
