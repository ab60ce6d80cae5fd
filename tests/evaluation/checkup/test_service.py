"""The check-up of a running service: started, watched, stopped, and never beside a task."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import json
import os
import subprocess
import sys
from pathlib import Path

from tests.evaluation.checkup.scripted_models import Seer, fractions
from tests.servers.openai_server import OpenAIServer
from tests.support.kvm_hardware import ROOT
from tests.support.page_client import english, page
from tests.support.service import Service

SILENT = {"fault": "silent", "repeat": True}


async def test_progress_is_logged_and_the_report_kept(service: Service) -> None:
    service.model.script = [{"text": "I would click the button.", "repeat": True}]
    async with page(service.origin) as scripted_user:
        assert (await scripted_user.get("/api/checkup")).json() == {
            "running": False,
            "report": None,
        }
        assert (await scripted_user.post("/api/checkup")).json()["running"] is True
        await scripted_user.until("checkup", phase="started")
        event = await scripted_user.until("checkup", phase="report")
        assert event["data"]["report"]["verdict"] == "unusable"
        assert (await scripted_user.get(event["data"]["url"])).content[:2] == b"\xff\xd8"
        while (await scripted_user.get("/api/checkup")).json()["running"]:
            await asyncio.sleep(0.01)
        kept = (await scripted_user.get("/api/checkup")).json(object_hook=english)
        assert kept["report"] == {**event["data"]["report"], "picture": event["seq"]}
        await scripted_user.post("/api/reset")
        assert (await scripted_user.get("/api/checkup")).json(object_hook=english) == kept
        await scripted_user.post("/api/settings", max_rounds=30)
        assert (await scripted_user.get("/api/checkup")).json(object_hook=english) == kept
        for changes in ({"dialect": "json"}, {"dialect": "auto", "model_name": "another"}):
            await scripted_user.post("/api/settings", **changes)
            assert (await scripted_user.get("/api/checkup")).json()["report"] is None


async def test_no_task_beside_a_check_up(service: Service) -> None:
    service.model.script = [SILENT]
    async with page(service.origin) as scripted_user:
        await scripted_user.post("/api/checkup")
        refused = await scripted_user.post("/api/send", text="look")
        assert refused.status_code == 409
        assert "The model is being checked" in refused.json()["error"]
        assert (await scripted_user.post("/api/checkup")).status_code == 409
        assert (await scripted_user.post("/api/checkup/stop")).json()["running"] is False
        await scripted_user.until("checkup", phase="ended", text="The model check was stopped.")
        assert (await scripted_user.post("/api/send", text="look")).is_success


async def test_no_check_up_beside_a_task(service: Service) -> None:
    service.model.script = [SILENT]
    async with page(service.origin) as scripted_user:
        await scripted_user.post("/api/send", text="look")
        refused = await scripted_user.post("/api/checkup")
        assert refused.status_code == 409
        assert "A task is running" in refused.json()["error"]
        await scripted_user.post("/api/pause")
        assert (await scripted_user.post("/api/checkup")).status_code == 200
        await scripted_user.post("/api/checkup/stop")


async def test_stopping_ends_the_request_on_the_wire(service: Service) -> None:
    service.model.script = [SILENT]
    async with page(service.origin) as scripted_user:
        await scripted_user.post("/api/checkup")
        while not service.model.requests:
            await asyncio.sleep(0.01)
        await scripted_user.post("/api/checkup/stop")
        while service.model.requests[0]["hung_up"] is None:
            await asyncio.sleep(0.01)


async def test_the_persons_computer_is_not_touched_nor_shown(
    service: Service, tmp_path: Path
) -> None:
    service.model.script = [{"text": "mouse 0.5 0.5 1\nDone", "repeat": True}]
    async with page(service.origin) as scripted_user:
        await scripted_user.until("screen", state="live")
        await scripted_user.post("/api/checkup")
        await scripted_user.until("checkup", phase="report")
    pointer = os.open(tmp_path / "hidg2", os.O_RDONLY | os.O_NONBLOCK)
    with contextlib.suppress(BlockingIOError):  # empty, but still open for writing
        assert os.read(pointer, 100) == b""
    os.close(pointer)
    sent = [call.body for call in service.model.calls if call.method == "POST"]
    shown = base64.b64encode(service.stream.frames[0])
    assert sent
    assert not any(shown in body for body in sent)


def command(folder: Path, server: OpenAIServer, *options: str) -> subprocess.CompletedProcess[str]:
    environ = {
        "CUA_API_TYPE": "openai",
        "CUA_BASE_URL": server.base_url,
        "CUA_MODEL_NAME": "scripted",
        "CUA_CONFIG": str(folder / "cfg.json"),
    }
    return subprocess.run(
        [sys.executable, ROOT / "cua_webapp.py", "check", *options],
        env={**os.environ, **environ},
        capture_output=True,
        text=True,
        check=False,
    )


async def test_the_command(tmp_path: Path) -> None:
    async with OpenAIServer(Seer(fractions)) as server:
        ready = await asyncio.to_thread(command, tmp_path, server, "--json", str(tmp_path / "r"))
        wrong = await asyncio.to_thread(command, tmp_path, server, "--dialect", "json")
        unknown = await asyncio.to_thread(command, tmp_path, server, "--dialect", "klingon")
    assert ready.returncode == 0, ready.stdout + ready.stderr
    assert "\nReady: scripted · " in ready.stdout
    assert json.loads((tmp_path / "r").read_text())["hits"] == 12
    assert wrong.returncode == 1
    assert "The fix: the action format KVM lines (kvm). Tried: 3 of 3 hit." in wrong.stdout
    assert unknown.returncode == 2
    assert "There is no action format `klingon`" in unknown.stderr
