"""What stands on a button counts, whatever the model says that it clicks."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from cua.agent.budget import Budget
from cua.agent.loop import Agent
from cua.agent.session import Session
from cua.dialects import registry
from cua.events.log import EventLog
from cua.safety.approval import Approvals, Policy
from cua.safety.rules import NOTHING, RiskRules, ScreenEvidence
from cua.safety.target_text import TargetText
from cua.screen.ocr.client import OcrClient
from cua.types import Click, InputAction, Keypress
from tests.support.fakes import ScriptedModel

from .confirmation_dialog import Asked, asked

pytest.importorskip("rapidocr")


@pytest.fixture
async def target_text() -> AsyncIterator[TargetText]:
    ocr = OcrClient()
    yield TargetText(ocr, lambda: True, timeout_s=60.0)  # the test is not about how fast it is
    await ocr.aclose()


async def test_ok_on_a_button_that_reads_delete(target_text: TargetText) -> None:
    async with asked() as computer:
        at = (await computer.places())["Delete"]
        log = EventLog()
        gate = Approvals(log, Policy, read=target_text.read)
        said = f"# I click OK to close the message\nmouse {at.x:.4f} {at.y:.4f} 1"
        session = Session(log, lambda: agent(computer, log, gate, said))
        await session.send("close the message")
        question = await question_in(log)
        assert question["rule"] == "deletes"
        gate.answer(question["id"], question["digest"], allow=False, reason="not this one")
        await session.wait_ended()
        assert not await computer.deleted()


async def test_cancel_in_the_same_window_passes(target_text: TargetText) -> None:
    async with asked() as computer:
        places = await computer.places()
        frame = await computer.there.screen.take_screenshot(
            computer.there.inputs.last_report_at, 0.3, 3.0
        )
        reading = asyncio.ensure_future(target_text.read(frame, Click(at=places["Cancel"])))
        turns = 0
        while not reading.done():
            await asyncio.sleep(0.001)
            turns += 1
        assert turns > 20, "the loop goes on meanwhile"
        words = reading.result()
        assert words.label == "Cancel"
        assert "Cancel" in words.screen.splitlines(), "prompts are lines of their own"
        assert "will be deleted for ever" in words.screen
        assert judged(Click(at=places["Cancel"]), words) is None
        chord = await target_text.read(frame, Keypress(keys=("CTRL", "D")))
        assert "will be deleted for ever" in chord.screen, "a chord may do what the screen shows"
        words = await target_text.read(frame, Keypress(keys=("ENTER",)))
        assert judged(Keypress(keys=("ENTER",)), words) == "deletes"


async def test_what_comes_late_is_no_answer_and_holds_nothing_up() -> None:
    ocr = OcrClient()
    late = TargetText(ocr, lambda: True, timeout_s=0.0)
    async with asked() as computer:
        frame = await computer.there.screen.take_screenshot(
            computer.there.inputs.last_report_at, 0.3, 3.0
        )
        click = Click(at=(await computer.places())["Delete"])
        assert await late.read(frame, click) == NOTHING
        off = TargetText(ocr, lambda: False)
        assert await off.read(frame, click) == NOTHING
    await ocr.aclose()


async def test_the_process_ends_where_reading_is_switched_off_and_comes_back() -> None:
    wanted = True
    ocr = OcrClient()
    target_text = TargetText(ocr, lambda: wanted, timeout_s=60.0)
    async with asked() as computer:
        frame = await computer.there.screen.take_screenshot(
            computer.there.inputs.last_report_at, 0.3, 3.0
        )
        click = Click(at=(await computer.places())["Delete"])
        assert (await target_text.read(frame, click)).label == "Delete"
        before = readers()
        assert before
        await target_text.stop_if_unused()
        assert readers() == before
        wanted = False
        await target_text.stop_if_unused()
        assert readers() == []
        wanted = True
        at = (await computer.places())["Cancel"]
        assert (await target_text.read(frame, Click(at=at))).label == "Cancel"
    await ocr.aclose()


def readers() -> list[str]:
    """The processes of ours that read pictures."""
    children = " ".join(each.read_text() for each in Path("/proc/self/task").glob("*/children"))
    return [
        pid
        for pid in children.split()
        if b"cua.screen.ocr.process" in Path(f"/proc/{pid}/cmdline").read_bytes()
    ]


def judged(action: InputAction, words: ScreenEvidence) -> str | None:
    risk = RiskRules().find_risk(action, words)
    return risk.rule if risk else None


def agent(computer: Asked, log: EventLog, gate: Approvals, said: str) -> Agent:
    return Agent(
        computer.there.screen,
        ScriptedModel(said, "Done"),
        registry.create("kvm"),
        computer.there.inputs,
        log,
        gate=gate,
        prompt="You operate a computer.",
        keep=3,
        budget=Budget(rounds=5),
    )


async def question_in(log: EventLog) -> dict[str, Any]:
    async for _, event in log.subscribe():
        if event.kind == "approval":
            return event.data
    raise AssertionError
