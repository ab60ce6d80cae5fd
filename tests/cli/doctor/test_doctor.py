"""Every usual fault is brought about for real, and has to be found with its fix."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import trustme

from cua.app import factory
from cua.cli.doctor import hardware, machine, model_server, video
from cua.cli.doctor.finding import Finding, format_finding
from cua.cli.install.package_folders import PACKAGES
from cua.cli.options import create_command_line
from cua.events.log import EventLog
from cua.kvms.exclusive_lock import ExclusiveLock
from cua.screen.http_stream import mjpeg
from cua.settings import RECOMMENDED_SCREEN, ReadOnlySettingsFile, Settings
from tests.cli.install.test_install import BARE
from tests.cli.test_commands import heeding
from tests.servers.http import Call, Server
from tests.servers.mjpeg_server import Stream, picture, serving
from tests.servers.openai_server import OpenAIServer
from tests.servers.pikvm_server import PiKvm
from tests.servers.site import running
from tests.support.kvm_hardware import ROOT, Kvm


async def doctor(kvm: Kvm, *before: str, **environ: str) -> dict[str, dict[str, Any]]:
    """What the command finds, by name."""
    command = (sys.executable, str(ROOT / "cua_webapp.py"), *before, "doctor", "--json")
    process = await asyncio.create_subprocess_exec(
        *(*command, "--port", str(kvm.port)),
        stdout=subprocess.PIPE,
        env={**os.environ, **kvm.environ, **environ},
    )
    out, _ = await process.communicate()
    found = {each["what"]: each for each in json.loads(out)}
    assert process.returncode == int(any(f["state"] == "fault" for f in found.values()))
    return found


def _file(kvm: Kvm) -> Path:
    return Path(kvm.environ["CUA_CONFIG"])


async def test_a_kvm_on_which_all_is_well(kvm: Kvm) -> None:
    kvm.model.script = [{"text": "Done"}, {"text": "Done"}]
    found = await doctor(kvm, CUA_IMG_KEEP_N="10")
    for what in ("Python", "packages", "port", "keyboard", "video stream", "model", "long tasks"):
        assert found[what]["state"] == "ok", found[what]
        assert found[what]["fix"] == ""
    assert "1280x720" in found["video stream"]["seen"]
    assert [each["images"] for each in kvm.model.requests] == [1, 10]
    assert found["long tasks"]["seen"].startswith("10 screenshots of ")
    assert "sk-canary" not in json.dumps(found)


async def test_a_kvm_of_one_session_is_left_to_the_agent_that_uses_it(kvm: Kvm) -> None:
    agent = ExclusiveLock()
    agent.acquire("kvm.invalid")
    found = await doctor(kvm, CUA_KVM="jetkvm://kvm.invalid")
    agent.release()
    assert found["KVM"]["state"] == "care"
    assert f"process {os.getpid()}" in found["KVM"]["seen"]
    assert "video stream" not in found


async def minded(
    address: str, keep: int = 1, timeout_s: float = model_server.LIST_TIMEOUT_S
) -> list[Finding]:
    """What is found of the model `scripted` there."""
    values = Settings(
        api_type="openai", base_url=address, api_key="sk-canary", model_name="scripted"
    )
    subject = factory.make_subject(values, RECOMMENDED_SCREEN, EventLog())
    return [each async for each in model_server.examine(subject, keep, timeout_s)]


@pytest.mark.parametrize(
    ("reply", "words"),
    [
        ({"status": 401, "body": {"error": {"message": "Incorrect API key"}}}, "API key is wrong"),
        ({"status": 404, "body": "Not Found"}, "Correct the base URL"),
        (
            {"status": 404, "body": {"error": {"message": "The model `x` does not exist."}}},
            "No model `scripted` on this server",
        ),
        (
            {"status": 400, "body": {"error": {"message": "x is not a multimodal model"}}},
            "choose a vision model",
        ),
    ],
)
async def test_faults_of_the_model_and_its_server(reply: dict[str, Any], words: str) -> None:
    async with OpenAIServer([{**reply, "repeat": True}]) as server:
        found = await minded(server.base_url)
    assert [(each.what, each.state) for each in found[1:]] == [("model", "fault")]
    assert words in found[-1].seen


async def test_a_model_that_is_not_chosen_has_its_remedy() -> None:
    subject = factory.make_subject(Settings(), RECOMMENDED_SCREEN, EventLog())
    found = [each async for each in model_server.examine(subject, 1)]
    assert [(each.what, each.state) for each in found] == [("model", "fault")]
    assert "CUA_MODEL_NAME" in found[0].fix


@pytest.mark.parametrize(
    ("message", "words"),
    [
        ("At most 1 image(s) may be provided in one prompt.", "at most one image"),
        ("This model's maximum context length is 4096 tokens.", "longer context"),
    ],
)
async def test_what_only_a_long_task_would_meet(message: str, words: str) -> None:
    too_much = {"status": 400, "body": {"error": {"message": message}}}
    async with OpenAIServer([{"text": "Done"}, {**too_much, "repeat": True}]) as server:
        *_, model, long_tasks = await minded(server.base_url, keep=3)
    assert [each["images"] for each in server.requests][:2] == [1, 3]
    assert (model.what, model.state) == ("model", "ok")
    assert (long_tasks.what, long_tasks.state) == ("long tasks", "fault")
    assert words in long_tasks.seen
    assert long_tasks.fix.startswith("Set ")


async def test_no_stream_and_no_server(kvm: Kvm) -> None:
    async with OpenAIServer() as gone:
        address = gone.base_url
    _file(kvm).write_text("{1")
    found = await doctor(
        kvm, CUA_BASE_URL=address, CUA_STREAM_URL="http://127.0.0.1:9/api/stream/mjpeg"
    )
    assert "cannot be read" in found["video stream"]["seen"]
    assert found["video stream"]["fix"]
    assert "Cannot connect" in found["model"]["seen"]
    assert "could not be understood" in found["settings"]["seen"]
    assert _file(kvm).read_text() == "{1"


async def test_a_machine_that_is_no_kvm_is_said_once(kvm: Kvm) -> None:
    kvm.model.script = [{"text": "Done", "repeat": True}]
    nowhere = {"CUA_HID_PREFIX": "/nowhere/hidg", "CUA_STREAM_URL": "http://127.0.0.1:9/x"}
    found = await doctor(kvm, **nowhere)
    assert found["USB devices"]["state"] == "fault"
    assert "video stream" not in found
    advised = found["USB devices"]["fix"].partition("cua_webapp.py ")[2]
    assert create_command_line().parse_args(advised.split()).demo


async def test_a_name_that_the_server_has_not() -> None:
    async with OpenAIServer(lambda _: {"text": "Done"}, models=("other",)) as server:
        listed, *_ = await minded(server.base_url)
    assert (listed.state, listed.seen) == ("care", "offers other")
    assert listed.fix == "“scripted” is not among them: choose one of these in Settings."


async def test_a_web_page_is_no_list_of_models() -> None:
    class Page(Server):
        async def answer(self, call: Call) -> None:
            await call.send(200, "<html>It works!</html>", {"content-type": "text/html"})

    async with Page() as page:
        listed, *_ = await minded(f"{page.url}/v1")
    assert "has no list of models: The server's reply is not valid JSON" in listed.seen


async def test_a_server_that_says_nothing_is_waited_for_a_little() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        address = f"http://127.0.0.1:{silent.getsockname()[1]}/v1"
        (only,) = await minded(address, timeout_s=0.1)
    assert only.state == "fault"
    assert "did not answer" in only.seen


async def interrupted(kvm: Kvm, *form: str) -> bytes:
    """What it has said after a Ctrl-C while the model's server says nothing."""
    with socket.create_server(("127.0.0.1", 0)) as silent:
        silent.setblocking(False)
        address = f"http://127.0.0.1:{silent.getsockname()[1]}/v1"
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, str(ROOT / "cua_webapp.py"), "doctor", *form),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**os.environ, **kvm.environ, "CUA_BASE_URL": address},
            preexec_fn=heeding,
        )
        assert process.stdout is not None
        while not form and (line := await process.stdout.readline()):
            if b"video stream" in line:  # each finding is said while the next is looked at
                break
        connection, _ = await asyncio.get_running_loop().sock_accept(silent)
        process.send_signal(signal.SIGINT)
        out, error = await process.communicate()
        connection.close()
    assert (process.returncode, error) == (130, b"Interrupted.\n")
    return out


