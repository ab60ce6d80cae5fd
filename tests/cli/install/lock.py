"""Writes `cua/cli/install/lock.txt`: every package that the service or an extra needs, pinned,
with the hashes of its wheels for Linux and its sizes on the KVM. Run it when pyproject's
dependencies have changed, or to take newer releases: `python -m tests.cli.install.lock`.

As few versions as possible serve every Python from 3.10 on, so what was tested is what runs. A
package has two where no release fits all of these Pythons.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

from packaging.markers import Marker

from cua.cli.install.pins import LOCK, list_extras, list_needed, read_pins
from cua.cli.install.pip import DEVICE, Target, fetch
from tests.support.kvm_hardware import ROOT

PYTHONS = ("3.10", "3.11", "3.12", "3.13", "3.14")
MACHINES = "aarch64|x86_64|armv7l"
EXTRAS = ("local", "mcp", "notify")
"""Those that the program installs on demand; the others are for its development."""
HEAD = """\
# Written by `python -m tests.cli.install.lock`: what the service needs, pinned, with the hashes of
# wheels for Linux. The comments give the bytes to download and on the disk of an aarch64 KVM, and
# the extras that need it. Last comes pip itself, which only the offline bundle carries.
"""


class Package(NamedTuple):
    """`marker`: the Pythons that it is for, "" for all; `extras`: empty for the service itself."""

    name: str
    version: str
    marker: str
    hashes: list[str]
    extras: tuple[str, ...] = ()


def main() -> None:
    packages = [*_all(_project()), *_resolved(["pip"])]
    LOCK.write_text(_text(packages, {}))
    LOCK.write_text(_text(packages, _sizes()))
    for extra in ("", *list_extras()):
        found = list_needed(DEVICE.python, extra=extra)
        megabytes = [
            sum(getattr(pin, kind) for pin in found) / 1e6 for kind in ("download", "disk")
        ]
        name = extra or "the service"
        sys.stdout.write(
            f"{name}: {len(found)} packages, {megabytes[0]:.1f} MB, {megabytes[1]:.1f} MB\n"
        )


def _project() -> dict[str, Any]:
    project: dict[str, Any] = _toml((ROOT / "pyproject.toml").read_text())["project"]
    return project


def _all(project: Mapping[str, Any]) -> Iterable[Package]:
    """The service's packages, then what each extra adds to them."""
    own, more = project["dependencies"], project["optional-dependencies"]
    fewest = ("--fork-strategy", "fewest")
    everything = _resolved([*own, *(each for extra in EXTRAS for each in more[extra])], *fewest)
    base = _resolved(own, *fewest, pinned=everything)
    added: dict[tuple[str, str], Package] = {}
    for extra in EXTRAS:
        wanted = [*own, *more[extra]]
        for each in _resolved(wanted, pinned=[*base, *added.values()]):
            if each.name not in {one.name for one in base}:
                before = added.get(each[:2], each)
                wider = min(before, each, key=lambda one: len(one.marker))
                added[each[:2]] = wider._replace(extras=(*before.extras, extra))
    return [*base, *(added[key] for key in sorted(added))]


def _resolved(
    dependencies: Sequence[str], *options: str, pinned: Iterable[Package] = ()
) -> list[Package]:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        source, found, limits = (
            folder / f for f in ("pyproject.toml", "pylock.toml", "limits.txt")
        )
        source.write_text(
            f'[project]\nname = "x"\nversion = "0"\ndependencies = {json.dumps(dependencies)}\n'
        )
        limits.write_text("".join(f"{_requirement(each)}\n" for each in pinned))
        subprocess.run(
            [
                *(sys.executable, "-m", "uv", "pip", "compile", "--quiet", "--universal"),
                *("--python-version", PYTHONS[0], *options, "--constraint", str(limits)),
                *("--format", "pylock.toml", "-o", found, source),
            ],
            check=True,
            env={"SSL_CERT_FILE": os.environ.get("PIP_CERT", ""), **os.environ},
        )
        rows = _toml(found.read_text())["packages"]
    return [package for row in rows if (package := _package(row))]


def _toml(text: str) -> dict[str, Any]:
    found: dict[str, Any] = import_module(
        "tomllib" if sys.version_info >= (3, 11) else "tomli"
    ).loads(text)
    return found


def _package(row: Mapping[str, Any]) -> Package | None:
    wanted = [python for python in PYTHONS if _applies(row.get("marker"), python)]
    if not wanted:
        return None
    marker = " and ".join(_bounds(wanted))
    return Package(row["name"], row["version"], marker, sorted(_hashes(row["wheels"])))


def _bounds(wanted: Sequence[str]) -> Iterator[str]:
    first, last = PYTHONS.index(wanted[0]), PYTHONS.index(wanted[-1])
    if list(wanted) != list(PYTHONS[first : last + 1]):
        raise SystemExit(f"A package is wanted by {wanted} only: extend `pins.py`.")
    if first:
        yield f'python_version >= "{PYTHONS[first]}"'
    if wanted[-1] != PYTHONS[-1]:
        yield f'python_version < "{PYTHONS[last + 1]}"'


def _requirement(package: Package) -> str:
    return f"{package.name}=={package.version}{package.marker and f' ; {package.marker}'}"


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
    """Name -> bytes to download, bytes on the disk, on the KVM; what its Python does not take is
    weighed for a newer one.
    """
    found: dict[str, tuple[int, int]] = {}
    for python in (DEVICE.python, (3, 11)):
        wanted = [pin for pin in read_pins(python) if pin.name not in found]
        with tempfile.TemporaryDirectory() as folder:
            for wheel in fetch(Path(folder), Target(DEVICE.machine, python), wanted):
                name = wheel.name.partition("-")[0].replace("_", "-").lower()
                with zipfile.ZipFile(wheel) as archive:
                    disk = sum(entry.file_size for entry in archive.infolist())
                found[name] = (wheel.stat().st_size, disk)
    return found


def _text(packages: Iterable[Package], sizes: Mapping[str, tuple[int, int]]) -> str:
    return HEAD + "".join(_entry(each, *sizes.get(each.name, (0, 0))) for each in packages)


def _entry(package: Package, download: int, disk: int) -> str:
    about = " ".join(filter(None, ("#", str(download), str(disk), ",".join(package.extras))))
    hashes = " \\\n".join(f"    --hash=sha256:{each}" for each in package.hashes)
    return f"{about}\n{_requirement(package)} \\\n{hashes}\n"


if __name__ == "__main__":
    main()
