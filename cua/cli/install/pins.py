"""The packages of the service and of its extras, as lock.txt pins them.

`tests/cli/install/lock.py` writes that file.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import NamedTuple

LOCK = Path(__file__).parent / "lock.txt"
PIP = "pip"
"""The package pip, listed for the offline bundle only; it is not installed."""

_PIN = re.compile(
    r"# (?P<download>\d+) (?P<disk>\d+)(?: (?P<extras>[\w,]+))?\n"
    r"(?P<name>[\w.-]+)==(?P<version>\S+)(?: ; (?P<marker>[^\\]+))? \\\n"
    r"(?P<hashes>(?:    --hash=\S+(?: \\)?\n)+)"
)
_BOUND = re.compile(r'(<|>=) "(\d+)\.(\d+)"')


class Pin(NamedTuple):
    """A package; `download`, `disk`: bytes on an aarch64 KVM, elsewhere nearly the same.

    `text`: the requirement for pip, without a marker. `extras`: names of the extras that need it;
    empty for a package of the service itself.
    """

    name: str
    version: str
    download: int
    disk: int
    text: str
    extras: tuple[str, ...]


def read_pins(python: tuple[int, int] = sys.version_info[:2], lock: Path = LOCK) -> list[Pin]:
    """Return all packages of the list for a Python version; pip last."""
    return [
        _pin(match)
        for match in _PIN.finditer(lock.read_text("ascii"))
        if _applies(match["marker"] or "", python)
    ]


def list_needed(
    python: tuple[int, int] = sys.version_info[:2], lock: Path = LOCK, extra: str = ""
) -> list[Pin]:
    """Return the packages of the service itself, or of an extra."""
    found = [pin for pin in read_pins(python, lock) if pin.name != PIP]
    return [pin for pin in found if (extra in pin.extras if extra else not pin.extras)]


def list_extras() -> list[str]:
    return sorted({extra for pin in read_pins() for extra in pin.extras})


def _applies(marker: str, python: tuple[int, int]) -> bool:
    """Evaluate a marker made of bounds on `python_version` alone."""
    return all(
        (python < (int(major), int(minor))) == (sign == "<")
        for sign, major, minor in _BOUND.findall(marker)
    )


def _pin(match: re.Match[str]) -> Pin:
    name, version = match["name"], match["version"]
    text = f"{name}=={version} \\\n{match['hashes']}"
    sizes = int(match["download"]), int(match["disk"])
    return Pin(name, version, *sizes, text, tuple(re.findall(r"\w+", match["extras"] or "")))
