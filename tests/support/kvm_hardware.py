"""Stand-ins for the hardware of a KVM, and the service started on them.

The environment names their paths and ports. `hid_devices_in_place` puts them where the real ones
would stand, as root on a machine that is not a KVM: FIFOs at /dev/hidg0..2, the HTTPS stream on
port 443, the service on port 5000. There is one of each, so tests that run side by side take turns.
"""

from __future__ import annotations

import asyncio
import contextlib
import fcntl
import os
import socket
import ssl
import subprocess
import sys
import tempfile
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from pathlib import Path

import trustme

from cua.hid.reports import ENDPOINTS, Endpoint
from tests.servers.kvm_web_server import KvmWeb, answering
from tests.servers.mjpeg_server import Stream, serving
from tests.servers.openai_server import OpenAIServer
from tests.support.devices import Fifos

ROOT = Path(__file__).parents[2]
DEVICES = Path("/dev")
TURN = Path(tempfile.gettempdir()) / "kvm-cua-tests.turn"


def free(port: int) -> bool:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("", port))
        except OSError:
            return False
    return True


def any_free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


@dataclass
class Kvm:
    """The hardware's stand-ins, and how the service finds them."""

    fifos: Fifos
    stream: Stream
    model: OpenAIServer
    environ: dict[str, str]
    port: int
    web: KvmWeb

    @property
    def origin(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def start(
        self, *arguments: str, environ: dict[str, str] | None = None, with_port: bool = True
    ) -> subprocess.Popen[bytes]:
        port = ("--port", str(self.port)) if with_port and self.port != 5000 else ()
        return subprocess.Popen(
            [sys.executable, ROOT / "cua_webapp.py", *arguments, *port],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**os.environ, **self.environ, **(environ or {})},
            cwd="/",
        )

    def reports(self) -> list[tuple[Endpoint, bytes]]:
        return [(endpoint, r) for endpoint in ENDPOINTS for r in self.fifos.read(endpoint)]


@contextlib.contextmanager
def hid_devices(folder: Path) -> Iterator[Fifos]:
    fifos = Fifos(folder)
    yield fifos
    fifos.close()
    for number in range(3):
        Path(f"{fifos.prefix}{number}").unlink()


@contextlib.contextmanager
def hid_devices_in_place(folder: Path) -> Iterator[Fifos]:
    with TURN.open("a") as turn:
        fcntl.flock(turn, fcntl.LOCK_EX)
        possible = os.getuid() == 0 and not list(DEVICES.glob("hidg*"))
        with hid_devices(DEVICES if possible else folder) as fifos:
            yield fifos


@contextlib.asynccontextmanager
async def kvm_box(folder: Path, fifos: Fifos) -> AsyncIterator[Kvm]:
    tls = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    trustme.CA().issue_cert("localhost").configure_cert(tls)
    stream = Stream()
    in_place = fifos.prefix == f"{DEVICES}/hidg"
    port = 443 if in_place and free(443) else 0
    async with (
        serving(stream, port, tls) as url,
        OpenAIServer(key="sk-canary") as model,
        answering(KvmWeb(trusts_loopback=True)) as web,
    ):
        environ = {
            "CUA_CONFIG": str(folder / "cua_cfg.json"),
            "CUA_API_TYPE": "openai",
            "CUA_BASE_URL": model.base_url,
            "CUA_API_KEY": "sk-canary",
            "CUA_MODEL_NAME": "scripted",
            "CUA_GRACE_SECONDS": "1",
            "CUA_GATE_READS": "false",
            "CUA_KVM_CONFIG": str(web.settings(folder)),
        }
        if not in_place:
            environ["CUA_HID_PREFIX"] = fifos.prefix
        if not url.startswith("https://localhost:443/"):
            environ["CUA_STREAM_URL"] = url
        own_port = 5000 if in_place and free(5000) else any_free_port()
        yield Kvm(fifos, stream, model, environ, own_port, web)


@contextlib.contextmanager
def as_the_kvm_does(kvm: Kvm, **more: str) -> Iterator[subprocess.Popen[bytes]]:
    """Wait for the line, close the pipe, go on: as its `start` handler does."""
    process = kvm.start("--auth", "1", environ=more)
    assert process.stdout is not None
    try:
        for line in process.stdout:
            if b"Authentication" in line:
                break
        process.stdout.close()
        yield process
    finally:
        process.kill()
        process.wait()
        assert process.stderr is not None
        process.stderr.close()


async def ended(process: subprocess.Popen[bytes], seconds: float = 20) -> int:
    return await asyncio.wait_for(asyncio.to_thread(process.wait), seconds)
