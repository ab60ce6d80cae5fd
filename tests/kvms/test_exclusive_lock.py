"""One agent per KVM, between processes of this machine."""

from __future__ import annotations

import asyncio
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path

import pytest

from cua.app.computer import ControlledComputer
from cua.app.factory import create_kvm
from cua.events.log import EventLog
from cua.kvms.address import parse_address
from cua.kvms.exclusive_lock import ExclusiveLock, InUse, lock_name
from cua.kvms.kvm import KvmConfig
from cua.kvms.registry import DEVICE
from cua.settings import Settings, SettingsFile
from cua.web.mcp.elicitation import ask
from tests.servers.nanokvm_server import NanoKvm
from tests.servers.site import running
from tests.support.kvm_hardware import ROOT, Kvm
from tests.support.page_client import page
from tests.support.service import Service

HOLD = """
import sys
from cua.app.factory import create_kvm
from cua.kvms.exclusive_lock import ExclusiveLock
lock = ExclusiveLock()
lock.acquire(sys.argv[1])
print(flush=True)
sys.stdin.read()
"""


@pytest.fixture
def holder(tmp_path: Path) -> Iterator[subprocess.Popen[bytes]]:
    command = [sys.executable, "-c", HOLD, str(tmp_path)]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, cwd=ROOT, stdin=pipe, stdout=pipe) as process:
        assert process.stdout is not None
        assert process.stdout.readline()
        yield process
        process.kill()


def test_a_second_process_is_told_who_holds_it(
    holder: subprocess.Popen[bytes], tmp_path: Path
) -> None:
    with pytest.raises(InUse, match=f"process {holder.pid}") as error:
        ExclusiveLock().acquire(str(tmp_path))
    assert error.value.process == holder.pid


def test_a_kill_frees_it(holder: subprocess.Popen[bytes], tmp_path: Path) -> None:
    holder.kill()
    holder.wait()
    lock = ExclusiveLock()
    lock.acquire(str(tmp_path))
    lock.acquire(str(tmp_path))  # again, by the same agent
    with pytest.raises(InUse, match=f"process {os.getpid()}"):
        ExclusiveLock().acquire(str(tmp_path))
    lock.release()
    ExclusiveLock().acquire(str(tmp_path))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("pikvm://admin@10.0.0.5", "pikvm+http://10.0.0.5"),
        ("nanokvm://10.0.0.5", "nanokvm+https://root@10.0.0.5"),
        ("vnc://box:5901", "vnc://me@BOX:5901"),
    ],
)
def test_addresses_of_one_kvm_have_one_name(one: str, other: str) -> None:
    assert lock_name(parse_address(one)) == lock_name(parse_address(other))


def test_kvms_have_names_of_their_own() -> None:
    addresses = ["vnc://box:5901", "vnc://box:5902", "pikvm://box", "usb://", "usb:///dev/ttyUSB1"]
    configs = [*map(parse_address, addresses), KvmConfig(DEVICE, hid_prefix="/dev/hidg")]
    assert len({lock_name(each) for each in configs}) == len(configs)


@pytest.mark.parametrize(
    ("address", "acts", "is_refused"),
    [
        ("pikvm://kvm.invalid", True, True),
        ("pikvm://kvm.invalid", False, False),
        ("jetkvm://kvm.invalid", False, True),  # its connection would end the agent's
    ],
)
async def test_a_command_that_would_disturb_an_agent_is_refused(
    address: str, acts: bool, is_refused: bool
) -> None:
    agent = ExclusiveLock()
    agent.acquire(lock_name(parse_address(address)))
    try:
        with pytest.raises(InUse) if is_refused else nullcontext():
            create_kvm(Settings(kvm=address), lambda *_: None, acts=acts)
    finally:
        agent.release()


def is_free(address: str) -> bool:
    lock = ExclusiveLock()
    try:
        lock.acquire(lock_name(parse_address(address)))
    except InUse:
        return False
    finally:
        lock.release()
    return True


async def test_a_service_holds_the_kvm_only_while_it_works(service: Service) -> None:
    enter = {"kind": "keypress", "keys": ["ENTER"]}
    async with running(NanoKvm().app()) as place, page(service.origin) as person:
        address = f"nanokvm://{place}"
        login = {"kvm": address, "kvm_password": "correct horse"}
        await person.post("/api/settings", take_over=True, **login)
        assert is_free(address)
        service.model.script = [{"fault": "silent"}]
        await person.post("/api/send", text="go")
        assert not is_free(address)
        assert (await person.post("/api/take-over")).status_code == 200
        assert (await person.post("/api/manual-action", action=enter)).status_code == 200
        assert not is_free(address), "the task is not at its end"
        await person.post("/api/reset")
        assert is_free(address)
        assert (await person.post("/api/manual-action", action=enter)).status_code == 200
        assert is_free(address)
        turn = (await person.post("/api/paste/begin")).json()["turn"]
        assert (await person.post("/api/paste", text="a\u4e00", turn=turn)).json()["missing"]
        assert is_free(address), "the person may cancel"
        await person.post("/api/settings", api_type="dashscope", base_url="")
        assert "API key is missing" in (await person.post("/api/send", text="go")).text
        assert is_free(address), "no task was begun"
        await person.post("/api/settings", api_type="openai", base_url=service.model.base_url)
        service.model.script = [{"text": "Done"}] * 2
        await person.post("/api/send", text="go")
        await person.until("status", status="done")
        assert is_free(address)
        service.machine.grant_external_access(ask)
        await service.machine.reset()
        assert not is_free(address), "an MCP client may act at any time"


@pytest.mark.parametrize("kind", ["pikvm", "jetkvm"])
async def test_a_kvm_for_one_connection_is_held_until_it_is_closed(kind: str) -> None:
    address = f"{kind}://kvm.invalid"
    computer = ControlledComputer(SettingsFile(None, {}, kvm=address), EventLog(), print, print)
    computer.lock_kvm()
    computer.unlock_kvm()
    assert is_free(address) is (kind == "pikvm")
    await computer.close()
    assert is_free(address)


async def test_a_second_run_on_a_kvm_is_refused(kvm: Kvm) -> None:
    kvm.model.script = [{"fault": "silent", "repeat": True}]
    first = kvm.start("run", "wait", with_port=False)
    while not kvm.model.calls:
        await asyncio.sleep(0.05)
    second = kvm.start("run", "do it", with_port=False)
    _, words = await asyncio.to_thread(second.communicate, timeout=60)
    assert second.returncode == 2
    assert re.search(rf"Another agent of this machine \(process {first.pid}\)", words.decode())
    first.kill()
    await asyncio.to_thread(first.communicate)
    kvm.model.script = [{"text": "Done"}]
    third = kvm.start("run", "do it", with_port=False)
    out, _ = await asyncio.to_thread(third.communicate, timeout=60)
    assert third.returncode == 0, out
