"""The folder beside the program that holds its packages, and whether what is in it is whole.

`complete` is written last, after everything else has reached the disk, and names the list and the
Python that it was made from: so an installation that was cut off, one of an older program, and one
under a Python that was replaced all look the same from outside, not complete, and are made anew.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import platform
import shutil
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from .pins import LOCK, digest, needed

NAME = ".installed"
PATIENCE = 10.0
"""Seconds for which the pip of a start that was killed may still be ending."""


class Taken(Exception):
    """Another process installs here."""


class Home:
    """`folder` need not exist yet."""

    def __init__(self, program: Path) -> None:
        self.folder = program / NAME
        self.lock = LOCK
        self.venv = self.folder / "venv"
        self.python = self.venv / "bin" / "python"
        self.temporary = self.folder / "tmp"
        self.cache = self.folder / "cache"
        """What was fetched; kept until all is installed, for the case that it is cut off."""
        self.wanted = self.temporary / "wanted.txt"
        self._complete, self._begun = self.folder / "complete", self.folder / "begun"

    @property
    def complete(self) -> bool:
        """Whether the packages of this very program are there, for this very Python."""
        return _read(self._complete) == self._made_from() and self.python.exists()

    @property
    def begun(self) -> bool:
        """Whether somebody has asked for an installation that did not come to its end."""
        return self._begun.exists()

    @property
    def outdated(self) -> bool:
        """Whether an installation is there that was whole for another program or Python."""
        return self._complete.exists() and not self.complete

    @property
    def inside(self) -> bool:
        """Whether this process runs on the packages in here."""
        return Path(sys.prefix) == self.venv

    def begin(self) -> None:
        """Away with what is there, except what was fetched. Raises `OSError`."""
        self._begun.touch()
        self._complete.unlink(missing_ok=True)
        self.discard()
        self.temporary.mkdir()
        self.wanted.write_text("".join(pin.text for pin in needed(lock=self.lock)))

    def discard(self) -> None:
        """Half an installation is of no use, and a KVM's disk is small."""
        shutil.rmtree(self.venv, ignore_errors=True)
        shutil.rmtree(self.temporary, ignore_errors=True)

    def finish(self) -> None:
        """Raises `OSError`."""
        shutil.rmtree(self.temporary, ignore_errors=True)
        shutil.rmtree(self.cache, ignore_errors=True)
        os.sync()  # not even a power cut may leave `complete` without what it stands for
        self._complete.write_text(self._made_from())
        self._begun.unlink()

    def condemn(self) -> None:
        """What is there is damaged: the next start makes it anew without being asked."""
        self._begun.touch()
        self._complete.unlink(missing_ok=True)

    @contextlib.contextmanager
    def claimed(self) -> Iterator[int]:
        """For one installation at a time; the descriptor keeps the claim for a child as well.

        Raises `Taken` after a while, and `OSError` where the folder cannot be made.
        """
        self.folder.mkdir(exist_ok=True)
        descriptor = os.open(self.folder / "claim", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            _lock(descriptor)
            yield descriptor
        finally:
            os.close(descriptor)

    def _made_from(self) -> str:
        return f"{digest(self.lock)} {platform.python_version()} {platform.machine()}\n"


def _lock(descriptor: int) -> None:
    give_up = time.monotonic() + PATIENCE
    while True:
        try:
            return fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() > give_up:
                raise Taken from None
        time.sleep(0.2)


def size(folder: Path) -> int:
    """Bytes of all files in it; what vanishes meanwhile does not count."""
    total = 0
    for parent, _, names in os.walk(folder):
        for name in names:
            with contextlib.suppress(OSError):
                total += os.lstat(os.path.join(parent, name)).st_size  # noqa: PTH118 - thousands
    return total


def _read(path: Path) -> str:
    try:
        return path.read_text()
    except (OSError, UnicodeDecodeError):
        return ""
