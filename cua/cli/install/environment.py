"""The folders of installed packages: one for the service itself, one for each extra.

The name of a folder is made of the set, a digest of its pins, the Python version and the
processor. A folder gets its name after all files have reached the disk, so a named folder is
complete. Folders of another program version or Python have other names and are not used.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import importlib
import os
import platform
import shutil
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from ...extras import PACKAGED, ROOT
from .pins import LOCK, needed

NAME = ".installed"
CLAIM_TIMEOUT_S = 10.0
"""A pip of a killed process may still be running for a while."""


class AlreadyInstalling(Exception):
    """Another process is installing packages here."""


def packages_folder() -> Path:
    """Return the folder for packages.

    It is the state directory of a systemd service, else the user's data folder if pip installed the
    program, else beside the program.
    """
    if state := os.environ.get("STATE_DIRECTORY"):
        return Path(state.partition(":")[0]) / "packages"
    if PACKAGED:
        data = os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share"
        return Path(data) / "kvm-cua" / "packages"
    return ROOT / NAME


class PackageSet:
    """The packages of the service itself or of `extra`, and their folder, which may not exist."""

    def __init__(self, extra: str = "", place: Path | None = None, lock: Path = LOCK) -> None:
        self.extra = extra
        self.place = place or packages_folder()
        self.pins = needed(lock=lock, extra=extra)
        self._name = extra or "base"
        self.folder = self.place / f"{self._name}-{self._tag()}"
        self.temporary = self.place / f"{self._name}.tmp"
        self.packages = self.temporary / "packages"
        self.wanted = self.temporary / "wanted.txt"
        self.cache = self.place / "cache"
        """pip's cache, kept until all is installed, for an interrupted installation."""
        self._begun = self.place / f"{self._name}.begun"

    @property
    def complete(self) -> bool:
        """True if the packages of this program version are installed for this Python."""
        return self.folder.is_dir()

    @property
    def begun(self) -> bool:
        """True if an installation was started and has not ended."""
        return self._begun.exists()

    @property
    def outdated(self) -> bool:
        """True if only packages for another program version or Python are installed."""
        return not self.complete and any(self._others())

    @property
    def active(self) -> bool:
        """True if this process uses the folder."""
        return str(self.folder) in sys.path

    def activate(self) -> None:
        """Use the folder in this process and its children.

        The service's packages come before those of the system, an extra's after them.
        """
        if not self.active:
            sys.path.insert(len(sys.path) if self.extra else 1, str(self.folder))
            known = os.environ.get("PYTHONPATH", "")
            parts = [known, str(self.folder)] if self.extra else [str(self.folder), known]
            os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, parts))
        importlib.invalidate_caches()

    def begin(self) -> None:
        """Prepare the temporary folder for an installation. Raises `OSError`."""
        self._begun.touch()
        self.discard()
        self.packages.mkdir(parents=True)
        self.wanted.write_text("".join(pin.text for pin in self.pins))

    def discard(self) -> None:
        """Remove a partial installation, as a KVM's disk is small."""
        shutil.rmtree(self.temporary, ignore_errors=True)

    def finish(self) -> None:
        """Move the installed packages to their folder. Raises `OSError`."""
        shutil.rmtree(self.folder, ignore_errors=True)
        os.sync()  # so a power cut leaves no named folder with missing files
        self.packages.rename(self.folder)
        self._begun.unlink()
        for old in (self.temporary, self.cache, *self._others()):
            shutil.rmtree(old, ignore_errors=True)

    def remove_damaged(self) -> None:
        """Remove damaged packages; the next start installs them again without asking."""
        self._begun.touch()
        shutil.rmtree(self.folder)

    @contextlib.contextmanager
    def claim(self) -> Iterator[int]:
        """Lock the folder; a child that inherits the descriptor keeps the lock.

        Raises `AlreadyInstalling` after `CLAIM_TIMEOUT_S`, or `OSError`.
        """
        self.place.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(self.place / "claim", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            _lock(descriptor)
            yield descriptor
        finally:
            os.close(descriptor)

    def _others(self) -> list[Path]:
        """Folders of this set for other versions; `venv` is the name in old releases."""
        names = (f"{self._name}-*", *(() if self.extra else ("venv",)))
        found = (path for name in names for path in self.place.glob(name))
        return [path for path in found if path != self.folder]

    def _tag(self) -> str:
        """Name pins, Python and processor; patch releases of Python share packages."""
        pins = "".join(pin.text for pin in self.pins)
        digest = hashlib.sha256(pins.encode()).hexdigest()[:12]
        return f"{digest}-{sys.implementation.cache_tag}-{platform.machine()}"


def _lock(descriptor: int) -> None:
    give_up = time.monotonic() + CLAIM_TIMEOUT_S
    while True:
        try:
            return fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() > give_up:
                raise AlreadyInstalling from None
        time.sleep(0.2)


def size(folder: Path) -> int:
    """Return the bytes of all files in it; files that vanish meanwhile do not count."""
    total = 0
    for parent, _, names in os.walk(folder):
        for name in names:
            with contextlib.suppress(OSError):
                total += os.lstat(os.path.join(parent, name)).st_size  # noqa: PTH118 - thousands
    return total
