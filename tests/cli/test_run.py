"""The job without a page: its output and its exit codes, as a process on the KVM's stand-ins."""

from __future__ import annotations

import asyncio
import json
import signal
from pathlib import Path

import pytest

from tests.servers.pikvm_server import PiKvm
from tests.servers.site import running
from tests.support.devices import interpret
from tests.support.kvm_hardware import Kvm


async def run(kvm: Kvm, *arguments: str, **environ: str) -> tuple[int, str, str]:
    process = kvm.start("run", "do it", *arguments, with_port=False, environ=environ)
    out, words = await asyncio.to_thread(process.communicate, timeout=60)
    return process.returncode, out.decode(), words.decode()


async def test_done(kvm: Kvm) -> None:
    kvm.model.script = [{"text": "# A field.\nmouse 0.5 0.5 1\ntypestr ok"}, {"text": "Done"}]
    code, out, _ = await run(kvm)
    assert code == 0
    assert "# A field." in out
    assert "> Click at (640, 360)" in out
    assert "> Type “ok”" in out
    assert "Done." in out
    assert interpret(kvm.reports()).text == "ok"


@pytest.mark.parametrize("command", [("run", "--procedure"), ("procedure", "run")])
async def test_a_procedure_is_done_without_a_model(
    kvm: Kvm, tmp_path: Path, command: tuple[str, ...]
) -> None:
    file = tmp_path / "greet.yaml"
    file.write_text(
        "{name: greet, parameters: {word: hi}, steps: [{do: {kind: type, text: '{word}'}}]}"
    )
    process = kvm.start(*command, str(file), "--with", "word=ok", with_port=False)
    out, words = await asyncio.to_thread(process.communicate, timeout=60)
    assert process.returncode == 0, words
    assert b"Done." in out
    assert interpret(kvm.reports()).text == "ok"
    assert kvm.model.requests == []


async def test_what_a_task_did_is_recorded_as_a_procedure(kvm: Kvm, tmp_path: Path) -> None:
    kvm.model.script = [{"text": "# A greeting.\ntypestr hello"}, {"text": "Done"}]
    command = ("procedure", "record", "greet", "say hello", "--with", "word=hello")
    process = kvm.start(*command, with_port=False)
    out, words = await asyncio.to_thread(process.communicate, timeout=60)
    assert process.returncode == 0, words
    assert b"greet.yaml (steps: 1)" in out
    shown = kvm.start("procedure", "show", "greet", with_port=False)
    text, _ = await asyncio.to_thread(shown.communicate, timeout=60)
    assert b"say {word}" in text
    _record_manual_action(tmp_path)
    saved = kvm.start("procedure", "save", "again", with_port=False)
    out, words = await asyncio.to_thread(saved.communicate, timeout=60)
    assert b"What you did by hand is not included." in out, words
    _break_procedure(tmp_path)
    listed = kvm.start("procedure", "list", with_port=False)
    out, _ = await asyncio.to_thread(listed.communicate, timeout=60)
    assert out == b"again\ngreet: This is not a procedure (YAML).\n"


def _record_manual_action(folder: Path) -> None:
    record = max(path for path in folder.rglob("events.jsonl") if b'"task"' in path.read_bytes())
    with record.open("a") as file:
        event = {"seq": 999, "at": 9.0, "mono": 9.0, "kind": "by_hand", "data": {"words": ""}}
        file.write(json.dumps(event) + "\n")


def _break_procedure(folder: Path) -> None:
    next(folder.rglob("greet.yaml")).write_text("x")


async def test_as_json_each_line_is_an_object(kvm: Kvm) -> None:
    kvm.model.script = [{"text": "keyboard ENTER"}, {"text": "Done"}]
    code, out, _ = await run(kvm, "--json")
    assert code == 0
    facts = [json.loads(line) for line in out.splitlines()]
    assert {fact["outcome"] for fact in facts if fact["kind"] == "step"} >= {"Carried out."}
    assert facts[-1]["kind"] == "status"
    assert facts[-1]["status"] == "done"


@pytest.mark.parametrize(
    ("script", "code", "words"),
    [
        ([{"text": "$ Which one?"}], 3, "The agent asks: Which one?\nThe run has ended"),
        ([{"text": "keyboard TAB"}] * 9, 4, ""),
        ([{"status": 401, "body": {"error": "Unauthorized"}}], 1, "Failed: "),
        ([{"text": "I do not know"}] * 3, 1, "could not be understood"),
    ],
    ids=["question", "rounds", "error", "nonsense"],
)
async def test_exit_codes(kvm: Kvm, script: list, code: int, words: str) -> None:  # type: ignore[type-arg]
    kvm.model.script = script
    got, out, _ = await run(kvm, CUA_MAX_ROUNDS="3")
    assert got == code, out
    assert words in out


async def test_a_kvm_that_cannot_be_reached_is_said_once(kvm: Kvm) -> None:
    code, out, _ = await run(kvm, CUA_KVM="pikvm+http://127.0.0.1:9", CUA_KVM_PASSWORD="x")
    assert code == 1
    assert out.count("cannot be reached") == 1
    assert "Failed: No action is executed without a fresh picture" in out


async def test_a_refused_login_is_said_once(kvm: Kvm) -> None:
    async with running(PiKvm().app()) as place:
        code, out, words = await run(kvm, CUA_KVM=f"pikvm+http://{place}", CUA_KVM_PASSWORD="wrong")
    assert code == 2
    assert (out + words).count("does not accept this username and password") == 1, out + words


async def test_what_needs_a_yes_ends_the_run_unless_it_is_unattended(kvm: Kvm) -> None:
    kvm.model.script = [*[{"text": "typestr rm -rf /"}] * 2, {"text": "Done"}]
    code, out, _ = await run(kvm)
    assert code == 3
    assert "Needs your yes: Type “rm -rf /”. This deletes files for good." in out
    assert interpret(kvm.reports()).text == ""
    code, _, _ = await run(kvm, "--gate", "never")
    assert code == 0
    assert interpret(kvm.reports()).text == "rm -rf /"


async def test_ctrl_c_releases_everything(kvm: Kvm) -> None:
    kvm.model.script = [{"text": "typestr " + "A" * 5000}]
    process = kvm.start("run", "type", with_port=False)
    reports: list = []  # type: ignore[type-arg]
    while len(reports) < 50:
        await asyncio.sleep(0.05)
        reports += kvm.reports()
    process.send_signal(signal.SIGINT)
    _, words = await asyncio.to_thread(process.communicate, timeout=20)
    assert process.returncode == 130
    assert b"released" in words or b"Traceback" not in words
    reports += kvm.reports()
    assert interpret(reports).down == []


async def test_a_claim_to_be_done_is_asked_about_once_more_if_that_is_wanted(kvm: Kvm) -> None:
    kvm.model.script = [{"text": "keyboard ENTER"}, {"text": "Done"}, {"text": "Done"}]
    code, out, _ = await run(kvm, CUA_ASK_AGAIN="true")
    assert code == 0
    assert "Done report not accepted" in out
