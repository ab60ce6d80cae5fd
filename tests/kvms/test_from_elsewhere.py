"""The whole program as a process on a machine that is no KVM, working through one elsewhere."""

from __future__ import annotations

import asyncio
import json
import os
import stat
import sys
from pathlib import Path

import pytest

from tests.servers.nanokvm_server import nanokvm_pro
from tests.servers.openai_server import OpenAIServer
from tests.servers.pikvm_server import PiKvm
from tests.servers.site import running, self_signed
from tests.support.devices import interpret
from tests.support.kvm_hardware import ROOT

pytestmark = pytest.mark.filterwarnings(
    "ignore:.*_SSLProtocolTransport.__del__:pytest.PytestUnraisableExceptionWarning"
)


async def run(folder: Path, model: OpenAIServer, *arguments: str) -> tuple[int, str]:
    """Its exit code and all that it said."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, str(ROOT / "cua_webapp.py"), "run", *arguments),
        env={
            **os.environ,
            "CUA_CONFIG": str(folder / "settings.json"),
            "CUA_API_TYPE": "openai",
            "CUA_BASE_URL": model.base_url,
            "CUA_MODEL_NAME": "scripted",
            "CUA_DIALECT": "kvm",
            "CUA_KVM_PASSWORD": "correct horse",
        },
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    out, _ = await process.communicate()
    assert process.returncode is not None
    return process.returncode, out.decode()


async def test_a_task_by_the_command_line(tmp_path: Path) -> None:
    kvm, settings = nanokvm_pro(), tmp_path / "settings.json"
    async with OpenAIServer() as model:
        async with running(kvm.app(), self_signed(tmp_path / "a")) as place:
            address = f"nanokvm-pro://admin@{place}"
            model.script = [{"text": "mouse 0.25 0.75 1\ntypestr Hi"}, *[{"text": "Done"}] * 2]
            code, said = await run(tmp_path, model, "type Hi", "--kvm", address)
            assert code == 0, said
            assert interpret(kvm.written).text == "Hi"
            assert interpret(kvm.written).down == []
            assert "correct horse" not in said
        stored = json.loads(settings.read_text())
        assert stored["kvm_certificate"].count(":") == 31
        assert "kvm_password" not in stored, "what the environment says is not written down"
        assert stat.S_IMODE(settings.stat().st_mode) == 0o600
        port = int(place.rpartition(":")[2])
        tries = kvm.tries
        async with running(kvm.app(), self_signed(tmp_path / "b"), port):
            code, said = await run(tmp_path, model, "type Hi", "--kvm", address)
            assert code == 1
            assert "has changed" in said
            assert kvm.tries == tries


async def test_an_invalid_kvm_address_ends_at_once(tmp_path: Path) -> None:
    async with OpenAIServer() as model:
        code, said = await run(tmp_path, model, "x", "--kvm", "ftp://10.0.0.5")
        assert code == 2
        assert "Use one of" in said


async def test_a_refused_login_keeps_a_task_from_starting(tmp_path: Path) -> None:
    kvm = PiKvm(account=("admin", "another"))
    async with OpenAIServer() as model, running(kvm.app(), self_signed(tmp_path / "a")) as place:
        code, said = await run(tmp_path, model, "type Hi", "--kvm", f"pikvm://admin@{place}")
    assert (code, kvm.tries, model.requests) == (2, 1, [])
    assert said.splitlines()[-1].startswith("PiKVM"), said
    assert "No action" not in said
