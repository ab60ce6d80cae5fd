"""The installed packages: a folder for those of the service itself, and one for each extra.

The name of a folder has the set, a digest of its pins, the Python version and the processor. A
folder gets its name after all files have been synced to the disk, so a named folder is complete.
Folders of another program version or Python have other names and are not used.
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
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path

from ...extras import MODULES, PACKAGED, ROOT, missing_modules
from .pins import LOCK, list_needed

NAME = ".installed"
PACKAGES = {
    "fastapi": "fastapi", "uvicorn": "uvicorn", "websockets": "websockets", "jinja2": "jinja2",
    "pydantic": "pydantic", "httpx2": "httpx2", "PIL": "pillow",
    "yaml": "pyyaml", "segno": "segno", "dashscope": "dashscope", "cryptography": "cryptography",
}  # fmt: skip
"""Module -> the name of its package."""


def missing() -> list[str]:
    """Return the names of the service's packages that cannot be imported."""
    return [name for module, name in PACKAGES.items() if not find_spec(module)]


def use_installed() -> None:
    """Use the complete folders; a virtual environment with all packages has precedence."""
    if sys.prefix == sys.base_prefix or missing():
        PackageSet().activate()
    for extra in filter(missing_modules, MODULES):
        PackageSet(extra).activate()


def packages_folder() -> Path:
    """Return the folder for packages.

    It is the state directory of a systemd service, else the user's data folder if pip installed the
    program, else beside the program.
    """
    if state := os.environ.get("STATE_DIRECTORY"):
        return Path(state.partition(":")[0]) / "packages"
    if PACKAGED:
        with contextlib.suppress(RuntimeError):  # a user without a home folder
            data = os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share"
            return Path(data) / "kvm-cua" / "packages"
    return ROOT / NAME


class PackageSet:
    """The packages of the service itself or of `extra`, and their folder, which may not exist."""

    def __init__(self, extra: str = "", place: Path | None = None, lock: Path = LOCK) -> None:
        self.extra = extra
        self.place = place or packages_folder()
        self.pins = list_needed(lock=lock, extra=extra)
        self.download = sum(pin.download for pin in self.pins)
        self.disk = sum(pin.disk for pin in self.pins)
        self._name = extra or "base"
        self.folder = self.place / f"{self._name}-{self._tag()}"
        self.temporary = self.place / f"{self._name}.tmp"
        """The folder during an installation, until it has succeeded."""
        self.packages = self.temporary / "packages"
        self.requirements = self.temporary / "requirements.txt"
        self.cache = self.place / "cache"
        """pip's cache, kept until everything is installed, for an interrupted installation."""

    @property
    def complete(self) -> bool:
        """True if the packages of this program version are installed for this Python."""
        return self.folder.is_dir()

    @property
    def interrupted(self) -> bool:
        """True if an installation was started and has not succeeded."""
        return self.temporary.exists()

    @property
    def outdated(self) -> bool:
        """True if only packages for another program version or Python are installed."""
        return not self.complete and any(self._others())

    @property
    def active(self) -> bool:
        """True if this process uses the folder."""
        return str(self.folder) in sys.path

    def activate(self) -> None:
        """Use the folder, if it is complete, in this process and its children.

        The service's packages come before those of the system, an extra's after them.
        """
        if self.complete and not self.active:
            sys.path.insert(len(sys.path) if self.extra else 1, str(self.folder))
            known = os.environ.get("PYTHONPATH", "")
            parts = [known, str(self.folder)] if self.extra else [str(self.folder), known]
            os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, parts))
        importlib.invalidate_caches()

    def begin(self) -> None:
        """Prepare the temporary folder for an installation. Raises `OSError`."""
        shutil.rmtree(self.temporary, ignore_errors=True)
        self.packages.mkdir(parents=True)
        self.requirements.write_text("".join(pin.text for pin in self.pins))

    def discard(self) -> None:
        """Remove the files of a partial installation, as a KVM's disk is small."""
        if self.interrupted:
            shutil.rmtree(self.temporary, ignore_errors=True)
            self._mark_interrupted()

    def finish(self) -> None:
        """Move the installed packages to their folder. Raises `OSError`."""
        shutil.rmtree(self.folder, ignore_errors=True)
        os.sync()  # so a power cut leaves no named folder with missing files
        self.packages.rename(self.folder)
        for old in (self.temporary, self.cache, *self._others()):
            shutil.rmtree(old, ignore_errors=True)

    def remove_damaged(self) -> None:
        """Remove damaged packages; the next start installs them again without asking."""
        self._mark_interrupted()
        shutil.rmtree(self.folder)

    @contextlib.contextmanager
    def lock(self, on_wait: Callable[[], object]) -> Iterator[int]:
        """Lock the place for one installation at a time; call `on_wait` before waiting for another.

        Yields the descriptor; a child that inherits it keeps the lock. Raises `OSError`.
        """
        self.place.mkdir(parents=True, exist_ok=True)
        with (self.place / "claim").open("w") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                on_wait()
                fcntl.flock(file, fcntl.LOCK_EX)
            yield file.fileno()

    def size(self) -> int:
        """Return the bytes of the running installation."""
        total = 0
        for parent, _, names in os.walk(self.temporary):
            for name in names:
                with contextlib.suppress(OSError):  # removed by now
                    total += os.lstat(os.path.join(parent, name)).st_size  # noqa: PTH118 - thousands
        return total

    def _mark_interrupted(self) -> None:
        self.temporary.mkdir(exist_ok=True)

    def _others(self) -> list[Path]:
        """Return the folders of this set for other versions."""
        return [path for path in self.place.glob(f"{self._name}-*") if path != self.folder]

    def _tag(self) -> str:
        """Return a name for pins, Python and processor; patch releases of Python share packages."""
        pins = "".join(pin.text for pin in self.pins)
        digest = hashlib.sha256(pins.encode()).hexdigest()[:12]
        return f"{digest}-{sys.implementation.cache_tag}-{platform.machine()}"
