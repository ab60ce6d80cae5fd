"""The person at the controls: allowed or not, the agent pauses first, and is told what was done."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any

import pytest

from cua.agent.manual_control import TAKEOVER_OFF, ManualControl
from cua.agent.session import (
    CUT_OFF,
    LATCHED,
    MANUAL_INPUT_RUNS,
    STOPPING,
    TURN_ENDED,
    NewTask,
)
from cua.hid.inputs import HidInputs
from cua.types import Busy, Click, Keypress, Move, Point, Type
from cua.types.describe import name_keys
from cua.web.session_ownership import Person, SessionOwnership
from tests.safety.test_approval import Gated
from tests.support.devices import Halting, interpret
from tests.support.finger import find_no_risk
from tests.support.scripted_session import ScriptedSession, SlowlyCancelled
from tests.support.waiting import until

A = Point(x=0.25, y=0.5)


def manual_control(
    scripted: ScriptedSession,
    *,
    allowed: bool = True,
    find_risk: Callable[[Type], Awaitable[str]] = find_no_risk,
) -> ManualControl:
    size = (1280, 720)
    made = ManualControl(
        scripted.session, lambda: scripted.inputs, lambda: size, lambda: allowed, find_risk
    )
    scripted.session.on_begin = made.hand_back
    return made


async def test_manual_input_needs_the_setting() -> None:
    scripted = ScriptedSession()
    with pytest.raises(Busy, match=TAKEOVER_OFF):
        await manual_control(scripted, allowed=False).perform(Type(text="a"))
    assert scripted.device.reports == []


async def test_the_agent_pauses_first_and_is_told_what_was_done() -> None:
    scripted = ScriptedSession("hang", "Done")
    await scripted.session.send("do it")
    await until(lambda: len(scripted.model.requests) == 1)
    person = manual_control(scripted)
    await person.perform(Click(at=A))
    assert scripted.session.status == "paused"
    for letter in ("s", "e", "c"):
        await person.perform(Type(text=letter))
    await person.perform(Move(at=A))
    await person.perform(Keypress(keys=("ENTER",)))
    assert interpret(scripted.device.reports).text.startswith("sec")
    await scripted.session.send("go on")
    await scripted.session.wait_ended()
    told = scripted.model.request_text()
    assert "Meanwhile the person did this by hand: Click at (320, 360); " in told
    assert "typed 3 characters; Press Enter." in told
    assert "sec" not in told.split("Meanwhile")[1].replace("second", "")


async def test_the_chat_has_how_much_was_done_by_hand_and_a_question_is_answered_by_it() -> None:
    scripted = ScriptedSession("$ Which printer?", "Done")
    assert await scripted.run() == "asking"
    person = manual_control(scripted)
    await person.paste(Type(text="before"), await person.begin_paste())
    await person.take_over()
    for action in (
        Click(at=A, count=2),
        Type(text="secret"),
        Keypress(keys=("ENTER",)),
        Move(at=A),
    ):
        await person.perform(action)
    assert person.hand_back() == 8
    assert person.hand_back() == 0
    assert await scripted.run("") == "done"
    told = "You controlled the computer: 1 click, 6 characters typed and 1 other action."
    assert [each["text"] for each in scripted.facts("log")] == [told]
    assert scripted.facts("log")[0]["aloud"]
    told = scripted.model.request_text()
    assert "typed 6 characters; Press Enter." in told
    assert "without an answer" not in told
    assert scripted.facts("said") == []
    for count in (1, 3):
        await person.paste(Type(text="x" * count), await person.begin_paste())
        person.hand_back()
    await person.paste(Type(text="hi"), await person.begin_paste())
    await person.perform(Click(at=A))
    person.hand_back()
    assert [each["text"] for each in scripted.facts("log")[1:]] == [
        "You pasted 1 character.",
        "You pasted 3 characters.",
        "You controlled the computer: 2 characters pasted and 1 click.",
    ]


async def test_what_was_done_by_hand_is_told_before_the_task_that_ends_it() -> None:
    scripted = ScriptedSession("Done", "Done")
    await scripted.run()
    person = manual_control(scripted)
    await person.perform(Click(at=A))
    await scripted.run("next")
    kinds = [event.kind for event in scripted.log.in_memory_since(0)]
    assert [kind for kind in kinds if kind in ("task", "log")] == ["task", "log", "task"]
    assert person.hand_back() == 0


async def stopped_while_the_agent_leaves(
    scripted: ScriptedSession, wish: Coroutine[Any, Any, object]
) -> None:
    """What the person asks for then is refused."""
    scripted.model = model = SlowlyCancelled()
    await scripted.session.send("do it")
    await model.asked.wait()
    asked = asyncio.create_task(wish)
    await model.going.wait()
    stop = asyncio.create_task(scripted.session.stop())
    await asyncio.sleep(0)
    model.may_go.set()
    with pytest.raises(Busy, match=TURN_ENDED):
        await asked
    await stop


async def test_input_that_waits_for_the_pause_is_not_sent_after_a_stop() -> None:
    scripted = ScriptedSession()
    await stopped_while_the_agent_leaves(
        scripted, manual_control(scripted).perform(Keypress(keys=("ENTER",)))
    )
    assert scripted.device.reports == []


async def test_no_manual_input_begins_until_a_stop_is_complete() -> None:
    scripted = ScriptedSession("hang")
    await scripted.session.send("do it")
    stop = asyncio.create_task(scripted.session.stop())
    await asyncio.sleep(0)
    with pytest.raises(Busy, match=STOPPING):
        await manual_control(scripted).perform(
            Keypress(keys=("ENTER",)), turn=scripted.session.turn
        )
    await stop
    assert scripted.device.reports == []


@pytest.mark.parametrize(
    ("keys", "letter"),
    [
        (("SHIFT", "P"), True),
        (("ALT", "@"), True),
        (("CTRL", "ALT", "@"), True),
        (("P",), True),
        (("SPACE",), True),
        (("CTRL", "ALT", "SPACE"), False),
        (("CTRL", "C"), False),
        (("CTRL", "ALT", "T"), False),
        (("Meta", "R"), False),
        (("SHIFT", "TAB"), False),
    ],
)
async def test_characters_are_neither_recorded_nor_told(
    keys: tuple[str, ...], letter: bool
) -> None:
    scripted = ScriptedSession("hang")
    await scripted.session.send("do it")
    await manual_control(scripted).perform(Keypress(keys=keys))
    (recorded,) = [each["words"] for each in scripted.facts("by_hand")]
    assert (recorded == "Typing") == letter
    assert scripted.session.task
    told = scripted.session.task.by_hand
    assert ("typed 1 characters" in told) == letter
    assert (name_keys(keys[-1:]) in told.replace("Meanwhile the person", "")) != letter


async def test_manual_actions_are_told_once() -> None:
    scripted = ScriptedSession("hang", "hang", "Done")
    await scripted.session.send("do it")
    await until(lambda: len(scripted.model.requests) == 1)
    person = manual_control(scripted)
    await person.perform(Click(at=A))
    await scripted.session.send("")
    await until(lambda: len(scripted.model.requests) == 2)
    await person.perform(Keypress(keys=("TAB",)))
    await scripted.session.send("")
    await scripted.session.wait_ended()
    assert scripted.model.request_text().count("by hand: Press Tab.") == 1


@pytest.mark.parametrize("by_hand", [Type(text="rm -r"), Keypress(keys=("ALT", "F4"))])
async def test_a_line_begun_by_hand_is_judged_with_what_the_agent_adds(
    by_hand: Type | Keypress,
) -> None:
    scripted = Gated("typestr f /srv/www", "Done")
    person = manual_control(scripted)
    await person.perform(by_hand)
    await scripted.session.send("go on")
    if isinstance(by_hand, Type):
        question = await scripted.asked()
        assert question["rule"] == "deletes"
        assert "rm -r" not in str(scripted.facts("approval"))  # it may have been a password
        scripted.say(question, allow=False)
    await scripted.session.wait_ended()
    assert ("f /srv/www" in scripted.typed) == isinstance(by_hand, Keypress)


async def typing(scripted: ScriptedSession) -> asyncio.Task[None]:
    """A long text by hand, in the middle of which the device hangs."""
    scripted.device = device = Halting(most=21)
    scripted.inputs = HidInputs(device)
    work = asyncio.ensure_future(manual_control(scripted).perform(Type(text="x" * 1000)))
    await device.full.wait()
    return work


@pytest.mark.parametrize("end", ["stop", "pause", "the page goes"])
async def test_whatever_cancels_a_run_cancels_manual_input(end: str) -> None:
    scripted = ScriptedSession()
    ownership = SessionOwnership(scripted.session, exclusive=True, grace=60)
    page_lease = await ownership.claim("", Person("ada"))
    work = await typing(scripted)
    if end == "the page goes":
        await ownership.release(page_lease)
    else:
        await {"stop": scripted.session.stop, "pause": scripted.session.pause}[end]()
    with pytest.raises(Busy, match=CUT_OFF):
        await asyncio.wait_for(work, 10)
    assert interpret(scripted.device.reports).down == []
    assert scripted.status() == ("stopped" if end == "stop" else "idle")


async def test_after_a_stop_manual_input_needs_a_turn_taken_after_it() -> None:
    scripted = ScriptedSession("hang", "hang")
    await scripted.session.send("do it")
    person = manual_control(scripted)
    before = await person.take_over("page 1")
    await scripted.session.stop()
    with pytest.raises(Busy, match=TURN_ENDED):
        await person.perform(Type(text="a"), turn=before)
    turn = await person.take_over("page 2")
    await person.perform(Type(text="b"), turn=turn)
    with pytest.raises(Busy, match=TURN_ENDED):
        await person.perform(Type(text="c"), turn=before)  # late, and from before the stop
    assert interpret(scripted.device.reports).text == "b"
    assert scripted.status() == "stopped"
    with pytest.raises(Busy, match=LATCHED):
        await scripted.session.send("go on")
    person.hand_back("page 1")
    assert [each["page"] for each in scripted.facts("control")] == ["page 1", "page 2"]
    await scripted.session.resume()
    assert scripted.facts("control")[-1]["page"] == "", "the agent works"
    with pytest.raises(Busy, match=TURN_ENDED):
        await person.perform(Type(text="d"), turn=before)
    assert scripted.status() == "running", "what is refused pauses nothing"
    await scripted.session.pause()


async def test_a_second_stop_cancels_manual_input_and_ends_its_turn() -> None:
    scripted = ScriptedSession()
    await scripted.session.stop("first")
    person = manual_control(scripted)
    turn = await person.take_over()
    scripted.device = device = Halting(most=21)
    scripted.inputs = HidInputs(device)
    work = asyncio.ensure_future(person.perform(Type(text="x" * 1000), turn=turn))
    await device.full.wait()
    with pytest.raises(Busy, match=MANUAL_INPUT_RUNS):
        await scripted.session.resume()
    await scripted.session.stop("second")
    with pytest.raises(Busy, match=CUT_OFF):
        await asyncio.wait_for(work, 10)
    assert interpret(device.reports).down == []
    with pytest.raises(Busy, match=TURN_ENDED):
        await person.perform(Type(text="y"), turn=turn)
    await scripted.session.stop("third")  # nothing was done by hand since the second
    told = [each["reason"] for each in scripted.facts("status")]
    assert told == ["first", "second"]
    await scripted.session.resume()
    assert scripted.status() == "idle"


async def test_a_turn_requested_before_a_stop_is_refused() -> None:
    scripted = ScriptedSession()
    await stopped_while_the_agent_leaves(scripted, manual_control(scripted).take_over())


async def test_manual_actions_while_stopped_are_told_after_the_resume() -> None:
    scripted = ScriptedSession("hang", "Done")
    await scripted.session.send("do it")
    await until(lambda: len(scripted.model.requests) == 1)
    await scripted.session.stop()
    person = manual_control(scripted)
    await person.perform(Click(at=A), turn=await person.take_over())
    await scripted.session.resume()
    await scripted.session.wait_ended()
    assert scripted.status() == "done"
    assert "did this by hand: Click at (320, 360)." in scripted.model.request_text()


async def test_the_computer_is_given_back_after_manual_input() -> None:
    scripted = ScriptedSession("hang")
    given_back = []
    scripted.session.on_idle = lambda: given_back.append(scripted.session.is_busy)
    await manual_control(scripted).perform(Type(text="a"))
    assert given_back == [False]
    await scripted.session.send("do it")
    await manual_control(scripted).perform(Type(text="b"))
    assert given_back == [False], "the paused task needs it"
    await scripted.session.reset()
    assert given_back == [False, False]


async def test_no_run_starts_during_manual_input() -> None:
    scripted = ScriptedSession("Done")
    work = await typing(scripted)
    with pytest.raises(Busy, match=MANUAL_INPUT_RUNS):
        await scripted.session.send("do it")
    with pytest.raises(Busy, match=MANUAL_INPUT_RUNS):
        await scripted.session.begin_next(lambda: NewTask("do it"))
    await scripted.session.pause()
    await asyncio.wait([work])
    assert await scripted.run() == "done"


async def test_queued_manual_input_is_checked_when_its_turn_comes() -> None:
    scripted, there = ScriptedSession(), True
    scripted.device = device = Halting(most=21)
    scripted.inputs = HidInputs(device)
    person = manual_control(scripted)

    def check() -> None:
        if not there:
            raise Busy("No page is in sight.")

    scripted.session.check_attended = check
    first = asyncio.ensure_future(person.perform(Type(text="x" * 1000)))
    await device.full.wait()
    second = asyncio.ensure_future(person.perform(Type(text="y")))
    await asyncio.sleep(0)
    there = False
    await scripted.session.pause()
    await asyncio.wait([first, second])
    assert "No page" in str(second.exception())
    assert "y" not in interpret(device.reports).text
