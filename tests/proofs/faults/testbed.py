"""One service as a process of its own, with everything around it controlled by the test."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractContextManager, asynccontextmanager
from pathlib import Path
from typing import Any

from websockets.exceptions import WebSocketException

from tests.servers.relay import Relay, relaying
from tests.support.devices import Fifos
from tests.support.kvm_hardware import ROOT, Kvm, kvm_box
from tests.support.page_client import Page, Refused, enter

from .stand_ins import Hid, Model

Event = dict[str, Any]
SERVICE = "tests.proofs.faults.service"
FRAMES_PER_S = 8
START_TIMEOUT_S = 180.0
ENDED = ("done", "failed", "paused", "asking", "stopped")


class Testbed:
    def __init__(self, folder: Path, kvm: Kvm, relay: Relay) -> None:
        self.folder, self.kvm, self.relay = folder, kvm, relay
        self.model, self.hid = Model(), Hid(folder, kvm.fifos)
        self.clock, self.receiver = folder / "clock", folder / "receiver"
        """How many seconds its clock is wrong, and the frames per second of its HDMI receiver."""
        self.more = {"CLOCK": str(self.clock), "RECEIVER": str(self.receiver)}
        """Environment variables of the service."""
        self.guests: list[Page] = []
        self._pages: list[Page] = []
        self._process: subprocess.Popen[bytes] | None = None
        kvm.model.script = self.model
        kvm.stream.fps = FRAMES_PER_S
        self.clock.write_text("0")
        self.receiver.write_text("60")

    @property
    def page(self) -> Page:
        """The one that holds the session."""
        return self._pages[-1]

    @property
    def origin(self) -> str:
        return f"http://127.0.0.1:{self.relay.port}"

    @property
    def pid(self) -> int:
        assert self._process is not None
        return self._process.pid

    @property
    def alive(self) -> bool:
        return self._process is not None and self._process.poll() is None

    @property
    def stderr(self) -> str:
        """What the service wrote to its standard error."""
        return (self.folder / "stderr.txt").read_text("utf-8", "replace")

    async def start(self) -> None:
        """The service, and a page that holds it."""
        self._process = self._service()
        await self.open_page()

    def _service(self) -> subprocess.Popen[bytes]:
        with (self.folder / "stderr.txt").open("ab") as errors:
            return subprocess.Popen(
                [sys.executable, "-m", SERVICE, "--port", str(self.kvm.port)],
                stdout=subprocess.DEVNULL,
                stderr=errors,
                env={**os.environ, **self.kvm.environ, **SETTINGS, **self.more},
                cwd=ROOT,
            )

    async def open_page(self) -> None:
        """Come in, as after a reload: until the service answers."""
        deadline = time.monotonic() + START_TIMEOUT_S
        token = self.page.token if self._pages else ""
        while True:
            try:
                self._pages.append(await enter(self.origin, token, take_over=True))
                break
            except (OSError, WebSocketException, Refused):
                if time.monotonic() > deadline:
                    raise
                await asyncio.sleep(0.1)
        await self.page.find(_screen_is_live, START_TIMEOUT_S)

    async def leave(self) -> None:
        for each in (*self._pages, *self.guests):
            with contextlib.suppress(Exception):
                await asyncio.wait_for(each.close(), 5)
        self.guests.clear()
        del self._pages[:-1]

    async def end(self, how: signal.Signals = signal.SIGTERM) -> None:
        if self._process is None:
            return
        self._process.send_signal(how)
        try:
            await asyncio.wait_for(asyncio.to_thread(self._process.wait), 20)
        except asyncio.TimeoutError:
            self._process.kill()
            await asyncio.to_thread(self._process.wait)

    async def end_all(self) -> None:
        """Whatever state the fault has left it in."""
        self.relay.stalled = False
        await self.leave()
        if self.alive:
            os.kill(self.pid, signal.SIGCONT)
        await self.end(signal.SIGKILL)

    def writers(self) -> list[int]:
        """The processes that hold the keyboard."""
        return [pid for pid in _children(self.pid) if b"tests.usb.paced" in _command(pid)]


def _screen_is_live(event: Event) -> bool:
    data = event["data"]
    screen = {"screen": data, "session_started": data.get("screen", {})}.get(event["kind"], {})
    return bool(screen.get("state") == "live")


SETTINGS = {
    "CUA_NOTICE_ACKNOWLEDGED": "1",
    "CUA_GRACE_SECONDS": "60",
    "CUA_PACE": "careful",
    "CUA_DIALECT": "openai_computer",
    "CUA_GATE_READS": "false",
    "PYTHONFAULTHANDLER": "1",
}


@asynccontextmanager
async def open_testbed(
    folder: Path, setup: Callable[[Testbed], AbstractContextManager[None]]
) -> AsyncIterator[Testbed]:
    """`setup` is entered before the service starts."""
    fifos = Fifos(folder, one_slot=True)
    async with kvm_box(folder, fifos) as kvm, relaying(f"127.0.0.1:{kvm.port}") as relay:
        testbed = Testbed(folder, kvm, relay)
        reading = asyncio.create_task(testbed.hid.run())
        try:
            with setup(testbed):
                try:
                    await testbed.start()
                    yield testbed
                finally:
                    await testbed.end_all()
        finally:
            reading.cancel()
            await asyncio.wait([reading])
            testbed.hid.fifos.close()


def _children(pid: int) -> Sequence[int]:
    with contextlib.suppress(OSError):
        tasks = Path(f"/proc/{pid}/task")
        return [
            int(child)
            for each in tasks.iterdir()
            for child in (each / "children").read_text("ascii").split()
        ]
    return []


def _command(pid: int) -> bytes:
    with contextlib.suppress(OSError):
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    return b""
