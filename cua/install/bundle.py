"""The offline bundle: this program and the wheels it needs elsewhere, in one file.

`python cua_webapp.py bundle` on any machine with a network makes it; unpacked on the KVM, the same
program finds the wheels beside itself and installs from them. Bytes depend on nothing but the
program, the list and the target: names sorted, no dates, no owners.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import io
import os
import re
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Iterator
from pathlib import Path

from ..extras import NAME
from ..page import ROOT
from .pins import LOCK, pins
from .wheels import DEVICE, Target, fetch

FOLDER = "wheels"
PARTS = ("cua_webapp.py", "cua", "deploy", "README.md", "pyproject.toml")
SUMS = "SHA256SUMS"


def main(argv: list[str]) -> int:
    """Makes it; returns the exit code."""
    options = _parser().parse_args(argv)
    target = Target(options.machine, options.python)
    file = options.to or Path(f"cua-{target.words}.tar.gz")
    if file.is_dir() or not os.access(file if file.exists() else file.parent, os.W_OK):
        return _fail(f"{file} cannot be written: name a file in a folder of your own.")
    try:
        make(ROOT, target, file)
    except subprocess.CalledProcessError:
        return _fail(f"The packages for {target.words} cannot be had; pip says why above.")
    except OSError as error:
        return _fail(f"{file} cannot be written: {error.strerror}.")
    sys.stdout.write(f"{file}: {file.stat().st_size / 1e6:.1f} MB for {target.words}\n")
    return 0


def wheels(program: Path) -> Path | None:
    """The folder of wheels of an unpacked bundle, if this is one."""
    folder = program / FOLDER
    return folder if any(folder.glob("*.whl")) else None


def make(program: Path, target: Target, file: Path) -> None:
    """Writes the bundle. Raises `OSError`, and `subprocess.CalledProcessError` for pip's faults."""
    with tempfile.TemporaryDirectory() as folder:
        parts = dict(_program(program))
        wanted = pins(target.python, program / "cua" / "install" / LOCK.name)
        for wheel in fetch(Path(folder), target, wanted):
            parts[f"{FOLDER}/{wheel.name}"] = wheel.read_bytes()
    parts[SUMS] = _sums(parts)
    with file.open("wb") as raw, gzip.GzipFile("", "wb", 9, raw, mtime=0) as packed:
        _pack(packed, parts)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog=f"{NAME} bundle",
        description="Make one file of the program and its packages, for a KVM without Internet.",
        epilog="Unpack it on the KVM:  mkdir -p /kvmapp && tar -C /kvmapp -xzf FILE",
    )
    parser.add_argument("--machine", default=DEVICE.machine, help="its processor (%(default)s)")
    parser.add_argument(
        "--python", type=_version, default=DEVICE.python, metavar="3.N", help="its Python (3.10)"
    )
    parser.add_argument("--to", metavar="FILE", type=Path, help="(default: named after both)")
    return parser


def _version(words: str) -> tuple[int, int]:
    if not re.fullmatch(r"3\.\d{1,3}", words):
        raise argparse.ArgumentTypeError(f"{words!r} is no Python: give one such as 3.11")
    return 3, int(words[2:])


def _fail(words: str) -> int:
    sys.stderr.write(f"{words}\n")
    return 1


def _program(program: Path) -> Iterator[tuple[str, bytes]]:
    for part in PARTS:
        for path in _files(program / part):
            yield path.relative_to(program).as_posix(), path.read_bytes()


def _files(place: Path) -> Iterator[Path]:
    if place.is_file():
        yield place
    for parent, folders, names in os.walk(place, followlinks=True):
        folders[:] = [name for name in folders if name != "__pycache__"]
        yield from (Path(parent) / name for name in names)


def _sums(parts: dict[str, bytes]) -> bytes:
    """As `sha256sum --check` reads it."""
    lines = (f"{hashlib.sha256(parts[name]).hexdigest()}  {name}\n" for name in sorted(parts))
    return "".join(lines).encode()


def _pack(packed: gzip.GzipFile, parts: dict[str, bytes]) -> None:
    with tarfile.open(fileobj=packed, mode="w", format=tarfile.GNU_FORMAT) as archive:
        for name in sorted(parts):
            entry = tarfile.TarInfo(f"cua/{name}")
            entry.size, entry.mode, entry.mtime = len(parts[name]), 0o644, 0
            archive.addfile(entry, io.BytesIO(parts[name]))
