"""The virtual computer as a process of its own, from which the agent gets what a KVM gives it:
a video stream's address and three HID devices.
"""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from .types import CuaError

ROOT = Path(__file__).parent.parent


class VirtualComputer:
    """Boots at once, beside everything else that has to start; ends with this process."""

    MODULE = "cua.virtual"

    def __init__(self, *options: str) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="cua-demo-")
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
        self._folder.cleanup()
