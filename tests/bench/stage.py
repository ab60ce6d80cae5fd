"""The processes around a benchmark: camera, USB host and the service."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, NamedTuple

import httpx2

from cua.events.log import EventLog
from cua.hid.reports import LENGTHS, Endpoint
from cua.screen.http_stream import mjpeg
from cua.screen.video_screen import VideoScreen
from tests.support.kvm_hardware import ROOT, any_free_port

ENDPOINTS = tuple(LENGTHS)


@contextlib.contextmanager
def program(
    *command: str | Path, stderr: IO[str] | None = None, **more: str
) -> Iterator[subprocess.Popen[str]]:
    """Runs while the block runs, with `more` in its environment."""
    process = subprocess.Popen(
        [sys.executable, *command],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=stderr,
        env={**os.environ, **more},
        cwd=ROOT,
        text=True,
    )
    try:
        yield process
    finally:
        process.terminate()
        try:
            process.communicate(timeout=10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()


def line(process: subprocess.Popen[str]) -> str:
    """The next line that a program says. Raises `RuntimeError` if it ends instead."""
    assert process.stdout is not None
    said = process.stdout.readline()
    if not said:
        raise RuntimeError(f"{process.args!r} ended")
    return said.strip()


@contextlib.contextmanager
def camera(*arguments: str) -> Iterator[str]:
    """The address of a stream."""
    with program("-m", "tests.bench.camera", *arguments) as process:
        yield line(process)


class Report(NamedTuple):
    endpoint: Endpoint
    data: bytes
    at: float


@dataclass
class UsbHost:
    prefix: str
    process: subprocess.Popen[str]

    def reports(self) -> list[Report]:
        """The reports since the last call."""
        assert self.process.stdin is not None
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        rows = json.loads(line(self.process))
        return [Report(ENDPOINTS[number], bytes.fromhex(data), at) for number, data, at in rows]


@contextlib.contextmanager
def usb_host(folder: Path) -> Iterator[UsbHost]:
    prefix = str(folder / "hidg")
    with program("-m", "tests.bench.usb_host", prefix) as process:
        line(process)
        yield UsbHost(prefix, process)


@contextlib.asynccontextmanager
async def reading(url: str) -> AsyncIterator[VideoScreen]:
    """The persistent reader, with a second of frames behind it."""
    screen = VideoScreen(mjpeg(url), EventLog())
    task = asyncio.create_task(screen.run())
    try:
        await asyncio.wait_for(screen.after(30), 30)
        yield screen
    finally:
        task.cancel()
        await asyncio.wait([task])


@dataclass
class Service:
    origin: str
    process: subprocess.Popen[str]

    @property
    def pid(self) -> int:
        return self.process.pid


def settings(folder: Path, stream: str, model: str = "http://127.0.0.1:8999") -> dict[str, str]:
    """The environment in which the service runs on the stand-ins."""
    return {
        "CUA_CONFIG": str(folder / "cua_cfg.json"),
        "CUA_API_TYPE": "openai",
        "CUA_BASE_URL": model,
        "CUA_API_KEY": "none",
        "CUA_MODEL_NAME": "scripted",
        "CUA_DIALECT": "kvm",
        "CUA_HID_PREFIX": str(folder / "hidg"),
        "CUA_STREAM_URL": stream,
        "CUA_NOTICE_ACKNOWLEDGED": "1",
        "CUA_MAX_ROUNDS": "1000",
        "CUA_GATE_READS": "false",  # a KVM has no packages for that
    }


async def until_ready(origin: str) -> None:
    """Until all is imported: the service itself answers what is not a file of the page."""
    async with httpx2.AsyncClient(trust_env=False, timeout=60) as client:
        await client.get(f"{origin}/none")


@contextlib.contextmanager
def service(
    environ: dict[str, str], *flags: str, stderr: IO[str] | None = None
) -> Iterator[Service]:
    port = any_free_port()
    command: tuple[str | Path, ...] = (*flags, ROOT / "cua_webapp.py", "--port", str(port))
    with program(*command, stderr=stderr, **environ) as process:
        while "Authentication" not in line(process):
            pass
        yield Service(f"http://127.0.0.1:{port}", process)
