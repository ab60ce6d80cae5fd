"""The virtual computer as a process of its own, from which the agent gets what a KVM gives it:
a video stream's address and three HID devices.
"""

from __future__ import annotations

import asyncio
import contextlib
import fcntl
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from .types import CuaError

ROOT = Path(__file__).parent.parent
PREFIX = "cua-demo-"
YOUNG = 60.0
"""Seconds in which a folder may not have been claimed yet."""


class VirtualComputer:
    """Boots at once, beside everything else that has to start; ends with this process."""

    MODULE = "cua.virtual"

    def __init__(self, *options: str) -> None:
        _tidy(Path(tempfile.gettempdir()))
        self._folder = tempfile.TemporaryDirectory(prefix=PREFIX)
        self._claim = _claimed(self._folder.name)
        command = [sys.executable, "-m", self.MODULE, "--dir", self._folder.name, *options]
        self._process = subprocess.Popen(  # noqa: S603 - our own module, our own arguments
            command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )

    @property
    def hid_prefix(self) -> str:
        return f"{self._folder.name}/hidg"

    async def addresses(self) -> dict[str, Any]:
        """`stream` and `state` as URLs, when it has booted. Raises `CuaError`."""
        assert self._process.stdout is not None
        line = await asyncio.to_thread(self._process.stdout.readline)
        if not line:
            raise CuaError("The virtual computer did not start; its reason stands above.")
        addresses: dict[str, Any] = json.loads(line)
        return addresses

    def stop(self) -> None:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.close()
        try:
            self._process.wait(5)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._process.stdout.close()
        os.close(self._claim)
        self._folder.cleanup()


def _claimed(folder: Path | str) -> int:
    """A descriptor that claims it for as long as this process lives. Raises `OSError` if taken."""
    claim = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(claim, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(claim)
        raise
    return claim


def _tidy(place: Path) -> None:
    """Away with what those left that were killed."""
    for folder in place.glob(f"{PREFIX}*"):
        with contextlib.suppress(OSError):
            if time.time() - folder.stat().st_mtime > YOUNG:
                os.close(_claimed(folder))
                shutil.rmtree(folder, ignore_errors=True)
