"""A package index with few packages, and a program that needs nothing else.

`everything` is a wheel of a few kilobytes that leads to the packages of the Python that runs the
tests: so a first start is done with a real pip and the real program, in seconds and without a
network.
"""

from __future__ import annotations

import base64
import hashlib
import io
import shutil
import site
import threading
import zipfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from cua.cli.install.bundle import PARTS
from cua.cli.install.package_folders import PACKAGES
from tests.support.kvm_hardware import ROOT

WHEEL = "everything-1.0-py3-none-any.whl"

STUB = f"""
import importlib, os, sys
here = os.path.dirname(os.path.dirname(__file__))
sys.path[:] = [{site.getsitepackages()[0]!r} if each == here else each for each in sys.path]
del sys.modules[__name__]
sys.modules["dashscope"] = sys  # its import takes as long as all others, and no test needs it
importlib.import_module(__name__)
"""
"""A module that makes way for the real one."""


def wheel(
    ballast: bytes = b"", modules: Iterable[str] = PACKAGES, name: str = "everything"
) -> bytes:
    """A wheel, the same bytes each time."""
    info = f"{name}-1.0.dist-info"
    files = {
        f"{name}.bin": ballast,
        **{f"{module}/__init__.py": STUB.encode() for module in modules},
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n".encode(),
        f"{info}/WHEEL": b"Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    record = [f"{path},sha256={_digest(body)},{len(body)}" for path, body in files.items()]
    files[f"{info}/RECORD"] = "\n".join([*record, f"{info}/RECORD,,"]).encode()
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for path, body in files.items():
            archive.writestr(zipfile.ZipInfo(path), body)
    return packed.getvalue()


def name_of(body: bytes) -> str:
    """What the package of a wheel is called."""
    with zipfile.ZipFile(io.BytesIO(body)) as archive:
        return archive.namelist()[0].removesuffix(".bin")


def lock(body: bytes, disk: int = 100_000, extra: str = "") -> str:
    """The entry of a wheel, which the service needs or one of its extras."""
    sha = hashlib.sha256(body).hexdigest()
    about = f"# {len(body)} {disk} {extra}".rstrip()
    return f"{about}\n{name_of(body)}==1.0 \\\n    --hash=sha256:{sha}\n"


def program(folder: Path, body: bytes, disk: int = 100_000) -> Path:
    """A copy of this program that needs nothing but `everything`."""
    place = folder / "kvmapp" / "cua"
    place.mkdir(parents=True)
    for part in PARTS:
        if (ROOT / part).is_dir():
            # With what is compiled, but for files that are being written at this moment.
            shutil.copytree(ROOT / part, place / part, ignore=shutil.ignore_patterns("*.pyc.*"))
        else:
            shutil.copy(ROOT / part, place / part)
    (place / "cua" / "cli" / "install" / "lock.txt").write_text(lock(body, disk))
    only_pip(place).mkdir()
    (only_pip(place) / "pip").symlink_to(Path(site.getsitepackages()[0]) / "pip")
    return place


def only_pip(place: Path) -> Path:
    """An installed pip for PYTHONPATH, which starts faster than one out of its wheel."""
    return place.parent / "pip"


def site_without(folder: Path, *names: str) -> Path:
    """The packages of the Python that runs the tests, but for these; for PYTHONPATH."""
    place = folder / "site"
    place.mkdir()
    for each in Path(site.getsitepackages()[0]).iterdir():
        if each.name.partition("-")[0] not in names:
            (place / each.name).symlink_to(each)
    return place


class Index(ThreadingHTTPServer):
    """`halt`: stop in the middle of a wheel until it is set; `served` counts whole wheels."""

    daemon_threads = True

    def __init__(self, *bodies: bytes, halting: bool = False) -> None:
        super().__init__(("127.0.0.1", 0), _Visit)
        self.wheels = {f"{name_of(body)}-1.0-py3-none-any.whl": body for body in bodies}
        self.served = 0
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
def index(*bodies: bytes, halting: bool = False) -> Iterator[Index]:
    with Index(*bodies, halting=halting) as server:
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
        if self.path.startswith("/simple/"):
            links = (f'<a href="/{name}">{name}</a>' for name in self.server.wheels)
            self._answer("text/html", "".join(links).encode())
        elif body := self.server.wheels.get(self.path[1:]):
            self._answer("application/octet-stream", body)
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
