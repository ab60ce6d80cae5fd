"""Debian packages, unpacked but not installed: what the guest is made of.

They come through apt from wherever this machine gets its packages, into a cache of ours, once.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import platform
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

INSTALLED = ("qemu-system-x86", "seabios", "ipxe-qemu")
CACHE = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "kvm-cua-guest"


def lacking() -> str:
    """Why there can be no guest here, "" if there can."""
    if platform.machine() != "x86_64":
        return "the guest is an amd64 machine and runs this machine's Python"
    if not shutil.which("apt-get"):
        return "the guest is made of Debian packages, and there is no apt-get"
    if not shutil.which("qemu-system-x86_64"):
        return f"apt-get install --no-install-recommends {' '.join(INSTALLED)}"
    return ""


def kernel() -> str:
    """The package of Debian's general kernel; the one for clouds has no USB."""
    words = _say("apt-cache", "depends", "linux-image-amd64")
    found = re.search(r"Depends: (linux-image-\S+)", words)
    if not found:
        raise RuntimeError("apt knows no linux-image-amd64: apt-get update")
    return found[1]


def unpacked(package: str) -> Path:
    """The folder with the files of a package."""
    folder = CACHE / package
    with alone(package):
        if not folder.exists():
            new = CACHE / f"{package}.new"
            shutil.rmtree(new, ignore_errors=True)
            new.mkdir(parents=True)
            _say("apt-get", "download", package, folder=new)
            (archive,) = new.glob("*.deb")
            _say("dpkg-deb", "-x", str(archive), str(new))
            archive.unlink()
            new.rename(folder)
    return folder


@contextlib.contextmanager
def alone(making: str) -> Iterator[None]:
    """Of tests that run side by side, one makes what all of them then find in the cache."""
    CACHE.mkdir(parents=True, exist_ok=True)
    with (CACHE / f"{making}.turn").open("a") as turn:
        fcntl.flock(turn, fcntl.LOCK_EX)
        yield


def _say(*command: str, folder: Path | None = None) -> str:
    done = subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True)
    return done.stdout
