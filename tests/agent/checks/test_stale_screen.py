"""No click on a screen that changed under it."""

from __future__ import annotations

import asyncio
import itertools
from dataclasses import replace

import pytest

from cua.safety.approval import Approvals, Policy
from cua.settings.word_list import patterns
from cua.types import Area, Ask, Done, Frame
from tests.agent.checks.agent_run import AgentRun
from tests.agent.checks.drawn import letter, pointer, program, screen, window
from tests.support.devices import interpret

CLICK = "mouse 0.5 0.5 1"
NEXT = "mouse 0.2 0.2 1"
plain, dialog, busy = screen(), screen(letter, program), screen(window)
smaller = screen(size=(1024, 768))
beside = screen(lambda draw: draw.rectangle((690, 320, 880, 400), fill=30))
"""Something new in the cell beside that of `CLICK`."""


async def test_a_click_on_a_screen_that_stayed_is_carried_out() -> None:
    agent = AgentRun([plain], CLICK, "Done")
    assert isinstance(await agent.run(), Done)
    assert agent.clicks == 1


@pytest.mark.parametrize(
    ("action", "now"),
    [
        (CLICK, dialog),
        (CLICK, beside),
        ("drag 0.5 0.5 0.2 0.2", beside),
        ("drag 0.2 0.2 0.5 0.5", beside),
    ],
)
async def test_a_click_is_held_back_when_something_came_over_its_target(
    action: str, now: Frame
) -> None:
    agent = AgentRun([plain, now], action, "Done")
    await agent.run()
    assert agent.clicks == 0
    assert "Not executed: the screen changed" in agent.model.request_text()


async def test_a_change_elsewhere_does_not_hold_a_click_back() -> None:
    agent = AgentRun([plain, busy, plain], CLICK, "Done")
    await agent.run()
    assert agent.clicks == 1


async def test_a_video_beside_its_target_does_not_hold_a_click_back() -> None:
    video = replace(plain, moving_areas=(Area(left=0.53, top=0.4, right=0.7, bottom=0.6),))
    agent = AgentRun([video, beside], CLICK, "Done")
    await agent.run()
    assert agent.clicks == 1


async def test_a_letter_does_not_hold_a_click_back() -> None:
    agent = AgentRun([plain, screen(letter)], f"mouse {425 / 1280:.3f} {340 / 720:.3f} 1", "Done")
    await agent.run()
    assert agent.clicks == 1


async def test_the_pointer_left_by_an_action_is_no_change_for_the_next() -> None:
    agent = AgentRun([plain, plain, screen(pointer)], f"{CLICK}\nmouse 0.51 0.51 1", "Done")
    await agent.run()
    assert agent.clicks == 2


@pytest.mark.parametrize("keys", ["keyboard ENTER", "typestr hello", "mouse 0.9 0.9 5"])
@pytest.mark.parametrize(
    ("now", "is_scripted", "pressed"),
    [
        (dialog, False, False),
        (screen(letter), False, True),
        (beside, False, True),
        (screen(letter), True, True),
        (beside, True, False),
    ],
)
async def test_keys_and_scrolls_are_held_back_when_a_dialog_may_have_taken_the_focus(
    keys: str, now: Frame, is_scripted: bool, pressed: bool
) -> None:
    """Of a reply that cost nothing also when less has changed."""
    agent = AgentRun([plain, now], keys, "Done")
    agent.model.is_scripted = is_scripted
    await agent.run()
    assert bool(agent.device.reports) == pressed


@pytest.mark.parametrize("clicks", [0, 1])
@pytest.mark.parametrize(
    ("after", "pressed"), [(screen(letter), True), (dialog, False), (smaller, False)]
)
async def test_a_key_is_pressed_on_the_screen_about_which_the_person_was_asked(
    after: Frame, pressed: bool, clicks: int
) -> None:
    """Also when it comes after another action: it takes minutes to answer."""
    actions = "\n".join([NEXT] * clicks + ["keyboard ENTER"])
    agent = AgentRun([plain, *[plain, plain] * clicks, after], actions, "Done")
    gate = Approvals(agent.log, lambda: Policy(ask=patterns("ENTER")))
    agent.agent.gate = gate
    running = asyncio.create_task(agent.run())
    async for _, event in agent.log.subscribe():
        if event.kind == "approval":
            gate.answer(event.data["id"], event.data["digest"], allow=True)
            break
    await running
    assert agent.clicks == clicks
    assert (interpret(agent.device.reports).text == "\n") == pressed


async def test_after_three_times_the_person_is_asked_and_then_again_after_three() -> None:
    """A click that is carried out ends the count."""
    pairs = [(plain, dialog)] * 2 + [(plain, plain)] + [(plain, dialog)] * 7
    agent = AgentRun(list(itertools.chain.from_iterable(pairs)), *[CLICK] * 9, "Done")
    for replies, times in ((6, 3), (9, 6)):
        ending = await agent.run()
        assert isinstance(ending, Ask)
        assert f"changed {times} times just before I could act" in ending.question
        assert len(agent.model.requests) == replies
    assert agent.clicks == 1


async def test_a_row_of_actions_stops_where_one_changed_the_target_of_the_next() -> None:
    agent = AgentRun([plain, plain, dialog], f"{NEXT}\n{CLICK}", "Done")
    await agent.run()
    assert agent.clicks == 1
    told = agent.model.request_text()
    assert told.startswith("Stopped before action 2 (Click at (640, 360))")


async def test_a_row_goes_on_where_the_target_of_the_next_stayed() -> None:
    for words in ("", "typestr hello\n"):
        agent = AgentRun([plain, plain, beside], f"{NEXT}\n{words}{CLICK}", "Done")
        await agent.run()
        assert agent.clicks == 2
        assert interpret(agent.device.reports).text == words[8:-1]


async def test_text_goes_to_the_dialog_that_the_click_before_it_opened() -> None:
    agent = AgentRun([plain, plain, plain, dialog], f"{NEXT}\ntypestr hello", "Done")
    await agent.run()
    assert interpret(agent.device.reports).text == "hello"
