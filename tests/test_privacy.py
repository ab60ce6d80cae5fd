"""Traces of system calls: the program connects nowhere but to what it was told to."""

from __future__ import annotations

import asyncio
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from cua.cli.install.installation import IMPORTS
from tests.models import HTTP_KINDS, server
from tests.support.kvm_hardware import ROOT

STRACE = ("strace", "-f", "--seccomp-bpf", "-e", "trace=connect,sendto,sendmsg,sendmmsg")
PEER = re.compile(
    r'htons\((\d+)\).*?(?:inet_addr\(|inet_pton\(AF_INET6, )"(?:::ffff:)?([^"]+)"', re.ASCII
)
DNS_PORT = "53"
REQUEST = """
import asyncio, sys
from cua.events.log import EventLog
from cua.models.registry import create
from cua.types import Frame, ChatMessage
async def main(api_type, url):
    model = create(api_type, base_url=url, api_key="key", model_name="scripted", log=EventLog())
    frame = Frame(b"a picture", 1280, 720, 1, 0.0)
    await model.complete([ChatMessage("user", ("Look.", frame))])
    await model.aclose()
asyncio.run(main(*sys.argv[1:]))
"""


def _why_no_trace() -> str:
    """Why nothing can be traced here, or ""."""
    if not shutil.which("strace"):
        return "strace is not installed (apt-get install strace)"
    tried = subprocess.run([*STRACE, "true"], capture_output=True, text=True)
    return f"strace cannot trace here: {tried.stderr[-200:]}" if tried.returncode else ""


REASON = _why_no_trace()
pytestmark = pytest.mark.skipif(bool(REASON), reason=REASON)


def find_leaks(home: Path, *arguments: str) -> set[str]:
    """Run our Python with `home` as the home folder. Returns `address:port` of each foreign peer
    and of each name server, wherever it is, and the files that were left in `home`.
    """
    log = home.parent / "strace.txt"
    done = subprocess.run(
        [*STRACE, "-o", str(log), sys.executable, *arguments],
        env={**os.environ, "HOME": str(home), "TMPDIR": str(home.parent)},
        cwd=ROOT,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    peers = PEER.findall(log.read_text("utf-8", "replace"))
    assert peers, "even the program's own connections were not traced"
    foreign = {
        f"{address}:{port}"
        for port, address in peers
        if port == DNS_PORT or not address.startswith(("127.", "::1"))
    }
    return foreign | {str(path) for path in home.rglob("*") if path.is_file()}


@pytest.fixture
def home(tmp_path: Path) -> Path:
    made = tmp_path / "home"
    made.mkdir()
    return made


@pytest.mark.parametrize(
    "command", [("run", "--demo", "open the terminal"), ("mcp", "--demo")], ids=" ".join
)
def test_a_demo_reaches_only_this_machine_and_writes_nothing_at_home(
    command: tuple[str, ...], home: Path
) -> None:
    assert find_leaks(home, "cua_webapp.py", *command) == set()


@pytest.mark.parametrize("check", IMPORTS.values(), ids=IMPORTS)
def test_the_check_of_installed_packages_writes_nothing_at_home(check: str, home: Path) -> None:
    environ = {**os.environ, "HOME": str(home)}
    subprocess.run([sys.executable, "-c", check], cwd=ROOT, env=environ, check=True)
    assert [path for path in home.rglob("*") if path.is_file()] == []


@pytest.mark.parametrize("kind", HTTP_KINDS)
async def test_a_model_client_reaches_only_the_server_of_the_model(kind: str, home: Path) -> None:
    async with server(kind, {"text": "Done"}, key="key") as model:
        assert (
            await asyncio.to_thread(find_leaks, home, "-c", REQUEST, kind, model.base_url) == set()
        )
    assert len(model.calls) == 1
