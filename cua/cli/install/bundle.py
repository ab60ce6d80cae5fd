"""The offline bundle: this program and its wheels for another machine, in one file.

`python cua_webapp.py bundle` makes it on a machine with a network. Unpacked on the KVM, the program
installs from the wheels beside it. Bundles are reproducible: names sorted, no dates, no owners.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import io
import os
import re
import subprocess
import tarfile
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from ...extras import NAME, ROOT
from ..output import refuse, say
from .errors import Failed
from .pins import LOCK, Pin, list_extras, read_pins
from .pip import DEVICE, Target, fetch

FOLDER = "wheels"
PARTS = ("cua_webapp.py", "cua", "README.md", "pyproject.toml")
SUMS = "SHA256SUMS"
MACHINES = ("aarch64", "armv7l", "x86_64")
"""Processors for which the lock has wheels, as `uname -m` names them."""


def main(argv: list[str]) -> int:
    """Make a bundle; return the exit code."""
    options = _parser().parse_args(argv)
    target = Target(options.machine, options.python)
    file = options.to or Path(f"cua-{target.words}.tar.gz")
    if file.is_dir() or not os.access(file if file.exists() else file.parent, os.W_OK):
        refuse(f"{file} cannot be written: name a file in another folder.")
    try:
        make(ROOT, target, file, options.extras)
    except Failed as no_pip:
        refuse(no_pip.message)
    except subprocess.CalledProcessError:
        refuse(f"The packages for {target.words} cannot be had; pip says why above.")
    except OSError as error:
        refuse(f"{file} cannot be written: {error.strerror}.")
    say(f"{file}: {file.stat().st_size / 1e6:.1f} MB for {target.words}")
    return 0


def wheels(program: Path, wanted: Sequence[Pin]) -> Path | None:
    """Return the wheel folder of an unpacked bundle if it has these packages."""
    folder = program / FOLDER
    names = (wheel.name.partition("-")[0] for wheel in folder.glob("*.whl"))
    there = {re.sub(r"[-_.]+", "-", name).lower() for name in names}
    return folder if there.issuperset(pin.name for pin in wanted) else None


def damaged(program: Path) -> list[str]:
    """Return the files of an unpacked bundle that are missing or differ from its checksums."""
    try:
        lines = (program / SUMS).read_text("utf-8", "replace").splitlines()
    except OSError:
        return []
    rows = (line.partition("  ") for line in lines)
    return [name for digest, _, name in rows if _digest(program / name) != digest]


def make(program: Path, target: Target, file: Path, include: Sequence[str] = ()) -> None:
    """Write the bundle. Raises `OSError`, or `subprocess.CalledProcessError` if pip fails."""
    paths = [path for part in PARTS for path in _files(program / part)]
    parts = {path.relative_to(program).as_posix(): path.read_bytes() for path in paths}
    known = read_pins(target.python, program / LOCK.relative_to(ROOT))
    wanted = [pin for pin in known if not pin.extras or set(pin.extras) & set(include)]
    with tempfile.TemporaryDirectory() as folder:
        for wheel in fetch(Path(folder), target, wanted):
            parts[f"{FOLDER}/{wheel.name}"] = wheel.read_bytes()
    sums = (f"{hashlib.sha256(parts[name]).hexdigest()}  {name}\n" for name in sorted(parts))
    parts[SUMS] = "".join(sums).encode()
    with file.open("wb") as raw, gzip.GzipFile("", "wb", 9, raw, mtime=0) as packed:
        _pack(packed, parts)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog=f"{NAME} bundle",
        description="Make one file of the program and its packages, for a KVM without Internet.",
        epilog="Unpack it on the KVM:  mkdir -p /kvmapp && tar -C /kvmapp -xzf FILE",
    )
    add = parser.add_argument
    machine, python = DEVICE
    add("--machine", choices=MACHINES, default=machine, help="processor of the KVM (%(default)s)")
    add("--python", type=_version, default=python, metavar="3.N", help="Python of the KVM (3.10)")
    add_extras(parser)
    named = "(default: named after Python and processor)"
    add("--to", metavar="FILE", type=Path, help=named)
    return parser


def add_extras(parser: argparse.ArgumentParser) -> None:
    """Add `--with`, a list of extras."""
    known = ", ".join(list_extras())

    def parse(words: str) -> list[str]:
        wanted = [word.strip() for word in words.split(",") if word.strip()]
        if unknown := set(wanted) - set(list_extras()):
            raise argparse.ArgumentTypeError(
                f"{unknown.pop()!r} is not an extra: choose from {known}"
            )
        return wanted

    parser.add_argument(
        "--with", type=parse, default=[], dest="extras", metavar="EXTRA,EXTRA",
        help=f"include the packages of these extras: {known}",
    )  # fmt: skip


def _version(words: str) -> tuple[int, int]:
    if not re.fullmatch(r"3\.\d{1,3}", words):
        raise argparse.ArgumentTypeError(f"{words!r} is not a Python version such as 3.11")
    return 3, int(words[2:])


def _files(place: Path) -> Iterator[Path]:
    if place.is_file():
        yield place
    for parent, folders, names in os.walk(place, followlinks=True):
        folders[:] = [name for name in folders if name != "__pycache__"]
        yield from (Path(parent) / name for name in names)


def _digest(path: Path) -> str:
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError:
        return ""


def _pack(packed: gzip.GzipFile, parts: dict[str, bytes]) -> None:
    with tarfile.open(fileobj=packed, mode="w", format=tarfile.GNU_FORMAT) as archive:
        for name in sorted(parts):
            entry = tarfile.TarInfo(f"cua/{name}")
            entry.size, entry.mode, entry.mtime = len(parts[name]), 0o644, 0
            archive.addfile(entry, io.BytesIO(parts[name]))
