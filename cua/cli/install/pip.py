"""Find a pip to run, and run it.

Debian ships Python without pip and ensurepip. pip runs without being installed, so its wheel in any
of the usual places is enough.
"""

from __future__ import annotations

import importlib.util
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from .errors import NO_PIP, Failed
from .package_folders import PackageSet
from .pins import Pin

DEBIAN = Path("/usr/share/python-wheels")
PINNED = (
    *("--no-deps", "--require-hashes", "--only-binary", ":all:"),
    "--disable-pip-version-check",
)
"""Options for a list of pinned and hashed wheels."""
GLIBC = (17, 24, 26, 27, 28, 31, 34, 35)
"""Minor versions of glibc for which there are wheels, up to Ubuntu 22.04's."""


class Target(NamedTuple):
    """Processor and Python version of wheels."""

    machine: str
    python: tuple[int, int]

    @property
    def words(self) -> str:
        return f"cp{self.python[0]}{self.python[1]}-{self.machine}"


DEVICE = Target("aarch64", (3, 10))
"""The target of a NanoKVM-Pro."""


def install_command(packages: PackageSet, bundle: Path | None) -> list[str]:
    """Return the command that installs the set from `bundle` (a folder of wheels) or the network.

    The machine's pip configuration applies, as it may name a mirror or a proxy. Raises `Failed`.
    """
    return [
        *(sys.executable, *find(bundle)),
        *("install", *PINNED),
        *("--target", str(packages.packages), "--no-user"),
        "--no-compile",  # half is never loaded; the test import compiles the rest
        *("--no-input", "--progress-bar", "off"),
        *("--cache-dir", str(packages.cache)),
        *(("--no-index", "--find-links", str(bundle)) if bundle else ()),
        *("--requirement", str(packages.requirements)),
    ]


def find(bundle: Path | None) -> list[str]:
    """Return the arguments with which Python runs pip. Raises `Failed`.

    An installed pip is preferred, as it starts several times faster than a wheel.
    """
    if importlib.util.find_spec("pip"):
        return ["-m", "pip"]
    ensurepip = importlib.util.find_spec("ensurepip")
    bundled = (
        Path(ensurepip.origin).with_name("_bundled") if ensurepip and ensurepip.origin else None
    )
    for folder in filter(None, (bundle, bundled, DEBIAN)):
        for wheel in sorted(folder.glob("pip-*.whl"), reverse=True):
            return [str(wheel / "pip")]
    raise Failed(NO_PIP)


def fetch(folder: Path, target: Target, wanted: Sequence[Pin]) -> list[Path]:
    """Fetch wheels for another machine and check their hashes; return their paths, sorted.

    Raises `Failed` without pip, and `subprocess.CalledProcessError`; its reason is on stderr.
    """
    number = "".join(map(str, target.python))
    platforms = [f"manylinux_2_{minor}_{target.machine}" for minor in GLIBC]
    platforms += [f"manylinux2014_{target.machine}"]
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as requirements:
        requirements.write("".join(pin.text for pin in wanted))
        requirements.flush()
        subprocess.run(  # noqa: S603 - pip, with our own arguments
            [
                *(sys.executable, *find(None), "download", "-qq", *PINNED),
                *("--implementation", "cp", "--python-version", number),
                *("--abi", f"cp{number}", "--abi", "abi3", "--abi", "none"),
                *(part for platform in platforms for part in ("--platform", platform)),
                *("--dest", str(folder), "--requirement", requirements.name),
            ],
            check=True,
            stdout=sys.stderr,
        )
    return sorted(folder.glob("*.whl"))
