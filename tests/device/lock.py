"""Writes `cua/install/lock.txt`: every package that the service needs, pinned, with the hashes of
its wheels for Linux and its sizes on the KVM. Run it when pyproject's dependencies have changed, or
to take newer releases: `python -m tests.device.lock`.

One set of versions serves every Python from 3.10 on, so what was tested is what runs.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterable, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

from packaging.markers import Marker

from cua.install.pins import LOCK, needed, pins
from cua.install.wheels import DEVICE, fetch
from tests.kvm_box import ROOT

PYTHONS = ("3.10", "3.11", "3.12", "3.13", "3.14")
MACHINES = "aarch64|x86_64|armv7l"
HEAD = """\
# Written by `python -m tests.device.lock`: what the service needs, pinned, with the hashes of its
# wheels for Linux. The comments give the bytes to download and on the disk of an aarch64 KVM.
# Last comes pip itself, which only the offline bundle carries.
"""


class Package(NamedTuple):
    """`before`: only for Pythons older than this, "" for all."""

    name: str
    version: str
    before: str
    hashes: list[str]


def main() -> None:
    packages = [*_resolved((ROOT / "pyproject.toml").read_text()), *_resolved(_project("pip"))]
    LOCK.write_text(_text(packages, {}))
    LOCK.write_text(_text(packages, _sizes()))
    found = needed(DEVICE.python)
    megabytes = [sum(getattr(pin, kind) for pin in found) / 1e6 for kind in ("download", "disk")]
    sys.stdout.write(f"{len(found)} packages, {megabytes[0]:.1f} MB, {megabytes[1]:.1f} MB\n")


def _project(dependency: str) -> str:
    return f'[project]\nname = "x"\nversion = "0"\ndependencies = ["{dependency}"]\n'


def _resolved(project: str) -> list[Package]:
    with tempfile.TemporaryDirectory() as folder:
        source, found = Path(folder) / "pyproject.toml", Path(folder) / "pylock.toml"
        source.write_text(project)
        subprocess.run(
            [
                *(sys.executable, "-m", "uv", "pip", "compile", "--quiet", "--universal"),
                *("--python-version", PYTHONS[0], "--fork-strategy", "fewest"),
                *("--format", "pylock.toml", "-o", found, source),
            ],
            check=True,
            env={"SSL_CERT_FILE": os.environ.get("PIP_CERT", ""), **os.environ},
        )
        toml = import_module("tomllib" if sys.version_info >= (3, 11) else "tomli")
        rows = toml.loads(found.read_text())["packages"]
    return [package for row in rows if (package := _package(row))]


def _package(row: Mapping[str, Any]) -> Package | None:
    wanted = [python for python in PYTHONS if _applies(row.get("marker"), python)]
    if not wanted:
        return None
    if wanted != list(PYTHONS[: len(wanted)]):
        raise SystemExit(f"{row['name']} is wanted by {wanted} only: teach `pins.py` that")
    before = "" if len(wanted) == len(PYTHONS) else PYTHONS[len(wanted)]
    return Package(row["name"], row["version"], before, sorted(_hashes(row["wheels"])))


def _applies(marker: str | None, python: str) -> bool:
    there = {"python_version": python, "python_full_version": f"{python}.0"}
    return marker is None or Marker(marker).evaluate(
        {**there, "sys_platform": "linux", "platform_system": "Linux", "os_name": "posix"}
    )


def _hashes(wheels: Iterable[Mapping[str, Any]]) -> Iterable[str]:
    pythons = "|".join(python.replace(".", "") for python in PYTHONS)
    ours = re.compile(
        rf"-py3-none-any\.whl|-py2\.py3-none-any\.whl|"
        rf"-cp(\d+-abi3|({pythons})-cp({pythons}))-manylinux\S*_({MACHINES})\.whl"
    )
    return (wheel["hashes"]["sha256"] for wheel in wheels if ours.search(wheel["url"]))


def _sizes() -> dict[str, tuple[int, int]]:
    """Name -> bytes to download, bytes on the disk, on the KVM."""
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        for wheel in fetch(Path(folder), DEVICE, pins(DEVICE.python)):
            name = wheel.name.partition("-")[0].replace("_", "-").lower()
            with zipfile.ZipFile(wheel) as archive:
                disk = sum(entry.file_size for entry in archive.infolist())
            found[name] = (wheel.stat().st_size, disk)
    return found


def _text(packages: Iterable[Package], sizes: Mapping[str, tuple[int, int]]) -> str:
    return HEAD + "".join(_entry(each, *sizes.get(each.name, (0, 0))) for each in packages)


def _entry(package: Package, download: int, disk: int) -> str:
    marker = f' ; python_version < "{package.before}"' if package.before else ""
    hashes = " \\\n".join(f"    --hash=sha256:{each}" for each in package.hashes)
    return f"# {download} {disk}\n{package.name}=={package.version}{marker} \\\n{hashes}\n"


if __name__ == "__main__":
    main()
