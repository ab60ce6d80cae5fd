"""A package index with one package, and a program that needs nothing else.

`everything` is a wheel of a few hundred bytes that leads to the packages of the Python that runs
the tests: so a first start is done with a real environment, a real pip and the real program, in
seconds and without a network.
"""

from __future__ import annotations

import base64
import hashlib
import io
import shutil
import site
import threading
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from cua.install.bundle import PARTS
from tests.kvm_box import ROOT

WHEEL = "everything-1.0-py3-none-any.whl"
INFO = "everything-1.0.dist-info"


def wheel(ballast: bytes = b"") -> bytes:
    """A wheel, the same bytes each time."""
    files = {
        "everything.pth": site.getsitepackages()[0].encode(),
        "everything.bin": ballast,
        f"{INFO}/METADATA": b"Metadata-Version: 2.1\nName: everything\nVersion: 1.0\n",
        f"{INFO}/WHEEL": b"Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    record = [f"{name},sha256={_digest(body)},{len(body)}" for name, body in files.items()]
    files[f"{INFO}/RECORD"] = "\n".join([*record, f"{INFO}/RECORD,,"]).encode()
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name, body in files.items():
            archive.writestr(zipfile.ZipInfo(name), body)
    return packed.getvalue()


def lock(body: bytes, disk: int = 100_000) -> str:
    sha = hashlib.sha256(body).hexdigest()
    return f"# {len(body)} {disk}\neverything==1.0 \\\n    --hash=sha256:{sha}\n"


def program(folder: Path, body: bytes, disk: int = 100_000) -> Path:
    """A copy of this program that needs nothing but `everything`."""
    place = folder / "kvmapp" / "cua"
    place.mkdir(parents=True)
    for part in PARTS:
        if (ROOT / part).is_dir():
            shutil.copytree(ROOT / part, place / part, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(ROOT / part, place / part)
    (place / "cua" / "install" / "lock.txt").write_text(lock(body, disk))
    return place


class Index(ThreadingHTTPServer):
    """`halt`: stop in the middle of the wheel until it is set; `served` counts whole wheels."""

    daemon_threads = True

    def __init__(self, body: bytes, *, halting: bool = False) -> None:
        super().__init__(("127.0.0.1", 0), _Visit)
        self.body, self.served = body, 0
        self.halted, self.halt = threading.Event(), threading.Event()
        if not halting:
            self.halt.set()

    @property
    def environ(self) -> dict[str, str]:
        """With which a pip knows this index and no other."""
        return alone(f"http://127.0.0.1:{self.server_address[1]}/simple")


def alone(url: str) -> dict[str, str]:
    """A pip that knows this index and no other."""
    return {
        "PIP_CONFIG_FILE": "/dev/null",
        "PIP_INDEX_URL": url,
        "PIP_EXTRA_INDEX_URL": "",
        "PIP_FIND_LINKS": "",
        "PIP_RETRIES": "1",
        "PIP_DEFAULT_TIMEOUT": "60",
        "no_proxy": "127.0.0.1",
    }


@contextmanager
def index(body: bytes, *, halting: bool = False) -> Iterator[Index]:
    with Index(body, halting=halting) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
        thread.start()
        try:
            yield server
        finally:
            server.halt.set()
            server.shutdown()
            thread.join()


class _Visit(BaseHTTPRequestHandler):
    server: Index

    def do_GET(self) -> None:
        if self.path == "/simple/everything/":
            self._answer("text/html", f'<a href="/{WHEEL}">{WHEEL}</a>'.encode())
        elif self.path == f"/{WHEEL}" and self.server.body:
            self._answer("application/octet-stream", self.server.body)
            self.server.served += 1
        else:
            self.send_error(404)

    def _answer(self, kind: str, body: bytes) -> None:
        self.send_response(200)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        half = len(body) // 2 if kind.startswith("application") else 0
        self.wfile.write(body[:half])
        self.wfile.flush()
        if half:
            self.server.halted.set()
            self.server.halt.wait(60)
        self.wfile.write(body[half:])

    def log_message(self, format: str, *args: object) -> None:
        pass


def _digest(body: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(body).digest()).rstrip(b"=").decode()