async def test_ctrl_c_leaves_what_was_found(kvm: Kvm) -> None:
    _, out = await asyncio.gather(interrupted(kvm), interrupted(kvm, "--json"))
    assert "video stream" in {each["what"] for each in json.loads(out)}


async def test_a_kvm_that_there_is_not_is_a_finding(kvm: Kvm) -> None:
    found = await doctor(kvm, CUA_KVM="foo://x")
    assert "'foo://x' is not a valid KVM address" in found["settings"]["seen"]
    assert "CUA_" in found["settings"]["fix"]
    _file(kvm).write_text('{"kvm": "foo://x"}')
    kvm.model.script = [{"text": "Done", "repeat": True}]
    found = await doctor(kvm)
    assert "kvm" in found["settings"]["seen"]
    assert "The KVM in the settings file is not valid" in found["KVM"]["seen"]
    assert not found.keys() & {"keyboard", "video stream"}  # those of another computer
    assert found["model"]["state"] == "ok"


@pytest.mark.parametrize(
    ("stored", "words"),
    [("{1", "could not be understood"), ('{"api_key": "sk-x"}', "can read the API key")],
)
def test_the_settings_are_left_as_they_are(tmp_path: Path, stored: str, words: str) -> None:
    path = tmp_path / "cfg.json"
    path.write_text(stored)
    path.chmod(0o644)
    assert words in ReadOnlySettingsFile(path, environ={}).warning
    assert [(each.name, each.read_text()) for each in tmp_path.iterdir()] == [("cfg.json", stored)]
    assert path.stat().st_mode & 0o777 == 0o644


