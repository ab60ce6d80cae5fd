"""The service, started as the KVM's own server starts it, on stand-ins for the KVM's hardware."""

from __future__ import annotations

import asyncio
import signal
import socket
import ssl
import subprocess
import sys
from pathlib import Path
from typing import Any

import httpx2
import pytest
import trustme

from cua.cli.doctor import machine
from tests.support.devices import interpret
from tests.support.kvm_hardware import ROOT, Kvm, as_the_kvm_does, ended
from tests.support.page_client import Refused, enter, page
from tests.support.waiting import until

PATIENT: Any = {"trust_env": False, "timeout": 60}
"""For a client. The service steps back for all others on a KVM, and so on a busy machine too."""


async def test_from_the_button_to_a_task_that_is_done(kvm_in_place: Kvm) -> None:
    kvm = kvm_in_place
    kvm.model.script = [
        {"text": "# A desktop.\nmouse 0.25 0.5 1"},
        {"text": "typestr  two  spaces \nkeyboard CTRL+S"},
        {"text": "drag 0.1 0.1 0.9 0.9\nmouse 0.5 0.5 5"},
        {"text": "mouse 0.75 0.25 4\nbackspace 3"},
        {"text": "# It is saved.\nDone"},
    ]
    with as_the_kvm_does(kvm) as process:
        # The line means that the port answers.
        answer = await asyncio.to_thread(httpx2.get, kvm.origin, **PATIENT)
        assert answer.status_code == 200
        async with page(kvm.origin) as person:
            early = await person.post("/api/send", text="too early")
            assert early.status_code == 409
            assert "safety notice" in early.json()["error"]
            await person.post("/api/notice")
            await person.until("screen", state="live")
            await person.post("/api/send", text="save it")
            await person.until("frame")
            connections = kvm.stream.connections
            await person.until("status", status="done")
            screens = [each["data"] for each in person.events if each["kind"] == "screen"]
        assert await ended(process) == 0
    result = interpret(kvm.reports())
    assert result.text == " two  spaces "
    assert result.chords[-4:] == ["ctrl+s", *["backspace"] * 3] or "ctrl+s" in result.chords
    assert [(p.button, p.x, p.y, p.clicks) for p in result.presses] == [
        ("left", 320, 360, 1),
        ("left", 128, 72, 1),
        ("right", 960, 180, 1),
        ("right", 960, 180, 2),
    ]
    assert (result.releases[1].x, result.releases[1].y) == (1152, 648)
    assert result.wheel == -8
    assert result.down == []
    # One for the whole task, but where a busy machine holds it up, which the page is told.
    losses = [each for each in screens if each["state"] in ("stalled", "lost")]
    assert kvm.stream.connections == connections + len(losses)


async def test_the_key_is_in_no_answer_and_no_log(kvm: Kvm) -> None:
    body = {"error": {"message": "bad key sk-canary"}}
    kvm.model.script = [{"status": 500, "body": body}, {"status": 400, "body": body}]
    with as_the_kvm_does(kvm, CUA_NOTICE_ACKNOWLEDGED="1") as process:
        async with page(kvm.origin) as person:
            settings = await person.get("/api/settings")
            assert settings.json()["secrets"]["api_key"] is True
            await person.until("screen", state="live")
            await person.post("/api/send", text="go")
            await person.until("status", 60, status="failed")
            assert "canary" not in settings.text + str(person.events)
        assert await ended(process) == 0
        assert process.stderr is not None
        assert b"canary" not in process.stderr.read()


async def test_one_page_holds_the_session_and_its_refresh_comes_back(kvm: Kvm) -> None:
    """A second instance names the process that has the port."""
    with as_the_kvm_does(kvm) as process:
        first = await enter(kvm.origin)
        with pytest.raises(Refused, match="Another page is in control"):
            await enter(kvm.origin)
        await first.close()
        async with page(kvm.origin, first.token) as again:
            assert (await again.get("/api/settings")).status_code == 200
            second = kvm.start("--auth", "1")
            _, words = await asyncio.to_thread(second.communicate)
            assert second.returncode == 2
            assert f"it is held by process {process.pid}" in words.decode()
            assert "cua_webapp.py" in words.decode()
            await asyncio.sleep(1)  # longer than the grace
            assert process.poll() is None
        assert await ended(process) == 0


async def test_closing_the_page_pauses_and_releases_at_once(kvm: Kvm) -> None:
    kvm.model.script = [{"text": "typestr " + "A" * 2000}]
    with as_the_kvm_does(kvm, CUA_NOTICE_ACKNOWLEDGED="1", CUA_GRACE_SECONDS="30") as process:
        first = await enter(kvm.origin)
        await first.until("screen", state="live")
        await first.post("/api/send", text="type")
        typed = kvm.reports()
        while not interpret(typed).text:
            await asyncio.sleep(0.005)
            typed += kvm.reports()
        await first.close()
        await asyncio.sleep(0.5)
        typed += kvm.reports()
        assert 0 < len(interpret(typed).text) < 2000
        assert interpret(typed).down == []
        await asyncio.sleep(0.2)
        assert kvm.reports() == []
        async with page(kvm.origin, first.token, first.last_id) as again:
            reason = (await again.until("status", status="paused"))["data"]["reason"]
            assert "page was closed" in reason
            process.terminate()
            assert await ended(process) in (0, -15)
        assert interpret(kvm.reports()).down == []


