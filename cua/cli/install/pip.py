"""Find a pip to run, and build its commands.

Debian ships Python without pip and ensurepip. A pip need not be installed to be run, so its wheel
in any of the usual places will do.
"""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Iterable
from pathlib import Path

from .environment import PackageSet

DEBIAN = Path("/usr/share/python-wheels")
PINNED = (
    *("--no-deps", "--require-hashes", "--only-binary", ":all:"),
    "--disable-pip-version-check",
)
"""Options for a list of pinned and hashed wheels."""


class NoPip(Exception):
    """This machine has no pip."""


def install(home: PackageSet, bundle: Path | None) -> list[str]:
    """Return the command that installs the set from `bundle` (a folder of wheels) or the network.

    The machine's pip configuration applies, as it may name a mirror or a proxy. Raises `NoPip`.
    """
    return [
        *(sys.executable, *find(bundle)),
        *("install", *PINNED),
        *("--target", str(home.packages), "--no-user"),
        "--no-compile",  # half of it is never loaded; the test import compiles the rest
        *("--no-input", "--progress-bar", "off"),
        *("--cache-dir", str(home.cache)),
        *(("--no-index", "--find-links", str(bundle)) if bundle else ()),
        *("--requirement", str(home.wanted)),
    ]


def find(bundle: Path | None) -> list[str]:
    """Return the arguments with which Python runs pip. Raises `NoPip`.

    An installed pip is preferred, as it starts several times faster than a wheel.
    """
    if importlib.util.find_spec("pip"):
        return ["-m", "pip"]
    for folder in (bundle, _of_ensurepip(), DEBIAN):
        for wheel in sorted(_wheels(folder), reverse=True):
            return [str(wheel / "pip")]
    raise NoPip


def _wheels(folder: Path | None) -> Iterable[Path]:
    return folder.glob("pip-*.whl") if folder else ()


def _of_ensurepip() -> Path | None:
    found = importlib.util.find_spec("ensurepip")
    return Path(found.origin).parent / "_bundled" if found and found.origin else None
