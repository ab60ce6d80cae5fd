"""What the service takes of a KVM, seen from outside."""

from __future__ import annotations

import asyncio
import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from cua.runtime_folder import ROOT_FOLDER
from cua.web.priority import NICE, OOM_SCORE_ADJ
from tests.support.kvm_hardware import ROOT, Kvm, as_the_kvm_does
from tests.support.page_client import page
from tests.support.waiting import until


async def test_on_a_kvm_the_service_steps_back_and_the_writer_does_not(kvm: Kvm) -> None:
    with as_the_kvm_does(kvm) as process:
        async with page(kvm.origin) as person:
            await person.until("screen", state="live")
            await until(lambda: min(_priorities(process.pid)) >= NICE, 60)  # when the page has come
            await until(lambda: _oom(process.pid) == OOM_SCORE_ADJ)
            (writer,) = _children(process.pid, "cua.hid.writer")
            if os.getuid() == 0:
                assert os.getpriority(os.PRIO_PROCESS, writer) == 0
            while _may_stay() and _oom(writer) >= 0:  # it says so when it has begun
                await asyncio.sleep(0.05)


@pytest.mark.skipif(not Path("/usr/bin/systemd-analyze").exists(), reason="needs systemd")
def test_the_unit_is_one(tmp_path: Path) -> None:
    unit = tmp_path / "kvm-cua.service"
    text = (ROOT / "cua" / "cli" / "install" / "kvm-cua.service").read_text()
    unit.write_text(text.replace("/usr/bin/python3", sys.executable))
    done = subprocess.run(["systemd-analyze", "verify", unit], capture_output=True, text=True)
    assert "kvm-cua.service" not in done.stderr, done.stderr


def _may_stay() -> bool:
    """Whether this system lets a process be the last that is killed."""
    script = "from pathlib import Path; Path('/proc/self/oom_score_adj').write_text('-900')"
    return not subprocess.run([sys.executable, "-c", script], stderr=subprocess.DEVNULL).returncode


def _priorities(pid: int) -> list[int]:
    """Of each of its threads."""
    threads = [int(each.name) for each in Path(f"/proc/{pid}/task").iterdir()]
    return [os.getpriority(os.PRIO_PROCESS, each) for each in threads]


def _oom(pid: int) -> int:
    return int(Path(f"/proc/{pid}/oom_score_adj").read_text())


def _children(pid: int, name: str) -> list[int]:
    found = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return [int(p) for p in found if name in Path(f"/proc/{p}/cmdline").read_text()]


def test_pair_finds_the_code_of_the_service(tmp_path: Path) -> None:
    text = (ROOT / "cua" / "cli" / "install" / "kvm-cua.service").read_text()
    name = next(line for line in text.splitlines() if line.startswith("RuntimeDirectory="))
    assert Path("/run") / name.partition("=")[2] == ROOT_FOLDER
    environ = {**os.environ, "RUNTIME_DIRECTORY": str(tmp_path / "cua")}
    with (
        socket.create_server(("127.0.0.1", 0)) as one,
        socket.create_server(("127.0.0.1", 0)) as two,
    ):
        port, other_port = (each.getsockname()[1] for each in (one, two))
        tell = (
            "from cua.web.auth.pairing import CodeDisplay; "
            f"CodeDisplay(['http://x/'], {port}).show('123456')"
        )
        subprocess.run([sys.executable, "-c", tell], env=environ, cwd=ROOT, check=True)
        assert (tmp_path / "cua" / f"code.{port}").read_text().startswith("123456 ")
        own, other = (
            subprocess.run(
                [sys.executable, ROOT / "cua_webapp.py", "pair", "--port", str(each)],
                env=environ,
                capture_output=True,
                text=True,
            )
            for each in (port, other_port)
        )
    assert (own.returncode, own.stdout[:21]) == (0, "Pairing code: 123456 ")
    assert (other.returncode, other.stdout[-len(f"--port {port}") - 1 :]) == (1, f"--port {port}\n")
