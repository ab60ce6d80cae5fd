"""The packages that the service needs, as lock.txt pins them. `tests/device/lock.py` writes it."""

from __future__ import annotations

import hashlib
import re
import sys
from pathlib import Path
from typing import NamedTuple

LOCK = Path(__file__).parent / "lock.txt"
PIP = "pip"
"""Stands in the list for the offline bundle; it is not installed."""

_PIN = re.compile(
    r"# (?P<download>\d+) (?P<disk>\d+)\n"
    r"(?P<name>[\w.-]+)==(?P<version>\S+)(?: ; python_version < \"(?P<before>[\d.]+)\")? \\\n"
    r"(?P<hashes>(?:    --hash=\S+(?: \\)?\n)+)"
)


class Pin(NamedTuple):
    """One package; `download` and `disk` are bytes on an aarch64 KVM, elsewhere nearly as many.

    `text` is its requirement without a marker, as pip reads it.
    """

    name: str
    version: str
    download: int
    disk: int
    text: str

    def about(self) -> dict[str, str | int]:
        """What a page shows of it."""
        return {name: getattr(self, name) for name in ("name", "version", "download", "disk")}


def pins(python: tuple[int, int] = sys.version_info[:2], lock: Path = LOCK) -> list[Pin]:
    """What this Python, or another one, needs; pip last."""
    return [
        _pin(match)
        for match in _PIN.finditer(lock.read_text("ascii"))
        if not match["before"] or python < _numbers(match["before"])
    ]


def needed(python: tuple[int, int] = sys.version_info[:2], lock: Path = LOCK) -> list[Pin]:
    """What is installed."""
    return [pin for pin in pins(python, lock) if pin.name != PIP]


def digest(lock: Path = LOCK) -> str:
    """Changes when the list does."""
    return hashlib.sha256(lock.read_bytes()).hexdigest()


def _pin(match: re.Match[str]) -> Pin:
    name, version = match["name"], match["version"]
    text = f"{name}=={version} \\\n{match['hashes']}"
    return Pin(name, version, int(match["download"]), int(match["disk"]), text)


def _numbers(version: str) -> tuple[int, int]:
    major, minor = version.split(".")
    return int(major), int(minor)
