"""A whole task by our own agent, during one call of a client."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from mcp import Client
from mcp.types import ElicitRequestFormParams, ElicitResult

from cua.agent.session import NewTask
from cua.app.machine import ExternalAccess
from cua.kvms.kvm import KvmConfig
from cua.kvms.registry import create as create_kvm
from cua.procedures.folder import ProcedureFolder
from cua.procedures.procedure import Procedure
from cua.procedures.replay import Replay
from cua.safety.approval import Approvals, Policy
from cua.screen.ocr.client import OcrClient
from cua.web.mcp.elicitation import ask
from cua.web.mcp.server import create
from tests.kvms.open_kvm import CallbackLog
from tests.support.devices import Halting, interpret
from tests.support.scripted_session import ScriptedSession
from tests.support.waiting import until
from tests.web.mcp.test_server import ANSWERS, text


def client(scripted: ScriptedSession, procedures: Path = Path("/nowhere"), **more: Any) -> Client:
    approvals = Approvals(scripted.log, Policy)
    approvals.has_page = False
    approvals.ask_externally = ask
    scripted.gate = approvals
    folder = ProcedureFolder(procedures)

    def replay(procedure: Procedure, values: Mapping[str, str]) -> NewTask:
        return NewTask(procedure.name, replay=Replay(procedure, values, OcrClient().read))

    kvm = create_kvm(KvmConfig("vnc", "vnc://127.0.0.1:9"), CallbackLog().callbacks)
    access = ExternalAccess(
        scripted.screen, scripted.inputs, approvals, kvm, scripted.session, lambda: folder, replay
    )
    return Client(create(access), **more)


@pytest.mark.parametrize(
    ("replies", "told"),
    [
        (["typestr hi", "Done"], "done: "),
        (["$ Which one?"], "question: Which one?"),
        (["keyboard TAB"] * 10, "out_of_budget: "),
        (["error"], "failed: The model server is gone."),
    ],
)
async def test_the_client_learns_how_it_ended(replies: list[str], told: str) -> None:
    async with client(ScriptedSession(*replies)) as there:
        assert (await text(there, "run_task", task="greet")).startswith(told)


async def test_a_procedure_is_done_again_with_other_values(tmp_path: Path) -> None:
    steps = "[{do: {kind: type, text: '{word}'}}]"
    (tmp_path / "greet.yaml").write_text(
        f"{{name: greet, parameters: {{word: hi}}, steps: {steps}}}"
    )
    for name in ("-x", "broken"):
        (tmp_path / f"{name}.yaml").write_text("x")
    scripted = ScriptedSession("$ Which one?")
    async with client(scripted, tmp_path) as there:
        bad_name, *others = json.loads(await text(there, "procedures"))
        assert "“-x” cannot be the name" in bad_name["error"]
        assert others == [
            {"name": "broken", "error": "This is not a procedure (YAML)."},
            {"name": "greet", "goal": "", "parameters": {"word": "hi"}},
        ]
        await text(there, "run_task", task="a task that is left open")
        done = await text(
            there, "run_procedure", name="greet", values=[{"name": "word", "value": "hello"}]
        )
        assert done.startswith("done: ")
        odd = [{"name": "name", "value": "x"}]
        unknown = await text(there, "run_procedure", name="greet", values=odd)
        assert "no parameter “name”" in unknown
        assert "greet" in await text(there, "run_procedure", name="other")
    assert interpret(scripted.device.reports).text == "hello"
    assert len(scripted.model.requests) == 1


async def test_progress_is_reported() -> None:
    reported: list[tuple[float, float | None, str | None]] = []

    async def note(progress: float, total: float | None, message: str | None) -> None:
        reported.append((progress, total, message))

    scripted = ScriptedSession("typestr hi", "Done")
    async with client(scripted) as there:
        await there.call_tool("run_task", {"task": "greet"}, progress_callback=note)
        assert "Take a screenshot first" in await text(there, "click", x=1, y=1)
    assert reported[0] == (1, 10, "Step 1: Type “hi”")
    assert interpret(scripted.device.reports).text == "hi"


async def test_a_cancelled_call_ends_the_task_and_releases_the_keys() -> None:
    scripted = ScriptedSession("typestr " + "A" * 2000, "Done")
    scripted.device = Halting(9)
    scripted.inputs = type(scripted.inputs)(scripted.device)  # type: ignore[call-arg]
    async with client(scripted) as there:
        calling = asyncio.create_task(there.call_tool("run_task", {"task": "type"}))
        await scripted.device.full.wait()
        for tool, arguments in (("run_task", {"task": "another"}), ("type", {"text": "x"})):
            assert "a task is running" in await text(there, tool, **arguments)
        assert (await there.call_tool("screenshot", {})).content
        calling.cancel()
        await until(lambda: scripted.status() == "paused")
        assert interpret(scripted.device.reports).down == []
        assert not scripted.session.is_busy


async def test_a_task_does_not_begin_after_a_stop() -> None:
    scripted = ScriptedSession("Done")
    await scripted.session.stop("by you")
    async with client(scripted) as there:
        assert "Stopped. Press Resume" in await text(there, "run_task", task="greet")


@pytest.mark.parametrize(
    ("answer", "mode", "told"),
    [
        ("yes", "legacy", "done"),
        ("no", "legacy", "done"),
        ("yes", "auto", "needs_approval: No person is present"),
    ],
)
async def test_a_risky_action_is_asked_of_the_clients_person(
    answer: str, mode: Any, told: str
) -> None:
    async def person(_: Any, question: ElicitRequestFormParams) -> ElicitResult:
        assert "rm -rf build" in question.message
        return ANSWERS[answer]

    scripted = ScriptedSession("typestr rm -rf build", "Done")
    async with client(scripted, elicitation_callback=person, mode=mode) as there:
        assert (await text(there, "run_task", task="tidy")).startswith(told)
    typed = interpret(scripted.device.reports).text
    assert typed == ("rm -rf build" if (answer, mode) == ("yes", "legacy") else "")