async def test_after_a_pause_no_report_follows_and_nothing_is_held(kvm: Kvm) -> None:
    """Both while the model does not answer and while a text is typed."""
    text = {"text": "typestr " + "Ab" * 100}
    kvm.model.script = [{"fault": "silent"}, text, {"text": "Done"}]
    with as_the_kvm_does(kvm, CUA_NOTICE_ACKNOWLEDGED="1"):
        async with page(kvm.origin) as person:
            await person.until("screen", state="live")
            await person.post("/api/send", text="go")
            while not kvm.model.calls:
                await asyncio.sleep(0.01)
            answer = await asyncio.wait_for(person.post("/api/pause"), 5)
            assert answer.is_success
            await until(lambda: kvm.model.requests[0]["hung_up"] is not None)
            await person.post("/api/reset")
            await person.post("/api/send", text="go")
            reports = kvm.reports()
            while len(reports) < 100:
                await asyncio.sleep(0.005)
                reports += kvm.reports()
            assert (await person.post("/api/pause")).is_success
            reports += kvm.reports()
            await asyncio.sleep(0.3)
            assert kvm.reports() == []
            result = interpret(reports)
            assert result.down == []
            assert 0 < len(result.text) < 200
            assert ("Ab" * 100).startswith(result.text)
            await person.post("/api/send", text="that is enough")
            await person.until("status", status="done")
    told = str(kvm.model.requests[-1]["body"]["messages"])
    assert f"{len(result.text)} of its 200 characters" in told
    assert "The person says: that is enough" in told


async def test_sigterm_while_typing_releases_and_ends(kvm: Kvm) -> None:
    kvm.model.script = [{"text": "typestr " + "A" * 2000}]
    with as_the_kvm_does(kvm, CUA_NOTICE_ACKNOWLEDGED="1") as process:
        async with page(kvm.origin) as person:
            await person.until("screen", state="live")
            await person.post("/api/send", text="go")
            await person.until("acting")
            await asyncio.sleep(0.1)
            process.terminate()
            assert await ended(process) in (0, -15)
    assert interpret(kvm.reports()).down == []


def certify(settings: Path) -> ssl.SSLContext:
    """Give the KVM's web server a certificate; returns what trusts it."""
    authority = trustme.CA()
    made = authority.issue_cert("127.0.0.1")
    crt, key = settings.with_name("server.crt"), settings.with_name("server.key")
    made.cert_chain_pems[0].write_to_path(crt)
    made.private_key_pem.write_to_path(key)
    settings.write_text(f"{settings.read_text()}cert: {{crt: {crt}, key: {key}}}\n")
    trusted = ssl.create_default_context()
    authority.configure_trust(trusted)
    return trusted


async def test_the_kvms_certificate_serves_https_on_the_same_port(kvm: Kvm) -> None:
    trusted = certify(Path(kvm.environ["CUA_KVM_CONFIG"]))
    with as_the_kvm_does(kvm):
        secure = kvm.origin.replace("http", "https")
        async with httpx2.AsyncClient(verify=trusted, **PATIENT) as client:
            for origin in (secure, kvm.origin):
                assert (await client.get(origin)).status_code == 200
        assert (await asyncio.to_thread(machine.https, None, kvm.port)).state == "ok"
        async with page(kvm.origin) as person:
            assert (await person.get("/api/settings")).status_code == 200


async def test_who_is_not_logged_in_is_asked_for_the_code_that_pair_shows(kvm: Kvm) -> None:
    with as_the_kvm_does(kvm):
        with pytest.raises(Refused, match="log in to that KVM"):
            await enter(kvm.origin, cookie="")
        process = kvm.start("pair", "--port", str(kvm.port), with_port=False)
        shown, _ = await asyncio.to_thread(process.communicate)
        code = shown.decode().split()[2]
        async with page(kvm.origin, cookie="", code=code) as person:
            assert (await person.get("/api/settings")).status_code == 200


async def test_sigusr1_stops_and_nothing_moves_until_a_resume(kvm: Kvm) -> None:
    kvm.model.script = [{"text": "typestr " + "A" * 2000}, {"text": "Done"}]
    with as_the_kvm_does(kvm, CUA_NOTICE_ACKNOWLEDGED="1") as process:
        async with page(kvm.origin) as person:
            await person.until("screen", state="live")
            await person.post("/api/send", text="go")
            await person.until("acting")
            process.send_signal(signal.SIGUSR1)
            await person.until("status", status="stopped")
            assert interpret(kvm.reports()).down == []
            assert (await person.post("/api/send", text="on")).status_code == 409
            assert kvm.reports() == []
            assert (await person.post("/api/resume")).is_success


