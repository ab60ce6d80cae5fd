"""Client of `cua.kvms.watchdog_process`, which releases if this process is killed or stalls.

It is for remote KVMs; for the local one, `hid/writer/__main__.py` does it.
"""

from __future__ import annotations

import asyncio
import json
import math
import os
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from typing import Any

from ..extras import ROOT
from ..hid.reports import Endpoint
from ..messages import Message
from ..types import DeviceError
from .watchdog_process import LEASE_S

HEARTBEAT_INTERVAL_S = LEASE_S / 8
AT_WORK_S = 15.0
"""Time after a stall in which the process may be at work; it may have to load packages first."""


class WatchdogClient:
    """Controls the process; does nothing before `start`, so never for a VNC server.

    `encode_release`: what `hold` gets -> the messages that release it.
    """

    def __init__(self, encode_release: Callable[[Mapping[Endpoint, bytes]], list[bytes]]) -> None:
        self._encode_release = encode_release
        self._route: dict[str, Any] = {}
        """See `watchdog_process`."""
        self._pipe = -1
        self._starting: asyncio.Future[int] | None = None
        self._closed = False
        self._pressed: dict[Endpoint, bytes] = {}
        self._last_activity = 0.0
        self._heartbeat: asyncio.TimerHandle | None = None
        self._stalled = False
        self._stalled_at = -math.inf

    async def start(self, url: str, headers: dict[str, str], certificate: str) -> None:
        """Start the process unless it runs, and send it the address. Raises `DeviceError`."""
        self._route = {"url": url, "headers": headers, "certificate": certificate}
        await self.ensure_running()
        self._send(self._route)

    async def ensure_running(self) -> None:
        """Restart the process if it has ended. Raises `DeviceError`."""
        if self._pipe < 0 and self._route:
            if not self._starting:
                self._starting = asyncio.get_running_loop().run_in_executor(None, _start)
                self._starting.add_done_callback(self._handle_start)
            await asyncio.shield(self._starting)

    def _handle_start(self, start: asyncio.Future[int]) -> None:
        """Store the pipe, also after `ensure_running` was cancelled: the process ends with it."""
        self._starting = None
        if start.cancelled() or start.exception():
            return
        self._pipe = start.result()
        if self._closed or not self._route:
            self.close()
        else:
            self._send({**self._route, **self._release_state()})

    def hold(self, pressed: Mapping[Endpoint, bytes]) -> None:
        """Set what the process must release: all that these reports press; empty: nothing.

        Call it before a report that presses is sent, and after its release is confirmed.
        """
        if not self._route:
            return
        self._detect_stall()
        if pressed != self._pressed:
            self._pressed = dict(pressed)
            self._send(self._release_state())
        if pressed and not self._heartbeat and not self._closed:
            self._renew()

    def check_stall(self) -> bool:
        """Return, once per stall, whether the watchdog released input because of it."""
        self._detect_stall()
        late, self._stalled = self._stalled, False
        return late

    def has_stalled_lately(self) -> bool:
        """Return whether the watchdog may still be releasing input after a stall."""
        self._detect_stall()
        return time.monotonic() - self._stalled_at < AT_WORK_S

    def close(self) -> None:
        """End the process, which releases everything that is still pressed."""
        self._closed = True
        if self._heartbeat:
            self._heartbeat.cancel()
        if self._pipe >= 0:
            os.close(self._pipe)
            self._pipe = -1

    def _renew(self) -> None:
        self._heartbeat = None
        if self._pressed:
            self._detect_stall()
            self._write(b"\n")
            self._heartbeat = asyncio.get_running_loop().call_later(
                HEARTBEAT_INTERVAL_S, self._renew
            )

    def _detect_stall(self) -> None:
        now = time.monotonic()
        if self._pressed and now - self._last_activity > LEASE_S:
            self._note_stall(now)
        self._last_activity = now

    def _note_stall(self, now: float) -> None:
        self._stalled, self._stalled_at = True, now

    def _release_state(self) -> dict[str, Any]:
        release = [message.hex() for message in self._encode_release(self._pressed)]
        return {"down": bool(self._pressed), "release": release}

    def _send(self, facts: dict[str, Any]) -> None:
        self._write(json.dumps(facts).encode() + b"\n")

    def _write(self, line: bytes) -> None:
        """Write to the pipe; close it if that fails. The next report restarts the process."""
        if self._pipe < 0:
            return
        is_alive, written = True, 0
        try:
            written = os.write(self._pipe, line)
        except BrokenPipeError:
            is_alive = False  # it was killed and has released nothing
        except BlockingIOError:
            pass  # the pipe is full
        if written < len(line):
            os.close(self._pipe)
            self._pipe = -1
            if is_alive and self._pressed:
                self._note_stall(time.monotonic())  # it releases what it knows to be pressed


def _start() -> int:
    """Start the process; return the pipe to it."""
    read, write = os.pipe()
    try:
        subprocess.run(
            [sys.executable, "-m", "cua.kvms.watchdog_process"],
            stdin=read,
            stdout=subprocess.DEVNULL,  # else it may keep a pipe of the caller open
            cwd=ROOT,
            check=True,
        )
    except (OSError, subprocess.CalledProcessError) as error:
        os.close(write)
        message = Message("kvm.watchdog_cannot_start", reason=str(error))
        raise DeviceError(message) from error
    finally:
        os.close(read)
    os.set_blocking(write, False)
    return write