async def test_a_mouse_jiggler_that_is_on(kvm: Kvm) -> None:
    pikvm = PiKvm(jiggles=True)
    kvm.model.script = [{"text": "Done"}, {"text": "Done"}]
    async with running(pikvm.app()) as place:
        password = pikvm.account[1]
        found = await doctor(kvm, "--kvm", f"kvm://{place}", CUA_KVM_PASSWORD=password)
    assert found["video stream"]["state"] == "ok", found
    assert found["KVM"]["state"] == "care"
    assert "mouse jiggler" in found["KVM"]["seen"]


def test_its_options_stand_before_it_or_after_it() -> None:
    given = ["--kvm", "pikvm://x", "--config", "y", "--port", "7"]
    before = create_command_line().parse_args([*given, "doctor"])
    after = create_command_line().parse_args(["doctor", *given])
    assert (after.kvm, after.config, after.port) == ("pikvm://x", "y", 7)
    assert vars(before) == vars(after)


@pytest.mark.parametrize(
    ("stream", "state", "words"),
    [
        (Stream([picture(size=(1920, 1080))]), "care", "1920x1080"),
        (Stream([picture(size=(64, 36))]), "fault", "a placeholder of 64×36"),
        (Stream(fault="silent"), "fault", "no picture came within"),
        (Stream(fault="closed"), "fault", "no picture came within 0."),
        (Stream(fault="html"), "fault", "not MJPEG"),
        (Stream(fault="unauthorized"), "fault", "asks for a login"),
    ],
)
async def test_what_the_stream_may_be(
    stream: Stream, state: str, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cua.screen.receiver.IDLE_TIMEOUT_S", 0.5)
    monkeypatch.setattr("cua.kvms.connection_check.MEASURE_S", 0.5)
    async with serving(stream) as url:
        finding = await video.examine(mjpeg(url))
    assert (finding.state, finding.fix != "") == (state, True)
    assert words in finding.seen


def test_the_kvms_own_certificate(tmp_path: Path) -> None:
    assert machine.https(None, 0).state == "care"
    made = trustme.CA().issue_cert("127.0.0.1")
    made.private_key_pem.write_to_path(tmp_path / "key")
    made.cert_chain_pems[0].write_to_path(tmp_path / "crt")
    assert machine.https((tmp_path / "crt", tmp_path / "key"), 0).state == "ok"
    (tmp_path / "crt").write_text("not a certificate")
    broken = machine.https((tmp_path / "crt", tmp_path / "key"), 0)
    assert broken.state == "fault"
    assert "--tls-cert" in broken.fix


def test_a_port_that_is_taken() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        finding = machine.port_use(port)
        assert finding.state == "fault"
        assert f"process {os.getpid()}" in finding.seen
        assert "--port" in finding.fix
    assert machine.port_use(port).state == "ok"


def test_without_packages_it_looks_at_what_it_can(tmp_path: Path) -> None:
    done = subprocess.run(
        [*BARE, ROOT / "cua_webapp.py", "doctor"],
        capture_output=True,
        text=True,
        env={**os.environ, "CUA_HID_PREFIX": str(tmp_path / "hidg")},
    )
    assert done.returncode == 1, done.stderr
    assert "missing: fastapi" in done.stdout
    assert "cua_webapp.py install" in done.stdout
    assert "no keyboard, no relative mouse, no absolute pointer" in done.stdout
    assert "not checked" in done.stdout


def test_a_single_package_that_is_missing_is_named(tmp_path: Path) -> None:
    for module in PACKAGES.keys() - {"yaml"}:
        (tmp_path / f"{module}.py").touch()
    done = subprocess.run(
        [*BARE, ROOT / "cua_webapp.py", "doctor"],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
    )
    assert "missing: pyyaml\n" in done.stdout, done.stderr


def system(folder: Path, **files: str) -> Path:
    for name, text in files.items():
        path = folder / name.replace("__", "/")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder


@pytest.mark.parametrize(
    ("state", "found", "fix"),
    [
        ("configured\n", "ok", ""),
        ("suspended\n", "care", "wake it up"),
        ("not attached\n", "fault", "Connect the KVM's USB"),
    ],
)
def test_the_usb_cable(tmp_path: Path, state: str, found: str, fix: str) -> None:
    finding = hardware.usb(system(tmp_path, sys__class__udc__8000__state=state))
    assert finding.state == found
    assert fix in finding.fix


@pytest.mark.parametrize(
    ("width", "fps", "found", "fix"),
    [("1280", "60", "ok", ""), ("0", "0", "fault", "HDMI cable"), ("3840", "30", "care", "1280")],
)
def test_the_hdmi_input(tmp_path: Path, width: str, fps: str, found: str, fix: str) -> None:
    place = "proc__lt6911_info__"
    files = {f"{place}width": width, f"{place}height": "720", f"{place}fps": fps}
    finding = hardware.hdmi(system(tmp_path, **files))
    assert finding.state == found
    assert fix in finding.fix


def test_a_file_in_place_of_a_device(tmp_path: Path) -> None:
    for n in range(3):
        (tmp_path / f"hidg{n}").touch()
    findings = [*hardware.devices(str(tmp_path / "hidg"))]
    assert {each.state for each in findings} == {"fault"}
    assert "delete it" in findings[0].fix


def test_the_firmware_and_the_machine(tmp_path: Path) -> None:
    assert hardware.firmware(system(tmp_path, kvmapp__version="1.2.13\n")).seen == "1.2.13"
    assert machine.clock(ROOT, now=3600.0).state == "fault"
    assert machine.clock(ROOT).state == "ok"
    little = "MemTotal: 1000000 kB\nMemAvailable: 90000 kB\n"
    assert machine.memory(system(tmp_path, meminfo=little) / "meminfo").state == "care"


def test_a_fix_stands_below_what_it_fixes() -> None:
    found = (Finding("a", "ok", "b"), Finding("c", "fault", "d", "e"))
    lines = "\n".join(map(format_finding, found)).splitlines()
    assert [line.split() for line in lines] == [["ok", "a", "b"], ["FAULT", "c", "d"], ["->", "e"]]
