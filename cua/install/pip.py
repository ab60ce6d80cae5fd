"""Where a pip comes from on a machine that may have none, and what it is told.

Debian ships Python without ensurepip and without pip; any of the places where one usually lies
will do, since it only has to run, not to be installed.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Iterable
from pathlib import Path

from .home import Home

DEBIAN = Path("/usr/share/python-wheels")
RUN = (
    "import runpy, sys; sys.path.insert(0, sys.argv.pop(1)); "
    "runpy.run_module('pip', None, '__main__', True)"
)


class NoPip(Exception):
    """There is none on this machine."""


def make_venv(home: Home, python: str) -> list[str]:
    return [python, "-m", "venv", "--without-pip", "--clear", str(home.venv)]


def install(home: Home, bundle: Path | None) -> list[str]:
    """The command that installs our list, from `bundle` (a folder of wheels) or from the network.

    It obeys the machine's own pip configuration: whoever has set a mirror or a proxy needs it.
    Raises `NoPip`.
    """
    return [
        str(home.python),
        *(_pip_of_the_machine(home, bundle)),
        *("install", "--no-deps", "--require-hashes", "--only-binary", ":all:", "--no-user"),
        "--no-compile",  # half of it is never loaded; the look whether it works compiles the rest
        *("--no-input", "--disable-pip-version-check", "--progress-bar", "off"),
        *("--cache-dir", str(home.cache)),
        *(("--no-index", "--find-links", str(bundle)) if bundle else ()),
        *("--requirement", str(home.wanted)),
    ]


def _pip_of_the_machine(home: Home, bundle: Path | None) -> list[str]:
    """What follows `python` to run it; one that lies unpacked starts several times faster."""
    found = importlib.util.find_spec("pip")
    if found is not None and found.origin is not None:
        alone = home.temporary / "pip"  # its neighbours must not look as if they were installed
        alone.mkdir()
        (alone / "pip").symlink_to(Path(found.origin).parent)
        return ["-c", RUN, str(alone)]
    for folder in (bundle, _of_ensurepip(), DEBIAN):
        for wheel in sorted(_wheels(folder), reverse=True):
            return [str(wheel / "pip")]
    raise NoPip


def _wheels(folder: Path | None) -> Iterable[Path]:
    return folder.glob("pip-*.whl") if folder else ()


def _of_ensurepip() -> Path | None:
    found = importlib.util.find_spec("ensurepip")
    return Path(found.origin).parent / "_bundled" if found and found.origin else None
