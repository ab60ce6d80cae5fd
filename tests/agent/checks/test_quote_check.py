"""A claim that quotes what is to be seen is compared with what can be read on the final screen."""

from __future__ import annotations

import io
from importlib.util import find_spec

import pytest
from PIL import Image, ImageDraw, ImageFont

from cua.agent.checks import quote_check
from cua.agent.checks.options import CheckOptions
from cua.agent.checks.quote_check import QuoteCheck
from cua.events.log import EventLog
from cua.hid.inputs import HidInputs
from cua.messages import Message
from cua.safety.target_text import TargetText
from cua.screen.ocr.client import NEEDED, OcrClient
from cua.types import Done, Frame, ParsedReply, Step, Task
from tests.agent.checks.agent_run import AgentRun
from tests.agent.checks.drawn import screen
from tests.support.devices import Recorder
from tests.support.fakes import StillScreen

WORDS = "File Edit View\nlist.txt - Notepad\nbuy mi1k\nSaved at 12:07"
PLAIN = CheckOptions(loop_detection=False)


async def reader(_: Frame) -> str:
    return WORDS


async def read_nothing(_: Frame) -> None:
    return None


def told(agent: AgentRun) -> list[str]:
    return [event.data["text"] for event in agent.log.in_memory_since(0) if event.kind == "log"]


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ('The title bar shows "list.txt - Notepad".', ["list.txt - Notepad"]),
        ("I see “Saved” and “buy milk” there. It is done.", ["Saved", "buy milk"]),
        ("标题栏显示「列表.txt」。", ["列表.txt"]),
        ('"list.txt" is shown in the title bar.', ["list.txt"]),
        ('The title bar shows "list.txt"', ["list.txt"]),
        ('I see "File", "Edit" and "Cut".', ["File", "Edit", "Cut"]),
        ('The dialog "Save as" is no longer visible.', []),
        ('I typed "buy milk" into it.', []),
        ('It is done. "buy milk" is on the list. The screen shows the list.', []),
        ("The window says it's saved.", []),
        ("", []),
    ],
)
def test_what_is_said_to_be_seen(words: str, found: list[str]) -> None:
    assert quote_check.find_quotes(words) == found


def test_half_of_its_letters_are_enough() -> None:
    texts = ["buy milk", "list.txt – notepad", "12:07", "Error 0x80070005", "Unsaved work"]
    for screen_text in (WORDS, WORDS * 20):
        missing = list(quote_check.find_missing(texts, screen_text))
        assert missing == ["Error 0x80070005", "Unsaved work"]


async def test_a_claim_is_handed_back_once_when_the_text_is_not_there() -> None:
    claim = '# The page shows "Thank you for your order".\nDone'
    agent = AgentRun([screen()], claim, claim, options=PLAIN, read=reader)
    assert isinstance(await agent.run(), Done)
    assert len(agent.model.requests) == 2
    assert (
        'cannot be read on the final screen: "Thank you for your order"'
        in agent.model.request_text()
    )


async def test_the_answer_that_comes_with_a_claim_is_compared_too() -> None:
    check = QuoteCheck(StillScreen(), HidInputs(Recorder()), EventLog(), reader)
    claim = Done(answer='The page shows "Thank you for your order".')
    step = Step(1, "", screen(), parsed=ParsedReply("", (claim,)))
    found = await check.before_done(Task("order it", steps=[step]))
    assert found
    assert "Thank you for your order" in found.message


@pytest.mark.parametrize(
    "claim", ['# The title bar shows "list.txt - Notepad".\nDone', "# All is done.\nDone"]
)
async def test_a_claim_that_can_be_read_counts(claim: str) -> None:
    agent = AgentRun([screen()], claim, options=PLAIN, read=reader)
    assert isinstance(await agent.run(), Done)
    assert told(agent) == []


async def test_where_nobody_can_read_it_is_said_and_the_claim_counts() -> None:
    claim = '# The page shows "Thank you for your order".\nDone'
    agent = AgentRun([screen()], claim, options=PLAIN, read=read_nothing)
    assert isinstance(await agent.run(), Done)
    assert told(agent) == [Message("agent.not_compared")]


@pytest.mark.skipif(not all(map(find_spec, NEEDED)), reason="pip install '.[local]'")
async def test_with_a_real_reader() -> None:
    ocr = OcrClient()
    target_text = TargetText(ocr, lambda: True, timeout_s=60.0)
    image = Image.new("RGB", (1280, 720), "white")
    font = ImageFont.load_default(20)
    ImageDraw.Draw(image).text((440, 340), "Your order was sent to London", fill="black", font=font)
    out = io.BytesIO()
    image.save(out, "JPEG", quality=80)
    frame = Frame(out.getvalue(), 1280, 720, 1, 0.0)
    claim = '# The page shows "{}".\nDone'
    try:
        right = AgentRun(
            [frame], claim.format("sent to London"), options=PLAIN, read=target_text.read_all
        )
        assert isinstance(await right.run(), Done)
        assert len(right.model.requests) == 1
        wrong = claim.format("Payment received"), "Done"
        agent = AgentRun([frame], *wrong, options=PLAIN, read=target_text.read_all)
        assert isinstance(await agent.run(), Done)
        assert "Payment received" in agent.model.request_text()
    finally:
        await ocr.aclose()
