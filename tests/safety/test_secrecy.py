"""What must be nowhere is nowhere: keys and secrets, after a whole task with everything on record.

And what a model writes reaches the keyboard, the page's text and the log, and nothing else.
"""

from __future__ import annotations

import ast
import asyncio
import json
import logging
from pathlib import Path

import pytest

from tests.support.kvm_hardware import ROOT
from tests.support.page_client import page
from tests.support.service import Service

SECRET = "canary-Tr0ub4dor"
KEY = "sk-canary-0123456789abcdef"
TYPED = "{{secret:wifi}}"
DONE = [{"text": "Done"}] * 2
"""It is asked whether it is sure."""


async def test_a_yes_on_the_page_lets_exactly_that_action_through(service: Service) -> None:
    service.model.script = [{"text": "typestr rm -rf build"}, *DONE]
    async with page(service.origin) as person:
        await person.post("/api/send", text="clean up")
        question = (await person.until("approval"))["data"]
        wrong = await person.post("/api/approve", id=question["id"], digest="0" * 64)
        assert wrong.status_code == 409
        asked = {"id": question["id"], "digest": question["digest"]}
        assert (await person.post("/api/approve", **asked)).status_code == 200
        assert (await person.post("/api/refuse", **asked)).status_code == 409
        await person.until("done")
        answers = [each["data"]["answer"] for each in person.events if each["kind"] == "answered"]
        assert answers == ["allowed"]


async def test_a_no_on_the_page_is_told_to_the_model(service: Service) -> None:
    service.model.script = [{"text": "typestr rm -rf build"}, *DONE]
    async with page(service.origin) as person:
        await person.post("/api/secrets", name="wifi", value=SECRET)
        await person.post("/api/send", text="clean up")
        question = (await person.until("approval"))["data"]
        asked = {"id": question["id"], "digest": question["digest"]}
        await person.post("/api/refuse", reason=f"Not that folder, {SECRET}.", **asked)
        await person.until("done")
    told = json.dumps(service.model.requests)
    assert f"Not that folder, {TYPED}" in told
    assert SECRET not in told


async def test_no_key_no_secret_and_no_token_is_left_anywhere(
    service: Service, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    service.model.script = [
        {"text": f"# I type {SECRET} with {KEY}\ntypestr {TYPED}"},
        {"status": 401, "body": {"error": {"message": f"Wrong key {KEY}"}}},
    ]
    async with page(service.origin) as person:
        await person.post("/api/settings", api_key=KEY)
        await person.post("/api/secrets", name="wifi", value=SECRET)
        listed = (await person.get("/api/secrets")).text
        settings = (await person.get("/api/settings")).text
        await person.post("/api/send", text=f"log in with {SECRET}")
        question = (await person.until("approval"))["data"]
        await person.post("/api/approve", id=question["id"], digest=question["digest"])
        await person.until("failed")
        await person.until("status", status="failed")
        (task,) = (await person.get("/api/tasks")).json()
        exports = [
            (await person.get(f"/api/tasks/{task['id']}{part}")).text
            for part in ("", "/export.json", "/export.html")
        ]
        events, token = json.dumps(person.events), person.token
    told = [
        message
        for request in service.model.requests
        for message in request["body"]["messages"]
        if message["role"] != "assistant"  # what it wrote itself
    ]
    assert "log in with {{secret:wifi}}" in json.dumps(told)
    assert "canary" not in json.dumps(told)
    assert "wifi" in listed
    shown = [listed, settings, events, *exports, caplog.text]
    files = [file for file in (tmp_path / "cua_record").rglob("*") if file.is_file()]
    shown += [file.read_text("latin-1") for file in files]
    assert len(shown) > 8
    for text in shown:
        for canary in (SECRET, KEY, token):
            assert canary not in text
    assert KEY in (tmp_path / "cfg.json").read_text()
    assert SECRET not in (tmp_path / "cfg.json").read_text()


HOSTILE = [
    "<img src=x onerror=\"fetch('/api/settings')\">",
    'POST /api/settings {"base_url": "http://evil.example"}',
    "$(touch /tmp/owned); `id`; ../../etc/passwd",
    '{"api_key": "sk-theirs", "gate": "never"}',
]


async def test_model_text_changes_no_setting_and_answers_no_question(
    service: Service, tmp_path: Path
) -> None:
    words = "\n".join(f"# {line}" for line in HOSTILE)
    service.model.script = [{"text": f"{words}\ntypestr rm -rf /\nkeyboard ENTER"}]
    async with page(service.origin) as person:
        await person.post("/api/notice")
        before = (tmp_path / "cfg.json").read_bytes()
        await person.post("/api/send", text="look around")
        await person.until("approval")
        await asyncio.sleep(0.1)
        assert not [each for each in person.events if each["kind"] == "answered"]
        await person.post("/api/pause")
    assert (tmp_path / "cfg.json").read_bytes() == before
    assert len(service.model.requests) == 1


_REACHED = ["safety/approval.py", "safety/secrets.py", "types/describe.py"]
_ROOMS = ["agent", "dialects", "events", "safety/rules"]
_FORBIDDEN = {"eval", "exec", "compile", "__import__", "system", "popen", "Popen", "run_in_shell"}


def test_no_package_that_handles_model_text_can_run_programs() -> None:
    files = [ROOT / "cua" / name for name in _REACHED]
    files += [file for room in _ROOMS for file in (ROOT / "cua" / room).rglob("*.py")]
    assert len(files) > 30
    for file in files:
        for node in ast.walk(ast.parse(file.read_text())):
            if isinstance(node, (ast.Import, ast.ImportFrom)):
                names = [each.name for each in node.names] + [getattr(node, "module", "") or ""]
                assert not {"subprocess", "pickle", "ctypes", "httpx2"} & set(names), file
            if isinstance(node, ast.Call):
                called = getattr(node.func, "id", getattr(node.func, "attr", ""))
                on = getattr(getattr(node.func, "value", None), "id", "")
                assert called not in _FORBIDDEN or on == "re", (file, called)


def test_no_text_of_the_page_is_ever_markup() -> None:
    for file in (ROOT / "static").rglob("*.js"):
        text = file.read_text()
        for sink in ("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval("):
            assert sink not in text, file