async def test_what_keeps_it_from_starting_is_said_in_the_page_and_in_the_terminal(
    kvm: Kvm,
) -> None:
    with as_the_kvm_does(kvm, CUA_KVM="foo://x") as process:
        assert process.stderr is not None
        assert (
            "not a valid KVM address" in (await asyncio.to_thread(process.stderr.readline)).decode()
        )
        for _ in range(2):  # the page can be loaded again
            answer = await asyncio.to_thread(httpx2.get, kvm.origin, **PATIENT)
            assert answer.status_code == 200
            with pytest.raises(Refused, match=r"'foo://x' is not a valid KVM address"):
                await enter(kvm.origin)
        assert await ended(process) == 2


def held_import(folder: Path, module: str) -> tuple[Path, str]:
    """A `PYTHONPATH` where importing `module` waits until the file is removed, and then fails."""
    held, packages = folder / "held", folder / "packages"
    held.touch()
    packages.mkdir()
    packages.joinpath(f"{module}.py").write_text(
        f"import pathlib, time\nwhile pathlib.Path({str(held)!r}).exists(): time.sleep(0.01)\n"
        "raise ImportError('it is damaged')\n"
    )
    return held, str(packages)


async def test_the_page_answers_before_the_packages_are_imported(kvm: Kvm, tmp_path: Path) -> None:
    """One that cannot be imported is said in the page that came before."""
    held, packages = held_import(tmp_path, "pydantic")
    with as_the_kvm_does(kvm, PYTHONPATH=packages) as process:
        answer = await asyncio.to_thread(httpx2.get, kvm.origin, **PATIENT)
        assert answer.status_code == 200
        assert "</html>" in answer.text
        visit = asyncio.create_task(enter(kvm.origin))
        held.unlink()
        with pytest.raises(Refused, match=r"could not start.*it is damaged"):
            await visit
        assert await ended(process) == 2
        assert process.stderr is not None
        assert "it is damaged" in process.stderr.read().decode()


async def test_a_page_is_welcomed_before_fastapi_is_imported(kvm: Kvm, tmp_path: Path) -> None:
    """Where it cannot be imported, the service ends and says so."""
    held, packages = held_import(tmp_path, "fastapi")
    with as_the_kvm_does(kvm, PYTHONPATH=packages) as process:
        async with page(kvm.origin) as person:
            await person.until("session_started")
            assert process.poll() is None
            held.unlink()
            assert await ended(process) == 2
        assert process.stderr is not None
        assert "it is damaged" in process.stderr.read().decode()


@pytest.mark.parametrize("command", [("run", "go"), ("calibrate",), ()])
async def test_a_kvm_that_there_is_not_is_one_sentence(kvm: Kvm, command: tuple[str, ...]) -> None:
    process = kvm.start(*command, environ={"CUA_KVM": "foo://x"}, with_port=not command)
    _, words = await asyncio.to_thread(process.communicate)
    assert process.returncode == 2
    assert words.decode().startswith("kvm: 'foo://x' is not a valid KVM address. Use one of: ")
    assert words.count(b"\n") == 1


async def test_without_auth_only_this_machine_is_listened_to(kvm: Kvm) -> None:
    process: subprocess.Popen[bytes] = kvm.start()
    assert process.stdout is not None
    try:
        await asyncio.to_thread(process.stdout.readline)
        with socket.socket() as probe, pytest.raises(OSError, match="refused"):
            probe.connect((_own_address(), kvm.port))
        first, second = await enter(kvm.origin), await enter(kvm.origin)
        await first.close()
        await second.close()
        await asyncio.sleep(1.5)
        assert process.poll() is None
    finally:
        process.kill()
        process.communicate()


def _own_address() -> str:
    return socket.gethostbyname(socket.gethostname()).replace("127.0.0.1", "127.0.0.2")


async def test_missing_packages_are_one_sentence_with_the_command() -> None:
    # -S: no site-packages, as on a fresh machine
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-S", str(ROOT / "cua_webapp.py"), "run", "go"),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    out, words = await process.communicate()
    assert process.returncode == 2
    assert out == b""
    assert b"fastapi" in words
    assert b"cua_webapp.py install" in words


async def _types(device: Path) -> None:
    """On the KVM's own page; only what lets go. A report may fall together with one of ours."""
    for _ in range(20):
        await asyncio.to_thread(device.write_bytes, bytes(8))
        await asyncio.sleep(0.03)


async def test_somebody_at_the_kvms_own_page_pauses_the_run(kvm: Kvm) -> None:
    kvm.model.script = [{"text": f"typestr {'a' * 6000}"}]
    with as_the_kvm_does(kvm, CUA_NOTICE_ACKNOWLEDGED="1"):
        async with page(kvm.origin) as person:
            await person.until("screen", state="live")
            await person.post("/api/send", text="type for long")
            await person.until("acting")
            while not kvm.fifos.read("keyboard"):
                await asyncio.sleep(0.01)
            other_typist = asyncio.create_task(_types(Path(f"{kvm.fifos.prefix}0")))
            paused = await person.until("status", status="paused")
            other_typist.cancel()
            assert "Another program used the keyboard" in paused["data"]["reason"]
            assert "its mouse jiggler on?" in paused["data"]["reason"]
    assert not any(kvm.fifos.read("keyboard")[-1])
