"""Fetch wheels for another machine with this machine's pip."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from .pins import Pin
from .pip import PINNED

GLIBC = (17, 24, 26, 27, 28, 31, 34, 35)
"""Minor versions of the glibc that wheels are made for, up to Ubuntu 22.04's."""


class Target(NamedTuple):
    """Processor and Python version that wheels are for."""

    machine: str
    python: tuple[int, int]

    @property
    def words(self) -> str:
        return f"cp{self.python[0]}{self.python[1]}-{self.machine}"


DEVICE = Target("aarch64", (3, 10))
"""A NanoKVM-Pro."""


def fetch(folder: Path, target: Target, wanted: Sequence[Pin]) -> list[Path]:
    """Fetch the wheels and check their hashes; return their paths, sorted.

    Raises `subprocess.CalledProcessError`; pip's reason is on stderr.
    """
    number = "".join(map(str, target.python))
    platforms = [f"manylinux_2_{minor}_{target.machine}" for minor in GLIBC]
    platforms += [f"manylinux2014_{target.machine}"]
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as list_:
        list_.write("".join(pin.text for pin in wanted))
        list_.flush()
        subprocess.run(  # noqa: S603 - pip, with our own arguments
            [
                *(sys.executable, "-m", "pip", "download", "-qq", *PINNED),
                *("--implementation", "cp", "--python-version", number),
                *("--abi", f"cp{number}", "--abi", "abi3", "--abi", "none"),
                *(part for platform in platforms for part in ("--platform", platform)),
                *("--dest", str(folder), "--requirement", list_.name),
            ],
            check=True,
            stdout=sys.stderr,
        )
    return sorted(folder.glob("*.whl"))
